// Written beside, made durable, and renamed: a reader finds the old file or the new one, each whole.
const fs = require("fs");
const [name, content] = process.argv.slice(2);
const beside = `${name}.${process.pid}.tmp`;

const file = fs.openSync(beside, "wx");
fs.writeSync(file, fs.readFileSync(content));
fs.fsyncSync(file);
fs.closeSync(file);
fs.renameSync(beside, name);
