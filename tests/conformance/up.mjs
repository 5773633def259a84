// A bridge with a linked computer, through `craftos-harness up`, for the tools that are written in Lua; it ends with this
// process.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './bridge.mjs';

/** Boots a computer that is linked to a bridge with the tools of a folder, and gives the address for MCP clients. */
export async function bootUp(harness, project, tools) {
  const folder = mkdtempSync(join(tmpdir(), 'up-'));
  const ports = ['--mcp-port', '0', '--link-port', '0'];
  const args = ['up', '1', ...ports, '--tools', tools, '--program', join(project, 'lua')];
  // In a folder of its own: `up` leaves its address there, for other commands.
  const child = spawn(harness, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  const ended = new Promise((done) => child.once('close', done));
  // An interrupt, as Ctrl-C is: it turns its computer off by itself.
  const interrupt = () => child.kill('SIGINT');
  process.once('exit', interrupt);
  await until('`craftos-harness up`', () => {
    if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}:\n${output}`);
    return /^linked /m.test(output);
  });
  const stop = async () => {
    interrupt();
    await ended;
    process.off('exit', interrupt);
    rmSync(folder, { recursive: true, force: true });
  };
  return { mcp: output.match(/^MCP +(\S+)/m)[1], stop };
}
