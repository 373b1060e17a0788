'use strict';
/*
 * The claims of `node:fs`, the same for Node, Bun and Deno; ./talk.cjs says what an entry is. Most functions come in three forms
 * (sync, callback, promise), and many in several variants, so families are made from templates; what comes out is the code that
 * runs and the code that is shown.
 *
 * Left out is what cannot take a name of the caller's choice: mkdtemp and its kin choose their own, truncate, utimes and watch want
 * the name to be there.
 */
const claims = [];

/** One claim; a create-claim that makes a file unless `more` says otherwise. */
function claim(call, variant, code, more) {
  claims.push(Object.assign({id: variant ? `${call}/${variant}` : call, kind: 'create', code: code, makes: 'file'}, more));
}

/** One function of fs in its three forms, each with code of its own. */
function three(call, variant, sync, callback, promise, more) {
  claim(`fs.${call}Sync`, variant, sync, more);
  claim(`fs.${call}`, variant, callback, more);
  claim(`fs.promises.${call}`, variant, promise, more);
}

/** One function of fs in its three forms, called with the same arguments. */
function forms(call, variant, args, more) {
  three(
    call,
    variant,
    `fs.${call}Sync(${args})`,
    `fs.${call}(${args}, done)`,
    `await fs.promises.${call}(${args})`,
    more
  );
}

// ---- Files

/** Opens, writes and closes; `before` names the constants that `flag` is made of. */
function opens(variant, before, flag, more) {
  three(
    'open',
    variant,
    `${before}const fd = fs.openSync(name, ${flag}); try { fs.writeSync(fd, data) } finally { fs.closeSync(fd) }`,
    `${before}fs.open(name, ${flag}, (err, fd) => err ? done(err) : fs.write(fd, data, (err) => fs.close(fd, () => done(err))))`,
    `${before}const file = await fs.promises.open(name, ${flag}); try { await file.write(data) } finally { await file.close() }`,
    more
  );
}

/** Opens and closes, where the access mode lets nothing be written. */
function opensToRead(variant, before, flag, more) {
  three(
    'open',
    variant,
    `${before}const fd = fs.openSync(name, ${flag}); fs.closeSync(fd)`,
    `${before}fs.open(name, ${flag}, (err, fd) => err ? done(err) : fs.close(fd, done))`,
    `${before}const file = await fs.promises.open(name, ${flag}); await file.close()`,
    more
  );
}

function streams(variant, before, options, more) {
  const code = `${before}fs.createWriteStream(name${options}).on('error', done).on('finish', () => done()).end(data)`;
  claim('fs.createWriteStream', variant, code, more);
}

// No flag, then flags in letters: xw and xa are other spellings of wx and ax, which other runtimes had to imitate.

forms('writeFile', '', 'name, data');
forms('appendFile', '', 'name, data');
streams('', '', '');

['w', 'wx', 'xw', 'w+', 'wx+', 'a', 'ax', 'xa', 'a+', 'ax+', 'as', 'r+', 'rs+'].forEach((flag) => {
  forms('writeFile', flag, `name, data, {flag: '${flag}'}`);
  forms('appendFile', flag, `name, data, {flag: '${flag}'}`);
  opens(flag, '', `'${flag}'`);
  streams(flag, '', `, {flags: '${flag}'}`);
});

claims.find((entry) => entry.id === 'fs.writeFileSync/w').role = 'overwrites';

// A lock without write permission, the trick from before O_EXCL: it stops everybody but root.
forms('writeFile', 'mode=0o444', 'name, data, {mode: 0o444}');
forms('writeFile', 'wx+mode=0o444', "name, data, {flag: 'wx', mode: 0o444}");
forms('writeFile', 'wx+flush', "name, data, {flag: 'wx', flush: true}", {needs: ['node(21, 0) || node(20, 10) && !node(21, 0)']});

/** Calls `make` for flags in numbers with what the functions above want to know of them. */
function numeric(flags, make) {
  make(flags.join('+'), `const {${flags.join(', ')}} = fs.constants; `, flags.join(' | '), {
    needs: flags.map((flag) => `fs.constants.${flag}`)
  });
}

[['O_CREAT', 'O_EXCL'], ['O_CREAT'], ['O_EXCL']].forEach((flags) => numeric(flags, opensToRead));
[
  ['O_WRONLY', 'O_CREAT', 'O_EXCL'],
  ['O_RDWR', 'O_CREAT', 'O_EXCL'],
  ['O_WRONLY', 'O_CREAT', 'O_EXCL', 'O_TRUNC'],
  ['O_WRONLY', 'O_CREAT', 'O_EXCL', 'O_APPEND'],
  ['O_WRONLY', 'O_CREAT'],
  ['O_WRONLY', 'O_CREAT', 'O_TRUNC'],
  ['O_WRONLY', 'O_EXCL'],
  ['O_RDWR', 'O_EXCL']
].forEach((flags) => numeric(flags, opens));

numeric(['O_WRONLY', 'O_CREAT', 'O_EXCL'], (variant, before, flag, more) => {
  three(
    'writeFile',
    variant,
    `${before}fs.writeFileSync(name, data, {flag: ${flag}})`,
    `${before}fs.writeFile(name, data, {flag: ${flag}}, done)`,
    `${before}await fs.promises.writeFile(name, data, {flag: ${flag}})`,
    more
  );
  streams(variant, before, `, {flags: ${flag}}`, more);
});

// ---- Directories

forms('mkdir', '', 'name', {makes: 'empty-dir'});
forms('mkdir', 'recursive', 'name, {recursive: true}', {makes: 'empty-dir', needs: ['node(10, 12)']});

// A recursive mkdir does not mind a directory that is there, but since Node 13.11 and 12.17 it returns the first one that it made.
three(
  'mkdir',
  'recursive+returned-path',
  'return fs.mkdirSync(name, {recursive: true}) !== undefined',
  'fs.mkdir(name, {recursive: true}, (err, made) => done(err, made !== undefined))',
  'return (await fs.promises.mkdir(name, {recursive: true})) !== undefined',
  {makes: 'empty-dir', needs: ['node(13, 11) || node(12, 17) && !node(13, 0)']}
);

// ---- Moves and links

['file', 'empty-dir', 'full-dir', 'link'].forEach((source) => {
  forms('rename', source, 'source, name', {makes: source, source: source});
});
forms('link', '', 'source, name', {source: 'file', via: 'hard-link'});
forms('symlink', '', 'source, name', {makes: 'link', source: 'file'});
forms('symlink', 'file', "source, name, 'file'", {makes: 'link', source: 'file'});
forms('symlink', 'dir', "source, name, 'dir'", {makes: 'link', source: 'empty-dir'});
forms('symlink', 'junction', "source, name, 'junction'", {makes: 'link', source: 'empty-dir'});
// The owner's mark as the target, as Emacs and Firefox lock.
forms('symlink', 'dangling', 'data.trim(), name', {makes: 'link'});

// ---- Copies

forms('copyFile', '', 'source, name', {source: 'file'});
[['COPYFILE_EXCL'], ['COPYFILE_FICLONE'], ['COPYFILE_EXCL', 'COPYFILE_FICLONE']].forEach((modes) => {
  const constants = modes.map((mode) => `fs.constants.${mode}`);
  forms('copyFile', modes.join('+'), `source, name, ${constants.join(' | ')}`, {source: 'file', needs: constants});
});

const CP_SOURCES = [
  {source: 'file', variant: [], option: []},
  {source: 'full-dir', variant: ['dir'], option: ['recursive: true']},
  {source: 'link', variant: ['link'], option: []}
];
const CP_OPTIONS = {
  'force=false': 'force: false',
  errorOnExist: 'errorOnExist: true',
  COPYFILE_EXCL: 'mode: fs.constants.COPYFILE_EXCL',
  dereference: 'dereference: true',
  'filter=absent': 'filter: (from, to) => !fs.existsSync(to)'
};

/** Every subset of a list, each in the list's order. */
function subsets(list) {
  return list.reduce((sets, item) => sets.concat(sets.map((set) => set.concat([item]))), [[]]);
}

CP_SOURCES.forEach((from) => {
  subsets(Object.keys(CP_OPTIONS)).forEach((chosen) => {
    const options = from.option.concat(chosen.map((key) => CP_OPTIONS[key]));
    const args = options.length ? `source, name, {${options.join(', ')}}` : 'source, name';
    const variant = from.variant.concat(chosen).join('+');
    const more = {
      makes: from.source === 'link' && chosen.includes('dereference') ? 'file' : from.source,
      source: from.source,
      needs: chosen.includes('COPYFILE_EXCL') ? ['node(20, 1) || node(18, 17) && !node(19, 0)'] : []
    };
    claim('fs.cpSync', variant, `fs.cpSync(${args})`, more);
    claim('fs.promises.cp', variant, `await fs.promises.cp(${args})`, more);
    // The callback form hands everything to the promise form, so it need not be seen with every option.
    if (!/dereference|filter/.test(variant)) claim('fs.cp', variant, `fs.cp(${args}, done)`, more);
  });
});

// ---- Look first, then make the name

claim('fs.existsSync', 'writeFileSync', 'if (fs.existsSync(name)) return false; fs.writeFileSync(name, data)', {role: 'check-then-act'});
claim('fs.existsSync', 'writeFileSync+wx', "if (fs.existsSync(name)) return false; fs.writeFileSync(name, data, {flag: 'wx'})");
claim('fs.existsSync', 'appendFileSync', 'if (fs.existsSync(name)) return false; fs.appendFileSync(name, data)');
claim('fs.existsSync', 'copyFileSync', 'if (fs.existsSync(name)) return false; fs.copyFileSync(source, name)', {source: 'file'});
claim('fs.existsSync', 'mkdirSync', 'if (fs.existsSync(name)) return false; fs.mkdirSync(name)', {makes: 'empty-dir'});
claim('fs.existsSync', 'mkdirSync+recursive', 'if (fs.existsSync(name)) return false; fs.mkdirSync(name, {recursive: true})', {
  makes: 'empty-dir',
  needs: ['node(10, 12)']
});
['file', 'empty-dir', 'full-dir'].forEach((source) => {
  claim('fs.existsSync', `renameSync+${source}`, 'if (fs.existsSync(name)) return false; fs.renameSync(source, name)', {
    makes: source,
    source: source
  });
});
claim(
  'fs.existsSync',
  'createWriteStream',
  'if (fs.existsSync(name)) done(null, false);' +
    " else fs.createWriteStream(name).on('error', done).on('finish', () => done()).end(data)"
);
claim('fs.exists', 'writeFile', 'fs.exists(name, (there) => there ? done(null, false) : fs.writeFile(name, data, done))');

['access', 'stat', 'lstat'].forEach((check) => {
  claim(
    `fs.${check}Sync`,
    'writeFileSync',
    `try { fs.${check}Sync(name) } catch (err) { return fs.writeFileSync(name, data) } return false`
  );
  claim(
    `fs.${check}`,
    'writeFile',
    `fs.${check}(name, (err) => err ? fs.writeFile(name, data, done) : done(null, false))`
  );
  claim(
    `fs.promises.${check}`,
    'writeFile',
    `try { await fs.promises.${check}(name) } catch (err) { return fs.promises.writeFile(name, data) } return false`
  );
});

claim(
  'fs.readFileSync',
  'writeFileSync',
  'try { fs.readFileSync(name) } catch (err) { return fs.writeFileSync(name, data) } return false'
);

// ---- Write first, then look who was last

claim('fs.writeFileSync', 'readFileSync', "fs.writeFileSync(name, data); return fs.readFileSync(name, 'utf8') === data");

// ---- Make it ready in a place of one's own, then put it on the name

claim(
  'fs.writeFileSync',
  'renameSync',
  'fs.writeFileSync(mine, data); try { fs.renameSync(mine, name) } catch (err) { fs.unlinkSync(mine); throw err }'
);
claim(
  'fs.promises.writeFile',
  'rename',
  'await fs.promises.writeFile(mine, data);' +
    ' try { await fs.promises.rename(mine, name) } catch (err) { await fs.promises.unlink(mine); throw err }'
);
claim('fs.writeFileSync', 'linkSync', 'fs.writeFileSync(mine, data); try { fs.linkSync(mine, name) } finally { fs.unlinkSync(mine) }', {
  via: 'hard-link'
});
claim(
  'fs.promises.writeFile',
  'link',
  'await fs.promises.writeFile(mine, data);' +
    ' try { await fs.promises.link(mine, name) } finally { await fs.promises.unlink(mine) }',
  {via: 'hard-link'}
);
// What open(2) advises for NFS: believe the link count and not the answer of link.
claim(
  'fs.linkSync',
  'statSync+nlink',
  'fs.writeFileSync(mine, data); try { fs.linkSync(mine, name) } catch (err) {}' +
    ' const links = fs.statSync(mine).nlink; fs.unlinkSync(mine); return links === 2',
  {via: 'hard-link'}
);

// ---- Take what is there, so that one of several gets it

function take(call, variant, args, thing, more) {
  forms(call, variant, args, Object.assign({kind: 'take', makes: 'gone', source: thing}, more));
}

['file', 'empty-dir', 'full-dir'].forEach((thing) => take('rename', `take-${thing}`, 'name, mine', thing, {makes: 'moved'}));
take('unlink', '', 'name', 'file');
take('rm', '', 'name', 'file');
take('rm', 'force', 'name, {force: true}', 'file');
take('rm', 'recursive', 'name, {recursive: true}', 'full-dir');
take('rm', 'recursive+force', 'name, {recursive: true, force: true}', 'full-dir');
take('rmdir', '', 'name', 'empty-dir');
take('rmdir', 'recursive', 'name, {recursive: true}', 'full-dir', {needs: ['node(12, 10) && !node(25, 0)']});

const TAKES_FILE = {kind: 'take', makes: 'gone', source: 'file'};
const MOVES_FILE = {kind: 'take', makes: 'moved', source: 'file'};
claim('fs.linkSync', 'unlinkSync', 'fs.linkSync(name, mine); fs.unlinkSync(name)', Object.assign({via: 'hard-link'}, MOVES_FILE));
claim('fs.copyFileSync', 'unlinkSync', 'fs.copyFileSync(name, mine); fs.unlinkSync(name)', MOVES_FILE);
claim('fs.readFileSync', 'unlinkSync', 'fs.readFileSync(name); fs.unlinkSync(name)', TAKES_FILE);
claim('fs.existsSync', 'rmSync+force', 'if (!fs.existsSync(name)) return false; fs.rmSync(name, {force: true})', {
  kind: 'take',
  makes: 'gone',
  source: 'file',
  needs: ['fs.rmSync']
});

// ---- Look only

forms('readFile', '', 'name', {kind: 'look', makes: 'nothing'});

module.exports = claims;
