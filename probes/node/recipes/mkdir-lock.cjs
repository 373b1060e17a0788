// A directory is the lock: mkdir fails when there is one.
const fs = require("fs");
const name = process.argv[2];

try {
  fs.mkdirSync(name);
} catch (error) {
  if (error.code !== "EEXIST") throw error;
  process.exit(1);
}
console.log("acquired");
process.stdin.resume().on("end", () => fs.rmdirSync(name));
