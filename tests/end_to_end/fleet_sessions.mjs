// Sessions that survive the instance they began on: three gateways, a real redis-server, and a load
// balancer without stickiness in front. The official client shakes hands once and calls at all of them;
// one dies in the middle; what is not a session of its caller stays unknown.
import assert from 'node:assert/strict';
import { Gate, sample } from '../../simulations/peers/gate.mjs';
import { requiring } from '../../simulations/peers/identity.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { Redis, rights } from '../../simulations/peers/redis.mjs';
import { RoundRobin } from '../../simulations/peers/round_robin.mjs';
import { Upstream } from '../../simulations/peers/upstream.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { requirePackages, startEverything } from './support/everything.mjs';
import { textOf, transportTo } from './support/sdk.mjs';
import { gateBinary, suite } from './support/suite.mjs';

requirePackages();
const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
const { CreateMessageRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');

const binary = gateBinary();
const started = [];

async function fleet(redis, config, { size = 3, threads = 1, env = {} } = {}) {
  const gates = [];
  for (let i = 0; i < size; i += 1)
    gates.push(await Gate.start(binary, config, { threads, env: { REDIS_URL: redis.url, ...env } }));
  started.push(...gates);
  await Promise.all(gates.map((gate) => until(async () => (await gate.health()).json.sharedState === 'ok', 'the store to be there')));
  return gates;
}

async function connect(url, capabilities = {}, prepare = () => {}) {
  const client = new Client({ name: 'gate-end-to-end', version: '1' }, { capabilities });
  prepare(client);
  const { transport, statuses } = transportTo(url);
  await client.connect(transport);
  return { client, transport, statuses };
}

const entry = (id, upstream, more = {}) => ({ id, url: upstream.url, namespace: id, ...more });
/** `session`, as it would be at another gateway. */
const at = (gate, session) => Object.assign(new Session(), {
  port: gate.port, path: '/mcp', version: session.version, id: session.id, token: session.token,
});
const statusOf = async (session) => (await session.post({ jsonrpc: '2.0', id: 9, method: 'ping' })).status;
const adopted = async (gate, outcome) => sample(await gate.metrics(), 'gate_sessions_adopted_total', { outcome });

await suite('fleet sessions', async ({ step, defer }) => {
  defer(async () => {
    for (const gate of started) if (!gate.ended) await gate.stop('SIGKILL');
  });
  const redis = await Redis.start();
  defer(() => redis.end());
  const everything = await startEverything();
  defer(() => everything.stop());
  const up = await Upstream.start();
  defer(() => up.stop());

  for (const threads of [1, 2]) {
    await step(`${threads} thread(s): the official client shakes hands once, and calls at all instances`, async () => {
      await redis.tell('FLUSHALL');
      const gates = await fleet(redis, { upstreams: [entry('ev', everything)] }, { threads });
      const door = await RoundRobin.start(gates);
      const { client, transport } = await connect(door.url);
      for (let i = 0; i < 30; i += 1) {
        const message = `call ${i}`;
        assert.equal(textOf(await client.callTool({ name: 'ev__echo', arguments: { message } })), `Echo: ${message}`);
      }
      assert.ok(door.served.every((n) => n >= 10), String(door.served));
      assert.equal((await client.listTools()).tools.length > 5, true);
      const id = transport.sessionId;
      await transport.terminateSession();
      for (const gate of gates)
        await until(async () => (await statusOf(at(gate, { id, version: '2025-11-25' }))) === 404, 'it to end everywhere');
      await client.close();
      await door.stop();
      for (const gate of gates) await gate.end();
    });
  }

  await step('an instance is killed in the middle: the next calls go on, and none is made twice', async () => {
    await redis.tell('FLUSHALL');
    const gates = await fleet(redis, { upstreams: [entry('a', up)] });
    const door = await RoundRobin.start(gates);
    const clients = await Promise.all(Array.from({ length: 8 }, () => Session.open(door)));
    const first = await Promise.all(clients.map((session) => session.call('a__echo', { text: 'first' })));
    assert.ok(first.every(({ result }) => result));
    const handshakes = up.of('initialize').length;
    const before = up.of('tools/call').length;
    const sent = new Map();
    const work = clients.map(async (session, c) => {
      for (let i = 0; i < 40; i += 1) {
        const text = `${c}-${i}`;
        sent.set(text, 'open');
        try {
          const { result, error } = await session.call('a__echo', { text });
          sent.set(text, result ? 'answered' : JSON.stringify(error));
        } catch {
          sent.set(text, 'broken');
        }
      }
    });
    await until(() => up.of('tools/call').length > before + 60, 'work to be under way');
    gates[0].signal('SIGKILL');
    await Promise.all(work);
    const made = new Map();
    for (const { params } of up.of('tools/call').slice(before))
      made.set(params.arguments.text, (made.get(params.arguments.text) ?? 0) + 1);
    assert.ok([...made.values()].every((n) => n === 1), 'none was made twice');
    const states = [...sent.values()];
    assert.ok(states.every((state) => state === 'answered' || state === 'broken'), states.join());
    assert.ok(states.filter((state) => state === 'broken').length <= clients.length, 'only what was in flight there');
    for (const session of clients)
      for (let i = 0; i < 3; i += 1) assert.ok((await session.call('a__echo', { text: 'last' })).result);
    assert.equal(up.of('initialize').length, handshakes, 'no server was shaken hands with again');
    await door.stop();
    await gates[1].end();
    await gates[2].end();
  });

  await step('a user who may do what docs/fleet.md says may do all that is needed', async () => {
    await redis.tell('FLUSHALL');
    await redis.tell('ACL', 'SETUSER', 'gate', 'on', '>secret', ...rights());
    const as = { url: redis.url.replace('redis://', 'redis://gate:secret@') };
    const gates = await fleet(as, { upstreams: [entry('a', up)] });
    const door = await RoundRobin.start(gates);
    const session = await Session.open(door);
    for (let i = 0; i < 6; i += 1) assert.ok((await session.call('a__echo', { text: 'x' })).result);
    await session.end();
    for (const gate of gates) {
      const refused = [...(await gate.metrics())].filter(([key, value]) =>
        key.startsWith('gate_store_operations_total') && !key.includes('outcome="ok"') && value > 0);
      assert.deepEqual(refused, []);
      await gate.end();
    }
    await door.stop();
  });

  await step('SIGTERM leaves the sessions to the others, and servers are not told that they end', async () => {
    await redis.tell('FLUSHALL');
    const gates = await fleet(redis, { upstreams: [entry('a', up)] }, { size: 2 });
    const session = await Session.open(gates[0]);
    assert.ok((await session.call('a__echo', { text: 'x' })).result);
    const bridged = up.of('tools/call').at(-1).session;
    await gates[0].end();
    assert.ok(up.sessions.has(bridged));
    const here = at(gates[1], session);
    assert.ok((await here.call('a__echo', { text: 'x' }, { id: 50 })).result);
    assert.equal(up.of('tools/call').at(-1).session, bridged);
    assert.equal((await here.end()).status, 204);
    await until(() => !up.sessions.has(bridged), 'the server to be told');
    await gates[1].end();
  });

  await step('questions of a server are answered at any instance', async () => {
    await redis.tell('FLUSHALL');
    const gates = await fleet(redis, { upstreams: [entry('ev', everything)] });
    const door = await RoundRobin.start(gates);
    const { client } = await connect(door.url, { sampling: {} }, (c) => {
      c.setRequestHandler(CreateMessageRequestSchema, async () => ({
        model: 'none', role: 'assistant', content: { type: 'text', text: 'an answer' },
      }));
    });
    for (let i = 0; i < 4; i += 1) {
      const result = await client.callTool({ name: 'ev__trigger-sampling-request', arguments: { prompt: 'x', maxTokens: 5 } });
      assert.match(textOf(result), /an answer/);
    }
    await client.close();
    await door.stop();
    for (const gate of gates) await gate.end();
  });

  await step('what servers say outside of calls reaches the client wherever it listens', async () => {
    await redis.tell('FLUSHALL');
    const gates = await fleet(redis, { upstreams: [entry('a', up)] });
    const session = await Session.open(gates[0]);
    assert.ok((await session.call('a__echo', { text: 'x' })).result);
    const bridged = up.of('tools/call').at(-1).session;
    const stream = await at(gates[1], session).stream();
    await until(() => [...up.streams].some((s) => s.session === bridged), 'the server to be listened to');
    up.notify('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"heard"}}', bridged);
    let heard = '';
    while (!heard.includes('heard')) {
      const chunk = await stream.chunk();
      assert.ok(chunk?.length, 'the stream ended without the message');
      heard += chunk;
    }
    stream.close();
    for (const gate of gates) await gate.end();
  });

  await step("another principal's session, an unknown one and a forged record are all the same 404", async () => {
    await redis.tell('FLUSHALL');
    const idp = await IdentityProvider.start();
    const config = requiring([idp], { upstreams: [entry('a', up)] });
    const gates = await fleet(redis, config, { size: 2 });
    const alice = idp.token({ sub: 'alice' });
    const session = await Session.open(gates[0], { token: alice });
    const stranger = Object.assign(at(gates[1], session), { token: idp.token({ sub: 'bob' }) });
    const unknown = Object.assign(at(gates[1], session), { id: 'a'.repeat(34) });
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const [no, nobody] = [await stranger.post(message), await unknown.post(message)];
    assert.deepEqual([no.status, no.body], [404, nobody.body]);
    const [, key] = (await redis.tell('EVAL', "return redis.call('KEYS', 'gate:{session:*')[1]", '0')).split('\r\n');
    await redis.tell('HSET', key, 'c', 'nobody has sealed this, whoever says so');
    assert.equal(await statusOf(at(gates[1], session)), 404);
    gates[1].token = alice;
    for (const outcome of ['broken', 'foreign'])
      await until(async () => (await adopted(gates[1], outcome)) === 1, `it to be counted as ${outcome}`);
    assert.equal(await statusOf(session), 200, 'who has it goes on');
    await idp.stop();
    for (const gate of gates) await gate.end();
  });

  await step('while the store is stopped sessions are where they are; then they are everywhere again', async () => {
    await redis.tell('FLUSHALL');
    const gates = await fleet(redis, { upstreams: [entry('a', up)] }, { size: 2 });
    const session = await Session.open(gates[0]);
    redis.pause();
    await until(async () => (await gates[1].health()).json.sharedState === 'away', 'the store to be away', 30_000);
    await until(async () => (await gates[0].health()).json.sharedState === 'away', 'the store to be away', 30_000);
    assert.equal(await statusOf(session), 200);
    assert.equal(await statusOf(at(gates[1], session)), 404);
    const local = await Session.open(gates[0]);
    assert.ok((await local.call('a__echo', { text: 'x' })).result);
    redis.resume();
    for (const gate of gates)
      await until(async () => (await gate.health()).json.sharedState === 'ok', 'the store to be back', 30_000);
    for (const one of [session, local])
      await until(async () => (await statusOf(at(gates[1], one))) === 200, 'the session to be known');
    for (const gate of gates) await gate.end();
  });

  await step('instances that seal by other secrets do not believe each other; without one they do not start', async () => {
    await redis.tell('FLUSHALL');
    const config = { upstreams: [entry('a', up)], server: { fleetKeyRef: 'FLEET_KEY' } };
    const [one] = await fleet(redis, config, { size: 1, env: { FLEET_KEY: 'x'.repeat(32) } });
    const [same] = await fleet(redis, config, { size: 1, env: { FLEET_KEY: 'x'.repeat(32) } });
    const [other] = await fleet(redis, config, { size: 1, env: { FLEET_KEY: 'y'.repeat(32) } });
    const session = await Session.open(one);
    assert.equal(await statusOf(at(same, session)), 200);
    assert.equal(await statusOf(at(other, session)), 404);
    for (const gate of [one, same, other]) await gate.end();
    await assert.rejects(Gate.start(binary, config, { env: { REDIS_URL: redis.url, FLEET_KEY: 'short' } }));
  });
});
