// A lock file with the pid in it. That of a dead process is moved aside first, so that only one of several can move it.
const fs = require("fs");
const name = process.argv[2];

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function create() {
  try {
    fs.writeFileSync(name, String(process.pid), {flag: "wx"});
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    return false;
  }
}

function acquire() {
  if (create()) return true;
  const aside = `${name}.stale-${process.pid}`;
  try {
    if (isAlive(Number(fs.readFileSync(name, "utf8")))) return false;
    fs.renameSync(name, aside);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    return create();
  }
  fs.unlinkSync(aside);
  return create();
}

if (!acquire()) process.exit(1);
console.log("acquired");
process.stdin.resume().on("end", () => {
  if (fs.readFileSync(name, "utf8") === String(process.pid)) fs.unlinkSync(name);
});
