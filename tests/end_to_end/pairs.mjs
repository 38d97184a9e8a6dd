// Every official client with every official server, through the gateway: SDK 1.x, and SDK 2.x as it opens a
// session, finds out, or insists on MCP 2026-07-28, in front of SDK 1.x, of SDK 2.x, and of SDK 2.x that serves
// sessions' revisions too; each server alone, and all of them in one federation. What all pairs do, and calls in
// which a server asks for the client's user and model.
import assert from 'node:assert/strict';
import { Gate } from '../../simulations/peers/gate.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { requirePackages } from './support/everything.mjs';
import { CAPABLE } from './support/input_exchange.mjs';
import { textOf, transportTo } from './support/sdk.mjs';
import { sessionExchange } from './support/session_exchange.mjs';
import { SessionServer } from './support/session_server.mjs';
import { answering } from './support/stateless_exchange.mjs';
import { connected, sdkExchange } from './support/stateless_sdk_exchange.mjs';
import { StatelessServer } from './support/stateless_server.mjs';
import { gateBinary, suite } from './support/suite.mjs';

requirePackages('client', 'server', 'node');
const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
const types = await import('@modelcontextprotocol/sdk/types.js');

const binary = gateBinary();
const MODES = [['legacy', 'legacy'], ['auto', 'modern'], ['modern', 'modern']];

/** Each with a name of its own, which is its namespace and the scheme of its resources. */
const startServers = () => Promise.all([
  SessionServer.start({ name: 'first' }), StatelessServer.start({ name: 'second' }), StatelessServer.start({ name: 'both', both: true }),
]);
const titles = { first: 'server 1.x', second: 'server 2.x', both: 'server 2.x of both' };
/** What the official server of the second generation offers is not all that ours do. */
const isOfficial = (server) => server instanceof StatelessServer;

/** Waits until the gateway hears of what is wanted of a server: by a stream, or by a filter that has it. */
const listenedTo = (server) => (wanted) => until(() => {
  if (server.streams) return server.streams.size;
  const filters = [...server.listens].map(({ filter }) => filter);
  return Object.entries(wanted).every(([key, value]) => filters.some((known) =>
    (Array.isArray(value) ? value.every((uri) => known[key]?.includes(uri)) : known[key] === value)));
}, `somebody to listen for ${JSON.stringify(wanted)}`);

/** What all pairs do: lists, calls, errors, progress, reads, prompts, changes, cancelling. */
async function exchanges({ step, title, gate, prefix, server }) {
  const about = {
    url: gate.url, prefix, server, official: isOfficial(server), listeners: listenedTo(server),
  };
  await sessionExchange({ on: (what, fn) => step(`${title}: client 1.x: ${what}`, fn), ...about });
  for (const [mode, era] of MODES)
    await sdkExchange({ on: (what, fn) => step(`${title}: client 2.x, ${mode}: ${what}`, fn), mode, era, asks: false, ...about });
}

/** The first generation of the client, with a user and a model. */
async function askable(url) {
  const client = new Client({ name: 'gate-pairs', version: '1' }, { capabilities: CAPABLE });
  for (const schema of [types.ElicitRequestSchema, types.CreateMessageRequestSchema, types.ListRootsRequestSchema])
    client.setRequestHandler(schema, answering);
  await client.connect(transportTo(url).transport);
  return client;
}

/** Tools that ask in the middle of a call, one after the other and at once. */
async function questions({ step, title, gate, prefix, server }) {
  const open = {
    'client 1.x': () => askable(gate.url),
    ...Object.fromEntries(MODES.map(([mode]) => [`client 2.x, ${mode}`, async () => (await connected(gate.url, mode)).client])),
  };
  for (const [who, opened] of Object.entries(open))
    await step(`${title}: ${who}: it is asked in the middle of its calls`, async () => {
      const client = await opened();
      const call = async (name, args = {}) => textOf(await client.callTool({ name: prefix + name, arguments: args }));
      assert.equal(await call('ask_once'), 'accept {"name":"my name"}');
      assert.equal(await call('sample'), 'the model says words');
      const said = await Promise.all(['ask_once', 'echo', 'sample', 'ask_once'].map((name) => call(name, { text: 'x' })));
      assert.deepEqual(said, ['accept {"name":"my name"}', `${server.name}: x`, 'the model says words', 'accept {"name":"my name"}']);
      await client.close();
    });
}

await suite('official clients and servers in pairs', async ({ step, defer }) => {
  const servers = await startServers();
  defer(function serversEnd() { return Promise.all(servers.map((server) => server.stop())); });
  const part = async (about) => {
    await exchanges(about);
    await questions(about);
  };
  const entry = ({ name, url }, more) => ({ id: name, url, protocol: 'auto', ...more });

  for (const server of servers) {
    const title = `${titles[server.name]}, alone`;
    const gate = await Gate.start(binary, { upstreams: [entry(server)] });
    await part({ step, title, gate, prefix: '', server });
    await step(`${title}: the gateway ends`, () => gate.end());
  }

  const upstreams = servers.map((server) => entry(server, { namespace: server.name }));
  const gate = await Gate.start(binary, { upstreams }, { threads: 2 });
  for (const server of servers)
    await part({ step, title: `${titles[server.name]}, federated`, gate, prefix: `${server.name}__`, server });
  await step('federated: the gateway ends', () => gate.end());
});
