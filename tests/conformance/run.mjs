// Runs the conformance suite and the real clients against a bridge, and lists what passed.
// Usage: node run.mjs PROGRAM PYTHON HARNESS PROJECT
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LINK_ENV, linkComputer, startBridge, until } from './bridge.mjs';
import { bootUp } from './up.mjs';
import * as v1 from './clients/typescript-v1.mjs';
import * as v2 from './clients/typescript-v2.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const [program, python, harness, project] = process.argv.slice(2);
if (!project) {
  console.error('usage: node run.mjs PROGRAM PYTHON HARNESS PROJECT');
  process.exit(2);
}
const fixtures = JSON.parse(readFileSync(join(here, 'fixtures.json'), 'utf8'));
const require = createRequire(import.meta.url);
const SUITES = [
  { name: '0.1.16', package: 'conformance-stable', versions: [null] },
  { name: '0.2.0-alpha.12', package: 'conformance-alpha', versions: ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] },
];
// Scenarios of the Tasks extension, which belong to no version of the protocol and run by their names. Left out is
// `tasks-status-notifications`, which the suite itself skips.
const TASKS = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-request-headers',
  'tasks-required-task-error',
  'tasks-mrtr-input',
  'tasks-mrtr-composition',
  'tasks-dispatch-and-envelope',
];
const rows = [];
const report = (group, name, state, note = '') => {
  rows.push({ group, name, state, note });
  const mark = { passed: '✓', failed: '✗', fixture: '–' }[state];
  console.log(`${mark} ${group.padEnd(32)} ${name}${note ? `: ${note}` : ''}`);
};

/** Runs a program to its end, with its output. */
function run(command, args, options = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), 240_000);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
    child.on('close', (code) => (clearTimeout(timer), done({ code, output })));
  });
}

async function suite({ name, package: package_, versions }, mcp) {
  const entry = join(dirname(require.resolve(`${package_}/package.json`)), 'dist', 'index.js');
  for (const version of versions) {
    const results = mkdtempSync(join(tmpdir(), 'conformance-'));
    const group = `suite ${name}${version ? ` at ${version}` : ''}`;
    const filter = version ? ['--spec-version', version] : [];
    const { output } = await run(process.execPath, [entry, 'server', '--url', mcp, '--suite', 'all', '-o', results, ...filter]);
    const scenarios = readScenarios(results);
    if (scenarios.length === 0) report(group, 'no scenario ran', 'failed', output.slice(-400));
    for (const { scenario, checks } of scenarios) judge(group, scenario, checks);
    rmSync(results, { recursive: true, force: true });
  }
}

/** Runs the scenarios of the Tasks extension, one by one. */
async function tasks(mcp) {
  const entry = join(dirname(require.resolve('conformance-alpha/package.json')), 'dist', 'index.js');
  for (const scenario of TASKS) {
    const results = mkdtempSync(join(tmpdir(), 'conformance-'));
    const { output } = await run(process.execPath, [entry, 'server', '--url', mcp, '--scenario', scenario, '-o', results]);
    const scenarios = readScenarios(results);
    if (scenarios.length === 0) report('suite, Tasks extension', scenario, 'failed', output.slice(-400));
    for (const { checks } of scenarios) judge('suite, Tasks extension', scenario, checks);
    rmSync(results, { recursive: true, force: true });
  }
}

/** Each scenario leaves a folder with its checks. */
function readScenarios(results) {
  return readdirSync(results, { recursive: true })
    .filter((path) => path.endsWith('checks.json'))
    .map((path) => ({
      scenario: dirname(path).replace(/^server-(?=.*-\d{4}-)/, '').replace(/-\d{4}-\d{2}-\d{2}T.*$/, ''),
      checks: JSON.parse(readFileSync(join(results, path), 'utf8')),
    }))
    .sort((a, b) => a.scenario.localeCompare(b.scenario));
}

function judge(group, scenario, checks) {
  const failed = checks.filter((check) => check.status === 'FAILURE' && !(check.id in fixtures.checks));
  const right = failed.length === 0 && checks.some((check) => check.status === 'SUCCESS');
  const known = fixtures.scenarios[scenario];
  if (known && right) return report(group, scenario, 'failed', 'passes: take it off fixtures.json');
  if (known) return report(group, scenario, 'fixture', `needs ${known}`);
  if (!right) {
    const why = failed.map((check) => `${check.id}: ${check.errorMessage}`).join('; ');
    return report(group, scenario, 'failed', why || 'nothing in it was checked');
  }
  const needs = checks.filter((check) => check.status === 'FAILURE').length;
  report(group, scenario, 'passed', needs ? `${needs} of its checks need fixture tools` : '');
}

async function client(name, check) {
  try {
    await check();
    report('client', name, 'passed');
  } catch (error) {
    report('client', name, 'failed', String(error.stack ?? error).slice(0, 800));
  }
}

async function inspector(args, expected) {
  const bin = join(dirname(require.resolve('@modelcontextprotocol/inspector/package.json')), '..', '..', '.bin', 'mcp-inspector');
  const home = mkdtempSync(join(tmpdir(), 'inspector-'));
  const { code, output } = await run(process.execPath, [bin, '--cli', ...args], { env: { ...process.env, HOME: home } });
  rmSync(home, { recursive: true, force: true });
  if (code !== 0 || !output.includes(expected)) throw new Error(`exit ${code}: ${output.slice(-600)}`);
}

/** The environment of a bridge that a client starts on stdio, and the computer that links to it. */
function stdioBridge() {
  const directory = mkdtempSync(join(tmpdir(), 'stdio-'));
  const ready = join(directory, 'ready.json');
  const afterStart = async () => {
    await until('the ready file', () => existsSync(ready));
    return linkComputer(JSON.parse(readFileSync(ready, 'utf8')).link, 12, 'base-turtle');
  };
  return { program, environment: { ready, env: { ...process.env, ...LINK_ENV } }, afterStart, directory };
}

const bridge = await startBridge(program);
const computer = await linkComputer(bridge.link, 12, 'base-turtle');
const context = { mcp: bridge.mcp, link: bridge.link, computer };

await client('MCP Inspector, tools/list over HTTP', () => inspector([bridge.mcp, '--transport', 'http', '--method', 'tools/list'], '"exec-lua"'));
await client('MCP Inspector, probe-computers over HTTP', () =>
  inspector([bridge.mcp, '--transport', 'http', '--method', 'tools/call', '--tool-name', 'probe-computers'], 'pong from 12 (Label: base-turtle)'));
await client('MCP Inspector, exec-lua over HTTP', () =>
  inspector([bridge.mcp, '--transport', 'http', '--method', 'tools/call', '--tool-name', 'exec-lua', '--tool-arg', 'computerId=12', 'code=return 7'], '\\"value\\":7'));
await client('MCP Inspector, tools/list over stdio', () =>
  inspector([program, '--stdio', '-e', 'CC_LINK_PORT=0', '-e', 'CC_LINK_HOST=127.0.0.1', '--method', 'tools/list'], '"probe-computers"'));
await client('TypeScript SDK v1, HTTP', () => v1.http(context));
const stdio = stdioBridge();
await client('TypeScript SDK v1, stdio', () => v1.stdio(stdio));
rmSync(stdio.directory, { recursive: true, force: true });
await client('TypeScript SDK v2, handshake era', () => v2.handshake(context));
await client('TypeScript SDK v2, stateless era', () => v2.stateless(context));
await client('TypeScript SDK v2, finds the newer era', () => v2.auto(context));
await client('Python SDK, both eras', async () => {
  const { code, output } = await run(python, [join(here, 'clients', 'python_sdk.py'), bridge.mcp]);
  if (code !== 0) throw new Error(output.slice(-800));
});
computer.close();
bridge.stop();

// The suite's fixture tools are written in Lua, and run on an emulated computer.
const up = await bootUp(harness, project, join(project, 'craftos-fixtures', 'conformance'));
for (const each of SUITES) await suite(each, up.mcp);
await tasks(up.mcp);
await up.stop();

const count = (state) => rows.filter((row) => row.state === state).length;
console.log(`\n${count('fixture')} need fixtures of the suite's own test server (fixtures.json says which)`);
console.log(`${count('passed')} passed, ${count('failed')} failed, ${count('fixture')} skipped`);
process.exit(count('failed') > 0 ? 1 : 0);
