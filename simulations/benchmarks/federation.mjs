// What a federation adds to single calls: upstreams that are sick, guards that are asked, many upstreams,
// and another configuration while calls go on. Two gateways that are compared take turns, and each round
// is compared with its neighbour of the other kind.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { scratch } from '../peers/gate.mjs';
import { Session } from '../peers/mcp.mjs';
import { sleep } from '../peers/waiting.mjs';
import { print } from './format.mjs';
import { load, median } from './measure.mjs';

const url = (port, where = '/mcp') => `http://127.0.0.1:${port}${where}`;
const call = (tool) => ({ name: tool, arguments: { text: 'hello' } });

/** As many sessions, whose first calls of `tools` have been answered. */
export async function openSessions(gate, count, tools) {
  const sessions = [];
  for (let i = 0; i < count; i += 1) {
    const session = await Session.open(gate);
    for (const tool of tools) {
      const { result, error } = await session.request('tools/call', call(tool));
      if (!result) throw new Error(`the first call of ${tool} failed: ${JSON.stringify(error)}`);
    }
    sessions.push(session.id);
  }
  return sessions;
}

export function requireAllAnswered({ name, answered, failed, unanswered }, what = '') {
  if (failed || unanswered || !answered)
    throw new Error(`${name}, ${what}: ${answered} calls were answered, ${failed} failed, ${unanswered} got no answer`);
}

/** Runs each job once a round, every round in another order; `{ name: [one of each round] }`. */
export async function inTurn(rounds, jobs) {
  const names = Object.keys(jobs);
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (let i = 0; i < names.length; i += 1) {
      const name = names[(i + round) % names.length];
      results[name].push(await jobs[name](round));
    }
  return results;
}

/** The median over rounds of what `compare` makes of two neighbours. */
export const pairs = (these, those, compare) => median(these.map((one, i) => compare(one, those[i])));
export const medians = (runs, keys) => Object.fromEntries(keys.map((key) => [key, median(runs.map((run) => run[key]))]));

// --- upstreams that are sick -----------------------------------------------------------------------------

const HEALTHY = { rate: 1500, connections: 16, sessions: 4, tools: ['a__tool_1', 'b__tool_1'] };
/** Of these each gets a few calls a second all the time; one hangs, one refuses, one floods. */
const SICK = { rate: 20, names: ['hang', 'refuse', 'flood'] };
/** So that a circuit which has opened tries again within a round, and a call that hangs ends in it. */
const GUARDED = { timeouts: { requestMs: 500 }, circuitBreaker: { halfOpenAfterMs: 1000 } };
const UNGUARDED = { ...GUARDED, circuitBreaker: { failureThreshold: 1_000_000_000 } };

/**
 * The same calls at a fixed rate by way of four gateways: one whose upstreams are all well; one of which
 * three are not; one that goes on asking these, since its breakers never open; and one whose upstreams are
 * all well while the sick ones are behind another gateway, beside it: what is slower there is due to the
 * processors that all of them share. What loads a gateway with healthy calls is a program of its own, so
 * that a flood does not keep it from looking at the clock. The gateways whose turn it is not are stopped:
 * the flood does not wait for its turn.
 */
export async function measureIsolation(all, { rounds }) {
  const [a, b, ...well] = await all.startUpstreams(5, 20);
  const [hang, flood, refuse] = await all.startUpstreams(2, 20, { refused: 1 });
  const upstream = (id, at, besides) => ({ id, url: at, namespace: id, ...besides });
  const healthy = [upstream('a', url(a)), upstream('b', url(b))];
  const others = (guards, [h, r, f]) =>
    [upstream('hang', h, guards), upstream('refuse', r, guards), upstream('flood', f, guards)];
  const open = async (upstreams, count, tools) => {
    const gate = await all.startGate(upstreams);
    return { gate, sessions: count && await openSessions(gate, count, tools) };
  };
  const start = async (guards, where) => {
    const { gate, sessions } = await open([...healthy, ...others(guards, where)], HEALTHY.sessions, HEALTHY.tools);
    return { gate, sessions, sick: { gate, sessions: await openSessions(gate, 1, ['flood__tool_1']) } };
  };
  const sickOnes = [url(hang, '/hang'), url(refuse), url(flood, '/flood?progress=100')];
  const contestants = {
    well: await start(GUARDED, well.map((port) => url(port))),
    sick: await start(GUARDED, sickOnes),
    unguarded: await start(UNGUARDED, sickOnes),
    beside: {
      ...await open([...healthy, ...others(GUARDED, well.map((port) => url(port)))], HEALTHY.sessions, HEALTHY.tools),
      sick: await open(others(GUARDED, sickOnes), 1, ['flood__tool_1']),
    },
  };
  const each = Object.values(contestants);
  const gates = new Set([...each.map(({ gate }) => gate), ...each.map(({ sick }) => sick.gate)]);
  for (const gate of gates) gate.signal('SIGSTOP');
  const turn = async (who) => {
    const { gate, sessions, sick } = contestants[who];
    const awake = new Set([gate, sick.gate]);
    for (const one of awake) one.signal('SIGCONT');
    const times = { seconds: 2, warmUp: 0.5 };
    const run = (where, flows) => load(all.program('bench_load'), where, { ...times, flows });
    const [result, beside] = await Promise.all([
      run(gate, [{ name: 'healthy', ...HEALTHY, sessions }]),
      run(sick.gate, SICK.names.map((name) => ({
        name, rate: SICK.rate, connections: 32, sessions: sick.sessions, tools: `${name}__tool_1`,
        ...(name === 'flood' && { progress: 1, listen: 1 }),
      }))),
    ]);
    for (const one of awake) one.signal('SIGSTOP');
    requireAllAnswered(result.healthy, `three upstreams beside: ${who}`);
    requireAllAnswered(beside.flood, `the upstream that floods: ${who}`);
    return { ...beside, ...result };
  };
  const jobs = Object.fromEntries(Object.keys(contestants).map((who) => [who, () => turn(who)]));
  const runs = await inTurn(rounds * 3, jobs);
  for (const gate of gates) gate.signal('SIGCONT');
  await all.end();
  const result = {};
  const compared = (these, those) => pairs(these, runs[those].map((run) => run.healthy), (one, other) => one.p99 / other.p99);
  for (const [name, ones] of Object.entries(runs)) {
    const calls = ones.map((run) => run.healthy);
    result[name] = {
      ...medians(calls, ['p50', 'p90', 'p99', 'max', 'late']),
      each: calls.map(({ p99 }) => p99),
      toWell: compared(calls, 'well'),
      toBeside: compared(calls, 'beside'),
      cpu: median(ones.map(({ cpu }) => cpu)),
      failed: SICK.names.map((one) => ones.reduce((sum, run) => sum + run[one].failed, 0)),
      answered: SICK.names.map((one) => ones.reduce((sum, run) => sum + run[one].answered, 0)),
      heard: median(ones.map((run) => run.flood.heard)),
    };
  }
  for (const who of ['sick', 'unguarded', 'beside'])
    if (!result[who].failed[0] || !result[who].failed[1] || !result[who].heard)
      throw new Error(`the sick upstreams were not sick: ${who}`);
  print.progress('p99 of healthy upstreams', Object.fromEntries(Object.entries(result).map(([k, v]) => [k, v.p99])));
  return { ...result, rate: HEALTHY.rate, connections: HEALTHY.connections, sickRate: SICK.rate, rounds: rounds * 3 };
}

// --- guards ----------------------------------------------------------------------------------------------

const GUARDS = { rate: 8000, connections: 32, sessions: 8 };
const PLENTY = { requestsPerMinute: 2_000_000_000 };
const budget = (period) => ({ period, upstreamCalls: 1_000_000_000_000 });

/** Every call asks the limiter for two scopes and the budget for two; none refuses, no circuit opens. */
export async function measureGuards(all, { rounds }) {
  const [port] = await all.startUpstreams(1, 20);
  const up = { id: 'up', url: url(port), namespace: 'up' };
  const gates = {
    bare: await all.startGate([up]),
    guarded: await all.startGate([{ ...up, rateLimit: PLENTY, budget: budget('day') }],
      { server: { rateLimit: PLENTY, budget: budget('month') } }),
  };
  const jobs = {};
  for (const [name, gate] of Object.entries(gates)) {
    const sessions = await openSessions(gate, GUARDS.sessions, ['up__tool_1']);
    const run = async (rate) => {
      const flow = { name: 'calls', ...GUARDS, rate, sessions, tools: 'up__tool_1' };
      const result = await load(all.program('bench_load'), gate, { seconds: 1, flows: [flow] });
      requireAllAnswered(result.calls);
      return { ...result.calls, cpu: result.cpu, rps: result.calls.answered / result.calls.seconds };
    };
    jobs[`${name} at a rate`] = () => run(GUARDS.rate);
    jobs[`${name} at most`] = () => run(0);
  }
  for (const job of Object.values(jobs)) await job();
  const runs = await inTurn(rounds * 5, jobs);
  await all.end();
  const figures = (load) => {
    const [bare, guarded] = ['bare', 'guarded'].map((name) => runs[`${name} ${load}`]);
    const keys = ['rps', 'p50', 'p99', 'cpu'];
    return {
      bare: medians(bare, keys),
      guarded: medians(guarded, keys),
      cpu: pairs(guarded, bare, (one, other) => one.cpu - other.cpu),
      rps: pairs(guarded, bare, (one, other) => one.rps / other.rps),
    };
  };
  const result = { fixed: figures('at a rate'), most: figures('at most') };
  print.progress('guards', { 'µs a call': result.fixed.cpu, 'µs at most': result.most.cpu, rate: result.most.rps });
  return { ...result, ...GUARDS, rounds: rounds * 5 };
}

// --- many upstreams --------------------------------------------------------------------------------------

const MANY = { few: 10, many: 1000, ports: 10, tools: 5 };
const federation = (ports, count) => Array.from({ length: count }, (_, i) => (
  { id: `u${i}`, url: url(ports[i % ports.length], `/u${i}`), namespace: `u${i}` }));

/** The same upstream called among few and among many; and all of them in turn. */
export async function measureScale(all, { rounds }) {
  const ports = await all.startUpstreams(MANY.ports, MANY.tools);
  const jobs = {};
  for (const name of ['few', 'many']) {
    const count = MANY[name];
    const gate = await all.startGate(federation(ports, count));
    const each = Array.from({ length: count }, (_, i) => `u${i}__tool_1`);
    const sessions = await openSessions(gate, 1, each);
    const run = async (connections, tools) => {
      const flow = { name: 'calls', rate: 0, connections, sessions, tools };
      const result = await load(all.program('bench_load'), gate, { seconds: 0.4, warmUp: 0.1, flows: [flow] });
      requireAllAnswered(result.calls);
      return { ...result.calls, cpu: result.cpu, rps: result.calls.answered / result.calls.seconds };
    };
    jobs[`${name} one`] = () => run(32, 'u7__tool_1');
    jobs[`${name} alone`] = () => run(1, 'u7__tool_1');
    jobs[`${name} turn`] = () => run(32, each);
  }
  const runs = await inTurn(rounds * 10, jobs);
  await all.end();
  const result = {};
  for (const what of ['one', 'alone', 'turn']) {
    const [few, many] = [runs[`few ${what}`], runs[`many ${what}`]];
    const keys = ['rps', 'p50', 'p99', 'cpu'];
    result[what] = {
      few: medians(few, keys),
      many: medians(many, keys),
      rps: pairs(few, many, (one, other) => one.rps / other.rps),
      p50: pairs(many, few, (one, other) => one.p50 / other.p50),
    };
  }
  print.progress('1,000 upstreams', { 'rate ÷': result.one.rps, 'p50 ÷': result.alone.p50, 'rate in turn ÷': result.turn.rps });
  return { ...result, ...MANY, rounds: rounds * 10 };
}

// --- reloading -------------------------------------------------------------------------------------------

const RELOADS = { times: 20, rate: 5000, connections: 32, sessions: 16, called: 20, changed: 500 };
/** What is looked at begins with the signal, and lasts so long at least and behind the log's word. */
const AROUND = { least: 500, behind: 300 };
const now = () => Number(process.hrtime.bigint()) / 1e3;

/** Replaces the file as an editor does, and tells when the log says that it was read, in microseconds. */
async function reload(gate, config) {
  const told = new Promise((done) => {
    const listen = (data) => {
      if (!/was (not )?reloaded/.test(data)) return;
      gate.process.stderr.off('data', listen);
      done({ at: now(), good: data.includes('was reloaded') });
    };
    gate.process.stderr.on('data', listen);
  });
  writeFileSync(`${gate.file}.new`, JSON.stringify(config));
  renameSync(`${gate.file}.new`, gate.file);
  const control = now();
  await sleep(AROUND.least);
  const from = now();
  gate.signal('SIGHUP');
  const { at, good } = await told;
  if (!good) throw new Error(`gate did not reload: ${gate.log()}`);
  const to = Math.max(from + AROUND.least * 1e3, at + AROUND.behind * 1e3);
  await sleep((to - now()) / 1e3);
  return { control, from, at, to };
}

/** The longest time of a call, in milliseconds, that was meant to be sent within each window, and before it. */
function longestAround(windows, samples) {
  const longest = windows.map(() => ({ with: 0, without: 0 }));
  for (const line of samples.split('\n').filter(Boolean)) {
    const [, meant, took] = line.split(' ').map(Number);
    for (const [i, { control, from, to }] of windows.entries()) {
      if (meant < control || meant > to) continue;
      const which = meant < from ? 'without' : 'with';
      longest[i][which] = Math.max(longest[i][which], took / 1e3);
    }
  }
  return longest;
}

/** A thousand upstreams, one of which is another after each reload, while the others are called. */
export async function measureReloads(all) {
  const ports = await all.startUpstreams(MANY.ports, MANY.tools);
  const gate = await all.startGate(federation(ports, MANY.many));
  const config = JSON.parse(readFileSync(gate.file, 'utf8'));
  const tools = Array.from({ length: RELOADS.called }, (_, i) => `u${i}__tool_1`);
  const sessions = await openSessions(gate, RELOADS.sessions, tools);
  const samples = path.join(scratch(), 'samples');
  const { rate, connections } = RELOADS;
  const flow = { name: 'calls', rate, connections, sessions, tools, listen: 1 };
  const seconds = 3 + (RELOADS.times * (2 * AROUND.least + AROUND.behind + 200)) / 1e3;
  let over = false;
  const running = load(all.program('bench_load'), gate, { seconds, warmUp: 0.5, samples, flows: [flow] })
    .finally(() => (over = true));
  await sleep(1500);
  const windows = [];
  for (let i = 0; i < RELOADS.times && !over; i += 1) {
    const changed = config.upstreams[RELOADS.changed];
    changed.url = `${changed.url.replace(/\?.*/, '')}?version=${i}`;
    windows.push(await reload(gate, config));
  }
  if (over) throw new Error(`the load was over before ${RELOADS.times} reloads were`);
  const { calls } = await running;
  await all.end();
  const each = longestAround(windows, readFileSync(samples, 'utf8'));
  const took = windows.map(({ from, at }) => (at - from) / 1e3);
  const of = (some) => Object.fromEntries(['with', 'without'].map((which) => [which, some(each.map((one) => one[which]))]));
  const longest = of((values) => Math.max(...values));
  if (of(median).without > AROUND.least) throw new Error(`${rate} calls/s are more than gate can take here`);
  const result = {
    pause: longest.with - longest.without,
    longest,
    median: of(median),
    each,
    took: { median: median(took), most: Math.max(...took) },
    failed: calls.failed + calls.unanswered,
    ...Object.fromEntries(['answered', 'p50', 'p99', 'late', 'heard'].map((key) => [key, calls[key]])),
  };
  print.progress('reloads', { 'longest ms': longest.with, 'without ms': longest.without, 'took ms': result.took.median });
  return { ...RELOADS, ...result, many: MANY.many };
}
