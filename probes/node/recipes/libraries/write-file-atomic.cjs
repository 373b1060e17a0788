// write-file-atomic: written beside, fsync, renamed.
const fs = require("fs");
const path = require("path");
const writeFileAtomic = require(path.join(process.env.CLAIMGRID_LIBRARY, "node_modules", "write-file-atomic"));
const [name, content] = process.argv.slice(2);

writeFileAtomic(name, fs.readFileSync(content)).catch(error => {
  console.error(error.message);
  process.exitCode = 1;
});
