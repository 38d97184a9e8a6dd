// Limits, budgets and circuits of a fleet: two gateways and a real redis-server. What both let
// through together is exactly what may come in; and what becomes of it when the store stops, dies,
// forgets its scripts or has no room.
import assert from 'node:assert/strict';
import { Gate, sample } from '../../simulations/peers/gate.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { Redis } from '../../simulations/peers/redis.mjs';
import { Upstream } from '../../simulations/peers/upstream.mjs';
import { sleep, until } from '../../simulations/peers/waiting.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const WORKERS = 32;
/** Longer than the store is waited for. */
const STORE_MS = 500;
const [CLOSED, HALF_OPEN, OPEN] = [0, 1, 2];

const started = [];
async function fleet(redis, config, { size = 2, threads = 1, database = '' } = {}) {
  const gates = [];
  for (let i = 0; i < size; i += 1)
    gates.push(await Gate.start(binary, config, { threads, env: { REDIS_URL: redis.url + database } }));
  started.push(...gates);
  return gates;
}
const endAll = async (gates) => {
  for (const gate of gates) await gate.end();
};

/** How a call ended: `ok`, or the reason of its refusal. */
async function outcome(session, name = 'a__echo') {
  const { result, error } = await session.call(name, { text: 'x' });
  return result ? 'ok' : error.data?.gate?.reason ?? error.code;
}
const counted = (all) => Object.fromEntries([...new Set(all)].sort().map((what) => [what, all.filter((one) => one === what).length]));

/** Many clients of all gateways call at once, `each` times; what became of all calls together. */
async function storm(gates, each, name) {
  const sessions = await Promise.all(Array.from({ length: WORKERS }, (_, i) => Session.open(gates[i % gates.length])));
  const all = await Promise.all(sessions.map(async (session) => {
    const found = [];
    for (let i = 0; i < each; i += 1) found.push(await outcome(session, name));
    return found;
  }));
  return counted(all.flat());
}

/** Windows begin with the store's minute, budgets end with the hour: nothing here runs across either. */
async function awayFromTheMinute(ms = 20_000) {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < ms) await sleep(left + 50);
}

const entry = (id, upstream, more = {}) => ({ id, url: upstream.url, namespace: id, ...more });
const stateOf = async (gate) => (await gate.health()).json.sharedState;
const comes = (gates, state) => Promise.all(gates.map((gate) =>
  until(async () => (await stateOf(gate)) === state, `sharedState ${state}`)));

await suite('shared guards', async ({ step, defer }) => {
  defer(async () => {
    for (const gate of started) if (!gate.ended) await gate.stop('SIGKILL');
  });
  const up = await Upstream.start();
  defer(() => up.stop());
  const redis = await Redis.start();
  defer(() => redis.end());

  await step('a limit of an upstream holds exactly, over two instances', async () => {
    await redis.tell('FLUSHALL');
    const gates = await fleet(redis, { upstreams: [entry('a', up, { rateLimit: { requestsPerMinute: 50 } })] });
    await comes(gates, 'ok');
    await awayFromTheMinute();
    const before = up.of('tools/call').length;
    const found = await storm(gates, 10);
    assert.deepEqual(found, { ok: 50, rate_limited: WORKERS * 10 - 50 });
    assert.equal(up.of('tools/call').length - before, 50);
    await endAll(gates);
  });

  await step('a limit of everybody, with two threads each, and what is refused is not counted', async () => {
    await redis.tell('FLUSHALL');
    const gates = await fleet(redis, {
      upstreams: [entry('a', up)],
      server: { rateLimit: { requestsPerMinute: 12 } },
    }, { threads: 2 });
    await comes(gates, 'ok');
    await awayFromTheMinute();
    const [one, two] = [await Session.open(gates[0]), await Session.open(gates[1])];  // four requests
    const statuses = [];
    for (let i = 0; i < 20; i += 1) {
      const answer = await [one, two][i % 2].post({ jsonrpc: '2.0', id: i, method: 'ping' });
      statuses.push(answer.status);
      if (answer.status === 429) assert.match(answer.headers.get('retry-after'), /^\d+$/);
    }
    assert.deepEqual(statuses, [...Array(8).fill(200), ...Array(12).fill(429)]);
    await endAll(gates);
  });

  await step('a budget is one of all instances, to the last call', async () => {
    await redis.tell('FLUSHALL');
    const gates = await fleet(redis, {
      upstreams: [entry('a', up, { budget: { period: 'month', upstreamCalls: 70 } }), entry('b', up)],
      server: { budget: { period: 'day', upstreamCalls: 90 } },
    });
    await comes(gates, 'ok');
    const before = up.of('tools/call').length;
    assert.deepEqual(await storm(gates, 8, 'a__echo'), { budget_exhausted: WORKERS * 8 - 70, ok: 70 });
    assert.deepEqual(await storm(gates, 3, 'b__echo'), { budget_exhausted: WORKERS * 3 - 20, ok: 20 },
      'what was refused for the upstream was not charged to the server');
    assert.equal(up.of('tools/call').length - before, 90);
    for (const gate of gates) assert.equal(sample(await gate.metrics(), 'gate_budget_degraded_total'), 0);
    assert.equal(await redis.count('gate:{budget}:*'), 2, 'one number for each budget');
    await endAll(gates);
  });

  await step('a limit of an upstream and all budgets are one question, and none is counted alone', async () => {
    const of = (rate, budget) => ({
      upstreams: [entry('a', up, { rateLimit: { requestsPerMinute: rate }, budget: { period: 'day', upstreamCalls: budget } })],
      server: { budget: { period: 'day', upstreamCalls: 1000 } },
    });
    for (const [rate, budget, refusal] of [[60, 45, 'budget_exhausted'], [45, 60, 'rate_limited']]) {
      await redis.tell('FLUSHALL');
      const gates = await fleet(redis, of(rate, budget));
      await comes(gates, 'ok');
      await awayFromTheMinute();
      const before = up.of('tools/call').length;
      assert.deepEqual(await storm(gates, 4), { [refusal]: WORKERS * 4 - 45, ok: 45 });
      assert.equal(up.of('tools/call').length - before, 45);
      const asked = async (op) => {
        const all = await Promise.all(gates.map((gate) => gate.metrics()));
        return all.reduce((sum, metrics) => sum + (sample(metrics, 'gate_store_operations_total', { op, outcome: 'ok' }) ?? 0), 0);
      };
      const charges = await asked('charge');
      assert.ok(charges > 0 && charges <= WORKERS * 4, `${charges}: those that wait together are one question`);
      assert.deepEqual([await asked('limit'), await asked('add')], [0, 0]);
      assert.equal(await redis.tell('HGET', 'gate:{budget}:rl:upstream:a', 'c'), '$2\r\n45');
      const used = await redis.tell('EVAL', "return redis.call('GET', redis.call('KEYS', 'gate:{budget}:server:day:*')[1])", '0');
      assert.equal(used, '$2\r\n45');
      for (const gate of gates) assert.equal(sample(await gate.metrics(), 'gate_budget_degraded_total'), 0);
      await endAll(gates);
    }
  });

  await step('scripts that the store has forgotten are sent again, and no call notices', async () => {
    await redis.tell('FLUSHALL');
    const gates = await fleet(redis, { upstreams: [entry('a', up, { budget: { upstreamCalls: 1000 } })] });
    await comes(gates, 'ok');
    const session = await Session.open(gates[0]);
    for (let i = 0; i < 5; i += 1) {
      await redis.tell('SCRIPT', 'FLUSH');
      assert.equal(await outcome(session), 'ok');
    }
    assert.equal(sample(await gates[0].metrics(), 'gate_budget_degraded_total'), 0);
    await endAll(gates);
  });

  await step('while the store stands still a few calls wait for half a second, then none', async () => {
    await redis.tell('FLUSHALL');
    const gates = await fleet(redis, { upstreams: [entry('a', up, { budget: { upstreamCalls: 40 } })] });
    await comes(gates, 'ok');
    const session = await Session.open(gates[0]);
    for (let i = 0; i < 10; i += 1) assert.equal(await outcome(session), 'ok');
    redis.pause();
    const took = [];
    for (let i = 0; i < 10; i += 1) {
      const began = performance.now();
      assert.equal(await outcome(session), 'ok');
      took.push(performance.now() - began);
    }
    // How long a call takes is nobody's promise here, but that it waits for the store is seen.
    const waited = took.filter((ms) => ms >= STORE_MS).length;
    assert.ok(waited <= 3, `${waited} calls waited for a store that says nothing`);
    await comes([gates[0]], 'away');
    assert.ok(sample(await gates[0].metrics(), 'gate_budget_degraded_total') >= 10 - waited);
    redis.resume();
    await comes(gates, 'ok');
    const other = await Session.open(gates[1]);
    const rest = [];
    for (let i = 0; i < 30; i += 1) rest.push(await outcome(other));
    const left = counted(rest);
    // What was decided alone is told; what was in doubt may be counted twice, never less than once.
    assert.ok(left.ok <= 20 && left.ok >= 20 - waited, JSON.stringify(left));
    await endAll(gates);
  });

  await step('a store that dies takes no call with it, and is told what was charged', async () => {
    await redis.tell('FLUSHALL');
    let mine = await Redis.start();
    const gates = await fleet(mine, { upstreams: [entry('a', up, { budget: { upstreamCalls: 15 } })] });
    await comes(gates, 'ok');
    const [one, two] = [await Session.open(gates[0]), await Session.open(gates[1])];
    for (let i = 0; i < 5; i += 1) assert.equal(await outcome([one, two][i % 2]), 'ok');
    await mine.stop('SIGKILL');
    await comes(gates, 'away');
    for (let i = 0; i < 3; i += 1) assert.equal(await outcome(one), 'ok');
    for (let i = 0; i < 4; i += 1) assert.equal(await outcome(two), 'ok');
    mine = await mine.again();
    await comes(gates, 'ok');
    const rest = [];
    for (let i = 0; i < 6; i += 1) rest.push(await outcome([one, two][i % 2]));
    assert.deepEqual(counted(rest), { budget_exhausted: 3, ok: 3 });
    await endAll(gates);
    await mine.end();
  });

  await step('a store that dies without a call meanwhile has to be told what was used before', async () => {
    let mine = await Redis.start();
    const gates = await fleet(mine, {
      upstreams: [entry('a', up, { budget: { upstreamCalls: 10 } }), entry('b', up, { rateLimit: { requestsPerMinute: 10 } })],
    });
    await comes(gates, 'ok');
    await awayFromTheMinute();
    const [one, two] = [await Session.open(gates[0]), await Session.open(gates[1])];
    for (let i = 0; i < 8; i += 1)
      for (const name of ['a__echo', 'b__echo']) assert.equal(await outcome([one, two][i % 2], name), 'ok');
    await mine.stop('SIGKILL');
    await comes(gates, 'away');
    mine = await mine.again();
    await comes(gates, 'ok');
    const rest = { a__echo: [], b__echo: [] };
    for (let i = 0; i < 5; i += 1)
      for (const [name, found] of Object.entries(rest)) found.push(await outcome([one, two][i % 2], name));
    assert.deepEqual(counted(rest.a__echo), { budget_exhausted: 3, ok: 2 });
    assert.deepEqual(counted(rest.b__echo), { ok: 2, rate_limited: 3 });
    await endAll(gates);
    await mine.end();
  });

  await step('fleets with databases of their own open nothing of each other', async () => {
    await redis.tell('FLUSHALL');
    const sick = await Upstream.start();
    const config = { upstreams: [entry('sick', sick, { circuitBreaker: { failureThreshold: 2, halfOpenAfterMs: 60_000 } })] };
    const fleets = [await fleet(redis, config, { database: '/0' }), await fleet(redis, config, { database: '/1' })];
    for (const gates of fleets) await comes(gates, 'ok');
    const [mine, other] = await Promise.all(fleets.map((gates) => Promise.all(gates.map((gate) => Session.open(gate)))));
    for (const session of [...mine, ...other]) assert.equal(await outcome(session, 'sick__echo'), 'ok');
    sick.on('tools/call', (call) => call.status(500, 'text/plain', 'out of order'));
    for (const session of other) assert.equal(await outcome(session, 'sick__echo'), 'upstream_down');
    for (const gate of fleets[1]) await gate.shows('gate_upstream_breaker_state', { upstream: 'sick' }, OPEN);
    // What is published arrives with the answer to whoever caused it; others had all the time of the ones above.
    await sleep(STORE_MS);
    for (const gate of fleets[0])
      assert.equal(sample(await gate.metrics(), 'gate_upstream_breaker_state', { upstream: 'sick' }), CLOSED);
    for (const session of mine) assert.equal(await outcome(session, 'sick__echo'), 'upstream_down');
    for (const gate of fleets[0]) await gate.shows('gate_upstream_breaker_state', { upstream: 'sick' }, OPEN);
    for (const gates of fleets) await endAll(gates);
    await sick.stop();
  });

  await step('a store without room: each instance decides for itself', async () => {
    const mine = await Redis.start();
    const gates = await fleet(mine, { upstreams: [entry('a', up, { budget: { upstreamCalls: 3 } })] });
    await comes(gates, 'ok');
    await mine.tell('CONFIG', 'SET', 'maxmemory', '1');
    const session = await Session.open(gates[0]);
    const found = [];
    for (let i = 0; i < 5; i += 1) found.push(await outcome(session));
    assert.deepEqual(counted(found), { budget_exhausted: 2, ok: 3 });
    await endAll(gates);
    await mine.end();
  });

  await step('a circuit opens for all when the failures of all are enough, and one probe is let through', async () => {
    await redis.tell('FLUSHALL');
    const sick = await Upstream.start();
    const gates = await fleet(redis, {
      upstreams: [entry('sick', sick, { circuitBreaker: { failureThreshold: 4, halfOpenAfterMs: 1500 } }), entry('a', up)],
    }, { size: 3 });
    await comes(gates, 'ok');
    const sessions = await Promise.all(gates.map((gate) => Session.open(gate)));
    for (const session of sessions) assert.equal(await outcome(session, 'sick__echo'), 'ok');
    sick.on('tools/call', (call) => call.status(500, 'text/plain', 'out of order'));
    for (let i = 0; i < 4; i += 1) assert.equal(await outcome(sessions[i % 2], 'sick__echo'), 'upstream_down');
    for (const gate of gates) await gate.shows('gate_upstream_breaker_state', { upstream: 'sick' }, OPEN);
    const before = sick.of('tools/call').length;
    for (const session of sessions) assert.equal(await outcome(session, 'sick__echo'), 'upstream_down');
    assert.equal(sick.of('tools/call').length, before, 'nobody is let through');
    for (const gate of gates) await gate.shows('gate_upstream_breaker_state', { upstream: 'sick' }, HALF_OPEN);
    // One call holds the lease while the others come.
    let answer;
    sick.on('tools/call', (call) => { answer = () => call.text('well'); });
    const calls = sessions.map((session) => outcome(session, 'sick__echo'));
    await until(() => answer, 'the probe');
    const refused = await Promise.race([...calls, sleep(10_000).then(() => 'nobody was refused')]);
    assert.equal(refused, 'upstream_down');
    assert.equal(sick.of('tools/call').length, before + 1, 'one probe over the fleet');
    answer();
    assert.deepEqual(counted(await Promise.all(calls)), { ok: 1, upstream_down: 2 });
    for (const gate of gates) await gate.shows('gate_upstream_breaker_state', { upstream: 'sick' }, CLOSED);
    await endAll(gates);
    await sick.stop();
  });

  await step('no name of a caller and no secret stands in the store', async () => {
    const keys = await redis.tell('EVAL', "return table.concat(redis.call('KEYS', '*'), ' ')", '0');
    for (const key of keys.split('\r\n')[1]?.split(' ') ?? [])
      assert.match(key, /^gate:\{(rl|budget|cb:sick|fleet|(once|session):[0-9a-f]+)\}?/, key);
  });
});
