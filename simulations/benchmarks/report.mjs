// What the numbers say: the targets with pass or miss, and the tables of build/bench/report.md.

const round = (value, digits = 0) =>
  value === undefined ? '–' : value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });

export const print = {
  progress(what, values) {
    const parts = Object.entries(values).map(([name, value]) => `${name} ${round(value, value < 100 ? 1 : 0)}`);
    console.log(`${what}: ${parts.join(', ')}`);
  },
};

/** The targets of the project, each with what was measured. `least`: more is better; no limit: just to know. */
export function targets({ calls, list, memory, streams, bridged, large, long, cpuAt }) {
  const at = calls[cpuAt];
  const one = calls[1];
  const target = (name, value, unit, limit, aim, least = false) => {
    const holds = (bound) => (least ? value >= bound : value <= bound);
    const verdict = value === undefined ? 'not measured' : limit === undefined ? 'no target' : !holds(limit) ? 'MISS' : holds(aim) ? 'pass, aim reached' : 'pass';
    return { name, value, unit, limit, aim, least, verdict };
  };
  return [
    target(`tools/call at ${cpuAt} connections, gate ÷ nginx (requests/s)`, at && at.gate.rps / at.nginx.rps, '', 0.75, 0.95, true),
    target('p50 at 1 connection, gate − nginx', one && one.gate.p50 - one.nginx.p50, 'µs', 30, 0),
    target('CPU per call, gate ÷ nginx', at && at.gate.cpu / at.nginx.cpu, '', 1.6, 1.25),
    target('cached tools/list page, gate ÷ nginx static (pages/s)', list.gate.rps / list.nginx.rps, '', 0.35, 0.5, true),
    target('RSS idle', memory.idle / 1024, 'MiB', 20, 12),
    target('RSS per idle session with a bridged session', memory.perSession, 'KiB', 32, 16),
    target('RSS per session with an open stream', streams.perSession, 'KiB'),
    target('RSS per session with an open stream and a bridged session with one', bridged.perSession, 'KiB'),
    ...large.connections.map((n) => target(
      `${large.bytes / 1000} KB results at ${n} connection${n > 1 ? 's' : ''}, gate ÷ nginx with roomy buffers (MB/s)`,
      long[n].gate.megabytes / long[n].roomy.megabytes, '')),
  ];
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i ? '--:' : ':--'))), ...rows.map(line)].join('\n');
}

function targetTable(list) {
  return table(
    ['target', 'measured', 'required', 'aim', 'verdict'],
    list.map(({ name, value, unit, limit, aim, least, verdict }) => {
      const sign = least ? '≥' : '≤';
      const show = (v, digits) => `${round(v, digits)}${unit && ` ${unit}`}`;
      if (limit === undefined) return [name, show(value, 2), '–', '–', verdict];
      return [name, show(value, unit === 'µs' ? 0 : 2), `${sign} ${show(limit, limit % 1 ? 2 : 0)}`, show(aim, aim % 1 ? 2 : 0), verdict];
    }),
  );
}

function callTable(calls, cpuAt) {
  const rows = [];
  for (const [connections, results] of Object.entries(calls)) {
    for (const name of ['direct', 'nginx', 'gate']) {
      const { rps, p50, p99, cpu, failed } = results[name];
      const ratio = name === 'gate' ? round(rps / results.nginx.rps, 2) : '';
      const spent = Number(connections) === cpuAt ? round(cpu, 1) : '';
      rows.push([connections, name, round(rps), round(p50), round(p99), ratio, spent, failed ? String(failed) : '0']);
    }
  }
  return table(['connections', 'path', 'requests/s', 'p50 µs', 'p99 µs', '÷ nginx', 'CPU µs/call', 'failed'], rows);
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

export function toMarkdown(results) {
  const { machine, version, settings, listed, large, calls, list, memory, streams, bridged, long, targets: goals, cpuAt } = results;
  return `## gate ${version}

${machine.cpu}, ${machine.cores} cores, Linux ${machine.kernel}; ${machine.date.slice(0, 10)};
median of ${settings.rounds} interleaved rounds of ${settings.seconds} s.

${targetTable(goals)}

### tools/call

${callTable(calls, cpuAt)}

### tools/list: ${listed.upstreams} upstreams × ${listed.tools} tools, first page of ${list.items}, ${round(list.bytes)} bytes, ${listed.connections} connections

${listTable(list)}

### Memory

RSS idle ${round(memory.idle / 1024, 1)} MiB; ${round(memory.perSession, 1)} KiB for each of ${round(memory.sessions)} idle
sessions, each with its own session at the upstream.

### ${round(streams.sessions)} sessions with an open event stream

${streamTable(streams, bridged)}

### tools/call with a result of ${round(large.bytes)} bytes

${longTable(long)}
`;
}
