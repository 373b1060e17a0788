// proper-lockfile: a directory beside the file, whose time is renewed while it is held.
const path = require("path");
const {lock} = require(path.join(process.env.CLAIMGRID_LIBRARY, "node_modules", "proper-lockfile"));
const name = process.argv[2];

lock(name, {realpath: false, stale: 10000}).then(
  release => {
    console.log("acquired");
    process.stdin.resume().on("end", () => release().catch(error => { console.error(error.message); process.exitCode = 1; }));
  },
  error => {
    console.error(error.message);
    process.exitCode = error.code === "ELOCKED" ? 1 : 2;
  });
