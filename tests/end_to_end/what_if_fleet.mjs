// What if, of a fleet: one of two instances is recorded, and both use the same limits and budgets of a real
// store. What the other one used is known when the recording meets another document.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Gate, scratch } from '../../simulations/peers/gate.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { runToEnd } from '../../simulations/peers/process.mjs';
import { Redis } from '../../simulations/peers/redis.mjs';
import { Upstream } from '../../simulations/peers/upstream.mjs';
import { sleep, until } from '../../simulations/peers/waiting.mjs';
import { suite } from './support/suite.mjs';

const [, , binary, sim] = process.argv;
/** Who calls whom, how often, one after the other: `o` is the other instance. */
const TRAFFIC = [['o', 'a', 9], ['r', 'a', 6], ['o', 'b', 7], ['r', 'b', 8], ['o', 'a', 4], ['r', 'a', 9], ['r', 'b', 5], ['o', 'b', 3], ['r', 'a', 4]];
/** Before that, of each: `initialize` and `notifications/initialized`. */
const GREETINGS = 2;
/** Limits of everybody and of `a`, budgets of `a` and of everything. Nothing is refused by the first. */
const DOCUMENTS = {
  'the one of the recording': { all: 200, a: 100, budgetOfA: 100, budget: 200 },
  'fewer of everybody': { all: 31, a: 100, budgetOfA: 100, budget: 200 },
  'fewer of a server': { all: 200, a: 21, budgetOfA: 100, budget: 200 },
  'a smaller budget of a server': { all: 200, a: 100, budgetOfA: 24, budget: 200 },
  'a smaller budget': { all: 200, a: 100, budgetOfA: 100, budget: 40 },
  'less of everything': { all: 52, a: 25, budgetOfA: 29, budget: 46 },
  'room for others only': { all: 200, a: 9, budgetOfA: 100, budget: 16 },
};

const configOf = ({ all, a, budgetOfA, budget }, [first, second]) => ({
  upstreams: [
    { id: 'a', url: first.url, namespace: 'a', rateLimit: { requestsPerMinute: a }, budget: { period: 'day', upstreamCalls: budgetOfA } },
    { id: 'b', url: second.url, namespace: 'b' },
  ],
  server: { rateLimit: { requestsPerMinute: all }, budget: { period: 'day', upstreamCalls: budget } },
});

/** How the calls of the one that is recorded end under these limits, told independently. */
function judged({ all, a, budgetOfA, budget }) {
  const used = { all: 2 * GREETINGS, a: 0, budgetOfA: 0, budget: 0 };
  const found = {};
  for (const [who, server, times] of TRAFFIC)
    for (let i = 0; i < times; i += 1) {
      const ofA = server === 'a';
      const refusal = who === 'o' ? undefined
        : used.all >= all ? 'rate_limited'
        : ofA && used.a >= a ? 'rate_limited'
        : (ofA && used.budgetOfA >= budgetOfA) || used.budget >= budget ? 'budget_exhausted' : undefined;
      if (who === 'r') found[refusal ?? 'ok'] = (found[refusal ?? 'ok'] ?? 0) + 1;
      if (who === 'o' || used.all < all) used.all += 1;
      if (refusal) continue;
      used.budget += 1;
      if (ofA) used.a += 1;
      if (ofA) used.budgetOfA += 1;
    }
  return found;
}

await suite('what if, of a fleet', async ({ step, defer }) => {
  const servers = [await Upstream.start(), await Upstream.start()];
  const redis = await Redis.start();
  const gates = [];
  defer(async function all() {
    for (const gate of gates) if (!gate.ended) await gate.stop('SIGKILL');
    for (const server of servers) await server.stop();
    await redis.end();
  });
  for (const threads of [1, 2]) {
    const file = path.join(scratch(), `traffic-${threads}.jsonl`);
    const config = configOf(DOCUMENTS['the one of the recording'], servers);

    await step(`${threads} thread(s): one of two is recorded`, async () => {
      await redis.tell('FLUSHALL');
      const start = (args) => Gate.start(binary, config, { args, threads, env: { REDIS_URL: redis.url } });
      const recorded = await start(['--record', file]), other = await start([]);
      gates.push(recorded, other);
      for (const gate of [recorded, other]) await until(async () => (await gate.health()).json.sharedState === 'ok', 'the store to be there');
      // Windows begin with the store's minute: nothing here runs across it.
      const left = 60_000 - (Date.now() % 60_000);
      if (left < 20_000) await sleep(left + 50);
      const sessions = { r: await Session.open(recorded), o: await Session.open(other) };
      for (const [who, server, times] of TRAFFIC)
        for (let i = 0; i < times; i += 1) {
          const { result, error } = await sessions[who].call(`${server}__echo`, { text: 'x' });
          assert.ok(result, JSON.stringify(error));
        }
      for (const gate of [recorded, other]) await gate.end();
    });

    for (const [name, limits] of Object.entries(DOCUMENTS))
      await step(`${threads} thread(s), ${name}: what the other one used counts`, async () => {
        const written = path.join(scratch(), 'document.json');
        writeFileSync(written, JSON.stringify(configOf(limits, servers)));
        const { code, out, err } = await runToEnd(sim, ['replay', file, '--config', written, '--json']);
        assert.notEqual(code, 2, err);
        const found = {};
        for (const { replayed, count, examples } of JSON.parse(out).outcomes)
          if (examples.length === 0 || examples[0].method === 'tools/call') found[replayed] = (found[replayed] ?? 0) + count;
        console.log(`        ${JSON.stringify(found)}`);
        const wanted = judged(limits);
        assert.deepEqual([found.rate_limited ?? 0, found.budget_exhausted ?? 0], [wanted.rate_limited ?? 0, wanted.budget_exhausted ?? 0], JSON.stringify(wanted));
        assert.equal(code, wanted.ok === 32 ? 0 : 1);
      });
  }
});
