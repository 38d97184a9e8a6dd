// What the numbers say of spans.
import { round, table, target } from './format.mjs';

const KINDS = { off: 'no tracing', unsampled: 'traces that are not recorded', sampled: 'all recorded' };

export function traceTargets({ traces }) {
  if (!traces) return [];
  return [
    target('CPU of a call, its trace is not recorded ÷ no tracing', traces.unsampled.cpuToOff, '', 1.01),
    target('CPU of a call, its spans are recorded ÷ no tracing', traces.sampled.cpuToOff, '', 1.08),
  ];
}

export function traceSections({ traces }) {
  if (!traces) return [];
  const rows = Object.entries(KINDS).map(([name, title]) => {
    const { p50, p99, cpu, cpuToOff } = traces[name];
    return [title, round(p50), round(p99), round(cpu, 1), round(cpuToOff, 3)];
  });
  return [`### Spans: ${round(traces.CALLS.rate)} calls/s over ${traces.CALLS.connections} connections; ${traces.rounds} rounds

${table(['', 'p50 µs', 'p99 µs', 'CPU µs a call', 'CPU ÷ no tracing'], rows)}`];
}
