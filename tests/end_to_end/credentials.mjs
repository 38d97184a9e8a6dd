// The credential that an upstream is shown: of every kind, fetched once and renewed when it must be,
// never another user's, never to another host, and never an upstream's trouble for the others.
import assert from 'node:assert/strict';
import { CheckingUpstream, subjectOf } from '../../simulations/peers/checking_upstream.mjs';
import { Trap, failures } from '../../simulations/peers/failures.mjs';
import { Gate } from '../../simulations/peers/gate.mjs';
import { RESOURCE, requiring } from '../../simulations/peers/identity.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { decoded } from '../../simulations/peers/jws.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { EXCHANGE } from '../../simulations/peers/token_endpoint.mjs';
import { sleep, until } from '../../simulations/peers/waiting.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();

const SECRETS = {
  GATE_TEST_KEY: 'static-secret-0123456789',
  GATE_TEST_CLIENT_SECRET: 'client secret: +/%ä',
  GATE_TEST_WRONG_SECRET: 'not the secret',
};
const CLIENT = 'gate: a client';

const up = (server, auth, more = {}) => ({ id: server.name, url: server.url, namespace: server.name, auth, ...more });
const textOf = ({ result, error }) => result?.content[0].text ?? JSON.stringify(error);

/** Starts these upstreams: `name => settings`. */
async function startAll(settings) {
  const started = await Promise.all(
    Object.entries(settings).map(([name, more]) => CheckingUpstream.start({ name, ...more })));
  return Object.fromEntries(started.map((server) => [server.name, server]));
}

const stopAll = (servers) => Promise.all(Object.values(servers).map((server) => server.stop()));

/** A provider that knows the gateway as its client. */
async function startProvider() {
  const provider = await IdentityProvider.start({ audience: RESOURCE });
  provider.grants.clients.set(CLIENT, SECRETS.GATE_TEST_CLIENT_SECRET);
  return provider;
}

const asClient = (provider, type = 'client_secret_basic', more = {}) => ({
  strategy: 'client-credentials',
  tokenEndpoint: `${provider.origin}/token`,
  clientId: CLIENT,
  clientAuth: { type, secretRef: 'GATE_TEST_CLIENT_SECRET' },
  ...more,
});

const forUsers = (provider, audience) => ({ ...asClient(provider), strategy: 'token-exchange', audience });

/** Only these credentials, as the whole value of the header. */
const only = (...values) => ({ authorization }) => values.includes(authorization);

/** Only what the provider has granted for this audience. */
const grantedBy = (provider, from = 0) => ({ authorization }) =>
  provider.grants.grants.slice(from).some(({ token }) => authorization === `Bearer ${token}`);

async function fixedKeys({ step }) {
  const key = SECRETS.GATE_TEST_KEY;
  const withKey = (more = {}) => ({ strategy: 'static', secretRef: 'GATE_TEST_KEY', ...more });
  const kinds = {
    bearer: [withKey(), { accepts: only(`Bearer ${key}`) }],
    scheme: [withKey({ scheme: 'Token' }), { accepts: only(`Token ${key}`) }],
    bare: [withKey({ scheme: '' }), { accepts: only(key) }],
    header: [withKey({ header: 'X-Api-Key' }), { accepts: (request) => request.key === key && !request.authorization }],
    both: [withKey({ header: 'x-api-key', scheme: 'Key' }), { accepts: (request) => request.key === `Key ${key}` }],
    none: [undefined, { accepts: (request) => !request.authorization && !request.key }],
    unset: [{ strategy: 'static', secretRef: 'GATE_TEST_UNSET_VARIABLE' }, {}],
    empty: [{ strategy: 'static', secretRef: 'GATE_TEST_EMPTY_VARIABLE' }, {}],
  };
  const all = Object.entries(kinds);
  const servers = await startAll(Object.fromEntries(all.map(([name, [, settings]]) => [name, settings])));
  const upstreams = all.map(([name, [auth]]) => up(servers[name], auth));
  const gate = await Gate.start(binary, { upstreams }, { env: { ...SECRETS, GATE_TEST_EMPTY_VARIABLE: '' } });
  const session = await Session.open(gate);

  for (const name of ['bearer', 'scheme', 'bare', 'header', 'both', 'none'])
    await step(`static: ${name}, on every request`, async () => {
      assert.equal(textOf(await session.call(`${name}__echo`, { text: 'x' })), `${name}: echo x`);
      const { seen, accepts } = servers[name];
      assert.ok(seen.length >= 3);
      assert.deepEqual(seen.filter((request) => !accepts(request)), []);
    });

  await step('static: without its secret an upstream is down, and nobody is told the variable\'s name', async () => {
    for (const name of ['unset', 'empty']) {
      const { error, text } = await session.call(`${name}__echo`);
      assert.deepEqual([error.code, error.data?.gate], [-32041, { reason: 'upstream_down', upstream: name }]);
      assert.match(error.message, new RegExp(`^upstream "${name}" unavailable \\(`));
      assert.ok(!text.includes('GATE_TEST'), text);
      assert.deepEqual(servers[name].seen, [], 'it is not asked without a credential');
    }
    const { result } = await session.request('tools/list', {});
    assert.deepEqual(result._meta?.['gate/partialFailure']?.failedUpstreams, ['unset', 'empty']);
    assert.ok(!JSON.stringify(gate.events).includes('GATE_TEST'));
  });

  await step('static: what a client sends is not what an upstream gets', async () => {
    const headers = { Authorization: 'Bearer of-the-client', 'X-Api-Key': 'of-the-client' };
    await session.request('tools/call', { name: 'none__echo' }, { headers });
    for (const server of Object.values(servers))
      for (const request of server.seen) assert.ok(!JSON.stringify(request).includes('of-the-client'));
  });

  await gate.end();
  await stopAll(servers);
}

async function ownTokens({ step }) {
  const names = ['basic', 'post', 'never'];
  const [basic, post, never] = await Promise.all(names.map(startProvider));
  const servers = await startAll({
    basic: { accepts: grantedBy(basic) }, post: { accepts: grantedBy(post) }, never: { accepts: () => false }, plain: {},
  });
  const resource = 'https://up.example.com/mcp?a=b&c=d';
  const gate = await Gate.start(binary, { upstreams: [
    up(servers.basic, asClient(basic, 'client_secret_basic', { scopes: ['read', 'write:all'], resource })),
    up(servers.post, asClient(post, 'client_secret_post')),
    up(servers.never, asClient(never)),
    up(servers.plain, undefined),
  ] }, { env: SECRETS });
  const sessions = await Promise.all(Array.from({ length: 10 }, () => Session.open(gate)));
  const [session] = sessions;
  const calls = (name, n) => Promise.all(Array.from({ length: n }, (_, i) =>
    sessions[i % sessions.length].call(`${name}__echo`, { text: `${i}` }, { id: 1000 + i })));
  const assertAll = (answers, name) => answers.forEach((answer, i) => assert.equal(textOf(answer), `${name}: echo ${i}`));

  await step('client credentials: one token for a hundred calls of ten clients at once', async () => {
    assertAll(await calls('basic', 100), 'basic');
    assert.equal(basic.grants.count, 1);
  });

  await step('client credentials: asked for as the token endpoint wants it', async () => {
    const [{ how, client, fields }] = basic.grants.grants;
    assert.deepEqual([how, client], ['basic', CLIENT]);
    assert.deepEqual(fields, { grant_type: 'client_credentials', scope: 'read write:all', resource });
    assertAll(await calls('post', 1), 'post');
    const [inBody] = post.grants.grants;
    const { client_id: id, client_secret: secret, ...rest } = inBody.fields;
    assert.deepEqual([inBody.how, id, secret], ['post', CLIENT, SECRETS.GATE_TEST_CLIENT_SECRET]);
    assert.deepEqual(rest, { grant_type: 'client_credentials' });
  });

  await step('client credentials: the token is kept, also for other clients', async () => {
    const other = await Session.open(gate);
    for (let i = 0; i < 5; i += 1) assert.ok((await other.call('basic__echo')).result);
    assertAll(await calls('basic', 20), 'basic');
    assert.equal(basic.grants.count, 1);
    assert.equal(servers.basic.credentials.length, 1);
  });

  await step('client credentials: revoked at the upstream, it is had anew, and the calls succeed', async () => {
    servers.basic.accepts = grantedBy(basic, 1);
    assertAll(await calls('basic', 50), 'basic');
    assertAll(await calls('basic', 5), 'basic');
    assert.equal(basic.grants.count, 2);
  });

  await step('client credentials: an upstream that takes no token at all gets few of them', async () => {
    const before = [never.grants.count, servers.never.seen.length];
    for (let i = 0; i < 5; i += 1) assert.equal((await session.call('never__echo')).error.code, -32041);
    const [tokens, requests] = [never.grants.count - before[0], servers.never.seen.length - before[1]];
    assert.ok(tokens <= 10, `${tokens} tokens for 5 calls`);
    assert.ok(requests <= 40, `${requests} requests for 5 calls`);
    assertAll(await calls('plain', 5), 'plain');
  });

  await gate.end();
  await Promise.all([...Object.values(servers), basic, post, never].map((server) => server.stop()));
}

/** What a token endpoint may answer beside the usual, and whether it can be worked with. */
const ANSWERS = {
  'no lifetime': [({ expires_in: _, ...answer }) => answer, true],
  'a short lifetime': [(answer) => ({ ...answer, expires_in: 1 }), true],
  'a lifetime of nothing': [(answer) => ({ ...answer, expires_in: 0 }), true],
  'a fraction of a lifetime': [(answer) => ({ ...answer, expires_in: 3599.5 }), true],
  'the type in other letters': [(answer) => ({ ...answer, token_type: 'bEARER' }), true],
  'a lifetime in quotes': [(answer) => ({ ...answer, expires_in: '3600' }), true],
  'unknown members': [(answer) => ({ ...answer, x: { y: [1] } }), true],
  'a lifetime in other words': [(answer) => ({ ...answer, expires_in: 'an hour' }), false],
  'a negative lifetime': [(answer) => ({ ...answer, expires_in: -1 }), false],
  'no token': [({ access_token: _, ...answer }) => answer, false],
  'an empty token': [(answer) => ({ ...answer, access_token: '' }), false],
  'a token that is no text': [(answer) => ({ ...answer, access_token: 7 }), false],
  'a token with a line break': [(answer) => ({ ...answer, access_token: 'x\r\nX-Evil: 1' }), false],
  'a token with a blank': [(answer) => ({ ...answer, access_token: 'x y' }), false],
  'a token that is not ASCII': [(answer) => ({ ...answer, access_token: 'tökèn' }), false],
  'no type': [({ token_type: _, ...answer }) => answer, false],
  'another type': [(answer) => ({ ...answer, token_type: 'DPoP' }), false],
};

async function oddAnswers({ step }) {
  const providers = {};
  const settings = {};
  for (const [i, [change]] of Object.values(ANSWERS).entries()) {
    providers[`u${i}`] = await startProvider();
    providers[`u${i}`].grants.change = change;
    settings[`u${i}`] = { accepts: grantedBy(providers[`u${i}`]) };
  }
  const servers = await startAll(settings);
  const upstreams = Object.values(servers).map((server) => up(server, asClient(providers[server.name])));
  const gate = await Gate.start(binary, { upstreams }, { env: SECRETS });
  const session = await Session.open(gate);
  for (const [i, [what, [, works]]] of Object.entries(ANSWERS).entries())
    await step(`a token endpoint's answer: ${what} ${works ? 'is fine' : 'is refused'}`, async () => {
      const { seen, name } = servers[`u${i}`];
      for (let n = 0; n < 3; n += 1) {
        const { result, error } = await session.call(`${name}__echo`);
        if (works) assert.ok(result, JSON.stringify(error));
        else assert.equal(error?.code, -32041, JSON.stringify(result));
      }
      if (what === 'no lifetime') assert.equal(providers[name].grants.count, 1, 'kept for a while');
      if (!works) assert.deepEqual(seen, []);
    });
  await gate.end();
  await stopAll({ ...servers, ...providers });
}

async function failingEndpoints({ step, trap }) {
  const ways = [...failures, 'wrong secret', 'not there'];
  const names = ways.map((_, i) => `f${i}`);
  const providers = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await startProvider()])));
  const servers = await startAll(Object.fromEntries([...names, 'good'].map((name) => [name, {}])));
  for (const [i, name] of names.entries())
    if (failures[i]) Object.assign(providers[name].grants, { failing: failures[i], elsewhere: `${trap.origin}/token` });
  providers[names[ways.indexOf('wrong secret')]].grants.clients.clear();
  await providers[names[ways.indexOf('not there')]].stop();
  trap.answer = '{"access_token":"from-the-trap","token_type":"Bearer"}';
  const good = await startProvider();
  const upstreams = [...names, 'good'].map((name) => up(servers[name], asClient(providers[name] ?? good)));
  const gate = await Gate.start(binary, { upstreams }, { env: SECRETS });
  const session = await Session.open(gate);

  await step(`${ways.length} token endpoints that fail: their upstreams are down in time, no others`, async () => {
    const refused = Promise.all(names.map(async (name, i) => {
      const began = performance.now();
      const { error, text } = await session.call(`${name}__echo`, {}, { id: `f${i}` });
      return { way: ways[i], code: error?.code, text, ms: performance.now() - began };
    }));
    let slowest = 0;
    for (let i = 0; i < 20; i += 1) {
      const began = performance.now();
      assert.ok((await session.call('good__echo', {}, { id: `g${i}` })).result);
      slowest = Math.max(slowest, performance.now() - began);
    }
    assert.ok(slowest < 5000, `${slowest} ms`);
    for (const { way, code, text, ms } of await refused) {
      assert.equal(code, -32041, `${way}: ${text}`);
      assert.ok(ms < 30_000, `${way}: ${ms} ms`);
      assert.ok(!/127\.0\.0\.1|GATE_TEST|token_endpoint|server_error|invalid_client/.test(text), `${way}: ${text}`);
    }
    for (const name of names) assert.deepEqual(servers[name].seen, [], 'not asked without a credential');
    assert.deepEqual(trap.requests, [], 'nobody follows the redirects of a token endpoint');
  });

  await step('a token endpoint that works again is used again', async () => {
    for (const { grants } of Object.values(providers)) {
      grants.failing = null;
      grants.clients.set(CLIENT, SECRETS.GATE_TEST_CLIENT_SECRET);
    }
    await providers[names.at(-1)].listen();
    await Promise.all(names.map((name) => until(async () => {
      await sleep(500);
      return (await session.call(`${name}__echo`, {}, { id: `${name} ${Math.random()}` })).result;
    }, `the upstream ${name}`)));
  });

  await gate.end();
  await stopAll({ ...servers, ...providers, good });
}

async function passedThrough({ step, gate, provider, servers }) {
  await step('passthrough: the operator is warned at the start', () => gate.says(/\bwarn .*passthrough/));

  await step('passthrough: the client\'s very token arrives, and from then on its refreshed one', async () => {
    const first = provider.token({ sub: 'alice' });
    const session = await Session.open(gate, { token: first });
    assert.equal(textOf(await session.call('pass__whoami')), 'alice');
    const mark = servers.pass.seen.length;
    session.token = provider.token({ sub: 'alice' });
    assert.equal(textOf(await session.call('pass__whoami')), 'alice');
    const later = servers.pass.seen.slice(mark).filter(({ method }) => method === 'POST');
    assert.ok(later.length > 0);
    assert.deepEqual([...new Set(later.map(({ authorization }) => authorization))], [`Bearer ${session.token}`]);
    assert.ok(servers.pass.credentials.includes(`Bearer ${first}`));
    for (const { authorization } of servers.plain.seen) assert.equal(authorization, undefined);
  });
}

async function exchanged({ step, gate, provider, second, servers }) {
  const { grants } = provider;
  const exchanges = (sub) => grants.grants.filter(({ grant, subject }) => grant === EXCHANGE && subject === sub);

  await step('token exchange: each caller\'s token is traded once, for the audience of the upstream', async () => {
    const token = provider.token({ sub: 'anna' });
    const sessions = await Promise.all(Array.from({ length: 3 }, () => Session.open(gate, { token })));
    const answers = await Promise.all(sessions.flatMap((session, s) => Array.from({ length: 10 }, (_, i) =>
      session.call('swap__whoami', {}, { id: `${s} ${i}` }))));
    for (const answer of answers) assert.equal(textOf(answer), 'anna');
    const [{ fields, client }, ...more] = exchanges('anna');
    assert.deepEqual([client, fields.audience, fields.subject_token, more.length], [CLIENT, 'swap-audience', token, 0]);
    sessions[0].token = provider.token({ sub: 'anna' });
    assert.equal(textOf(await sessions[0].call('swap__whoami')), 'anna');
    assert.equal(exchanges('anna').length, 1, 'one for the principal, not for each token');
  });

  await step('token exchange: the callers\' own tokens stay here', () => {
    const arrived = servers.swap.credentials.map((value) => decoded(value.replace('Bearer ', '')).payload);
    for (const { aud, act } of arrived) assert.deepEqual([aud, act], ['swap-audience', { sub: CLIENT }]);
  });

  await step('token exchange: another issuer\'s subject of the same name is somebody else', async () => {
    const session = await Session.open(gate, { token: second.token({ sub: 'anna' }) });
    assert.equal((await session.call('swap__whoami')).error.code, -32041);
    assert.deepEqual((await session.list('tools/list', 'tools')).items.filter(({ name }) => name.startsWith('swap')), []);
  });

  await step('token exchange: refused at the upstream, it is traded anew', async () => {
    const session = await Session.open(gate, { token: provider.token({ sub: 'anna' }) });
    servers.swap.accepts = grantedBy(provider, grants.grants.length);
    assert.equal(textOf(await session.call('swap__whoami')), 'anna');
    assert.equal(exchanges('anna').length, 2);
    servers.swap.accepts = grantedBy(provider);
  });
}

async function keptApart({ step, gate, provider, servers }) {
  await step('lists of twenty users at once: everybody sees their own and nothing else', async () => {
    const users = Array.from({ length: 20 }, (_, i) => `user-${i}`);
    const sessions = await Promise.all(users.map((sub) => Session.open(gate, { token: provider.token({ sub }) })));
    for (let round = 0; round < 4; round += 1) {
      const lists = await Promise.all(sessions.map((session) => session.list('tools/list', 'tools')));
      for (const [i, { items }] of lists.entries())
        assert.deepEqual(items.map(({ name }) => name), [
          'pass__whoami', `pass__${users[i]}-only`, 'swap__whoami', `swap__${users[i]}-only`, 'plain__echo',
        ]);
      const calls = sessions.map((session, i) => session.call(`${round % 2 ? 'pass' : 'swap'}__${users[i]}-only`));
      for (const answer of await Promise.all(calls)) assert.ok(answer.result, JSON.stringify(answer.error));
    }
  });

  await step('no session at an upstream was ever used for two users', () => {
    for (const server of [servers.pass, servers.swap]) {
      assert.deepEqual(server.mixed, []);
      const users = new Map();
      for (const { session, authorization } of server.seen.filter((request) => request.session))
        users.set(session, (users.get(session) ?? new Set()).add(subjectOf(authorization)));
      assert.ok(users.size >= 20);
      for (const [session, subjects] of users) assert.equal(subjects.size, 1, `${session}: ${[...subjects]}`);
    }
  });
}

async function perUser({ step }) {
  const [provider, second] = await Promise.all([startProvider(), IdentityProvider.start()]);
  const servers = await startAll({ pass: { personal: true }, swap: { personal: true }, plain: {} });
  servers.swap.accepts = grantedBy(provider);
  servers.pass.accepts = ({ authorization }) => decoded(authorization.slice(7)).payload.aud === RESOURCE;
  const upstreams = [
    up(servers.pass, { strategy: 'passthrough' }),
    up(servers.swap, forUsers(provider, 'swap-audience')),
    up(servers.plain, undefined),
  ];
  const token = provider.token({ sub: 'fence' });
  const gate = await Gate.start(binary, requiring([provider, second], { upstreams }), { env: SECRETS, token });
  const all = { step, gate, provider, second, servers };
  await passedThrough(all);
  await exchanged(all);
  await keptApart(all);
  await gate.end();
  await stopAll({ ...servers, provider, second });
}

async function redirects({ step, trap }) {
  const provider = await startProvider();
  const key = { strategy: 'static', secretRef: 'GATE_TEST_KEY' };
  const ways = { fixed: key, own: asClient(provider), pass: { strategy: 'passthrough' }, swap: forUsers(provider, 'x') };
  const servers = await startAll({ ...Object.fromEntries(Object.keys(ways).map((name) => [name, {}])), moved: {} });
  for (const name of Object.keys(ways))
    servers[name].guard = (request, response) => {
      response.writeHead(307, { Location: `${trap.origin}/mcp`, 'Content-Length': 0 }).end();
      return true;
    };
  const { guard } = servers.moved;
  servers.moved.guard = function moved(request, response) {
    if (request.url !== '/mcp') return guard.call(this, request, response);
    response.writeHead(307, { Location: '/here', 'Content-Length': 0 }).end();
    return true;
  };
  servers.moved.accepts = only(`Bearer ${SECRETS.GATE_TEST_KEY}`);
  trap.requests.length = 0;
  const upstreams = [...Object.entries(ways).map(([name, auth]) => up(servers[name], auth)), up(servers.moved, key)];
  const gate = await Gate.start(binary, requiring([provider], { upstreams }), { env: SECRETS });
  const session = await Session.open(gate, { token: provider.token() });

  for (const name of Object.keys(ways))
    await step(`an upstream that sends its callers to another host: ${name}`, async () => {
      assert.equal((await session.call(`${name}__echo`)).error.code, -32041);
      assert.deepEqual(trap.requests, []);
    });

  await step('an upstream that moved within its host is followed, with the credential', async () => {
    assert.equal(textOf(await session.call('moved__echo', { text: 'x' })), 'moved: echo x');
  });

  await gate.end();
  await stopAll({ ...servers, provider });
}

await suite('credentials towards upstreams', async ({ step, defer }) => {
  const trap = await Trap.start();
  defer(function trapEnds() { return trap.stop(); });
  const all = { step, trap };
  await fixedKeys(all);
  await ownTokens(all);
  await oddAnswers(all);
  await failingEndpoints(all);
  await perUser(all);
  await redirects(all);
});
