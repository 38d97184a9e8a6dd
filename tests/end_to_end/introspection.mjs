// What viewers are told of the gateway: /api/auth-hint, /api/federation, /api/activity, /api/explain. With
// authentication, tenants and groups; without. Every answer is kept, and at the end looked through for what
// its reader may not see.
// Arguments: gate.
import assert from 'node:assert/strict';
import http from 'node:http';
import { Gate, sample } from '../../simulations/peers/gate.mjs';
import { once } from '../../simulations/peers/http.mjs';
import { RESOURCE, requiring } from '../../simulations/peers/identity.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { Registry } from '../../simulations/peers/registry.mjs';
import { Upstream, deadPort } from '../../simulations/peers/upstream.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { leaks } from './support/leaks.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const SECRET = 'the-secret-of-the-upstream-4711';
const VARIABLE = 'UPSTREAM_SECRET_VARIABLE';
const OWNER = 'owner-marked-1234';
const LABEL = 'label-marked-5678';
const VIEWS = ['/api/federation', '/api/activity', '/api/explain?method=tools/list'];

/** An answer, and its JSON. */
const get = async (gate, path, { token, ...headers } = {}, options = {}) => {
  const credential = token ? { Authorization: `Bearer ${token}` } : {};
  const answer = await once(gate.port, { method: 'GET', path, headers: { ...credential, ...headers }, ...options });
  gate.answers?.push({ path, token, text: `${answer.body}\n${JSON.stringify([...answer.headers])}` });
  try {
    answer.json = JSON.parse(answer.body);
  } catch {
    answer.json = undefined;
  }
  return answer;
};

const fine = async (...all) => {
  const answer = await get(...all);
  assert.equal(answer.status, 200, answer.body);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.equal(answer.headers.get('content-type'), 'application/json');
  return answer.json;
};

/** The events of a live stream, as they come: `{id, event, data}`. */
const live = (gate, path, { token, ...headers } = {}) => new Promise((resolve, reject) => {
  const credential = token ? { Authorization: `Bearer ${token}` } : {};
  const request = http.get({ port: gate.port, host: '127.0.0.1', path,
    headers: { Accept: 'text/event-stream', ...credential, ...headers } });
  request.on('error', reject);
  request.on('response', (response) => {
    const stream = { status: response.statusCode, headers: response.headers, text: '', ended: false, close: () => request.destroy() };
    response.on('data', (bytes) => { stream.text += bytes; });
    response.on('end', () => { stream.ended = true; });
    response.on('error', () => { stream.ended = true; });
    Object.defineProperty(stream, 'events', { get: () => stream.text.split('\n\n').slice(0, -1)
      .map((block) => Object.fromEntries(block.split('\n').map((line) => line.match(/^(\w*): ?(.*)$/)?.slice(1) ?? ['', line]))) });
    Object.defineProperty(stream, 'names', { get: () => stream.events.filter(({ event }) => event === 'audit').map(({ data }) => JSON.parse(data).name) });
    resolve(stream);
  });
});

await suite('introspection', async ({ step, defer }) => {
  const a = await Upstream.start();
  defer(() => a.stop());
  const b = await Upstream.start();
  defer(() => b.stop());
  const dead = await deadPort();
  const provider = await IdentityProvider.start();
  defer(() => provider.stop());

  const upstreams = [
    { id: 'a', url: `${a.url}?marked-url-a`, namespace: 'a', owner: { org: OWNER }, labels: { l: LABEL },
      auth: { strategy: 'static', secretRef: VARIABLE }, rateLimit: { requestsPerMinute: 2 } },
    { id: 'b', url: b.url, namespace: 'b', owner: { org: OWNER }, budget: { period: 'day', upstreamCalls: 1 } },
    { id: 'hidden', url: `http://127.0.0.1:${dead}/marked-url-hidden`, namespace: 'hidden' },
  ];
  const tenants = [
    { id: 'acme', subjects: { groups: ['acme'] }, upstreams: ['a', 'b'], budget: { period: 'month', upstreamCalls: 1000 },
      rateLimit: { requestsPerMinute: 5000 } },
    { id: 'rival-marked', subjects: { groups: ['rival'] }, upstreams: ['hidden'] },
  ];
  const policy = { rules: [
    { id: 'everything', subjects: { groups: ['ops'] }, allow: [{ server: '*' }] },
    { id: 'echoes', subjects: { groups: ['acme'] }, allow: [{ server: 'a', names: ['echo'] }, { server: 'b', names: ['echo'] }] },
    { id: 'rivals-marked', subjects: { groups: ['rival'] }, allow: [{ server: 'hidden' }] },
  ] };
  const env = { [VARIABLE]: SECRET };
  const start = async (server, more = {}) => {
    const gate = await Gate.start(binary, requiring([provider], { upstreams, tenants, policy, server, ...more }), { env, threads: 2 });
    gate.answers = [];
    return gate;
  };
  const tokenOf = (sub, groups, more = {}) => provider.token({ sub, claims: { groups, ...more } });
  const alice = tokenOf('alice', ['acme']);
  const rival = tokenOf('rival-marked', ['rival']);
  const ops = tokenOf('olga', ['ops']);

  await step('who does not say who they are is told how to sign in, and nothing else', async () => {
    const gate = await start({ introspection: { enabled: true },
      console: { oauth: { clientId: 'console', scopes: ['openid', 'groups'] } } });
    assert.deepEqual(await fine(gate, '/api/auth-hint'), { authRequired: true, mcpPath: '/mcp', resource: RESOURCE,
      oauth: { issuer: provider.issuer, clientId: 'console', scopes: ['openid', 'groups'] } });
    for (const path of VIEWS) {
      for (const token of [undefined, 'nonsense', `${alice}x`, tokenOf('alice', ['ops'], { exp: 1 })]) {
        const no = await get(gate, path, { token });
        assert.equal(no.status, 401, `${path} ${token}`);
        assert.match(no.headers.get('www-authenticate'), /^Bearer resource_metadata="/);
        assert.deepEqual(Object.keys(no.json), ['error']);
        assert.equal(no.headers.get('cache-control'), 'no-store');
      }
      assert.equal((await get(gate, path, { token: alice, Host: 'evil.example' })).status, 403);
      assert.equal((await get(gate, path, { token: alice, Origin: 'http://evil.example' })).status, 403);
      for (const method of ['POST', 'DELETE', 'OPTIONS']) {
        const no = await get(gate, path, { token: alice }, { method });
        assert.equal(no.status, 405, method);
        assert.equal(no.headers.get('allow'), 'GET');
      }
    }
    assert.equal((await get(gate, '/api/federation', { token: alice, Accept: 'text/html' })).status, 406);
    for (const path of ['/api', '/api/', '/api/federation/', '/api/federation/x', '/api/state', '/console/api/state'])
      assert.equal((await get(gate, path, { token: alice })).status, 404, path);
    await gate.end();
  });

  await step('without introspection there is none of it', async () => {
    const gate = await start({});
    for (const path of ['/api/auth-hint', ...VIEWS]) assert.equal((await get(gate, path, { token: ops })).status, 404, path);
    await gate.end();
  });

  const groups = { introspection: { enabled: true, groups: ['ops'] },
    rateLimit: { requestsPerMinute: 100000, perPrincipalPerMinute: 10000 }, budget: { period: 'day', upstreamCalls: 500 } };

  await step('each viewer sees what is theirs to see', async () => {
    const gate = await start(groups);
    const sessions = {};
    for (const [name, token] of Object.entries({ alice, rival, ops })) sessions[name] = await Session.open(gate, { token });
    await sessions.alice.call('a__echo', { words: 'hers' });
    await sessions.alice.call('a__forbidden');
    await sessions.alice.call('hidden__echo');
    await sessions.rival.call('hidden__echo', { words: 'marked' });
    await sessions.ops.call('b__echo');

    const all = await fine(gate, '/api/federation', { token: ops });
    assert.deepEqual(all.viewer, { operator: true, principal: 'olga', issuer: provider.issuer });
    assert.equal(all.status, 'degraded');
    assert.deepEqual(all.auth, { mode: 'required', issuers: 1, enterprise: false });
    assert.deepEqual(all.policy, { configured: true, defaultDecision: 'deny', rules: 3 });
    assert.deepEqual(all.auditSinks, ['stdout']);
    assert.equal(all.sharedState, 'none');
    assert.deepEqual(all.tracing, { enabled: false });
    assert.deepEqual(all.upstreamCounts, { static: 3, discovered: 0 });
    assert.deepEqual(all.limits, { requestsPerMinute: 100000, perPrincipalPerMinute: 10000, maxBodyBytes: 1048576,
      budget: { period: 'day', upstreamCalls: 500 } });
    assert.deepEqual(all.usage.limits.map(({ scope, limit }) => [scope, limit]), [['server', 100000], ['principal', 10000]]);
    assert.ok(all.usage.limits[0].used >= 7, JSON.stringify(all.usage));
    assert.deepEqual(all.upstreams.map(({ id, source, authStrategy }) => [id, source, authStrategy]),
      [['a', 'static', 'static'], ['b', 'static', 'none'], ['hidden', 'static', 'none']]);
    const [ofA, ofB, ofHidden] = all.upstreams;
    assert.deepEqual(ofA.owner, { org: OWNER });
    assert.deepEqual(ofA.labels, { l: LABEL });
    assert.deepEqual(ofA.limits.map(({ scope, limit, used }) => [scope, limit, used]), [['upstream', 2, 1]]);
    assert.ok(Date.parse(ofA.limits[0].resetsAt) > Date.now());
    assert.deepEqual(ofB.budgets.map(({ scope, period, limit, used }) => [scope, period, limit, used]), [['upstream', 'day', 1, 1]]);
    assert.equal(ofHidden.connected, false);
    assert.ok(ofHidden.error && ofHidden.url);
    assert.equal(all.sessions.client, 3);
    assert.equal(ofA.sessions.bridged, 1);
    assert.equal(all.upstreams.reduce((n, { sessions: { bridged } }) => n + bridged, 0), all.sessions.bridged);

    for (const token of [alice, rival]) {
      const no = await get(gate, '/api/federation', { token });
      assert.equal(no.status, 403);
      assert.deepEqual(Object.keys(no.json), ['error']);
    }
    await until(async () => (await fine(gate, '/api/activity?limit=1000', { token: ops })).events
      .some(({ name, outcome }) => name === 'b__echo' && outcome === 'ok'), 'the last event');
    const everything = (await fine(gate, '/api/activity?limit=1000', { token: ops })).events;
    assert.ok(everything.some(({ tenant }) => tenant === 'rival-marked'));
    assert.ok(everything.some(({ outcome, method }) => outcome === 'denied' && method === 'http'), 'a viewer who is none is in the trail');
    const { events, next } = await fine(gate, '/api/activity', { token: alice });
    assert.deepEqual([...new Set(events.map(({ principal }) => principal))], ['alice']);
    assert.deepEqual(events.filter(({ method }) => method === 'tools/call').map(({ name, outcome, decision, upstream }) => [name, outcome, decision, upstream]),
      [['a__echo', 'ok', 'allow', 'a'], ['a__forbidden', 'denied', 'deny', 'a'], ['hidden__echo', 'error', undefined, undefined]]);
    assert.equal(next, events.at(-1).seq);
    assert.deepEqual(await fine(gate, `/api/activity?since=${next}`, { token: alice }), { events: [], next });
    // As the audit trail has it, but for the number.
    await until(() => gate.events.length >= everything.length, 'the trail');
    for (const { seq, ...event } of everything)
      assert.ok(gate.events.some((line) => JSON.stringify(line) === JSON.stringify(event)), JSON.stringify(event));

    // What nobody but operators, and what nobody at all may see.
    const own = gate.answers.filter(({ token }) => token !== ops);
    const found = leaks({
      owners: [OWNER, LABEL], urls: [`127.0.0.1:${a.port}`, `127.0.0.1:${b.port}`, `127.0.0.1:${dead}`, 'marked-url-hidden'],
    }, Object.fromEntries(own.map(({ path, text }, i) => [`${path} #${i}`, text])));
    assert.deepEqual(found, []);
    assert.deepEqual(leaks({ secret: [SECRET], variable: [VARIABLE], tokens: [alice, rival, ops].map((t) => t.split('.')[2]) },
      Object.fromEntries(gate.answers.map(({ path, text }, i) => [`${path} #${i}`, text]))), []);
    const ofAlice = gate.answers.filter(({ token }) => token === alice).map(({ text }) => text).join('\n');
    for (const foreign of ['rival-marked', 'rivals-marked', 'olga']) assert.ok(!ofAlice.includes(foreign), foreign);
    await gate.end();
  });

  await step('without groups everybody who is known sees their tenant, without details', async () => {
    const gate = await start({ introspection: { enabled: true } });
    const view = await fine(gate, '/api/federation', { token: alice });
    assert.deepEqual(view.viewer, { operator: false, principal: 'alice', issuer: provider.issuer, tenant: 'acme' });
    assert.deepEqual(view.upstreams.map(({ id }) => id), ['a', 'b']);
    assert.deepEqual(view.upstreamCounts, { static: 2, discovered: 0 });
    assert.equal(view.status, 'ok', 'what is not seen does not count');
    assert.deepEqual(view.tenant.upstreams, ['a', 'b']);
    assert.deepEqual(view.tenant.limits.map(({ scope, limit }) => [scope, limit]), [['tenant', 5000]]);
    assert.deepEqual(view.tenant.budgets.map(({ scope, period, limit, used }) => [scope, period, limit, used]), [['tenant', 'month', 1000, 0]]);
    assert.equal(view.sessions, undefined);
    for (const upstream of view.upstreams)
      for (const member of ['url', 'owner', 'labels', 'error', 'sessions']) assert.equal(upstream[member], undefined, member);
    const theirs = await fine(gate, '/api/federation', { token: rival });
    assert.deepEqual(theirs.upstreams.map(({ id }) => id), ['hidden']);
    assert.equal(theirs.status, 'down');
    assert.equal((await get(gate, '/api/federation', { token: tokenOf('both', ['acme', 'rival']) })).status, 403);
    const text = gate.answers.map(({ text: t }) => t).join('\n');
    for (const marked of [SECRET, VARIABLE, OWNER, LABEL, `:${a.port}`, `:${dead}`, 'marked-url']) assert.ok(!text.includes(marked), marked);
    await gate.end();
  });

  await step('an explanation says what a call then gets, and costs nothing', async () => {
    const gate = await start({ introspection: { enabled: true, groups: ['ops'] }, budget: { period: 'day', upstreamCalls: 500 } });
    const session = await Session.open(gate, { token: alice });
    const other = await Session.open(gate, { token: rival });
    const explain = (name, token = alice, method = 'tools/call') =>
      fine(gate, `/api/explain?${new URLSearchParams({ method, name })}`, { token });
    /** What the call then gets must be what was said. */
    const agree = async (by, name, token) => {
      const said = await explain(name, token);
      const from = await gate.mark();
      const { error } = await by.request('tools/call', { name, arguments: {} });
      const [event] = (await gate.eventsSince(from)).filter((e) => e.method === 'tools/call');
      assert.equal(said.reason, error?.data?.gate?.reason, JSON.stringify({ said, error }));
      if (error) assert.equal(said.message.replace(/\d+s$/, ''), error.message.replace(/\d+s$/, ''));
      assert.equal(said.decision, event.decision ?? 'none');
      assert.equal(said.ruleId, event.ruleId);
      assert.equal(said.tenant, event.tenant);
      assert.equal(said.upstream, event.upstream);
      return said;
    };
    gate.token = ops;
    const before = b.calls.length;
    for (let i = 0; i < 20; i += 1) await explain('b__echo');
    const free = await explain('b__echo');
    assert.deepEqual(free.budgets.map(({ scope, used }) => [scope, used]), [['upstream', 0], ['tenant', 0], ['server', 0]]);
    assert.equal(free.breaker, 'closed');
    assert.ok(b.calls.slice(before).every(({ method }) => method !== 'tools/call'), 'nobody was asked');
    await agree(session, 'b__echo', alice);
    const spent = await agree(session, 'b__echo', alice);
    assert.equal(spent.reason, 'budget_exhausted');
    for (let i = 0; i < 2; i += 1) assert.equal((await agree(session, 'a__echo', alice)).reason, undefined);
    const full = await agree(session, 'a__echo', alice);
    assert.equal(full.reason, 'rate_limited');
    assert.ok(full.limits.find(({ scope }) => scope === 'upstream').retryAfterMs > 0);
    for (const name of ['a__forbidden', 'hidden__echo', 'nobody__echo', 'plain', 'a__']) await agree(session, name, alice);
    assert.equal((await agree(other, 'a__echo', rival)).reason, 'unknown_name');
    // What is hidden and what is not there are the same.
    const swap = (text) => JSON.stringify(text).replaceAll('hidden__', 'nobody__');
    assert.equal(swap(await explain('hidden__echo')), JSON.stringify(await explain('nobody__echo')));
    // The circuit of a dead server opens.
    for (let i = 0; i < 5; i += 1) await other.request('tools/call', { name: 'hidden__echo', arguments: {} });
    const open = await agree(other, 'hidden__echo', rival);
    assert.equal(open.breaker, 'open');
    assert.equal(open.reason, 'upstream_down');

    assert.equal((await fine(gate, '/api/explain?method=nobody/knows', { token: alice })).reason, 'method_unknown');
    const list = await fine(gate, '/api/explain?method=tools/list', { token: alice });
    assert.equal(list.decision, 'none');
    assert.equal(list.upstream, undefined);
    const resource = await explain('mem://nowhere', alice, 'resources/read');
    assert.equal(resource.reason, 'resource_unknown');
    await gate.end();
  });

  await step('what cannot be meant is refused, whatever it is', async () => {
    const gate = await start(groups);
    for (const path of [
      '/api/activity?since=-1', '/api/activity?since=99999999999999999999999', '/api/activity?limit=0', '/api/activity?limit=1e9',
      '/api/activity?limit=-5', '/api/activity?since=1&since=2', '/api/activity?limit=%', '/api/activity?limit=%ZZ',
      '/api/activity?since=%00', '/api/activity?since=1%00', '/api/activity?principal=rival-marked', '/api/activity?tenant=rival-marked',
      '/api/activity?since=%FF', '/api/explain', '/api/explain?method=', '/api/explain?method=tools/call',
      '/api/explain?method=tools/call&name=a%00b', '/api/explain?method=tools/call&name=x&name=y',
      '/api/explain?method=tools/call&name=x&principal=rival-marked', `/api/explain?method=tools/call&name=${'x'.repeat(20000)}`,
      '/api/explain?method=completion/complete', '/api/explain?method=tasks/get', '/api/explain?method=resources/unsubscribe&name=mem://x',
      '/api/federation?x=1', '/api/federation?operator=true',
    ]) {
      const no = await get(gate, path, { token: ops });
      assert.equal(no.status, 400, `${path.slice(0, 80)}: ${no.body}`);
      assert.deepEqual(Object.keys(no.json), ['error'], path);
      assert.ok(!no.body.includes('rival-marked') && no.body.length < 500, no.body);
    }
    assert.equal((await get(gate, '/api/activity?limit=1000000000', { token: ops })).status, 200);
    assert.equal((await get(gate, `/api/activity?since=9007199254740991`, { token: ops })).json.next, 9007199254740991);
    const long = await get(gate, `/api/activity?${'x'.repeat(64 * 1024)}`, { token: ops }).catch(() => ({ status: 400 }));
    assert.ok([400, 414, 431].includes(long.status), `${long.status}`);
    await gate.end();
  });

  await step('viewers share the rate limits with MCP', async () => {
    const gate = await start({ introspection: { enabled: true }, rateLimit: { requestsPerMinute: 0, perPrincipalPerMinute: 3 } });
    for (let i = 0; i < 3; i += 1) await fine(gate, '/api/activity', { token: alice });
    for (const path of VIEWS) {
      const no = await get(gate, path, { token: alice });
      assert.equal(no.status, 429, path);
      assert.ok(Number(no.headers.get('retry-after')) >= 1);
    }
    assert.equal((await get(gate, '/api/auth-hint')).status, 200);
    await fine(gate, '/api/activity', { token: rival });
    await gate.end();
  });

  await step('a stream tells what happens, to each what is theirs, and goes on where it was', async () => {
    const gate = await start({ introspection: { enabled: true, groups: ['ops'] }, keepAliveMs: 1000 });
    const session = await Session.open(gate, { token: alice });
    const other = await Session.open(gate, { token: rival });
    const ofOps = await live(gate, '/api/activity', { token: ops });
    const ofAlice = await live(gate, '/api/activity', { token: alice });
    assert.equal(ofAlice.status, 200);
    assert.match(ofAlice.headers['content-type'], /^text\/event-stream/);
    assert.match(ofAlice.headers['cache-control'], /no-store/);
    assert.ok(ofAlice.text.startsWith('retry: 2000\n\n') || ofAlice.text === '', ofAlice.text);
    await session.call('a__echo');
    await other.request('tools/call', { name: 'hidden__secretly', arguments: {} });
    await until(() => ofOps.names.includes('hidden__secretly') && ofAlice.names.includes('a__echo'), 'both to hear');
    assert.deepEqual(ofAlice.names, ['a__echo']);
    assert.ok(!ofAlice.text.includes('rival'));
    assert.deepEqual(ofOps.names.filter(Boolean), ['a__echo', 'hidden__secretly']);
    await until(() => ofAlice.text.includes('\n:\n') || ofAlice.text.includes(':\n\n'), 'a keep-alive');
    const { id } = ofAlice.events.findLast(({ event }) => event === 'audit');
    ofAlice.close();
    await session.call('a__echo', { words: 'missed' });
    await session.request('tools/call', { name: 'a__other', arguments: {} });
    const back = await live(gate, '/api/activity', { token: alice, 'Last-Event-ID': id });
    await until(() => back.names.length >= 2, 'what was missed');
    assert.deepEqual(back.names, ['a__echo', 'a__other']);
    await gate.shows('gate_streams', { kind: 'activity' }, 2);

    // So many of one principal, and no more.
    const more = [];
    for (let i = 0; i < 16; i += 1) more.push(await live(gate, '/api/activity', { token: alice }));
    assert.deepEqual(more.map(({ status }) => status), [...Array(15).fill(200), 503]);
    assert.equal((await live(gate, '/api/activity', { token: rival })).status, 200);
    more.forEach((stream) => stream.close());
    await until(async () => {
      const stream = await live(gate, '/api/activity', { token: alice });
      stream.close();
      return stream.status === 200;
    }, 'room again');
    const stopped = gate.end();
    await until(() => ofOps.ended, 'the streams to end');
    assert.deepEqual(ofOps.events.at(-1), { event: 'end', data: '{"reason":"shutdown"}' });
    await stopped;
  });

  await step('a stream ends with its token', async () => {
    const gate = await start({ introspection: { enabled: true } });
    // (Half a minute of leeway is given to clocks.)
    const short = tokenOf('alice', ['acme'], { exp: Math.floor(Date.now() / 1000) - 27 });
    const stream = await live(gate, '/api/activity', { token: short });
    assert.equal(stream.status, 200);
    await until(() => stream.ended, 'its end');
    assert.deepEqual(stream.events.at(-1), { event: 'end', data: '{"reason":"token_expired"}' });
    await gate.end();
  });

  await step('without authentication everybody is an operator', async () => {
    const gate = await Gate.start(binary, { upstreams, server: { introspection: { enabled: true } } }, { env });
    assert.deepEqual(await fine(gate, '/api/auth-hint'), { authRequired: false, mcpPath: '/mcp' });
    const session = await Session.open(gate);
    await session.call('a__echo');
    const all = await fine(gate, '/api/federation');
    assert.deepEqual(all.viewer, { operator: true });
    assert.equal(all.upstreams[0].owner.org, OWNER);
    assert.deepEqual(all.policy, { configured: false, defaultDecision: 'allow', rules: 0 });
    await until(async () => (await fine(gate, '/api/activity')).events.some(({ name }) => name === 'a__echo'), 'the call');
    const said = await fine(gate, '/api/explain?method=tools/call&name=a__whatever');
    assert.equal(said.decision, 'allow');
    assert.equal(said.ruleId, undefined);
    assert.equal((await fine(gate, '/api/explain?method=tools/call&name=x__y')).reason, 'unknown_name');
    assert.ok(!JSON.stringify(all).includes(SECRET) && !JSON.stringify(all).includes(VARIABLE));
    await until(async () => sample(await gate.metrics(), 'gate_event_loop_delay_seconds_count') > 0, 'the delay to be measured');
    await gate.end();
  });

  await step('what a registry says, or that it does not, is told; secrets and their names are not', async () => {
    const registry = await Registry.start([{ id: 'found', url: b.url, namespace: 'found' }]);
    defer(() => registry.stop());
    const config = { upstreams: [upstreams[1]], discovery: { url: registry.url, intervalMs: 1000, bearerSecretRef: VARIABLE },
      server: { introspection: { enabled: true } } };
    const gate = await Gate.start(binary, config, { env });
    const now = async () => {
      const seen = await fine(gate, '/api/federation');
      assert.ok(!JSON.stringify(seen).includes(SECRET) && !JSON.stringify(seen).includes(VARIABLE));
      return seen;
    };
    await until(async () => (await now()).upstreamCounts.discovered === 1, 'it to be found');
    const seen = await now();
    assert.match(seen.discovery.lastOutcome, /^(applied|unchanged)$/);
    assert.ok(Math.abs(Date.parse(seen.discovery.lastSyncAt) - Date.now()) < 60_000);
    assert.deepEqual(seen.upstreams.map(({ id, source }) => [id, source]), [['b', 'static'], ['found', 'discovered']]);
    registry.says([{ id: 'found', url: b.url, namespace: 'found', auth: { strategy: 'static', secretRef: VARIABLE } }]);
    await until(async () => (await now()).discovery.lastOutcome === 'rejected', 'it to be refused');
    assert.match((await now()).discovery.error, /^the document is refused, for \d+ problem/);
    registry.says('nonsense');
    await until(async () => (await now()).discovery.error !== undefined, 'an error');
    await gate.end();
    const blind = await Gate.start(binary, config);
    await until(async () => (await fine(blind, '/api/federation')).discovery.lastOutcome === 'error', 'an error');
    assert.equal((await fine(blind, '/api/federation')).discovery.error, 'its secret is not set');
    await blind.end();
  });

  await step('activity is there without an audit section, too', async () => {
    const gate = await Gate.start(binary, { upstreams: [upstreams[1]], audit: undefined, server: { introspection: { enabled: true } } });
    const session = await Session.open(gate);
    await session.call('b__echo');
    await until(async () => (await fine(gate, '/api/activity')).events.length > 0, 'events');
    assert.equal(gate.events.length, 0);
    await gate.end();
  });
});
