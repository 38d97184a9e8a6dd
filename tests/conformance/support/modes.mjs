// What a server suite meets: our fixture directly, behind a gateway that has it alone, and behind
// one that federates it with a decoy, which a proxy makes look like the fixture alone again. And the
// same fixture over standard input and output, behind gate-stdio, and behind a gateway before that.
import assert from 'node:assert/strict';
import { Gate } from '../../../simulations/peers/gate.mjs';
import { Session } from '../../../simulations/peers/mcp.mjs';
import { Shim } from '../../../simulations/peers/shim.mjs';
import { Unprefix } from '../unprefix.mjs';
import { startFixture, stdioFixture } from './conformance.mjs';

/** The suites leave sessions open: a child each, of two suites at once. */
const SESSIONS = '500';

const passthrough = (one) => ({ upstreams: [{ id: 'one', url: one.url }] });
const federation = (one, two) => ({
  upstreams: [
    { id: 'one', url: one.url, namespace: 'one' },
    { id: 'two', url: two.url, namespace: 'two' },
  ],
});

/** A proxy that takes off prefixes would not notice that there are none, or no second upstream. */
async function assertFederates(gate) {
  const session = await Session.open(gate);
  const names = (await session.list('tools/list', 'tools')).items.map(({ name }) => name);
  const uris = (await session.list('resources/list', 'resources')).items.map(({ uri }) => uri);
  for (const wanted of ['one__test_simple_text', 'two__test_simple_text'])
    assert.ok(names.includes(wanted), `${wanted} is missing among ${names}`);
  for (const wanted of ['test://static-text', 'decoy://static-text'])
    assert.ok(uris.includes(wanted), `${wanted} is missing among ${uris}`);
  await session.end();
}

/** Over HTTP, for all three at once: `{ direct, passthrough, federated }`. */
async function overHttp(binary, action) {
  const [one, two] = await Promise.all([startFixture(), startFixture('--decoy')]);
  const [alone, federating] = await Promise.all([
    Gate.start(binary, passthrough(one)),
    Gate.start(binary, federation(one, two)),
  ]);
  await assertFederates(federating);
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

/** Runs `action(url)` for each: first all over HTTP at once, then both over standard input and output. */
export async function inEachMode({ gate, shim }, action) {
  return { ...(await overHttp(gate, action)), ...(await overStdio(gate, shim, action)) };
}
