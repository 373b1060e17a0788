'use strict';
/* The probe for Bun: what it imitates of node:fs, and its own calls. */
const entries = require('../node/fs.cjs').concat(require('./claims.cjs'));

// Older versions of Bun (1.1.20 does, 1.1.45 does not) end with code 0 while a command of their shell is all that is waited for.
// A script with a top-level await never meets that, so the probe must not either.
setInterval(() => {}, 60000);

require('../node/talk.cjs').serve({runtime: 'bun', version: Bun.version, entries: entries, globals: {Bun: Bun}});
