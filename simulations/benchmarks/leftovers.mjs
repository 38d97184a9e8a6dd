// What must be gone when it is over: thousands of sessions that expire at once, upstreams that a reload retires, and what
// was kept for clients that would have come back. And what a log level costs where many upstreams are configured.
import { setTimeout as sleep } from 'node:timers/promises';
import { sample } from '../peers/gate.mjs';
import { Connection } from '../peers/http.mjs';
import { Session } from '../peers/mcp.mjs';
import { runToEnd } from '../peers/process.mjs';
import { Upstream } from '../peers/upstream.mjs';
import { until } from '../peers/waiting.mjs';
import { inTurn, medians, pairs } from './federation.mjs';
import { print } from './format.mjs';
import { cpuMicroseconds, residentKiB } from './measure.mjs';

const url = (port, where = '/mcp') => `http://127.0.0.1:${port}${where}`;
const federation = (ports, count) => Array.from({ length: count }, (_, i) => (
  { id: `u${i}`, url: url(ports[i % ports.length], `/u${i}`), namespace: `u${i}` }));

const LEVELS = { few: 1, many: 1000, ports: 10, count: 500 };
/** As many sessions as two clients may have (a tenth of the table each), who have nothing open at upstreams. */
const EXPIRY = { sessions: 20_000, owners: 4, upstreams: 200, ports: 10, lanes: 16, idleMs: 15_000, every: 5 };
/** A scrape each second, which is when texts are made anew. */
const SCRAPES = { upstreams: 1000, ports: 10, seconds: 6, every: 2, scrape: 1100 };
/** Counted when what a start touches once is there, and what is kept for 10 s after each reload goes as fast as it comes. */
const RETIRED = { warm: 600, count: 400 };
/** Each session has as much kept for it as one may have; memory that is free is looked for every `trim_pause`. */
const KEPT = { sessions: 200, events: 8, bytes: 120_000, seconds: 25 };

/** `logging/setLevel`, again and again, of a session that has used no upstream. */
async function measureLevels(all, rounds) {
  const ports = await all.startUpstreams(LEVELS.ports, 5);
  const jobs = {};
  for (const kind of ['few', 'many']) {
    const gate = await all.startGate(federation(ports, LEVELS[kind]));
    const connection = await Connection.open(gate.port);
    const session = await Session.open(gate, { connection });
    jobs[kind] = async () => {
      const spent = cpuMicroseconds(gate.process.pid);
      for (let i = 0; i < LEVELS.count; i += 1) {
        const { result } = await session.request('logging/setLevel', { level: i % 2 ? 'info' : 'error' });
        if (!result) throw new Error('a log level was refused');
      }
      return { cpu: (cpuMicroseconds(gate.process.pid) - spent) / LEVELS.count };
    };
  }
  for (const job of Object.values(jobs)) await job();
  const runs = await inTurn(rounds * 3, jobs);
  await all.end();
  return { few: medians(runs.few, ['cpu']), many: medians(runs.many, ['cpu']), cpu: pairs(runs.many, runs.few, (one, other) => one.cpu / other.cpu) };
}

/** The longest ping of somebody else while metrics and health of a large federation are asked for, and while they are not. */
async function measureScrapes(all, rounds) {
  const ports = await all.startUpstreams(SCRAPES.ports, 5);
  const gate = await all.startGate(federation(ports, SCRAPES.upstreams));
  const mine = await Session.open(gate, { connection: await Connection.open(gate.port) });
  const pings = async (scraping) => {
    let longest = 0;
    let over = false;
    const asking = (async () => {
      // By another process: to read so much would hold up the pings of this one.
      for (; scraping && !over; await sleep(SCRAPES.scrape))
        for (const where of ['/metrics', '/health']) {
          const { code } = await runToEnd('curl', ['--silent', '--output', '/dev/null', url(gate.port, where)]);
          if (code !== 0) throw new Error(`curl of ${where}: ${code}`);
        }
    })();
    for (const end = performance.now() + SCRAPES.seconds * 1e3; performance.now() < end; await sleep(SCRAPES.every)) {
      const began = performance.now();
      await mine.request('ping', {});
      longest = Math.max(longest, performance.now() - began);
    }
    over = true;
    await asking;
    return { longest };
  };
  const jobs = { quiet: () => pings(false), scraped: () => pings(true) };
  await jobs.scraped(); // all series are there
  const runs = await inTurn(rounds, jobs);
  await all.end();
  return { quiet: medians(runs.quiet, ['longest']).longest, scraped: medians(runs.scraped, ['longest']).longest };
}

/** The longest ping of somebody else while so many sessions expire, and what memory they cost meanwhile. */
async function measureExpiry(all) {
  const ports = await all.startUpstreams(EXPIRY.ports, 5);
  const gate = await all.startGate(federation(ports, EXPIRY.upstreams), { server: { sessionIdleTimeoutMs: EXPIRY.idleMs } });
  const mine = await Session.open(gate, { connection: await Connection.open(gate.port) });
  const ping = async () => {
    const began = performance.now();
    await mine.request('ping', {});
    return performance.now() - began;
  };
  const left = async () => sample(await gate.metrics(), 'gate_sessions', { kind: 'client' });
  await Promise.all(Array.from({ length: EXPIRY.lanes }, async (_, lane) => {
    const connection = await Connection.open(gate.port, '127.0.0.1', { from: `127.0.0.${2 + (lane % EXPIRY.owners)}` });
    for (let i = lane; i < EXPIRY.sessions; i += EXPIRY.lanes) await Session.open(gate, { connection });
    connection.close();
  }));
  const before = residentKiB(gate.process.pid);
  let most = before;
  let longest = 0;
  let over = false;
  const watching = (async () => {
    for (; !over; await sleep(1000)) {
      most = Math.max(most, residentKiB(gate.process.pid));
      over ||= (await left()) <= 1;
    }
  })();
  for (const end = performance.now() + EXPIRY.idleMs * 4; !over && performance.now() < end; await sleep(EXPIRY.every))
    longest = Math.max(longest, await ping());
  if (!over) throw new Error(`${await left()} sessions have not expired`);
  await watching;
  await all.end();
  return { longest, more: (most - before) / 1024 };
}

/** What each upstream leaves that a reload has replaced. (Of one that was called, a timer keeps 4 KiB for five minutes.) */
async function measureRetired(all) {
  const [port] = await all.startUpstreams(1, 5);
  const upstream = (i) => ({ id: 'u', url: `${url(port, '/u')}?version=${i}`, namespace: 'u' });
  const gate = await all.startGate([upstream(0)]);
  const session = await Session.open(gate, { connection: await Connection.open(gate.port) });
  const list = async () => (await session.request('tools/list', {})).result?.tools.length;
  const replace = async (from, to) => {
    for (let i = from; i < to; i += 1) {
      const records = await gate.reload({ upstreams: [upstream(i + 1)], audit: undefined });
      if (records.some(({ msg }) => /not reloaded/.test(msg))) throw new Error(`gate did not reload: ${gate.log()}`);
      if ((await list()) !== 5) throw new Error('a list after a reload lacks the upstream');
    }
    return residentKiB(gate.process.pid);
  };
  const before = await replace(0, RETIRED.warm);
  const after = await replace(RETIRED.warm, RETIRED.warm + RETIRED.count);
  await all.end();
  return { each: (after - before) / RETIRED.count };
}

/** Calls whose events are kept for clients that never come back; then their sessions end. */
async function measureKept(all) {
  const up = all.keep(await Upstream.start());
  const text = 'x'.repeat(KEPT.bytes);
  up.on('tools/call', (call) => {
    call.openStream();
    for (let i = 0; i < KEPT.events; i += 1)
      call.event(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"${text}"}}`);
    call.event(`{"jsonrpc":"2.0","id":${call.id},"result":{"content":[]}}`);
    call.response.end();
  });
  const gate = await all.startGate([{ id: 'up', url: up.url, namespace: 'up' }]);
  const resident = () => residentKiB(gate.process.pid) / 1024;
  const calls = async (count) => {
    const sessions = [];
    for (let i = 0; i < count; i += 1) {
      const session = await Session.open(gate);
      const { result } = await session.call('up__echo');
      if (!result) throw new Error('a call failed');
      sessions.push(session);
    }
    return sessions;
  };
  for (const session of await calls(4)) await session.end();
  const before = resident();
  const sessions = await calls(KEPT.sessions);
  const peak = resident();
  for (const session of sessions) await session.end();
  const ended = resident();
  await sleep(KEPT.seconds * 1000);
  const left = resident();
  await all.end();
  return { before, peak, ended, left };
}

export async function measureLeftovers(all, { rounds }) {
  const result = { levels: await measureLevels(all, rounds), scrapes: await measureScrapes(all, rounds), expiry: await measureExpiry(all), retired: await measureRetired(all), kept: await measureKept(all) };
  print.progress('leftovers', { 'setLevel ÷': result.levels.cpu, 'longest ping, ms': result.expiry.longest, 'KiB a retired upstream': result.retired.each, 'MiB left': result.kept.left - result.kept.before });
  return { ...result, LEVELS, SCRAPES, EXPIRY, RETIRED, KEPT };
}
