// What must not grow with something else: what a short visit costs where many upstreams are configured or
// many clients listen, what others feel while thousands of sessions end, and who waits for an upstream that
// answers nobody.
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, once } from '../peers/http.mjs';
import { Session } from '../peers/mcp.mjs';
import { until } from '../peers/waiting.mjs';
import { inTurn, medians, pairs, requireAllAnswered } from './federation.mjs';
import { print } from './format.mjs';
import { Listeners } from './listeners.mjs';
import { cpuMicroseconds, load, median } from './measure.mjs';

const url = (port, where = '/mcp') => `http://127.0.0.1:${port}${where}`;
const VISITS = { few: 1, many: 1000, ports: 10, count: 300, crowd: 2000 };
const ENDS = { sessions: 6000, lanes: 16, rate: 500, connections: 8, seconds: 6 };
/** Long enough for the list of the one that answers nobody to be looked for more than once. */
const REFRESH = { upstreams: 200, tools: 50, ports: 10, ttl: 1500, every: 2, around: 600 };
const HOLE = { upstreams: 4, tools: 20, every: 20, seconds: 40 };

/** A session that is opened and ended, again and again: microseconds of CPU time and of time for each. */
async function visits(gate, count) {
  const connection = await Connection.open(gate.port);
  const spent = cpuMicroseconds(gate.process.pid);
  const began = performance.now();
  for (let i = 0; i < count; i += 1) {
    const session = await Session.open(gate, { connection });
    await end(session, connection);
  }
  const time = (performance.now() - began) * 1e3;
  connection.close();
  return { cpu: (cpuMicroseconds(gate.process.pid) - spent) / count, time: time / count };
}

async function end(session, connection) {
  const { status } = await connection.request({ port: session.port, method: 'DELETE', path: session.path, headers: session.headers() });
  if (status !== 204) throw new Error(`the end of a session was answered ${status}`);
}

const compared = (runs, many, few) => ({
  few: medians(runs[few], ['cpu', 'time']),
  many: medians(runs[many], ['cpu', 'time']),
  cpu: pairs(runs[many], runs[few], (one, other) => one.cpu / other.cpu),
});

/** Visits among few upstreams and among many; and with many clients that listen. */
async function measureVisits(all, rounds) {
  const ports = await all.startUpstreams(VISITS.ports, 5);
  const federation = (count) => Array.from({ length: count }, (_, i) => (
    { id: `u${i}`, url: url(ports[i % ports.length], `/u${i}`), namespace: `u${i}` }));
  const few = await all.startGate(federation(VISITS.few));
  const many = await all.startGate(federation(VISITS.many));
  const crowded = await all.startGate(federation(VISITS.few));
  const listeners = new Listeners(crowded);
  all.keep({ stop: async () => listeners.close() });
  await listeners.openUpTo(VISITS.crowd);
  const jobs = Object.fromEntries(Object.entries({ few, many, crowded }).map(([name, gate]) => [name, () => visits(gate, VISITS.count)]));
  for (const job of Object.values(jobs)) await job(); // who is met for the first time is met now
  const runs = await inTurn(rounds * 3, jobs);
  await all.end();
  return { upstreams: compared(runs, 'many', 'few'), listeners: compared(runs, 'crowded', 'few') };
}

/** A client's calls while others' sessions, each with one at the upstream, end as fast as they can. */
async function measureEnds(all, rounds) {
  const [port] = await all.startUpstreams(1, 20);
  const gate = await all.startGate([{ id: 'up', url: url(port), namespace: 'up' }]);
  const mine = await Session.open(gate);
  const tool = 'up__tool_1';
  const { rate, connections, seconds } = ENDS;
  const calls = async () => {
    const flow = { name: 'calls', rate, connections, sessions: [mine.id], tools: tool };
    const { calls: these } = await load(all.program('bench_load'), gate, { seconds, warmUp: 0.3, flows: [flow] });
    requireAllAnswered(these, 'while sessions end');
    return these;
  };
  const open = async () => {
    const sessions = [];
    await Promise.all(Array.from({ length: ENDS.lanes }, async (_, lane) => {
      const connection = await Connection.open(gate.port);
      for (let i = lane; i < ENDS.sessions; i += ENDS.lanes) {
        const session = await Session.open(gate, { connection });
        const { result } = await session.call(tool, { text: 'x' });
        if (!result) throw new Error('a first call failed');
        sessions.push(session);
      }
      connection.close();
    }));
    return sessions;
  };
  const atUpstream = async () => JSON.parse((await once(port, { path: '/streams' })).body).sessions;
  await calls(); // the caller has its session there
  const before = await atUpstream();
  const runs = { quiet: [], ending: [] };
  const left = [];
  for (let round = 0; round < rounds; round += 1) {
    const sessions = await open();
    runs.quiet.push(await calls());
    const running = calls();
    await sleep(800);
    await Promise.all(Array.from({ length: ENDS.lanes }, async (_, lane) => {
      const connection = await Connection.open(gate.port);
      for (let i = lane; i < sessions.length; i += ENDS.lanes) await end(sessions[i], connection);
      connection.close();
    }));
    runs.ending.push(await running);
    // Those that get no DELETE are counted: it is not waited for them in vain.
    await until(async () => (await atUpstream()) <= before, 'the sessions at the upstream to end', 10_000).catch(() => {});
    left.push((await atUpstream()) - before);
  }
  await all.end();
  const keys = ['p50', 'p99', 'max'];
  return { quiet: medians(runs.quiet, keys), ending: medians(runs.ending, keys), longest: median(runs.ending.map((run) => run.max)) / 1e3, left: Math.max(...left) };
}

/** Pages of a merged list, one after the other, while one of the upstreams drops whoever wants to connect. */
async function measureHole(all) {
  const ports = await all.startUpstreams(HOLE.upstreams, HOLE.tools, { deaf: 1 });
  const gate = await all.startGate(ports.map((port, i) => ({ id: `u${i}`, url: url(port), namespace: `u${i}` })));
  const connection = await Connection.open(gate.port);
  const session = await Session.open(gate, { connection });
  const page = async () => {
    const began = performance.now();
    const { result, error } = await session.request('tools/list', {});
    if (result?.tools?.length !== HOLE.upstreams * HOLE.tools) throw new Error(`a page without its tools: ${JSON.stringify(error ?? result)}`);
    return performance.now() - began;
  };
  const first = await page();
  const times = [];
  for (const end = performance.now() + HOLE.seconds * 1e3; performance.now() < end; await sleep(HOLE.every)) times.push(await page());
  connection.close();
  await all.end();
  return { first, p50: median(times), slowest: Math.max(...times), pages: times.length };
}

/**
 * All lists of a large federation have expired, one client asks for a page, and the lists turn out to be what they were:
 * pings of another client meanwhile, and the processor time of it all, without that of as many pings at rest.
 */
async function measureRefresh(all, rounds) {
  const { upstreams, tools, ports: count, ttl, every, around } = REFRESH;
  const ports = await all.startUpstreams(count, tools);
  const gate = await all.startGate(Array.from({ length: upstreams }, (_, i) => (
    { id: `u${i}`, url: url(ports[i % count], `/u${i}`), namespace: `u${i}`, cacheTtlMs: ttl })));
  const listeners = new Listeners(gate);
  all.keep({ stop: async () => listeners.close() });
  await listeners.openUpTo(1);
  const lister = await Session.open(gate, { connection: await Connection.open(gate.port) });
  const pinger = await Session.open(gate, { connection: await Connection.open(gate.port) });
  const page = async () => {
    const { result } = await lister.request('tools/list', {});
    if (!result?.tools?.length) throw new Error('a page without tools');
  };
  const fetched = async () => [...await gate.metrics()].filter(([key]) => key.startsWith('gate_upstream_requests_total{'))
    .reduce((sum, [, value]) => sum + value, 0);
  const pings = async (job) => {
    const spent = cpuMicroseconds(gate.process.pid);
    const times = [];
    let over = false;
    const until_ = performance.now() + around;
    const running = job().finally(() => (over = true));
    while (!over || performance.now() < until_) {
      const began = performance.now();
      await pinger.request('ping', {});
      times.push(performance.now() - began);
      await sleep(every);
    }
    await running;
    return { cpu: (cpuMicroseconds(gate.process.pid) - spent) / 1e3, longest: Math.max(...times) };
  };
  await page();
  const runs = { rest: [], refresh: [] };
  for (let i = 0; i < rounds * 2; i += 1) {
    await sleep(ttl + 200);
    runs.rest.push(await pings(async () => {}));
    const before = await fetched();
    runs.refresh.push(await pings(page));
    if ((await fetched()) < before + upstreams) throw new Error('the lists were not read again');
  }
  await all.end();
  const of = (kind, key) => median(runs[kind].map((run) => run[key]));
  return {
    ...REFRESH, rest: of('rest', 'longest'), longest: of('refresh', 'longest'),
    worst: Math.max(...runs.refresh.map((run) => run.longest)), cpu: of('refresh', 'cpu') - of('rest', 'cpu'),
  };
}

export async function measureCliffs(all, { rounds }) {
  const refresh = await measureRefresh(all, rounds);
  const result = { refresh, ...await measureVisits(all, rounds), ends: await measureEnds(all, rounds), hole: { ...await measureHole(all), ...HOLE }, ...VISITS, sessions: ENDS.sessions, rate: ENDS.rate };
  print.progress('cliffs', { 'longest ping ms while lists are read': result.refresh.longest, 'visit ÷, upstreams': result.upstreams.cpu, 'visit ÷, listeners': result.listeners.cpu, 'longest ms while sessions end': result.ends.longest, 'slowest page, ms': result.hole.slowest });
  return result;
}
