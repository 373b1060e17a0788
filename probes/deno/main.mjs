/* The probe for Deno: what it imitates of node:fs, and its own calls. A module, because Deno 1.46 gives a plain `.cjs` no `require`. */
import {createRequire} from 'node:module';

const require = createRequire(import.meta.url);
const entries = require('../node/fs.cjs').concat(require('./claims.cjs'));

require('../node/talk.cjs').serve({runtime: 'deno', version: Deno.version.deno, entries: entries, globals: {Deno: Deno}});
