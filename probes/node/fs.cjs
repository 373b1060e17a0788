'use strict';
module.exports = [
  {id: 'fs.writeFileSync/w', kind: 'create', code: "fs.writeFileSync(name, data, {flag: 'w'})", makes: 'file', role: 'overwrites'},
  {id: 'fs.promises.mkdir', kind: 'create', code: 'await fs.promises.mkdir(name)', makes: 'empty-dir'},
  {id: 'fs.mkdir', kind: 'create', code: 'fs.mkdir(name, done)', makes: 'empty-dir'}
];
