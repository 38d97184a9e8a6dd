// The session protocol with official parts: what the official TypeScript client and server-everything do
// directly, they do through the gateway, in passthrough with one server and in a federation of two.
import { Gate } from '../../simulations/peers/gate.mjs';
import { startEverything } from './support/everything.mjs';
import { capable, everythingExchange } from './support/everything_exchange.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();

await suite('the session protocol through the gateway', async ({ step, defer }) => {
  const [ev1, ev2] = await Promise.all([startEverything('first'), startEverything('second')]);
  defer(function serversEnd() { return Promise.all([ev1.stop('SIGKILL'), ev2.stop('SIGKILL')]); });
  const direct = (await capable(ev1.url)).client;
  const alone = await Gate.start(binary, { upstreams: [{ id: 'only', url: ev1.url }] });
  await everythingExchange({ step, title: 'passthrough', url: alone.url, prefix: '', direct });
  await alone.end();
  const both = await Gate.start(binary, {
    upstreams: [{ id: 'first', url: ev1.url, namespace: 'ev1' }, { id: 'second', url: ev2.url, namespace: 'ev2' }],
  });
  await everythingExchange({ step, title: 'federation', url: both.url, prefix: 'ev2__', owner: 'ev1__', direct });
  await both.end();
  await direct.close();
});
