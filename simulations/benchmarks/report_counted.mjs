// What the numbers say of calls that are counted.
import { round, table, target } from './format.mjs';

const KINDS = { off: 'neither', unsampled: 'traces that are not recorded', sampled: 'all traced', recorded: 'all recorded (`--record`)' };

export function countedTargets({ counted }) {
  return counted ? [target('allocations of a call', counted.off.allocations, '', 6)] : [];
}

export function countedSections({ counted }) {
  if (!counted) return [];
  const rows = Object.entries(KINDS).map(([name, title]) => {
    const { instructions, allocations } = counted[name];
    return [title, round(instructions), round(instructions / counted.off.instructions, 3), round(allocations, 1)];
  });
  return [`### Counted (callgrind, user space): ${round(counted.calls)} calls, one after the other

${table(['', 'instructions a call', '÷ neither', 'allocations a call'], rows)}`];
}
