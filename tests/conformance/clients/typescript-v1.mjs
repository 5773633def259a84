// The TypeScript SDK v1 (the client that most hosts are built on): HTTP and stdio.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { linkComputer, until } from '../bridge.mjs';
import { checkClient } from './checks.mjs';

export async function http({ mcp, link, computer }) {
  const client = new Client({ name: 'conformance', version: '0' });
  let changes = 0;
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void (changes += 1));
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp)));
  const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);
  const cancel = (signal) => client.callTool({ name: 'exec-lua', arguments: { computerId: 12, code: 'sleep' } }, undefined, { signal });
  await checkClient(client, { call, computer, cancel });
  const other = await linkComputer(link, 13, 'other');
  await until('list-changed', () => changes > 0);
  other.close();
  await client.close();
}

export async function stdio({ program, environment, afterStart }) {
  const client = new Client({ name: 'conformance', version: '0' });
  const transport = new StdioClientTransport({ command: program, args: ['--stdio', '--ready-file', environment.ready], env: environment.env, stderr: 'ignore' });
  await client.connect(transport);
  const computer = await afterStart();
  const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);
  await checkClient(client, { call, computer });
  await client.close();
}
