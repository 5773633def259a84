// A bridge on free ports with one linked computer; both end with this process.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PATIENCE_MS = 20_000;

/** Waits for a condition that a program outside brings about. */
export async function until(what, condition) {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
    const value = await condition();
    if (value) return value;
    await new Promise((done) => setTimeout(done, 10));
  }
  throw new Error(`${what}: not within ${PATIENCE_MS} ms`);
}

export const LINK_ENV = { CC_LINK_HOST: '127.0.0.1', CC_LINK_PORT: '0', MCP_PORT: '0', RUST_LOG: 'off' };

/** Starts a bridge and gives its addresses. */
export async function startBridge(program) {
  const directory = mkdtempSync(join(tmpdir(), 'bridge-'));
  const ready = join(directory, 'ready.json');
  const env = { ...process.env, ...LINK_ENV };
  const child = spawn(program, ['--ready-file', ready], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const stop = () => child.kill('SIGTERM');
  process.once('exit', stop);
  child.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  await until('the bridge', () => existsSync(ready));
  return { ...JSON.parse(readFileSync(ready, 'utf8')), stop };
}

/** Links a computer that answers pings, `return N`, and `print` with output while it runs. */
export async function linkComputer(url, id, label) {
  const socket = new WebSocket(url);
  const send = (frame) => socket.send(JSON.stringify(frame));
  const capabilities = ['exec-lua', 'cancel', 'output', 'parts'];
  const cancelled = [];
  let goOn = () => {};
  socket.addEventListener('open', () => {
    send({ type: 'hello', computerId: id, computerLabel: label, version: '0.2.0', capabilities });
  });
  socket.addEventListener('message', (event) => {
    const frame = JSON.parse(event.data);
    if (frame.type === 'cancel') cancelled.push(frame.id);
    if (frame.type !== 'request') return;
    const done = (result) => send({ type: 'response', id: frame.id, ok: true, result });
    if (frame.method === 'ping') return done(`pong from ${id} (Label: ${label})`);
    const { code } = frame.params;
    if (code === 'sleep') return;
    if (code.startsWith('error')) {
      return send({ type: 'response', id: frame.id, ok: false, error: 'mcp-exec:1: boom', output: '' });
    }
    if (code.startsWith('print')) {
      send({ type: 'output', id: frame.id, data: 'hello\n' });
      const end = () => done({ returns: [], output: 'hello\n' });
      // An SDK may forget who hears of progress when the answer is read in the same moment.
      return code.endsWith('wait()') ? (goOn = end) : end();
    }
    done({ returns: [{ type: 'number', value: Number(code.replace('return ', '')) }], output: '' });
  });
  await new Promise((linked, failed) => {
    socket.addEventListener('message', linked, { once: true });
    socket.addEventListener('error', failed, { once: true });
  });
  return { close: () => socket.close(), cancelled, goOn: () => goOn() };
}
