// Clients that err, cheat or vanish. Each gets a clear refusal (or the end of its connection), each
// terminal response leaves exactly one audit event, and a good client is served right after.
import assert from 'node:assert/strict';
import { Gate } from '../../simulations/peers/gate.mjs';
import { Connection, format, once } from '../../simulations/peers/http.mjs';
import { Session, messagesOf } from '../../simulations/peers/mcp.mjs';
import { Upstream } from '../../simulations/peers/upstream.mjs';
import { sleep, until } from '../../simulations/peers/waiting.mjs';
import { hostileRequests } from './support/hostile_requests.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const CAP = 64 * 1024;

await suite('hostile clients', async ({ step, defer }) => {
  const a = await Upstream.start();
  const b = await Upstream.start();
  defer(function upstreamsEnd() { return Promise.all([a.stop(), b.stop()]); });
  const gate = await Gate.start(binary, {
    upstreams: [
      { id: 'a', url: a.url, namespace: 'a' },
      { id: 'b', url: b.url, namespace: 'b' },
    ],
    server: { maxBodyBytes: CAP },
  });
  defer(function gateEnds() { return gate.end(); });
  const { port } = gate;
  const good = await Session.open(gate);

  const stillServes = async () => {
    const { result } = await good.call('a__echo', { text: 'hi' });
    assert.equal(result?.content[0].text, 'echo: hi');
  };
  await hostileRequests({
    step, server: gate, good, cap: CAP, stillServes,
    async judged(action, fields = {}) {
      const [event, ...more] = await gate.eventsOf(action);
      assert.deepEqual(more, [], 'exactly one audit event');
      assert.ok(event, 'one audit event');
      assert.notEqual(event.outcome, 'ok');
      for (const [name, value] of Object.entries(fields)) assert.equal(event[name], value, name);
      await stillServes();
    },
    async unheard(action) {
      assert.deepEqual(await gate.eventsOf(action), [], 'nothing was answered, so nothing is audited');
      await stillServes();
    },
    another: () => Gate.start(binary, { upstreams: [{ id: 'a', url: a.url }] }),
  });

  await step('a batch on 2025-03-26 is served, an answer per request', async () => {
    const session = await Session.open(gate, { version: '2025-03-26' });
    const batch = [
      { jsonrpc: '2.0', id: 'one', method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
      { jsonrpc: '2.0', id: 'two', method: 'tools/call', params: { name: 'a__echo', arguments: { text: '2' } } },
      { jsonrpc: '2.0', id: 'three', method: 'tools/call', params: { name: 'b__echo', arguments: { text: '3' } } },
      { jsonrpc: '2.0', id: 'four', method: 'no/such/method' },
    ];
    const events = await gate.eventsOf(async () => {
      const answer = await session.post(batch);
      assert.equal(answer.status, 200, answer.body);
      const answers = messagesOf(answer).flatMap(({ json }) => json).filter((m) => m.id !== undefined);
      assert.deepEqual(answers.map((m) => m.id).sort(), ['four', 'one', 'three', 'two']);
      const byId = Object.fromEntries(answers.map((m) => [m.id, m]));
      assert.equal(byId.two.result.content[0].text, 'echo: 2');
      assert.equal(byId.three.result.content[0].text, 'echo: 3');
      assert.equal(byId.four.error.code, -32601);
    });
    const calls = events.filter((event) => event.method === 'tools/call');
    assert.deepEqual(calls.map((event) => event.upstream).sort(), ['a', 'b'], 'audited element by element');
  });

  await step('a second initialize in a session is refused or starts a new session, never breaks it', async () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const answer = await good.post({ jsonrpc: '2.0', id: 9, method: 'initialize', params });
    assert.ok([200, 400].includes(answer.status), answer.line);
    await stillServes();
  });

  await step('a client that vanishes in mid-call: the call ends, one audit event', async () => {
    let release;
    a.on('tools/call', (call) => (release = () => call.text('late')));
    const from = await gate.mark();
    const connection = await Connection.open(port);
    const message = '{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"a__raw","arguments":{"text":"gone"}}}';
    connection.write(format({ port, headers: good.headers(), body: message }));
    await until(() => release, 'the call at the upstream');
    connection.vanish();
    await sleep(50);
    a.restore();
    release();
    await gate.eventually((event) => event.name === 'a__raw', 'the abandoned call', from);
    await stillServes();
    const own = (await gate.eventsSince(from)).filter((event) => event.name === 'a__raw');
    assert.equal(own.length, 1, JSON.stringify(own));
  });

  await step('a client that never reads: its answers do not pile up, others are served', async () => {
    const text = 'x'.repeat(256 * 1024);
    a.on('tools/call', (call) => call.text(text));
    const before = a.of('tools/call').length;
    const connection = await Connection.open(port);
    connection.socket.pause();
    const request = format({
      port,
      headers: good.headers(),
      body: '{"jsonrpc":"2.0","id":78,"method":"tools/call","params":{"name":"a__raw","arguments":{}}}',
    });
    for (let i = 0; i < 200; i += 1) connection.write(request);
    for (let i = 0; i < 20; i += 1) {
      const { result } = await good.call('b__echo', { text: `${i}` });
      assert.equal(result?.content[0].text, `echo: ${i}`);
    }
    await sleep(200);
    const served = a.of('tools/call').length - before;
    assert.ok(served < 200, `all ${served} calls were made for a client that reads nothing`);
    connection.vanish();
    a.restore();
    await stillServes();
  });

  await step('GET without a session, DELETE of a foreign one', async () => {
    const get = await once(port, { method: 'GET', headers: { Accept: 'text/event-stream' } });
    assert.equal(get.status, 405, get.body);
    const other = { 'Mcp-Session-Id': 'f'.repeat(34) };
    const unknown = await once(port, { method: 'DELETE', headers: other });
    assert.equal(unknown.status, 404, unknown.body);
    const json = await once(port, { method: 'GET', headers: good.headers({ Accept: 'application/json' }) });
    assert.equal(json.status, 406, json.body);
    await stillServes();
  });
});
