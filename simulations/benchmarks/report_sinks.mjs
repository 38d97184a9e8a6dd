// What the numbers say of receivers of audit events.
import { round, table, target } from './format.mjs';

const KINDS = { none: 'no audit', taking: 'a webhook that takes events', hanging: 'a webhook that hangs' };

export function sinkTargets({ sinks }) {
  if (!sinks) return [];
  return [target('p99 of calls, the receiver of audit events hangs ÷ it takes them', sinks.hanging.toTaking, '', 1.05)];
}

export function sinkSections({ sinks }) {
  if (!sinks) return [];
  const rows = Object.entries(KINDS).map(([name, title]) => {
    const { p50, p99, max, toNone } = sinks[name];
    return [title, round(p50), round(p99), round(max), round(toNone, 2)];
  });
  return [`### Who receives audit events: ${round(sinks.CALLS.rate)} calls/s over ${sinks.CALLS.connections} connections; ${sinks.rounds} rounds

${table(['', 'p50 µs', 'p99 µs', 'max µs', 'p99 ÷ no audit'], rows)}`];
}
