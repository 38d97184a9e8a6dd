// What a server suite meets: our fixture directly, behind a gateway that has it alone, and behind
// one that federates it with a decoy, which a proxy makes look like the fixture alone again. And the
// same fixture over standard input and output, behind gate-stdio, and behind a gateway before that.
// The fixture without sessions is met over HTTP only.
import assert from 'node:assert/strict';
import { Gate } from '../../../simulations/peers/gate.mjs';
import { Session } from '../../../simulations/peers/mcp.mjs';
import { Shim } from '../../../simulations/peers/shim.mjs';
import { Unprefix } from '../unprefix.mjs';
import { StatelessClient } from '../../../simulations/peers/stateless_client.mjs';
import { startFixture, startStatelessFixture, startTasksFixture, stdioFixture } from './conformance.mjs';

/** The suites leave sessions open: a child each, of two suites at once. */
const SESSIONS = '500';

/** How the fixture is started, what else gateways are told of it, and who looks whether they federate. */
const generations = {
  session: { start: startFixture, more: {}, open: (gate) => Session.open(gate) },
  stateless: {
    start: startStatelessFixture, more: { protocol: '2026-07-28' }, open: (gate) => new StatelessClient(gate),
  },
  tasks: {
    start: startTasksFixture, more: { protocol: '2026-07-28' }, open: (gate) => new StatelessClient(gate),
  },
};

const passthrough = (one, more) => ({ upstreams: [{ id: 'one', url: one.url, ...more }] });
const federation = (one, two, more) => ({
  upstreams: [
    { id: 'one', url: one.url, namespace: 'one', ...more },
    { id: 'two', url: two.url, namespace: 'two', ...more },
  ],
});

/** A proxy that takes off prefixes would not notice that there are none, or no second upstream. */
async function assertFederates(gate, open) {
  const client = await open(gate);
  const names = (await client.list('tools/list', 'tools')).items.map(({ name }) => name);
  const uris = (await client.list('resources/list', 'resources')).items.map(({ uri }) => uri);
  for (const wanted of ['one__test_simple_text', 'two__test_simple_text'])
    assert.ok(names.includes(wanted), `${wanted} is missing among ${names}`);
  for (const wanted of ['test://static-text', 'decoy://static-text'])
    assert.ok(uris.includes(wanted), `${wanted} is missing among ${uris}`);
  await client.end?.();
}

/** Over HTTP, for all three at once: `{ direct, passthrough, federated }`. */
async function overHttp(binary, action, { start, more, open }) {
  const [one, two] = await Promise.all([start(), start('--decoy')]);
  const [alone, federating] = await Promise.all([
    Gate.start(binary, passthrough(one, more)),
    Gate.start(binary, federation(one, two, more)),
  ]);
  await assertFederates(federating, open);
  const owns = (uri) => uri.startsWith('test:');
  const proxy = await Unprefix.start({ port: federating.port, namespace: 'one', owns });
  const urls = [one.url, alone.url, `http://127.0.0.1:${proxy.port}${federating.path}`];
  const [direct, passed, federated] = await Promise.all(urls.map(action));
  await proxy.stop();
  await Promise.all([alone.end(), federating.end()]);
  await Promise.all([one.stop(), two.stop()]);
  return { direct, passthrough: passed, federated };
}

/** Over standard input and output: `{ stdio, 'stdio, gate' }`. */
async function overStdio(binary, shimBinary, action) {
  const shim = await Shim.start(shimBinary, stdioFixture, { args: ['--max-sessions', SESSIONS] });
  const gate = await Gate.start(binary, passthrough(shim));
  const [stdio, behind] = await Promise.all([shim.url, gate.url].map(action));
  await gate.end();
  const { code } = await shim.stop();
  assert.deepEqual(shim.complaints(), [], shim.log());
  assert.equal(code, 0, shim.log());
  return { stdio, 'stdio, gate': behind };
}

/** `{ direct }`: the fixture without sessions and without a gateway. */
export async function directly(action) {
  const one = await startStatelessFixture();
  const direct = await action(one.url);
  await one.stop();
  return { direct };
}

/** Runs `action(url)` for each: first all over HTTP at once, then both over standard input and output. */
export async function inEachMode({ gate, shim, generation = 'session' }, action) {
  const found = await overHttp(gate, action, generations[generation]);
  return generation === 'session' ? { ...found, ...(await overStdio(gate, shim, action)) } : found;
}
