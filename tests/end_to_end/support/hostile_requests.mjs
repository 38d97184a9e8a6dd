// What clients that err, cheat or vanish send to any of our servers, and what they get.
import assert from 'node:assert/strict';
import { Connection, format, once } from '../../../simulations/peers/http.mjs';
import { JSON_POST, Session, messagesOf } from '../../../simulations/peers/mcp.mjs';
import { sleep } from '../../../simulations/peers/waiting.mjs';
import { PING, ambiguousRequests, badMessages } from './hostile.mjs';

/**
 * Steps against `server` (`{ port }`), which takes bodies of `cap` bytes and has a session `good`.
 * `judged(action, fields)` runs what is to be refused and looks whether that was audited, not as `ok` and with
 * these fields; `unheard(action)` what gets no answer. Both end with a good client's call, as `stillServes`
 * makes it. `another()` starts a second one; `stop()` ends it.
 */
export async function hostileRequests({ step, server, good, cap, judged, unheard, stillServes, another }) {
  const { port } = server;

  for (const [what, bytes] of Object.entries(ambiguousRequests(port))) {
    await step(`request gate: ${what}`, async () => {
      await judged(async () => {
        const connection = await Connection.open(port);
        connection.write(Buffer.from(bytes, 'latin1'));
        const answer = await connection.response();
        assert.ok(answer, 'closed without an answer');
        assert.equal(answer.status, 400, answer.line);
        await connection.ended();
        connection.close();
      }, { method: 'http', outcome: 'error' });
    });
  }

  for (const [what, [body, status, code]] of Object.entries(badMessages)) {
    await step(`message: ${what}`, async () => {
      await judged(async () => {
        const answer = await once(port, { headers: good.headers(), body });
        assert.equal(answer.status, status, answer.body);
        assert.equal(answer.headers.get('content-type'), 'application/json');
        const { json } = messagesOf(answer)[0];
        assert.equal(json.error?.code, code, answer.body);
        assert.notEqual(json.id, null, 'official clients refuse a null id: it is left out instead');
      });
    });
  }

  await step('a batch of 101 on 2025-03-26 is refused', async () => {
    const session = await Session.open(server, { version: '2025-03-26' });
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
      await judged(async () => {
        const answer = await once(port, { headers: good.headers(headers), body });
        assert.equal(answer.status, status, answer.body);
        assert.equal(answer.headers.get('content-type'), 'application/json');
        JSON.parse(answer.body);
      }, status === 403 ? { method: 'http', outcome: 'forbidden' } : {});
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

  const tooLarge = (bytes) => `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${'x'.repeat(bytes)}"}}`;
  await step('a declared body over the cap: 413, before it is read', async () => {
    await judged(async () => {
      const connection = await Connection.open(port);
      const headers = good.headers({ 'Content-Length': cap * 100 });
      connection.write(format({ port, headers, body: '' }));
      const answer = await connection.response();
      assert.equal(answer?.status, 413);
      assert.equal(answer.headers.get('content-type'), 'application/json');
      await connection.ended();
      connection.close();
    }, { method: 'http' });
  });

  await step('a chunked body over the cap: cut off at the cap with 413', async () => {
    await judged(async () => {
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
    }, { method: 'http' });
  });

  await step('a body just below the cap is served, declared and chunked', async () => {
    const body = tooLarge(cap - 200);
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

  const expecting = { Expect: '100-continue' };
  for (const [what, [headers, status]] of Object.entries({
    'a foreign Host': [{ Host: 'evil.example.com' }, 403],
    'a foreign Origin': [{ Origin: 'https://evil.example.com' }, 403],
    'more than the cap': [{ 'Content-Length': cap + 1 }, 413],
  })) {
    await step(`a body that is held back is not asked for: ${what}`, async () => {
      await judged(async () => {
        const connection = await Connection.open(port);
        const long = { 'Content-Length': cap, ...expecting, ...headers };
        connection.write(format({ port, headers: good.headers(long), body: '' }));
        const answer = await connection.response();
        assert.equal(answer?.status, status, answer?.line);
        assert.equal(answer.headers.get('connection'), 'close');
        await connection.ended();
        connection.close();
      }, { method: 'http' });
    });
  }

  await step('a body that is held back is asked for, and served', async () => {
    const connection = await Connection.open(port);
    for (let i = 0; i < 2; i += 1) {
      const body = tooLarge(cap - 200);
      const [head] = format({ port, headers: good.headers(expecting), body }).toString().split('\r\n\r\n');
      connection.write(`${head}\r\n\r\n`);
      assert.equal((await connection.head())?.line, 'HTTP/1.1 100 Continue');
      connection.write(body);
      assert.equal((await connection.response())?.status, 200);
    }
    connection.close();
  });

  for (const [what, tail] of Object.entries({
    'a chunk size that is no number': 'zz\r\nabc\r\n0\r\n\r\n',
    'a chunk longer than it says': '3\r\nabcdef\r\n0\r\n\r\n',
    'an overflowing chunk size': 'fffffffffffffffff\r\nabc\r\n0\r\n\r\n',
  })) {
    await step(`chunks: ${what}`, async () => {
      await judged(async () => {
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
    await unheard(async () => {
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
  });

  await step('a client that connects and says nothing does not disturb others', async () => {
    const silent = await Promise.all(Array.from({ length: 50 }, () => Connection.open(port)));
    await stillServes();
    for (const connection of silent) connection.vanish();
    await stillServes();
  });

  await step('a head with nothing but bare line feeds is refused, at the latest as incomplete', async () => {
    await judged(async () => {
      const connection = await Connection.open(port);
      connection.write(`POST /mcp HTTP/1.1\nHost: 127.0.0.1\nContent-Length: ${PING.length}\n\n${PING}`);
      const answer = await connection.response();
      assert.ok([400, 408].includes(answer?.status), answer?.line);
      await connection.ended();
    });
  });

  await step('a half header or body that stays half is cut off, in bounded time', async () => {
    // On one of its own: the bound is 10 s for a header, 30 s for a body, and other steps count audit events.
    const slow = await another();
    try {
      const session = await Session.open(slow);
      const header = await Connection.open(slow.port);
      header.write('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-');
      const body = await Connection.open(slow.port);
      const headers = session.headers({ 'Content-Length': 500 });
      body.write(format({ port: slow.port, headers, body: '{"jsonrpc"' }));
      await Promise.all([header.ended(), body.ended()]);
      assert.equal((await session.post({ jsonrpc: '2.0', id: 9, method: 'ping' })).status, 200);
    } finally {
      await slow.stop();
    }
  }, 120_000);

  await step('unknown paths are 404, known ones only with their methods', async () => {
    for (const path of ['/', '/mcp/', '/mcp/x', '/sse', '/healthz', '/console/', '/api/federation', '/.env']) {
      const answer = await once(port, { method: 'GET', path });
      assert.equal(answer.status, 404, `${path}: ${answer.status}`);
      assert.equal(answer.headers.get('content-type'), 'application/json', path);
      assert.equal(JSON.parse(answer.body).error, 'no such endpoint: MCP is at /mcp', path);
    }
    const elsewhere = await once(port, { path: '/sse', headers: JSON_POST, body: PING });
    assert.match(elsewhere.body, /MCP is at \/mcp/, 'who posts there is told as well');
    const post = await once(port, { path: '/health', headers: JSON_POST, body: PING });
    assert.equal(post.status, 405);
    await stillServes();
  });
}
