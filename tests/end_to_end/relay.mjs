// What travels beside results: progress, log messages, cancellation, list_changed, and the life of
// sessions on both faces.
import assert from 'node:assert/strict';
import { Gate } from '../../simulations/peers/gate.mjs';
import { Connection, format, once } from '../../simulations/peers/http.mjs';
import { Session, messagesOf } from '../../simulations/peers/mcp.mjs';
import { Upstream } from '../../simulations/peers/upstream.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const note = (method, params) => JSON.stringify({ jsonrpc: '2.0', method, params });
const progress = (token, value) => note('notifications/progress', { progressToken: token, progress: value, total: 3 });
const log = (data) => note('notifications/message', { level: 'info', logger: 'lab', data });

/** Reads events of an open stream until one matches. */
async function eventOn(stream, matches, what) {
  let text = '';
  for (;;) {
    const part = await stream.chunk();
    assert.ok(part?.length, `the stream ended before ${what}`);
    text += part.toString();
    const whole = text.slice(0, text.lastIndexOf('\n\n') + 2);
    const answer = { headers: new Map([['content-type', 'text/event-stream']]), body: whole };
    const found = messagesOf(answer).find(({ json }) => matches(json));
    if (found) return found.json;
  }
}

await suite('relay', async ({ step, defer }) => {
  const a = await Upstream.start();
  const b = await Upstream.start();
  defer(function upstreamsEnd() { return Promise.all([a.stop(), b.stop()]); });
  const gate = await Gate.start(binary, {
    upstreams: [
      { id: 'a', url: a.url, namespace: 'a' },
      { id: 'b', url: b.url, namespace: 'b' },
    ],
  });
  defer(function gateEnds() { return gate.end(); });

  for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
    await step(`a client of ${version} is served in its version`, async () => {
      const session = await Session.open(gate, { version });
      assert.equal(session.version, version);
      assert.equal((await session.call('a__echo', { text: version })).result.content[0].text, `echo: ${version}`);
    });
  }
  await step('a client of an unknown version is offered the newest', async () => {
    const session = await Session.open(gate, { version: '2099-01-01' });
    assert.equal(session.version, '2025-11-25');
  });

  await step('the handshake with upstreams: no _meta, initialized, the version header', async () => {
    const session = await Session.open(gate);
    await session.call('a__echo', { text: 'x' });
    for (const call of a.of('initialize')) assert.ok(!('_meta' in call.params), call.body);
    const { session: own, request } = a.of('tools/call').at(-1);
    assert.ok(a.of('notifications/initialized').some((call) => call.session === own));
    assert.equal(request.headers['mcp-protocol-version'], '2025-11-25');
    assert.match(request.headers.accept, /application\/json.*text\/event-stream/);
  });

  await step('each client has a session of its own at the upstream, closed with it', async () => {
    const [one, two] = [await Session.open(gate), await Session.open(gate)];
    const upstreamSession = async (client) => {
      await client.call('a__echo', { text: 'who' });
      return a.of('tools/call').at(-1).session;
    };
    const first = await upstreamSession(one);
    assert.notEqual(await upstreamSession(two), first);
    assert.equal(await upstreamSession(one), first);
    assert.equal((await one.end()).status, 204);
    await until(() => !a.sessions.has(first), 'the upstream session to be closed');
    await two.call('a__echo', { text: 'still' });
  });

  for (const token of ['text-token', 42, '42']) {
    await step(`progress and log messages arrive on the call's stream, token ${JSON.stringify(token)}`, async () => {
      const session = await Session.open(gate);
      let upstreamToken;
      a.on('tools/call', (call) => {
        upstreamToken = call.params._meta.progressToken;
        call.openStream();
        call.event(progress(upstreamToken, 1));
        call.event(log('first'));
        call.event(progress(upstreamToken, 2));
        call.event(`{"jsonrpc":"2.0","id":${call.id},"result":{"content":[]}}`);
        call.response.end();
      });
      const { result } = await session.call('a__raw', {}, { meta: { progressToken: token, mine: { k: 1 } } });
      a.restore();
      assert.deepEqual(result, { content: [] });
      const seen = session.notifications.map(({ json }) => json);
      assert.deepEqual(seen.map((m) => m.method.split('/')[1]), ['progress', 'message', 'progress'], 'in order');
      assert.strictEqual(seen[0].params.progressToken, token);
      assert.equal(seen[1].params.data, 'first');
      assert.deepEqual(a.of('tools/call').at(-1).params._meta.mine, { k: 1 }, 'other _meta passes');
    });
  }

  await step('the same token of two clients does not cross', async () => {
    const clients = await Promise.all([Session.open(gate), Session.open(gate)]);
    const waiting = [];
    a.on('tools/call', (call) => waiting.push(call));
    const running = clients.map((client, i) => client.call('a__raw', { i }, { meta: { progressToken: 'same' } }));
    await until(() => waiting.length === 2, 'both calls');
    a.restore();
    const tokens = waiting.map((call) => call.params._meta.progressToken);
    for (const call of waiting) {
      call.openStream();
      call.event(progress(call.params._meta.progressToken, 10 + call.params.arguments.i));
      call.event(`{"jsonrpc":"2.0","id":${call.id},"result":{"i":${call.params.arguments.i}}}`);
      call.response.end();
    }
    const results = await Promise.all(running);
    results.forEach(({ result }, i) => assert.equal(result.i, i));
    clients.forEach((client, i) => {
      assert.deepEqual(client.notifications.map(({ json }) => json.params.progress), [10 + i], String(tokens));
    });
  });

  await step('progress comes while the call runs, not after it', async () => {
    const session = await Session.open(gate);
    let call;
    a.on('tools/call', (c) => (call = c));
    const connection = await Connection.open(gate.port);
    const params = { name: 'a__raw', arguments: {}, _meta: { progressToken: 1 } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/call', params });
    connection.write(format({ port: gate.port, headers: session.headers(), body }));
    await until(() => call, 'the call');
    a.restore();
    call.openStream();
    call.event(progress(call.params._meta.progressToken, 1));
    const head = await connection.head();
    assert.equal(head.headers.get('content-type'), 'text/event-stream');
    await eventOn(connection, (m) => m.method === 'notifications/progress', 'progress');
    call.event(`{"jsonrpc":"2.0","id":${call.id},"result":{"content":[]}}`);
    call.response.end();
    await eventOn(connection, (m) => m.id === 5 && m.result, 'the result');
    connection.close();
  });

  await step('notifications/cancelled reaches the upstream under its id, reason kept', async () => {
    const session = await Session.open(gate);
    let call;
    a.on('tools/call', (c) => (call = c));
    const before = a.of('notifications/cancelled').length;
    const from = await gate.mark();
    const connection = await Connection.open(gate.port);
    const body = '{"jsonrpc":"2.0","id":"mine","method":"tools/call","params":{"name":"a__raw","arguments":{}}}';
    connection.write(format({ port: gate.port, headers: session.headers(), body }));
    await until(() => call, 'the call');
    a.restore();
    const cancelled = await session.post({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'mine', reason: 'changed my mind' },
    });
    assert.equal(cancelled.status, 202);
    await until(() => a.of('notifications/cancelled').length > before, 'the cancellation upstream');
    const { params, session: where } = a.of('notifications/cancelled').at(-1);
    assert.equal(params.requestId, call.message.id);
    assert.equal(params.reason, 'changed my mind');
    assert.equal(where, call.session);
    await gate.eventually((e) => e.name === 'a__raw', 'the cancelled call', from);
    connection.close();
    assert.equal((await session.call('a__echo', { text: 'on' })).result.content[0].text, 'echo: on');
    const own = (await gate.eventsSince(from)).filter((e) => e.name === 'a__raw');
    assert.equal(own.length, 1, JSON.stringify(own));
  });

  await step('cancelling what is unknown or finished is ignored', async () => {
    const session = await Session.open(gate);
    const before = a.of('notifications/cancelled').length;
    for (const requestId of [999, 'gone']) {
      const answer = await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
      assert.equal(answer.status, 202);
    }
    await session.call('a__echo', { text: 'x' });
    assert.equal(a.of('notifications/cancelled').length, before);
  });

  await step('the same id twice at once in a session is refused, the first goes on', async () => {
    const session = await Session.open(gate);
    let call;
    a.on('tools/call', (c) => (call = c));
    const first = session.call('a__raw', {}, { id: 'twin' });
    await until(() => call, 'the first call');
    a.restore();
    const second = await session.post('{"jsonrpc":"2.0","id":"twin","method":"ping"}');
    assert.equal(second.status, 400, second.body);
    assert.match(second.body, /-32600/);
    call.text('one');
    assert.equal((await first).result.content[0].text, 'one');
  });

  await step('lists are cached: ten requests, one question per upstream', async () => {
    const session = await Session.open(gate);
    await session.request('tools/list', {});
    const before = a.of('tools/list').length;
    await Promise.all(Array.from({ length: 10 }, () => session.request('tools/list', {})));
    assert.equal(a.of('tools/list').length, before);
  });

  await step('list_changed: the cache first, then the clients, each once', async () => {
    const [one, two] = [await Session.open(gate), await Session.open(gate)];
    await one.request('tools/list', {});
    const streams = [await one.stream(), await two.stream()];
    await until(() => a.streams.size > 0, 'the gateway to listen to the upstream');
    a.tools = a.tools.replace('"echo"', '"echo-2"');
    a.notify(note('notifications/tools/list_changed'));
    for (const stream of streams)
      await eventOn(stream, (m) => m.method === 'notifications/tools/list_changed', 'list_changed');
    const { items } = await one.list('tools/list', 'tools');
    assert.deepEqual(items.map((t) => t.name), ['a__echo-2', 'a__raw', 'b__echo', 'b__raw']);
    for (const stream of streams) stream.close();
  });

  await step('an answer of the client to nobody is accepted or refused, never harmful', async () => {
    const session = await Session.open(gate);
    const answer = await session.post('{"jsonrpc":"2.0","id":12345,"result":{}}');
    assert.ok([202, 400].includes(answer.status), answer.line);
    assert.equal((await session.request('ping')).status, 200);
  });

  await step('upstreams that have no stream for server messages are served as well', async () => {
    const plain = await Upstream.start({ noStream: true });
    const own = await Gate.start(binary, { upstreams: [{ id: 'plain', url: plain.url }] });
    const session = await Session.open(own);
    assert.equal((await session.call('echo', { text: 'x' })).result.content[0].text, 'echo: x');
    assert.equal((await session.list('tools/list', 'tools')).items.length, 2);
    await own.end();
    await plain.stop();
  });

  await step('idle sessions expire, an open stream keeps one alive', async () => {
    const own = await Gate.start(binary, {
      upstreams: [{ id: 'a', url: a.url }],
      server: { sessionIdleTimeoutMs: 1000, keepAliveMs: 200 },
    });
    try {
      const idle = await Session.open(own);
      const listening = await Session.open(own);
      const stream = await listening.stream();
      const ping = (session) => once(own.port, { headers: session.headers(), body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
      // Comments on the stream are its sign of life; ten of them are two seconds.
      for (let i = 0; i < 10; i += 1) assert.ok((await stream.chunk())?.length, 'keep-alive');
      // Asking would keep it alive: wait three more seconds' worth of comments, then ask once.
      for (let i = 0; i < 15; i += 1) assert.ok((await stream.chunk())?.length, 'keep-alive');
      assert.equal((await ping(idle)).status, 404);
      assert.equal((await ping(listening)).status, 200);
      stream.close();
    } finally {
      await own.end();
    }
  });
});
