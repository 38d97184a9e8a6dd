// Many who want nothing but to be in the way: what others notice of them.
import assert from 'node:assert/strict';
import net from 'node:net';
import { Gate } from '../../simulations/peers/gate.mjs';
import { Session, responseOf } from '../../simulations/peers/mcp.mjs';
import { Upstream } from '../../simulations/peers/upstream.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const FILES = 256;

/** A connection that says so much and no more. */
function idler(port, says = '') {
  return new Promise((done, failed) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      if (says) socket.write(says);
      done(socket);
    });
    socket.on('error', failed);
    socket.on('close', () => (socket.gone = true));
    socket.resume();
  });
}

await suite('crowds', async ({ step, defer }) => {
  const upstream = await Upstream.start();
  defer(() => upstream.stop());

  await step('idle connections take neither the place of clients nor of upstreams', async () => {
    const gate = await Gate.start('sh', { upstreams: [{ id: 'a', url: upstream.url, namespace: 'a' }] },
      { before: ['-c', `ulimit -n ${FILES}; exec "$0" "$@"`, binary] });
    defer(() => gate.end());
    const call = async (session) => responseOf(await session.post(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a__echo', arguments: { text: 'x' } } })).json;
    const before = await Session.open(gate);
    assert.ok((await call(before)).result);
    const crowd = [];
    for (let i = 0; i < 2 * FILES; i += 1) crowd.push(await idler(gate.port, i % 2 ? 'POST /mcp HT' : ''));
    // Ten sessions, each with a connection and an upstream session of its own.
    for (let i = 0; i < 10; i += 1) {
      const session = await Session.open(gate);
      const { result, error } = await call(session);
      assert.ok(result, JSON.stringify(error));
    }
    assert.ok((await call(before)).result);
    assert.equal((await gate.healthOf('a')).circuit ?? 'closed', 'closed');
    await until(() => crowd.filter((socket) => socket.gone).length >= FILES, 'the oldest of the crowd to go');
    crowd.forEach((socket) => socket.destroy());
  });
});
