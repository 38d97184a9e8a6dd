// `make bench-hooks`: how many events a second gate-hooks has on the disk, how many deliveries it makes, what a
// million that wait cost it, and what others notice of a dead receiver; beside what the disk can sync. Prints a
// table and writes build/bench/hooks.{md,json}.
//
//   BENCH_SECONDS=5 BENCH_ROUNDS=3 BENCH_PARTS=accepting,delivering,waiting,neighbours make bench-hooks
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Hooks } from '../peers/hooks.mjs';
import { Child, runToEnd } from '../peers/process.mjs';
import { sleep, until } from '../peers/waiting.mjs';
import { freePort, roomy } from './contestants.mjs';
import { print, round, table, target, targetTable } from './format.mjs';
import { machine, median, residentKiB, wrk } from './measure.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const folder = path.join(root, 'build/bench');
const work = path.join(folder, 'hooks');
const bin = (name) => path.join(root, 'build/release/bin', name);
const binary = process.env.BENCH_HOOKS ?? bin('gate-hooks');
const number = (name, fallback) => Number(process.env[name] ?? fallback);
const settings = { seconds: number('BENCH_SECONDS', 5), rounds: number('BENCH_ROUNDS', 3) };
const parts = (process.env.BENCH_PARTS ?? 'accepting,delivering,waiting,neighbours').split(',');

/** One organization alone may not ask so often. */
const ORGANIZATIONS = 16;
const CONNECTIONS = 32;
const BATCH = 100;
const BACKLOG = 40_000;
const NEIGHBOUR = { rate: 200, seconds: 5 };

const token = (i) => `token-of-organization-${i}`;
const event = (n) => ({ type: 'deploy.success', data: { number: n, text: 'x'.repeat(400) } });

async function startHooks(name, options = {}) {
  const where = path.join(work, name);
  rmSync(where, { recursive: true, force: true });
  mkdirSync(where, { recursive: true });
  const organizations = Array.from({ length: ORGANIZATIONS }, (_, i) => ({ id: `org-${i}`, tokenRef: `T${i}`, admin: true }));
  const config = path.join(where, 'organizations.json');
  writeFileSync(config, JSON.stringify({ organizations }));
  const env = Object.fromEntries(organizations.map(({ tokenRef }, i) => [tokenRef, token(i)]));
  const hooks = await Hooks.start(binary, { file: path.join(where, 'hooks.db'), token: null, args: ['--config', config, ...(options.args ?? [])], env, ...options });
  hooks.token = token(0);
  return hooks;
}

/** What takes everything, and costs nobody anything. */
async function startReceiver() {
  const port = await freePort();
  const where = path.join(work, 'nginx');
  mkdirSync(path.join(where, 'tmp'), { recursive: true });
  writeFileSync(path.join(where, 'nginx.conf'), `${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid nginx.pid;
error_log error.log error;
events { worker_connections 4096; }
http {
  access_log off;
  keepalive_requests 1000000000;
  client_body_temp_path tmp;
  proxy_temp_path tmp;
  fastcgi_temp_path tmp;
  uwsgi_temp_path tmp;
  scgi_temp_path tmp;
  server { listen 127.0.0.1:${port} backlog=4096; location / { return 204; } }
}
`);
  const child = new Child(...roomy('nginx', ['-p', `${where}/`, '-c', 'nginx.conf', '-e', 'error.log', '-g', 'daemon off;']), { name: 'nginx' });
  await until(async () => child.ended || fetch(`http://127.0.0.1:${port}/`).then(() => true, () => false), 'nginx to listen');
  if (child.ended) throw new Error(`nginx did not start: ${child.log()}`);
  return Object.assign(child, { port });
}

const post = (hooks, body, seconds) => wrk({
  url: `http://127.0.0.1:${hooks.port}/events`,
  session: Array.from({ length: ORGANIZATIONS }, (_, i) => i),
  token: Array.from({ length: ORGANIZATIONS }, (_, i) => token(i)),
  headers: { 'X-Bench': 'hooks' },
  body: JSON.stringify(body),
  connections: CONNECTIONS,
  seconds,
});

/** Each event becomes a delivery of one webhook, whose receiver is not there. */
async function measureAccepting() {
  const nobody = await freePort();
  const hooks = await startHooks('accepting');
  for (let i = 0; i < ORGANIZATIONS; ++i) await hooks.wants(201, 'POST', '/webhooks', { url: `http://127.0.0.1:${nobody}/`, event: 'deploy.success' }, { token: token(i) });
  const batch = Array.from({ length: BATCH }, (_, i) => event(i ? 2_000_000 + i : 1_000_000));
  const runs = { single: [], batch: [] };
  for (let i = 0; i < settings.rounds; ++i) {
    const single = await post(hooks, event(1_000_000), settings.seconds);
    const several = await post(hooks, batch, settings.seconds);
    if (single.failed || several.failed) throw new Error(`requests failed: ${single.failed}, ${several.failed}`);
    runs.single.push({ ...single, rps: single.requests / single.seconds });
    runs.batch.push({ ...several, rps: (several.requests * BATCH) / several.seconds });
  }
  await hooks.end();
  const of = (all) => ({ rps: median(all.map((r) => r.rps)), p50: median(all.map((r) => r.p50)), p99: median(all.map((r) => r.p99)) });
  const result = { single: of(runs.single), batch: of(runs.batch) };
  print.progress('events accepted a second', { single: result.single.rps, 'in batches': result.batch.rps });
  return result;
}

/** A backlog that is there before anything is delivered: its webhook's receiver says 503 until it is. */
async function measureDelivering() {
  const result = {};
  const receiver = await startReceiver();
  for (const webhooks of [1, 8]) {
    const rates = [];
    for (let i = 0; i < settings.rounds; ++i) {
      const hooks = await startHooks('delivering');
      const made = [];
      for (let w = 0; w < webhooks; ++w) made.push(await hooks.webhook(`http://127.0.0.1:${receiver.port}/`));
      const each = BACKLOG / webhooks;
      const done = async () => Number((await (await fetch(`${hooks.url}/metrics`)).text()).match(/gate_hooks_attempts_total\{outcome="success"\} (\S+)/)[1]);
      const begin = Date.now();
      for (let sent = 0; sent < each; sent += 1000)
        await hooks.wants(202, 'POST', '/events', Array.from({ length: 1000 }, (_, n) => event(sent + n)));
      const from = { at: Date.now(), done: await done() };
      await until(async () => (await done()) >= BACKLOG, 'all to be delivered', 300_000);
      const rate = (BACKLOG - from.done) / ((Date.now() - from.at) / 1000);
      rates.push({ rate, inAll: BACKLOG / ((Date.now() - begin) / 1000), left: BACKLOG - from.done });
      await hooks.end();
    }
    result[webhooks] = { rate: median(rates.map((r) => r.rate)), inAll: median(rates.map((r) => r.inAll)), left: median(rates.map((r) => r.left)) };
    print.progress(`deliveries a second, ${webhooks} webhook(s)`, result[webhooks]);
  }
  await receiver.stop('SIGTERM');
  return result;
}

/** bench_ledger leaves a file with a million pending deliveries. */
async function measureWaiting() {
  const where = path.join(work, 'ledger');
  rmSync(where, { recursive: true, force: true });
  mkdirSync(where, { recursive: true });
  const { code, out, err } = await runToEnd(bin('bench_ledger'), [where, '2']);
  if (code !== 0) throw new Error(`bench_ledger failed: ${err}`);
  const all = Object.fromEntries(out.split('\n').filter(Boolean).map((line) => JSON.parse(line)).map((one) => [one.name, one]));
  const begin = Date.now();
  const hooks = await Hooks.start(binary, { file: path.join(where, 'million.db') });
  await until(async () => (await hooks.health()).status === 200, 'health');
  const ms = Date.now() - begin;
  const { json } = await hooks.health();
  await sleep(5000); // memory is looked at when it has been at work
  const kib = residentKiB(hooks.process.pid);
  await hooks.stop('SIGTERM');
  rmSync(where, { recursive: true, force: true });
  print.progress('a million pending', { 'ready in ms': ms, 'resident MiB': kib / 1024 });
  return { ledger: all, ms, mib: kib / 1024, deliveries: json.deliveries };
}

/** How long from posting an event to its arrival, beside a webhook whose receiver never answers, or does. */
async function measureNeighbours() {
  const arrived = new Map();
  const server = http.createServer((request, response) => {
    let text = '';
    request.on('data', (d) => (text += d));
    request.on('end', () => {
      if (request.url === '/dead') return; // never
      if (request.url === '/mine') arrived.set(JSON.parse(text).data.number, performance.now());
      response.writeHead(204).end();
    });
  });
  await new Promise((then) => server.listen(0, '127.0.0.1', then));
  const base = `http://127.0.0.1:${server.address().port}`;
  const turn = async (neighbour) => {
    const hooks = await startHooks('neighbours');
    await hooks.webhook(`${base}/mine`);
    await hooks.webhook(`${base}/${neighbour}`);
    arrived.clear();
    const posted = new Map();
    const count = NEIGHBOUR.rate * NEIGHBOUR.seconds;
    const begin = performance.now();
    const answers = [];
    for (let n = 0; n < count; ++n) {
      await sleep(Math.max(0, begin + (n * 1000) / NEIGHBOUR.rate - performance.now()));
      posted.set(n, performance.now());
      answers.push(hooks.event('deploy.success', { number: n }, { limited: true }));
    }
    await Promise.all(answers);
    await until(() => arrived.size >= count, 'all events to arrive');
    const took = [...posted].map(([n, at]) => arrived.get(n) - at).sort((a, b) => a - b);
    await hooks.stop('SIGKILL');
    return { p50: took[Math.floor(took.length / 2)], p99: took[Math.floor(took.length * 0.99)] };
  };
  const runs = { alive: [], dead: [] };
  for (let i = 0; i < settings.rounds; ++i) for (const name of i % 2 ? ['dead', 'alive'] : ['alive', 'dead']) runs[name].push(await turn(name));
  server.closeAllConnections();
  server.close();
  const of = (all) => ({ p50: median(all.map((r) => r.p50)), p99: median(all.map((r) => r.p99)) });
  const result = { alive: of(runs.alive), dead: of(runs.dead), ratio: median(runs.dead.map((one, i) => one.p99 / runs.alive[i].p99)) };
  print.progress('ms from posting to arrival, p99', { 'beside one alive': result.alive.p99, 'beside a dead one': result.dead.p99 });
  return result;
}

const measures = { accepting: measureAccepting, delivering: measureDelivering, waiting: measureWaiting, neighbours: measureNeighbours };
mkdirSync(work, { recursive: true });
const results = { machine: machine() };
for (const part of parts) results[part] = await measures[part]();

const { accepting, delivering, waiting, neighbours } = results;
const rate = (value, limit, name) => target(name, value, '', limit, undefined, true);
const targets = [
  rate(accepting?.batch.rps, 10_000, `events accepted durably a second, batches of ${BATCH} over ${CONNECTIONS} connections`),
  rate(accepting?.single.rps, 2000, `the same, one by one over ${CONNECTIONS} connections`),
  rate(delivering?.[8].rate, 5000, 'deliveries a second to a local receiver, 8 webhooks'),
  rate(delivering?.[1].rate, undefined, 'the same, 1 webhook'),
  target('memory with a million pending deliveries', waiting?.mib, 'MiB', 64),
  target('start with them, until /health says ok', waiting && waiting.ms / 1000, 's', 2),
  target('p99 from posting to arrival, beside a dead receiver ÷ beside one that answers', neighbours?.ratio, '', 1.1),
];
const { cpu, cores, kernel, date } = results.machine;
const ledger = waiting ? Object.values(waiting.ledger).filter((one) => one.per_second).map((one) => [one.name, round(one.per_second), round(one.per_commit, 1)]) : [];
const text = `## gate-hooks

${cpu}, ${cores} cores, Linux ${kernel}; ${date.slice(0, 10)}; median of ${settings.rounds} rounds of ${settings.seconds} s.

${targetTable(targets)}
${ledger.length ? `\n### The ledger alone, beside what the disk can sync\n\n${table(['', 'a second', 'in a commit'], ledger)}\n` : ''}`;
console.log(`\n${text}`);
writeFileSync(path.join(folder, 'hooks.md'), text);
writeFileSync(path.join(folder, 'hooks.json'), JSON.stringify({ settings, results, targets }, null, 2));
