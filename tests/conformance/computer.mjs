// An emulated computer that runs `mcp-computer`, for the tools that are written in Lua; it ends with this process.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './bridge.mjs';

const SETTINGS = 'motd.enable=false,bios.use_multishell=false';

/** How many computers are linked. */
async function linked(bridge) {
  const health = await fetch(bridge.mcp.replace(/mcp$/, 'health'));
  return (await health.json()).computers;
}

/** Boots a computer on an emulator, with the program of the project, and waits until it is linked. */
export async function bootComputer(emulator, project, bridge, id) {
  const folder = mkdtempSync(join(tmpdir(), 'computer-'));
  const disk = join(folder, 'computer', String(id));
  mkdirSync(disk, { recursive: true });
  mkdirSync(join(folder, 'config'));
  for (const part of ['apis', 'programs']) cpSync(join(project, 'lua', part), join(disk, part), { recursive: true });
  const config = { lastVersion: 'v2.8.3', default_computer_settings: SETTINGS };
  writeFileSync(join(folder, 'config', 'global.json'), JSON.stringify(config));
  // An error here would leave the computer waiting at its prompt.
  const startup = `pcall(shell.run, "/programs/mcp-computer.lua", "${bridge.link}")\nos.shutdown(2)\n`;
  writeFileSync(join(disk, 'startup.lua'), startup);

  const before = await linked(bridge);
  const env = { ...process.env, SDL_AUDIODRIVER: 'dummy', SDL_NO_SIGNAL_HANDLERS: '1' };
  const child = spawn(emulator, ['--headless', '-d', folder, '-i', String(id)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output = (output + data).slice(-4000)));
  const ended = new Promise((done) => child.once('close', done));
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  await until(`computer ${id} on ${emulator}`, async () => {
    if (child.exitCode !== null) throw new Error(`the emulator ended with code ${child.exitCode}:\n${output}`);
    return (await linked(bridge)) > before;
  });
  const stop = async () => {
    kill();
    await ended;
    process.off('exit', kill);
    rmSync(folder, { recursive: true, force: true });
  };
  return { stop };
}
