// What every SDK's client must see, whichever it is. `call` is its way to call a tool.
import assert from 'node:assert/strict';
import { until } from '../bridge.mjs';

const EXEC = { computerId: 12, code: 'return 7' };

export async function checkClient(client, { call, computer, cancel }) {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), ['probe-computers', 'exec-lua', 'list-computers', 'start-lua', 'job-status', 'job-output', 'job-result', 'cancel-job', 'list-jobs']);

  const probed = await call('probe-computers', {});
  assert.equal(probed.content[0].text, 'pong from 12 (Label: base-turtle)');

  const ran = await call('exec-lua', EXEC);
  assert.deepEqual(ran.structuredContent.returns, [{ type: 'number', value: 7 }]);
  assert.equal(ran.content[0].text, JSON.stringify(ran.structuredContent));

  const failed = await call('exec-lua', { computerId: 12, code: 'error("boom")' });
  assert.equal(failed.isError, true);
  assert.equal(failed.structuredContent.error, 'mcp-exec:1: boom');

  const missing = await call('exec-lua', { computerId: 99, code: '' });
  assert.equal(missing.content[0].text, 'computer 99 is not connected (connected: 12)');

  const progress = [];
  const onprogress = (note) => (progress.push(note.message), computer.goOn());
  await call('exec-lua', { computerId: 12, code: 'print("hello") wait()' }, { onprogress });
  assert.deepEqual(progress, ['hello\n']);

  const { resources } = await client.listResources();
  assert.deepEqual(resources.map((resource) => resource.uri), ['computer://12']);
  const { contents } = await client.readResource({ uri: 'computer://12' });
  assert.equal(JSON.parse(contents[0].text).label, 'base-turtle');

  if (cancel) {
    const before = computer.cancelled.length;
    const controller = new AbortController();
    const call = cancel(controller.signal);
    setTimeout(() => controller.abort('enough'), 200);
    await assert.rejects(call);
    await until('the cancel at the computer', () => computer.cancelled.length > before);
  }
}
