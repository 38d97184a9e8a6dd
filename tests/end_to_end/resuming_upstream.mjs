// Upstreams that end their event streams before all was said, and say the rest to whoever comes back
// with the id of the last event: scripted ones, and a server of the official SDK that has its clients
// poll. Callers notice nothing; a call is sent once.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { Gate } from '../../simulations/peers/gate.mjs';
import { Session, messagesOf } from '../../simulations/peers/mcp.mjs';
import { Upstream } from '../../simulations/peers/upstream.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { requirePackages } from './support/everything.mjs';
import { gateBinary, suite } from './support/suite.mjs';

requirePackages();
const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');

const binary = gateBinary();
const sse = { 'Content-Type': 'text/event-stream' };
const event = (text, id) => `event: message\n${id ? `id: ${id}\n` : ''}data: ${text}\n\n`;
const answer = (call, text) =>
  `{"jsonrpc":"2.0","id":${call.id},"result":{"content":[{"type":"text","text":"${text}"}]}}`;
const textOf = ({ result, error }) => {
  assert.ok(result, JSON.stringify(error));
  return result.content[0].text;
};

/** Keeps the events of all streams, and knows to which stream an id belongs. */
class EventStore {
  #events = [];

  async storeEvent(stream, message) {
    this.#events.push({ id: randomUUID(), stream, message });
    return this.#events.at(-1).id;
  }

  async getStreamIdForEventId(id) {
    return this.#events.find((e) => e.id === id)?.stream;
  }

  async replayEventsAfter(id, { send }) {
    const at = this.#events.findIndex((e) => e.id === id);
    const { stream } = this.#events[at];
    for (const e of this.#events.slice(at + 1)) if (e.stream === stream) await send(e.id, e.message);
    return stream;
  }
}

/** A server of the official SDK whose tool `slow` ends its stream, twice, before it answers. */
async function startPolling() {
  const transports = new Map();
  const resumed = [];
  const open = async () => {
    const mcp = new McpServer({ name: 'polling', version: '1' });
    mcp.registerTool('slow', { description: 'ends its stream before it answers' }, async (extra) => {
      for (let round = 1; round <= 2; round += 1) {
        const before = resumed.length;
        extra.closeSSEStream();
        await until(() => resumed.length > before && resumed.at(-1).response.headersSent, 'the client to come back');
        await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data: `round ${round}` } });
      }
      return { content: [{ type: 'text', text: 'at last' }] };
    });
    mcp.server.registerCapabilities({ logging: {} });
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID, eventStore: new EventStore(), retryInterval: 200,
      onsessioninitialized: (id) => transports.set(id, transport),
    });
    await mcp.connect(transport);
    return transport;
  };
  const server = http.createServer(async (request, response) => {
    if (request.headers['last-event-id']) resumed.push({ id: request.headers['last-event-id'], response });
    const known = transports.get(request.headers['mcp-session-id']);
    await (known ?? await open()).handleRequest(request, response);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    resumed,
    stop() {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}

await suite('resuming upstreams', async ({ step, defer }) => {
  const a = await Upstream.start();
  const polling = await startPolling();
  defer(function upstreamsEnd() { return Promise.all([a.stop(), polling.stop()]); });
  const gate = await Gate.start(binary, {
    upstreams: [
      { id: 'a', url: a.url, namespace: 'a', timeouts: { requestMs: 20_000 } },
      { id: 'polling', url: polling.url, namespace: 'p' },
    ],
  });
  defer(function gateEnds() { return gate.end(); });
  const session = await Session.open(gate, { capabilities: { elicitation: {} } });
  await session.call('a__echo', { text: 'warm' });

  /** What `a` answers to GETs with an id: the next of `replies`, each (request, response). */
  let gets = [];
  const onResume = (...replies) => {
    gets = [];
    a.onGet = (request, response) => {
      if (!request.headers['last-event-id']) return false;
      gets.push({ headers: request.headers, at: performance.now() });
      const reply = replies.length > 1 ? replies.shift() : replies[0];
      reply(request, response);
      return true;
    };
  };
  const once = async (action) => {
    const before = a.of('tools/call').length;
    const events = await gate.eventsOf(action);
    assert.equal(a.of('tools/call').length, before + 1, 'it had arrived, and is not sent again');
    assert.equal(events.filter((e) => e.name === 'a__raw').length, 1);
  };

  await step('a call that was primed and left: back after `retry`, with the id, in the session', async () => {
    let call;
    let ended;
    a.on('tools/call', (c) => {
      call = c;
      c.prime('prime-1', 500);
      c.response.end(() => (ended = performance.now()));
    });
    onResume((_, response) => response.writeHead(200, sse).end(event(answer(call, 'resumed'), 'e-2')));
    await once(async () => assert.equal(textOf(await session.call('a__raw')), 'resumed'));
    assert.equal(gets.length, 1);
    const waited = gets[0].at - ended;
    assert.ok(waited >= 450 && waited <= 2000, `${waited} ms`);  // to the millisecond: resume_test
    assert.equal(gets[0].headers['last-event-id'], 'prime-1');
    assert.equal(gets[0].headers['mcp-session-id'], call.session);
    assert.equal(gets[0].headers['mcp-protocol-version'], '2025-11-25');
    assert.equal(gets[0].headers.accept, 'text/event-stream');
    a.restore();
  });

  await step('a connection that breaks after some events: the rest follows, again and again', async () => {
    let call;
    a.on('tools/call', (c) => {
      call = c;
      c.prime('b-1', 100);
      c.response.write(event('{"jsonrpc":"2.0","method":"notifications/message","params":{"n":1}}', 'b-2'),
        () => c.request.socket.resetAndDestroy());
    });
    onResume(
      (request) => request.socket.destroy(),
      (_, response) => response.writeHead(409).end(),
      (request, response) => {
        response.writeHead(200, sse);
        response.write(event('{"jsonrpc":"2.0","method":"notifications/message","params":{"n":2}}', 'b-3'),
          () => request.socket.destroy());
      },
      (_, response) => response.writeHead(200, sse).end(event(answer(call, 'the end'))),
    );
    await once(async () => {
      const said = await session.post({ jsonrpc: '2.0', id: 'b', method: 'tools/call', params: { name: 'a__raw' } });
      const messages = messagesOf(said).map(({ json }) => json);
      assert.deepEqual(messages.slice(0, 2).map((m) => m.params), [{ n: 1 }, { n: 2 }]);
      assert.equal(textOf(messages[2]), 'the end');
      assert.equal(messages.length, 3);
    });
    assert.deepEqual(gets.map((g) => g.headers['last-event-id']).slice(-3), ['b-2', 'b-2', 'b-3']);
    a.restore();
  });

  for (const [what, status] of [['405', 405], ['400', 400], ['an error', 500]]) {
    await step(`a server that answers ${what}: the call fails, once`, async () => {
      a.on('tools/call', (c) => {
        c.prime('c-1', 100);
        c.response.end();
      });
      onResume((_, response) => response.writeHead(status).end());
      await once(async () => {
        const { error } = await session.call('a__raw');
        assert.equal(error?.message, 'upstream "a" unavailable (request failed)');
      });
      assert.equal(gets.length, 1);
      a.restore();
    });
  }

  await step('a lost session: the call fails, the next one opens a new session', async () => {
    a.on('tools/call', (c) => {
      c.prime('d-1', 100);
      c.response.end();
    });
    onResume((_, response) => response.writeHead(404).end());
    const handshakes = a.of('initialize').length;
    await once(async () => assert.equal((await session.call('a__raw')).error?.code, -32041));
    a.restore();
    assert.equal(textOf(await session.call('a__echo', { text: 'new' })), 'echo: new');
    assert.equal(a.of('initialize').length, handshakes + 1);
  });

  for (const [what, id] of [['not ASCII', 'gr\u00fc\u00dfe'], ['control characters', 'a\u0001\u001fb'], ['endless', 'x'.repeat(100_000)]]) {
    await step(`an id that is ${what} is not sent back`, async () => {
      a.on('tools/call', (c) => {
        c.prime(id, 100);
        c.response.end();
      });
      onResume((_, response) => response.writeHead(200, sse).end());
      await once(async () =>
        assert.equal((await session.call('a__raw')).error?.message, 'upstream "a" unavailable (request failed)'));
      assert.equal(gets.length, 0);
      a.restore();
    });
  }

  await step('the session\'s own stream goes on from its last event', async () => {
    const listener = await Session.open(gate);
    await listener.call('a__echo', { text: 'here' });
    const own = a.of('tools/call').at(-1).session;
    let opened;
    let resumedAt;
    a.onGet = (request, response) => {
      if (request.headers['mcp-session-id'] !== own) return false;
      response.writeHead(200, sse);
      response.flushHeaders();
      opened = { request, response, at: performance.now() };
      if (request.headers['last-event-id']) resumedAt = opened.at;
      return true;
    };
    const stream = await listener.stream();
    await until(() => opened, 'the stream of this client at the upstream');
    const note = (n) => `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"n${n}"}}`;
    opened.response.write(`retry: 700\n${event(note(1), 'own-1')}`);
    opened.response.end();
    const endedAt = performance.now();
    await until(() => resumedAt, 'the stream to be opened again');
    assert.ok(resumedAt - endedAt >= 650, `${resumedAt - endedAt} ms`);
    assert.equal(opened.request.headers['last-event-id'], 'own-1');
    opened.response.write(event(note(2), 'own-2'));
    let heard = '';
    while (!heard.includes('"n2"')) heard += (await stream.chunk()).toString();
    assert.equal(heard.match(/"n1"/g)?.length, 1);
    stream.close();
    a.restore();
  });

  await step('a server of the official SDK that has its clients poll', async () => {
    const before = polling.resumed.length;
    const said = await session.post({ jsonrpc: '2.0', id: 's', method: 'tools/call', params: { name: 'p__slow' } });
    const messages = messagesOf(said).map(({ json }) => json);
    assert.equal(textOf(messages.at(-1)), 'at last');
    assert.deepEqual(messages.slice(0, -1).map((m) => m.params.data), ['round 1', 'round 2']);
    assert.equal(polling.resumed.length, before + 2);
    assert.equal(new Set(polling.resumed.map(({ id }) => id)).size, polling.resumed.length, 'each time from a newer event');
  });
});
