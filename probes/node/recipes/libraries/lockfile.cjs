// lockfile, npm's own of old: a file made with wx, stale by its time.
const path = require("path");
const lockfile = require(path.join(process.env.CLAIMGRID_LIBRARY, "node_modules", "lockfile"));
const name = process.argv[2];

lockfile.lock(name, {stale: 60000}, error => {
  if (error) {
    console.error(error.message);
    process.exit(error.code === "EEXIST" ? 1 : 2);
  }
  console.log("acquired");
  process.stdin.resume().on("end", () => lockfile.unlock(name, failed => { if (failed) throw failed; }));
});
