// What calls notice of who receives audit events: nobody does, a webhook that takes them, and one that hangs.
import { Receiver } from '../peers/receiver.mjs';
import { inTurn, medians, openSessions, pairs, requireAllAnswered } from './federation.mjs';
import { print } from './format.mjs';
import { load } from './measure.mjs';

const CALLS = { rate: 2000, connections: 16, tools: ['up__tool_1'] };
const SESSIONS = 8;

/**
 * The same calls at a fixed rate by way of three gateways that take turns: one without audit, one whose webhook
 * takes its events, and one whose webhook never answers. Those whose turn it is not are stopped.
 */
export async function measureSinks(all, { rounds }) {
  const [port] = await all.startUpstreams(1, 20);
  const upstreams = [{ id: 'up', url: `http://127.0.0.1:${port}/mcp`, namespace: 'up' }];
  const taking = await Receiver.start();
  taking.answer = (_, response) => {
    taking.deliveries = []; // they are counted, not kept
    response.writeHead(204).end();
  };
  const hanging = await Receiver.start({ answer: () => {} });
  const audited = ({ port: where }) => ({ audit: { sinks: [{ type: 'webhook', url: `http://127.0.0.1:${where}/` }] } });
  const gates = {
    none: await all.startGate(upstreams),
    taking: await all.startGate(upstreams, audited(taking)),
    hanging: await all.startGate(upstreams, audited(hanging)),
  };
  const sessions = {};
  for (const [name, gate] of Object.entries(gates)) sessions[name] = await openSessions(gate, SESSIONS, CALLS.tools);
  for (const gate of Object.values(gates)) gate.signal('SIGSTOP');
  const turn = async (name) => {
    gates[name].signal('SIGCONT');
    const result = await load(all.program('bench_load'), gates[name],
      { seconds: 2, warmUp: 0.5, flows: [{ name: 'calls', ...CALLS, sessions: sessions[name] }] });
    gates[name].signal('SIGSTOP');
    requireAllAnswered(result.calls, `audit: ${name}`);
    return result.calls;
  };
  const runs = await inTurn(rounds * 3, Object.fromEntries(Object.keys(gates).map((name) => [name, () => turn(name)])));
  for (const gate of Object.values(gates)) gate.signal('SIGCONT');
  if (!taking.requests || !hanging.requests) throw new Error('the webhooks got nothing');
  await all.end();
  await Promise.all([taking.stop(), hanging.stop()]);
  const result = { CALLS, rounds: rounds * 3, deliveries: taking.requests };
  for (const [name, ones] of Object.entries(runs))
    result[name] = {
      ...medians(ones, ['p50', 'p99', 'max']),
      toTaking: pairs(ones, runs.taking, (one, other) => one.p99 / other.p99),
      toNone: pairs(ones, runs.none, (one, other) => one.p99 / other.p99),
    };
  print.progress('audit', { 'p99, hanging ÷ taking': result.hanging.toTaking, 'taking ÷ none': result.taking.toNone });
  return result;
}
