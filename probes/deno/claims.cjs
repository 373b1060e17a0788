'use strict';
/*
 * Deno's own ways to make, take, hold and read a name. See ../node/talk.cjs for what an entry says.
 *
 * Left out are makeTempFile and makeTempDir, which choose a name of their own, and truncate and utime, which want the file to be there.
 */

/** Callers of Deno's API test the class of an error; most errors have a `code` too. */
function refusal(error) {
  const answer = {error: error.name, exists: error instanceof Deno.errors.AlreadyExists};
  return error.code ? {...answer, code: error.code} : answer;
}

function awaiting(kind, id, code, makes, more) {
  return {id: id, kind: kind, code: code, makes: makes, refusal: refusal, ...more};
}

/**
 * A claim in both forms that Deno has. It is written in the awaiting form, with a star wherever the other has the ending "Sync":
 * `await Deno.mkdir*(name)` is also `Deno.mkdirSync(name)`.
 */
function both(kind, id, code, makes, {needs = [], ...more} = {}) {
  const form = (ending, text) =>
    awaiting(kind, id.replaceAll('*', ending), text, makes, {...more, needs: needs.map((need) => need.replaceAll('*', ending))});
  return [form('Sync', code.replace(/await ([\w.]+)\*/g, '$1Sync')), form('', code.replaceAll('*', ''))];
}

function create(id, code, makes, source) {
  return both('create', id, code, makes, {source: source});
}

/** The options of a variant as source text: "createNew+mode=0o444" is `{createNew: true, mode: 0o444}`. */
function options(variant) {
  return `{${variant.split('+').map((option) => (option.includes('=') ? option.replace('=', ': ') : `${option}: true`)).join(', ')}}`;
}

const WRITE_OPTIONS = ['createNew', 'createNew+append', 'createNew+create=false', 'append', 'mode=0o444', 'createNew+mode=0o444'];

const OPEN_OPTIONS = [
  'write+create', 'write+create+truncate', 'write+append+create', 'append+create', 'read+write+create', 'write+create+mode=0o444',
  'write+createNew', 'read+write+createNew', 'append+createNew', 'write+append+createNew', 'write+create+createNew',
  'write+create=false+createNew', 'write+truncate+createNew', 'write+create+truncate+createNew', 'write+createNew+mode=0o444'
];

/** One of the two calls that write a whole file, with each set of options; `what` is what they are given to write. */
function writes(call, what) {
  return [
    create(`Deno.${call}*`, `await Deno.${call}*(name, ${what})`, 'file'),
    WRITE_OPTIONS.map((variant) => create(`Deno.${call}*/${variant}`, `await Deno.${call}*(name, ${what}, ${options(variant)})`, 'file'))
  ];
}

function opens(id, open) {
  return create(id, `const file = ${open}; try { await file.write*(new TextEncoder().encode(data)) } finally { file.close() }`, 'file');
}

/** Looks first; whatever is found there is a "no". */
function ifAbsent(look, act) {
  return `try { ${look}; return false } catch (error) { if (!(error instanceof Deno.errors.NotFound)) throw error } ${act}`;
}

function locks(lock) {
  return `const file = await Deno.open*(name, {write: true, create: true}); ${lock}`;
}

module.exports = [
  writes('writeTextFile', 'data'),
  writes('writeFile', 'new TextEncoder().encode(data)'),
  // A stream takes another way through Deno than bytes do, and cannot be written by the blocking form.
  awaiting('create', 'Deno.writeFile/ReadableStream', 'await Deno.writeFile(name, new Blob([data]).stream())', 'file'),
  awaiting(
    'create',
    'Deno.writeFile/ReadableStream+createNew',
    'await Deno.writeFile(name, new Blob([data]).stream(), {createNew: true})',
    'file'
  ),
  OPEN_OPTIONS.map((variant) => opens(`Deno.open*/${variant}`, `await Deno.open*(name, ${options(variant)})`)),
  opens('Deno.create*', 'await Deno.create*(name)'),
  create('Deno.mkdir*', 'await Deno.mkdir*(name)', 'empty-dir'),
  create('Deno.mkdir*/recursive', 'await Deno.mkdir*(name, {recursive: true})', 'empty-dir'),
  ['file', 'empty-dir', 'full-dir', 'link'].map((thing) =>
    create(`Deno.rename*/${thing}`, 'await Deno.rename*(source, name)', thing, thing)),
  both('create', 'Deno.link*', 'await Deno.link*(source, name)', 'file', {source: 'file', via: 'hard-link'}),
  create('Deno.symlink*', 'await Deno.symlink*(source, name)', 'link', 'file'),
  create('Deno.symlink*/file', "await Deno.symlink*(source, name, {type: 'file'})", 'link', 'file'),
  create('Deno.symlink*/dir', "await Deno.symlink*(source, name, {type: 'dir'})", 'link', 'empty-dir'),
  create('Deno.symlink*/junction', "await Deno.symlink*(source, name, {type: 'junction'})", 'link', 'empty-dir'),
  create('Deno.copyFile*', 'await Deno.copyFile*(source, name)', 'file', 'file'),
  create('Deno.stat*/writeTextFile*', ifAbsent('await Deno.stat*(name)', 'await Deno.writeTextFile*(name, data)'), 'file'),
  create('Deno.lstat*/writeTextFile*', ifAbsent('await Deno.lstat*(name)', 'await Deno.writeTextFile*(name, data)'), 'file'),
  create('Deno.lstat*/rename*', ifAbsent('await Deno.lstat*(name)', 'await Deno.rename*(source, name)'), 'file', 'file'),

  both('take', 'Deno.rename*/take-file', 'await Deno.rename*(name, mine)', 'moved', {source: 'file'}),
  both('take', 'Deno.rename*/take-full-dir', 'await Deno.rename*(name, mine)', 'moved', {source: 'full-dir'}),
  both('take', 'Deno.remove*', 'await Deno.remove*(name)', 'gone', {source: 'file'}),
  both('take', 'Deno.remove*/empty-dir', 'await Deno.remove*(name)', 'gone', {source: 'empty-dir'}),
  both('take', 'Deno.remove*/recursive', 'await Deno.remove*(name, {recursive: true})', 'gone', {source: 'full-dir'}),

  // lock() waits for as long as another holds the lock; only tryLock() can say no.
  both('held', 'Deno.open*/lock*', locks('await file.lock*(true); return file'), 'file', {needs: ['Deno.FsFile.prototype.lock*']}),
  both('held', 'Deno.open*/tryLock*', locks('if (await file.tryLock*(true)) return file; file.close(); return false'), 'file', {
    needs: ['Deno.FsFile.prototype.tryLock*']
  }),

  both('look', 'Deno.readTextFile*', 'await Deno.readTextFile*(name)', 'nothing'),
  both('look', 'Deno.readFile*', 'await Deno.readFile*(name)', 'nothing')
].flat(Infinity);
