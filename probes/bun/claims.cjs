'use strict';
/*
 * Bun's own ways to make, take and read a name. See ../node/talk.cjs for what an entry says.
 *
 * None of them is documented as exclusive (Bun's own advice is node:fs); they are here because people write them all the same.
 */

/** What a caller can test: `code`, as in node:fs. A ShellError has only its exit status, which does not tell why. */
function refusal(error) {
  if (typeof error.exitCode === 'number') return {error: 'exit ' + error.exitCode};
  return {error: String(error.code || error.name), exists: error.code === 'EEXIST'};
}

function claim(kind, id, code, makes, more) {
  return Object.assign({id: id, kind: kind, code: code, makes: makes, refusal: refusal}, more);
}

/** `Bun.write` to the name, of a `what` given as source text. */
function write(variant, what, more) {
  return claim('create', 'Bun.write/' + variant, 'await Bun.write(name, ' + what + ')', 'file', more);
}

/** A method of the lazy file that `Bun.file` returns; making such a file object touches nothing. */
function method(kind, call, code, makes, more) {
  const needed = /\w+/.exec(call)[0];
  return claim(kind, 'Bun.file().' + call, code, makes, Object.assign({needs: ["Bun.file('x')." + needed]}, more));
}

/** A command of Bun's shell, for a caller who relies on a failed command being thrown; Bun before 1.1 threw nothing. */
function thrown(kind, variant, command, makes, more) {
  return claim(kind, 'Bun.$/' + variant, 'await Bun.$`' + command + '`', makes, more);
}

/** The same for a caller who looks at the exit status instead. */
function status(kind, variant, command, makes, more) {
  return claim(kind, 'Bun.$/' + variant + '+exitCode', 'return (await Bun.$`' + command + '`.nothrow()).exitCode === 0', makes, more);
}

function both(kind, variant, command, makes, more) {
  return [thrown(kind, variant, command, makes, more), status(kind, variant, command, makes, more)];
}

// mkdir, mv, rm, touch and echo are built into Bun's shell. ln is the system's program everywhere, cp is so except on Windows.
const FILE = {source: 'file'};
const LN = {source: 'file', needs: ["Bun.which('ln') !== null"]};
const CP = {source: 'file', needs: ["process.platform === 'win32' || Bun.which('cp') !== null"]};

module.exports = [].concat(
  claim('create', 'Bun.write', 'await Bun.write(name, data)', 'file'),
  write('Uint8Array', 'new TextEncoder().encode(data)'),
  write('Blob', 'new Blob([data])'),
  write('Response', 'new Response(data)'),
  write('Bun.file', 'Bun.file(source)', FILE),
  write('createPath=false', 'data, {createPath: false}'),
  write('mode=0o444', 'data, {mode: 0o444}'),
  claim('create', 'Bun.write/to-Bun.file', 'await Bun.write(Bun.file(name), data)', 'file'),
  method('create', 'write', 'await Bun.file(name).write(data)', 'file'),
  method('create', 'writer', 'const writer = Bun.file(name).writer(); writer.write(data); await writer.end()', 'file'),
  method('create', 'exists/Bun.write', 'if (await Bun.file(name).exists()) return false; await Bun.write(name, data)', 'file'),

  both('create', 'mkdir', 'mkdir ${name}', 'empty-dir'),
  both('create', 'mkdir -p', 'mkdir -p ${name}', 'empty-dir'),
  thrown('create', 'mv+file', 'mv ${source} ${name}', 'file', FILE),
  thrown('create', 'mv+empty-dir', 'mv ${source} ${name}', 'empty-dir', {source: 'empty-dir'}),
  thrown('create', 'mv+full-dir', 'mv ${source} ${name}', 'full-dir', {source: 'full-dir'}),
  both('create', 'mv -n', 'mv -n ${source} ${name}', 'file', FILE),
  claim('create', 'Bun.$/mv -n+existsSync', 'await Bun.$`mv -n ${source} ${name}`; return !fs.existsSync(source)', 'file', FILE),
  // No version so far asks. One that does must find an end of input, not the requests that standard input carries.
  thrown('create', 'mv -i', 'mv -i ${source} ${name} < /dev/null', 'file', FILE),
  thrown('create', 'cp', 'cp ${source} ${name}', 'file', CP),
  both('create', 'cp -n', 'cp -n ${source} ${name}', 'file', CP),
  both('create', 'ln', 'ln ${source} ${name}', 'file', Object.assign({via: 'hard-link'}, LN)),
  both('create', 'ln -s', 'ln -s ${source} ${name}', 'link', LN),
  thrown('create', 'touch', 'touch ${name}', 'file'),
  both('create', '>', 'echo ${data} > ${name}', 'file'),
  thrown('create', '>>', 'echo ${data} >> ${name}', 'file'),
  // There is no noclobber: `set` is not a command of this shell, and the line goes on without it.
  thrown('create', 'set -C', 'set -C; echo ${data} > ${name}', 'file'),
  both('create', '[ ! -e ] && >', '[ ! -e ${name} ] && echo ${data} > ${name}', 'file'),

  method('take', 'unlink', 'await Bun.file(name).unlink()', 'gone', FILE),
  method('take', 'delete', 'await Bun.file(name).delete()', 'gone', FILE),
  both('take', 'mv+take-file', 'mv ${name} ${mine}', 'moved', FILE),
  both('take', 'mv+take-full-dir', 'mv ${name} ${mine}', 'moved', {source: 'full-dir'}),
  both('take', 'rm', 'rm ${name}', 'gone', FILE),
  thrown('take', 'rm -f', 'rm -f ${name}', 'gone', FILE),
  both('take', 'rm -r', 'rm -r ${name}', 'gone', {source: 'full-dir'}),
  thrown('take', 'rm -rf', 'rm -rf ${name}', 'gone', {source: 'full-dir'}),

  method('look', 'text', 'await Bun.file(name).text()', 'nothing'),
  method('look', 'bytes', 'await Bun.file(name).bytes()', 'nothing')
);
