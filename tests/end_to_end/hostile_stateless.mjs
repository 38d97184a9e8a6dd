// Clients of MCP 2026-07-28 that err, cheat or vanish, in front of a server with sessions. Each gets a clear
// refusal, each answer leaves exactly one audit event, nothing of it reaches the server, nothing piles up, and a
// good client is served right after. Among them are those who forge what a call that waits for its client hands
// out.
import assert from 'node:assert/strict';
import { Gate, sample } from '../../simulations/peers/gate.mjs';
import { Connection, format, once } from '../../simulations/peers/http.mjs';
import { Session, responseOf } from '../../simulations/peers/mcp.mjs';
import { residentKiB } from '../../simulations/peers/process.mjs';
import { SessionUpstream } from '../../simulations/peers/session_upstream.mjs';
import { StatelessClient } from '../../simulations/peers/stateless_client.mjs';
import { KEYS, VERSION } from '../../simulations/peers/stateless_rules.mjs';
import { until, within } from '../../simulations/peers/waiting.mjs';
import { envelopes, filters, headers } from './support/hostile_stateless_requests.mjs';
import { forgedStates } from './support/forged_states.mjs';
import { textOf } from './support/stateless_exchange.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const LEGACY = '2025-11-25';
/** So much more than after the first time nothing may cost that is done again. */
const SPARE_KIB = 12 * 1024;
/** Sessions that appear once, whoever comes. */
const SHARED = 4;
/** AddressSanitizer keeps what was freed, which would look as if the gateway kept it. */
const FREED_IS_FREE = { ASAN_OPTIONS: `${process.env.ASAN_OPTIONS ?? ''}:quarantine_size_mb=1` };

const CALL = { method: 'tools/call', params: { name: 'one__echo', arguments: { text: 'x' } } };
const PROMPT = { method: 'prompts/get', params: { name: 'one__greet', arguments: { who: 'x' } } };
const INVOKED = ['tools/call', 'prompts/get', 'resources/read', 'resources/subscribe'];

const reached = (server) => INVOKED.reduce((sum, method) => sum + server.of(method).length, 0);

/** A gateway, its server, and what all parts ask of them. */
async function world(server, { threads = 1 } = {}) {
  const config = { upstreams: [{ id: 'one', url: server.url, namespace: 'one' }], server: { maxBodyBytes: 256 * 1024 } };
  const gate = await Gate.start(binary, config, { threads, env: FREED_IS_FREE });
  const client = new StatelessClient(gate);
  const good = await Session.open(gate);
  const serves = async () => {
    for (const one of [good, client]) assert.equal(textOf(await one.call('one__echo', { text: 'hi' })), 'one: hi');
  };
  /** Who owns a URI is known from then on, and the sessions that stay are there. */
  await client.list('resources/list', 'resources');
  await serves();
  const sessions = async () => {
    const metrics = await gate.metrics();
    return ['client', 'bridged'].map((kind) => sample(metrics, 'gate_sessions', { kind }));
  };
  const few = await sessions();
  return {
    server, gate, client, good, serves,
    /** Runs what is refused: one event, not of success, and nothing reaches the server. */
    async judged(action) {
      const before = reached(server);
      const events = await gate.eventsOf(action);
      assert.equal(events.length, 1, JSON.stringify(events));
      assert.notEqual(events[0].outcome, 'ok');
      assert.equal(reached(server), before, 'it went on');
      await serves();
    },
    /** Nothing is left of those who have gone. Clients of one kind share a session of each thread, which stays. */
    async left() {
      let now;
      const gone = async () => (now = await sessions()).every((count, i) => count <= few[i] + SHARED);
      await until(gone, 'sessions to be as few as before').catch((error) => assert.fail(`${error.message}: ${few}, now ${now}`));
    },
  };
}

/** An answer in JSON that is an error, under the id of the request or none; `code` where it is one of MCP. */
function assertRefused(answer, { status, code }, id) {
  assert.equal(answer.status, status, answer.body.slice(0, 300));
  assert.equal(answer.headers.get('content-type'), 'application/json');
  const json = JSON.parse(answer.body);
  assert.ok(json.error, answer.body);
  if (code !== undefined) assert.equal(json.error.code, code, answer.body);
  if ('id' in json) assert.equal(json.id, id);
  assert.ok(!answer.headers.get('mcp-session-id'));
}

async function onRequests({ step, gate, client, judged, serves }) {
  const sent = async (about, change) => {
    const message = client.message(about.method, about.params, { id: 'hostile' });
    const { text, headers: more } = change(message);
    return once(gate.port, { headers: client.headersOf(message, more), body: text ?? JSON.stringify(message) });
  };
  const rows = [
    ...envelopes.map(([what, text, status, code]) => [`envelope: ${what}`, CALL, (message) => ({ text: text(message) }), { status, code }]),
    ...headers(PROMPT.params.name).map(([what, more, status, code]) => [`headers: ${what}`, PROMPT, () => ({ headers: more }), { status, code }]),
  ];
  for (const [what, about, change, expected] of rows)
    await step(what, async () => {
      if (expected.status !== 200) return judged(async () => assertRefused(await sent(about, change), expected, 'hostile'));
      const events = await gate.eventsOf(async () => assert.ok(responseOf(await sent(about, change)).json.result));
      assert.deepEqual(events.map(({ outcome }) => outcome), ['ok']);
      return serves();
    });
}

/** Requests that say that they are of one generation and look like one of the other. */
async function onGenerations({ step, gate, client, good, server, judged, serves }) {
  const session = { 'Mcp-Session-Id': good.id };
  const bare = { jsonrpc: '2.0', id: 'bare', ...CALL };
  const confusions = {
    'an envelope, and an older version in the header': [{ 'MCP-Protocol-Version': LEGACY }, {}, 400, -32020],
    'an envelope, and no version in the header': [{ 'MCP-Protocol-Version': null }, {}, 400, -32020],
    'an envelope that names an older version, as the header does': [{ 'MCP-Protocol-Version': LEGACY }, { [KEYS.version]: LEGACY }, 400, -32022],
  };
  for (const [what, [more, meta, status, code]] of Object.entries(confusions))
    for (const [whose, id] of [['a session', session], ['no session', {}]])
      await step(`generations: ${what}, with ${whose}`, () => judged(async () => {
        const message = client.message(CALL.method, CALL.params, { id: 'hostile', meta });
        assertRefused(await client.post(message, { headers: { ...more, ...id } }), { status, code }, 'hostile');
      }));

  await step('generations: a session, and the version without sessions in the header', () => judged(async () => {
    const answer = await good.post(bare, { headers: { 'MCP-Protocol-Version': VERSION, 'Mcp-Method': CALL.method, 'Mcp-Name': CALL.params.name } });
    assertRefused(answer, { status: 400, code: -32602 }, 'bare');
  }));

  for (const method of ['GET', 'DELETE'])
    await step(`generations: ${method} with a session, and the version without sessions: the session stays`, () => judged(async () => {
      const answer = await once(gate.port, { method, headers: { Accept: 'text/event-stream', ...session, 'MCP-Protocol-Version': VERSION } });
      assert.deepEqual([answer.status, answer.headers.get('allow') ?? 'POST'], [405, 'POST'], answer.body);
    }));

  await step('generations: who has no session cancels nothing and answers nothing of others', async () => {
    const holding = client.open('tools/call', { name: 'one__slow', arguments: { text: 'on' } }, { id: 'victim', meta: { progressToken: 1 } });
    const stream = await holding;
    await stream.until(({ method }) => method === 'notifications/progress');
    const held = good.call('one__slow', { text: 'too' }, { id: 'victim' });
    await until(() => server.of('tools/call').filter(({ params }) => params.name === 'slow').length === 2, 'both calls');
    const before = server.of('notifications/cancelled').length;
    for (const requestId of ['victim', 1, 2, 3]) {
      const notice = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, _meta: client.envelope() } };
      assert.equal((await client.post(notice, { headers: session })).status, 202);
    }
    await serves();
    assert.equal(server.of('notifications/cancelled').length, before);
    server.release();
    const { result } = await stream.until((message) => 'result' in message);
    assert.equal(result.content[0].text, 'held on');
    assert.equal(textOf(await held), 'held too');
  });

  await step('generations: what a session is asked, nobody else answers', async () => {
    const asked = await Session.open(gate, { capabilities: { elicitation: { form: {} } } });
    const stream = await Connection.open(gate.port);
    stream.write(format({ port: gate.port, headers: asked.headers(), body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'one__ask_once', arguments: {} } }) }));
    await stream.head();
    let text = '';
    while (!text.includes('elicitation/create')) text += await stream.chunk();
    const { id } = JSON.parse(text.match(/^data: ?(\{.*elicitation\/create.*\})$/m)[1]);
    const forged = { jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'Mallory' } } };
    const identity = { headers: { ...session, 'Mcp-Method': 'elicitation/create' } };
    await judged(async () => assertRefused(await client.post({ ...forged, method: undefined }, identity), { status: 400, code: -32600 }, id));
    assert.equal((await asked.post({ ...forged, result: { action: 'accept', content: { name: 'Ada' } } })).status, 202);
    while (!text.includes('"result"')) text += await stream.chunk();
    assert.match(text, /accept \{\\"name\\":\\"Ada\\"\}/);
    stream.close();
    await asked.end();
  });
}

/** Many who listen, or ask for what nobody can listen to. */
async function onListening({ step, gate, client, server, judged, left, serves }) {
  for (const [what, notifications] of filters)
    await step(`listen: ${what}`, () => judged(async () => {
      const answer = await client.post(client.message('subscriptions/listen', { notifications }, { id: 'hostile' }));
      assertRefused(answer, { status: 200, code: -32602 }, 'hostile');
    }));

  const CROWD = 300;
  /** So many open a subscription each, hear of a change, and leave, every other one without a word. */
  const flood = async () => {
    const events = await gate.eventsOf(async () => {
      const streams = await Promise.all(Array.from({ length: CROWD }, (_, i) =>
        client.listen({ toolsListChanged: true, resourceSubscriptions: [`one://items/${i}`] }, { id: i })));
      await until(() => server.streams.size, 'the gateway to listen');
      server.changed('tools');
      await Promise.all(streams.map((stream) => stream.until(({ method }) => method === 'notifications/tools/list_changed')));
      await serves();
      streams.forEach((stream, i) => (i % 2 ? stream.close() : stream.connection.vanish()));
    });
    const own = events.filter(({ method }) => method === 'subscriptions/listen');
    assert.deepEqual([own.length, own.every(({ outcome }) => outcome === 'ok')], [CROWD, true]);
    await left();
    return residentKiB(gate.process.pid);
  };
  await step('listen: floods of subscriptions cost the same memory each', async () => {
    const first = await flood();
    for (let i = 0; i < 5; i += 1) {
      const again = await flood();
      assert.ok(again < first + SPARE_KIB, `${again} KiB after ${first} KiB`);
    }
  });

  await step('listen: as many resources as may be, again and again', async () => {
    const before = residentKiB(gate.process.pid);
    const many = Array.from({ length: 1000 }, (_, i) => `one://items/${i}/${'x'.repeat(200)}`);
    for (let i = 0; i < 10; i += 1) {
      const stream = await client.listen({ resourceSubscriptions: many });
      const { resourceSubscriptions: honoured = [] } = stream.honoured;
      assert.ok(honoured.length <= many.length && honoured.every((uri) => many.includes(uri)));
      stream.close();
    }
    await left();
    assert.ok(residentKiB(gate.process.pid) < before + 2 * SPARE_KIB);
    await serves();
  });

  await step('listen: those who read nothing are not waited for, and cost no more and more', async () => {
    const large = `one://items/${'x'.repeat(8000)}`;
    const deaf = await Promise.all(Array.from({ length: 5 }, async (_, i) => {
      const stream = await client.listen({ toolsListChanged: true, resourceSubscriptions: [large] }, { id: `deaf-${i}` });
      stream.connection.socket.pause();
      return stream;
    }));
    const hears = await client.listen({ resourceSubscriptions: ['one://docs/2'] }, { id: 'hears' });
    /** More than sockets take, to each of the deaf ones. */
    const told = async (count) => {
      for (let i = 0; i < count; i += 1) {
        server.updated(large);
        if (i % 100 === 99) await serves();
      }
      server.changed('tools');
      server.updated('one://docs/2');
      await hears.until(({ params }) => params?.uri === 'one://docs/2', 'the update behind them');
      return residentKiB(gate.process.pid);
    };
    const first = await told(500);
    const more = await told(1500);
    assert.ok(more < first + SPARE_KIB, `${more} KiB after ${first} KiB`);
    for (const stream of [...deaf, hears]) stream.connection.vanish();
    await left();
  });
}

/** Clients that leave in each phase of a request, with a word and without. */
async function onLeaving({ step, gate, client, server, left, serves }) {
  const slow = client.message('tools/call', { name: 'one__slow', arguments: { text: 'x' } }, { id: 'leaver', meta: { progressToken: 1 } });
  const listen = client.message('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id: 'leaver' });
  const bytesOf = (message) => format({ port: gate.port, headers: client.headersOf(message), body: JSON.stringify(message) });
  const started = () => server.of('tools/call').filter(({ params }) => params.name === 'slow').length;
  const cancelled = () => server.of('notifications/cancelled').length;
  const ways = [['with a word', (connection) => connection.close()], ['without', (connection) => connection.vanish()]];
  const bytes = bytesOf(slow);
  const body = bytes.indexOf('\r\n\r\n') + 4;

  for (const [how, leave] of ways) {
    await step(`leaving ${how}: before the request is whole, nothing is audited, and nothing goes on`, async () => {
      const calls = started();
      const events = await gate.eventsOf(async () => {
        for (const size of [0, 1, 20, body - 2, body, body + 1, bytes.length - 1]) {
          const connection = await Connection.open(gate.port);
          connection.write(bytes.subarray(0, size));
          await serves();
          leave(connection);
        }
        await left();
      });
      assert.deepEqual(events.filter(({ name }) => name !== 'one__echo'), []);
      assert.equal(started(), calls);
    });

    const phases = {
      'as soon as it is sent': async () => {},
      'when the server has it': (_, calls) => until(() => started() > calls, 'the call at the server'),
      'when the answer has begun': async (connection) => {
        await connection.head();
        let text = '';
        while (!text.includes('notifications/progress')) text += await connection.chunk();
      },
    };
    for (const [when, wait] of Object.entries(phases))
      await step(`leaving ${how}: ${when}: one event, and the call is cancelled`, async () => {
        const [from, calls, ends] = [await gate.mark(), started(), cancelled()];
        const connection = await Connection.open(gate.port);
        connection.write(bytes);
        await wait(connection, calls);
        leave(connection);
        const gone = await gate.eventually(({ name }) => name === 'one__slow', 'the call that was left', from);
        assert.notEqual(gone.outcome, 'ok');
        await serves();
        // One that left early may be cancelled before the server has read what it called.
        await until(() => cancelled() - ends >= started() - calls, 'the cancellation');
        const own = (await gate.eventsSince(from)).filter(({ name }) => name === 'one__slow');
        assert.equal(own.length, 1, JSON.stringify(own));
      });

    await step(`leaving ${how}: subscriptions, before and after they are acknowledged`, async () => {
      for (let i = 0; i < 40; i += 1) {
        const connection = await Connection.open(gate.port);
        connection.write(bytesOf(listen));
        if (i % 2) await connection.head();
        if (i % 4 === 3) await connection.chunk();
        leave(connection);
      }
      await serves();
      await left();
    });
  }

  await step('leaving: a hundred calls at once are a hundred cancellations, and a hundred events', async () => {
    const [from, calls, ends] = [await gate.mark(), started(), cancelled()];
    const all = await Promise.all(Array.from({ length: 100 }, async () => {
      const connection = await Connection.open(gate.port);
      connection.write(bytes);
      return connection;
    }));
    await until(() => started() === calls + 100, 'the calls');
    all.forEach((connection, i) => ways[i % 2][1](connection));
    await until(() => cancelled() === ends + 100, 'the cancellations');
    await until(() => gate.events.slice(from).filter(({ name }) => name === 'one__slow').length >= 100, 'their events');
    const own = (await gate.eventsSince(from)).filter(({ name }) => name === 'one__slow');
    assert.deepEqual([own.length, own.filter(({ outcome }) => outcome === 'ok').length], [100, 0]);
    await serves();
    await left();
  });
}

/** States that were not given out here, or not for this, or were used before: all the same to who tries. */
async function onStates({ step, server }) {
  const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };
  const { gate, serves } = await world(server, { threads: 2 });
  const elsewhere = await world(server);
  const answers = { who: { action: 'accept', content: { name: 'Mallory' } } };
  const asks = [
    ['tools/call', { name: 'one__ask_once', arguments: {} }], ['prompts/get', { name: 'one__greet_asked' }], ['resources/read', { uri: 'one://items/asked' }],
  ];
  const clientOf = (at) => new StatelessClient(at, { capabilities });
  const client = clientOf(gate);
  const answered = () => server.calls.filter(({ method, message }) => method === undefined && message.result).length;
  /** A call that waits: its state, its questions, and how it goes on. */
  const waiting = async ([method, params], at = client) => {
    const { result, error } = await at.request(method, params);
    assert.equal(result?.resultType, 'input_required', JSON.stringify(error ?? result));
    const good = Object.fromEntries(Object.keys(result.inputRequests).map((key) => [key, { action: 'accept', content: { name: 'Ada' } }]));
    return { state: result.requestState, goOn: () => at.request(method, { ...params, requestState: result.requestState, inputResponses: good }) };
  };
  const words = new Set();
  /** All of them are refused, in the same words, and nobody but the audit hears of it. */
  const refused = async (states) => {
    const [before, heard] = [reached(server), answered()];
    const events = await gate.eventsOf(async () => {
      for (let i = 0; i < states.length; i += 16)
        await Promise.all(states.slice(i, i + 16).map(async (requestState, k) => {
          const [method, params] = asks[(i + k) % asks.length];
          const { status, error, result } = await client.request(method, { ...params, requestState, inputResponses: answers });
          assert.deepEqual([status, error?.code], [200, -32602], `${requestState.slice(0, 100)}: ${JSON.stringify(error ?? result)}`);
          words.add(error.message);
        }));
    });
    assert.deepEqual([reached(server), answered()], [before, heard], 'the server heard of it');
    assert.equal(events.length, states.length, 'one event each');
    assert.ok(events.every(({ outcome }) => outcome !== 'ok'));
    assert.equal(words.size, 1, [...words].join('; '));
  };

  await step('states: what was never given out', () => refused(['', ' ', 'x', '{}', 'null', '..', '\u0000', 'ä☃𝄞', 'A'.repeat(64), 'A'.repeat(10_000)]));

  await step('states: a thousand that were forged, cut, joined, taken from elsewhere or used before', async () => {
    const open = await Promise.all(asks.map((ask) => waiting(ask)));
    const used = await Promise.all(asks.map((ask) => waiting(ask)));
    for (const each of used) assert.ok((await each.goOn()).result);
    const foreign = await Promise.all(asks.map((ask) => waiting(ask, clientOf(elsewhere.gate))));
    const [own, replayed, others] = [open, used, foreign].map((all) => all.map(({ state }) => state));
    const before = residentKiB(gate.process.pid);
    await refused(forgedStates({ count: 1000, own, replayed: [...replayed, ...others] }));
    assert.ok(residentKiB(gate.process.pid) < before + SPARE_KIB, 'what is refused is not kept');
    for (const each of open) assert.equal((await each.goOn()).result?.resultType, 'complete', 'the right one costs it nothing');
    await refused(own);
  });

  await step('states: that of one request is none of another', async () => {
    const open = await Promise.all(asks.map((ask) => waiting(ask)));
    // A list of three, moved by one: each is offered where another one would be right.
    await refused([open[2], open[0], open[1]].map(({ state }) => state));
    for (const each of open) assert.equal((await each.goOn()).result?.resultType, 'complete');
  });

  await step('states: what is no text at all', async () => {
    for (const requestState of [7, true, [], {}]) {
      const { status, error } = await client.request('tools/call', { name: 'one__ask_once', arguments: {}, requestState });
      assert.deepEqual([status, error?.code], [200, -32602], JSON.stringify(requestState));
    }
    await serves();
  });
  await step('states: the gateways end', () => Promise.all([gate.end(), elsewhere.gate.end()]));
}

await suite('hostile stateless clients', async ({ step, defer }) => {
  const server = await SessionUpstream.start();
  defer(function serverEnds() { return server.stop(); });
  const all = await world(server);
  for (const part of [onRequests, onGenerations]) await part({ step, ...all });
  await step('the gateway ends', () => within(all.gate.end(), 'its end'));
  const two = await world(server, { threads: 2 });
  for (const part of [onListening, onLeaving]) await part({ step, ...two });
  await step('the gateway of two threads ends', () => within(two.gate.end(), 'its end'));
  return onStates({ step, server });
});
