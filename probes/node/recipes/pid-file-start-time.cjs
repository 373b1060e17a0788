// A lock file with the pid and the start time of its process, so that a pid that was given out again is not taken for the holder.
const fs = require("fs");
const name = process.argv[2];

/** When a process started, in ticks since the computer did; null when there is no such process (Linux). */
function startTime(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return null;
  }
}

const mine = JSON.stringify({pid: process.pid, started: startTime(process.pid)});

function acquire() {
  try {
    fs.writeFileSync(name, mine, {flag: "wx"});
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  const holder = JSON.parse(fs.readFileSync(name, "utf8"));
  if (startTime(holder.pid) === holder.started) return false;
  fs.writeFileSync(name, mine);
  return true;
}

if (!acquire()) process.exit(1);
console.log("acquired");
process.stdin.resume().on("end", () => {
  if (fs.readFileSync(name, "utf8") === mine) fs.unlinkSync(name);
});
