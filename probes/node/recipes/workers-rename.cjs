// Each worker renames an item into a folder of its own before it works on it. What took effect is the ledger: it is looked up before, so
// that an item which a dead worker left behind half done counts once.
const fs = require("fs");
const path = require("path");
const [folder, worker] = process.argv.slice(2);
const LIMIT_MS = 60000;
const mine = path.join(folder, "processing", worker);
const done = path.join(folder, "done");
const effects = path.join(folder, `effects-${worker}`);

function take(from, item) {
  try {
    fs.renameSync(path.join(from, item), path.join(mine, item));
    return true;
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    return false;
  }
}

const tookEffect = item => fs.readdirSync(folder).filter(each => each.startsWith("effects-"))
  .some(each => fs.readFileSync(path.join(folder, each), "utf8").split("\n").includes(item));

function work(item) {
  fs.utimesSync(path.join(mine, item), new Date(), new Date());
  if (!tookEffect(item)) fs.appendFileSync(effects, `${item}\n`);
  fs.renameSync(path.join(mine, item), path.join(done, item));
}

fs.mkdirSync(mine, {recursive: true});
fs.mkdirSync(done, {recursive: true});
for (const item of fs.readdirSync(path.join(folder, "incoming"))) {
  if (take(path.join(folder, "incoming"), item)) work(item);
}
for (const other of fs.readdirSync(path.join(folder, "processing"))) {
  if (other === worker) continue;
  const theirs = path.join(folder, "processing", other);
  for (const item of fs.readdirSync(theirs)) {
    const age = Date.now() - fs.statSync(path.join(theirs, item), {throwIfNoEntry: false})?.mtimeMs;
    if (age > LIMIT_MS && take(theirs, item)) work(item);
  }
}
