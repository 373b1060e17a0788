// First the data, then a manifest that says what there has to be, itself written beside and renamed.
const fs = require("fs");
const path = require("path");
const {createHash} = require("crypto");
const [name, content] = process.argv.slice(2);
const data = fs.readFileSync(content);

fs.writeFileSync(name, data);
const manifest = {
  name: path.basename(name),
  size: data.length,
  sha256: createHash("sha256").update(data).digest("hex"),
  records: data.toString().split("\n").length - 1,
  key: path.basename(content),
  time: new Date().toISOString(),
};
const beside = `${name}.manifest.${process.pid}.tmp`;
fs.writeFileSync(beside, JSON.stringify(manifest), {flag: "wx"});
fs.renameSync(beside, `${name}.manifest.json`);
