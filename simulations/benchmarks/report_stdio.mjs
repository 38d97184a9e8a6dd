// What the numbers about bridges to stdio servers say.
import { round, table, target } from './format.mjs';

const rivals = (stdio) => Object.keys(stdio.memory).filter((name) => name !== 'gate-stdio');

export function stdioTargets({ stdio }) {
  if (!stdio) return [];
  const { memory, many, one, loads, sessions } = stdio;
  const own = memory['gate-stdio'];
  return [
    target(`gate-stdio, p50 at 1 connection − the server's pipes`, one['gate-stdio'].added, 'µs'),
    target('gate-stdio, RSS per session', own.perSession, 'KiB', 48),
    target('the same with the process that watches over its server', own.perSession + own.helpersPerSession, 'KiB'),
    ...rivals(stdio).flatMap((name) => [
      target(`calls/s at ${loads.many.connections} connections, gate-stdio ÷ ${name}`, many[name].oursTo, '', 3, undefined, true),
      target(`memory with ${sessions.few} sessions, gate-stdio ÷ ${name}`, own.few / memory[name].few, '', 0.1),
    ]),
  ];
}

function callTable({ loads, versions, ...stdio }) {
  const rows = Object.entries(loads).flatMap(([what, { connections, sessions }]) =>
    Object.entries(stdio[what]).map(([name, { rps, p50, p99, cpu, added, oursTo }]) => {
      const bridge = name !== 'pipes';
      const title = bridge ? `${name} ${versions[name]}` : 'pipes, no bridge';
      return [title, connections, sessions, round(rps), round(p50), round(p99), bridge ? round(added) : '',
        bridge ? round(cpu, 1) : '', bridge && name !== 'gate-stdio' ? round(oursTo, 1) : ''];
    }));
  return table(['path', 'connections', 'sessions', 'calls/s', 'p50 µs', 'p99 µs', '− pipes', 'CPU µs/call', 'gate-stdio ÷ it'], rows);
}

function memoryTable({ memory, sessions }) {
  const rows = Object.entries(memory).map(([name, one]) => [
    name, ...[one.first, one.few, one.many].map((kib) => round(kib / 1024, 1)), round(one.perSession, 1),
    round(one.helpersPerSession, 1), round(one.servers)]);
  const at = (count) => `MiB, ${count} session${count > 1 ? 's' : ''}`;
  return table(['bridge', at(1), at(sessions.few), at(sessions.many), 'KiB per session', 'its helpers, KiB per session',
    `servers at ${sessions.few}`], rows);
}

export function stdioSections({ stdio }) {
  if (!stdio) return [];
  return [`### Bridges to a stdio server

${callTable(stdio)}

${memoryTable(stdio)}`];
}
