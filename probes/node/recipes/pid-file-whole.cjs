// A lock file that has its pid from its first moment on: written beside, and linked to the name. A dead process's is moved aside, and
// put back when it turns out to be another one than the one that was looked at.
const fs = require("fs");
const name = process.argv[2];
const mine = `${process.pid}\n`;

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function create() {
  const beside = `${name}.new-${process.pid}`;
  fs.writeFileSync(beside, mine, {flag: "wx"});
  try {
    fs.linkSync(beside, name);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    return false;
  } finally {
    fs.unlinkSync(beside);
  }
}

function acquire() {
  if (create()) return true;
  const aside = `${name}.stale-${process.pid}`;
  try {
    const holder = fs.readFileSync(name, "utf8");
    if (!/^\d+\n$/.test(holder)) {
      console.error(`${name} is not ours to judge`);
      process.exit(2);
    }
    if (isAlive(Number(holder))) return false;
    fs.renameSync(name, aside);
    if (fs.readFileSync(aside, "utf8") !== holder) {
      fs.linkSync(aside, name);
      fs.unlinkSync(aside);
      return false;
    }
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
  if (fs.readFileSync(name, "utf8") === mine) fs.unlinkSync(name);
});
