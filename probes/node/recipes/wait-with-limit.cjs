// Tries again for two seconds, then gives up.
const fs = require("fs");
const name = process.argv[2];
const LIMIT_MS = 2000;
const PAUSE_MS = 100;

function acquire(until) {
  try {
    fs.closeSync(fs.openSync(name, "wx"));
    console.log("acquired");
    process.stdin.resume().on("end", () => fs.unlinkSync(name));
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (Date.now() > until) process.exit(1);
    setTimeout(acquire, PAUSE_MS, until);
  }
}

acquire(Date.now() + LIMIT_MS);
