// Runs the suite's client scenarios against `craftos-harness mcp`, and lists what passed.
// Usage: node client.mjs PROGRAM
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [program] = process.argv.slice(2);
if (!program) {
  console.error('usage: node client.mjs PROGRAM');
  process.exit(2);
}
const require = createRequire(import.meta.url);
const LEGACY = ['initialize', 'tools_call', 'sse-retry'];
const RUNS = [
  { name: '0.1.16', package: 'conformance-stable', scenarios: LEGACY },
  { name: '0.2.0-alpha.12', package: 'conformance-alpha', version: '2025-11-25', scenarios: LEGACY },
  {
    name: '0.2.0-alpha.12',
    package: 'conformance-alpha',
    version: '2026-07-28',
    scenarios: ['tools_call', 'request-metadata', 'http-standard-headers', 'http-invalid-tool-headers', 'json-schema-ref-no-deref'],
  },
];

/** Runs a program to its end, with its output. */
function run(args) {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
    child.on('close', (code) => done({ code, output }));
  });
}

const quote = (path) => `'${path}'`;
let failed = 0;
for (const { name, package: package_, version, scenarios } of RUNS) {
  const entry = join(dirname(require.resolve(`${package_}/package.json`)), 'dist', 'index.js');
  for (const scenario of scenarios) {
    const results = mkdtempSync(join(tmpdir(), 'conformance-'));
    const command = [process.execPath, join(here, 'client-under-test.mjs'), program].map(quote).join(' ');
    const filter = version ? ['--spec-version', version] : [];
    const { code, output } = await run([entry, 'client', '--command', command, '--scenario', scenario, '-o', results, ...filter]);
    const file = readdirSync(results, { recursive: true }).find((path) => path.endsWith('checks.json'));
    const checks = file ? JSON.parse(readFileSync(join(results, file), 'utf8')) : [];
    const wrong = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    // A scenario that checked nothing has shown nothing.
    const passed = code === 0 && wrong.length === 0 && checks.some(({ status }) => status === 'SUCCESS');
    if (!passed) failed += 1;
    const group = `client, suite ${name}${version ? ` at ${version}` : ''}`;
    console.log(`${passed ? '✓' : '✗'} ${group.padEnd(44)} ${scenario}`);
    if (!passed) console.log(wrong.map(({ id, errorMessage }) => `    ${id}: ${errorMessage}`).join('\n') || output.slice(-800));
    rmSync(results, { recursive: true, force: true });
  }
}
console.log(failed ? `${failed} failed` : 'all passed');
process.exit(failed ? 1 : 0);
