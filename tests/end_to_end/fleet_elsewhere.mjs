// What runs at another instance of a fleet than the one where its client comes: two gateways, a real
// redis-server and the official client. What the client says is acknowledged when it is handed over; the
// stream of a call is resumed elsewhere, and ends with an error when the instance that runs the call is
// killed; a task of a client without a session is asked for at the other instance.
import assert from 'node:assert/strict';
import { Gate } from '../../simulations/peers/gate.mjs';
import { Connection, format, once } from '../../simulations/peers/http.mjs';
import { Session, responseOf } from '../../simulations/peers/mcp.mjs';
import { Redis } from '../../simulations/peers/redis.mjs';
import { StatelessClient } from '../../simulations/peers/stateless_client.mjs';
import { Upstream } from '../../simulations/peers/upstream.mjs';
import { until, within } from '../../simulations/peers/waiting.mjs';
import { requirePackages } from './support/everything.mjs';
import { textOf } from './support/sdk.mjs';
import { gateBinary, suite } from './support/suite.mjs';

requirePackages();
const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { CreateMessageRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');

const binary = gateBinary();
const INTERNAL_ERROR = -32603;
const urlOf = (gate) => `http://127.0.0.1:${gate.port}/mcp`;
const at = (gate, session) => Object.assign(new Session(), {
  port: gate.port, path: '/mcp', version: session.version, id: session.id,
});

/**
 * The official client before two instances: `choose(method, headers)` says which of them gets a request;
 * `sent` is what was sent, each with its status and `cut()`, which breaks its connection.
 */
async function connect(gates, choose, capabilities = {}, prepare = () => {}) {
  const client = new Client({ name: 'gate-end-to-end', version: '1' }, { capabilities });
  prepare(client);
  const sent = [];
  const transport = new StreamableHTTPClientTransport(new URL(urlOf(gates[0])), {
    fetch: async (_, init) => {
      const headers = new Headers(init?.headers);
      const cut = new AbortController();
      init?.signal?.addEventListener('abort', () => cut.abort());
      const one = {
        method: init?.method ?? 'GET', last: headers.get('last-event-id'), text: String(init?.body ?? ''), cut: () => cut.abort(),
      };
      sent.push(one);
      const answer = await fetch(urlOf(gates[choose(one)]), { ...init, headers, signal: cut.signal });
      one.status = answer.status;
      return answer;
    },
  });
  client.onerror = () => {};
  await client.connect(transport);
  return { client, transport, sent };
}

await suite('fleet elsewhere', async ({ step, defer }) => {
  const redis = await Redis.start();
  defer(() => redis.end());
  const up = await Upstream.start({
    tools: '[{"name":"echo","inputSchema":{"type":"object"}},'
      + '{"name":"task","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}]',
    capabilities: '{"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}',
  });
  defer(() => up.stop());
  const gates = [];
  defer(async () => {
    for (const gate of gates) if (!gate.ended) await gate.stop('SIGKILL');
  });
  const start = async () => {
    const gate = await Gate.start(binary, { upstreams: [{ id: 'a', url: up.url, namespace: 'a' }] }, { env: { REDIS_URL: redis.url } });
    await until(async () => (await gate.health()).json.sharedState === 'ok', 'the store to be there');
    return gate;
  };
  gates.push(await start(), await start());

  let held = [];
  up.on('tools/call', (call) => {
    if (call.params.task) return call.result('{"task":{"taskId":"t","status":"working","ttl":60000}}');
    return held.push(call);
  });
  const resumed = (sent) => sent.filter(({ last }) => last);

  await step('a call whose connection breaks is resumed at another instance, and has its result there', async () => {
    const { client, sent } = await connect(gates, ({ last }) => (last ? 1 : 0));
    const answered = client.callTool({ name: 'a__echo', arguments: {} });
    const post = () => sent.find(({ text }) => text.includes('tools/call'));
    await until(() => post()?.status === 200, 'its answer to become a stream');
    post().cut();
    await until(() => resumed(sent).some(({ status }) => status === 200), 'the client to come back');
    held[0].text('late');
    assert.equal(textOf(await answered), 'late');
    assert.equal(up.of('tools/call').length, 1, 'it was made once');
    await client.close();
  });

  await step('the same, twice broken, with what its server asks and its client answers there', async () => {
    held = [];
    const { client, sent } = await connect(gates, ({ last, text }) => (last || text.includes('"result"') ? 1 : 0), { sampling: {} },
      (c) => c.setRequestHandler(CreateMessageRequestSchema, async () => ({
        model: 'none', role: 'assistant', content: { type: 'text', text: 'an answer' },
      })));
    const answered = client.callTool({ name: 'a__echo', arguments: {} });
    const post = () => sent.find(({ text }) => text.includes('tools/call'));
    await until(() => post()?.status === 200, 'its answer to become a stream');
    post().cut();
    await until(() => resumed(sent).some(({ status }) => status === 200), 'the client to come back');
    resumed(sent).at(-1).cut();
    await until(() => resumed(sent).filter(({ status }) => status === 200).length === 2, 'the client to come back again');
    held[0].openStream();
    held[0].event('{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}');
    const reply = () => up.calls.find(({ message }) => message.id === 'q' && message.result);
    await until(reply, 'the answer to be handed over');
    assert.equal(reply().message.result.content.text, 'an answer');
    held[0].event(`{"jsonrpc":"2.0","id":${held[0].id},"result":{"content":[{"type":"text","text":"done"}]}}`);
    held[0].response.end();
    assert.equal(textOf(await answered), 'done');
    await client.close();
  });

  await step('an answer is acknowledged when it was handed over, and refused when it could not be', async () => {
    held = [];
    const session = await Session.open(gates[0], { capabilities: { sampling: {} } });
    const elsewhere = at(gates[1], session);
    assert.ok((await elsewhere.request('ping', {}, { id: 50 })).result);
    const call = await Connection.open(gates[0].port);
    defer(() => call.close());
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'a__echo', arguments: {} } });
    call.write(format({ port: gates[0].port, path: '/mcp', headers: session.headers(), body }));
    await until(() => held.length, 'the call');
    held[0].openStream();
    held[0].event('{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}');
    await call.head();
    let said = '';
    while (!said.includes('sampling/createMessage')) said += (await within(call.chunk(), 'the question')).toString();
    const question = JSON.parse(said.match(/^data: (.*createMessage.*)$/m)[1]).id;
    const answer = { jsonrpc: '2.0', id: question, result: { n: 1 } };
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    const reply = () => up.calls.find(({ message }) => message.id === 's' && message.result);

    redis.pause();
    const before = Date.now();
    for (const lost of [await elsewhere.post(answer), await elsewhere.post(cancel)]) {
      assert.equal(lost.status, 503, lost.body);
      assert.equal(lost.headers.get('retry-after'), '1');
    }
    assert.ok(Date.now() - before < 5000, 'nobody waits for a store that says nothing');
    redis.resume();
    await until(async () => (await elsewhere.post(answer)).status === 202, 'the store to be there again');
    await until(reply, 'the answer to reach the server');
    assert.deepEqual(reply().message.result, { n: 1 });
    assert.equal(reply().session, held[0].session);
    assert.equal((await elsewhere.post(cancel)).status, 202);
    await until(() => up.of('notifications/cancelled').length, 'the server to be told');
    assert.equal((await elsewhere.end()).status, 204);
  });

  await step('a task of a client without a session is asked for at any instance', async () => {
    const bound = () => up.of('tools/call').findLast(({ params }) => params.task).session;
    up.on('tasks/get', (call) => (call.session === bound()
      ? call.result('{"taskId":"t","status":"working","ttl":60000}')
      : call.error('{"code":-32602,"message":"no such task"}')));
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const [here, there] = gates.map((gate) => new StatelessClient(gate, { capabilities }));
    const minted = await here.call('a__task');
    assert.equal(minted.result?.taskId, 't', minted.text);
    await until(async () => (await redis.count('gate:{task:*')) > 0, 'the store to be told');
    const asked = await there.request('tasks/get', { taskId: 't' });
    assert.equal(asked.result?.status, 'working', asked.text);
    assert.equal(up.of('tasks/get').at(-1).session, bound());
  });

  await step('a store that loses its data while its connections stay is told again, also of sessions that nobody uses', async () => {
    const session = await Session.open(gates[0]);
    await redis.tell('FLUSHALL');
    await until(async () => (await redis.count('gate:{session:*')) > 0, 'it to be written down again');
    // (What it is sealed by was lost, too: the other instance has to notice as well.)
    await until(async () => (await at(gates[1], session).request('ping', {}, { id: 60 })).result, 'the other instance to know it');
    assert.equal((await session.end()).status, 204);
  });

  await step('kill -9 of the instance that runs a call: the stream that was resumed ends with an error', async () => {
    held = [];
    const { client, transport, sent } = await connect(gates, ({ last }) => (last ? 1 : 0));
    const id = transport.sessionId;
    const answered = client.callTool({ name: 'a__echo', arguments: {} });
    answered.catch(() => {});
    const post = () => sent.find(({ text }) => text.includes('tools/call'));
    await until(() => post()?.status === 200, 'its answer to become a stream');
    post().cut();
    await until(() => resumed(sent).some(({ status }) => status === 200), 'the client to come back');
    const { last } = resumed(sent).at(-1);
    gates[0].signal('SIGKILL');
    await within(assert.rejects(answered, { code: INTERNAL_ERROR }), 'the call to fail');
    assert.equal(up.of('tools/call').filter(({ params }) => params.name === 'echo').length, 4, 'it was not made again');
    // Who comes back for it now is told at once that there is no such stream.
    const session = at(gates[1], { id, version: '2025-11-25' });
    const late = await once(gates[1].port, { path: '/mcp', headers: { ...session.identity, Accept: 'text/event-stream', 'Last-Event-ID': last }, method: 'GET' });
    assert.equal(late.status, 400, late.body);
    assert.ok(responseOf(late).json.error);
    await client.close();
  });

  await step('a task of an instance that is gone is asked for in another session', async () => {
    const there = new StatelessClient(gates[1], { capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } });
    const asked = await there.request('tasks/get', { taskId: 't' });
    assert.equal(asked.error?.code, -32602, asked.text);
    assert.equal(asked.error.message, 'no such task', 'the server says so');
  });

  await gates[1].end();
});
