// Clients that come, call and leave without a word, at a gate-stdio that has room for a few sessions only.
// Arguments: gate-stdio, gate.
import assert from 'node:assert/strict';
import { Gate } from '../../simulations/peers/gate.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { Shim } from '../../simulations/peers/shim.mjs';
import { requirePackages } from './support/everything.mjs';
import { textOf, transportTo } from './support/sdk.mjs';
import { servers } from './support/stdio_servers.mjs';
import { gateBinary, suite } from './support/suite.mjs';

requirePackages();
const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');

const binary = gateBinary();
const gateway = process.argv[3];

async function visitor(url) {
  const client = new Client({ name: 'visitor', version: '1' }, { capabilities: {} });
  await client.connect(transportTo(url).transport);
  return { client, echo: async (text) => textOf(await client.callTool({ name: 'echo', arguments: { text } })) };
}

await suite('Short visits', async ({ step, defer }) => {
  const shim = await Shim.start(binary, servers.odd, { args: ['--env-passthrough', 'PATH', '--max-sessions', '4'] });
  defer(() => shim.stop());
  const gate = await Gate.start(gateway, { upstreams: [{ id: 'odd', url: shim.url }] });
  defer(() => gate.stop());

  await step('one after the other, far more than there is room for', async () => {
    for (let i = 0; i < 16; i += 1) {
      const session = await Session.open(gate); // and no DELETE
      const { result, error } = await session.call('echo', { text: `visit ${i}` });
      assert.equal(result?.content[0].text, `visit ${i}`, JSON.stringify(error));
    }
    const { stats } = await shim.health();
    assert.ok(stats.sessions <= 4, JSON.stringify(stats));
  });

  await step('the same by clients that listen while they are there', async () => {
    for (let i = 0; i < 12; i += 1) {
      const { client, echo } = await visitor(gate.url);
      assert.equal(await echo(`visit ${i}`), `visit ${i}`);
      await client.close(); // its stream, and no DELETE
    }
    const { stats } = await shim.health();
    assert.ok(stats.sessions <= 4, JSON.stringify(stats));
  });

  await step('who listens keeps what it has, and the circuit stays closed', async () => {
    const all = [];
    for (let i = 0; i < 3; i += 1) {
      const one = await visitor(gate.url);
      assert.equal(await one.echo('in'), 'in');
      all.push(one);
    }
    const late = await visitor(gate.url);
    const outcomes = [];
    for (let i = 0; i < 8; i += 1) outcomes.push(await late.echo('late').catch(({ message }) => message));
    for (const text of outcomes) assert.match(text, /late|unavailable \(busy\)/, JSON.stringify(outcomes));
    for (const { echo } of all) assert.equal(await echo('still here'), 'still here');
    for (const { client } of [...all, late]) await client.close();
  });
});
