// What the numbers say: the targets with pass or miss, and the tables of build/bench/report.md.
import { round, table, target, targetTable } from './format.mjs';
import { cliffSections, cliffTargets } from './report_cliffs.mjs';
import { federationSections, federationTargets } from './report_federation.mjs';
import { leftoverSections, leftoverTargets } from './report_leftovers.mjs';
import { sinkSections, sinkTargets } from './report_sinks.mjs';
import { countedSections, countedTargets } from './report_counted.mjs';
import { recordingSections, recordingTargets } from './recordings.mjs';
import { traceSections, traceTargets } from './report_traces.mjs';
import { stdioSections, stdioTargets } from './report_stdio.mjs';
import { fleetSections, fleetTargets } from './report_fleet.mjs';
import { suspendedSections, suspendedTargets } from './report_suspended.mjs';

/** What compares the time of finding a tenant among many with that among few. */
const tenantSearches = (functions) =>
  Object.values(functions).filter(({ name, ratio }) => name.startsWith('tenant_') && ratio);

/** Those of identity, policy and tenants. */
function identityTargets({ functions: f, callers }) {
  const tenants = tenantSearches(f).map(({ ratio }) => ratio);
  const called = (name, { toOpen }) => target(name, toOpen, '', 0.97, undefined, true);
  return [
    target('a token that is remembered, always the same one', f.token_known.ns / 1000, 'µs', 2),
    target('a token that is remembered, one of 10,000 in turn', f.token_known_10000_in_turn.ns / 1000, 'µs', 2),
    target('ES256 verification ÷ bare OpenSSL', f.es256_verify_vs_bare.ratio, '', 1.2),
    target('policy filter of 1,000 tools with globs, new view', f.filter_1000_globs.us, 'µs', 60),
    target('the same for a known view: pages that were made anew', f.list_known_view.made, '', 0),
    target(`tenant found among 10,000 ÷ among 10, worst of ${tenants.length} selectors`, Math.max(...tenants), '', 1.15),
    called(`tools/call at ${callers.callers} connections, tokens required ÷ not (requests/s)`, callers.required),
    called('the same with policy and tenants too', callers.ruled),
    target('tokens required ÷ the same requests where they are not', callers.required.toUnread, ''),
    target('the same bytes through nginx ÷ nginx without them', callers.hop_tokens.toHop, ''),
  ];
}

function callTargets({ calls, cpuAt }) {
  const at = calls[cpuAt];
  const one = calls[1];
  return [
    target(`tools/call at ${cpuAt} connections, gate ÷ nginx (requests/s)`, at?.gate.toNginx, '', 0.95, undefined, true),
    target('p50 at 1 connection, gate − nginx', one && one.gate.p50 - one.nginx.p50, 'µs', 5),
    target('CPU per call, gate ÷ nginx', at?.gate.cpuToNginx, '', 1.1),
  ];
}

function generationTargets({ connections, client, server, neither }) {
  const calls = (what, value, least) => target(what, value, '', least, undefined, true);
  const cpu = (what, { cpuToSessions }) => target(`CPU per call, ${what} ÷ sessions on both sides`, cpuToSessions, '', 1.1);
  return [
    calls(`stateless tools/call at ${connections} connections, server with sessions, gate ÷ nginx (requests/s)`, client.toNginx),
    calls('the same, stateless server', neither.toNginx),
    calls('stateless tools/call, server with sessions, ÷ sessions on both sides (requests/s)', client.toSessions, 0.9),
    calls('the same, stateless server', neither.toSessions, 0.9),
    cpu('stateless client, server with sessions', client),
    cpu('client with a session, stateless server', server),
    cpu('neither has sessions', neither),
  ];
}

const memoryTargets = ({ memory }) => [
  target('RSS idle', memory.idle / 1024, 'MiB', 11),
  target('RSS per idle session with a bridged session', memory.perSession, 'KiB', 32, 16),
];

const longTargets = ({ large, long }) => large.connections.map((n) => target(
  `${large.bytes / 1000} KB results at ${n} connection${n > 1 ? 's' : ''}, gate ÷ nginx with roomy buffers (MB/s)`,
  long[n].gate.megabytes / long[n].roomy.megabytes, ''));

/**
 * The targets of the project, each with what was measured, as far as it was. `least`: more is better; no
 * limit: just to know.
 */
export function targets(results) {
  const { calls, callers, functions, list, memory, streams, bridged, long, generations } = results;
  return [
    calls && callTargets(results),
    generations && generationTargets(generations),
    list && target('cached tools/list page, gate ÷ nginx static (pages/s)', list.gate.rps / list.nginx.rps, '', 0.35, 0.5, true),
    memory && memoryTargets(results),
    functions && callers && identityTargets(results),
    federationTargets(results),
    fleetTargets(results),
    cliffTargets(results),
    leftoverTargets(results),
    sinkTargets(results),
    traceTargets(results),
    recordingTargets(results),
    countedTargets(results),
    stdioTargets(results),
    streams && target('RSS per session with an open stream', streams.perSession, 'KiB'),
    bridged && target('RSS per session with an open stream and a bridged session with one', bridged.perSession, 'KiB'),
    suspendedTargets(results),
    long && longTargets(results),
  ].flat().filter(Boolean);
}

function callTable(calls, cpuAt) {
  const rows = [];
  for (const [connections, results] of Object.entries(calls)) {
    for (const name of ['direct', 'nginx', 'gate']) {
      const { rps, p50, p99, cpu, failed } = results[name];
      const ratio = name === 'gate' ? round(results.gate.toNginx, 2) : '';
      const spent = Number(connections) === cpuAt ? round(cpu, 1) : '';
      rows.push([connections, name, round(rps), round(p50), round(p99), ratio, spent, failed ? String(failed) : '0']);
    }
  }
  return table(['connections', 'path', 'requests/s', 'p50 µs', 'p99 µs', '÷ nginx', 'CPU µs/call', 'failed'], rows);
}

function callerTable(callers) {
  const names = {
    open: 'no tokens',
    unread: 'no tokens wanted, but sent',
    required: 'tokens required',
    ruled: 'tokens required, policy and tenants',
    hop: 'nginx, no tokens',
    hop_tokens: 'nginx, tokens passed on',
  };
  const rows = Object.entries(names).map(([name, title]) => {
    const { rps, p50, p99, cpu, failed, toOpen, toUnread } = callers[name];
    return [title, round(rps), round(p50), round(p99), toOpen ? round(toOpen, 3) : '',
      toUnread && name !== 'unread' ? round(toUnread, 3) : '', round(cpu, 1), String(failed)];
  });
  const ratios = ['÷ no tokens', '÷ sent unasked'];
  return table(['gateway', 'requests/s', 'p50 µs', 'p99 µs', ...ratios, 'CPU µs/call', 'failed'], rows);
}

function generationTable({ connections, ...results }) {
  const names = {
    nginx: 'nginx, requests without a session',
    sessions: 'client and server with sessions',
    client: 'stateless client, server with sessions',
    server: 'client with a session, stateless server',
    neither: 'stateless client, stateless server',
  };
  const rows = Object.entries(names).map(([name, title]) => {
    const { rps, p50, p99, cpu, failed, toNginx, toSessions, cpuToSessions } = results[name];
    const ratios = [toNginx, toSessions, cpuToSessions].map((value) => (value ? round(value, 3) : ''));
    return [title, round(rps), round(p50), round(p99), ...ratios.slice(0, 2), round(cpu, 1), ratios[2], String(failed)];
  });
  const head = ['path', 'requests/s', 'p50 µs', 'p99 µs', '÷ nginx', '÷ sessions', 'CPU µs/call', 'CPU ÷ sessions', 'failed'];
  return table(head, rows);
}

/** Single functions: what they cost, and what that is to be compared with. */
function functionTable(f) {
  const us = (ns, places = 2) => round(ns / 1000, places);
  const share = ({ hits }) => `${round(hits * 100, 1)} % remembered`;
  const ratio = (one) => `${round(one.ratio, 3)} × ${us(one.baseline_ns, 1)}, bare OpenSSL`;
  const filter = (kind) => {
    const judged = `one call judged: ${us(f[`judge_${kind}`].ns)}`;
    return [`policy filter of 1,000 tools, ${kind}`, round(f[`filter_1000_${kind}`].us, 1), judged];
  };
  const tenant = (one) => {
    const selector = one.name.slice('tenant_'.length).replaceAll('_', ' ');
    return [`tenant by ${selector}, of 10,000`, us(one.ns), `${round(one.ratio, 3)} × ${us(one.ns_10)}, of 10`];
  };
  const guard = (name) => {
    const { ns, nothing_ns: nothing } = f[`guard_${name}`];
    return [`${name} asked, and its answer`, us(ns), `${us(nothing)}, of one who decides nothing`];
  };
  const refresh = ({ views, cpu_ms: cpu, longest_step_ms: longest }) =>
    [`200 unchanged lists of 50 tools, ${views} kinds of callers`, round(cpu * 1000), `longest step: ${us(longest * 1e6, 0)}`];
  return table(['what', 'µs', 'beside'], [
    [`token of ${f.token_known.bytes} bytes, remembered`, us(f.token_known.ns), share(f.token_known)],
    ['10,000 tokens in turn', us(f.token_known_10000_in_turn.ns), share(f.token_known_10000_in_turn)],
    ['20,000 tokens in turn', us(f.token_20000_in_turn.ns), share(f.token_20000_in_turn)],
    ['new token: verified, remembered, its view found', us(f.token_new.ns), ''],
    ['ES256 verification', us(f.es256_verify_vs_bare.ns, 1), ratio(f.es256_verify_vs_bare)],
    ['ES256 token read and checked', us(f.es256_read_and_check_vs_bare.ns, 1), ratio(f.es256_read_and_check_vs_bare)],
    ['first page of 1,000 tools, known view', us(f.list_known_view.ns), 'nothing is filtered'],
    ['first page of 1,000 tools, new view', us(f.list_new_view.ns), 'filtered, merged and written'],
    ...['globs', 'prefixes', 'infixes', 'names', 'mixed'].map(filter),
    ...tenantSearches(f).map(tenant),
    ...['limiter', 'budget', 'breaker'].map(guard),
    ...[f.list_refresh_1, f.list_refresh_8].filter(Boolean).map(refresh),
  ]);
}

function listTable({ nginx, gate }) {
  const row = (name, r, ratio) => [name, round(r.rps), round(r.p50), round(r.p99), ratio, round(r.cpu, 1)];
  return table(
    ['path', 'pages/s', 'p50 µs', 'p99 µs', '÷ nginx', 'CPU µs/page'],
    [row('nginx, the same bytes as a file', nginx, ''), row('gate, cached', gate, round(gate.rps / nginx.rps, 2))],
  );
}

function longTable(long) {
  const names = { direct: 'direct', nginx: 'nginx', roomy: 'nginx, roomy buffers', gate: 'gate' };
  const rows = Object.entries(long).flatMap(([connections, results]) =>
    Object.entries(names).map(([name, title]) => {
      const { megabytes, p50, p99, cpu, failed } = results[name];
      const ratio = (to) => (name === 'gate' ? round(megabytes / results[to].megabytes, 2) : '');
      const spent = name === 'direct' ? '' : round(cpu, 1);
      return [connections, title, round(megabytes), round(p50), round(p99), ratio('nginx'), ratio('roomy'), spent, failed ? String(failed) : '0'];
    }));
  return table(['connections', 'path', 'MB/s', 'p50 µs', 'p99 µs', '÷ nginx', '÷ nginx, roomy', 'CPU µs/call', 'failed'], rows);
}

function streamTable(streams, bridged) {
  const row = (what, { perSession, told }) => [what, round(perSession, 1), round(told)];
  return table(
    ['each session has', 'RSS KiB', 'all told after ms'],
    [row('its stream', streams), row('its stream, and a session with a stream at the upstream', bridged)],
  );
}

function sections({ settings, listed, large, calls, callers, generations, functions, list, memory, streams, bridged, long, cpuAt }) {
  const { callers: count, bytes } = callers ?? {};
  return [
    calls && `### tools/call

${callTable(calls, cpuAt)}`,
    callers && `### tools/call with tokens: ${count} callers, tokens of ${bytes} bytes, ${count} connections

${callerTable(callers)}`,
    generations && `### tools/call of both generations, ${generations.connections} connections

${generationTable(generations)}`,
    functions && `### Single functions

${functionTable(functions)}`,
    list && `### tools/list: ${listed.upstreams} upstreams × ${listed.tools} tools, first page of ${list.items}, ${round(list.bytes)} bytes, ${listed.connections} connections

${listTable(list)}`,
    memory && `### Memory

RSS idle ${round(memory.idle / 1024, 1)} MiB; ${round(memory.perSession, 1)} KiB for each of ${round(memory.sessions)} idle
sessions, each with its own session at the upstream.`,
    streams && bridged && `### ${round(settings.streams)} sessions with an open event stream

${streamTable(streams, bridged)}`,
    long && `### tools/call with a result of ${round(large.bytes)} bytes

${longTable(long)}`,
  ].filter(Boolean);
}

export function toMarkdown(results) {
  const { machine, version, settings, busy, targets: goals } = results;
  return `## gate ${version}

${machine.cpu}, ${machine.cores} cores, Linux ${machine.kernel}; ${machine.date.slice(0, 10)};
median of ${settings.rounds} interleaved rounds of ${settings.seconds} s; load average ${round(busy[0], 1)} before, ${round(busy[1], 1)} after.

${targetTable(goals)}

${[...sections(results), ...countedSections(results), ...federationSections(results), ...fleetSections(results), ...cliffSections(results), ...leftoverSections(results), ...sinkSections(results), ...traceSections(results), ...recordingSections(results), ...suspendedSections(results), ...stdioSections(results)].join('\n\n')}
`;
}
