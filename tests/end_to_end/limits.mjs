// Rate limits and budgets: of everybody, of tenants, principals and upstreams; who is refused, in which
// words, what is counted and what is not, and that nobody else notices.
import assert from 'node:assert/strict';
import { Gate, sample } from '../../simulations/peers/gate.mjs';
import { Connection, format, once } from '../../simulations/peers/http.mjs';
import { knock, requiring } from '../../simulations/peers/identity.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { JSON_POST, Session, responseOf } from '../../simulations/peers/mcp.mjs';
import { Upstream } from '../../simulations/peers/upstream.mjs';
import { sleep, until } from '../../simulations/peers/waiting.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();

/** What a session costs before its first call: `initialize` and `notifications/initialized`. */
const OPENING = 2;

const entry = (id, upstream, more = {}) => ({ id, url: upstream.url, namespace: id, ...more });
const perMinute = (requestsPerMinute, more = {}) => ({ requestsPerMinute, ...more });

/** A refusal with status 429 on the MCP path must look like this; returns `retryAfterMs`. */
function assertTooMany(answer, whose) {
  assert.equal(answer.status, 429, answer.body);
  assert.equal(answer.headers.get('content-type'), 'application/json');
  assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
  const seconds = Number(answer.headers.get('retry-after'));
  assert.ok(seconds >= 1 && seconds <= 120, `Retry-After ${seconds}`);
  const body = JSON.parse(answer.body);
  assert.equal(body.jsonrpc, '2.0');
  assert.ok(!('id' in body), answer.body);
  assert.equal(body.error.code, -32000);
  const { reason, retryAfterMs } = body.error.data.gate;
  assert.deepEqual([reason, retryAfterMs], ['rate_limited', seconds * 1000]);
  assert.ok(body.error.message.includes(whose), body.error.message);
}

const aCall = (name, id = 1) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: { text: 'x' } } });

/** Calls `name` so many times; says how each ended: `ok`, a code, or an HTTP status. */
async function outcomes(session, name, times) {
  const found = [];
  for (let i = 0; i < times; i += 1) {
    const answer = await session.post(aCall(name, i + 1));
    const { result, error } = responseOf(answer).json;
    found.push(answer.status === 200 ? (result && 'ok') || error.code : answer.status);
  }
  return found;
}

const times = (n, what) => Array.from({ length: n }, () => what);

/** The events of the audit trail when there are so many that match. */
const eventsWhere = (gate, matches, count) =>
  until(() => {
    const found = gate.events.filter(matches);
    return found.length >= count && found;
  }, `${count} audit events`);

/** The instant at which the period of `now` ends, as the gateway writes it. */
function endOf(period, now) {
  const [year, month, day, hour] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), now.getUTCHours()];
  const end = {
    hour: Date.UTC(year, month, day, hour + 1),
    day: Date.UTC(year, month, day + 1),
    month: Date.UTC(year, month + 1),
  }[period];
  return new Date(end).toISOString().replace('.000Z', 'Z');
}

/** Budgets begin anew with the hour: a test must not run across that. */
async function awayFromTheHour() {
  const left = 3_600_000 - (Date.now() % 3_600_000);
  if (left < 20_000) await sleep(left + 100);
}

function assertExhausted(error, { whose, used, period, gate: about }) {
  const resetsAt = endOf(period, new Date());
  assert.equal(error?.code, -32044, JSON.stringify(error));
  assert.equal(error.message, `${whose} budget exhausted (${used}/${used}); resets ${resetsAt}`);
  assert.deepEqual(error.data.gate, { reason: 'budget_exhausted', ...about, resetsAt });
}

async function everybody({ step, up }) {
  const limited = (limit, upstream = up) =>
    Gate.start(binary, { upstreams: [entry('a', upstream)], server: { rateLimit: perMinute(limit) } });

  await step('more than the global limit: 429 with Retry-After, audited and counted', async () => {
    const gate = await limited(OPENING + 4);
    const session = await Session.open(gate);
    assert.deepEqual(await outcomes(session, 'a__echo', 4), times(4, 'ok'));
    const reached = up.calls.length;
    for (let i = 0; i < 3; i += 1) assertTooMany(await session.post(aCall('a__echo')), 'of the gateway');
    assertTooMany(await once(gate.port, { path: gate.path, headers: JSON_POST, body: 'not even JSON' }), '');
    assert.equal(up.calls.length, reached, 'what is refused reaches no upstream');
    const refused = await eventsWhere(gate, ({ outcome }) => outcome === 'rate_limited', 4);
    for (const { method, upstream, upstreamCalls, error } of refused)
      assert.deepEqual([method, upstream, upstreamCalls ?? 0, Boolean(error)], ['http', undefined, 0, true]);
    assert.equal(refused.length, 4);
    const metrics = await gate.metrics();
    assert.equal(sample(metrics, 'gate_http_rejections_total', { reason: 'rate_limited' }), 4);
    assert.equal(sample(metrics, 'gate_requests_total', { method: 'tools/call', outcome: 'ok' }), 4);
    await gate.end();
  });

  await step('/health and /metrics are neither counted nor refused', async () => {
    const gate = await limited(OPENING + 2);
    for (let i = 0; i < 20; i += 1) await Promise.all([gate.health(), gate.metrics()]);
    const session = await Session.open(gate);
    assert.deepEqual(await outcomes(session, 'a__echo', 3), ['ok', 'ok', 429]);
    assert.equal((await gate.health()).status, 200);
    await gate.metrics();
    await gate.end();
  });

  await step('GET and DELETE are requests as others are', async () => {
    const gate = await limited(OPENING + 3);
    const session = await Session.open(gate);
    const stream = await session.stream();
    assert.deepEqual(await outcomes(session, 'a__echo', 1), ['ok']);
    assert.equal((await session.end()).status, 204);
    assertTooMany(await session.end(), 'of the gateway');
    const connection = await Connection.open(gate.port);
    const headers = { Accept: 'text/event-stream', ...session.identity };
    connection.write(format({ method: 'GET', path: gate.path, port: gate.port, headers }));
    assertTooMany(await connection.response(), 'of the gateway');
    stream.close();
    connection.close();
    await gate.end();
  });

  await step('a foreign Host is refused before it is counted', async () => {
    const gate = await limited(OPENING + 2);
    for (let i = 0; i < 10; i += 1)
      assert.equal((await once(gate.port, { path: gate.path, headers: { ...JSON_POST, Host: 'evil.example' }, body: '{}' })).status, 403);
    assert.deepEqual(await outcomes(await Session.open(gate), 'a__echo', 3), ['ok', 'ok', 429]);
    await gate.end();
  });

  await step('the elements of a batch count one by one', async () => {
    const gate = await limited(OPENING + 4);
    const session = await Session.open(gate, { version: '2025-03-26' });
    const before = up.of('tools/call').length;
    const answer = await session.post([1, 2, 3, 4, 5, 6].map((id) => aCall('a__echo', id)));
    assert.equal(answer.status, 200, answer.body);
    const all = JSON.parse(answer.body);
    assert.equal(all.length, 6, answer.body);
    assert.equal(all.filter(({ result }) => result).length, 4, answer.body);
    for (const { error } of all.filter((one) => !one.result))
      assert.deepEqual([error.code, error.data.gate.reason], [-32000, 'rate_limited']);
    assert.deepEqual(all.map(({ id }) => id).sort(), [1, 2, 3, 4, 5, 6], 'in a batch only the id tells what was refused');
    assert.equal(up.of('tools/call').length - before, 4);
    assertTooMany(await session.post(aCall('a__echo')), 'of the gateway');
    await gate.end();
  });

  await step('a flood from many connections: exactly as many as the limit come through', async () => {
    for (const threads of [1, 2]) {
      const gate = await Gate.start(binary, { upstreams: [entry('a', up)], server: { rateLimit: perMinute(OPENING + 30) } }, { threads });
      const session = await Session.open(gate);
      const answers = await Promise.all(Array.from({ length: 120 }, (_, i) => session.post(aCall('a__echo', i + 1))));
      const count = (status) => answers.filter((answer) => answer.status === status).length;
      assert.deepEqual([count(200), count(429)], [30, 90]);
      await gate.end();
    }
  });
}

async function eachOfThem({ step, up, home }) {
  const start = (config) =>
    Gate.start(binary, requiring([home], { upstreams: [entry('a', up)], ...config }), { token: home.token({ sub: 'fence' }) });
  const open = (gate, about) => Session.open(gate, { token: home.token(about) });

  await step('a principal has a limit of its own, in all its sessions', async () => {
    const gate = await start({ server: { rateLimit: perMinute(1000, { perPrincipalPerMinute: OPENING + 3 }) } });
    const alice = await open(gate, { sub: 'alice' });
    assert.deepEqual(await outcomes(alice, 'a__echo', 4), ['ok', 'ok', 'ok', 429]);
    assertTooMany(await knock(gate, home.token({ sub: 'alice', groups: ['x'] })), 'of this principal');
    const bob = await open(gate, { sub: 'bob' });
    assert.deepEqual(await outcomes(bob, 'a__echo', 3), times(3, 'ok'));
    const [refused] = await eventsWhere(gate, ({ outcome }) => outcome === 'rate_limited', 2);
    assert.deepEqual([refused.method, refused.principal, refused.issuer], ['http', 'alice', home.issuer]);
    await gate.end();
  });

  await step('a tenant shares one limit; others do not notice', async () => {
    const tenants = [{ id: 'acme', subjects: { claims: { org: 'acme' } }, rateLimit: perMinute(2 * OPENING + 4) }];
    const gate = await start({ tenants });
    const claims = { org: 'acme' };
    const [ann, amy] = [await open(gate, { sub: 'ann', claims }), await open(gate, { sub: 'amy', claims })];
    assert.deepEqual(await outcomes(ann, 'a__echo', 3), times(3, 'ok'));
    assert.deepEqual(await outcomes(amy, 'a__echo', 2), ['ok', 429]);
    for (const sub of ['ann', 'amy', 'somebody new'])
      assertTooMany(await knock(gate, home.token({ sub, claims })), 'of tenant "acme"');
    assert.deepEqual(await outcomes(await open(gate, { sub: 'ann' }), 'a__echo', 4), times(4, 'ok'));
    const refused = await eventsWhere(gate, ({ outcome }) => outcome === 'rate_limited', 4);
    assert.deepEqual(refused.map(({ method, tenant }) => [method, tenant]), times(4, ['http', 'acme']));
    await gate.end();
  });

  await step('what one limit refuses counts for no other', async () => {
    const gate = await start({ server: { rateLimit: perMinute(2 * OPENING + 6, { perPrincipalPerMinute: OPENING + 1 }) } });
    const alice = await open(gate, { sub: 'alice' });
    assert.deepEqual(await outcomes(alice, 'a__echo', 10), ['ok', ...times(9, 429)]);
    // Of the global limit alice has used three: five are left when bob has come in.
    const bob = await open(gate, { sub: 'bob' });
    const carol = await knock(gate, home.token({ sub: 'carol' }));
    assert.equal(carol.status, 200, carol.body);
    assert.deepEqual(await outcomes(bob, 'a__echo', 1), ['ok']);
    await gate.end();
  });

  await step('who shows no good token gets 401, limit or no limit, and uses up nothing', async () => {
    const gate = await start({ server: { rateLimit: perMinute(OPENING + 1) } });
    for (let i = 0; i < 10; i += 1) assert.equal((await knock(gate)).status, 401);
    const alice = await open(gate, { sub: 'alice' });
    assert.deepEqual(await outcomes(alice, 'a__echo', 2), ['ok', 429]);
    assert.equal((await knock(gate, 'nonsense')).status, 401);
    await gate.end();
  });
}

async function upstreams({ step, up, other }) {
  await step('an upstream has a limit of its own: -32040 with a hint, and the other one goes on', async () => {
    const gate = await Gate.start(binary, { upstreams: [entry('a', up, { rateLimit: perMinute(3) }), entry('b', other)] });
    const session = await Session.open(gate);
    const before = up.of('tools/call').length;
    assert.deepEqual(await outcomes(session, 'a__echo', 5), ['ok', 'ok', 'ok', -32040, -32040]);
    const { status, error } = await session.call('a__echo');
    assert.equal(status, 200);
    const [, seconds] = error.message.match(/^upstream "a" rate limit exceeded; retry in (\d+)s$/) ?? [];
    assert.ok(Number(seconds) >= 1, error.message);
    assert.deepEqual(error.data, { gate: { reason: 'rate_limited', upstream: 'a', retryAfterMs: seconds * 1000 } });
    assert.equal(up.of('tools/call').length - before, 3);
    assert.deepEqual(await outcomes(session, 'b__echo', 5), times(5, 'ok'));
    const refused = await eventsWhere(gate, ({ outcome }) => outcome === 'rate_limited', 3);
    for (const event of refused) {
      const { method, name, upstream, upstreamCalls = 0 } = event;
      assert.deepEqual([method, name, upstream, upstreamCalls], ['tools/call', 'a__echo', 'a', 0]);
    }
    const metrics = await gate.metrics();
    assert.equal(sample(metrics, 'gate_requests_total', { method: 'tools/call', outcome: 'rate_limited' }), 3);
    assert.equal(sample(metrics, 'gate_upstream_requests_total', { upstream: 'a', outcome: 'rate_limited' }), 3);
    assert.equal(sample(metrics, 'gate_upstream_requests_total', { upstream: 'b', outcome: 'rate_limited' }) ?? 0, 0);
    assert.equal(sample(metrics, 'gate_http_rejections_total', { reason: 'rate_limited' }) ?? 0, 0);
    const health = await gate.healthOf('a');
    assert.deepEqual([health.connected, health.breaker], [true, 'closed'], 'a refusal of ours says nothing about it');
    await gate.end();
  });

  await step('a list comes without an upstream that may not be asked', async () => {
    const gate = await Gate.start(binary, {
      upstreams: [entry('a', up, { rateLimit: perMinute(1), cacheTtlMs: -1 }), entry('b', other)],
    });
    const session = await Session.open(gate);
    assert.deepEqual(await outcomes(session, 'a__echo', 1), ['ok']);
    const { result } = await session.request('tools/list', {});
    assert.deepEqual(result.tools.map(({ name }) => name), ['b__echo', 'b__raw']);
    assert.deepEqual(result._meta, { 'gate/partialFailure': { failedUpstreams: ['a'] } });
    await gate.end();
  });

  await step('a list that nobody else could give is refused as a call is', async () => {
    const gate = await Gate.start(binary, {
      upstreams: [entry('a', up, { rateLimit: perMinute(1), cacheTtlMs: -1 })],
    });
    const session = await Session.open(gate);
    assert.ok((await session.request('tools/list', {})).result);
    const { error } = await session.request('tools/list', {});
    assert.equal(error.code, -32040);
    assert.match(error.message, /^upstream "a" rate limit exceeded; retry in \d+s$/);
    assert.ok(error.data.gate.retryAfterMs > 0);
    await gate.end();
  });
}

async function budgets({ step, up, other, home }) {
  const calls = (upstreamCalls, period) => ({ budget: { upstreamCalls, ...(period && { period }) } });
  const start = (config, options) => Gate.start(binary, config, options);

  for (const period of ['hour', 'day', 'month']) {
    await step(`a budget of an upstream, by ${period}: -32044 says how much, and when it begins anew`, async () => {
      await awayFromTheHour();
      const gate = await start({ upstreams: [entry('a', up, calls(3, period)), entry('b', other)] });
      const session = await Session.open(gate);
      const before = up.of('tools/call').length;
      assert.deepEqual(await outcomes(session, 'a__echo', 4), ['ok', 'ok', 'ok', -32044]);
      const { error } = await session.call('a__echo');
      assertExhausted(error, { whose: 'upstream "a"', used: 3, period, gate: { upstream: 'a' } });
      assert.equal(up.of('tools/call').length - before, 3);
      assert.deepEqual(await outcomes(session, 'b__echo', 5), times(5, 'ok'));
      const refused = await eventsWhere(gate, ({ outcome }) => outcome === 'budget_exhausted', 2);
      for (const { method, name, upstream, upstreamCalls = 0 } of refused)
        assert.deepEqual([method, name, upstream, upstreamCalls], ['tools/call', 'a__echo', 'a', 0]);
      const metrics = await gate.metrics();
      assert.equal(sample(metrics, 'gate_requests_total', { method: 'tools/call', outcome: 'budget_exhausted' }), 2);
      assert.equal(sample(metrics, 'gate_upstream_requests_total', { upstream: 'a', outcome: 'ok' }), 3);
      assert.equal((await gate.healthOf('a')).breaker, 'closed');
      await gate.end();
    });
  }

  await step('without a period it is the month', async () => {
    const gate = await start({ upstreams: [entry('a', up, calls(1))] });
    const session = await Session.open(gate);
    await session.call('a__echo');
    const { error } = await session.call('a__echo');
    assertExhausted(error, { whose: 'upstream "a"', used: 1, period: 'month', gate: { upstream: 'a' } });
    await gate.end();
  });

  await step('a budget of the server, and that a refusal of another scope charges it nothing', async () => {
    await awayFromTheHour();
    const gate = await start({
      upstreams: [entry('a', up, calls(2, 'day')), entry('b', other)],
      server: calls(5, 'hour'),
    });
    const session = await Session.open(gate);
    assert.deepEqual(await outcomes(session, 'a__echo', 6), ['ok', 'ok', ...times(4, -32044)]);
    assert.deepEqual(await outcomes(session, 'b__echo', 4), ['ok', 'ok', 'ok', -32044]);
    const { error } = await session.call('b__echo');
    assertExhausted(error, { whose: 'server', used: 5, period: 'hour', gate: {} });
    // Both have nothing left; the narrower one is named.
    assert.match((await session.call('a__echo')).error.message, /^upstream "a" budget exhausted \(2\/2\)/);
    await gate.end();
  });

  await step('a refusal by the server charges the upstream nothing', async () => {
    await awayFromTheHour();
    const gate = await start({
      upstreams: [entry('a', up, calls(3, 'day')), entry('b', other)],
      server: calls(2, 'hour'),
    });
    const session = await Session.open(gate);
    assert.deepEqual(await outcomes(session, 'b__echo', 2), ['ok', 'ok']);
    // Would it be charged, a would run out and say so.
    for (let i = 0; i < 6; i += 1) assert.match((await session.call('a__echo')).error.message, /^server budget exhausted \(2\/2\)/);
    await gate.end();
  });

  await step('a budget of a tenant names it; other principals are free', async () => {
    const tenants = [{ id: 'acme', subjects: { claims: { org: 'acme' } }, ...calls(2, 'day') }];
    const gate = await start(requiring([home], { upstreams: [entry('a', up), entry('b', other)], tenants }), {
      token: home.token({ sub: 'fence' }),
    });
    const open = (sub, claims) => Session.open(gate, { token: home.token({ sub, claims }) });
    const [ann, amy] = [await open('ann', { org: 'acme' }), await open('amy', { org: 'acme' })];
    assert.deepEqual(await outcomes(ann, 'a__echo', 1), ['ok']);
    assert.deepEqual(await outcomes(amy, 'b__echo', 2), ['ok', -32044]);
    const { error } = await ann.call('a__echo');
    assertExhausted(error, { whose: 'tenant "acme"', used: 2, period: 'day', gate: { tenant: 'acme' } });
    assert.deepEqual(await outcomes(await open('ann'), 'a__echo', 3), times(3, 'ok'));
    const refused = await eventsWhere(gate, ({ outcome }) => outcome === 'budget_exhausted', 2);
    assert.deepEqual(refused.map(({ tenant, principal }) => [tenant, principal]), [['acme', 'amy'], ['acme', 'ann']]);
    const metrics = await gate.metrics();
    assert.equal(sample(metrics, 'gate_tenant_upstream_calls_total', { tenant: 'acme' }), 2);
    assert.equal(sample(metrics, 'gate_tenant_requests_total', { tenant: 'acme', outcome: 'budget_exhausted' }), 2);
    await gate.end();
  });

  await step('what can not be sent costs nothing; nor does /health', async () => {
    const absent = await Upstream.start();
    await absent.stop();
    const gate = await start({
      upstreams: [entry('a', absent, { ...calls(2, 'day'), circuitBreaker: { failureThreshold: 1000 } }), entry('b', other)],
    });
    const session = await Session.open(gate);
    assert.deepEqual(await outcomes(session, 'a__echo', 5), times(5, -32041));
    await gate.health();
    await absent.listen();
    assert.equal((await gate.health()).status, 200);
    assert.deepEqual(await outcomes(session, 'a__echo', 3), ['ok', 'ok', -32044]);
    await absent.stop();
    await gate.end();
  });

  await step('what a limit, a policy or the circuit refuses costs nothing', async () => {
    await awayFromTheHour();
    const own = await Upstream.start();
    const breaks = { circuitBreaker: { failureThreshold: 1, halfOpenAfterMs: 60_000 } };
    const gate = await start({
      upstreams: [entry('a', own, { rateLimit: perMinute(2) }), entry('c', own, breaks), entry('b', other)],
      policy: { rules: [{ id: 'echo', allow: [{ server: '*', names: ['echo'] }] }] },
      server: calls(5, 'hour'),
    });
    const session = await Session.open(gate);
    assert.deepEqual(await outcomes(session, 'a__echo', 6), ['ok', 'ok', ...times(4, -32040)]);
    assert.deepEqual(await outcomes(session, 'b__raw', 6), times(6, -32042));
    own.on('tools/call', (call) => call.status(500, 'text/plain', 'no'));
    assert.deepEqual(await outcomes(session, 'c__echo', 6), times(6, -32041));
    // Two of a, one of c, which was sent: two are left.
    assert.deepEqual(await outcomes(session, 'b__echo', 3), ['ok', 'ok', -32044]);
    await gate.end();
    await own.stop();
  });

  await step('an error of the upstream costs as a result does; a list costs one, a cached one nothing', async () => {
    await awayFromTheHour();
    const gate = await start({ upstreams: [entry('a', up, calls(3, 'hour')), entry('b', other)] });
    const session = await Session.open(gate);
    const listed = async () => (await session.request('tools/list', {})).result.tools.length;
    assert.equal(await listed(), 4);
    assert.equal(await listed(), 4);
    up.on('tools/call', (call) => call.error('{"code":-32602,"message":"not like this"}'));
    assert.deepEqual(await outcomes(session, 'a__echo', 3), [-32602, -32602, -32044]);
    up.restore();
    assert.equal(await listed(), 4, 'the list that is there is served');
    const { result } = await session.request('prompts/list', {});
    assert.deepEqual(result?.prompts ?? [], []);
    await gate.end();
  });

  await step('many at once: exactly as many as the budget are sent', async () => {
    await awayFromTheHour();
    for (const threads of [1, 2]) {
      const gate = await start({ upstreams: [entry('a', up, calls(25, 'hour'))] }, { threads });
      const before = up.of('tools/call').length;
      const sessions = await Promise.all(Array.from({ length: 10 }, () => Session.open(gate)));
      const all = (await Promise.all(sessions.map((session) => outcomes(session, 'a__echo', 10)))).flat();
      assert.deepEqual([all.filter((x) => x === 'ok').length, all.filter((x) => x === -32044).length], [25, 75]);
      assert.equal(up.of('tools/call').length - before, 25);
      await gate.end();
    }
  });
}

await suite('rate limits and budgets', async ({ step, defer }) => {
  const [up, other] = [await Upstream.start(), await Upstream.start()];
  const home = await IdentityProvider.start();
  defer(function upstreamsEnd() { return Promise.all([up.stop(), other.stop(), home.stop()]); });
  await everybody({ step, up });
  await eachOfThem({ step, up, home });
  await upstreams({ step, up, other });
  await budgets({ step, up, other, home });
});
