// What a recording costs: a gateway that has one written, and one that has none.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { medians, pairs } from './federation.mjs';
import { print, round, table, target } from './format.mjs';
import { sideBySide } from './side_by_side.mjs';

const CALLS = { rate: 8000, connections: 16, tools: ['up__tool_1'] };
/** Short turns, and many: what one gateway costs differs from second to second. */
const ROUNDS = 11;

export async function measureRecordings(all, { rounds }) {
  const [port] = await all.startUpstreams(1, 20);
  const upstreams = [{ id: 'up', url: `http://127.0.0.1:${port}/mcp`, namespace: 'up' }];
  const folder = mkdtempSync(path.join(tmpdir(), 'gate-bench-'));
  const file = path.join(folder, 'traffic.jsonl');
  const gates = {
    off: await all.startGate(upstreams),
    recorded: await all.startGate(upstreams, {}, [], ['--record', file, '--record-limit', String(64 * 2 ** 30)]),
  };
  const runs = await sideBySide(all, gates, { title: 'recordings', calls: { ...CALLS, sessions: 8 }, rounds: rounds * ROUNDS });
  await all.end();
  const bytes = statSync(file).size;
  rmSync(folder, { recursive: true });
  if (bytes < 1_000_000) throw new Error('nothing was recorded');
  const result = { CALLS, rounds: rounds * ROUNDS, bytes };
  for (const [name, ones] of Object.entries(runs))
    result[name] = {
      ...medians(ones, ['p50', 'p99', 'cpu']),
      cpuToOff: pairs(ones, runs.off, (one, other) => one.cpu / other.cpu),
      p99ToOff: pairs(ones, runs.off, (one, other) => one.p99 / other.p99),
    };
  print.progress('recordings', { 'CPU ÷ off': result.recorded.cpuToOff, 'p99 ÷ off': result.recorded.p99ToOff });
  return result;
}

export function recordingTargets({ recordings }) {
  if (!recordings) return [];
  return [
    target('CPU of a call that is recorded ÷ of one that is not', recordings.recorded.cpuToOff, '', 1.1),
    target('p99 of calls that are recorded ÷ of those that are not', recordings.recorded.p99ToOff, '', 1.05),
  ];
}

export function recordingSections({ recordings }) {
  if (!recordings) return [];
  const rows = Object.entries({ off: 'no recording', recorded: 'all recorded' }).map(([name, title]) => {
    const { p50, p99, cpu, cpuToOff, p99ToOff } = recordings[name];
    return [title, round(p50), round(p99), round(cpu, 1), round(cpuToOff, 3), round(p99ToOff, 3)];
  });
  return [`### Recordings: ${round(CALLS.rate)} calls/s over ${CALLS.connections} connections; ${recordings.rounds} rounds

${table(['', 'p50 µs', 'p99 µs', 'CPU µs a call', 'CPU ÷ none', 'p99 ÷ none'], rows)}`];
}
