// What the numbers say of what must not grow with something else.
import { round, table, target } from './format.mjs';

export function cliffTargets({ cliffs, functions }) {
  return [
    ...(functions?.list_refresh_1 ? [
      target('200 unchanged lists of 50 tools read again: CPU', functions.list_refresh_1.cpu_ms, 'ms', 50),
      target('the same, its longest step', functions.list_refresh_1.longest_step_ms, 'ms', 20),
    ] : []),
    ...(cliffs ? [
      target(`longest ping while ${cliffs.refresh.upstreams} unchanged lists of ${cliffs.refresh.tools} tools are read again`, cliffs.refresh.longest, 'ms', 20),
      target('the same, CPU of all of it', cliffs.refresh.cpu, 'ms', 50),
      target(`initialize and DELETE with ${round(cliffs.many)} upstreams ÷ with ${cliffs.few}, CPU`, cliffs.upstreams.cpu, '', 1.2),
      target(`the same with ${round(cliffs.crowd)} clients that listen ÷ with none`, cliffs.listeners.cpu, '', 1.2),
      target(`longest call of others while ${round(cliffs.sessions)} sessions end`, cliffs.ends.longest, 'ms'),
      target('of these, sessions at the upstream that got no DELETE', cliffs.ends.left, '', 0),
      target('slowest list page while an upstream answers nobody, after the first', cliffs.hole.slowest, 'ms', 20),
    ] : []),
  ];
}

export function cliffSections({ cliffs }) {
  if (!cliffs) return [];
  const visit = (what, { cpu, time }, ratio = '') => [what, round(cpu, 1), round(time), ratio];
  const calls = (what, { p50, p99, max }) => [what, round(p50), round(p99), round(max)];
  const { refresh } = cliffs;
  return [`### ${refresh.upstreams} unchanged lists of ${refresh.tools} tools are read again

${table(['', 'ms'], [
    ['longest ping of another client, nothing else to do', round(refresh.rest, 1)],
    ['the same while the lists are read: the median round', round(refresh.longest, 1)],
    ['the worst round', round(refresh.worst, 1)],
    ['CPU of it, without that of the pings', round(refresh.cpu, 1)],
  ])}`,
  `### Visits: a session is opened and ended

${table(['', 'CPU µs', 'µs', 'CPU ÷ the first'], [
    visit(`${cliffs.few} upstream`, cliffs.upstreams.few),
    visit(`${round(cliffs.many)} upstreams`, cliffs.upstreams.many, round(cliffs.upstreams.cpu, 2)),
    visit(`1 upstream, ${round(cliffs.crowd)} clients that listen`, cliffs.listeners.many, round(cliffs.listeners.cpu, 2)),
  ])}`,
  `### Calls at ${round(cliffs.rate)} a second while ${round(cliffs.sessions)} sessions of others end, each with one at the upstream

${table(['', 'p50 µs', 'p99 µs', 'max µs'], [calls('nobody leaves', cliffs.ends.quiet), calls('they end', cliffs.ends.ending)])}`,
  `### List pages while one upstream of ${cliffs.hole.upstreams + 1} drops whoever wants to connect

${table(['', 'ms'], [
    ['the first page', round(cliffs.hole.first)],
    [`median of the ${round(cliffs.hole.pages)} after it, in ${cliffs.hole.seconds} s`, round(cliffs.hole.p50, 2)],
    ['the slowest of them', round(cliffs.hole.slowest, 2)],
  ])}`];
}
