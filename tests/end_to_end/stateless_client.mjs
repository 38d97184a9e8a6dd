// Clients of MCP 2026-07-28 at a gateway whose upstreams speak the session generation: the inbound ladder
// with its audit events, everything the offering has, alone and in a federation, what the gateway itself
// refuses, subscriptions, and that no client notices another one on the session they share.
import assert from 'node:assert/strict';
import { Gate } from '../../simulations/peers/gate.mjs';
import { once } from '../../simulations/peers/http.mjs';
import { requiring } from '../../simulations/peers/identity.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { SessionUpstream } from '../../simulations/peers/session_upstream.mjs';
import { StatelessClient } from '../../simulations/peers/stateless_client.mjs';
import { KEYS } from '../../simulations/peers/stateless_rules.mjs';
import { deadPort } from '../../simulations/peers/upstream.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { assertComplete, exchange, textOf } from './support/stateless_exchange.mjs';
import { listening } from './support/stateless_listening.mjs';
import { climb, ladder } from './support/stateless_ladder.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();

const entry = (up, more = {}) => ({ id: up.name, url: up.url, namespace: up.name, ...more });

/** What the peer hears when nobody waits for a call any more. */
const cancellations = (up) => up.of('notifications/cancelled');

/** One event for each answer, with the principal and how it ended. */
async function onLadder({ step, provider, one, two }) {
  const token = provider.token({ sub: 'ada' });
  const gate = await Gate.start(binary, requiring([provider], { upstreams: [entry(one), entry(two)] }), { token });
  const client = new StatelessClient(gate, { token });
  const target = { tool: 'one__echo', prompt: 'one__greet', uri: 'one://docs/1', annotated: 'one__region' };
  for (const rung of ladder(target))
    await step(`ladder: ${rung.what}`, async () => {
      const reached = one.of('tools/call').length;
      const events = await gate.eventsOf(() => climb(client, rung, 'gate'));
      assert.equal(events.length, 1, JSON.stringify(events));
      const [{ method, outcome, principal, issuer }] = events;
      assert.equal(outcome, rung.status === 200 ? 'ok' : 'error');
      assert.deepEqual([principal, issuer], ['ada', provider.issuer]);
      assert.ok(['http', rung.method, String(rung.top?.method)].includes(method), method);
      if (rung.status !== 200) assert.equal(one.of('tools/call').length, reached, 'nothing is called');
    });

  await step('without a token, and with a bad one: 401 before anything is looked at', async () => {
    for (const bad of [undefined, 'x', provider.token({ claims: { exp: 1 } })]) {
      const stranger = new StatelessClient(gate, { token: bad });
      const events = await gate.eventsOf(async () => {
        for (const text of [undefined, 'not even JSON']) {
          const message = stranger.message('tools/list');
          const answer = await stranger.post(message, text ? { text } : {});
          assert.equal(answer.status, 401, answer.body);
          assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer /);
        }
      });
      assert.deepEqual(events.map(({ method, outcome }) => [method, outcome]), Array(2).fill(['http', 'unauthenticated']));
    }
  });

  await step('a session of another generation goes on beside it, under the same address', async () => {
    const session = await Session.open(gate, { token });
    assert.equal(session.initialized.protocolVersion, '2025-11-25');
    assert.ok((await session.call('one__echo', { text: 'x' })).result.content);
    const { headers } = await client.request('tools/list', {}, { headers: { 'Mcp-Session-Id': session.id } });
    assert.equal(headers.get('mcp-session-id'), undefined);
    const old = await Session.open(gate, { token, version: '2026-07-28' });
    assert.equal(old.initialized.protocolVersion, '2025-11-25');
    assert.ok(!('resultType' in (await session.call('one__echo', { text: 'x' })).result), 'sessions are as they were');
  });

  await step('a foreign Host and a foreign Origin', async () => {
    for (const headers of [{ Host: 'evil.example' }, { Origin: 'https://evil.example' }]) {
      const events = await gate.eventsOf(async () => {
        const answer = await client.post(client.message('tools/list'), { headers });
        assert.equal(answer.status, 403, answer.body);
      });
      assert.deepEqual(events.map(({ method, outcome }) => [method, outcome]), [['http', 'forbidden']]);
    }
  });

  await step('members that a reader behind could read differently', async () => {
    const message = client.message('tools/call', { name: 'one__echo', arguments: {} });
    const text = JSON.stringify(message);
    for (const bad of [
      text.replace('"name":', '"name":"one__fails","name":'), text.replace('"name":', '"Name":"one__fails","name":'),
      text.replace('"_meta":', '"_meta":{},"_meta":'), text.replace('"method":', '"method":"tools/list","method":'),
    ]) {
      assert.notEqual(bad, text);
      const answer = await client.post(message, { text: bad });
      assert.deepEqual([answer.status, JSON.parse(answer.body).error.code], [400, -32600], bad);
    }
  });

  await step('a body beyond the bound, and a header twice', async () => {
    const small = await Gate.start(binary, { upstreams: [entry(one)], server: { maxBodyBytes: 4096 } });
    const own = new StatelessClient(small);
    const message = own.message('tools/call', { name: 'one__echo', arguments: { text: 'x'.repeat(5000) } });
    assert.equal((await own.post(message)).status, 413);
    const headers = own.headersOf(own.message('tools/list'));
    const twice = { ...headers, 'MCP-Protocol-Version': '2026-07-28\r\nMCP-Protocol-Version: 2025-11-25' };
    assert.equal((await once(small.port, { headers: twice, body: JSON.stringify(own.message('tools/list')) })).status, 400);
    await small.end();
  });
  await step('the ladder ends', () => gate.end());
}

/** The events of calls, reads and lists. */
async function onAudit({ step, provider, one }) {
  const policy = { rules: [{ id: 'few', allow: [{ server: 'one', names: ['echo', 'greet', 'one://docs/*'] }] }] };
  const config = requiring([provider], { upstreams: [entry(one)], policy });
  const token = provider.token({ sub: 'ada' });
  const gate = await Gate.start(binary, config, { token });
  const client = new StatelessClient(gate, { token });
  const judged = async (method, params, expected) => {
    const [event, ...more] = await gate.eventsOf(() => client.request(method, params));
    assert.deepEqual(more, []);
    const { name, upstream, decision, ruleId, outcome, principal, upstreamCalls } = event;
    assert.deepEqual({ method: event.method, name, upstream, decision, ruleId, outcome, principal, upstreamCalls: upstreamCalls ?? 0 },
      { method, principal: 'ada', upstreamCalls: 0, ...expected });
  };
  const allowed = { upstream: 'one', decision: 'allow', ruleId: 'few', outcome: 'ok', upstreamCalls: 1 };

  await step('calls, prompts and reads are audited as those of sessions are', async () => {
    // Who owns a URI is known from then on: to find that out would count as a call.
    await client.list('resources/list', 'resources');
    await judged('tools/call', { name: 'one__echo', arguments: {} }, { ...allowed, name: 'one__echo' });
    await judged('prompts/get', { name: 'one__greet', arguments: { who: 'x' } }, { ...allowed, name: 'one__greet' });
    await judged('resources/read', { uri: 'one://docs/1' }, { ...allowed, name: 'one://docs/1' });
  });

  await step('what policy denies is denied, audited, and never reaches the upstream', async () => {
    const reached = () => ['tools/call', 'prompts/get', 'resources/read'].map((method) => one.of(method).length);
    const before = reached();
    for (const [method, params] of [
      ['tools/call', { name: 'one__fails' }], ['prompts/get', { name: 'one__greet_asked' }], ['resources/read', { uri: 'one://items/7' }],
    ]) {
      const [event, ...more] = await gate.eventsOf(async () => {
        const { status, error } = await client.request(method, params);
        const what = params.name ?? params.uri;
        assert.deepEqual([status, error?.code, error?.message, error?.data?.gate?.reason],
          [200, -31042, `policy denied ${method} "${what}"`, 'policy_denied']);
      });
      assert.deepEqual(more, []);
      assert.deepEqual([event.method, event.decision, event.outcome, event.principal], [method, 'deny', 'denied', 'ada']);
    }
    assert.deepEqual(reached(), before);
  });

  await step('lists and discovery show what is allowed', async () => {
    assert.deepEqual((await client.list('tools/list', 'tools')).items.map(({ name }) => name), ['one__echo']);
    assert.deepEqual((await client.list('prompts/list', 'prompts')).items.map(({ name }) => name), ['one__greet']);
    const { last } = await client.list('resources/list', 'resources');
    assert.equal(last.cacheScope, 'private', 'what depends on the principal is not for all');
    for (const method of ['tools/list', 'server/discover']) {
      const [event, ...more] = await gate.eventsOf(() => client.request(method));
      assert.deepEqual([more, event.method, event.outcome, event.principal], [[], method, 'ok', 'ada']);
    }
  });

  await step('subscriptions to what is denied are not honoured', async () => {
    const uris = ['one://docs/1', 'one://items/7'];
    const stream = await client.listen({ toolsListChanged: true, resourceSubscriptions: uris });
    assert.deepEqual(stream.honoured, { toolsListChanged: true, resourceSubscriptions: ['one://docs/1'] });
    stream.close();
  });
  await step('the audited one ends', () => gate.end());
}

/** What the gateway itself refuses. */
async function onRefusals({ step, one }) {
  const client = (gate) => new StatelessClient(gate);
  const ends = async (gate, name, code, reason) => {
    const [event] = await gate.eventsOf(async () => {
      const { status, error } = await client(gate).call(name, { text: 'x' });
      assert.deepEqual([status, error?.code, error?.data?.gate?.reason], [200, code, reason], JSON.stringify(error));
      assert.ok(!/127\.0\.0\.1|localhost/.test(JSON.stringify(error)), 'no address is told');
    });
    assert.equal(event.method, 'tools/call');
    assert.notEqual(event.outcome, 'ok');
  };

  await step('an unknown name, a dead upstream, limits and budgets have codes of their own', async () => {
    const dead = { id: 'dead', url: `http://127.0.0.1:${await deadPort()}/mcp`, namespace: 'dead' };
    const limited = entry(one, { id: 'limited', namespace: 'limited', rateLimit: { requestsPerMinute: 1 } });
    const poor = entry(one, { id: 'poor', namespace: 'poor', budget: { period: 'month', upstreamCalls: 1 } });
    const gate = await Gate.start(binary, { upstreams: [entry(one), dead, limited, poor] });
    await ends(gate, 'nobody__echo', -31043, 'unknown_name');
    await ends(gate, 'echo', -31043, 'unknown_name');
    await ends(gate, 'dead__echo', -31041, 'upstream_down');
    assert.ok((await client(gate).call('limited__echo')).result);
    await ends(gate, 'limited__echo', -31040, 'rate_limited');
    assert.ok((await client(gate).call('poor__echo')).result);
    await ends(gate, 'poor__echo', -31044, 'budget_exhausted');
    const { status, error } = await client(gate).request('resources/read', { uri: 'nobody://1' });
    assert.deepEqual([status, error?.code, error?.data?.uri], [200, -32602, 'nobody://1'], JSON.stringify(error));
    await gate.end();
  });

  await step('more than the limit of all: 429, before the body is looked at', async () => {
    const gate = await Gate.start(binary, { upstreams: [entry(one)], server: { rateLimit: { requestsPerMinute: 2 } } });
    const own = client(gate);
    for (let i = 0; i < 2; i += 1) assert.ok((await own.request('tools/list')).result);
    for (const text of [JSON.stringify(own.message('tools/list')), 'not even JSON']) {
      const answer = await own.post(own.message('tools/list'), { text });
      assert.equal(answer.status, 429, answer.body);
      assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
    }
    await gate.end();
  });

  await step('a call that takes too long ends, and is cancelled upstream', async () => {
    const gate = await Gate.start(binary, { upstreams: [entry(one, { timeouts: { requestMs: 500 } })] });
    const before = cancellations(one).length;
    const { status, error } = await client(gate).call('one__slow', { text: 'x' });
    assert.deepEqual([status, error?.code], [200, -31041], JSON.stringify(error));
    await until(() => cancellations(one).length === before + 1, 'the cancellation');
    one.release();
    await gate.end();
  });
}

/** Pages, and what lists say of themselves. */
async function onLists({ step, one, two }) {
  const upstreams = [entry(one), entry(two)];
  const gate = await Gate.start(binary, { upstreams, routing: { pageSize: 4 } });
  const client = new StatelessClient(gate);

  await step('merged lists come in pages, each as complete as the other', async () => {
    const { items, pages, last } = await client.list('tools/list', 'tools');
    const names = (up) => up.offering.list('tools/list').tools.map(({ name }) => `${up.name}__${name}`);
    assert.deepEqual(items.map(({ name }) => name), [...names(one), ...names(two)]);
    assert.ok(pages > 3);
    assertComplete('tools/list', { status: 200, headers: new Map(), result: last });
    const first = (await client.request('tools/list')).result;
    assert.equal(first.cacheScope, last.cacheScope, 'one scope for all pages');
    const other = await new StatelessClient(gate).request('tools/list', { cursor: first.nextCursor });
    assert.ok(other.result, 'a cursor needs no connection, and no session');
  });

  await step('an upstream that is away is told in the list', async () => {
    await two.stop();
    two.changed('tools');
    const partial = await until(async () => {
      const { result } = await client.request('prompts/list');
      return result._meta?.['gate/partialFailure'] && result;
    }, 'a list without it');
    assert.deepEqual(partial._meta['gate/partialFailure'], { failedUpstreams: ['two'] });
    assertComplete('prompts/list', { status: 200, headers: new Map(), result: partial });
    await two.listen();
  });
  await step('the paged one ends', () => gate.end());
}

/** Several clients over one session with the server. */
async function onSharing({ step, one }) {
  const gate = await Gate.start(binary, { upstreams: [{ id: 'one', url: one.url }] });
  const client = new StatelessClient(gate);

  await step('a hundred calls need few sessions with the server', async () => {
    const before = one.of('initialize').length;
    await Promise.all(Array.from({ length: 100 }, (_, i) => client.call('echo', { text: `${i}` })));
    const opened = one.of('initialize').length - before;
    assert.ok(opened <= 4, `${opened} sessions`);
  });

  await step('progress and log messages of a hundred calls at once each reach their own', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => (i % 2
      ? client.call('log', {}, { id: 1, meta: { [KEYS.logLevel]: 'error' } })
      : client.call('progress', { steps: 1 + (i % 7) }, { id: 1, meta: { progressToken: 1 } }))));
    answers.forEach(({ notifications }, i) => {
      if (i % 2) return assert.deepEqual(notifications.map(({ params }) => params.level), ['error', 'critical', 'alert', 'emergency']);
      return assert.deepEqual(notifications.map(({ params }) => [params.progressToken, params.total]),
        Array(1 + (i % 7)).fill([1, 1 + (i % 7)]));
    });
  });

  await step('whom a server wants to ask what the client did not declare, hears so; the call ends', async () => {
    const { result, error } = await client.call('ask_once');
    assert.ok(result?.isError ?? error, JSON.stringify(result));
    assert.equal(textOf(await client.call('echo', { text: 'x' })), 'one: x');
  });

  await step('a server that lost its sessions is met again', async () => {
    one.sessions.clear();
    assert.equal(textOf(await client.call('echo', { text: 'again' })), 'one: again');
  });

  await step('subscriptions end with a result when the gateway ends', async () => {
    const stream = await client.listen({ toolsListChanged: true }, { id: 'last' });
    const [messages] = await Promise.all([stream.rest(), gate.end()]);
    const { id, result } = messages.at(-1);
    assert.deepEqual([id, result?.resultType, result?._meta?.[KEYS.subscription]], ['last', 'complete', 'last']);
  });
}

await suite('stateless clients', async ({ step, defer }) => {
  const [one, two, provider] = await Promise.all([
    SessionUpstream.start(), SessionUpstream.start({ name: 'two' }), IdentityProvider.start(),
  ]);
  defer(function serversEnd() { return Promise.all([one.stop(), two.stop(), provider.stop()]); });
  const world = { step, one, two, provider };
  await onLadder(world);

  const alone = await Gate.start(binary, { upstreams: [{ id: 'one', url: one.url }] });
  const both = await Gate.start(binary, { upstreams: [entry(two), entry(one)] });
  const threads = await Gate.start(binary, { upstreams: [entry(one)] }, { threads: 2 });
  for (const [title, gate, prefix] of [['passthrough', alone, ''], ['federation', both, 'one__'], ['two threads', threads, 'one__']]) {
    const sees = () => until(() => one.streams.size, 'the gateway to listen to the server');
    await exchange({
      on: (what, fn) => step(`${title}: ${what}`, fn), target: gate, prefix, server: one,
      abandoned: () => cancellations(one).length, listeners: sees,
    });
    await step(`${title}: the gateway ends`, () => gate.end());
  }

  await onAudit(world);
  await onRefusals(world);
  await onLists(world);
  await listening({ ...world, binary });
  await onSharing(world);
});
