// What spans cost: no tracing, traces that are not recorded, and all recorded, with a collector that takes them.
import { Receiver } from '../peers/receiver.mjs';
import { medians, pairs } from './federation.mjs';
import { print } from './format.mjs';
import { sideBySide } from './side_by_side.mjs';

const CALLS = { rate: 8000, connections: 16, tools: ['up__tool_1'] };
const SESSIONS = 8;
/** Short turns, and many: what one gateway costs differs from second to second by more than spans do. */
const ROUNDS = 11;

/** The same calls at a fixed rate by way of three gateways that take turns. Those whose turn it is not are stopped. */
export async function measureTraces(all, { rounds }) {
  const [port] = await all.startUpstreams(1, 20);
  const upstreams = [{ id: 'up', url: `http://127.0.0.1:${port}/mcp`, namespace: 'up' }];
  const collector = await Receiver.start({ binary: true });
  collector.answer = (_, response) => {
    collector.deliveries = []; // they are counted, not kept
    response.writeHead(200).end();
  };
  const traced = (sampleRatio) => ({ tracing: { otlpEndpoint: `http://127.0.0.1:${collector.port}`, sampleRatio } });
  const gates = {
    off: await all.startGate(upstreams),
    unsampled: await all.startGate(upstreams, traced(0)),
    sampled: await all.startGate(upstreams, traced(1)),
  };
  const runs = await sideBySide(all, gates, { title: 'traces', calls: { ...CALLS, sessions: SESSIONS }, rounds: rounds * ROUNDS });
  if (!collector.requests) throw new Error('the collector got nothing');
  await all.end();
  await collector.stop();
  const result = { CALLS, rounds: rounds * ROUNDS, exports: collector.requests };
  for (const [name, ones] of Object.entries(runs))
    result[name] = {
      ...medians(ones, ['p50', 'p99', 'cpu']),
      cpuToOff: pairs(ones, runs.off, (one, other) => one.cpu / other.cpu),
      toOff: pairs(ones, runs.off, (one, other) => one.p50 / other.p50),
    };
  print.progress('traces', { 'CPU, unsampled ÷ off': result.unsampled.cpuToOff, 'sampled ÷ off': result.sampled.cpuToOff });
  return result;
}
