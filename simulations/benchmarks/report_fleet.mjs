// What the numbers say of a store beside the gateway.
import { KINDS } from './fleet.mjs';
import { round, table, target } from './format.mjs';

const RATES = { store: 0.98, limit: 0.7, all: 0.55 };

export function fleetTargets({ fleet }) {
  if (!fleet) return [];
  const { kinds, adoption, stopped } = fleet;
  return [
    ...Object.entries(RATES).map(([kind, least]) =>
      target(`tools/call, ${KINDS[kind]} ÷ no store (requests/s)`, kinds[kind].toNone, '', least, undefined, true)),
    target('operations of the store for each call with all limits and budgets', kinds.all.operations, '', 2),
    target('first call of a session at another instance, p50', adoption.first, 'ms', 2),
    target('p99 of calls while the store is stopped ÷ while it is there', stopped.p99, '', 1.1),
  ];
}

export function fleetSections({ fleet }) {
  if (!fleet) return [];
  const { kinds, adoption, stopped, connections } = fleet;
  const rows = Object.entries(kinds).map(([kind, { rps, p50, p99, toNone, cpu, operations }]) =>
    [KINDS[kind], round(rps), round(p50), round(p99), kind === 'none' ? '' : round(toNone, 2), round(cpu, 1), round(operations, 2)]);
  const head = ['gateway', 'requests/s', 'p50 µs', 'p99 µs', '÷ no store', 'CPU µs/call', 'store operations/call'];
  return [`### A shared store, ${connections} connections

${table(head, rows)}

Of ${round(adoption.count)} sessions that one instance began, the first call at another one took ${round(adoption.first, 2)} ms
(p50), the second ${round(adoption.second, 2)} ms.

While the store is stopped: p50 ${round(stopped.stopped.p50)} µs, p99 ${round(stopped.stopped.p99)} µs; while it is there
${round(stopped.there.p50)} and ${round(stopped.there.p99)} µs.`];
}
