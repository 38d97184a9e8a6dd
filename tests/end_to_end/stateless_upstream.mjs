// Servers of MCP 2026-07-28 behind a gateway, named as such or found out (`auto`), by themselves and beside
// a server of sessions, for clients of both generations. The strict peer counts what breaks a rule: nothing
// may. How the generation is found out, remembered, and found out again when the server is replaced.
import assert from 'node:assert/strict';
import { FrontDoor } from '../../simulations/peers/front_door.mjs';
import { Gate } from '../../simulations/peers/gate.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { SessionUpstream } from '../../simulations/peers/session_upstream.mjs';
import { StatelessClient } from '../../simulations/peers/stateless_client.mjs';
import { KEYS, VERSION } from '../../simulations/peers/stateless_rules.mjs';
import { StatelessUpstream } from '../../simulations/peers/stateless_upstream.mjs';
import { sleep, until } from '../../simulations/peers/waiting.mjs';
import { requirePackages } from './support/everything.mjs';
import { sessionExchange } from './support/session_exchange.mjs';
import { exchange, textOf } from './support/stateless_exchange.mjs';
import { sdkExchange } from './support/stateless_sdk_exchange.mjs';
import { StatelessServer } from './support/stateless_server.mjs';
import { gateBinary, suite } from './support/suite.mjs';

requirePackages('client', 'server', 'node');
const binary = gateBinary();

const entry = (up, protocol, more = {}) => ({ id: up.name, url: up.url, protocol, ...more });
const inNamespace = (up, protocol) => entry(up, protocol, { namespace: up.name });
const abandoned = (up) => up.of('tools/call').filter(({ cancelled }) => cancelled).length;
const assertKeptRules = ({ violations }) =>
  assert.deepEqual(violations.map(({ rule, method, body }) => `${rule}: ${method} ${body.slice(0, 300)}`), []);

/** Waits until the server is listened to for all that this filter wants; one of sessions knows of streams only. */
const listenedTo = (server) => (filter = {}) => until(() => {
  if (server.streams) return server.streams.size;
  const filters = [...server.listens].map((listen) => listen.filter);
  const wanted = ([key, value]) => filters.some((known) =>
    (Array.isArray(value) ? value.every((uri) => known[key]?.includes(uri)) : known[key] === value));
  return Object.entries(filter).every(wanted);
}, `somebody to listen for ${JSON.stringify(filter)}`);

/** The offering of a server for all clients; `ended()` is how many calls it was told to give up. */
async function forAll({ step, title, gate, prefix, server, official, ended }) {
  const about = { prefix, server, official, abandoned: ended, listeners: listenedTo(server) };
  const within = (who) => (what, fn) => step(`${title}: ${who}: ${what}`, fn);
  await sessionExchange({ on: within('client 1.x'), url: gate.url, ...about });
  await exchange({ on: within('stateless'), target: gate, ...about });
  for (const [mode, era] of [['modern', 'modern'], ['auto', 'modern'], ['legacy', 'legacy']])
    await sdkExchange({ on: within(`client 2.x, ${mode}`), url: gate.url, mode, era, asks: false, ...about });
}

async function cells({ step, strict, official, sessions }) {
  for (const protocol of ['auto', VERSION])
    for (const [kind, server] of [['strict', strict], ['official', official]]) {
      const alone = await Gate.start(binary, { upstreams: [entry(server, protocol)] });
      const isOfficial = kind === 'official';
      const ended = isOfficial ? undefined : () => abandoned(strict);
      await forAll({ step, title: `${kind}, ${protocol}`, gate: alone, prefix: '', server, official: isOfficial, ended });
      await step(`${kind}, ${protocol}: the gateway kept to the rules`, () => assertKeptRules(strict));
      await step(`${kind}, ${protocol}: the gateway ends`, () => alone.end());
      strict.forget();
    }

  const both = await Gate.start(binary, { upstreams: [inNamespace(sessions, 'auto'), inNamespace(strict, 'auto')] }, { threads: 2 });
  await forAll({ step, title: 'federation, stateless part', gate: both, prefix: 'one__', server: strict, ended: () => abandoned(strict) });
  const ended = () => sessions.of('notifications/cancelled').length;
  await forAll({ step, title: 'federation, part with sessions', gate: both, prefix: 'old__', server: sessions, ended });
  await step('federation: the gateway kept to the rules', () => assertKeptRules(strict));
  await step('federation: one list for clients of both generations', async () => {
    const names = async (client) => (await client.list('tools/list', 'tools')).items.map(({ name }) => name);
    const [session, stateless] = [await Session.open(both), new StatelessClient(both)];
    const found = await names(stateless);
    assert.deepEqual(await names(session), found);
    for (const name of ['one__echo', 'old__echo', 'one__listing']) assert.ok(found.includes(name), name);
  });
  await step('federation: the gateway ends', () => both.end());
}

/** What the server is sent: headers from the body, the envelope of the gateway, the client's own keys. */
async function onTheWire({ step, strict }) {
  const env = { GATE_TEST_TOKEN: 'upstream-token' };
  const auth = { strategy: 'static', secretRef: 'GATE_TEST_TOKEN' };
  const gate = await Gate.start(binary, { upstreams: [{ ...inNamespace(strict, VERSION), auth }] }, { env });
  const [session, client] = [await Session.open(gate), new StatelessClient(gate)];
  const last = (method) => strict.of(method).at(-1);

  await step('names in headers are those of the server, and encoded', async () => {
    const uri = 'one://items/ä b';
    for (const [who, ask] of [['session', session], ['stateless', client]]) {
      assert.ok((await ask.call('one__echo', { text: 'x' })).result, who);
      assert.equal(last('tools/call').headers['mcp-name'], 'echo', who);
      assert.equal(last('tools/call').params.name, 'echo', who);
      assert.ok((await ask.request('resources/read', { uri })).result, who);
      assert.match(last('resources/read').headers['mcp-name'], /^=\?base64\?.*\?=$/, who);
    }
  });

  await step('arguments are repeated in headers, whoever calls', async () => {
    const args = { region: 'ä', count: 7, inner: { deep: 'x' } };
    await client.list('tools/list', 'tools');
    for (const ask of [session, client]) {
      assert.ok((await ask.call('one__region', args)).result);
      const { headers } = last('tools/call');
      assert.deepEqual([headers['mcp-param-count'], headers['mcp-param-deep'], headers['mcp-param-sure']], ['7', 'x', undefined]);
      assert.match(headers['mcp-param-region'], /^=\?base64\?/);
    }
  });

  await step('each request has the envelope of its client, and nothing of sessions', async () => {
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const kept = { 'example.com/kept': [1], traceparent: `00-${trace}-b7ad6b7169203331-01` };
    await session.call('one__echo', {}, { meta: { ...kept, progressToken: 'p' } });
    const ofSession = last('tools/call');
    await client.call('one__echo', {}, { meta: kept });
    const ofStateless = last('tools/call');
    for (const { meta, headers } of [ofSession, ofStateless]) {
      assert.equal(meta[KEYS.version], VERSION);
      assert.deepEqual(meta['example.com/kept'], [1]);
      for (const traceparent of [meta.traceparent, headers.traceparent]) assert.ok(traceparent?.startsWith(`00-${trace}-`), traceparent);
      assert.equal(headers.authorization, 'Bearer upstream-token');
      assert.equal(headers['mcp-session-id'], undefined);
    }
    assert.notEqual(ofSession.meta.progressToken, 'p', 'tokens towards servers are those of the gateway');
  });

  await step('what a tool needs and its client can not do is told to either', async () => {
    const { status, error } = await new StatelessClient(gate).call('one__ask_once');
    assert.deepEqual([status, error?.code, error?.data?.requiredCapabilities], [400, -32021, { elicitation: {} }], JSON.stringify(error));
    const able = await Session.open(gate);
    const { result, error: said } = await able.call('one__ask_once');
    assert.match(result?.isError ? result.content[0].text : String(said?.message), /elicitation/);
    assert.ok(![-32020, -32021, -32022].includes(said?.code), 'codes of the other generation');
  });

  await step('values of tools that are no objects: as they are for one, wrapped for the other', async () => {
    const found = (items) => items.find(({ name }) => name === 'one__listing');
    const native = found((await client.list('tools/list', 'tools')).items);
    assert.equal(native.outputSchema.type, 'array');
    assert.ok((await client.call('one__listing')).text.includes('"structuredContent":[1,2.50]'));
    const { outputSchema } = found((await session.list('tools/list', 'tools')).items);
    const { type, required, properties } = outputSchema;
    assert.deepEqual([type, required], ['object', ['result']]);
    assert.equal(properties.result.items.$ref, '#/properties/result/$defs/item');
    const { result, text } = await session.call('one__listing');
    assert.deepEqual(result.structuredContent, { result: [1, 2.5] });
    assert.ok(text.includes('2.50'), 'digits stay');
    assert.ok(result.content.length, 'a text for those who do not know structured content');
  });

  await step('on the wire: the gateway kept to the rules', () => assertKeptRules(strict));
  await step('the one of the wire ends', () => gate.end());
}

/** Servers that change, lie or break off. */
async function onOddServers({ step, strict }) {
  const gate = await Gate.start(binary, { upstreams: [entry(strict, VERSION)] });
  const [session, client] = [await Session.open(gate), new StatelessClient(gate)];
  await client.list('tools/list', 'tools');
  const both = [['session', session], ['stateless', client]];

  await until(() => strict.listens.size, 'the gateway to listen');
  await step('headers that the server wants since a moment ago: the list is fetched again, the call repeated once', async () => {
    for (const [who, ask] of both) {
      await client.list('tools/list', 'tools'); // what it changes afterwards nobody has heard of
      const { region } = strict.offering.tools;
      const properties = { ...region.inputSchema.properties, plain: { type: 'string', 'x-mcp-header': `Now-${who}` } };
      strict.offering.tools.region = { ...region, inputSchema: { ...region.inputSchema, properties } };
      strict.forget();
      const { result, error } = await ask.call('region', { plain: 'x' }, who === 'stateless' ? { headers: { [`Mcp-Param-Now-${who}`]: 'x' } } : {});
      assert.ok(result, JSON.stringify(error));
      assert.equal(strict.of('tools/call').length, 2, who);
      assert.equal(strict.violations.length, 1, who);
      strict.offering.tools.region = region;
      strict.changed('tools');
      await until(async () => (await client.call('region', { plain: 'x' })).result, 'the former schema');
    }
    strict.forget();
  });

  await step('a tool with a wrong annotation is not shown', async () => {
    const odd = await StatelessUpstream.start({ name: 'odd', wronglyAnnotated: true });
    const own = await Gate.start(binary, { upstreams: [entry(odd, VERSION)] });
    for (const ask of [await Session.open(own), new StatelessClient(own)]) {
      const names = (await ask.list('tools/list', 'tools')).items.map(({ name }) => name);
      assert.ok(names.includes('echo') && !names.includes('wrongly_annotated'), names.join(' '));
    }
    await own.end();
    await odd.stop();
  });

  await step('a kind of result that nobody knows is never passed off as a complete one', async () => {
    strict.on('tools/call', (call) => call.result({ content: [] }, 'surprise'));
    const ofSession = await session.call('echo');
    assert.ok(ofSession.error ?? ofSession.result.isError, JSON.stringify(ofSession.result));
    const { result, error } = await client.call('echo');
    assert.ok(error || result.resultType === 'surprise', JSON.stringify(result));
    strict.restore();
  });

  await step('what belongs to the other generation never reaches a session', async () => {
    for (const [members, kind] of [
      [{ inputRequests: {}, requestState: 'x' }, 'input_required'],
      [{ taskId: 't', status: 'working', createdAt: 'x', lastUpdatedAt: 'x', ttlMs: null }, 'task'],
    ]) {
      strict.on('tools/call', (call) => call.result(members, kind));
      const { result, error } = await session.call('echo');
      assert.ok(error ?? result.isError, `${kind}: ${JSON.stringify(result)}`);
      assert.ok(!['input_required', 'task'].includes(result?.resultType));
    }
    strict.restore();
  });

  await step('an answer as a stream is an answer', async () => {
    strict.format = 'sse';
    for (const [who, ask] of both) assert.ok((await ask.call('echo', { text: who })).result, who);
    strict.restore();
  });

  await step('a stream without its end, and a connection that is cut', async () => {
    const ends = {
      'a stream': (call) => { call.openStream(); call.response.end(); },
      'a cut': (call) => call.request.socket.destroy(),
    };
    for (const [how, end] of Object.entries(ends))
      for (const [who, ask] of both) {
        strict.on('tools/call', end);
        const [event, ...more] = await gate.eventsOf(async () => {
          const { status, error } = await ask.call('echo');
          assert.deepEqual([status, error?.code], [200, who === 'session' ? -32041 : -31041], `${how} ${who}`);
        });
        assert.deepEqual([more, event.outcome], [[], 'upstream_down']);
        strict.restore();
        assert.ok((await ask.call('echo')).result);
      }
  });
  await step('the one of odd servers ends', () => gate.end());
}

/** What a server is asked to tell: opened anew before the former is closed, and again when it ends. */
async function onListening({ step, strict }) {
  const gate = await Gate.start(binary, { upstreams: [entry(strict, VERSION)] });
  const [first, second] = ['one://docs/1', 'one://docs/2'];
  const session = await Session.open(gate);
  const stream = await session.stream();
  const filters = () => [...strict.listens].map(({ filter }) => filter);
  const wants = (uri) => filters().some(({ resourceSubscriptions = [] }) => resourceSubscriptions.includes(uri));
  let heard = '';
  /** The bytes of the stream until they hold this, once the server has said it. */
  const hears = async (uri) => {
    heard = '';
    strict.updated(uri);
    while (!heard.includes(uri)) heard += await stream.chunk();
  };

  await step('a filter grows by a new stream; the former one closes when that is acknowledged', async () => {
    assert.ok((await session.request('resources/subscribe', { uri: first })).result);
    await until(() => wants(first), 'the first subscription');
    // From now on somebody must listen for it at any moment.
    let gap = false;
    const leave = strict.listens.delete.bind(strict.listens);
    strict.listens.delete = (listen) => {
      const gone = leave(listen);
      gap ||= !wants(first);
      return gone;
    };
    assert.ok((await session.request('resources/subscribe', { uri: second })).result);
    await until(() => wants(second) && filters().filter(({ resourceSubscriptions }) => resourceSubscriptions).length === 1, 'one with both');
    delete strict.listens.delete;
    assert.ok(!gap, 'nobody listened in between');
    await hears(first);
    await hears(second);
  });

  await step('what nobody wants any more is not listened for', async () => {
    assert.ok((await session.request('resources/unsubscribe', { uri: second })).result);
    await until(() => wants(first) && !wants(second), 'the filter to shrink');
    await hears(first);
  });

  for (const abruptly of [true, false])
    await step(`streams that end ${abruptly ? 'abruptly' : 'with a result'} are opened again, and the lists are fetched`, async () => {
      await session.list('tools/list', 'tools');
      strict.offering.tools.fresh = { inputSchema: { type: 'object' }, run: () => ({ content: [] }) };
      strict.endListens({ abruptly });
      await until(async () => (await session.list('tools/list', 'tools')).items.some(({ name }) => name === 'fresh'), 'the fresh tool', 20_000);
      delete strict.offering.tools.fresh;
      await until(() => wants(first) && filters().some(({ toolsListChanged }) => toolsListChanged), 'the streams');
      await hears(first);
    });

  await step('one stream a server and credential is enough for all clients', async () => {
    const listen = await new StatelessClient(gate).listen({ resourceSubscriptions: [first], toolsListChanged: true });
    const told = listen.until(({ method }) => method === 'notifications/resources/updated').then(() => true);
    await until(() => {
      strict.updated(first);
      return Promise.race([told, sleep(50)]);
    }, 'the update');
    await until(() => strict.listens.size === 1, `one stream, not ${JSON.stringify(filters())}`, 5_000);
    listen.close();
  });
  await step('listening: the gateway kept to the rules', () => assertKeptRules(strict));
  await step('the listening one ends', () => gate.end());
}

/** Answers to the probe that say: sessions. */
const OF_SESSIONS = {
  'an error of JSON-RPC': (call) => call.error('{"code":-32601,"message":"Method not found"}'),
  '400 without a body': (call) => call.status(400, 'text/plain', ''),
  '400 and an error of its own': (call) => call.status(400, 'application/json', '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: no session"}}'),
  '404': (call) => call.status(404, 'text/plain', 'Not found'),
  '405': (call) => call.status(405, 'text/plain', ''),
  '406': (call) => call.status(406, 'application/json', '{"error":"no"}'),
  'only versions of sessions': (call) =>
    call.status(400, 'application/json', `{"jsonrpc":"2.0","id":${call.id},"error":{"code":-32022,"message":"no","data":{"supported":["2025-11-25"],"requested":"${VERSION}"}}}`),
  'a result that is none of a discovery': (call) => call.result('{}'),
};

/** Answers that say nothing about it. */
const OF_NOTHING = {
  401: (call) => call.response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end(),
  403: (call) => call.response.writeHead(403).end(),
  500: (call) => call.response.writeHead(500).end(),
  503: (call) => call.response.writeHead(503).end(),
  'a cut connection': (call) => call.request.socket.destroy(),
  silence: () => {},
};

async function onProbes({ step, strict, sessions }) {
  const methods = (up) => up.calls.map(({ method }) => method).filter(Boolean);

  await step('auto asks server/discover first, once, and never with a call', async () => {
    strict.forget();
    const gate = await Gate.start(binary, { upstreams: [entry(strict, 'auto')] });
    await Promise.all(Array.from({ length: 20 }, () => new StatelessClient(gate).call('echo', { text: 'x' })));
    const session = await Session.open(gate);
    assert.equal(textOf(await session.call('echo', { text: 'x' })), 'one: x');
    assert.equal(methods(strict)[0], 'server/discover');
    assert.ok(!methods(strict).includes('initialize'));
    assert.equal(strict.of('tools/call').length, 21, 'each call once');
    assertKeptRules(strict);
    await gate.end();
  });

  await step('a generation that is named is not asked for', async () => {
    const silent = await SessionUpstream.start({ name: 'silent' });
    const gate = await Gate.start(binary, { upstreams: [entry(silent, 'session')] });
    assert.equal(textOf(await new StatelessClient(gate).call('echo', { text: 'x' })), 'silent: x');
    assert.equal(methods(silent)[0], 'initialize');
    assert.deepEqual(silent.of('server/discover'), []);
    await gate.end();
    await silent.stop();
  });

  for (const [what, answer] of Object.entries(OF_SESSIONS))
    await step(`auto: ${what} means sessions`, async () => {
      const up = await SessionUpstream.start({ name: 'found' });
      up.on('server/discover', answer);
      const gate = await Gate.start(binary, { upstreams: [entry(up, 'auto')] });
      assert.equal(textOf(await new StatelessClient(gate).call('echo', { text: 'x' })), 'found: x');
      assert.equal(textOf(await (await Session.open(gate)).call('echo', { text: 'y' })), 'found: y');
      assert.deepEqual(up.of('tools/call').map(({ params }) => params.arguments.text), ['x', 'y']);
      const asked = up.of('server/discover').length;
      for (let i = 0; i < 5; i += 1) await new StatelessClient(gate).call('echo', { text: 'z' });
      assert.equal(up.of('server/discover').length, asked, 'what was found out is remembered');
      await gate.end();
      await up.stop();
    });

  for (const [what, answer] of Object.entries(OF_NOTHING))
    await step(`auto: ${what} means nothing, and is asked again`, async () => {
      const up = await StatelessUpstream.start({ name: 'ill' });
      let ill = true;
      up.guard = (call) => {
        if (ill) answer(call);
        return ill;
      };
      const gate = await Gate.start(binary, { upstreams: [entry(up, 'auto', { timeouts: { connectMs: 500, requestMs: 500 } })] });
      const { error } = await new StatelessClient(gate).call('echo', { text: 'x' });
      assert.equal(error?.code, -31041, JSON.stringify(error));
      assert.ok(up.calls.every(({ body }) => !body.includes('"initialize"')), 'nobody tries sessions');
      assert.ok(up.calls.every(({ body }) => !body.includes('"tools/call"')), 'nobody tries with a call');
      ill = false;
      await until(async () => (await new StatelessClient(gate).call('echo', { text: 'well' })).result, 'the server to be well');
      await gate.end();
      await up.stop();
    });

  await step('a generation that is named is kept to: a server of the other one is down', async () => {
    const gate = await Gate.start(binary, { upstreams: [entry(sessions, VERSION)] });
    const before = sessions.of('initialize').length;
    const { error } = await new StatelessClient(gate).call('echo', { text: 'x' });
    assert.equal(error?.code, -31041, JSON.stringify(error));
    assert.equal(sessions.of('initialize').length, before);
    await gate.end();
  });
}

/** The server is replaced by one of the other generation while calls run. */
async function onReplacement({ step }) {
  const [stateless, sessions] = await Promise.all([
    StatelessUpstream.start({ name: 'same' }), SessionUpstream.start({ name: 'same' }),
  ]);
  const door = await FrontDoor.start(stateless);
  const gate = await Gate.start(binary, { upstreams: [{ id: 'same', url: door.url, protocol: 'auto' }] });
  const [session, client] = [await Session.open(gate), new StatelessClient(gate)];

  for (const [what, next] of [['to one of sessions', sessions], ['back', stateless], ['to one of sessions again', sessions]])
    await step(`a server that is replaced under load, ${what}: no call fails`, async () => {
      const failures = [];
      let [done, running] = [0, true];
      const worker = async (ask) => {
        while (running) {
          const { result, error } = await ask.call('echo', { text: 'x' });
          if (!result) failures.push(error);
          done += 1;
        }
      };
      const workers = [session, client, client, client].map(worker);
      await until(() => done > 50, 'some calls');
      door.behind = next;
      if (next === sessions) sessions.sessions.clear();
      const from = done;
      await until(() => done > from + 200 || failures.length > 5, 'more calls');
      running = false;
      await Promise.all(workers);
      assert.deepEqual(failures, []);
      assert.ok(next.of('tools/call').length, 'the new one is called');
    });
  await step('replacement: the gateway ends', () => gate.end());
  await Promise.all([door.stop(), stateless.stop(), sessions.stop()]);
}

await suite('stateless servers', async ({ step, defer }) => {
  const [strict, official, sessions] = await Promise.all([
    StatelessUpstream.start(), StatelessServer.start(), SessionUpstream.start({ name: 'old' }),
  ]);
  defer(function serversEnd() { return Promise.all([strict.stop(), official.stop(), sessions.stop()]); });
  const all = { step, strict, official, sessions };
  for (const part of [cells, onTheWire, onOddServers, onListening, onProbes, onReplacement]) {
    strict.forget();
    await part(all);
  }
});
