// The same calls at a fixed rate by way of several gateways that take turns. Those whose turn it is not are stopped.
import { inTurn, openSessions, requireAllAnswered } from './federation.mjs';
import { load } from './measure.mjs';

/** By the names of `gates`, the calls of each turn; `calls`: `{ rate, connections, tools, sessions }`. */
export async function sideBySide(all, gates, { title, calls: { sessions: many, ...flow }, rounds }) {
  const sessions = {};
  for (const [name, gate] of Object.entries(gates)) sessions[name] = await openSessions(gate, many, flow.tools);
  for (const gate of Object.values(gates)) gate.signal('SIGSTOP');
  const turn = async (name) => {
    gates[name].signal('SIGCONT');
    const result = await load(all.program('bench_load'), gates[name],
      { seconds: 1, warmUp: 0.25, flows: [{ name: 'calls', ...flow, sessions: sessions[name] }] });
    gates[name].signal('SIGSTOP');
    requireAllAnswered(result.calls, `${title}: ${name}`);
    return { ...result.calls, cpu: result.cpu };
  };
  const runs = await inTurn(rounds, Object.fromEntries(Object.keys(gates).map((name) => [name, () => turn(name)])));
  for (const gate of Object.values(gates)) gate.signal('SIGCONT');
  return runs;
}
