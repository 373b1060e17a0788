// A mark that says who placed it, when, and for how long it counts. A limit of 0 was placed by a person: never taken over.
const fs = require("fs");
const os = require("os");
const name = process.argv[2];
const LIMIT_MINUTES = 30;
const mine = JSON.stringify({who: os.hostname(), pid: process.pid, when: new Date().toISOString(), limitMinutes: LIMIT_MINUTES});

function place() {
  try {
    fs.writeFileSync(name, mine, {flag: "wx"});
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    return false;
  }
}

function acquire() {
  if (place()) return true;
  let mark, age;
  try {
    mark = JSON.parse(fs.readFileSync(name, "utf8"));
    age = Date.now() - fs.statSync(name).mtimeMs;
  } catch (error) {
    if (error.code === "ENOENT") return place();
    console.error(`${name} cannot be read: ${error.message}`);
    process.exit(2);
  }
  if (!(mark.limitMinutes > 0) || age < mark.limitMinutes * 60000) return false;
  fs.unlinkSync(name);
  return place();
}

if (!acquire()) process.exit(1);
console.log("acquired");
process.stdin.resume().on("end", () => {
  if (fs.readFileSync(name, "utf8") === mine) fs.unlinkSync(name);
});
