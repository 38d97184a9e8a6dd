// What a bridge from standard input and output to streamable HTTP adds to a call: gate-stdio and two others,
// each in front of the same small server, and the same server through nothing but its pipes. All take turns,
// and each round is compared with its neighbour of the other kind.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Connection } from '../peers/http.mjs';
import { Session } from '../peers/mcp.mjs';
import { Child, runToEnd } from '../peers/process.mjs';
import { Shim, below } from '../peers/shim.mjs';
import { sleep, until } from '../peers/waiting.mjs';
import { freePort, roomy } from './contestants.mjs';
import { inTurn, medians, pairs, requireAllAnswered } from './federation.mjs';
import { print } from './format.mjs';
import { load, residentKiB } from './measure.mjs';

/** Calls to one session over one connection, and to several over many. */
const LOADS = { one: { connections: 1, sessions: 1 }, many: { connections: 32, sessions: 8 } };
/** Sessions with one call each; the first few pay for what all share. */
const MEMORY = { few: 64, many: 512 };
const WARM_UP = 0.3;
/** Memory is looked at when what was freed has had time to go. */
const SETTLE_MS = 1000;
const TOOL = 'tool_1';
const SERVER = 'bench_stdio';

const others = {
  supergateway: ({ server, port }) =>
    ['supergateway/dist/index.js', '--stdio', `'${server}'`, '--outputTransport', 'streamableHttp', '--stateful',
      '--port', port, '--logLevel', 'none'],
  'mcp-proxy': ({ server, port }) =>
    ['mcp-proxy/dist/bin/mcp-proxy.mjs', '--port', port, '--server', 'stream', '--', server],
};

export const bridges = ['gate-stdio', ...Object.keys(others)];

/** Where the npm packages of the others are; `make bench` installs them. */
const packages = (all) => path.join(all.bin, '../../bridges/node_modules');

async function versionsOf(all) {
  const { out } = await runToEnd(all.program('gate-stdio'), ['--version']);
  const own = out.trim().split(' ').at(-1);
  const version = (name) => JSON.parse(readFileSync(path.join(packages(all), name, 'package.json'), 'utf8')).version;
  return { 'gate-stdio': own, ...Object.fromEntries(Object.keys(others).map((name) => [name, version(name)])) };
}

async function startBridge(all, name) {
  const server = all.program(SERVER);
  if (name === 'gate-stdio') {
    const [command, args] = roomy(all.program(name), ['--port', '0', '--max-sessions', '1000', '--', server]);
    const shim = all.keep(new Shim(command, args, { name }));
    const [, url, port] = await shim.says(/listening on (http:\/\/[^\s"]*:(\d+)\/mcp)/, 30_000);
    return Object.assign(shim, { url, port: Number(port) });
  }
  const port = await freePort();
  const [script, ...args] = others[name]({ server, port: String(port) });
  const file = path.join(packages(all), script);
  if (!existsSync(file)) throw new Error(`${name} is missing: scripts/npm-deps simulations/benchmarks/bridges build/bridges`);
  const env = { ...process.env, NODE_ENV: 'production' };
  const bridge = all.keep(new Child(...roomy(process.execPath, [file, ...args]), { name, env }));
  const listens = () => Connection.open(port).then((c) => (c.close(), true), () => false);
  await until(async () => bridge.ended || (await listens()), `${name} to listen`);
  if (bridge.ended) throw new Error(`${name} did not start: ${bridge.log()}`);
  return Object.assign(bridge, { port });
}

/** Opens sessions with a call each and leaves them open; returns their ids. */
async function openSessions(bridge, count) {
  const ids = [];
  const lanes = await Promise.all(Array.from({ length: Math.min(count, 8) }, () => Connection.open(bridge.port)));
  let left = count;
  await Promise.all(lanes.map(async (connection) => {
    while (left > 0) {
      left -= 1;
      const session = await Session.open(bridge, { connection });
      const { result, error } = await session.call(TOOL, { text: 'hello' });
      if (!result) throw new Error(`${bridge.name}: a first call failed: ${JSON.stringify(error)}`);
      ids.push(session.id);
    }
  }));
  for (const connection of lanes) connection.close();
  return ids;
}

// --- calls -----------------------------------------------------------------------------------------------

async function throughPipes(all, { connections, sessions }, seconds) {
  const numbers = { seconds, 'warm-up': WARM_UP, children: sessions, 'in-flight': connections };
  const args = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const { code, out, err } = await runToEnd(all.program('bench_pipes'), [...args, '--', all.program(SERVER)]);
  if (code !== 0) throw new Error(`bench_pipes failed: ${err}`);
  const calls = JSON.parse(out);
  requireAllAnswered({ ...calls, unanswered: 0 }, 'through pipes');
  return { ...calls, rps: calls.answered / calls.seconds };
}

async function throughBridge(all, bridge, { connections, sessions }, seconds) {
  const flow = { name: 'calls', rate: 0, connections, sessions: bridge.sessions.slice(0, sessions), tools: TOOL };
  const { calls, cpu } = await load(all.program('bench_load'), bridge, { seconds, warmUp: WARM_UP, flows: [flow] });
  requireAllAnswered(calls, bridge.name);
  return { ...calls, cpu, rps: calls.answered / calls.seconds };
}

async function measureCalls(all, { rounds, seconds }) {
  const jobs = {};
  for (const [what, wanted] of Object.entries(LOADS)) jobs[`pipes ${what}`] = () => throughPipes(all, wanted, seconds);
  for (const name of bridges) {
    const bridge = await startBridge(all, name);
    bridge.sessions = await openSessions(bridge, LOADS.many.sessions);
    for (const [what, wanted] of Object.entries(LOADS))
      jobs[`${name} ${what}`] = () => throughBridge(all, bridge, wanted, seconds);
  }
  for (const job of Object.values(jobs)) await job(); // what is compiled while it runs is compiled now
  const runs = await inTurn(rounds, jobs);
  await all.end();
  const result = {};
  for (const what of Object.keys(LOADS)) {
    result[what] = {};
    for (const name of ['pipes', ...bridges]) {
      const [own, pipes, ours] = [name, 'pipes', 'gate-stdio'].map((who) => runs[`${who} ${what}`]);
      result[what][name] = {
        ...medians(own, ['rps', 'p50', 'p99', 'cpu']),
        added: pairs(own, pipes, (one, other) => one.p50 - other.p50),
        oursTo: pairs(ours, own, (one, other) => one.rps / other.rps),
      };
    }
    print.progress(`calls, ${what}`, Object.fromEntries(Object.entries(result[what]).map(([name, { rps }]) => [name, rps])));
  }
  return result;
}

// --- memory ----------------------------------------------------------------------------------------------

/** KiB of a process that are its own, and its part of what it shares. */
function proportionalKiB(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').match(/^Pss:\s+(\d+)/m)[1]);
  } catch ({ code, message }) {
    if (['ENOENT', 'ESRCH'].includes(code)) return 0; // it has ended meanwhile
    throw new Error(`the memory of what a bridge has started can not be read, only root may: ${message}`);
  }
}

/** Of the bridge and of what it started, without the servers. */
async function memoryOf(bridge) {
  await sleep(SETTLE_MS);
  const helpers = below(bridge.process.pid).filter(({ name }) => name !== SERVER);
  return {
    own: residentKiB(bridge.process.pid),
    helpers: helpers.reduce((sum, { pid }) => sum + proportionalKiB(pid), 0),
    servers: below(bridge.process.pid).length - helpers.length,
  };
}

async function measureMemory(all) {
  const result = {};
  for (const name of bridges) {
    const bridge = await startBridge(all, name);
    await openSessions(bridge, 1);
    const first = await memoryOf(bridge);
    await openSessions(bridge, MEMORY.few - 1);
    const few = await memoryOf(bridge);
    await openSessions(bridge, MEMORY.many - MEMORY.few);
    const many = await memoryOf(bridge);
    await all.end();
    const each = (of) => (many[of] - few[of]) / (MEMORY.many - MEMORY.few);
    const total = ({ own, helpers }) => own + helpers;
    result[name] = {
      first: total(first), few: total(few), many: total(many), servers: few.servers,
      perSession: each('own'), helpersPerSession: each('helpers'),
    };
    const { perSession, helpersPerSession } = result[name];
    print.progress(`memory, ${name}`, { 'MiB few': total(few) / 1024, 'KiB each': perSession, 'helpers KiB each': helpersPerSession });
  }
  return result;
}

export async function measureStdio(all, settings) {
  const versions = await versionsOf(all);
  const memory = await measureMemory(all);
  const calls = await measureCalls(all, settings);
  if (all.version === 'unknown') all.version = versions['gate-stdio']; // of one build
  return { ...calls, memory, versions, loads: LOADS, sessions: MEMORY };
}
