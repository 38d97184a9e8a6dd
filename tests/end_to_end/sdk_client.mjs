// The main job on real input: the official TypeScript client lists and calls the tools of two official
// servers through the gateway, with one I/O thread and with two, and through a passthrough gateway.
import assert from 'node:assert/strict';
import { Gate, sample } from '../../simulations/peers/gate.mjs';
import { Connection, once } from '../../simulations/peers/http.mjs';
import { Session, responseOf } from '../../simulations/peers/mcp.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { requirePackages, startEverything } from './support/everything.mjs';
import { codeOf, textOf, transportTo } from './support/sdk.mjs';
import { gateBinary, suite } from './support/suite.mjs';

requirePackages();
const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
const { EmptyResultSchema } = await import('@modelcontextprotocol/sdk/types.js');

const binary = gateBinary();

async function connect(url) {
  const client = new Client({ name: 'gate-end-to-end', version: '1' }, { capabilities: {} });
  const { transport, statuses } = transportTo(url);
  await client.connect(transport);
  return { client, transport, statuses };
}

async function allTools(client) {
  const tools = [];
  let pages = 0;
  let cursor;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    tools.push(...page.tools);
    pages += 1;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { tools, pages };
}

const twoUpstreams = (ev1, ev2, more = {}) => ({
  upstreams: [
    { id: 'first', url: ev1.url, namespace: 'ev1' },
    { id: 'second', url: ev2.url, namespace: 'ev2' },
  ],
  ...more,
});

async function federation({ step, ev1, ev2, direct, threads }) {
  const gate = await Gate.start(binary, twoUpstreams(ev1, ev2), { threads });
  const on = (what, fn, ms) => step(`${threads} thread(s): ${what}`, fn, ms);
  const { client, transport, statuses } = await connect(gate.url);
  const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);

  await on('connect: version, server, capabilities, the stream for server messages', async () => {
    assert.equal(transport.protocolVersion, '2025-11-25');
    assert.match(transport.sessionId, /^[\x21-\x7e]{32,}$/);
    assert.ok(client.getServerVersion().name);
    assert.equal(client.getServerCapabilities().tools?.listChanged, true);
    await until(() => statuses.some((s) => s.method === 'GET'), 'the client to open its stream');
    assert.equal(statuses.find((s) => s.method === 'GET').status, 200);
    await client.ping();
  });

  await on('tools/list: both servers in configuration order, only names differ', async () => {
    const { tools } = await allTools(client);
    const expected = ['ev1', 'ev2'].flatMap((space) =>
      direct.tools.map((tool) => ({ ...tool, name: `${space}__${tool.name}` })));
    assert.deepEqual(tools, expected);
  });

  await on('the same calls give the same results as without a gateway', async () => {
    const calls = [
      ['echo', { message: 'grüße 😀' }],
      ['get-sum', { a: 2, b: 40 }],
      ['get-tiny-image', {}],
      ['get-structured-content', { location: 'New York' }],
      ['get-annotated-message', { messageType: 'error', includeImage: true }],
      ['get-resource-links', { count: 3 }],
      ['get-sum', { a: 'not a number' }],
      ['no-such-tool', {}],
    ];
    for (const [name, args] of calls) {
      const plain = await direct.client.callTool({ name, arguments: args });
      for (const space of ['ev1', 'ev2']) assert.deepEqual(await call(`${space}__${name}`, args), plain, name);
    }
  });

  await on('progress reaches the caller', async () => {
    const seen = [];
    const result = await call('ev1__trigger-long-running-operation', { duration: 1, steps: 4 }, {
      onprogress: (progress) => seen.push(progress.progress),
    });
    assert.match(textOf(result), /completed/);
    assert.deepEqual(seen, [1, 2, 3, 4]);
  });

  await on('an aborted call is cancelled, the session goes on', async () => {
    const events = await gate.eventsOf(async () => {
      const abort = new AbortController();
      const running = call('ev2__trigger-long-running-operation', { duration: 20, steps: 200 }, {
        signal: abort.signal,
        onprogress: () => abort.abort('enough'),
      });
      await assert.rejects(running);
      await gate.eventually((e) => e.name === 'ev2__trigger-long-running-operation', 'the cancelled call');
      assert.equal(textOf(await call('ev2__echo', { message: 'on' })), 'Echo: on');
    });
    const own = events.filter((e) => e.name === 'ev2__trigger-long-running-operation');
    assert.equal(own.length, 1, JSON.stringify(events));
  });

  await on('many calls of two clients at once do not mix', async () => {
    const second = await connect(gate.url);
    const all = [client, second.client].flatMap((who, w) =>
      Array.from({ length: 25 }, async (_, i) => {
        const message = `client ${w} call ${i}`;
        const result = await who.callTool({ name: `ev${1 + (i % 2)}__echo`, arguments: { message } });
        assert.equal(textOf(result), `Echo: ${message}`);
      }));
    await Promise.all(all);
    await second.client.close();
  });

  await on('unknown namespace, unprefixed name, unknown method', async () => {
    assert.equal(await codeOf(call('nowhere__echo', {})), -32043);
    assert.equal(await codeOf(call('echo', { message: 'x' })), -32043);
    assert.equal(await codeOf(client.request({ method: 'no/such/method', params: {} }, EmptyResultSchema)), -32601);
  });

  await on('errors of the gateway say who spoke', async () => {
    const session = await Session.open(gate);
    const { status, error } = await session.call('nowhere__echo');
    assert.equal(status, 200);
    assert.equal(error.message, 'unknown name "nowhere__echo": no upstream owns this namespace');
    assert.equal(error.data?.gate?.reason, 'unknown_name');
  });

  await on('exactly one audit event per request, with its fields', () => auditFields(gate));
  await on('/metrics counts them', () => counters(gate));
  await on('/health tells of each upstream', () => health(gate));
  await on('the session id works over any number of new connections', () => wanderingSessions(gate));

  await on('DELETE ends the session: 404 from then on', async () => {
    const id = transport.sessionId;
    await transport.terminateSession();
    const headers = { 'Mcp-Session-Id': id, 'MCP-Protocol-Version': '2025-11-25', 'Content-Type': 'application/json' };
    headers.Accept = 'application/json, text/event-stream';
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    assert.equal((await once(gate.port, { headers, body })).status, 404);
    assert.equal((await once(gate.port, { method: 'DELETE', headers })).status, 404);
    await client.close();
  });

  await on('a gateway that is told to stop stops, with clients connected', async () => {
    const last = await connect(gate.url);
    await allTools(last.client);
    await gate.end();
    await last.client.close().catch(() => {});
  });
}

async function auditFields(gate) {
  const session = await Session.open(gate);
  // The official client, which is still connected, opens its stream again when it likes, and comes
  // back for streams that have ended: events of its own GET requests, none of them 'forbidden'.
  const caused = async (action) =>
    (await gate.eventsOf(action)).filter(({ method, outcome }) => method !== 'http' || outcome === 'forbidden');
  const one = async (action) => {
    const events = await caused(action);
    assert.equal(events.length, 1, JSON.stringify(events));
    const [event] = events;
    assert.match(event.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);
    assert.equal(typeof event.latencyMs, 'number');
    for (const absent of ['principal', 'issuer', 'tenant', 'ruleId']) assert.ok(!(absent in event), absent);
    return event;
  };
  const called = await one(() => session.call('ev1__echo', { message: 'x' }));
  const { method, name, upstream, outcome, upstreamCalls } = called;
  assert.deepEqual(
    { method, name, upstream, outcome, upstreamCalls },
    { method: 'tools/call', name: 'ev1__echo', upstream: 'first', outcome: 'ok', upstreamCalls: 1 },
  );
  const listed = await one(() => session.request('tools/list', {}));
  assert.equal(listed.method, 'tools/list');
  assert.equal(listed.outcome, 'ok');
  assert.equal(listed.itemsServed, 26);
  const unknown = await one(() => session.call('nowhere__echo'));
  assert.equal(unknown.name, 'nowhere__echo');
  assert.equal(unknown.outcome, 'error');
  assert.match(unknown.error, /no upstream owns this namespace/);
  assert.ok(!unknown.upstream);
  const foreign = await one(() => once(gate.port, { method: 'GET', path: '/health', headers: { Host: 'evil.example.com' } }));
  assert.equal(foreign.method, 'http');
  assert.equal(foreign.outcome, 'forbidden');
  const initialized = await caused(() => Session.open(gate));
  assert.deepEqual(initialized.map((e) => e.method), ['initialize'], 'and none for notifications/initialized');
  assert.deepEqual(await caused(() => session.request('ping')), [], 'ping is not audited');
}

async function counters(gate) {
  const session = await Session.open(gate);
  const calls = { method: 'tools/call', outcome: 'ok' };
  const before = await gate.metrics();
  for (let i = 0; i < 3; i += 1) await session.call('ev1__echo', { message: 'x' });
  await once(gate.port, { method: 'GET', path: '/health', headers: { Host: 'evil.example.com' } });
  await session.call('nowhere__echo');
  const after = await gate.metrics();
  const grew = (name, labels) => (sample(after, name, labels) ?? 0) - (sample(before, name, labels) ?? 0);
  assert.equal(grew('gate_requests_total', calls), 3);
  assert.equal(grew('gate_requests_total', { method: 'tools/call', outcome: 'error' }), 1);
  assert.equal(grew('gate_upstream_requests_total', { upstream: 'first', outcome: 'ok' }), 3);
  assert.equal(grew('gate_upstream_requests_total', { upstream: 'second', outcome: 'ok' }), 0);
  assert.equal(grew('gate_request_duration_seconds_count', { method: 'tools/call' }), 4);
  assert.equal(grew('gate_upstream_request_duration_seconds_count', { upstream: 'first' }), 3);
  assert.equal(grew('gate_http_rejections_total', { reason: 'forbidden_host' }), 1);
  assert.equal(sample(after, 'gate_upstream_breaker_state', { upstream: 'first' }), 0);
  assert.equal(sample(after, 'gate_build_info'), 1);
  assert.ok(sample(after, 'process_resident_memory_bytes') > 1e6);
  assert.ok(sample(after, 'process_cpu_seconds_total') > 0);
}

async function health(gate) {
  const { status, json, headers } = await gate.health();
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'application/json');
  assert.equal(json.status, 'ok');
  assert.match(json.version, /^\d+\.\d+\.\d+/);
  assert.deepEqual(json.upstreams.map(({ id, namespace }) => [id, namespace]), [['first', 'ev1'], ['second', 'ev2']]);
  for (const upstream of json.upstreams) {
    assert.equal(upstream.breaker, 'closed');
    assert.equal(upstream.connected, true);
    assert.equal(typeof upstream.latencyMs, 'number');
  }
}

/** With several threads a session belongs to one of them, a new connection may land on another. */
async function wanderingSessions(gate) {
  const sessions = [];
  for (let i = 0; i < 8; i += 1) sessions.push(await Session.open(gate));
  await Promise.all(sessions.flatMap((session, s) =>
    Array.from({ length: 6 }, async (_, i) => {
      const message = `session ${s} call ${i}`;
      const { result } = await session.call('ev1__echo', { message }, { id: 1000 + i });
      assert.equal(result?.content[0].text, `Echo: ${message}`);
    })));
  // One connection that carries the calls of all sessions in turn.
  const connection = await Connection.open(gate.port);
  for (const session of [...sessions, ...sessions.slice().reverse()]) {
    const answer = await session.post(
      { jsonrpc: '2.0', id: 'w', method: 'tools/call', params: { name: 'ev2__echo', arguments: { message: 'w' } } },
      { connection },
    );
    assert.equal(responseOf(answer).json.result?.content[0].text, 'Echo: w', answer.body);
  }
  connection.close();
  for (const session of sessions) {
    const stream = await session.stream();
    assert.equal((await session.end()).status, 204);
    await stream.streamEnds();
    stream.close();
    for (let i = 0; i < 4; i += 1)
      assert.equal((await session.post('{"jsonrpc":"2.0","id":1,"method":"ping"}')).status, 404);
  }
}

async function paging({ step, ev1, ev2 }) {
  const gate = await Gate.start(binary, twoUpstreams(ev1, ev2, { routing: { pageSize: 5 } }));
  const { client } = await connect(gate.url);
  await step('pages of 5: all tools, none twice, in order', async () => {
    const { tools, pages } = await allTools(client);
    assert.equal(tools.length, 26);
    assert.equal(pages, 6);
    assert.equal(new Set(tools.map((tool) => tool.name)).size, 26);
    assert.ok(tools.slice(0, 13).every((tool) => tool.name.startsWith('ev1__')));
  });
  await step('forged, foreign and cut cursors are refused', async () => {
    const { nextCursor } = await client.listTools({});
    const flipped = nextCursor.slice(0, -2) + (nextCursor.endsWith('A') ? 'BB' : 'AA');
    for (const cursor of ['not-a-cursor', '', nextCursor.slice(1), flipped, `${nextCursor}x`])
      assert.equal(await codeOf(client.listTools({ cursor })), -32602, cursor);
    const session = await Session.open(gate);
    const { error } = await session.request('tools/list', { cursor: 'x' });
    assert.equal(error.message, 'invalid or expired cursor: restart the list from the beginning');
    assert.equal(error.data?.gate?.reason, 'cursor_invalid');
  });
  await client.close();
  await gate.end();
}

async function passthrough({ step, ev1, direct }) {
  const gate = await Gate.start(binary, { upstreams: [{ id: 'only', url: ev1.url }] });
  const { client } = await connect(gate.url);
  await step('passthrough: one upstream without a namespace keeps its names', async () => {
    const { tools } = await allTools(client);
    assert.deepEqual(tools, direct.tools);
    assert.equal(textOf(await client.callTool({ name: 'echo', arguments: { message: 'bare' } })), 'Echo: bare');
  });
  await client.close();
  await gate.end();
}

await suite('the official client through the gateway', async ({ step, defer }) => {
  const [ev1, ev2] = await Promise.all([startEverything('ev1'), startEverything('ev2')]);
  defer(function serversEnd() { return Promise.all([ev1.stop('SIGKILL'), ev2.stop('SIGKILL')]); });
  const { client } = await connect(ev1.url);
  const direct = { client, ...(await allTools(client)) };
  for (const threads of [1, 2]) await federation({ step, ev1, ev2, direct, threads });
  await paging({ step, ev1, ev2 });
  await passthrough({ step, ev1, direct });
  await client.close();
});
