// `make bench`: the same calls made directly, through an nginx hop and through gate, in one run on one
// machine; prints ratios against the targets and writes build/bench/report.{md,json}.
//
//   BENCH_SECONDS=3 BENCH_ROUNDS=3 BENCH_CONNECTIONS=1,8,32,128 BENCH_SESSIONS=2000 make bench
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Contestants } from './contestants.mjs';
import { cpuSeconds, machine, median, residentKiB, wrk } from './measure.mjs';
import { print, targets, toMarkdown } from './report.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const numbers = (name, fallback) => (process.env[name] ?? fallback).split(',').map(Number);
const settings = {
  seconds: numbers('BENCH_SECONDS', '3')[0],
  rounds: numbers('BENCH_ROUNDS', '3')[0],
  connections: numbers('BENCH_CONNECTIONS', '1,8,32,128'),
  sessions: numbers('BENCH_SESSIONS', '2000')[0],
};
const LISTED = { upstreams: 20, tools: 50, page: 200, connections: 32 };
const CPU_AT = 32;

const message = (method, params) => JSON.stringify({ jsonrpc: '2.0', id: 1000000, method, params });
const call = (name) => message('tools/call', { name, arguments: { text: 'hello' } });

/** Interleaved rounds, so that a slow minute of the machine hits all targets alike. */
async function rounds(jobs, connections) {
  const results = new Map(jobs.map((job) => [job.name, []]));
  for (let round = 0; round < settings.rounds; round += 1) {
    const order = jobs.map((_, i) => jobs[(i + round) % jobs.length]);
    for (const job of order) {
      const before = job.pid && cpuSeconds(job.pid);
      const result = await wrk({ ...job, connections, seconds: settings.seconds });
      if (job.pid) result.cpu = ((cpuSeconds(job.pid) - before) * 1e6) / result.requests;
      results.get(job.name).push(result);
    }
  }
  return Object.fromEntries([...results].map(([name, runs]) => [name, {
    rps: median(runs.map((run) => run.requests / run.seconds)),
    p50: median(runs.map((run) => run.p50)),
    p99: median(runs.map((run) => run.p99)),
    cpu: median(runs.map((run) => run.cpu)),
    failed: runs.reduce((sum, run) => sum + run.failed, 0),
  }]));
}

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
    table[connections] = await rounds(jobs, connections);
    const { direct, nginx: hop, gate: own } = table[connections];
    print.progress(`${connections} connections`, { direct: direct.rps, nginx: hop.rps, gate: own.rps });
  }
  // Every answer was a result: what wrk cannot see is in the gateway's own counter.
  await gate.assertAllOk(served);
  await all.end();
  return table;
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

async function measureMemory(all) {
  const { gate } = await all.forCalls();
  const idle = residentKiB(gate.process.pid);
  await gate.openSessions(50);
  const before = residentKiB(gate.process.pid);
  await gate.openSessions(settings.sessions);
  const perSession = (residentKiB(gate.process.pid) - before) / settings.sessions;
  print.progress('memory', { 'idle MiB': idle / 1024, 'KiB per session': perSession });
  await all.end();
  return { idle, perSession, sessions: settings.sessions };
}

const all = new Contestants(root);
try {
  const results = { machine: machine(), settings, listed: LISTED, cpuAt: CPU_AT };
  results.memory = await measureMemory(all);
  results.calls = await measureCalls(all);
  results.list = await measureList(all);
  results.version = all.version;
  results.targets = targets(results);
  const folder = path.join(root, 'build/bench');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'report.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(path.join(folder, 'report.md'), toMarkdown(results));
  console.log(`\n${toMarkdown(results)}`);
  console.log('written to build/bench/report.md and build/bench/report.json');
} catch (error) {
  console.error(`make bench: ${error.stack ?? error}`);
  process.exitCode = 1;
} finally {
  await all.end();
}
