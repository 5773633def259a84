// The TypeScript SDK v2, in both eras.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import assert from 'node:assert/strict';
import { checkClient } from './checks.mjs';

async function connect(mcp, mode) {
  const client = new Client({ name: 'conformance', version: '0' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp)));
  return client;
}

async function run({ mcp, computer }, mode) {
  const client = await connect(mcp, mode);
  const call = (name, args, options) => client.callTool({ name, arguments: args }, options);
  const cancel = (signal) => client.callTool({ name: 'exec-lua', arguments: { computerId: 12, code: 'sleep' } }, { signal });
  await checkClient(client, { call, computer, cancel });
  await client.close();
}

export const handshake = (context) => run(context, 'legacy');
export const stateless = (context) => run(context, { pin: '2026-07-28' });

/** `auto` must find the newer era by itself. */
export async function auto({ mcp }) {
  const client = await connect(mcp, 'auto');
  assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
  await client.close();
}
