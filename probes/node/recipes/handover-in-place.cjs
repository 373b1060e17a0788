// Written under its final name.
const fs = require("fs");
const [name, content] = process.argv.slice(2);

fs.writeFileSync(name, fs.readFileSync(content));
