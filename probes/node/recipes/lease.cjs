// A lease: whoever holds it renews it while it works; when nobody has renewed it in time, the next one takes over.
const fs = require("fs");
const os = require("os");
const {randomUUID} = require("crypto");
const name = process.argv[2];
const LEASE_MS = 30000;
const ownerId = randomUUID();
const acquiredAt = new Date().toISOString();

function write(lock, flag) {
  const now = Date.now();
  const lease = {ownerId, host: os.hostname(), pid: process.pid, acquiredAt, heartbeatAt: new Date(now).toISOString(), expiresAt: new Date(now + LEASE_MS).toISOString()};
  fs.writeFileSync(lock, JSON.stringify(lease), {flag});
}

const read = () => JSON.parse(fs.readFileSync(name, "utf8"));

function replace() {
  const fresh = `${name}.${ownerId}`;
  write(fresh, "wx");
  fs.renameSync(fresh, name);
}

function acquire() {
  try {
    write(name, "wx");
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  let lease;
  try {
    lease = read();
  } catch (error) {
    console.error(`${name} cannot be read: ${error.message}`);
    process.exit(2);
  }
  if (Date.now() < Date.parse(lease.expiresAt)) return false;
  replace();
  return read().ownerId === ownerId;
}

if (!acquire()) process.exit(1);
console.log("acquired");
const heartbeat = setInterval(() => { if (read().ownerId === ownerId) replace(); }, LEASE_MS / 3);
process.stdin.resume().on("end", () => {
  clearInterval(heartbeat);
  if (read().ownerId === ownerId) fs.unlinkSync(name);
});
