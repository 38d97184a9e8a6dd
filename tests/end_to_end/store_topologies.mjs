// A shared store that is more than one server: a node with cluster mode, where keys of one script must share a
// slot; and a primary with its replica and a Sentinel, which dies or changes places while calls go on. gate is
// told one address, which leads to whoever is the primary, as a name or a load balancer would.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { startCutter } from '../../simulations/peers/cutter.mjs';
import { Gate, sample, scratch } from '../../simulations/peers/gate.mjs';
import { once } from '../../simulations/peers/http.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { Key } from '../../simulations/peers/jws.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { Redis, freePort, rights } from '../../simulations/peers/redis.mjs';
import { Upstream } from '../../simulations/peers/upstream.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const BASE = 'http://127.0.0.1:1';
const SIGNING_KEY = 'GATE_TEST_SIGNING_KEY';
const BUDGET = 60;
/** What each part of the state is asked for. */
const OPERATIONS = ['once', 'limit', 'give_back', 'charge', 'circuit', 'pin', 'find', 'look', 'keep', 'forget',
  'session', 'publish', 'subscribe'];
const NO_ANSWER = ['error', 'oom', 'loading', 'readonly'];

const started = [];
const stateOf = async (gate) => (await gate.health()).json.sharedState;
const comes = (gates, state) => Promise.all(gates.map((gate) =>
  until(async () => (await stateOf(gate)) === state, `sharedState ${state}`)));

async function fleet(config, url, env = {}) {
  const gates = [];
  for (let i = 0; i < 2; i += 1) gates.push(await Gate.start(binary, config, { env: { REDIS_URL: url, ...env } }));
  started.push(...gates);
  await comes(gates, 'ok');
  return gates;
}

const counted = (metrics, op, outcome) => sample(metrics, 'gate_store_operations_total', { op, outcome }) ?? 0;

/** How a call ended: `ok`, or the reason of its refusal. */
async function outcome(session) {
  const { result, error } = await session.call('a__echo', { text: 'x' });
  return result ? 'ok' : error.data?.gate?.reason ?? error.code;
}

async function cluster({ step, up, provider }) {
  await step('in a cluster each script names keys of one slot', async () => {
    const redis = await Redis.start({ more: ['--cluster-enabled', 'yes'] });
    try {
      // As the user of docs/fleet.md: a right that is missing there would be a decision of one instance alone.
      await redis.tell('ACL', 'SETUSER', 'gate', 'on', '>word', ...rights());
      assert.equal(await redis.tell('CLUSTER', 'ADDSLOTSRANGE', '0', '16383'), '+OK');
      await until(async () => /cluster_state:ok/.test(await redis.tell('CLUSTER', 'INFO')), 'the cluster to be whole');
      const down = await Upstream.start();
      await down.stop();
      const config = {
        upstreams: [
          { id: 'a', url: up.url, namespace: 'a', rateLimit: { requestsPerMinute: 1000 }, budget: { upstreamCalls: 1000 } },
          { id: 'down', url: down.url, namespace: 'down' },
        ],
        server: { publicUrl: BASE, rateLimit: { requestsPerMinute: 2000, perPrincipalPerMinute: 1500 }, budget: { period: 'day', upstreamCalls: 500 } },
        auth: {
          mode: 'required',
          resource: `${BASE}/mcp`,
          issuers: [{ issuer: provider.issuer, mode: 'exchange' }],
          ema: { idpIssuer: provider.issuer, signingKeyRef: SIGNING_KEY },
        },
      };
      const gates = await fleet(config, redis.url.replace('//', '//gate:word@'), { [SIGNING_KEY]: Key.make('ES256').privatePem });
      const assertion = provider.assertion({ aud: BASE });
      const redeem = (gate) => once(gate.port, {
        path: '/oauth/token',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }).toString(),
      });
      const tokens = [await redeem(gates[0]), await redeem(gates[1])];
      assert.deepEqual(tokens.map(({ status }) => status), [200, 400], tokens[0].body);
      const token = JSON.parse(tokens[0].body).access_token;
      const sessions = [await Session.open(gates[0], { token }), await Session.open(gates[1], { token })];
      up.on('tools/call', (call) => call.result('{"task":{"taskId":"t","status":"working"}}'));
      up.on('tasks/get', (call) => call.result('{"taskId":"t","status":"working"}'));
      assert.ok((await sessions[0].request('tools/call', { name: 'a__echo', arguments: {}, task: {} })).result);
      assert.ok((await sessions[1].request('tasks/get', { taskId: 't' })).result);
      up.restore();
      for (const session of sessions) {
        assert.ok((await session.list('tools/list', 'tools')).items.length);
        assert.equal(await outcome(session), 'ok');
        assert.ok((await session.call('down__echo')).error);
      }
      // A session that both have: the one tells the other.
      const moved = Object.assign(new Session(), { ...sessions[0], port: gates[1].port });
      assert.equal(await outcome(moved), 'ok');
      await until(() => up.listening(), 'a stream to be heard on');
      up.notify('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
      await until(async () => (await redis.tell('EXISTS', 'gate:{cache:a}:tools:changed')) === ':1', 'the store to be told');
      const told = await Promise.all(gates.map((gate) => gate.metrics()));
      for (const op of OPERATIONS) {
        assert.ok(told.some((metrics) => counted(metrics, op, 'ok') > 0), `${op} was not asked for`);
        for (const metrics of told) for (const wrong of NO_ANSWER) assert.equal(counted(metrics, op, wrong), 0, `${op}: ${wrong}`);
      }
      for (const gate of gates) await gate.end();
    } finally {
      await redis.end();
    }
  });
}

/** Debian's redis-server is a Sentinel, too, when it is told so. */
class Sentinel extends Redis {
  static async start(primary) {
    const port = await freePort();
    const file = path.join(scratch(), 'sentinel.conf');
    writeFileSync(file, [
      `port ${port}`, 'bind 127.0.0.1', `sentinel monitor fleet 127.0.0.1 ${primary.port} 1`,
      'sentinel down-after-milliseconds fleet 500', 'sentinel failover-timeout fleet 5000', '',
    ].join('\n'));
    const sentinel = Object.assign(new this('redis-server', [file, '--sentinel'], { name: 'redis-sentinel' }), { port, socket: port, arguments: {} });
    await until(() => sentinel.answers(), 'the Sentinel to answer');
    return sentinel;
  }

  /** The port of the primary, and how many replicas it knows. */
  async sees() {
    const [, port, replicas] = (await this.tell('INFO', 'sentinel')).match(/address=127\.0\.0\.1:(\d+),slaves=(\d+)/);
    return { port: Number(port), replicas: Number(replicas) };
  }
}

async function sentinel({ step, up }) {
  const config = { upstreams: [{ id: 'a', url: up.url, namespace: 'a', budget: { period: 'month', upstreamCalls: BUDGET } }] };

  // A primary that is no longer one goes on to say yes for a moment, and what it was told then is lost.
  for (const [what, fail, loses] of [
    ['the primary dies', (primary) => primary.stop('SIGKILL'), false],
    ['primary and replica change places', (_, watch) => watch.tell('SENTINEL', 'FAILOVER', 'fleet'), true],
  ])
    await step(`with a Sentinel: ${what}, and what was charged is known`, async () => {
      const primary = await Redis.start();
      const replica = await Redis.start({ more: ['--replicaof', '127.0.0.1', String(primary.port)] });
      const watch = await Sentinel.start(primary);
      const door = await startCutter(primary.port);
      let following = true;
      // The name that leads to the primary.
      const follow = (async () => {
        while (following) {
          const { port } = await watch.sees();
          if (port !== door.to) {
            door.to = port;
            door.cut();
          }
          await new Promise((done) => setTimeout(done, 50));
        }
      })();
      try {
        await until(async () => (await watch.sees()).replicas === 1, 'the Sentinel to know the replica');
        await until(async () => /master_link_status:up/.test(await replica.tell('INFO', 'replication')), 'the replica to follow');
        const gates = await fleet(config, `redis://127.0.0.1:${door.port}`);
        const sessions = await Promise.all(gates.map((gate) => Session.open(gate)));
        for (let i = 0; i < 20; i += 1) assert.equal(await outcome(sessions[i % 2]), 'ok');
        assert.equal(await primary.tell('WAIT', '1', '5000'), ':1', 'the replica has heard of it');
        await fail(primary, watch);
        // Calls go on, whoever is asked; nobody waits long. (That the Sentinel knows another primary does not mean that
        // the name leads there yet, and a gate is content with the former one meanwhile: their connections tell.)
        let calls = 20;
        const moved = () => door.leading(replica.port) === gates.length;
        while (!moved() || (await stateOf(gates[0])) !== 'ok' || (await stateOf(gates[1])) !== 'ok') {
          if (calls < 40) {
            assert.equal(await outcome(sessions[calls % 2]), 'ok');
            calls += 1;
          }
          await new Promise((done) => setTimeout(done, 50));
        }
        // What was charged meanwhile the new primary is told. What was in doubt may count twice, never less than once.
        const known = loses ? 20 : calls;
        await until(async () => Number(await charged(replica)) >= known, 'the debts to be paid');
        const more = [];
        for (let i = known; i <= BUDGET; i += 1) more.push(await outcome(sessions[i % 2]));
        assert.equal(more.at(-1), 'budget_exhausted', `${calls} before, then ${more}`);
        for (const gate of gates) await gate.end();
      } finally {
        following = false;
        await follow;
        await door.close();
        await watch.stop('SIGTERM');
        for (const one of [replica, primary]) if (!one.ended) await one.end();
      }
    });
}

/** The only budget's use. */
async function charged(redis) {
  const keys = await redis.tell('EVAL', "return redis.call('GET', redis.call('KEYS', 'gate:{budget}:upstream*')[1] or '') or '0'", '0');
  return keys.split('\r\n')[1];
}

await suite('stores of several servers', async ({ step, defer }) => {
  defer(async () => {
    for (const gate of started) if (!gate.ended) await gate.stop('SIGKILL');
  });
  const up = await Upstream.start({ capabilities: '{"tools":{"listChanged":true},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}' });
  defer(() => up.stop());
  const provider = await IdentityProvider.start();
  defer(() => provider.stop());
  await cluster({ step, up, provider });
  await sentinel({ step, up });
});
