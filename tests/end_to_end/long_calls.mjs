// Calls that take their time, with the official client and server-everything behind the gateway, in
// passthrough and in a federation of two: progress, cancellation, tasks in both directions, a
// question within a task, connections that break in mid-call, lists in pages, changed lists.
import assert from 'node:assert/strict';
import { startCutter } from '../../simulations/peers/cutter.mjs';
import { Gate } from '../../simulations/peers/gate.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { requirePackages, startEverything } from './support/everything.mjs';
import { codeOf, textOf, transportTo } from './support/sdk.mjs';
import { gateBinary, suite } from './support/suite.mjs';

requirePackages();
const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
const { InMemoryTaskStore } = await import('@modelcontextprotocol/sdk/experimental/tasks');
const types = await import('@modelcontextprotocol/sdk/types.js');

const binary = gateBinary();

/** A client that can be asked, also for tasks of its own, and counts what it hears. */
async function connect(url) {
  const taskStore = new InMemoryTaskStore();
  const client = new Client({ name: 'gate-long-calls', version: '1' }, {
    taskStore,
    capabilities: {
      sampling: {},
      elicitation: {},
      tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
    },
  });
  const log = { elicited: [], changed: 0 };
  client.setRequestHandler(types.CreateMessageRequestSchema, async ({ params }, extra) => {
    const answer = { role: 'assistant', model: 'test', content: { type: 'text', text: 'from a task' } };
    if (!params.task) return answer;
    const task = await taskStore.createTask({ ttl: params.task.ttl }, extra.requestId, extra.request);
    await taskStore.storeTaskResult(task.taskId, 'completed', answer);
    return { task };
  });
  client.setRequestHandler(types.ElicitRequestSchema, ({ params }) => {
    log.elicited.push(params.message);
    return { action: 'accept', content: { interpretation: 'snake' } };
  });
  client.setNotificationHandler(types.ResourceListChangedNotificationSchema, () => { log.changed += 1; });
  const { transport, statuses } = transportTo(url);
  await client.connect(transport);
  await until(() => statuses.some((s) => s.method === 'GET' && s.status === 200), 'the client\'s stream');
  return { client, transport, log, statuses };
}

/** All messages of a call that becomes a task. */
async function messagesOf(stream) {
  const messages = [];
  for await (const message of stream) messages.push(message);
  return messages;
}

/** What can be said of calls over `connection`, whose tools carry `prefix`. */
async function longCalls({ on, prefix, connection, pages }) {
  const { client, log } = connection;
  const call = (name, args = {}, options = undefined) =>
    client.callTool({ name: `${prefix}${name}`, arguments: args }, undefined, options);

  await on('progress arrives in order, before the answer', async () => {
    const progress = [];
    const result = await call('trigger-long-running-operation', { duration: 1, steps: 5 },
      { onprogress: (p) => progress.push(p.progress) });
    assert.deepEqual(progress, [1, 2, 3, 4, 5]);
    assert.match(textOf(result), /completed/);
  });

  await on('a cancelled call ends for the client, and the session goes on', async () => {
    const stop = new AbortController();
    const running = call('trigger-long-running-operation', { duration: 60, steps: 600 },
      { signal: stop.signal, onprogress: () => stop.abort('changed my mind') });
    await assert.rejects(running);
    assert.match(textOf(await call('echo', { message: 'still here' })), /still here/);
  });

  await on('a task is minted, asks its user, and has a result', async () => {
    const messages = await messagesOf(client.experimental.tasks.callToolStream(
      { name: `${prefix}simulate-research-query`, arguments: { topic: 'python', ambiguous: true } },
      types.CallToolResultSchema, { task: { ttl: 60_000 } }));
    const kinds = messages.map((m) => m.type);
    assert.equal(kinds[0], 'taskCreated');
    assert.equal(kinds.at(-1), 'result', JSON.stringify(messages.at(-1)));
    assert.equal(log.elicited.length, 1);
    assert.match(textOf(messages.at(-1).result), /snake/);
    const { taskId } = messages[0].task;
    assert.equal((await client.experimental.tasks.getTask(taskId)).status, 'completed');
    const { tasks } = await client.experimental.tasks.listTasks();
    assert.ok(tasks.some((t) => t.taskId === taskId));
  }, 60_000);

  await on('a running task can be cancelled; unknown ones are unknown', async () => {
    const stream = client.experimental.tasks.callToolStream(
      { name: `${prefix}simulate-research-query`, arguments: { topic: 'x' } },
      types.CallToolResultSchema, { task: { ttl: 60_000 } });
    const { value } = await stream.next();
    const { taskId } = value.task;
    assert.equal((await client.experimental.tasks.cancelTask(taskId)).status, 'cancelled');
    await stream.return();
    assert.equal(await codeOf(client.experimental.tasks.getTask('no-such-task')), -32002);
  });

  await on('the server makes a task of the client, and asks for it until it is done', async () => {
    const result = await call('trigger-sampling-request-async', { prompt: 'why?', maxTokens: 5 });
    assert.match(textOf(result), /from a task/);
  });

  await on('lists come in pages, and all of them have everything once', async () => {
    const names = [];
    let cursor, count = 0;
    do {
      const page = await client.listTools({ cursor });
      assert.ok(page.tools.length <= pages);
      names.push(...page.tools.map((t) => t.name));
      cursor = page.nextCursor;
      count += 1;
    } while (cursor);
    assert.ok(count > 2);
    assert.equal(new Set(names).size, names.length);
    assert.ok(names.includes(`${prefix}echo`));
  });

  await on('a changed list is announced, and the next one has what is new', async () => {
    const before = log.changed;
    await call('gzip-file-as-resource', { name: 'made.gz', data: 'data:text/plain,hello', outputType: 'resourceLink' });
    await until(() => log.changed > before, 'list_changed');
    const uris = [];
    let cursor;
    do {
      const page = await client.listResources({ cursor });
      uris.push(...page.resources.map((r) => r.uri));
      cursor = page.nextCursor;
    } while (cursor);
    assert.ok(uris.some((uri) => uri.endsWith('made.gz')), uris.join(' '));
  });
}

/** A call that takes this many seconds. */
const call = (client, prefix, duration) => client.callTool(
  { name: `${prefix}trigger-long-running-operation`, arguments: { duration, steps: 1 } });

/** The connection breaks while a call runs: the client comes back by itself. */
async function broken({ on, prefix, gate }) {
  const network = await startCutter(gate.port);
  const connection = await connect(`http://127.0.0.1:${network.port}${gate.path}`);
  const { client, transport, statuses } = connection;
  const run = (cutAt) => {
    const progress = [];
    return client.callTool(
      { name: `${prefix}trigger-long-running-operation`, arguments: { duration: 4, steps: 8 } }, undefined,
      { onprogress: (p) => { progress.push(p.progress); if (p.progress === cutAt) network.cut(); } },
    ).then((result) => ({ result, progress }));
  };

  await on('a call whose connection breaks is resumed with Last-Event-ID, and nothing is missing', async () => {
    const { result, progress } = await run(3);
    assert.match(textOf(result), /completed/);
    assert.deepEqual(progress, [1, 2, 3, 4, 5, 6, 7, 8]);
    assert.ok(statuses.filter((s) => s.method === 'GET' && s.status === 200).length > 1);
  });

  await on('a silent call can be resumed as well', async () => {
    const running = client.callTool(
      { name: `${prefix}trigger-long-running-operation`, arguments: { duration: 5, steps: 1 } });
    const posts = statuses.filter((s) => s.method === 'POST').length;
    // Its stream is open, so the client knows where to go on.
    await until(() => statuses.filter((s) => s.method === 'POST').length > posts, 'the head of the answer');
    network.cut();
    assert.match(textOf(await running), /completed/);
  });

  await on('a call that ends with an error or a cancellation leaves its client at rest', async () => {
    const stop = new AbortController();
    await assert.rejects(client.callTool(
      { name: `${prefix}trigger-long-running-operation`, arguments: { duration: 60, steps: 600 } }, undefined,
      { signal: stop.signal, onprogress: () => stop.abort('enough') }));
    const gets = () => statuses.filter((s) => s.method === 'GET');
    // The official client asks once more for a stream that ended without a result; then it knows.
    await until(() => gets().at(-1).status === 405, 'the client to ask for the rest', 10_000);
    const after = gets().length;
    const marks = statuses.length;
    await call(client, prefix, 3);
    assert.ok(statuses.length > marks);
    assert.equal(gets().length, after, 'it goes on asking');
  }, 60_000);

  await on('after DELETE there is nothing to come back to', async () => {
    const { sessionId } = transport;
    await transport.terminateSession();
    await client.close();
    const answer = await fetch(gate.url, {
      headers: { accept: 'text/event-stream', 'mcp-session-id': sessionId, 'last-event-id': '1-1' },
    });
    assert.equal(answer.status, 404);
  });
  await network.close();
}

await suite('long calls through the gateway', async ({ step, defer }) => {
  const [ev1, ev2] = await Promise.all([startEverything('first'), startEverything('second')]);
  defer(function serversEnd() { return Promise.all([ev1.stop('SIGKILL'), ev2.stop('SIGKILL')]); });
  const pages = 5;
  for (const [title, prefix, upstreams] of [
    ['passthrough', '', [{ id: 'only', url: ev1.url }]],
    ['federation', 'ev2__', [
      { id: 'first', url: ev1.url, namespace: 'ev1' },
      { id: 'second', url: ev2.url, namespace: 'ev2' },
    ]],
  ]) {
    const on = (what, fn, ms) => step(`${title}: ${what}`, fn, ms);
    const gate = await Gate.start(binary, { upstreams, routing: { pageSize: pages } });
    const connection = await connect(gate.url);
    await longCalls({ on, prefix, connection, pages });
    await connection.client.close();
    await broken({ on, prefix, gate });
    await on('the gateway ends', () => gate.end());
  }
});
