// Looks what is there, works on it, and moves it away afterwards.
const fs = require("fs");
const path = require("path");
const [folder, worker] = process.argv.slice(2);
const incoming = path.join(folder, "incoming");
const done = path.join(folder, "done");

fs.mkdirSync(done, {recursive: true});
for (const item of fs.readdirSync(incoming)) {
  if (!fs.existsSync(path.join(incoming, item))) continue;
  fs.appendFileSync(path.join(folder, `effects-${worker}`), `${item}\n`);
  fs.renameSync(path.join(incoming, item), path.join(done, item));
}
