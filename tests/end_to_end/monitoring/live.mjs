// Every question of the dashboard and every rule, asked of a real Prometheus that scrapes a real fleet: two gateways over a
// store, one that requires tokens, gate-stdio, gate-hooks and gate-discovery, each with something that goes wrong. What is asked has an answer, or
// stands in a list of what has none here. Needs `prometheus`: `make test-monitoring`.
// Arguments: the folder of the programs.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { Cluster } from '../../../simulations/peers/cluster.mjs';
import { Discovery } from '../../../simulations/peers/discovery.mjs';
import { Gate, scratch } from '../../../simulations/peers/gate.mjs';
import { Hooks } from '../../../simulations/peers/hooks.mjs';
import { once } from '../../../simulations/peers/http.mjs';
import { RESOURCE, knock, requiring } from '../../../simulations/peers/identity.mjs';
import { IdentityProvider } from '../../../simulations/peers/identity_provider.mjs';
import { Key } from '../../../simulations/peers/jws.mjs';
import { Session } from '../../../simulations/peers/mcp.mjs';
import { Child } from '../../../simulations/peers/process.mjs';
import { Redis, freePort } from '../../../simulations/peers/redis.mjs';
import { Registry } from '../../../simulations/peers/registry.mjs';
import { Shim, odd } from '../../../simulations/peers/shim.mjs';
import { Upstream, deadPort } from '../../../simulations/peers/upstream.mjs';
import { WebhookReceiver } from '../../../simulations/peers/webhook_receiver.mjs';
import { until } from '../../../simulations/peers/waiting.mjs';
import { suite } from '../support/suite.mjs';
import { catalogue, dashboard, expressionsOf, rules, rulesOf } from './files.mjs';

const bin = process.argv[2];
if (!bin) {
  console.error(`usage: node ${process.argv[1]} <folder of gate, gate-stdio, gate-hooks and gate-discovery>`);
  process.exit(2);
}
const program = (name) => path.join(bin, name);
const CLIENT_SECRET = 'the-secret-of-a-client';

/** The rules, evaluated every second: nobody has half a minute. */
function ofEverySecond(folder) {
  const file = path.join(folder, 'rules.yml');
  writeFileSync(file, stringify({ groups: rules.groups.map((group) => ({ ...group, interval: '1s' })) }));
  return file;
}

/** Prometheus as a process, which scrapes `jobs` (name -> ports) every second. */
class Prometheus extends Child {
  static async start(jobs) {
    const folder = scratch();
    const config = path.join(folder, 'prometheus.yml');
    const scrape_configs = Object.entries(jobs).map(([job_name, ports]) => ({
      job_name, static_configs: [{ targets: ports.map((port) => `127.0.0.1:${port}`) }],
    }));
    writeFileSync(config, stringify({ global: { scrape_interval: '1s', evaluation_interval: '1s' }, rule_files: [ofEverySecond(folder)], scrape_configs }));
    const port = await freePort();
    const self = new this('prometheus', [`--config.file=${config}`, `--storage.tsdb.path=${path.join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`], { name: 'prometheus' });
    self.port = port;
    await self.says(/Server is ready to receive web requests/, 30_000);
    return self;
  }

  /** What an API call of its says, as data; an error is one. */
  async ask(place, parameters = {}) {
    const response = await fetch(`http://127.0.0.1:${this.port}/api/v1/${place}?${new URLSearchParams(parameters)}`);
    const { status, data, error } = await response.json();
    assert.equal(status, 'success', `${JSON.stringify(parameters)}: ${error}`);
    return data;
  }

  /** Waits until all that is scraped has been scraped so often from now on. */
  async scrapes(times) {
    const counts = async () => (await this.query('min(count_over_time(up[1h]))'))[0].value[1];
    const wanted = Number(await counts()) + times;
    await until(async () => Number(await counts()) >= wanted, `${times} scrapes`);
  }

  /** The series with a number in what an expression comes to now. */
  async query(expr) {
    const { result } = await this.ask('query', { query: expr });
    return result.filter(({ value }) => value[1] !== 'NaN');
  }
}

/** Two gateways with a store, discovery, replicas, limits, sinks that take nothing, and a dead upstream. */
async function startFleet(defer) {
  const redis = await Redis.start();
  defer(() => redis.stop());
  const [good, shy, discovered] = [await Upstream.start(), await Upstream.start(), await Upstream.start()];
  for (const upstream of [good, shy, discovered]) defer(() => upstream.stop());
  const registry = await Registry.start([{ id: 'found', namespace: 'found', url: discovered.url }]);
  defer(() => registry.stop());
  const nobody = `http://127.0.0.1:${await deadPort()}`;
  const breaker = { circuitBreaker: { failureThreshold: 2, halfOpenAfterMs: 600_000 } };
  const config = {
    upstreams: [
      { id: 'good', namespace: 'good', url: good.url },
      { id: 'dead', namespace: 'dead', url: `${nobody}/mcp`, ...breaker },
      { id: 'twice', namespace: 'twice', urls: [good.url, `${nobody}/mcp`], healthCheck: { intervalMs: 1000 } },
      { id: 'shy', namespace: 'shy', url: shy.url, rateLimit: { requestsPerMinute: 4 } },
      { id: 'poor', namespace: 'poor', url: shy.url, budget: { period: 'month', upstreamCalls: 2 } },
    ],
    audit: { sinks: [{ type: 'stdout' }, { type: 'webhook', url: `${nobody}/audit` }] },
    tracing: { otlpEndpoint: nobody },
    discovery: { url: registry.url, intervalMs: 1000 },
    server: { introspection: { enabled: true } },
  };
  const gates = [];
  for (let i = 0; i < 2; i += 1) {
    gates.push(await Gate.start(program('gate'), config, { env: { REDIS_URL: redis.url } }));
    defer(() => gates[i].stop());
  }
  return { gates, redis, registry, good };
}

/** One that requires tokens, has policy and tenants, mints tokens, and gets its credentials elsewhere. */
async function startStrict(defer) {
  const idp = await IdentityProvider.start({ audience: RESOURCE });
  idp.grants.clients.set('gate', CLIENT_SECRET);
  const enterprise = await IdentityProvider.start({ audience: RESOURCE });
  const upstream = await Upstream.start();
  for (const peer of [idp, enterprise, upstream]) defer(() => peer.stop());
  const config = requiring([idp], {
    upstreams: [{
      id: 'with-credential', namespace: 'c', url: upstream.url,
      auth: { strategy: 'client-credentials', tokenEndpoint: `${idp.origin}/token`, clientId: 'gate', clientAuth: { type: 'client_secret_basic', secretRef: 'GATE_TEST_SECRET' } },
    }],
    policy: { rules: [{ id: 'some', allow: [{ server: 'with-credential', names: ['echo'] }] }] },
    tenants: [{ id: 'readers', subjects: { groups: ['readers'] } }, { id: 'writers', subjects: { groups: ['writers'] } }],
    server: { publicUrl: new URL(RESOURCE).origin, rateLimit: { requestsPerMinute: 10_000, perPrincipalPerMinute: 30 } },
  }, {
    issuers: [{ issuer: idp.issuer, groupsClaim: 'groups' }, { issuer: enterprise.issuer, mode: 'exchange' }],
    ema: { idpIssuer: enterprise.issuer, signingKeyRef: 'GATE_TEST_SIGNING_KEY' },
  });
  const gate = await Gate.start(program('gate'), config, {
    env: { GATE_TEST_SECRET: CLIENT_SECRET, GATE_TEST_SIGNING_KEY: Key.make('ES256').privatePem },
  });
  defer(() => gate.stop());
  return { gate, idp };
}

/** What clients of the fleet do, well and badly; once. */
async function drive({ gates, good }) {
  const [first, second] = gates;
  const session = await Session.open(first);
  for (const method of ['tools/list', 'tools/list', 'no/such']) await session.request(method, {});
  for (const name of ['good__echo', 'twice__echo', 'nobody__echo', 'dead__echo', 'dead__echo', 'dead__echo', 'dead__echo', 'dead__echo', 'found__echo'])
    await session.call(name, { text: 'x' });
  for (let i = 0; i < 6; i += 1) await session.call('shy__echo', { text: 'x' });
  for (let i = 0; i < 4; i += 1) await session.call('poor__echo', { text: 'x' });
  // Its session goes on at the other instance.
  session.port = second.port;
  await session.call('good__echo', { text: 'x' });
  await once(first.port, { path: '/mcp', headers: { Host: 'evil.example.com' }, body: '{}' });
  await good.notify('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
}

/** Each round somebody else, since each asks more than a principal may. */
async function driveStrict({ gate, idp }, round) {
  const token = idp.token({ sub: `alice-${round}`, groups: ['readers'] });
  const session = await Session.open(gate, { token });
  await session.request('tools/list', {});
  for (const name of ['c__echo', 'c__raw']) await session.call(name, { text: 'x' });
  await knock(gate, idp.token({ sub: 'mallory', groups: ['readers', 'writers'] }));
  await knock(gate, 'not-a-token');
  for (let i = 0; i < 40; i += 1) await session.request('ping', {});
  await once(gate.port, { path: '/oauth/token', body: 'grant_type=none', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } });
}

/** A webhook whose receiver takes what it is told, and one that is not there. */
async function driveHooks(hooks, receiver, nobody) {
  await hooks.webhook(receiver.hook);
  await hooks.webhook(`http://127.0.0.1:${nobody}/hook`);
  await hooks.event('deploy.success');
}

await suite('monitoring: live', async ({ step, defer }) => {
  const fleet = await startFleet(defer);
  const strict = await startStrict(defer);
  const shim = await Shim.start(program('gate-stdio'), odd, { args: ['--max-sessions', '2'] });
  defer(() => shim.stop());
  const broken = await Shim.start(program('gate-stdio'), ['/nonexistent/server']);
  defer(() => broken.stop());
  const hooks = await Hooks.start(program('gate-hooks'));
  defer(() => hooks.stop());
  const receiver = await WebhookReceiver.start();
  defer(() => receiver.stop());
  const cluster = await Cluster.start();
  defer(() => cluster.stop());
  cluster.apply('a', { enabled: 'true' });
  cluster.apply('b', { enabled: 'maybe' });
  const discovery = await Discovery.start(cluster, { command: [program('gate-discovery')] });
  defer(() => discovery.stop());
  const nobody = await deadPort();
  const prometheus = await Prometheus.start({
    gate: [...fleet.gates, strict.gate].map(({ port }) => port),
    'gate-stdio': [shim.port, broken.port],
    'gate-hooks': [hooks.port],
    'gate-discovery': [discovery.port],
  });
  defer(() => prometheus.stop());

  await step('all of them are scraped', async () => {
    await until(async () => (await prometheus.query('up == 1')).length === 7, 'seven targets to be up');
    assert.deepEqual((await prometheus.query('up == 0')), []);
  });

  await step('they are asked for something, well and badly', async () => {
    for (let round = 0; round < 4; round += 1) {
      await Promise.all([drive(fleet), driveStrict(strict, round), driveHooks(hooks, receiver, nobody)]);
      // Two sessions are all that the first may have; the other has a server that can not be started.
      const statuses = [await knock(shim), await knock(shim), await knock(broken)].map(({ status }) => status);
      assert.deepEqual(statuses, round ? [503, 503, 502] : [200, 200, 502]);
      await prometheus.scrapes(2);
    }
  });

  await step('every metric of the catalogue is there, with no other labels', async () => {
    const scraped = await prometheus.ask('series', { 'match[]': '{__name__=~"(gate|process)_.+"}' });
    const seen = new Map();
    for (const { __name__: name, ...labels } of scraped) {
      const base = catalogue().has(name) ? name : name.replace(/_(bucket|sum|count)$/, '');
      const known = seen.get(base) ?? new Set();
      for (const label of Object.keys(labels)) if (!['job', 'instance', 'le'].includes(label)) known.add(label);
      seen.set(base, known);
    }
    const missing = [...catalogue().keys()].filter((name) => !seen.has(name));
    assert.deepEqual(missing, []);
    for (const [name, labels] of seen) assert.deepEqual([...labels].sort(), [...catalogue().get(name).labels].sort(), name);
  });

  await step('every question of the dashboard has an answer', async () => {
    const unanswered = [];
    for (const { panel, expr } of expressionsOf(dashboard)) if (!(await prometheus.query(expr)).length) unanswered.push(`${panel}: ${expr}`);
    assert.deepEqual(unanswered, []);
  });

  await step('so has every variable of it', async () => {
    for (const { definition } of dashboard.templating.list.filter(({ type }) => type === 'query')) {
      const [, selector, label] = definition.replaceAll('$job', '.+').match(/^label_values\((.*), (\w+)\)$/);
      const values = await prometheus.ask(`label/${label}/values`, { 'match[]': selector });
      assert.ok(values.length, definition);
    }
  });

  await step('every rule is evaluated, and what is recorded has values', async () => {
    const { groups } = await prometheus.ask('rules');
    const all = groups.flatMap((group) => group.rules);
    assert.equal(all.length, rulesOf(rules).length);
    await until(async () => (await prometheus.ask('rules')).groups.flatMap((group) => group.rules).every(({ health }) => health !== 'unknown'), 'all rules to be evaluated', 60_000);
    for (const rule of (await prometheus.ask('rules')).groups.flatMap((group) => group.rules)) assert.deepEqual([rule.name, rule.health, rule.lastError], [rule.name, 'ok', undefined]);
    for (const { record } of rulesOf(rules).filter((rule) => rule.record)) assert.ok((await prometheus.query(record)).length, record);
  });

  /** Names of the alerts that fire, or wait until what they tell of has lasted. */
  const seen = async () => new Set((await prometheus.ask('alerts')).alerts.map(({ labels }) => labels.alertname));

  await step('what goes wrong here is seen, what does not is not, and alerts say what is so', async () => {
    const wrong = ['GateAuditDropped', 'GateAvailabilityBurnsFast', 'GateStdioCanNotStart', 'GateStdioFull',
      'GateTenantAmbiguous', 'GateUpstreamCircuitOpen', 'GateUpstreamEndpointEjected', 'GateUpstreamFails'];
    const names = await seen();
    assert.deepEqual(wrong.filter((name) => !names.has(name)), []);
    for (const name of ['GateDown', 'GateRestarts', 'GateStoreAway', 'GateBudgetDegraded', 'GateDiscoveryFails', 'GateKeySetStale',
      'GateCredentialMissing', 'GateStdioServerDies', 'GateFilesNearLimit']) assert.ok(!names.has(name), name);
    const { alerts } = await prometheus.ask('alerts');
    for (const { annotations } of alerts) for (const text of Object.values(annotations)) assert.doesNotMatch(text, /<no value>|error calling/, text);
  });

  await step('the store dies, and a program: that is seen, too', async () => {
    await fleet.redis.end();
    await strict.gate.end();
    await until(async () => {
      const names = await seen();
      return names.has('GateStoreAway') && names.has('GateDown');
    }, 'GateStoreAway and GateDown');
  });
});
