// Lists of a fleet: two gateways and a real redis-server. One fetches what an upstream lists, the other one
// takes it from the store; and what becomes of that when lists change, when the store has nonsense, stands
// still or is gone, and when a list is long.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Gate, sample } from '../../simulations/peers/gate.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { Redis } from '../../simulations/peers/redis.mjs';
import { Upstream } from '../../simulations/peers/upstream.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
const listOf = (...names) => `[${names.map((name) => `{"name":"${name}","inputSchema":{"type":"object"}}`).join()}]`;

const started = [];
const stateOf = async (gate) => (await gate.health()).json.sharedState;
const comes = (gates, state) => Promise.all(gates.map((gate) =>
  until(async () => (await stateOf(gate)) === state, `sharedState ${state}`)));

await suite('lists of a fleet', async ({ step, defer }) => {
  defer(async () => {
    for (const gate of started) if (!gate.ended) await gate.stop('SIGKILL');
  });
  const redis = await Redis.start();
  defer(() => redis.end());

  /** Two gateways with an upstream of their own; what `part` is given is told of it. */
  const on = (what, part, more = {}) => step(what, async () => {
    await redis.tell('FLUSHALL');
    const up = await Upstream.start({ tools: listOf('first') });
    const config = { upstreams: [{ id: 'a', url: up.url, namespace: 'a', ...more }, { id: 'b', url: up.url, namespace: 'b', cacheTtlMs: -1 }] };
    const gates = [];
    for (let i = 0; i < 2; i += 1) gates.push(await Gate.start(binary, config, { env: { REDIS_URL: redis.url } }));
    started.push(...gates);
    await comes(gates, 'ok');
    const shown = async (gate) => {
      const { items } = await (await Session.open(gate)).list('tools/list', 'tools');
      return items.map(({ name }) => name).filter((name) => name.startsWith('a__'));
    };
    const asked = async (op, outcome = 'ok') => {
      const all = await Promise.all(gates.map((gate) => gate.metrics()));
      return all.reduce((sum, metrics) => sum + (sample(metrics, 'gate_store_operations_total', { op, outcome }) ?? 0), 0);
    };
    // The upstream serves both ids; what `b` asks is never shared, and counts twice for each list shown.
    try {
      await part({ up, gates, shown, asked });
    } finally {
      for (const gate of gates) await gate.end();
      await up.stop();
    }
  });

  /** How often `a` was asked, where `b` was so and so often. */
  const fetches = (up, shownTimes) => up.of('tools/list').length - shownTimes;

  await on('one fetches, and both show it', async ({ up, gates, shown, asked }) => {
    assert.deepEqual(await shown(gates[0]), ['a__first']);
    await until(async () => (await redis.tell('EVAL', "return #redis.call('KEYS','gate:{cache:a}:tools:0:*')", '0')) === ':1', 'it to be kept');
    assert.deepEqual(await shown(gates[1]), ['a__first']);
    assert.equal(fetches(up, 2), 1);
    assert.equal(await asked('look', 'error') + await asked('keep', 'error'), 0);
  });

  await on('a change is shown by both, though one has not listed before', async ({ up, gates, shown, asked }) => {
    await shown(gates[0]);
    await until(() => up.listening(), 'a stream to be heard on');
    up.tools = listOf('second');
    up.notify(CHANGED);
    await until(async () => (await redis.tell('EXISTS', 'gate:{cache:a}:tools:changed')) === ':1', 'the store to be told');
    for (const gate of [gates[1], gates[0]]) await until(async () => (await shown(gate))[0] === 'a__second', 'the new list');
    assert.equal(await asked('forget', 'error'), 0);
  });

  await on('a change that one instance hears is told to the clients of both, once', async ({ up, gates, shown }) => {
    for (const gate of [...gates, ...gates]) await shown(gate);
    const heard = gates.map(() => '');
    const told = () => heard.map((text) => text.split('tools/list_changed').length - 1);
    const streams = await Promise.all(gates.map(async (gate) => (await Session.open(gate)).stream()));
    const read = streams.map(async (stream, which) => {
      for (let chunk = await stream.chunk(); chunk?.length; chunk = await stream.chunk()) heard[which] += chunk;
    });
    // The one that has fetched for both: each of the others lists for itself.
    const all = up.of('tools/list').map(({ session }) => session);
    const one = all.find((session) => all.indexOf(session) === all.lastIndexOf(session));
    await until(() => up.listening(one), 'a stream to be heard on');
    for (const [n, name] of [[1, 'second'], [2, 'third']]) {
      up.tools = listOf(name);
      up.notify(CHANGED, one);
      await until(() => told().every((times) => times >= n), 'both to tell');
      for (const gate of gates) assert.deepEqual(await shown(gate), [`a__${name}`]);
      assert.deepEqual(told(), [n, n]);
    }
    for (const stream of streams) stream.close();
    await Promise.all(read.map((one_) => one_.catch(() => {})));
  });

  await on('what the store has is read as what an upstream says', async ({ up, gates, shown }) => {
    await shown(gates[0]);
    const find = "return redis.call('KEYS','gate:{cache:a}:tools:0:*')[1]";
    await until(async () => (await redis.tell('EVAL', `${find} or ''`, '0')).includes('cache'), 'it to be kept');
    const key = (await redis.tell('EVAL', find, '0')).split('\r\n')[1];
    // Before the list there is only who fetches it.
    await until(async () => (await redis.tell('HEXISTS', key, 'd')).includes('1'), 'the list to be kept');
    const forged = '{"tools":[{"name":"forged"},7]}';
    await redis.tell('HSET', key, 'd', `0 0 1\n${forged.length}\n${forged}`);
    assert.deepEqual(await shown(gates[1]), ['a__forged'], 'what is no tool is left out, as ever');
    await redis.tell('HSET', key, 'd', 'nonsense');
    const third = await Gate.start(binary, JSON.parse(readFileSync(gates[0].file, 'utf8')), { env: { REDIS_URL: redis.url } });
    started.push(third);
    await comes([third], 'ok');
    assert.deepEqual(await shown(third), ['a__first']);
    await third.end();
  });

  await on('both list at once: one fetch, and nobody waits long', async ({ up, gates, shown }) => {
    up.on('tools/list', async (call) => {
      await new Promise((done) => setTimeout(done, 300));
      call.result(`{"tools":${up.tools}}`);
    });
    const all = await Promise.all(gates.map(shown));
    assert.deepEqual(all, [['a__first'], ['a__first']]);
    assert.equal(fetches(up, 2), 1);
  });

  await on('a list of several mebibytes is each one\'s own', async ({ up, gates, shown }) => {
    const text = 'x'.repeat(1024 * 1024);
    up.tools = `[${[1, 2, 3, 4, 5].map((n) => `{"name":"t${n}","description":"${text}","inputSchema":{"type":"object"}}`).join()}]`;
    for (const gate of gates) assert.equal((await shown(gate)).length, 5);
    assert.equal(fetches(up, 2), 2);
  });

  await on('without the store each one fetches by itself', async ({ up, gates, shown }) => {
    redis.pause();
    try {
      for (const gate of gates) assert.deepEqual(await shown(gate), ['a__first']);
      assert.equal(fetches(up, 2), 2);
    } finally {
      redis.resume();
    }
    await comes(gates, 'ok');
  });
});
