// What a store beside the gateway costs: calls without one, with one that nothing is asked of, with a limit that it
// counts, and with all limits and budgets; how often it is asked; what it takes to go on with a session that another
// instance began; and what calls notice of a store that has stopped.
import { setTimeout as sleep } from 'node:timers/promises';
import { sample } from '../peers/gate.mjs';
import { Connection } from '../peers/http.mjs';
import { Session } from '../peers/mcp.mjs';
import { Redis } from '../peers/redis.mjs';
import { until } from '../peers/waiting.mjs';
import { inTurn, medians, pairs, requireAllAnswered } from './federation.mjs';
import { print } from './format.mjs';
import { cpuSeconds, load, median, wrk } from './measure.mjs';

const AT = { connections: 32, seconds: 1 };
const ADOPTED = 500;
/** Calls while the store is stopped; the first second is that of the questions which it does not answer. */
const STOPPED = { rate: 2000, connections: 16, sessions: 16, seconds: 2, pauseMs: 1500 };
const PLENTY = { requestsPerMinute: 2_000_000_000 };
const budget = { period: 'day', upstreamCalls: 1_000_000_000_000 };
const tool = 'up__tool_1';
const body = JSON.stringify({ jsonrpc: '2.0', id: 1000000, method: 'tools/call', params: { name: tool, arguments: { text: 'hello' } } });

/** Each with what it is called in the report. */
export const KINDS = {
  none: 'no store',
  store: 'a store, nothing to ask it',
  limit: 'a store, and a limit for everybody',
  all: 'a store, all limits and budgets',
};

function configured(kind, up, redisUrl) {
  if (kind === 'none') return [[up], {}];
  if (kind === 'store') return [[up], { server: { redisUrl } }];
  if (kind === 'limit') return [[up], { server: { redisUrl, rateLimit: PLENTY } }];
  return [[{ ...up, rateLimit: PLENTY, budget }], { server: { redisUrl, rateLimit: PLENTY, budget } }];
}

/** Operations of the store that a call waits for or causes, as the gateway counts them. */
const OF_CALLS = ['limit', 'charge', 'give_back', 'circuit'];
const asked = (metrics) => OF_CALLS.reduce((sum, op) => sum + (sample(metrics, 'gate_store_operations_total', { op, outcome: 'ok' }) ?? 0), 0);
const isThere = async (gate) => (await gate.health()).json.sharedState === 'ok';

/** A session with one call, so that its upstream session is open. */
async function openSession(gate, connection) {
  const session = await Session.open(gate, connection && { connection });
  const { result, error } = await session.call(tool, { text: 'hello' });
  if (!result) throw new Error(`the first call of a session failed: ${JSON.stringify(error)}`);
  return session;
}

async function measureKinds(gates, rounds) {
  const jobs = Object.fromEntries(Object.entries(gates).map(([kind, { gate, session }]) => [kind, async () => {
    const before = cpuSeconds(gate.process.pid);
    const result = await wrk({ ...AT, url: gate.url, session: session.id, body });
    if (result.failed) throw new Error(`${kind}: ${result.failed} calls failed`);
    return { ...result, rps: result.requests / result.seconds, cpu: ((cpuSeconds(gate.process.pid) - before) * 1e6) / result.requests };
  }]));
  for (const job of Object.values(jobs)) await job();
  const counted = async () => Object.fromEntries(await Promise.all(
    Object.entries(gates).map(async ([kind, { gate }]) => [kind, asked(await gate.metrics())])));
  const before = await counted();
  const runs = await inTurn(rounds * 5, jobs);
  const after = await counted();
  return Object.fromEntries(Object.keys(gates).map((kind) => [kind, {
    ...medians(runs[kind], ['rps', 'p50', 'p99', 'cpu']),
    toNone: pairs(runs[kind], runs.none, (one, other) => one.rps / other.rps),
    operations: (after[kind] - before[kind]) / runs[kind].reduce((sum, { requests }) => sum + requests, 0),
  }]));
}

/** Sessions that one instance began, called at another one: what the first call there takes, and the second. */
async function measureAdoption(one, other) {
  const [here, there] = [await Connection.open(one.port), await Connection.open(other.port)];
  const sessions = [];
  for (let i = 0; i < ADOPTED; i += 1) sessions.push(await openSession(one, here));
  const times = { first: [], second: [] };
  for (const { id } of sessions)
    for (const which of ['first', 'second']) {
      const began = performance.now();
      const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'Mcp-Session-Id': id, 'MCP-Protocol-Version': '2025-11-25' };
      const answer = await there.request({ port: other.port, path: '/mcp', headers, body });
      times[which].push(performance.now() - began);
      if (answer.status !== 200 || !answer.body.includes('"result"')) throw new Error(`a session was not gone on with: ${answer.status} ${answer.body}`);
    }
  for (const connection of [here, there]) connection.close();
  const adopted = sample(await other.metrics(), 'gate_sessions_adopted_total', { outcome: 'adopted' });
  if (adopted < ADOPTED) throw new Error(`of ${ADOPTED} sessions ${adopted} were adopted`);
  return { first: median(times.first), second: median(times.second), count: ADOPTED };
}

/** Calls that ask the store in turn with the same ones while it is stopped, a moment after that. */
async function measureStopped(all, gate, redis, rounds) {
  const { sessions: count, pauseMs, ...flow } = STOPPED;
  const sessions = [];
  for (let i = 0; i < count; i += 1) sessions.push((await openSession(gate)).id);
  const calls = async () => {
    const { calls: these } = await load(all.program('bench_load'), gate, { seconds: flow.seconds, flows: [{ name: 'calls', ...flow, sessions, tools: tool }] });
    requireAllAnswered(these, 'beside a store');
    return these;
  };
  const runs = await inTurn(rounds, {
    there: calls,
    stopped: async () => {
      redis.pause();
      try {
        const first = openSession(gate).catch(() => {}); // somebody has to notice
        await sleep(pauseMs);
        await first;
        return await calls();
      } finally {
        redis.resume();
        await until(() => isThere(gate), 'the store to be back');
      }
    },
  });
  return {
    there: medians(runs.there, ['p50', 'p99']),
    stopped: medians(runs.stopped, ['p50', 'p99']),
    p99: pairs(runs.stopped, runs.there, (one, other) => one.p99 / other.p99),
  };
}

export async function measureFleet(all, { rounds }) {
  const redis = await Redis.start();
  all.keep({ stop: () => redis.end() });
  const [port] = await all.startUpstreams(1, 20);
  const up = { id: 'up', url: `http://127.0.0.1:${port}/mcp`, namespace: 'up' };
  const gates = {};
  for (const kind of Object.keys(KINDS)) {
    const gate = await all.startGate(...configured(kind, up, redis.url));
    if (kind !== 'none') await until(() => isThere(gate), 'the store to be there');
    gates[kind] = { gate, session: await openSession(gate) };
  }
  const kinds = await measureKinds(gates, rounds);
  print.progress('fleet, calls/s', Object.fromEntries(Object.entries(kinds).map(([kind, { rps }]) => [kind, rps])));
  const adoption = await measureAdoption(gates.store.gate, gates.limit.gate);
  print.progress('fleet, ms of a call', adoption);
  const stopped = await measureStopped(all, gates.all.gate, redis, rounds);
  print.progress('fleet, store stopped', { 'p99 ratio': stopped.p99 });
  await all.end();
  return { kinds, adoption, stopped, ...AT, rounds: rounds * 5 };
}
