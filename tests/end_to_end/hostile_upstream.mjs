// Upstreams that refuse, hang, lie or die. The caller always gets one clear error, there is one audit
// event, the upstream works again as soon as it behaves, and calls to its neighbour never notice.
import assert from 'node:assert/strict';
import { Gate } from '../../simulations/peers/gate.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { Upstream, deadPort } from '../../simulations/peers/upstream.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const MIB = 1024 * 1024;
const WORDS = { failed: 'request failed', late: 'timed out', dead: 'connect failed', refused: 'credential refused' };

const ok = 'HTTP/1.1 200 OK\r\n';
const json = 'Content-Type: application/json\r\n';
const stream = 'Content-Type: text/event-stream\r\n';
const envelope = (call, text) =>
  `{"jsonrpc":"2.0","id":${call.id},"result":{"content":[{"type":"text","text":"${text}"}]}}`;

/** Each answers tools/call in a way that cannot be passed on; the second item is what the error says. */
const misbehaviours = {
  'closes without a byte': [(c) => c.cut(), WORDS.failed],
  'dies in the head': [(c) => c.cut(`${ok}Content-Ty`), WORDS.failed],
  'dies in a declared body': [(c) => c.cut(`${ok}${json}Content-Length: 1000\r\n\r\n{"jsonrpc":"2.0",`), WORDS.failed],
  'dies in a chunk': [(c) => c.cut(`${ok}${json}Transfer-Encoding: chunked\r\n\r\n40\r\n{"jsonrpc":`), WORDS.failed],
  'dies between chunks': [(c) => c.cut(`${ok}${json}Transfer-Encoding: chunked\r\n\r\n2\r\n{"\r\n`), WORDS.failed],
  'dies in an event': [(c) => c.cut(`${ok}${stream}Transfer-Encoding: chunked\r\n\r\n10\r\ndata: {"jsonrpc`), WORDS.failed],
  'ends its stream without the answer': [(c) => c.sse(['{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"bye"}}']), WORDS.failed],
  'answers bytes that are not HTTP': [(c) => c.raw(Buffer.from('\x00\xff\x16\x03\x01 garbage\r\n\r\n', 'latin1')), WORDS.failed],
  'answers an HTML page with 200': [(c) => c.status(200, 'text/html', '<!doctype html><title>Login</title>'), WORDS.failed],
  'answers an HTML page with 502': [(c) => c.status(502, 'text/html', '<h1>Bad Gateway</h1>'), WORDS.failed],
  'answers HTML that claims to be JSON': [(c) => c.answer('<!doctype html>'), WORDS.failed],
  'answers broken JSON': [(c) => c.answer('{"jsonrpc":"2.0","id":1,"result":{'), WORDS.failed],
  'answers an empty body': [(c) => c.answer(''), WORDS.failed],
  'answers an array': [(c) => c.answer('[1,2,3]'), WORDS.failed],
  'answers another id': [(c) => c.answer('{"jsonrpc":"2.0","id":987654321,"result":{}}'), WORDS.failed],
  'answers result and error': [(c) => c.answer(`{"jsonrpc":"2.0","id":${c.id},"result":{},"error":{"code":1,"message":"m"}}`), WORDS.failed],
  'accepts a request with 202': [(c) => c.response.writeHead(202).end(), WORDS.failed],
  'refuses with 401': [(c) => c.status(401, 'application/json', '{}', { 'WWW-Authenticate': 'Bearer realm="inner"' }), WORDS.refused],
  'redirects in a circle': [(c) => c.status(307, 'text/plain', '', { Location: '/mcp' }), WORDS.failed],
  'declares two lengths': [(c) => c.raw(`${ok}${json}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`), WORDS.failed],
  'hangs': [() => {}, WORDS.late],
  'hangs in its stream': [(c) => c.openStream(), WORDS.late],
  'hangs in its body': [(c) => c.response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 99 }).write('{'), WORDS.late],
};

const floods = {
  'an endless event line': [`${ok}${stream}\r\ndata: `, 'x'.repeat(64 * 1024)],
  'an endless event of many lines': [`${ok}${stream}\r\n`, 'data: xxxxxxxxxxxxxxxx\n'.repeat(2000)],
  'an endless body': [`${ok}${json}\r\n{"jsonrpc":"2.0","x":"`, 'x'.repeat(64 * 1024)],
  'endless chunks': [`${ok}${json}Transfer-Encoding: chunked\r\n\r\n`, `4000\r\n${'x'.repeat(0x4000)}\r\n`],
  'an endless head': [`${ok}X-Long: `, 'x'.repeat(64 * 1024)],
  'endless headers': [ok, 'X-A: b\r\n'.repeat(4096)],
};

await suite('hostile upstreams', async ({ step, defer }) => {
  const bad = await Upstream.start();
  const good = await Upstream.start();
  defer(function upstreamsEnd() { return Promise.allSettled([bad.stop(), good.stop()]); });
  const gate = await Gate.start(binary, {
    upstreams: [
      {
        id: 'bad', url: bad.url, namespace: 'bad', cacheTtlMs: -1, maxResponseBytes: MIB,
        timeouts: { connectMs: 3000, requestMs: 3000 },
      },
      { id: 'good', url: good.url, namespace: 'good', cacheTtlMs: -1 },
    ],
  });
  defer(function gateEnds() { return gate.end(); });
  const session = await Session.open(gate);
  const neighbour = await Session.open(gate);
  const echo = async (client, name, text) =>
    assert.equal((await client.call(`${name}__echo`, { text })).result?.content[0].text, `echo: ${text}`);
  await echo(session, 'bad', 'warm');
  await echo(neighbour, 'good', 'warm');

  /** A call of `bad__raw` that must fail so, while the neighbour's calls go through. */
  const failsWith = async (words) => {
    let error;
    const events = await gate.eventsOf(async () => {
      const failing = session.call('bad__raw', { text: 'x' });
      for (const text of ['one', 'two', 'three']) await echo(neighbour, 'good', text);
      const answer = await failing;
      assert.equal(answer.status, 200, 'after dispatch everything is a JSON-RPC answer');
      error = answer.error;
    });
    assert.equal(error?.code, -32041, JSON.stringify(error));
    assert.equal(error.message, `upstream "bad" unavailable (${words})`);
    assert.equal(error.data?.gate?.reason, 'upstream_down');
    assert.equal(error.data.gate.upstream, 'bad');
    assert.doesNotMatch(JSON.stringify(error), /127\.0\.0\.1|localhost/, 'errors name no address');
    const own = events.filter((event) => event.name === 'bad__raw');
    assert.equal(own.length, 1, JSON.stringify(events));
    assert.equal(own[0].outcome, 'upstream_down');
    assert.equal(own[0].upstream, 'bad');
    assert.equal(events.filter((e) => e.name === 'good__echo' && e.outcome === 'ok').length, 3);
    return error;
  };
  const recovers = async () => {
    bad.restore();
    await echo(session, 'bad', 'again');
  };

  for (const [what, [behave, words]] of Object.entries(misbehaviours)) {
    await step(`an upstream that ${what}`, async () => {
      const before = bad.of('tools/call').length;
      bad.on('tools/call', behave);
      await failsWith(words);
      const reached = bad.of('tools/call').length - before;
      if (!/closes without a byte|circle/.test(what))
        assert.equal(reached, 1, 'a call that may have been processed is never repeated');
      await recovers();
    });
  }

  await step('a call that timed out is cancelled at the upstream', async () => {
    const before = bad.of('notifications/cancelled').length;
    let upstreamId;
    bad.on('tools/call', (call) => (upstreamId = call.message.id));
    await failsWith(WORDS.late);
    await until(() => bad.of('notifications/cancelled').length > before, 'notifications/cancelled');
    assert.equal(bad.of('notifications/cancelled').at(-1).params.requestId, upstreamId);
    await recovers();
  });

  for (const [what, [head, piece]] of Object.entries(floods)) {
    await step(`an upstream that sends ${what} is cut off`, async () => {
      let sent;
      bad.on('tools/call', async (call) => (sent = await call.flood(head, piece, 512 * MIB)));
      await failsWith(WORDS.failed);
      const bytes = await until(() => sent, 'the upstream to be cut off');
      assert.ok(bytes < 64 * MIB, `${bytes} bytes were taken, the cap is ${MIB}`);
      await recovers();
    });
  }

  for (const format of ['json', 'chunked', 'sse']) {
    await step(`10 MB as ${format}: refused above maxResponseBytes, passed below`, async () => {
      const text = 'y'.repeat(10_000_000);
      const big = (call) => call.answer(envelope(call, text));
      bad.format = format;
      bad.on('tools/call', big);
      await failsWith(WORDS.failed);
      await recovers();
      good.format = format;
      good.on('tools/call', big);
      const { result } = await neighbour.call('good__raw');
      assert.equal(result?.content[0].text.length, text.length);
      assert.ok(result.content[0].text === text);
      good.restore();
    });
  }

  await step('a redirect to another origin is not followed', async () => {
    const elsewhere = await Upstream.start();
    bad.on('tools/call', (call) => call.status(307, 'text/plain', '', { Location: elsewhere.url }));
    await failsWith(WORDS.failed);
    assert.equal(elsewhere.calls.length, 0);
    await elsewhere.stop();
    await recovers();
  });

  const noSession = '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}';
  const notFound = '{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}';
  for (const [what, code, body] of [
    ['404', 404, notFound],
    ['404 with no body', 404, ''],
    ['400 that speaks of the session', 400, noSession],
  ]) {
    await step(`a lost session (${what}): a new handshake, one retry, the client sees nothing`, async () => {
      await echo(session, 'bad', 'before');
      const lost = bad.of('tools/call').at(-1).session;
      const handshakes = bad.of('initialize').length;
      bad.on('tools/call', (call) => {
        if (call.session === lost) return call.status(code, 'application/json', body);
        return call.text(`from ${call.session}`);
      });
      const { result, error } = await session.call('bad__raw');
      assert.ok(result, JSON.stringify(error));
      assert.notEqual(result.content[0].text, `from ${lost}`);
      assert.ok(bad.of('initialize').length > handshakes);
      await recovers();
    });
  }

  await step('a session that is lost again and again: one retry, then an error', async () => {
    const before = bad.of('tools/call').length;
    bad.on('tools/call', (call) => call.status(404, 'application/json', notFound));
    await failsWith(WORDS.failed);
    const reached = bad.of('tools/call').length - before;
    assert.ok(reached <= 2, `${reached} attempts`);
    await recovers();
  });

  await step('other 400s are not mistaken for a lost session', async () => {
    const handshakes = bad.of('initialize').length;
    bad.on('tools/call', (call) => call.status(400, 'text/plain', 'bad request'));
    await failsWith(WORDS.failed);
    assert.equal(bad.of('initialize').length, handshakes);
    await recovers();
  });

  await step('idle keep-alive connections that the upstream closed are replaced', async () => {
    for (let i = 0; i < 5; i += 1) {
      await echo(session, 'bad', `${i}`);
      bad.server.closeIdleConnections();
    }
    for (let i = 0; i < 5; i += 1) {
      // Closed right after each answer, without announcing it.
      bad.on('tools/call', (call) => {
        call.response.once('finish', () => call.request.socket.end());
        call.text('bye');
      });
      assert.equal((await session.call('bad__raw')).result?.content[0].text, 'bye');
    }
    await recovers();
  });

  await step('an upstream that goes away and comes back', async () => {
    await bad.stop();
    await failsWith(WORDS.dead);
    await bad.listen();
    await echo(session, 'bad', 'back');
  });

  await step('its error about itself passes verbatim and is no failure', async () => {
    bad.on('tools/call', (call) => call.error('{"code":-32041,"message":"mine, not the gateway\'s"}'));
    const [event] = await gate.eventsOf(async () => {
      const { error } = await session.call('bad__raw');
      assert.deepEqual(error, { code: -32041, message: "mine, not the gateway's" });
    });
    assert.equal(event.upstream, 'bad');
    assert.notEqual(event.outcome, 'upstream_down');
    await recovers();
  });

  const partial = async (behave) => {
    bad.on('tools/list', behave);
    const { result, error } = await session.request('tools/list', {});
    bad.restore();
    assert.ok(result, JSON.stringify(error));
    assert.deepEqual(result.tools.map((tool) => tool.name), ['good__echo', 'good__raw']);
    assert.deepEqual(result._meta?.['gate/partialFailure'], { failedUpstreams: ['bad'] });
  };
  /** A failed fill is remembered for a second; ask until the list is whole again. */
  const listsWhole = () =>
    until(async () => {
      const { result } = await session.request('tools/list', {});
      return result?.tools.length === 4 && !result._meta?.['gate/partialFailure'];
    }, 'the whole list');
  for (const [what, behave] of Object.entries({
    'garbage': (c) => c.answer('garbage'),
    'an HTTP error': (c) => c.status(500, 'text/html', 'oops'),
    'a JSON-RPC error': (c) => c.error('{"code":-32603,"message":"no list today"}'),
    'nothing (it hangs)': () => {},
    'a result without tools': (c) => c.result('{"stuff":[]}'),
    'pages without end': (c) => c.result('{"tools":[],"nextCursor":"same"}'),
    'more than the cap': (c) => c.answer(`{"jsonrpc":"2.0","id":${c.id},"result":{"tools":[],"pad":"${'p'.repeat(2 * MIB)}"}}`),
  })) {
    await step(`tools/list with an upstream that answers ${what}: the others, and who failed`, async () => {
      await listsWhole();
      await partial(behave);
      await listsWhole();
    });
  }

  await step('bad items are left out, the others of that upstream stay', async () => {
    await listsWhole();
    const name = '"inputSchema":{"type":"object"}';
    bad.on('tools/list', (call) =>
      call.result(`{"tools":[{"name":"fine",${name}},{${name}},{"name":7,${name}},{"name":"",${name}},{"name":"a","name":"b",${name}}]}`));
    const { result } = await session.request('tools/list', {});
    assert.deepEqual(result.tools.map((tool) => tool.name), ['bad__fine', 'good__echo', 'good__raw']);
    bad.restore();
  });

  await step('with every upstream down: an error that names them, health 503', async () => {
    const [one, two] = [await deadPort(), await deadPort()];
    const lonely = await Gate.start(binary, {
      upstreams: [
        { id: 'one', url: `http://127.0.0.1:${one}/mcp`, namespace: 'one' },
        { id: 'two', url: `http://127.0.0.1:${two}/mcp`, namespace: 'two' },
      ],
    });
    try {
      const client = await Session.open(lonely);
      const { error } = await client.request('tools/list', {});
      assert.equal(error?.code, -32041, JSON.stringify(error));
      assert.equal(error.message, 'all upstreams unavailable: one, two');
      const call = await client.call('two__echo');
      assert.equal(call.error?.message, 'upstream "two" unavailable (connect failed)');
      assert.equal((await lonely.health()).status, 503);
    } finally {
      await lonely.end();
    }
  });
});
