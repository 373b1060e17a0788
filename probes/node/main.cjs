'use strict';
/* The probe for Node. */
require('./talk.cjs').serve({runtime: 'node', version: process.versions.node, entries: require('./fs.cjs')});
