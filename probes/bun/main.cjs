'use strict';
/* The probe for Bun: what it imitates of node:fs, and its own calls. */
const fs = require('fs');
const serve = require('../node/talk.cjs').serve;

// Older versions of Bun (1.1.20 does, 1.1.45 does not) end with code 0 while a command of their shell is all that is waited for.
// A script with a top-level await never meets that, so the probe must not either.
setInterval(() => {}, 60000);

/** The class of what fs.promises.open gives, which no module exports. Before 1.0 it gives a bare descriptor, and there is no such class. */
async function fileHandle() {
  const opened = await fs.promises.open(__filename, 'r');
  if (typeof opened === 'number') {
    fs.closeSync(opened);
    return undefined;
  }
  await opened.close();
  return opened.constructor;
}

function needingFileHandle(entry) {
  return entry.id.startsWith('fs.promises.open/') ? {...entry, needs: (entry.needs || []).concat('FileHandle')} : entry;
}

fileHandle().then((FileHandle) => serve({
  runtime: 'bun',
  version: Bun.version,
  entries: require('../node/fs.cjs').map(needingFileHandle).concat(require('./claims.cjs')),
  globals: {Bun, FileHandle}
}));
