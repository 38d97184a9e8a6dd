// The peers of the stateless generation against each other and against the official ones, without a
// gateway: what they are used to judge must be judged right. Needs no binary.
import assert from 'node:assert/strict';
import { once } from '../../simulations/peers/http.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { SessionUpstream } from '../../simulations/peers/session_upstream.mjs';
import { StatelessClient } from '../../simulations/peers/stateless_client.mjs';
import { KEYS, decoded, encoded, mirrored } from '../../simulations/peers/stateless_rules.mjs';
import { StatelessUpstream } from '../../simulations/peers/stateless_upstream.mjs';
import { requirePackages } from './support/everything.mjs';
import { CAPABLE, asksByHand, asksOfClient } from './support/input_exchange.mjs';
import { sessionExchange } from './support/session_exchange.mjs';
import { tasksOfSession } from './support/session_task_exchange.mjs';
import { SessionServer } from './support/session_server.mjs';
import { answering, exchange, textOf } from './support/stateless_exchange.mjs';
import { climb, ladder } from './support/stateless_ladder.mjs';
import { sdkExchange } from './support/stateless_sdk_exchange.mjs';
import { REQUIRED, StatelessCaller, tasksOfStateless } from './support/stateless_task_exchange.mjs';
import { StatelessServer } from './support/stateless_server.mjs';
import { suite } from './support/suite.mjs';
import { ELICITATION } from './support/task_exchange.mjs';

requirePackages('client', 'server', 'node');

async function rules({ step }) {
  await step('values of headers: encoded and decoded', () => {
    for (const value of ['', 'plain', 'in ner', 'a\tb', ' lead', 'trail ', 'ä☃𝄞', 'a\r\nb', '=?base64?x?=', '=?BASE64?x?=', 42, true])
      assert.equal(decoded(encoded(value)), String(value), String(value));
    for (const value of ['plain', 'in ner', '=?BASE64?x?=']) assert.equal(encoded(value), value);
    for (const value of [' lead', 'ä', 'a\nb', '=?base64?x?=']) assert.match(encoded(value), /^=\?base64\?.*\?=$/);
    for (const header of ['=?base64?%?=', '=?base64?=?=', '=?base64?YQ?=', '=?base64?/w==?=']) assert.equal(decoded(header), undefined, header);
  });

  await step('annotations: which are valid', () => {
    const of = (properties, more = {}) => mirrored({ type: 'object', properties, ...more });
    const good = { type: 'string', 'x-mcp-header': 'A' };
    assert.deepEqual(of({ a: good }), [{ header: 'Mcp-Param-A', path: ['a'] }]);
    assert.deepEqual(of({ a: { type: 'object', properties: { b: good } } })[0].path, ['a', 'b']);
    for (const bad of [
      { a: { ...good, type: 'number' } }, { a: { ...good, 'x-mcp-header': '' } }, { a: { ...good, 'x-mcp-header': 'a b' } },
      { a: good, b: { ...good, 'x-mcp-header': 'a' } }, { a: { type: 'array', items: good } }, { a: { anyOf: [good] } },
    ]) assert.equal(of(bad), undefined, JSON.stringify(bad));
    assert.equal(of({}, { $defs: { a: good } }), undefined);
  });
}

async function input({ step, strict, sessions }) {
  const client = new StatelessClient(strict, { capabilities: CAPABLE });
  const on = (what, fn) => step(`the peer asks: ${what}`, fn);
  await asksByHand({ on, target: strict, server: strict });
  await asksOfClient({ on, url: strict.url, mode: 'modern', server: strict });
  await asksOfClient({ on: (what, fn) => step(`sessions: the peer asks: ${what}`, fn), url: sessions.url, mode: 'legacy', server: sessions });
  await step('the peer has somebody come again without a question', async () => {
    const answer = await client.complete('tools/call', { name: 'come_back', arguments: {} }, answering);
    assert.deepEqual([textOf(answer), answer.rounds], ['after 0', 1]);
    assert.deepEqual(strict.violations, []);
  });

  await step('it does not take a state that it has not given, or for another call', async () => {
    const { result } = await client.call('ask_once');
    const retry = (name, requestState) => client.request('tools/call', {
      name, arguments: {}, requestState, inputResponses: { who: { action: 'accept', content: { name: 'x' } } },
    });
    const state = result.requestState;
    for (const [name, bad] of [['ask_once', `x${state}`], ['ask_once', state.slice(0, -2)], ['ask_twice', state], ['ask_once', '']]) {
      const { status, error } = await retry(name, bad);
      assert.deepEqual([status, error?.code], [200, -32602], bad);
    }
    assert.ok((await retry('ask_once', state)).result);
    assert.equal(strict.violations.length, 4);
  });

  await step('it does not ask who can not answer', async () => {
    const { status, error } = await new StatelessClient(strict).call('ask_once');
    assert.deepEqual([status, error?.code, error?.data], [400, -32021, { requiredCapabilities: { elicitation: {} } }]);
  });
}

/** What the ladder does not refuse and the peer must notice nevertheless. */
async function strictness({ step, strict }) {
  const client = new StatelessClient(strict);
  const noticed = (what, action) => step(`the strict peer notices ${what}`, async () => {
    strict.forget();
    await action();
    assert.equal(strict.violations.length, 1, JSON.stringify(strict.violations));
  });
  await noticed('a session header', () => client.request('tools/list', {}, { headers: { 'Mcp-Session-Id': 'x' } }));
  await noticed('a subscription id in a request', () => client.request('tools/list', {}, { meta: { [KEYS.subscription]: 'x' } }));
  await noticed('a notification', () => client.post({ jsonrpc: '2.0', method: 'notifications/initialized', params: {} }));
  await noticed('initialize', () => once(strict.port, {
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}',
  }));
  await noticed('a progress token that is in use', async () => {
    const params = { name: 'slow', arguments: {} };
    const meta = { progressToken: 'mine' };
    const streams = await Promise.all([client.open('tools/call', params, { meta }), client.open('tools/call', params, { meta })]);
    streams.forEach((stream) => stream.close());
  });
}

/** The peers that have tasks: each to clients of its own generation. */
async function tasks({ step, defer }) {
  const modern = await StatelessUpstream.start({ name: 'new', tasks: true });
  const sessions = await SessionUpstream.start({ name: 'old', tasks: true });
  defer(function taskServersEnd() { return Promise.all([modern.stop(), sessions.stop()]); });
  await tasksOfStateless({ on: (what, fn) => step(`tasks, stateless: ${what}`, fn), target: modern, server: modern, direct: true });
  await tasksOfSession({ on: (what, fn) => step(`tasks, sessions: ${what}`, fn), target: sessions, server: sessions, direct: true });
  await step('tasks: who keeps to the rules breaks none', () => assert.deepEqual([modern.violations, sessions.violations], [[], []]));

  const noticed = (server, what, action) => step(`tasks: ${server.name}: the strict peer notices ${what}`, async () => {
    server.forget();
    await action();
    assert.equal(server.violations.length, 1, JSON.stringify(server.violations));
  });
  const caller = new StatelessCaller(modern);
  const taskId = await caller.begin('job');
  await noticed(modern, 'a task of sessions in a call', async () => {
    const { result } = await caller.client.request('tools/call', { name: 'echo', arguments: {}, task: { ttl: 1 } });
    assert.equal(result.resultType, 'complete');
  });
  await noticed(modern, 'a member that the method does not have', () => caller.ask('tasks/get', taskId, { inputResponses: {} }));
  await noticed(modern, 'a task id that is no text', () => caller.ask('tasks/get', 7));
  await noticed(modern, 'answers that are no object', () => caller.ask('tasks/update', taskId, { inputResponses: [] }));
  await noticed(modern, 'no header that names the task', () => caller.ask('tasks/get', taskId, {}, { headers: { 'Mcp-Name': null } }));
  await noticed(modern, 'who asks and has not declared that', () =>
    new StatelessCaller(modern, { capabilities: ELICITATION }).ask('tasks/get', taskId));
  await noticed(modern, 'a method of sessions', () => caller.ask('tasks/result', taskId));

  const session = await Session.open(sessions);
  const call = (name, task, meta) => session.request('tools/call', { name, arguments: {}, task, ...(meta && { _meta: meta }) });
  const own = (await call('job', {})).result.task.taskId;
  await noticed(sessions, 'a tool that is no task, called as one', () => call('echo', {}));
  await noticed(sessions, 'a member that no task has', () => call('job', { ttlMs: 1 }));
  await noticed(sessions, 'a ttl that is no number', () => call('job', { ttl: '1' }));
  await noticed(sessions, 'a member that the method does not have', () => session.request('tasks/get', { taskId: own, inputResponses: {} }));
  await noticed(sessions, 'a method of the extension', async () =>
    assert.equal((await session.request('tasks/update', { taskId: own })).error.code, -32601));
  await noticed(sessions, 'an envelope', () => session.request('tasks/get', { taskId: own, _meta: { [KEYS.capabilities]: {} } }));
  await noticed(sessions, 'the extension in a session', () => Session.open(sessions, { capabilities: REQUIRED }));
  await noticed(sessions, 'tasks in a session that is older than they are', async () =>
    (await Session.open(sessions, { version: '2025-06-18' })).request('tasks/get', { taskId: own }));
  await step('tasks: old: another session has none of them', async () => {
    const other = await Session.open(sessions);
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      assert.equal((await other.request(method, { taskId: own })).error?.code, -32602, method);
    assert.deepEqual((await other.request('tasks/list', {})).result, { tasks: [] });
  });
}

await suite('peers of the stateless generation', async ({ step, defer }) => {
  const strict = await StatelessUpstream.start();
  const official = await StatelessServer.start();
  defer(function serversEnd() { return Promise.all([strict.stop(), official.stop()]); });
  await rules({ step });

  for (const [whose, server] of [['strict', strict], ['sdk', official]]) {
    const client = new StatelessClient(server);
    const names = { tool: 'echo', prompt: 'greet', uri: 'one://docs/1', annotated: 'region' };
    for (const rung of ladder(names)) {
      const before = strict.violations.length;
      await step(`${whose}: ${rung.what}`, () => climb(client, rung, whose));
      if (whose === 'strict' && rung.status !== 200)
        await step(`strict: ${rung.what}: counted`, () => assert.ok(strict.violations.length > before));
    }
    strict.forget();
    await exchange({
      on: (what, fn) => step(`${whose}: ${what}`, fn), target: server, server, official: whose === 'sdk',
      ...(whose === 'strict' && { abandoned: () => strict.calls.filter(({ cancelled, method }) => cancelled && method === 'tools/call').length }),
    });
  }

  const sessions = await SessionUpstream.start();
  const first = await SessionServer.start();
  defer(function sessionsEnd() { return Promise.all([sessions.stop(), first.stop()]); });
  for (const [whose, server, mode, era] of [
    ['strict', strict, 'modern'], ['strict', strict, 'auto'], ['sdk', official, 'modern'], ['sdk', official, 'auto'],
    ['sessions', sessions, 'legacy', 'legacy'], ['sessions', sessions, 'auto', 'legacy'],
    ['sdk 1.x', first, 'legacy', 'legacy'], ['sdk 1.x', first, 'auto', 'legacy'],
  ]) {
    strict.forget();
    await sdkExchange({
      on: (what, fn) => step(`${whose}: client 2.x, ${mode}: ${what}`, fn), url: server.url, mode, era, server,
      official: whose === 'sdk',
    });
    await step(`${whose}: client 2.x, ${mode}: it keeps to the rules`, () => {
      // The official client tells servers that it does not listen any more, as it does on standard output.
      const others = strict.violations.filter(({ body }) => !body.includes('notifications/cancelled'));
      assert.deepEqual(others, []);
    });
  }
  for (const [whose, server] of [['sessions', sessions], ['sdk 1.x', first]])
    await sessionExchange({
      on: (what, fn) => step(`${whose}: client 1.x: ${what}`, fn), url: server.url, server,
      abandoned: () => server.of('notifications/cancelled').length,
    });

  strict.forget();
  await input({ step, strict, sessions });
  await strictness({ step, strict });
  await tasks({ step, defer });
});
