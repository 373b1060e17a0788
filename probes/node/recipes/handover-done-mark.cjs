// First the data, then an empty file that says that it is whole.
const fs = require("fs");
const [name, content] = process.argv.slice(2);

fs.writeFileSync(name, fs.readFileSync(content));
fs.writeFileSync(`${name}.done`, "");
