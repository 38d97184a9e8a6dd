// `make bench-peers`: gate beside other gateways that people would pick, each as its registry brings it, in
// front of the same upstream, under the same load, in one run. Prints a table and writes
// build/bench/peers.{md,json}.
//
//   BENCH_SECONDS=6 BENCH_ROUNDS=3 BENCH_SESSIONS=200 make bench-peers
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Connection } from '../peers/http.mjs';
import { Session } from '../peers/mcp.mjs';
import { Child, runToEnd } from '../peers/process.mjs';
import { sleep, until } from '../peers/waiting.mjs';
import { Contestants, freePort, roomy } from './contestants.mjs';
import { inTurn, medians } from './federation.mjs';
import { print, round, table } from './format.mjs';
import { cpuMicroseconds, load, machine, median, residentKiB, wrk } from './measure.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, '../..');
const packages = path.join(root, 'build/peers');
const folder = path.join(root, 'build/bench');
const number = (name, fallback) => Number(process.env[name] ?? fallback);
const settings = {
  seconds: number('BENCH_SECONDS', 6),
  rounds: number('BENCH_ROUNDS', 3),
  sessions: number('BENCH_SESSIONS', 200),
};

/** Calls to one session over one connection, and to several over many. */
const LOADS = { one: { connections: 1, sessions: 1 }, many: { connections: 32, sessions: 8 } };
/** The list: so many tools, of as many servers as the peer takes. */
const LISTED = { upstreams: 5, tools: 40, connections: 8 };
const FEW = 10;
/** Memory is looked at when what was freed has had time to go. */
const SETTLE_MS = 1000;
const UPSTREAM = 'up';

const version = (name) => JSON.parse(readFileSync(path.join(packages, 'node_modules', name, 'package.json'), 'utf8')).version;

/**
 * Each: how it is started in front of upstreams `{ name: url }`, what a tool is called behind it, and what
 * must be there. `path`: of its endpoint, if not /mcp. `single`: it takes one upstream, whose names stay as they are.
 */
const peers = {
  'mcp-proxy (crate)': {
    needs: 'cargo/bin/mcp-proxy',
    path: '/',
    tool: (name, tool) => `${name}/${tool}`,
    version: async () => readFileSync(path.join(packages, 'cargo/.crates.toml'), 'utf8').match(/"mcp-proxy (\S+)/)[1],
    start(port, upstreams) {
      const backends = Object.entries(upstreams).map(([name, url]) =>
        `[[backends]]\nname = "${name}"\ntransport = "http"\nurl = "${url}"\n`);
      const file = path.join(folder, `peers-${port}.toml`);
      writeFileSync(file, `[proxy]\nname = "peer"\n\n[proxy.listen]\nhost = "127.0.0.1"\nport = ${port}\n\n${backends.join('\n')}`);
      return [path.join(packages, 'cargo/bin/mcp-proxy'), ['--config', file], { RUST_LOG: 'error' }];
    },
  },
  'fastmcp (PyPI)': {
    needs: 'python/bin/fastmcp',
    tool: (name, tool, alone) => (alone ? tool : `${name}_${tool}`),
    version: async () => {
      const { out } = await runToEnd(path.join(packages, 'python/bin/python'), ['-c', 'import fastmcp; print(fastmcp.__version__)']);
      return out.trim();
    },
    start(port, upstreams) {
      const named = Object.entries(upstreams).map(([name, url]) => `${name}=${url}`);
      return [path.join(packages, 'python/bin/python'), [path.join(here, 'peers/fastmcp_proxy.py'), port, ...named], {}];
    },
  },
  'mcp-proxy (npm)': {
    needs: 'node_modules/mcp-proxy',
    single: true,
    tool: (name, tool) => tool,
    version: async () => version('mcp-proxy'),
    start(port, upstreams) {
      const [url] = Object.values(upstreams);
      return [process.execPath, [path.join(packages, 'npm_proxy.mjs'), port, url], { NODE_ENV: 'production' }];
    },
  },
};

const urlOf = (port, where = '/mcp') => `http://127.0.0.1:${port}${where}`;

async function startPeer(all, name, upstreams) {
  const { start } = peers[name];
  const port = await freePort();
  const [command, args, env] = start(String(port), upstreams);
  const child = all.keep(new Child(...roomy(command, args), { name, cwd: packages, env: { ...process.env, ...env } }));
  const listens = () => Connection.open(port).then((c) => (c.close(), true), () => false);
  await until(async () => child.ended || (await listens()), `${name} to listen`, 60_000);
  if (child.ended) throw new Error(`${name} did not start: ${child.log()}`);
  const { path: where } = peers[name];
  return Object.assign(child, { port, path: where, url: urlOf(port, where) });
}

/** gate, and the peers that are installed, each in front of `upstreams`. */
async function startAll(all, names, upstreams) {
  const started = {};
  for (const name of names) {
    if (name === 'gate') {
      const listed = Object.entries(upstreams).map(([id, url]) => ({ id, url, namespace: id }));
      started.gate = await all.startGate(listed);
    } else {
      const [first] = Object.entries(upstreams);
      started[name] = await startPeer(all, name, peers[name].single ? Object.fromEntries([first]) : upstreams);
    }
  }
  return started;
}

/** A slow one still has a call on each connection when the time is over; none may fail. */
function requireAnswers({ answered, failed, unanswered }, name, connections) {
  if (failed || !answered || unanswered > connections)
    throw new Error(`${name}: ${answered} calls were answered, ${failed} failed, ${unanswered} got no answer`);
}

const toolOf = (name, of, tool, alone) => (name === 'gate' ? `${of}__${tool}` : peers[name].tool(of, tool, alone));

async function openSessions(target, count, tool) {
  const ids = [];
  const lanes = await Promise.all(Array.from({ length: Math.min(count, 4) }, () => Connection.open(target.port)));
  let left = count;
  await Promise.all(lanes.map(async (connection) => {
    while (left > 0) {
      left -= 1;
      const session = await Session.open(target, { connection });
      const { result, error } = await session.call(tool, { text: 'hello' });
      if (!result || result.isError) throw new Error(`a first call of ${tool} failed: ${JSON.stringify(error ?? result)}`);
      ids.push(session.id);
    }
  }));
  for (const connection of lanes) connection.close();
  return ids;
}

async function measureCalls(all, names) {
  const [port] = await all.startUpstreams(1, 20);
  const started = await startAll(all, names, { [UPSTREAM]: urlOf(port) });
  const direct = { port, process }; // whose CPU time is nobody's business here
  const jobs = {};
  for (const [name, target] of [['direct', direct], ...Object.entries(started)]) {
    const tool = name === 'direct' ? 'tool_1' : toolOf(name, UPSTREAM, 'tool_1', true);
    const sessions = await openSessions(target, LOADS.many.sessions, tool);
    for (const [what, { connections, sessions: count }] of Object.entries(LOADS))
      jobs[`${name} ${what}`] = async () => {
        const flow = { name: 'calls', rate: 0, connections, sessions: sessions.slice(0, count), tools: tool };
        const { calls, cpu } = await load(all.program('bench_load'), target, { seconds: settings.seconds, warmUp: 0.3, flows: [flow] });
        requireAnswers(calls, name, connections);
        return { ...calls, cpu, rps: calls.answered / calls.seconds };
      };
  }
  for (const job of Object.values(jobs)) await job(); // what is compiled while it runs is compiled now
  const runs = await inTurn(settings.rounds, jobs);
  await all.end();
  const result = {};
  for (const what of Object.keys(LOADS))
    result[what] = Object.fromEntries(['direct', ...names].map((name) => {
      const own = runs[`${name} ${what}`];
      const ours = runs[`gate ${what}`];
      return [name, {
        ...medians(own, ['rps', 'p50', 'p99', 'cpu']),
        oursTo: median(own.map((run, i) => ours[i].rps / run.rps)),
      }];
    }));
  for (const [what, each] of Object.entries(result))
    print.progress(`calls, ${what}`, Object.fromEntries(Object.entries(each).map(([name, { rps }]) => [name, rps])));
  return result;
}

async function measureMemory(all, names) {
  const result = {};
  for (const name of names) {
    const [port] = await all.startUpstreams(1, 20);
    const { [name]: target } = await startAll(all, [name], { [UPSTREAM]: urlOf(port) });
    const tool = toolOf(name, UPSTREAM, 'tool_1', true);
    const residentAfter = async (count) => {
      await openSessions(target, count, tool);
      await sleep(SETTLE_MS);
      return residentKiB(target.process.pid);
    };
    const idle = residentKiB(target.process.pid);
    const few = await residentAfter(FEW);
    const many = await residentAfter(settings.sessions - FEW);
    result[name] = { idle, perSession: (many - few) / (settings.sessions - FEW) };
    print.progress(`memory, ${name}`, { 'idle MiB': idle / 1024, 'KiB per session': result[name].perSession });
    await all.end();
  }
  return result;
}

async function measureLists(all, names) {
  const ports = await all.startUpstreams(LISTED.upstreams, LISTED.tools);
  const [large] = await all.startUpstreams(1, LISTED.upstreams * LISTED.tools);
  const federated = names.filter((name) => !peers[name]?.single);
  const upstreams = Object.fromEntries(ports.map((port, i) => [`up${i}`, urlOf(port)]));
  const started = {
    ...await startAll(all, federated, upstreams),
    ...await startAll(all, names.filter((name) => peers[name]?.single), { [UPSTREAM]: urlOf(large) }),
  };
  const jobs = {};
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1000000, method: 'tools/list', params: {} });
  for (const [name, target] of Object.entries(started)) {
    const session = await Session.open(target);
    const { result, error } = await session.request('tools/list', {});
    const count = result?.tools?.length ?? 0;
    if (count < LISTED.upstreams * LISTED.tools) throw new Error(`${name} listed ${count} tools: ${JSON.stringify(error)}`);
    jobs[name] = async () => {
      const before = cpuMicroseconds(target.process.pid);
      const run = await wrk({ url: target.url, session: session.id, body, connections: LISTED.connections, seconds: settings.seconds });
      if (run.failed) throw new Error(`${name}: ${run.failed} pages failed`);
      return { ...run, rps: run.requests / run.seconds, cpu: (cpuMicroseconds(target.process.pid) - before) / run.requests };
    };
  }
  for (const job of Object.values(jobs)) await job();
  const runs = await inTurn(settings.rounds, jobs);
  await all.end();
  const result = Object.fromEntries(Object.entries(runs).map(([name, own]) => [name, medians(own, ['rps', 'p50', 'p99', 'cpu'])]));
  print.progress('list page', Object.fromEntries(Object.entries(result).map(([name, { rps }]) => [name, rps])));
  return result;
}

function toMarkdown({ calls, memory, lists, versions, missing, machine: on, busy }) {
  const names = Object.keys(memory);
  const title = (name) => (name === 'direct' ? 'direct' : `${name} ${versions[name]}`);
  const callRows = Object.entries(LOADS).flatMap(([what, { connections }]) => ['direct', ...names].map((name) => {
    const { rps, p50, p99, cpu, oursTo } = calls[what][name];
    const peer = !['direct', 'gate'].includes(name);
    return [title(name), connections, round(rps), round(p50), round(p99), name === 'direct' ? '' : round(cpu, 1), peer ? round(oursTo, 1) : ''];
  }));
  const others = names.map((name) => [title(name), round(memory[name].idle / 1024, 1), round(memory[name].perSession, 1),
    round(lists[name].rps), round(lists[name].p50), round(lists[name].cpu)]);
  return `${on.cpu}, ${on.cores} cores, Linux ${on.kernel}; ${on.date.slice(0, 10)}; median of ${settings.rounds} rounds of
${settings.seconds} s in turn; load average ${round(busy[0], 1)} before, ${round(busy[1], 1)} after.${missing.length ? `\nNot installed here: ${missing.join(', ')}.` : ''}

${table(['tools/call through', 'connections', 'calls/s', 'p50 µs', 'p99 µs', 'CPU µs/call', 'gate ÷ it'], callRows)}

${table(['', 'RSS idle MiB', 'KiB per session', 'list pages/s', 'p50 µs', 'CPU µs/page'], others)}
`;
}

process.setMaxListeners(100);
const { BENCH_GATE: gate, BENCH_UPSTREAM: upstream } = process.env;
mkdirSync(folder, { recursive: true });
const all = new Contestants({ root, folder, gate, upstream });
try {
  const here = Object.keys(peers).filter((name) => existsSync(path.join(packages, peers[name].needs)));
  const missing = Object.keys(peers).filter((name) => !here.includes(name));
  const names = ['gate', ...here];
  const busy = [os.loadavg()[0]];
  const versions = {};
  for (const name of here) versions[name] = await peers[name].version();
  const results = { machine: machine(), settings, missing, versions };
  results.memory = await measureMemory(all, names);
  results.calls = await measureCalls(all, names);
  results.lists = await measureLists(all, names);
  versions.gate = all.version;
  results.busy = [...busy, os.loadavg()[0]];
  writeFileSync(path.join(folder, 'peers.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(path.join(folder, 'peers.md'), toMarkdown(results));
  console.log(`\n${toMarkdown(results)}`);
} catch (error) {
  console.error(`make bench-peers: ${error.stack ?? error}`);
  process.exitCode = 1;
} finally {
  await all.end();
}
