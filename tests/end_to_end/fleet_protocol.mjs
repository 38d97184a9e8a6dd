// Everything that official clients do with one gateway, they do with a fleet of three behind nginx without
// stickiness: the session protocol, also when an instance is killed in the middle of it, and calls of clients
// without sessions whose server asks. Nothing is done twice, and nobody shakes hands again.
import assert from 'node:assert/strict';
import { Gate, sample } from '../../simulations/peers/gate.mjs';
import { Nginx } from '../../simulations/peers/nginx.mjs';
import { Redis } from '../../simulations/peers/redis.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { startEverything } from './support/everything.mjs';
import { capable, everythingExchange } from './support/everything_exchange.mjs';
import { sessionExchange } from './support/session_exchange.mjs';
import { SessionServer } from './support/session_server.mjs';
import { connected } from './support/stateless_sdk_exchange.mjs';
import { textOf } from './support/sdk.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const started = [];

async function fleet(redis, config, { size = 3, threads = 1 } = {}) {
  await redis.tell('FLUSHALL');
  const gates = [];
  for (let i = 0; i < size; i += 1) gates.push(await Gate.start(binary, config, { threads, env: { REDIS_URL: redis.url } }));
  started.push(...gates);
  for (const gate of gates) await until(async () => (await gate.health()).json.sharedState === 'ok', 'the store to be there');
  return { gates, door: await Nginx.start(gates) };
}

async function end({ gates, door }) {
  await door.stop();
  for (const gate of gates) if (!gate.ended) await gate.end();
}

const count = async (gate, name, labels) => sample(await gate.metrics(), name, labels) ?? 0;

await suite('the protocol through a fleet', async ({ step, defer }) => {
  defer(async () => {
    for (const gate of started) if (!gate.ended) await gate.stop('SIGKILL');
  });
  const redis = await Redis.start();
  defer(() => redis.end());
  const [ev1, ev2] = await Promise.all([startEverything('first'), startEverything('second')]);
  defer(function serversEnd() { return Promise.all([ev1.stop('SIGKILL'), ev2.stop('SIGKILL')]); });
  const direct = (await capable(ev1.url)).client;
  const both = { upstreams: [{ id: 'first', url: ev1.url, namespace: 'ev1' }, { id: 'second', url: ev2.url, namespace: 'ev2' }] };
  const names = { prefix: 'ev2__', owner: 'ev1__', direct, ofFleet: true };

  for (const threads of [1, 2]) {
    const whole = await fleet(redis, both, { threads });
    await everythingExchange({ step, title: `three instances, ${threads} thread(s)`, url: whole.door.url, ...names });
    await step(`three instances, ${threads} thread(s): all of them had work`, async () => {
      const adopted = await Promise.all(whole.gates.map((gate) => count(gate, 'gate_sessions_adopted_total', { outcome: 'adopted' })));
      assert.equal(adopted.reduce((sum, n) => sum + n, 0), 2, 'one has begun the session, two went on with it');
    });
    await end(whole);
  }

  const broken = await fleet(redis, both);
  // The one that has the client's stream: it comes back for that at another one, after a second.
  const kill = async (made, statuses) => {
    if (made !== 3) return;
    const opened = () => statuses.filter(({ method, status }) => method === 'GET' && status === 200);
    const before = opened();
    const gate = broken.gates.find(({ port }) => before.at(-1).by.endsWith(`:${port}`));
    gate.signal('SIGKILL');
    await gate.exit;
    await until(() => opened().length > before.length, 'the client to come back for its stream');
  };
  await everythingExchange({ step, title: 'one is killed after three steps', url: broken.door.url, after: kill, ...names });
  await end(broken);
  await direct.close();

  const server = await SessionServer.start({ name: 'asks' });
  defer(() => server.stop());
  const asking = await fleet(redis, { upstreams: [{ id: 'asks', url: server.url }] });
  await sessionExchange({ on: (what, fn) => step(`a server of ours: ${what}`, fn), url: asking.door.url, server, ofFleet: true });
  for (const mode of ['modern', 'auto', 'legacy'])
    await step(`client 2.x, ${mode}: it is asked in the middle of its calls, and answers anywhere`, async () => {
      const { client } = await connected(asking.door.url, mode);
      const call = async (name) => textOf(await client.callTool({ name, arguments: {} }));
      const before = server.of('tools/call').length;
      for (let i = 0; i < 8; i += 1) {
        assert.equal(await call('ask_once'), 'accept {"name":"my name"}');
        assert.equal(await call('sample'), 'the model says words');
      }
      assert.equal(server.of('tools/call').length - before, 16, 'no call was made twice');
      await client.close();
    });
  await end(asking);
});
