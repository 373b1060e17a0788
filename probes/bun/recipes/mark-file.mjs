// A mark that says who placed it, when, and for how long it counts. A limit of 0 was placed by a person: never taken over.
import {closeSync, openSync, statSync, unlinkSync, writeSync} from "node:fs";
import {hostname} from "node:os";
const name = Bun.argv[2];
const LIMIT_MINUTES = 30;
const mine = JSON.stringify({who: hostname(), pid: process.pid, when: new Date().toISOString(), limitMinutes: LIMIT_MINUTES});

function place() {
  try {
    const file = openSync(name, "wx");
    writeSync(file, mine);
    closeSync(file);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    return false;
  }
}

async function acquire() {
  if (place()) return true;
  let mark, age;
  try {
    mark = await Bun.file(name).json();
    age = Date.now() - statSync(name).mtimeMs;
  } catch (error) {
    if (error.code === "ENOENT") return place();
    console.error(`${name} cannot be read: ${error.message}`);
    process.exit(2);
  }
  if (!(mark.limitMinutes > 0) || age < mark.limitMinutes * 60000) return false;
  unlinkSync(name);
  return place();
}

if (!(await acquire())) process.exit(1);
console.log("acquired");
await Bun.stdin.text();
if ((await Bun.file(name).text()) === mine) unlinkSync(name);
