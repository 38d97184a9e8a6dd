// The instruments: wrk as load, /proc for CPU time and memory.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runToEnd } from '../peers/process.mjs';

export { residentKiB } from '../peers/process.mjs';

const script = path.join(path.dirname(fileURLToPath(import.meta.url)), 'call.lua');
const ticks = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

export function median(values) {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  return sorted.length ? sorted[Math.floor(sorted.length / 2)] : undefined;
}

/**
 * One run of wrk: `{ requests, seconds, p50, p99 (in microseconds), failed }`. `session` and `token` may be
 * lists, of callers that take turns; `headers` are in place of those of sessions.
 */
export async function wrk({ url, session, token, headers = {}, body, method = 'POST', connections, seconds }) {
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', script, url];
  const list = (one) => [one ?? []].flat().join(',');
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`).join('\n');
  const about = { MCP_BODY: body, MCP_METHOD: method, MCP_SESSION: list(session), MCP_TOKEN: list(token), MCP_HEADERS: lines };
  const env = { ...process.env, ...about };
  const { code, out, err } = await runToEnd('wrk', args, { env });
  const line = out.split('\n').findLast?.((l) => l.startsWith('{')) ?? out.match(/^\{.*$/m)?.[0];
  if (code !== 0 || !line) throw new Error(`wrk failed: ${out}${err}`);
  const result = JSON.parse(line);
  if (!result.requests) throw new Error(`no request was answered at ${url}: ${out}`);
  return result;
}

/** Has all threads of these processes run on these processors ("0", "0-3") from now on. */
export function runOn(cpus, pids) {
  for (const pid of pids) execFileSync('taskset', ['-a', '-c', '-p', cpus, String(pid)], { stdio: 'ignore' });
}

/**
 * One run of bench_load against a gateway: what came of each flow, by its name, and `cpu`, the gateway's
 * CPU time of one call in microseconds. A flow is as bench_load takes it. `samples` is a file.
 */
export async function load(program, { port, path: where, process: { pid } }, { seconds, warmUp, samples, flows }) {
  const times = { port, seconds, 'warm-up': warmUp ?? 0, ...(where && { path: where }), ...(samples && { samples }) };
  const args = Object.entries(times).flatMap(([name, value]) => [`--${name}`, String(value)]);
  for (const flow of flows)
    args.push(Object.entries(flow).map(([key, value]) => `${key}=${[value].flat().join(',')}`).join(';'));
  const before = cpuMicroseconds(pid);
  const { code, out, err } = await runToEnd(program, args);
  if (code !== 0) throw new Error(`bench_load failed: ${err}`);
  const spent = cpuMicroseconds(pid) - before;
  const all = out.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const calls = all.reduce((sum, { answered, failed }) => sum + answered + failed, 0);
  return { ...Object.fromEntries(all.map((one) => [one.name, one])), cpu: spent / calls };
}

/** What one of our programs that measure single functions says: its JSON lines, by their names. */
export async function figures(program) {
  const { code, out, err } = await runToEnd(program, []);
  if (code !== 0) throw new Error(`${path.basename(program)} failed: ${err}`);
  const all = out.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  return Object.fromEntries(all.map((one) => [one.name, one]));
}

/** User and system time of a process so far, all threads. */
export function cpuSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticks;
}

/** The same to the nanosecond, in microseconds, where the kernel tells. */
export function cpuMicroseconds(pid) {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((task) =>
      Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]));
    return threads.reduce((sum, ns) => sum + ns, 0) / 1e3;
  } catch {
    return cpuSeconds(pid) * 1e6;
  }
}

/** The process ids of the children of `pid`. */
export function childrenOf(pid) {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number));
}

export function machine() {
  const [cpu] = os.cpus();
  return { cpu: cpu.model.trim(), cores: os.cpus().length, kernel: os.release(), date: new Date().toISOString() };
}
