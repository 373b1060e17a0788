// One file says what has become of every item: it is read, changed and written back.
const fs = require("fs");
const path = require("path");
const [folder, worker] = process.argv.slice(2);
const status = path.join(folder, "status.json");

const read = () => (fs.existsSync(status) ? JSON.parse(fs.readFileSync(status, "utf8")) : {});
function set(item, state) {
  const all = read();
  all[item] = state;
  fs.writeFileSync(status, JSON.stringify(all));
}

for (const item of fs.readdirSync(path.join(folder, "incoming"))) {
  if (read()[item]) continue;
  set(item, `taken by ${worker}`);
  fs.appendFileSync(path.join(folder, `effects-${worker}`), `${item}\n`);
  set(item, "done");
}
