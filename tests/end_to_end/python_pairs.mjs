// The official Python SDK of both generations, as client and as server, and the official TypeScript servers, each with
// each: directly where both speak one generation, through the gateway always, the server alone and in a federation.
// Python 2.x as a client opens a session (`legacy`), finds out (`auto`), or insists on MCP 2026-07-28; as a server it
// serves both generations on one path, so the gateway is told to use the one and the other.
import { Gate } from '../../simulations/peers/gate.mjs';
import { LEVELS } from '../../simulations/peers/stateless_rules.mjs';
import { PythonClient, PythonServer, requirePython } from './support/python.mjs';
import { pythonExchange, SESSIONS, STATELESS } from './support/python_exchange.mjs';
import { SessionServer } from './support/session_server.mjs';
import { StatelessServer } from './support/stateless_server.mjs';
import { gateBinary, suite } from './support/suite.mjs';

requirePython();
const binary = gateBinary();

/** Who asks, and what comes of it at the gateway. */
const CLIENTS = [
  { title: 'Python client 1.x', generation: 1, version: SESSIONS },
  { title: 'Python client 2.x, legacy', generation: 2, mode: 'legacy', version: SESSIONS },
  { title: 'Python client 2.x, auto', generation: 2, mode: 'auto', version: STATELESS },
  { title: 'Python client 2.x, 2026-07-28', generation: 2, mode: STATELESS, version: STATELESS },
];

/** What the Python servers say in their log, whatever the level is, to a session. */
const PYTHON_LEVELS = ['debug', 'info', 'warning', 'error'];
const fromInfo = (levels) => levels.slice(levels.indexOf('info'));

const python = (peer, about) => ({
  peer,
  name: peer.serverName,
  sayRegion: ({ region, count, plain }) => `${region} ${count} ${plain}`,
  change: (what, call) => call({ what }),
  began: () => peer.began,
  abandoned: () => peer.cancelled,
  besides: () => ['roots'],
  log: (version) => (version === SESSIONS ? PYTHON_LEVELS : fromInfo(PYTHON_LEVELS)),
  ...about,
});

const typescript = (peer, about) => ({
  peer,
  name: peer.name,
  sayRegion: (args) => JSON.stringify(args),
  change: (what) => (what.includes(':') ? peer.updated(what) : peer.changed(what)),
  besides: () => [],
  ...about,
});

/** `speaks` says what it speaks with the gateway, `direct` what it speaks with others, if they are to ask it. */
async function startServers() {
  const [first, second, sessions, ts1, ts2] = await Promise.all([
    PythonServer.start(1, 'py1'), PythonServer.start(2, 'py2'), PythonServer.start(2, 'py2s'),
    SessionServer.start({ name: 'ts1' }), StatelessServer.start({ name: 'ts2' }),
  ]);
  const calls = (match) => () => ts1.of('tools/call').concat(ts2.of('tools/call')).filter(match).length;
  return [
    python(first, {
      title: 'Python server 1.x', speaks: SESSIONS, direct: [SESSIONS],
      // It asks for roots beside the call, where it can not ask a stateless client (docs/generations.md).
      besides: (version) => (version === SESSIONS ? ['roots', 'ask_url'] : ['ask_url']),
    }),
    python(second, { title: 'Python server 2.x', speaks: STATELESS, direct: [SESSIONS, STATELESS] }),
    python(sessions, {
      title: 'Python server 2.x with sessions', protocol: 'session', speaks: SESSIONS, direct: [], besides: () => ['roots', 'ask_url'],
    }),
    typescript(ts1, {
      title: 'TypeScript server 1.x', speaks: SESSIONS, direct: [SESSIONS], log: () => fromInfo(LEVELS), sessionSubscribes: true, besides: () => ['roots'],
      began: calls(({ params }) => params?.name === 'slow'), abandoned: () => ts1.of('notifications/cancelled').length,
    }),
    typescript(ts2, {
      title: 'TypeScript server 2.x', speaks: STATELESS, direct: [STATELESS], log: () => undefined,
      began: calls(({ headers }) => headers?.['mcp-name'] === 'slow'), abandoned: () => ts2.abandoned,
    }),
  ];
}

await suite('the official Python SDK in pairs', async ({ step, defer }) => {
  const [servers, ...clients] = await Promise.all([startServers(), PythonClient.start(1), PythonClient.start(2)]);
  defer(function clientsEnd() { return Promise.all(clients.map((client) => client.stop('SIGKILL'))); });
  defer(function serversEnd() { return Promise.all(servers.map(({ peer }) => peer.stop('SIGKILL'))); });

  /** `spoken`: what the server is talked to in; `version`: what the client talks. */
  const exchange = (title, server, { title: who, generation, mode }, { version, spoken, ...where }) => pythonExchange({
    on: (what, fn) => step(`${server.title}, ${title}: ${who}: ${what}`, fn),
    client: clients[generation - 1], mode, server, version,
    besides: server.besides(version),
    subscribes: spoken === STATELESS || Boolean(server.sessionSubscribes),
    // A session at the gateway, a server without: nothing is said unless it is asked for.
    ...(version === SESSIONS && spoken === STATELESS ? { levels: server.log(STATELESS), asks: true } : { levels: server.log(version) }),
    ...where,
  });
  const throughGate = async (title, gate, server, prefix) => {
    for (const client of CLIENTS)
      await exchange(title, server, client, { url: gate.url, prefix, version: client.version, spoken: server.speaks });
  };

  for (const server of servers)
    for (const client of CLIENTS) {
      const able = server.direct.includes(client.version);
      if (!able && client.mode !== 'auto') continue;
      const version = able ? client.version : server.direct[0];
      if (version) await exchange('directly', server, client, { url: server.peer.url, version, spoken: version });
    }

  const upstream = ({ name, peer, protocol = 'auto' }, more) => ({ id: name, url: peer.url, protocol, ...more });
  for (const server of servers) {
    const gate = await Gate.start(binary, { upstreams: [upstream(server)] });
    await throughGate('alone', gate, server, '');
    await step(`${server.title}, alone: the gateway ends`, () => gate.end());
  }

  const upstreams = servers.map((server) => upstream(server, { namespace: server.name }));
  // One thread: the Python servers tell of changed lists in the session of whoever called them, and no other.
  const gate = await Gate.start(binary, { upstreams });
  for (const server of servers) await throughGate('federated', gate, server, `${server.name}__`);
  await step('federated: the gateway ends', () => gate.end());
});
