// What the suite runs as a client: `craftos-harness mcp …` with the arguments of the scenario.
// Usage: node client-under-test.mjs PROGRAM URL; the suite names the scenario and the version in the environment.
import { spawnSync } from 'node:child_process';

const [program, url] = process.argv.slice(2);
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_PROTOCOL_VERSION: version } = process.env;
const COMMANDS = {
  initialize: ['tools'],
  tools_call: ['call', 'server__add_numbers', '{"a":5,"b":3}'],
  'http-invalid-tool-headers': ['call', 'server__valid_tool'],
  'sse-retry': ['call', 'server__test_reconnection'],
};
// A scenario that only looks at what a client sends needs no more than a list.
const command = COMMANDS[scenario] ?? ['tools', '--json'];
const protocol = version ? ['--protocol', version] : [];
const { status, error } = spawnSync(program, ['mcp', ...command, '--url', url, ...protocol], { stdio: 'inherit' });
if (error) console.error(error);
process.exit(status ?? 1);
