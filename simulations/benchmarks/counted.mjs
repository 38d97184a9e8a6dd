// What a call costs, counted instead of timed: instructions in user space and allocations, by callgrind. The same on any
// machine and beside any load, so that what a change costs shows where a stopwatch sees nothing.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { scratch } from '../peers/gate.mjs';
import { Connection } from '../peers/http.mjs';
import { Session } from '../peers/mcp.mjs';
import { runToEnd } from '../peers/process.mjs';
import { Receiver } from '../peers/receiver.mjs';
import { print } from './format.mjs';

const CALLS = { warmUp: 300, counted: 1000, tool: 'up__tool_1' };
/** Whatever takes memory ends in one of these. */
const ALLOCATES = /^(malloc|calloc|realloc|memalign|posix_memalign|aligned_alloc)$/;

/** Of a dump of callgrind: instructions, and calls of functions that allocate. */
export function readDump(text) {
  const names = new Map();
  let instructions, called, allocations = 0;
  for (const line of text.split('\n')) {
    const total = line.match(/^(?:totals|summary): (\d+)/);
    if (total) instructions = Number(total[1]);
    const function_ = line.match(/^c?fn=\((\d+)\)(?: (.*))?$/);
    if (function_) {
      const [, number, name] = function_;
      if (name) names.set(number, name);
      called = line.startsWith('cfn') ? names.get(number) : undefined;
    }
    const calls = line.match(/^calls=(\d+)/);
    if (calls && called && ALLOCATES.test(called)) allocations += Number(calls[1]);
  }
  if (!instructions) throw new Error('callgrind has counted nothing');
  return { instructions, allocations };
}

/** One call after the other over one connection: what each costs in the end. */
async function count(all, upstreams, config, more = []) {
  const folder = scratch();
  const out = path.join(folder, 'callgrind.out');
  const gate = await all.startGate(upstreams, config, ['valgrind', '--tool=callgrind', `--callgrind-out-file=${out}`], more);
  const connection = await Connection.open(gate.port);
  const session = await Session.open(gate, { connection });
  const call = async (times) => {
    for (let i = 0; i < times; i += 1) {
      const { result } = await session.call(CALLS.tool, { text: 'hello' });
      if (!result) throw new Error('a counted call has failed');
    }
  };
  const dump = async () => {
    const { code, out: said, err } = await runToEnd('callgrind_control', ['--dump', String(gate.process.pid)]);
    if (code !== 0) throw new Error(`callgrind_control failed: ${said}${err}`);
  };
  await call(CALLS.warmUp);
  await dump();
  await call(CALLS.counted);
  await dump();
  const { instructions, allocations } = readDump(readFileSync(`${out}.2`, 'utf8'));
  connection.close();
  return { instructions: instructions / CALLS.counted, allocations: allocations / CALLS.counted };
}

export async function measureCounted(all) {
  const [port] = await all.startUpstreams(1, 20);
  const upstreams = [{ id: 'up', url: `http://127.0.0.1:${port}/mcp`, namespace: 'up' }];
  const collector = await Receiver.start({ binary: true });
  const traced = (sampleRatio) => ({ tracing: { otlpEndpoint: `http://127.0.0.1:${collector.port}`, sampleRatio } });
  const result = { calls: CALLS.counted };
  for (const [name, config] of Object.entries({ off: {}, unsampled: traced(0), sampled: traced(1) }))
    result[name] = await count(all, upstreams, config);
  result.recorded = await count(all, upstreams, {}, ['--record', path.join(scratch(), 'traffic.jsonl')]);
  await all.end();
  await collector.stop();
  print.progress('counted', { 'instructions a call': result.off.instructions, allocations: result.off.allocations });
  return result;
}
