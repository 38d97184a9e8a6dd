// What the numbers about a federation say: sick upstreams, guards, many upstreams, reloads.
import { round, table, target } from './format.mjs';

/** Beyond this, in µs, what is compared is who gets the processor, not the gateways. */
const CALM = 20_000;

/** Questions, decisions and answers of all three, in µs. */
const guardsAsked = (functions) =>
  ['limiter', 'breaker', 'budget'].reduce((sum, name) => sum + functions[`guard_${name}`].ns / 1000, 0);

export function federationTargets({ functions, isolation, guards, scale, reloads }) {
  const calm = (ratio) => (isolation.well.p99 > CALM ? undefined : ratio);
  return [
    ...(isolation ? [
      target('p99 of healthy upstreams, one hanging, one refusing, one flooding ÷ all well', calm(isolation.sick.toWell), '', 1.05),
      target('the same ÷ all well, and the sick ones behind another gateway beside it', calm(isolation.sick.toBeside), ''),
      target('the same when their breakers never open', calm(isolation.unguarded.toWell), ''),
    ] : []),
    ...(functions ? [
      target('limiter, breaker and budget asked one after the other', guardsAsked(functions), 'µs', 3),
    ] : []),
    ...(guards ? [
      target('limits and budgets asked − none, CPU of a call as fast as answers come', guards.most.cpu, 'µs', 3),
      target(`the same at ${round(guards.rate)} calls/s, when caches are cold`, guards.fixed.cpu, 'µs'),
      target('limits and budgets asked ÷ none (calls/s)', guards.most.rps, ''),
    ] : []),
    ...(reloads ? [
      target(`longest call around ${reloads.times} reloads with ${round(reloads.many)} upstreams − without`, reloads.pause, 'ms', 50),
      target('calls that failed meanwhile', reloads.failed, '', 0),
    ] : []),
    ...(scale ? [
      target(`named call, rate with ${scale.few} upstreams ÷ with ${round(scale.many)}`, scale.one.rps, '', 1.1),
      target(`named call, p50 with ${round(scale.many)} upstreams ÷ with ${scale.few}`, scale.alone.p50, '', 1.1),
      target('the same rate when all upstreams are called in turn', scale.turn.rps, ''),
    ] : []),
  ];
}

function isolationTable(isolation) {
  const names = {
    well: 'all well',
    beside: 'all well, the sick ones behind another gateway',
    sick: 'three sick',
    unguarded: 'three sick, breakers never open',
  };
  const rows = Object.entries(names).map(([name, title]) => {
    const { p50, p90, p99, max, late, toWell, toBeside, cpu, answered, failed } = isolation[name];
    const each = answered.map((n, i) => `${round(n)}/${round(failed[i])}`);
    const compared = [toWell, toBeside].map((ratio) => (ratio === 1 ? '' : round(ratio, 2)));
    return [title, ...[p50, p90, p99, max].map((value) => round(value)), ...compared, round(late), round(cpu, 1), ...each];
  });
  const sick = ['hanging', 'refusing', 'flooding'].map((name) => `${name} ok/failed`);
  return table(['upstreams', 'p50 µs', 'p90 µs', 'p99 µs', 'max µs', 'p99 ÷ all well', '÷ beside', 'late µs', 'CPU µs per healthy call', ...sick], rows);
}

function guardTable(guards) {
  const rows = ['fixed', 'most'].flatMap((load) => ['bare', 'guarded'].map((name) => {
    const { rps, p50, p99, cpu } = guards[load][name];
    const compared = name === 'bare' ? ['', ''] : [round(guards[load].cpu, 2), load === 'most' ? round(guards[load].rps, 3) : ''];
    const title = { bare: 'none', guarded: 'two limits, two budgets' }[name];
    return [title, load === 'most' ? 'as fast as answers come' : 'a fixed rate', round(rps), round(p50), round(p99), round(cpu, 2), ...compared];
  }));
  return table(['asked', 'load', 'calls/s', 'p50 µs', 'p99 µs', 'CPU µs/call', '− none', 'rate ÷ none'], rows);
}

function scaleTable(scale) {
  const names = {
    one: 'one of them, 32 connections',
    alone: 'one of them, 1 connection',
    turn: 'all in turn, 32 connections',
  };
  const rows = Object.entries(names).flatMap(([what, title]) => ['few', 'many'].map((name) => {
    const { rps, p50, p99, cpu } = scale[what][name];
    const compared = name === 'few' ? ['', ''] : [round(scale[what].rps, 3), round(scale[what].p50, 3)];
    return [title, round(scale[name]), round(rps), round(p50), round(p99), round(cpu, 1), ...compared];
  }));
  return table(['called', 'upstreams', 'calls/s', 'p50 µs', 'p99 µs', 'CPU µs/call', 'rate, few ÷ many', 'p50, many ÷ few'], rows);
}

function reloadTable({ longest, median, took }) {
  const row = (what, { with: during, without }) => [what, round(during, 1), round(without, 1)];
  return `${table(['longest call within', 'around a reload, ms', 'just before, ms'], [
    row('all of them', longest),
    row('the median one', median),
  ])}

From SIGHUP to the line in the log: ${round(took.median, 1)} ms in the median, ${round(took.most, 1)} ms at most.`;
}

/** Sections of build/bench/report.md, as far as they were measured. */
export function federationSections({ isolation, guards, scale, reloads }) {
  return [
    isolation && `### Sick upstreams beside healthy ones: ${round(isolation.rate)} calls/s to these over ${isolation.connections} connections, ${isolation.sickRate} calls/s to each of those; ${isolation.rounds} rounds

${isolationTable(isolation)}`,
    guards && `### Guards: ${guards.connections} connections; ${guards.rounds} rounds

${guardTable(guards)}`,
    scale && `### Calls among ${scale.few} and ${round(scale.many)} upstreams; ${scale.rounds} rounds

${scaleTable(scale)}`,
    reloads && `### ${reloads.times} reloads with ${round(reloads.many)} upstreams, ${round(reloads.rate)} calls/s over ${reloads.connections} connections, ${reloads.sessions} sessions with an open event stream

${reloadTable(reloads)}`,
  ].filter(Boolean);
}
