// One worker at a time, under a lease. What it did is looked up before each item; whoever finds the lease expired takes it over.
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

const tookEffect = item => fs.readdirSync(folder).filter(each => each.startsWith("effects-"))
  .some(each => fs.readFileSync(path.join(folder, each), "utf8").split("\n").includes(item));

if (!acquire()) process.exit(0);
fs.mkdirSync(path.join(folder, "done"), {recursive: true});
for (const item of fs.readdirSync(path.join(folder, "incoming"))) {
  if (!tookEffect(item)) fs.appendFileSync(path.join(folder, `effects-${worker}`), `${item}\n`);
  fs.renameSync(path.join(folder, "incoming", item), path.join(folder, "done", item));
}
if (fs.readFileSync(lease, "utf8") === mine) fs.unlinkSync(lease);
