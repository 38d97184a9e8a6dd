// Clients that err, cheat or vanish. Each gets a clear refusal (or the end of its connection), each
// terminal response leaves exactly one audit event, and a good client is served right after.
import assert from 'node:assert/strict';
import { Gate } from './support/gate.mjs';
import { Connection, format, once } from './support/http.mjs';
import { PING, ambiguousRequests, badMessages } from './support/hostile.mjs';
import { JSON_POST, Session, messagesOf } from './support/mcp.mjs';
import { gateBinary, sleep, suite, until } from './support/suite.mjs';
import { Upstream } from './support/upstream.mjs';

const binary = gateBinary();
const CAP = 64 * 1024;

await suite('hostile clients', async ({ step, defer }) => {
  const a = await Upstream.start();
  const b = await Upstream.start();
  defer(function upstreamsEnd() { return Promise.all([a.stop(), b.stop()]); });
  const gate = await Gate.start(binary, {
    upstreams: [
      { id: 'a', url: a.url, namespace: 'a' },
      { id: 'b', url: b.url, namespace: 'b' },
    ],
    server: { maxBodyBytes: CAP },
  });
  defer(function gateEnds() { return gate.end(); });
  const { port } = gate;
  const good = await Session.open(gate);

  const stillServes = async () => {
    const { result } = await good.call('a__echo', { text: 'hi' });
    assert.equal(result?.content[0].text, 'echo: hi');
  };
  /** Runs `action`, expects exactly one audit event and returns it; a good client goes on. */
  const audited = async (action) => {
    const events = await gate.eventsOf(action);
    assert.equal(events.length, 1, `one audit event expected: ${JSON.stringify(events)}`);
    await stillServes();
    return events[0];
  };

  for (const [what, bytes] of Object.entries(ambiguousRequests(port))) {
    await step(`request gate: ${what}`, async () => {
      const event = await audited(async () => {
        const connection = await Connection.open(port);
        connection.write(Buffer.from(bytes, 'latin1'));
        const answer = await connection.response();
        assert.ok(answer, 'closed without an answer');
        assert.equal(answer.status, 400, answer.line);
        await connection.ended();
        connection.close();
      });
      assert.equal(event.method, 'http');
      assert.equal(event.outcome, 'error');
    });
  }

  for (const [what, [body, status, code]] of Object.entries(badMessages)) {
    await step(`message: ${what}`, async () => {
      const event = await audited(async () => {
        const answer = await once(port, { headers: good.headers(), body });
        assert.equal(answer.status, status, answer.body);
        assert.equal(answer.headers.get('content-type'), 'application/json');
        const { json } = messagesOf(answer)[0];
        assert.equal(json.error?.code, code, answer.body);
        assert.notEqual(json.id, null, 'official clients refuse a null id: it is left out instead');
      });
      assert.notEqual(event.outcome, 'ok');
    });
  }

  await step('a batch on 2025-03-26 is served, an answer per request', async () => {
    const session = await Session.open(gate, { version: '2025-03-26' });
    const batch = [
      { jsonrpc: '2.0', id: 'one', method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
      { jsonrpc: '2.0', id: 'two', method: 'tools/call', params: { name: 'a__echo', arguments: { text: '2' } } },
      { jsonrpc: '2.0', id: 'three', method: 'tools/call', params: { name: 'b__echo', arguments: { text: '3' } } },
      { jsonrpc: '2.0', id: 'four', method: 'no/such/method' },
    ];
    const events = await gate.eventsOf(async () => {
      const answer = await session.post(batch);
      assert.equal(answer.status, 200, answer.body);
      const answers = messagesOf(answer).flatMap(({ json }) => json).filter((m) => m.id !== undefined);
      assert.deepEqual(answers.map((m) => m.id).sort(), ['four', 'one', 'three', 'two']);
      const byId = Object.fromEntries(answers.map((m) => [m.id, m]));
      assert.equal(byId.two.result.content[0].text, 'echo: 2');
      assert.equal(byId.three.result.content[0].text, 'echo: 3');
      assert.equal(byId.four.error.code, -32601);
    });
    const calls = events.filter((event) => event.method === 'tools/call');
    assert.deepEqual(calls.map((event) => event.upstream).sort(), ['a', 'b'], 'audited element by element');
  });

  await step('a batch of 101 on 2025-03-26 is refused', async () => {
    const session = await Session.open(gate, { version: '2025-03-26' });
    const batch = Array.from({ length: 101 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
    const answer = await session.post(batch);
    assert.equal(answer.status, 400, answer.body);
    assert.match(answer.body, /-32600/);
    await stillServes();
  });

  const refusals = {
    'Accept without event streams': [{ Accept: 'application/json' }, 406],
    'Accept without JSON': [{ Accept: 'text/event-stream' }, 406],
    'Accept of something else': [{ Accept: 'text/html' }, 406],
    'Content-Type text/plain': [{ 'Content-Type': 'text/plain' }, 415],
    'no Content-Type': [{ 'Content-Type': null }, 415],
    'Content-Type application/jsonp': [{ 'Content-Type': 'application/jsonp' }, 415],
    'an unknown protocol version': [{ 'MCP-Protocol-Version': '1999-01-01' }, 400],
    'no session': [{ 'Mcp-Session-Id': null }, 400],
    'an unknown session': [{ 'Mcp-Session-Id': '0123456789abcdef0123456789abcdef00' }, 404],
    'a session id that is none': [{ 'Mcp-Session-Id': '../../etc/passwd' }, 404],
    'a foreign Host': [{ Host: 'evil.example.com' }, 403],
    'a Host that only begins well': [{ Host: 'localhost.evil.example.com' }, 403],
    'a foreign Origin': [{ Origin: 'https://evil.example.com' }, 403],
    'the Origin null': [{ Origin: 'null' }, 403],
  };
  for (const [what, [headers, status]] of Object.entries(refusals)) {
    await step(`headers: ${what}`, async () => {
      const body = '{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{}}';
      const event = await audited(async () => {
        const answer = await once(port, { headers: good.headers(headers), body });
        assert.equal(answer.status, status, answer.body);
        assert.equal(answer.headers.get('content-type'), 'application/json');
        JSON.parse(answer.body);
      });
      if (status === 403) assert.equal(event.outcome, 'forbidden');
      if (status === 403) assert.equal(event.method, 'http');
    });
  }

  await step('media types are read as HTTP means them', async () => {
    for (const headers of [
      { 'Content-Type': 'Application/JSON; charset=utf-8' },
      { Accept: '*/*' },
      { Accept: 'application/json;q=0.9,  text/event-stream;q=0.1' },
      { Origin: `http://localhost:${port}` },
      { Host: 'localhost' },
    ]) {
      const answer = await once(port, { headers: good.headers(headers), body: PING });
      assert.equal(answer.status, 200, `${JSON.stringify(headers)}: ${answer.body}`);
    }
  });

  await step('a second initialize in a session is refused or starts a new session, never breaks it', async () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const answer = await good.post({ jsonrpc: '2.0', id: 9, method: 'initialize', params });
    assert.ok([200, 400].includes(answer.status), answer.line);
    await stillServes();
  });

  const tooLarge = (bytes) => `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${'x'.repeat(bytes)}"}}`;
  await step('a declared body over the cap: 413, before it is read', async () => {
    const event = await audited(async () => {
      const connection = await Connection.open(port);
      const headers = good.headers({ 'Content-Length': CAP * 100 });
      connection.write(format({ port, headers, body: '' }));
      const answer = await connection.response();
      assert.equal(answer?.status, 413);
      assert.equal(answer.headers.get('content-type'), 'application/json');
      await connection.ended();
      connection.close();
    });
    assert.equal(event.method, 'http');
  });

  await step('a chunked body over the cap: cut off at the cap with 413', async () => {
    const event = await audited(async () => {
      const connection = await Connection.open(port);
      const headers = good.headers({ 'Transfer-Encoding': 'chunked', 'Content-Length': null });
      connection.write(format({ port, headers }));
      const piece = 'x'.repeat(8192);
      // Endless: only the refusal ends it.
      const pump = setInterval(() => connection.write(`2000\r\n${piece}\r\n`), 2);
      try {
        const answer = await connection.response();
        assert.equal(answer?.status, 413);
      } finally {
        clearInterval(pump);
        connection.close();
      }
    });
    assert.equal(event.method, 'http');
  });

  await step('a body just below the cap is served, declared and chunked', async () => {
    const body = tooLarge(CAP - 200);
    const declared = await once(port, { headers: good.headers(), body });
    assert.equal(declared.status, 200, declared.body);
    const connection = await Connection.open(port);
    const headers = good.headers({ 'Transfer-Encoding': 'chunked', 'Content-Length': null });
    connection.write(format({ port, headers }));
    for (let at = 0; at < body.length; at += 1000) {
      const piece = body.slice(at, at + 1000);
      connection.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    }
    connection.write('0\r\n\r\n');
    assert.equal((await connection.response())?.status, 200);
    connection.close();
  });

  for (const [what, tail] of Object.entries({
    'a chunk size that is no number': 'zz\r\nabc\r\n0\r\n\r\n',
    'a chunk longer than it says': '3\r\nabcdef\r\n0\r\n\r\n',
    'an overflowing chunk size': 'fffffffffffffffff\r\nabc\r\n0\r\n\r\n',
  })) {
    await step(`chunks: ${what}`, async () => {
      await audited(async () => {
        const connection = await Connection.open(port);
        const headers = good.headers({ 'Transfer-Encoding': 'chunked', 'Content-Length': null });
        connection.write(Buffer.concat([format({ port, headers }), Buffer.from(tail)]));
        const answer = await connection.response();
        assert.ok([400, 413].includes(answer?.status), answer?.line);
        await connection.ended();
        connection.close();
      });
    });
  }

  await step('requests in one piece are answered one by one, in order', async () => {
    const connection = await Connection.open(port);
    const request = (id) => format({ port, headers: good.headers(), body: PING.replace('"id":1', `"id":${id}`) });
    connection.write(Buffer.concat([request(11), request(12), request(13)]));
    for (const id of [11, 12, 13]) {
      const answer = await connection.response();
      assert.equal(JSON.parse(answer.body).id, id);
    }
    connection.close();
  });

  await step('a request byte by byte is served', async () => {
    const connection = await Connection.open(port);
    for (const byte of format({ port, headers: good.headers(), body: PING })) {
      connection.write(Buffer.from([byte]));
      await new Promise(setImmediate);
    }
    assert.equal((await connection.response())?.status, 200);
    connection.close();
  });

  await step('half a header, then gone', async () => {
    const events = await gate.eventsOf(async () => {
      for (const part of ['P', 'POST /mcp HT', `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le`]) {
        const connection = await Connection.open(port);
        connection.write(part);
        await sleep(20);
        connection.vanish();
      }
      const connection = await Connection.open(port);
      connection.write(format({ port, headers: good.headers({ 'Content-Length': 500 }), body: '{"json' }));
      await sleep(20);
      connection.vanish();
      await sleep(50);
    });
    assert.deepEqual(events, [], 'nothing was answered, so nothing is audited');
    await stillServes();
  });

  await step('a client that connects and says nothing does not disturb others', async () => {
    const silent = await Promise.all(Array.from({ length: 50 }, () => Connection.open(port)));
    await stillServes();
    for (const connection of silent) connection.vanish();
    await stillServes();
  });

  await step('a client that vanishes in mid-call: the call ends, one audit event', async () => {
    let release;
    a.on('tools/call', (call) => (release = () => call.text('late')));
    const from = await gate.mark();
    const connection = await Connection.open(port);
    const message = '{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"a__raw","arguments":{"text":"gone"}}}';
    connection.write(format({ port, headers: good.headers(), body: message }));
    await until(() => release, 'the call at the upstream');
    connection.vanish();
    await sleep(50);
    a.restore();
    release();
    await gate.eventually((event) => event.name === 'a__raw', 'the abandoned call', from);
    await stillServes();
    const own = (await gate.eventsSince(from)).filter((event) => event.name === 'a__raw');
    assert.equal(own.length, 1, JSON.stringify(own));
  });

  await step('a client that never reads: its answers do not pile up, others are served', async () => {
    const text = 'x'.repeat(256 * 1024);
    a.on('tools/call', (call) => call.text(text));
    const before = a.of('tools/call').length;
    const connection = await Connection.open(port);
    connection.socket.pause();
    const request = format({
      port,
      headers: good.headers(),
      body: '{"jsonrpc":"2.0","id":78,"method":"tools/call","params":{"name":"a__raw","arguments":{}}}',
    });
    for (let i = 0; i < 200; i += 1) connection.write(request);
    for (let i = 0; i < 20; i += 1) {
      const { result } = await good.call('b__echo', { text: `${i}` });
      assert.equal(result?.content[0].text, `echo: ${i}`);
    }
    await sleep(200);
    const served = a.of('tools/call').length - before;
    assert.ok(served < 200, `all ${served} calls were made for a client that reads nothing`);
    connection.vanish();
    a.restore();
    await stillServes();
  });

  await step('GET without a session, DELETE of a foreign one', async () => {
    const get = await once(port, { method: 'GET', headers: { Accept: 'text/event-stream' } });
    assert.equal(get.status, 405, get.body);
    const other = { 'Mcp-Session-Id': 'f'.repeat(34) };
    const unknown = await once(port, { method: 'DELETE', headers: other });
    assert.equal(unknown.status, 404, unknown.body);
    const json = await once(port, { method: 'GET', headers: good.headers({ Accept: 'application/json' }) });
    assert.equal(json.status, 406, json.body);
    await stillServes();
  });

  await step('a head with nothing but bare line feeds is refused, at the latest as incomplete', async () => {
    await audited(async () => {
      const connection = await Connection.open(port);
      connection.write(`POST /mcp HTTP/1.1\nHost: 127.0.0.1\nContent-Length: ${PING.length}\n\n${PING}`);
      const answer = await connection.response();
      assert.ok([400, 408].includes(answer?.status), answer?.line);
      await connection.ended();
    });
  });

  await step('a half header or body that stays half is cut off, in bounded time', async () => {
    // On a gateway of its own: the bound is 10 s for a header, 30 s for a body, and other steps count
    // audit events.
    const slow = await Gate.start(binary, { upstreams: [{ id: 'a', url: a.url }] });
    try {
      const session = await Session.open(slow);
      const header = await Connection.open(slow.port);
      header.write('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-');
      const body = await Connection.open(slow.port);
      const headers = session.headers({ 'Content-Length': 500 });
      body.write(format({ port: slow.port, headers, body: '{"jsonrpc"' }));
      await Promise.all([header.ended(), body.ended()]);
      assert.equal((await session.call('echo', { text: 'on' })).result?.content[0].text, 'echo: on');
    } finally {
      await slow.end();
    }
  }, 120_000);

  await step('unknown paths are 404, known ones only with their methods', async () => {
    for (const path of ['/', '/mcp/', '/mcp/x', '/healthz', '/console/', '/api/federation', '/.env']) {
      const answer = await once(port, { method: 'GET', path });
      assert.equal(answer.status, 404, `${path}: ${answer.status}`);
      assert.equal(answer.headers.get('content-type'), 'application/json', path);
    }
    const post = await once(port, { path: '/health', headers: JSON_POST, body: PING });
    assert.equal(post.status, 405);
    await stillServes();
  });
});
