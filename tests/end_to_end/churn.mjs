// Chaos with real sockets: upstream processes are killed, stopped and started again, replicas die,
// the configuration is reloaded all the time, the source of discovery flaps; thirty clients go on
// calling. Each request gets one answer and one audit line, calls to the upstream that is well never
// fail, and in the end all is as it was. GATE_CHURN_SECONDS says how long, GATE_CHURN_SEED repeats
// the same dice.
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { Gate, sample, withAudit } from '../../simulations/peers/gate.mjs';
import { Connection } from '../../simulations/peers/http.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { StrictUpstream, UpstreamProcess } from '../../simulations/peers/strict_upstream.mjs';
import { sleep, until } from '../../simulations/peers/waiting.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const SECONDS = Number(process.env.GATE_CHURN_SECONDS ?? 60);
const SEED = Number(process.env.GATE_CHURN_SEED ?? Date.now() % 1_000_000);
const CLIENTS = 30;
const CODES = new Set([-32040, -32041, -32042, -32043, -32044]);

/** Dice with a seed (mulberry32): `roll(n)` is below n. */
function dice(seed) {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

/** The source of discovery: a document, nonsense, an error, or nothing at all. */
class Registry {
  async start() {
    this.server = http.createServer((request, response) => this.answer?.(response));
    await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${this.server.address().port}/upstreams`;
    return this;
  }

  says(text, status = 200) {
    this.answer = (response) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
  }

  saysNothing() {
    this.answer = undefined;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((done) => this.server.close(done));
  }
}

const settings = (requestMs = 1500) => ({
  timeouts: { connectMs: 1000, requestMs },
  circuitBreaker: { failureThreshold: 5, halfOpenAfterMs: 1000 },
  cacheTtlMs: 1000,
});

/** What the operator and the source of discovery may say. */
class Documents {
  spare = true;
  turn = 0;

  constructor(hosts, registry) {
    Object.assign(this, { hosts, registry });
  }

  get text() {
    const { good, sick, replicas, spare } = this.hosts;
    const upstreams = [
      { id: 'good', url: good.url, namespace: 'good', timeouts: { requestMs: 60_000 } },
      { id: 'sick', url: sick.url, namespace: 'sick', ...settings(1500 - (this.turn % 3)) },
      {
        id: 'trio', urls: replicas.map((r) => r.url), namespace: 'trio',
        healthCheck: { intervalMs: 500 }, ...settings(),
      },
    ];
    if (this.spare) upstreams.push({ id: 'spare', url: spare.url, namespace: 'spare', ...settings() });
    upstreams[0].labels = { turn: String(this.turn) };
    if (this.turn % 2) upstreams.reverse();
    return JSON.stringify(withAudit({ upstreams, discovery: { url: this.registry.url, intervalMs: 1000 } }));
  }

  get discovered() {
    const { found } = this.hosts;
    return JSON.stringify({ upstreams: [{ id: 'found', url: found.url, namespace: 'found', ...settings() }] });
  }

  get colliding() {
    return this.discovered.replace('"namespace":"found"', '"namespace":"good"');
  }
}

/** What is asked, and what comes back. */
class Ledger {
  asked = 0;
  lists = 0;
  calls = new Map(); // name to what it was answered
  slowest = 0;
  complaints = [];

  complain(text) {
    if (this.complaints.length < 20) this.complaints.push(text);
  }

  async call(session, upstream) {
    this.asked += 1;
    const name = `${upstream}__t${this.asked}`;
    assert.ok(!this.calls.has(name));
    this.calls.set(name, 'nothing');
    const began = performance.now();
    const { result, error } = await session.call(name, { text: 'x' });
    this.calls.set(name, result ? 'result' : 'error');
    if (upstream === 'good') {
      this.slowest = Math.max(this.slowest, performance.now() - began);
      const text = result?.content?.[0]?.text;
      if (text !== `${name.slice(6)}: x`) this.complain(`${name}: ${JSON.stringify(error ?? result)}`);
    } else if (error && !CODES.has(error.code)) {
      this.complain(`${name}: ${JSON.stringify(error)}`);
    }
  }

  async list(session) {
    this.lists += 1;
    const { result, error } = await session.request('tools/list', {});
    const names = result?.tools?.map((tool) => tool.name) ?? [];
    if (!names.includes('good__echo')) this.complain(`tools/list: ${JSON.stringify(error ?? result)}`);
  }
}

async function clientLife(gate, ledger, roll, isOver) {
  const others = ['sick', 'trio', 'spare', 'found', 'nobody'];
  while (!isOver()) {
    const connection = await Connection.open(gate.port);
    const session = await Session.open(gate, { connection });
    const stream = roll(3) ? undefined : await session.stream();
    for (let left = 5 + roll(40); left > 0 && !isOver(); left -= 1) {
      const what = roll(10);
      if (what === 0) await ledger.list(session);
      else await ledger.call(session, what < 5 ? 'good' : others[roll(others.length)]);
      await sleep(roll(80));
    }
    stream?.close();
    await session.end();
    connection.close();
  }
}

async function disturb(process_, roll) {
  if (process_.state !== 'well') return process_.heal();
  if (roll(2)) return process_.kill();
  return process_.hang();
}

/** One more thing goes wrong, or right. */
async function mischief(gate, hosts, documents, registry, roll) {
  const file = gate.process.spawnargs[gate.process.spawnargs.indexOf('--config') + 1];
  const reload = (text) => {
    writeFileSync(file, text);
    gate.signal('SIGHUP');
  };
  switch (roll(8)) {
    case 0:
    case 1:
      return disturb(hosts.sick, roll);
    case 2:
    case 3:
      return disturb(hosts.replicas[roll(3)], roll);
    case 4:
      documents.spare = !documents.spare;
      return reload(documents.text);
    case 5:
      documents.turn += 1;
      return reload(documents.text);
    case 6:
      return reload(roll(2) ? 'nonsense' : documents.text.replace('"namespace":"good"', '"namespace":"sick"'));
    default:
      if (roll(4) === 0) return registry.saysNothing();
      if (roll(4) === 0) return registry.says('no', 500);
      return registry.says([documents.discovered, '{"upstreams":[]}', 'nonsense', documents.colliding][roll(4)]);
  }
}

const openFiles = (gate) => readdirSync(`/proc/${gate.process.pid}/fd`).length;

await suite('churn', async ({ step, defer }) => {
  console.log(`  GATE_CHURN_SEED=${SEED}, ${SECONDS} s`);
  const roll = dice(SEED);
  const [sick, r1, r2, r3, spare, found] = await Promise.all(
    ['sick', 'r1', 'r2', 'r3', 'spare', 'found'].map((name) => UpstreamProcess.start(name)),
  );
  const good = await StrictUpstream.start();
  const hosts = { good, sick, replicas: [r1, r2, r3], spare, found };
  const registry = await new Registry().start();
  const documents = new Documents(hosts, registry);
  registry.says(documents.discovered);
  defer(function hostsEnd() {
    return Promise.allSettled([...[sick, r1, r2, r3, spare, found].map((p) => p.kill()), good.stop(), registry.stop()]);
  });
  const gate = await Gate.start(binary, JSON.parse(documents.text), { threads: 2 });
  defer(function gateEnds() { return gate.end(); });
  const atRest = openFiles(gate);
  const ledger = new Ledger();

  await step('calls go on whatever happens', async () => {
    const end = Date.now() + SECONDS * 1000;
    const isOver = () => Date.now() > end;
    const lives = Array.from({ length: CLIENTS }, () => clientLife(gate, ledger, roll, isOver));
    const chaos = (async () => {
      while (!isOver()) {
        await mischief(gate, hosts, documents, registry, roll);
        await sleep(50 + roll(400));
      }
    })();
    await Promise.all([...lives, chaos]);
    console.log(`        ${ledger.asked} calls, ${ledger.lists} lists, slowest of good ${Math.round(ledger.slowest)} ms`);
    assert.deepEqual(ledger.complaints, []);
    assert.ok(ledger.asked > SECONDS * 10, 'so few calls show nothing');
    assert.deepEqual([...ledger.calls].filter(([, how]) => how === 'nothing'), []);
  }, SECONDS * 1000 + 120_000);

  await step('one audit line for each request', async () => {
    await gate.mark();
    const names = new Map();
    let lists = 0;
    for (const event of gate.events) {
      if (event.method === 'tools/list') lists += 1;
      if (event.method === 'tools/call') names.set(event.name, (names.get(event.name) ?? 0) + 1);
    }
    const odd = [...ledger.calls.keys()].filter((name) => names.get(name) !== 1);
    assert.deepEqual(odd.slice(0, 10).map((name) => [name, names.get(name) ?? 0]), []);
    assert.equal(lists, ledger.lists);
  });

  await step('a session never leaves its server', () => assert.deepEqual(good.strangers, []));

  await step('all recovers', async () => {
    for (const p of [sick, ...hosts.replicas, spare, found]) await p.heal();
    registry.says(documents.discovered);
    documents.spare = true;
    const file = gate.process.spawnargs[gate.process.spawnargs.indexOf('--config') + 1];
    writeFileSync(file, documents.text);
    gate.signal('SIGHUP');
    await until(async () => {
      const { json } = await gate.health();
      return json.status === 'ok' && json.upstreams.length === 5;
    }, 'all upstreams to be well');
    const ids = ['good', 'sick', 'trio', 'spare', 'found'];
    const session = await Session.open(gate);
    for (const id of ids)
      await until(async () => (await session.call(`${id}__echo`, { text: 'x' })).result, `${id} to answer`);
    await until(async () => {
      const { items, last } = await session.list('tools/list', 'tools');
      return ids.every((id) => items.some((tool) => tool.name === `${id}__echo`)) && !last._meta;
    }, 'complete lists');
    await session.end();
    await until(async () => {
      const metrics = [...(await gate.metrics())];
      const all = (name, value) => metrics.filter(([key]) => key.startsWith(name)).every(([, v]) => v === value);
      return all('gate_upstream_breaker_state', 0) && all('gate_upstream_endpoint_healthy', 1);
    }, 'closed circuits and all replicas in rotation');
  });

  await step('nothing is left behind', async () => {
    // The session of the test's own questions stays; it never asked an upstream for anything.
    const sessions = async (kind) => sample(await gate.metrics(), 'gate_sessions', { kind });
    await until(async () => (await sessions('bridged')) === 0 && (await sessions('client')) === 1, 'sessions to end');
    await until(() => good.sessions.size <= 2, 'good to have no more than the root sessions of two units');
    for (const p of [sick, ...hosts.replicas, spare, found]) await p.kill();
    await good.stop();
    await until(() => openFiles(gate) <= atRest + 5, `no more than ${atRest} open files`, 90_000);
  }, 200_000);
});
