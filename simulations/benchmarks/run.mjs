// `make bench`: the same calls made directly, through an nginx hop and through gate, with and without
// tokens, and single functions, in one run on one machine; prints what came out beside the targets and
// writes build/bench/report.{md,json}.
//
//   BENCH_SECONDS=3 BENCH_ROUNDS=3 BENCH_CONNECTIONS=1,8,32,128 BENCH_SESSIONS=2000 BENCH_STREAMS=1000 make bench
//
// BENCH_PARTS=isolation,guards measures only these parts. BENCH_GATE and BENCH_UPSTREAM name other binaries than those of build/release, BENCH_FOLDER another
// folder for the report: to compare a gate of another day.
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../peers/waiting.mjs';
import { measureCliffs } from './cliffs.mjs';
import { Contestants } from './contestants.mjs';
import { measureCounted } from './counted.mjs';
import { measureGuards, measureIsolation, measureReloads, measureScale } from './federation.mjs';
import { measureFleet } from './fleet.mjs';
import { print } from './format.mjs';
import { measureLeftovers } from './leftovers.mjs';
import { cpuSeconds, figures, machine, median, residentKiB, runOn, wrk } from './measure.mjs';
import { targets, toMarkdown } from './report.mjs';
import { measureSinks } from './sinks.mjs';
import { measureStdio } from './stdio.mjs';
import { measureSuspended } from './suspended.mjs';
import { measureRecordings } from './recordings.mjs';
import { measureTraces } from './traces.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const numbers = (name, fallback) => (process.env[name] ?? fallback).split(',').map(Number);
const settings = {
  seconds: numbers('BENCH_SECONDS', '3')[0],
  rounds: numbers('BENCH_ROUNDS', '3')[0],
  connections: numbers('BENCH_CONNECTIONS', '1,8,32,128'),
  sessions: numbers('BENCH_SESSIONS', '2000')[0],
  streams: numbers('BENCH_STREAMS', '1000')[0],
};
const folder = path.resolve(process.env.BENCH_FOLDER ?? path.join(root, 'build/bench'));
const LISTED = { upstreams: 20, tools: 50, page: 200, connections: 32 };
const LARGE = { bytes: 200_000, connections: [1, 8] };
const CPU_AT = 32;
const CALLERS = 32;
const GENERATIONS_AT = 32;
const WARM_UP = 50;

const message = (method, params) => JSON.stringify({ jsonrpc: '2.0', id: 1000000, method, params });
const call = (name) => message('tools/call', { name, arguments: { text: 'hello' } });

/** Interleaved rounds, so that a slow minute of the machine hits all targets alike. */
async function rounds(jobs, connections, { rounds: count, seconds } = settings) {
  const results = new Map(jobs.map((job) => [job.name, []]));
  for (let round = 0; round < count; round += 1) {
    const order = jobs.map((_, i) => jobs[(i + round) % jobs.length]);
    for (const job of order) {
      const before = job.pid && cpuSeconds(job.pid);
      const result = await wrk({ ...job, connections, seconds });
      if (job.pid) result.cpu = ((cpuSeconds(job.pid) - before) * 1e6) / result.requests;
      results.get(job.name).push(result);
    }
  }
  return Object.fromEntries([...results].map(([name, runs]) => [name, {
    rps: median(runs.map((run) => run.requests / run.seconds)),
    each: runs.map((run) => run.requests / run.seconds),
    p50: median(runs.map((run) => run.p50)),
    p99: median(runs.map((run) => run.p99)),
    cpu: median(runs.map((run) => run.cpu)),
    cpuEach: runs.map((run) => run.cpu),
    megabytes: median(runs.map((run) => run.bytes / run.seconds / 1e6)),
    answer: median(runs.map((run) => run.bytes / run.requests)),
    failed: runs.reduce((sum, run) => sum + run.failed, 0),
    answered: runs.reduce((sum, run) => sum + run.requests, 0),
  }]));
}

/**
 * One call at a time costs what it takes to wake the next process, which is twice as much where the kernel
 * happens to move the hop about. So here the hops stay on the second processor.
 */
async function roundsOfOne(jobs) {
  const cpus = os.availableParallelism();
  if (cpus < 2) return rounds(jobs, 1);
  const hops = jobs.flatMap((job) => job.pid ?? []);
  runOn('1', hops);
  const result = await rounds(jobs, 1);
  runOn(`0-${cpus - 1}`, hops);
  return result;
}

/**
 * What is to be compared closely is near what the machine's mood does: five times as many rounds of a third
 * of the length, and each run is compared with its neighbours.
 */
const manyRounds = (jobs, connections) =>
  rounds(jobs, connections, { rounds: settings.rounds * 5, seconds: Math.ceil(settings.seconds / 3) });
/** Of these results, the median of what one is of another in each round, in `each` or `cpuEach`. */
const ratioOf = (results, of, name, to) => median(results[name][of].map((value, i) => value / results[to][of][i]));

async function measureCalls(all) {
  const { upstream, nginx, gate } = await all.forCalls();
  const jobs = [
    { name: 'direct', url: upstream.url, session: upstream.session.id, body: call('tool_1') },
    { name: 'nginx', url: nginx.url, session: upstream.session.id, body: call('tool_1'), pid: nginx.worker },
    { name: 'gate', url: gate.url, session: gate.session.id, body: call('up__tool_1'), pid: gate.process.pid },
  ];
  for (const job of jobs) await wrk({ ...job, connections: 8, seconds: 1 });
  const served = await gate.callsServed();
  const table = {};
  for (const connections of settings.connections) {
    const result = await (connections === 1 ? roundsOfOne : connections === CPU_AT ? manyRounds : rounds)(jobs, connections);
    table[connections] = result;
    const { direct, nginx: hop, gate: own } = result;
    Object.assign(own, { toNginx: ratioOf(result, 'each', 'gate', 'nginx'), cpuToNginx: ratioOf(result, 'cpuEach', 'gate', 'nginx') });
    print.progress(`${connections} connections`, { direct: direct.rps, nginx: hop.rps, gate: own.rps });
  }
  // Every answer was a result: what wrk cannot see is in the gateway's own counter.
  await gate.assertAllOk(served);
  await all.end();
  return table;
}

/**
 * The same gateway without tokens, with them, and with policy and tenants too. `unread`: tokens that nobody
 * asks for, to tell their bytes from their check. And nginx without and with them: what their bytes cost a hop,
 * and the one who sends them.
 */
async function measureCallers(all) {
  const { gates, tokens, nginx } = await all.forCallers(CALLERS);
  const of = (gate, token) => (
    { url: gate.url, session: gate.sessions, token, body: call('up__tool_1'), pid: gate.process.pid });
  const jobs = [
    { ...of(gates.open), name: 'open' },
    { ...of(gates.open, tokens), name: 'unread' },
    { ...of(gates.required, tokens), name: 'required' },
    { ...of(gates.ruled, tokens), name: 'ruled' },
  ];
  const hop = { url: nginx.url, session: gates.open.sessions, body: call('tool_1'), pid: nginx.worker };
  jobs.push({ ...hop, name: 'hop' }, { ...hop, token: tokens, name: 'hop_tokens' });
  for (const job of jobs) await wrk({ ...job, connections: 8, seconds: 1 });
  const served = await Promise.all(Object.values(gates).map((gate) => gate.callsServed()));
  const result = await manyRounds(jobs, CALLERS);
  for (const [i, gate] of Object.values(gates).entries()) await gate.assertAllOk(served[i]);
  const ratio = (name, to) => ratioOf(result, 'each', name, to);
  for (const name of ['unread', 'required', 'ruled'])
    Object.assign(result[name], { toOpen: ratio(name, 'open'), toUnread: ratio(name, 'unread') });
  result.hop_tokens.toHop = ratio('hop_tokens', 'hop');
  const shown = Object.entries(result).map(([name, { rps }]) => [name, rps]);
  print.progress('callers', Object.fromEntries(shown));
  await all.end();
  return { ...result, bytes: tokens[0].length, callers: CALLERS };
}

/**
 * Calls by clients of both generations to a server with sessions and to one without, through the same gateway,
 * and without sessions through nginx.
 */
async function measureGenerations(all) {
  const { nginx, gate, session, stateless } = await all.forGenerations();
  const without = (name) => {
    const asked = stateless.message('tools/call', { name, arguments: { text: 'hello' } }, { id: 1000000 });
    const { 'Content-Type': type, Accept, ...headers } = stateless.headersOf(asked);
    return { headers, body: JSON.stringify(asked) };
  };
  const own = { url: gate.url, pid: gate.process.pid };
  const jobs = [
    { name: 'nginx', url: nginx.url, pid: nginx.worker, ...without('tool_1') },
    { name: 'sessions', ...own, session: session.id, body: call('old__tool_1') },
    { name: 'client', ...own, ...without('old__tool_1') },
    { name: 'server', ...own, session: session.id, body: call('new__tool_1') },
    { name: 'neither', ...own, ...without('new__tool_1') },
  ];
  for (const job of jobs) await wrk({ ...job, connections: 8, seconds: 1 });
  const served = await gate.callsServed();
  const result = await manyRounds(jobs, GENERATIONS_AT);
  const throughGate = jobs.filter(({ pid }) => pid === own.pid).map(({ name }) => result[name].answered);
  await gate.assertOk(served, throughGate.reduce((sum, answered) => sum + answered));
  const ratio = (...which) => ratioOf(result, ...which);
  for (const name of ['sessions', 'client', 'server', 'neither'])
    Object.assign(result[name], {
      toNginx: ratio('each', name, 'nginx'), toSessions: ratio('each', name, 'sessions'), cpuToSessions: ratio('cpuEach', name, 'sessions'),
    });
  print.progress('generations', Object.fromEntries(Object.entries(result).map(([name, { rps }]) => [name, rps])));
  await all.end();
  return { ...result, connections: GENERATIONS_AT };
}

/** What single functions cost, while nothing else runs. */
async function measureFunctions(all) {
  const result = {};
  for (const name of ['identity', 'gatekeeper', 'policy', 'guards', 'lists']) {
    Object.assign(result, await figures(all.program(`bench_${name}`)));
    console.log(`bench_${name}: done`);
  }
  return result;
}

async function measureList(all) {
  const { nginx, gate, bytes, items } = await all.forLists(LISTED);
  const jobs = [
    { name: 'nginx', url: nginx.page, method: 'GET', body: '', pid: nginx.worker },
    { name: 'gate', url: gate.url, session: gate.session.id, body: message('tools/list', {}), pid: gate.process.pid },
  ];
  for (const job of jobs) await wrk({ ...job, connections: 8, seconds: 1 });
  const result = await rounds(jobs, LISTED.connections);
  print.progress('tools/list', { nginx: result.nginx.rps, gate: result.gate.rps });
  await all.end();
  return { ...result, bytes, items };
}

/** Calls whose results are long: what counts is bytes. */
async function measureLarge(all) {
  const { upstream, nginx, gate } = await all.forCalls({ text: LARGE.bytes });
  const bare = { session: upstream.session.id, body: call('tool_1') };
  const jobs = [
    { ...bare, name: 'direct', url: upstream.url },
    { ...bare, name: 'nginx', url: nginx.url, pid: nginx.worker },
    { ...bare, name: 'roomy', url: nginx.roomy, pid: nginx.worker },
    { name: 'gate', url: gate.url, session: gate.session.id, body: call('up__tool_1'), pid: gate.process.pid },
  ];
  for (const job of jobs) await wrk({ ...job, connections: 8, seconds: 1 });
  const served = await gate.callsServed();
  const table = {};
  for (const connections of LARGE.connections) {
    table[connections] = await rounds(jobs, connections);
    const each = Object.entries(table[connections]);
    for (const [name, { answer }] of each)
      if (answer < LARGE.bytes) throw new Error(`${name} answered with ${answer} bytes`);
    const shown = each.map(([name, { megabytes }]) => [`${name} MB/s`, megabytes]);
    print.progress(`long results, ${connections} connections`, Object.fromEntries(shown));
  }
  await gate.assertAllOk(served);
  await all.end();
  return table;
}

/** Sessions with an open stream; with `tool`, each calls it, and so has a session and a stream upstream. */
async function measureStreams(all, tool) {
  const { gate, listeners, streams } = await all.forStreams();
  const open = async (count) => {
    await listeners.openUpTo(count, { call: tool });
    const expected = 1 + (tool ? count : 0); // the first is that on which gate hears of changed lists
    await until(async () => (await streams.count()) === expected, `${expected} streams at the upstream`);
    return residentKiB(gate.process.pid);
  };
  const before = await open(WARM_UP);
  const after = await open(settings.streams);
  const perSession = (after - before) / (settings.streams - WARM_UP);
  const told = await listeners.allHear('notifications/tools/list_changed', () => streams.announce());
  print.progress(tool ? 'bridged streams' : 'streams', { 'KiB per session': perSession, 'all told after ms': told });
  await all.end();
  return { perSession, told, sessions: settings.streams };
}

async function measureMemory(all) {
  const { gate } = await all.forCalls();
  const idle = residentKiB(gate.process.pid);
  await gate.openSessions(WARM_UP);
  const before = residentKiB(gate.process.pid);
  await gate.openSessions(settings.sessions);
  const perSession = (residentKiB(gate.process.pid) - before) / settings.sessions;
  print.progress('memory', { 'idle MiB': idle / 1024, 'KiB per session': perSession });
  await all.end();
  return { idle, perSession, sessions: settings.sessions };
}

/** In the order in which they are measured; what single functions cost first, while nothing else runs. */
const parts = {
  functions: measureFunctions,
  counted: measureCounted,
  memory: measureMemory,
  calls: measureCalls,
  callers: measureCallers,
  generations: measureGenerations,
  list: measureList,
  streams: (all) => measureStreams(all),
  bridged: (all) => measureStreams(all, 'up__tool_1'),
  suspended: measureSuspended,
  long: measureLarge,
  isolation: measureIsolation,
  guards: measureGuards,
  fleet: measureFleet,
  scale: measureScale,
  reloads: measureReloads,
  cliffs: measureCliffs,
  leftovers: measureLeftovers,
  sinks: measureSinks,
  traces: measureTraces,
  recordings: measureRecordings,
  stdio: measureStdio,
};

const { BENCH_GATE: gate, BENCH_UPSTREAM: upstream, BENCH_PARTS: chosen } = process.env;
process.setMaxListeners(100); // each gateway has a folder that goes away at the end
const all = new Contestants({ root, folder, gate, upstream });
try {
  const results = { machine: machine(), settings, listed: LISTED, large: LARGE, cpuAt: CPU_AT };
  const wanted = chosen?.split(',') ?? Object.keys(parts);
  const unknown = wanted.filter((name) => !parts[name]);
  if (unknown.length) throw new Error(`BENCH_PARTS: ${unknown} is none of ${Object.keys(parts)}`);
  results.busy = [os.loadavg()[0]];
  for (const [name, measure] of Object.entries(parts))
    if (wanted.includes(name)) results[name] = await measure(all, settings);
  results.busy.push(os.loadavg()[0]);
  results.version = all.version;
  results.targets = targets(results);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'report.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(path.join(folder, 'report.md'), toMarkdown(results));
  console.log(`\n${toMarkdown(results)}`);
  console.log(`written to ${path.relative(root, folder)}/report.md and report.json`);
} catch (error) {
  console.error(`make bench: ${error.stack ?? error}`);
  process.exitCode = 1;
} finally {
  await all.end();
}
