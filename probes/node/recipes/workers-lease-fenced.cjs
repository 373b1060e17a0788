// The same, but effects go into a numbered log, each to the place after the last that was seen, by a link that fails when that place is taken.
// Whoever was paused past its lease finds its number taken (the fence), and stops.
const fs = require("fs");
const path = require("path");
const [folder, worker] = process.argv.slice(2);
const LEASE_MS = 60000;
const lease = path.join(folder, "lease.json");
const mine = JSON.stringify({owner: worker, pid: process.pid, expiresAt: new Date(Date.now() + LEASE_MS).toISOString()});

function acquire() {
  const beside = path.join(folder, `lease-${worker}`);
  fs.writeFileSync(beside, mine);
  try {
    fs.linkSync(beside, lease);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (Date.now() < Date.parse(JSON.parse(fs.readFileSync(lease, "utf8")).expiresAt)) return false;
    fs.renameSync(beside, lease);
  }
  return fs.readFileSync(lease, "utf8") === mine;
}

const log = () => fs.readdirSync(folder).filter(each => each.startsWith("effects-")).sort()
  .map(each => fs.readFileSync(path.join(folder, each), "utf8").trim());

function move(item) {
  try {
    fs.renameSync(path.join(folder, "incoming", item), path.join(folder, "done", item));
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
}

if (!acquire()) process.exit(0);
fs.mkdirSync(path.join(folder, "done"), {recursive: true});
for (const item of fs.readdirSync(path.join(folder, "incoming"))) {
  const seen = log();
  if (!seen.includes(item)) {
    const beside = path.join(folder, `next-${worker}-${seen.length}`);
    fs.writeFileSync(beside, `${item}\n`);
    try {
      fs.linkSync(beside, path.join(folder, `effects-${String(seen.length).padStart(6, "0")}`));
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      process.exit(0);
    }
  }
  move(item);
}
if (fs.readFileSync(lease, "utf8") === mine) fs.unlinkSync(lease);
