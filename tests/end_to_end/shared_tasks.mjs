// Whose tasks are, and how many tokens are given, in a fleet: two gateways and a real redis-server. Its
// upstreams answer whoever asks, so what hides a task is what the gateways know together; and what becomes
// of it when the store stands still, dies, or comes back without its data.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Gate, sample } from '../../simulations/peers/gate.mjs';
import { once } from '../../simulations/peers/http.mjs';
import { requiring } from '../../simulations/peers/identity.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { Key } from '../../simulations/peers/jws.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { Redis } from '../../simulations/peers/redis.mjs';
import { Upstream } from '../../simulations/peers/upstream.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const UNKNOWN_TASK = -32002;
const CLAIM = /^A result claims a task/;
/** What docs/fleet.md has an operator say, for a user with this password. */
const userAs = (password) => {
  const page = readFileSync(path.join(path.dirname(fileURLToPath(import.meta.url)), '../../docs/fleet.md'), 'utf8');
  return page.match(/^ACL SETUSER .*$/m)[0].replace('PASSWORD', password).split(' ');
};
const BASE = 'http://127.0.0.1:1';
const SIGNING_KEY = 'GATE_TEST_SIGNING_KEY';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

const started = [];
async function fleet(config, url, options = {}) {
  const gates = [];
  for (let i = 0; i < 2; i += 1)
    gates.push(await Gate.start(binary, config, { ...options, env: { REDIS_URL: url, ...options.env } }));
  started.push(...gates);
  await comes(gates, 'ok');
  return gates;
}
const endAll = async (gates) => {
  for (const gate of gates) await gate.end();
};
const keyOf = (id) => `gate:{task:${createHash('sha256').update(id).digest('hex')}}`;
const stateOf = async (gate) => (await gate.health()).json.sharedState;
const comes = (gates, state) => Promise.all(gates.map((gate) =>
  until(async () => (await stateOf(gate)) === state, `sharedState ${state}`)));
const asked = async (gate, op, outcome = 'ok') => sample(await gate.metrics(), 'gate_store_operations_total', { op, outcome }) ?? 0;

/** It mints the task that a call names, and knows every task, whoever asks. */
async function startUpstream() {
  const up = await Upstream.start({ capabilities: '{"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}' });
  up.listed = [];
  const told = (taskId) => JSON.stringify({ taskId, status: 'working', ttl: 60_000 });
  up.on('tools/call', (call) => call.result(`{"task":${told(call.params.arguments.id)}}`));
  up.on('tasks/get', (call) => call.result(told(call.params.taskId)));
  up.on('tasks/list', (call) => call.result(`{"tasks":[${up.listed.map(told).join()}]}`));
  return up;
}

async function tasks({ step, redis, provider, a, b }) {
  const [ada, bob] = ['ada', 'bob'].map((sub) => provider.token({ sub }));
  const config = requiring([provider], { upstreams: [{ id: 'a', url: a.url, namespace: 'a' }, { id: 'b', url: b.url, namespace: 'b' }] });
  const start = (options = {}, url = redis.url) => fleet(config, url, { token: ada, ...options });
  const open = (gate, token) => Session.open(gate, { token });
  const mintAlone = async (session, id, name = 'b__echo') => {
    const { result, error } = await session.request('tools/call', { name, arguments: { id }, task: { ttl: 60_000 } });
    assert.equal(result?.task?.taskId, id, JSON.stringify(error));
  };
  /** Until the store was told: the answer does not wait for that. */
  const mint = async (session, id, name) => {
    await mintAlone(session, id, name);
    await until(async () => (await redis.tell('EXISTS', keyOf(id))) === ':1', 'the store to be told');
  };
  /** How `tasks/get` ends: `ok`, or the code of its error. */
  const get = async (session, taskId) => {
    const { result, error } = await session.request('tasks/get', { taskId });
    return result ? 'ok' : error.code;
  };
  const looked = () => [a, b].map((up) => up.of('tasks/get').length);

  for (const threads of [1, 2])
    await step(`a task is its owner's at all instances, and nobody else's (${threads} threads)`, async () => {
      const gates = await start({ threads });
      const [one, two, other] = [await open(gates[0], ada), await open(gates[1], ada), await open(gates[1], bob)];
      const id = `t-${threads}`;
      await mint(one, id);
      const before = looked();
      assert.equal(await get(other, id), UNKNOWN_TASK);
      const between = looked();
      assert.equal(await get(two, id), 'ok');
      assert.deepEqual(looked(), [between[0], between[1] + 1], 'it is known where it runs');
      assert.deepEqual(between.map((n, i) => n - before[i]), [1, 1], "another's is looked for as one that does not exist");
      const questions = await asked(gates[1], 'find');
      for (let i = 0; i < 5; ++i) assert.equal(await get(two, id), 'ok');
      assert.equal(await asked(gates[1], 'find'), questions, 'the store was asked once');
      await endAll(gates);
    });

  await step('the first minter keeps a task, at whichever instance the second one comes', async () => {
    const gates = await start();
    const [mine, others] = [await open(gates[0], ada), await open(gates[1], bob)];
    await mint(mine, 'claimed');
    await mint(others, 'claimed');
    assert.equal(await get(others, 'claimed'), UNKNOWN_TASK);
    await gates[1].told(CLAIM, 1);
    assert.equal(await get(mine, 'claimed'), 'ok');
    assert.equal(await get(await open(gates[1], ada), 'claimed'), 'ok');
    await endAll(gates);
  });

  await step('one id at two upstreams is two tasks', async () => {
    const gates = await start();
    const [mine, others] = [await open(gates[0], ada), await open(gates[1], bob)];
    await mint(mine, '1', 'a__echo');
    await mint(others, '1', 'b__echo');
    const at = async (gate, token) => {
      const before = looked();
      assert.equal(await get(await open(gate, token), '1'), 'ok');
      return looked().findIndex((n, i) => n > before[i]);
    };
    for (const gate of gates) assert.deepEqual([await at(gate, ada), await at(gate, bob)], [0, 1]);
    for (const gate of gates) assert.deepEqual(gate.said(CLAIM), []);
    await endAll(gates);
  });

  await step('lists show what is not somebody else\'s', async () => {
    const gates = await start();
    await mint(await open(gates[0], ada), 'listed');
    b.listed = ['listed', 'nobodys'];
    const seen = async (gate, token) => (await (await open(gate, token)).list('tasks/list', 'tasks')).items.map(({ taskId }) => taskId);
    for (const gate of gates) {
      assert.deepEqual(await seen(gate, ada), ['listed', 'nobodys']);
      assert.deepEqual(await seen(gate, bob), ['nobodys']);
    }
    b.listed = [];
    await endAll(gates);
  });

  await step('no name stands in the store, and what is there ends after a day', async () => {
    await redis.tell('FLUSHALL');
    const gates = await start();
    await mint(await open(gates[0], ada), 'a secret id');
    const key = keyOf('a secret id');
    const left = Number((await redis.tell('PTTL', key)).slice(1));
    assert.ok(left > 86_000_000 && left <= 86_400_000, String(left));
    const text = await redis.tell('HGET', key, 'b');
    assert.match(text, /\r\n[0-9a-f]{16} \d{13} [0-9a-f]{32} \d+ \d+$/);
    await endAll(gates);
  });

  await step('minted while the store is away, a task is shared when it returns', async () => {
    await redis.tell('FLUSHALL');
    const gates = await start();
    const [one, two, other] = [await open(gates[0], ada), await open(gates[1], ada), await open(gates[1], bob)];
    redis.pause();
    const began = performance.now();
    await mintAlone(one, 'alone');
    assert.ok(performance.now() - began < 500, 'nobody waits for the store to mint');
    await get(two, 'nobodys');
    await get(two, 'nobodys');
    await get(two, 'nobodys');
    await comes([gates[1]], 'away');
    redis.resume();
    await comes(gates, 'ok');
    await until(async () => (await redis.count('gate:{task:*')) === 1, 'the store to be told');
    assert.equal(await get(other, 'alone'), UNKNOWN_TASK);
    assert.equal(await get(two, 'alone'), 'ok');
    await endAll(gates);
  });

  await step('an instance is killed: its tasks are their owners\' at the others', async () => {
    const gates = await start();
    await mint(await open(gates[0], ada), 'orphan');
    await gates[0].stop('SIGKILL');
    const before = looked();
    assert.equal(await get(await open(gates[1], bob), 'orphan'), UNKNOWN_TASK);
    assert.equal(await get(await open(gates[1], ada), 'orphan'), 'ok');
    assert.deepEqual(looked().map((n, i) => n - before[i]), [1, 2], 'hers was not looked for at the other upstream');
    await gates[1].end();
  });

  await step('with a user that may do what docs/fleet.md says', async () => {
    assert.equal(await redis.tell(...userAs('word')), '+OK');
    const gates = await start({}, redis.url.replace('//', '//gate:word@'));
    await mint(await open(gates[0], ada), 'allowed');
    assert.equal(await get(await open(gates[1], bob), 'allowed'), UNKNOWN_TASK);
    assert.equal(await get(await open(gates[1], ada), 'allowed'), 'ok');
    for (const gate of gates) for (const op of ['pin', 'find']) assert.equal(await asked(gate, op, 'error'), 0, op);
    await endAll(gates);
  });
}

async function tokens({ step, redis, provider, a }) {
  const key = Key.make('ES256');
  const LIMIT = 10;
  const config = {
    upstreams: [{ id: 'a', url: a.url, namespace: 'a' }],
    server: { publicUrl: BASE },
    auth: {
      mode: 'required',
      resource: `${BASE}/mcp`,
      issuers: [{ issuer: provider.issuer, mode: 'exchange' }],
      ema: { idpIssuer: provider.issuer, signingKeyRef: SIGNING_KEY, tokenRateLimitPerMinute: LIMIT },
    },
  };
  const redeem = async (gate, assertion = provider.assertion({ aud: BASE })) => {
    const fields = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
    return once(gate.port, { path: '/oauth/token', body: new URLSearchParams(fields).toString(), headers: FORM });
  };

  await step('so many tokens a minute are given by all instances together, and replays take none', async () => {
    await redis.tell('FLUSHALL');
    const gates = await fleet(config, redis.url, { env: { [SIGNING_KEY]: key.privatePem } });
    const left = 60_000 - (Date.now() % 60_000);
    if (left < 15_000) await new Promise((done) => setTimeout(done, left + 50));
    const used = provider.assertion({ aud: BASE });
    assert.equal((await redeem(gates[0], used)).status, 200);
    for (let i = 0; i < LIMIT - 1; i += 1) assert.equal((await redeem(gates[1], used)).status, 400, 'a replay');
    const statuses = [];
    for (let i = 0; i < LIMIT + 3; i += 1) {
      const answer = await redeem(gates[i % 2]);
      statuses.push(answer.status);
      if (answer.status === 429) assert.match(answer.headers.get('retry-after'), /^\d+$/);
    }
    assert.deepEqual(statuses, [...Array(LIMIT - 1).fill(200), ...Array(4).fill(429)]);
    assert.equal(await redis.tell('HGET', 'gate:{rl}:token', 'c'), `$2\r\n${LIMIT}`);
    assert.equal(await asked(gates[1], 'give_back'), 1, 'the others it knew');
    await endAll(gates);
  });
}

await suite('tasks and tokens of a fleet', async ({ step, defer }) => {
  defer(async () => {
    for (const gate of started) if (!gate.ended) await gate.stop('SIGKILL');
  });
  const [a, b] = [await startUpstream(), await startUpstream()];
  defer(() => Promise.all([a.stop(), b.stop()]));
  const provider = await IdentityProvider.start();
  defer(() => provider.stop());
  const redis = await Redis.start();
  defer(() => redis.end());
  await tasks({ step, redis, provider, a, b });
  await tokens({ step, redis, provider, a });
});
