// What the numbers say of calls that wait for the answers of their clients.
import { round, table, target } from './format.mjs';

export function suspendedTargets({ suspended }) {
  if (!suspended) return [];
  const { count, before, left, perCall, more } = suspended;
  return [
    target(`RSS per suspended call, of ${round(count)}`, perCall, 'KiB', 16),
    target('what as many add to that once these have ended', more, 'KiB', 1),
    target('RSS left of them when all have ended', (left - before) / 1024, 'MiB'),
  ];
}

export function suspendedSections({ suspended }) {
  if (!suspended) return [];
  const { count, callers, upstreams, seconds, ...rss } = suspended;
  const rows = {
    before: 'each caller has had a call, and its session',
    first: `${round(count)} calls wait`,
    later: `the same ${seconds} s later`,
    ended: 'all have been answered',
    left: `connections to upstreams are closed, ${seconds} s later`,
    second: `${round(count)} calls wait again`,
    after: `all have been answered, connections are closed, ${seconds} s later`,
  };
  return [`### ${round(count)} suspended calls of ${round(callers)} stateless callers at ${upstreams} servers with sessions

${table(['', 'RSS MiB'], Object.entries(rows).map(([name, what]) => [what, round(rss[name] / 1024, 1)]))}`];
}
