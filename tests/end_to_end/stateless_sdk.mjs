// The second generation of the official client at a gateway, in its modes: it insists on MCP 2026-07-28,
// finds it by itself, or opens a session as before. Behind the gateway are a server of sessions, alone and
// beside another one, and the official test server.
import assert from 'node:assert/strict';
import { Gate } from '../../simulations/peers/gate.mjs';
import { requiring } from '../../simulations/peers/identity.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { SessionUpstream } from '../../simulations/peers/session_upstream.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { startEverything } from './support/everything.mjs';
import { textOf } from './support/sdk.mjs';
import { connected, sdkExchange } from './support/stateless_sdk_exchange.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();

const entry = (up, more = {}) => ({ id: up.name, url: up.url, namespace: up.name, ...more });

/** server-everything with a client of each mode: both get the same. */
async function onEverything({ step, everything }) {
  const gate = await Gate.start(binary, { upstreams: [{ id: 'all', url: everything.url }] });
  const direct = await connected(everything.url, 'legacy', { capabilities: {} });
  for (const mode of ['modern', 'auto'])
    await step(`server-everything, ${mode}: what it has is as without a gateway`, async () => {
      const { client, requests } = await connected(gate.url, mode, { capabilities: {} });
      // This client does not show members that its revision does not have.
      const shown = ({ execution, ...tool }) => tool;
      assert.deepEqual((await client.listTools()).tools.map(shown), (await direct.client.listTools()).tools.map(shown));
      assert.deepEqual((await client.listPrompts()).prompts, (await direct.client.listPrompts()).prompts);
      assert.deepEqual((await client.listResources()).resources, (await direct.client.listResources()).resources);
      assert.deepEqual((await client.listResourceTemplates()).resourceTemplates, (await direct.client.listResourceTemplates()).resourceTemplates);
      assert.equal(textOf(await client.callTool({ name: 'echo', arguments: { message: 'ä☃𝄞' } })), 'Echo: ä☃𝄞');
      const weather = { name: 'get-structured-content', arguments: { location: 'Chicago' } };
      assert.deepEqual((await client.callTool(weather)).structuredContent, (await direct.client.callTool(weather)).structuredContent);
      const steps = [];
      await client.callTool({ name: 'trigger-long-running-operation', arguments: { duration: 1, steps: 4 } },
        { onprogress: ({ progress }) => steps.push(progress) });
      assert.deepEqual(steps, [1, 2, 3, 4]);
      assert.ok(requests.every(({ session }) => !session));
      await client.close();
    });
  await direct.client.close();
  await step('server-everything: the gateway ends', () => gate.end());
}

await suite('the second generation of the official client', async ({ step, defer }) => {
  const [one, two, provider, everything] = await Promise.all([
    SessionUpstream.start(), SessionUpstream.start({ name: 'two' }), IdentityProvider.start(), startEverything(),
  ]);
  defer(function serversEnd() {
    return Promise.all([one.stop(), two.stop(), provider.stop(), everything.stop('SIGKILL')]);
  });
  const token = provider.token({ sub: 'ada' });
  const alone = await Gate.start(binary, { upstreams: [{ id: 'one', url: one.url }] });
  const both = await Gate.start(binary, requiring([provider], { upstreams: [entry(two), entry(one)] }), { token, threads: 2 });

  for (const [title, gate, prefix, credential] of [['passthrough', alone, ''], ['federation', both, 'one__', token]]) {
    for (const [mode, era] of [['modern', 'modern'], ['auto', 'modern'], ['legacy', 'legacy']])
      await sdkExchange({
        on: (what, fn) => step(`${title}, ${mode}: ${what}`, fn), url: gate.url, mode, era, prefix, server: one, token: credential,
        listeners: () => until(() => one.streams.size, 'the gateway to listen to the server'), asks: era === 'legacy',
      });
    await step(`${title}: the gateway ends`, () => gate.end());
  }
  await onEverything({ step, everything });
});
