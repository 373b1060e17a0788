'use strict';
/*
 * The conversation of ../PROTOCOL.md, for every runtime that speaks JavaScript. It loads from Node 8 on and in Bun from 0.5 on,
 * hence the plain language and the CommonJS. A probe is one call:
 *
 *   serve({
 *     runtime: 'node',                       // as in claim ids
 *     version: process.versions.node,        // what the binary reports of itself
 *     entries: [...],                        // the claims
 *     globals: {Deno: Deno},                 // optional: what the claims' code sees beside fs and path
 *     refusal: (error) => ({...})            // optional: what a caller can test in an error, see `refusal` below
 *   })
 *
 * An entry is one claim:
 *
 *   id       'fs.copyFileSync/COPYFILE_EXCL'; what comes before the slash is looked up to learn whether the build has the call
 *   kind     'create', 'take', 'held' or 'look'
 *   code     source text with the variables fs, path, name, source, mine, data, done and the globals; this very text is compiled,
 *            and this very text is listed. It is one of
 *              plain     fs.mkdirSync(name)
 *              awaiting  await fs.promises.mkdir(name)     (anything that mentions `await`)
 *              callback  fs.mkdir(name, done)              (anything that mentions `done`; its first call is the answer)
 *            An error is "no", a returned false (or done(null, false)) is "no", anything else is "yes". A *held* claim returns
 *            the handle, and letting go is calling its close().
 *   makes    what a win leaves, as in the protocol
 *   via      what the claim goes by, as in the protocol
 *   source   what the claim needs on `source`; for kind 'take', what has to lie on `name`. Left out: nothing
 *   role     'overwrites' or 'check-then-act', on the two controls
 *   needs    optional list of expressions that are undefined, false or throw where the build lacks an option or constant;
 *            `node(12, 17)` in them asks for a version of Node's API
 *   refusal  optional: as above, for this claim alone
 */
const fs = require('fs');
const path = require('path');
const clock = require('./clock.cjs');

const AsyncFunction = Object.getPrototypeOf(async function () {}).constructor;
// Nobody reads the stacks, and gathering them is a good part of the time that a refusal takes.
Error.stackTraceLimit = 0;

const MESSAGE_LIMIT = 500;
const LONG_WAIT = 20;

/** What a caller of node:fs tests: `err.code`, and EEXIST in particular. */
function refusal(error) {
  const code = error && (error.code || error.name);
  return {error: String(code), exists: code === 'EEXIST'};
}

/** Whether the API of Node that this runtime has, or imitates, is at least this version. */
function node(major, minor) {
  const have = process.versions.node.split('.').map(Number);
  return have[0] > major || (have[0] === major && have[1] >= minor);
}

/** A claim ready to be made: `call(name, source, mine, data)` returns the answer, or the promise of one, or throws. */
class Claim {
  constructor(entry, options) {
    this.entry = entry;
    this.refusal = entry.refusal || options.refusal || refusal;
    this.scope = Object.assign({fs: fs, path: path}, options.globals);
  }

  get missing() {
    if (this.known === undefined) this.known = this.lacks();
    return this.known;
  }

  /** The first thing the build lacks, or null; found out by looking, never by calling. */
  lacks() {
    const scope = Object.assign({node: node}, this.scope);
    const wanted = /^[\w$]+(\.[\w$]+)*/.exec(this.entry.id).slice(0, 1).concat(this.entry.needs || []);
    for (const expression of wanted) {
      const look = new Function(Object.keys(scope), 'return ' + expression);
      let found;
      try {
        found = look.apply(null, Object.keys(scope).map((key) => scope[key]));
      } catch (error) {
        found = undefined;
      }
      if (found === undefined || found === false) return expression;
    }
    return null;
  }

  get call() {
    if (this.compiled === undefined) this.compiled = this.compile();
    return this.compiled;
  }

  compile() {
    const code = this.entry.code;
    const parameters = ['name', 'source', 'mine', 'data', 'done'].concat(Object.keys(this.scope));
    const extra = Object.keys(this.scope).map((key) => this.scope[key]);
    const run = new (/\bawait\b/.test(code) ? AsyncFunction : Function)(parameters, code);
    if (!/\bdone\b/.test(code)) return (name, source, mine, data) => run(name, source, mine, data, undefined, ...extra);
    return (name, source, mine, data) => new Promise((resolve, reject) => {
      const done = (error, value) => (error ? reject(error) : resolve(value));
      run(name, source, mine, data, done, ...extra);
    });
  }

  said(error) {
    const answer = Object.assign({said: 'no'}, this.refusal(error));
    answer.message = String((error && error.message) || error).slice(0, MESSAGE_LIMIT);
    return answer;
  }
}

const RETURNED_FALSE = {said: 'no', error: 'returned false'};

function isPromise(value) {
  return value !== null && typeof value === 'object' && typeof value.then === 'function';
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Lets what a claim left behind (a stream that closes, a late error) happen while it is still this claim's turn. */
function settled(value) {
  return new Promise((resolve) => setImmediate(resolve, value));
}

/** Makes the claim once and says what its caller would conclude. */
async function make(claim, request, held) {
  let value;
  try {
    value = claim.call(request.name, request.source, request.mine, request.data);
    if (isPromise(value)) value = await value.then(settled, (error) => settled().then(() => Promise.reject(error)));
  } catch (error) {
    return claim.said(error);
  }
  if (value === false) return RETURNED_FALSE;
  if (claim.entry.kind === 'held') held.set(request.id, value);
  return {said: 'yes'};
}

function numbered(text, rounds) {
  return Array.from({length: rounds}, (_, round) => (text ? text + round : text));
}

/** Makes the claim once per round at its time on this process's clock; a plain claim never gives the event loop a turn. */
async function race(claim, request) {
  const call = claim.call;
  const count = request.rounds;
  const names = numbered(request.name, count);
  const sources = numbered(request.source, count);
  const mines = numbered(request.mine, count);
  const rounds = names.map(() => [0, 0, 0]);
  const errors = {};
  const handles = [];
  for (let round = 0; round < count; round++) {
    const due = request.start + round * request.gap;
    const early = due - clock.now();
    if (early > LONG_WAIT) await pause(early - LONG_WAIT);
    const record = rounds[round];
    let began;
    // Not `began < due`: Bun before 1.0 says, once in some thousand times, that the time is NaN.
    do began = clock.now();
    while (!(began >= due));
    let error;
    let value;
    try {
      value = call(names[round], sources[round], mines[round], request.data);
      if (isPromise(value)) value = await value;
    } catch (thrown) {
      error = thrown || new Error(String(thrown));
    }
    record[2] = clock.now();
    record[1] = began;
    if (error === undefined && value !== false) {
      record[0] = 1;
      if (claim.entry.kind === 'held') handles.push(value);
    } else {
      const kind = error === undefined ? RETURNED_FALSE.error : claim.refusal(error).error;
      errors[kind] = (errors[kind] || 0) + 1;
    }
  }
  for (const handle of handles) await handle.close();
  return {rounds: rounds.map((record) => [record[0], clock.rounded(record[1]), clock.rounded(record[2])]), errors: errors};
}

async function release(request, held) {
  if (!held.has(request.holds)) throw new Error('nothing is held as ' + request.holds);
  const handle = held.get(request.holds);
  held.delete(request.holds);
  await handle.close();
  return {said: 'yes'};
}

/** What the protocol's list says about one claim. */
function listed(claim) {
  const entry = claim.entry;
  const line = {id: entry.id, kind: entry.kind, code: entry.code, makes: entry.makes, source: entry.source || null, via: entry.via};
  line.supported = claim.missing === null;
  if (entry.role) line.role = entry.role;
  return line;
}

async function answer(request, options, claims, held) {
  switch (request.do) {
    case 'hello':
      return {protocol: 1, runtime: options.runtime, version: options.version};
    case 'list':
      return {claims: Array.from(claims.values()).map(listed)};
    case 'clock':
      return {clock: clock.now()};
    case 'release':
      return release(request, held);
    case 'claim':
    case 'race': {
      const claim = claims.get(request.claim);
      if (!claim) throw new Error('no such claim: ' + request.claim);
      if (claim.missing !== null) return {said: 'unsupported', message: 'needs ' + claim.missing};
      return request.do === 'claim' ? make(claim, request, held) : race(claim, request);
    }
    default:
      throw new Error('no such request: ' + request.do);
  }
}

/** Repeats a read or write of a pipe that does not block, as old Node makes standard output without being asked to. */
async function patiently(call) {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      await pause(1);
    }
  }
}

/** Reads lines from standard input by blocking reads: `process.stdin` fails under Wine and costs turns elsewhere. */
function reader() {
  const block = Buffer.alloc(65536);
  const ahead = [];
  let rest = Buffer.alloc(0);
  function read() {
    try {
      return fs.readSync(0, block, 0, block.length, null);
    } catch (error) {
      if (error.code === 'EOF') return 0; // how Windows reports the end of a pipe
      throw error;
    }
  }
  return async function next() {
    while (ahead.length === 0) {
      const size = await patiently(read);
      if (size === 0) return null;
      rest = Buffer.concat([rest, block.slice(0, size)]);
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        ahead.push(rest.toString('utf8', 0, end));
        rest = rest.slice(end + 1);
      }
    }
    return ahead.shift();
  };
}

async function write(object) {
  let bytes = Buffer.from(JSON.stringify(object) + '\n', 'utf8');
  while (bytes.length > 0) {
    const size = await patiently(() => fs.writeSync(1, bytes, 0, bytes.length));
    bytes = bytes.slice(size);
  }
}

async function converse(options) {
  const claims = new Map(options.entries.map((entry) => [entry.id, new Claim(entry, options)]));
  const held = new Map();
  const next = reader();
  for (let line = await next(); line !== null; line = await next()) {
    let id;
    let reply;
    try {
      const request = JSON.parse(line);
      id = request.id;
      reply = await answer(request, options, claims, held);
    } catch (error) {
      reply = {fault: String((error && error.message) || error)};
    }
    await write(Object.assign(id === undefined ? {} : {id: id}, reply));
  }
  process.exit(0);
}

/** Answers requests until standard input ends. What goes wrong in here is a fault of the probe, never a refusal. */
function serve(options) {
  converse(options).catch((error) => {
    console.error(error);
    process.exit(70);
  });
}

module.exports = {serve: serve};
