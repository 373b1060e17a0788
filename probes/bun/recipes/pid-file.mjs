// A lock file with the pid in it. When that process is dead, its file is overwritten.
import {readFileSync, unlinkSync, writeFileSync} from "node:fs";
const name = Bun.argv[2];

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function acquire() {
  try {
    writeFileSync(name, String(process.pid), {flag: "wx"});
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  if (isAlive(Number(readFileSync(name, "utf8")))) return false;
  writeFileSync(name, String(process.pid));
  return true;
}

if (!acquire()) process.exit(1);
console.log("acquired");
process.stdin.resume().on("end", () => unlinkSync(name));
