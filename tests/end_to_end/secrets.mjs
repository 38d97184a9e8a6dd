// Nothing that is secret is ever said: not in logs, however many, not in audit lines, not in metrics, not
// to clients. A run with every kind of credential, in which everything goes wrong that can.
import assert from 'node:assert/strict';
import { CheckingUpstream } from '../../simulations/peers/checking_upstream.mjs';
import { startCutter } from '../../simulations/peers/cutter.mjs';
import { failures } from '../../simulations/peers/failures.mjs';
import { Gate } from '../../simulations/peers/gate.mjs';
import { Connection, once } from '../../simulations/peers/http.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { Key, now } from '../../simulations/peers/jws.mjs';
import { JSON_POST, Session } from '../../simulations/peers/mcp.mjs';
import { deadPort } from '../../simulations/peers/upstream.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { leaks, partsOf, spellings } from './support/leaks.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const CLIENT = 'gate-client';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

const STATIC = 'st4tic-key-of-an-upstream-7c1e';
const CLIENT_SECRET = 'cl1ent secret+of/the=gateway-93af';
const signingKey = Key.make('ES256');

/** What may never be said, `what => texts`; tokens join as they are made. */
const secrets = {
  'the static key': [STATIC],
  'the client secret': [CLIENT_SECRET],
  'the signing key': partsOf.pem(signingKey.privatePem, signingKey.privateKey.export({ format: 'jwk' })),
};
/** All that clients were told, but for the answers that hand over a token. */
const heard = [];

function secretly(what, token) {
  (secrets[what] ??= []).push(...partsOf.token(token));
  return token;
}

const listen = (answer) => {
  heard.push(`${answer.block}${answer.body}`);
  return answer;
};

/** A client whose answers are kept. */
class HeardSession extends Session {
  async post(...about) {
    return listen(await super.post(...about));
  }
}

const ask = async (gate, options) => listen(await once(gate.port, options));

const asClient = (provider, type = 'client_secret_basic', more = {}) => ({
  strategy: 'client-credentials', tokenEndpoint: `${provider.origin}/token`, clientId: CLIENT,
  clientAuth: { type, secretRef: 'GATE_TEST_CLIENT_SECRET' }, ...more,
});
const forUsers = (provider) => asClient(provider, undefined, { strategy: 'token-exchange', audience: 'swap' });
const FIXED = { strategy: 'static', secretRef: 'GATE_TEST_KEY' };

/** An upstream that repeats the credential wherever it can, instead of an answer. */
function telltale(way) {
  return ({ headers }, response) => {
    const told = headers.authorization ?? 'nothing';
    const body = `you sent ${told}`;
    const length = { 'Content-Length': Buffer.byteLength(body) };
    const say = (status, headers, reason) => response.writeHead(status, reason, { ...length, ...headers }).end(body);
    const json = { 'Content-Type': 'application/json' };
    const ways = {
      error: () => say(500, { 'X-Told': told }, told),
      unauthorized: () => say(401, { 'WWW-Authenticate': `Bearer error="${told}"` }),
      redirect: () => say(307, { Location: `http://127.0.0.1:9/${encodeURIComponent(told)}` }),
      html: () => say(200, { 'Content-Type': 'text/html' }),
      json: () => say(200, json),
      events: () => response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(`data: ${body}\n\n`),
      session: () => say(200, { ...json, 'Mcp-Session-Id': told }),
      reset: () => response.socket.resetAndDestroy(),
    };
    ways[way]();
    return true;
  };
}
const TELLTALES = ['error', 'unauthorized', 'redirect', 'html', 'json', 'events', 'session', 'reset'];

async function startServers() {
  const [idp, grants, ...failing] = await Promise.all(
    Array.from({ length: 2 + failures.length + 2 }, () => IdentityProvider.start()));
  for (const provider of [idp, grants, ...failing]) provider.grants.clients.set(CLIENT, CLIENT_SECRET);
  for (const [i, way] of failures.entries()) failing[i].grants.failing = way;
  // They say what they may not say: where an error is described, and as a token that can not be one.
  const [describing, odd] = failing.slice(-2);
  describing.grants.clients.clear();
  describing.grants.serve = async (request, response) => {
    const said = `${request.headers.authorization} ${CLIENT_SECRET}`;
    response.writeHead(400, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ error: 'invalid_client', error_description: said, [said]: said }));
  };
  odd.grants.change = (answer) => ({ ...answer, access_token: `${answer.access_token} ${CLIENT_SECRET}` });
  const names = ['fixed', 'basic', 'post', 'swap', 'pass', ...TELLTALES, ...failing.map((_, i) => `f${i}`)];
  const started = await Promise.all(names.map((name) => CheckingUpstream.start({ name })));
  const servers = Object.fromEntries(started.map((server) => [server.name, server]));
  for (const way of TELLTALES) servers[way].guard = telltale(way);
  return { idp, grants, failing, servers };
}

function configOf(base, { idp, grants, failing, servers }, dead) {
  const up = (name, auth) => ({ id: name, url: servers[name].url, namespace: name, auth });
  const inTurn = [FIXED, { strategy: 'passthrough' }, asClient(grants), forUsers(grants)];
  return {
    server: { publicUrl: base },
    auth: {
      mode: 'required',
      resource: `${base}/mcp`,
      issuers: [{ issuer: grants.issuer }, { issuer: idp.issuer, mode: 'exchange' }],
      ema: { idpIssuer: idp.issuer, signingKeyRef: 'GATE_TEST_SIGNING_KEY' },
    },
    upstreams: [
      up('fixed', FIXED), up('basic', asClient(grants)), up('post', asClient(grants, 'client_secret_post')),
      up('swap', forUsers(grants)), up('pass', { strategy: 'passthrough' }),
      ...TELLTALES.map((way, i) => up(way, inTurn[i % inTurn.length])),
      ...failing.map((provider, i) => up(`f${i}`, asClient(provider, `client_secret_${i % 2 ? 'basic' : 'post'}`))),
      { id: 'dead', url: `http://127.0.0.1:${dead}/mcp`, namespace: 'dead', auth: FIXED },
    ],
  };
}

async function everyUpstream({ step, gate, servers, grants, failing }) {
  await step('calls with every kind of credential arrive', async () => {
    const token = secretly('an access token', grants.token({ sub: 'alice', aud: gate.resource }));
    const session = await HeardSession.open(gate, { token });
    for (const name of ['fixed', 'basic', 'post', 'swap', 'pass']) {
      const { result, error } = await session.call(`${name}__echo`, { text: name });
      assert.ok(result, `${name}: ${JSON.stringify(error)}`);
    }
    assert.deepEqual(servers.fixed.credentials, [`Bearer ${STATIC}`]);
    assert.ok(servers.pass.credentials.includes(`Bearer ${token}`));
    for (const { token: granted } of grants.grants.grants) secretly('a granted token', granted);
    assert.ok(secrets['a granted token'].length >= 6);
  });

  await step('upstreams and token endpoints that repeat what they were sent', async () => {
    const token = secretly('an access token', grants.token({ sub: 'bob', aud: gate.resource }));
    const session = await HeardSession.open(gate, { token });
    const names = [...TELLTALES, ...failing.map((_, i) => `f${i}`), 'dead'];
    await Promise.all(names.map(async (name) => {
      for (const round of [1, 2]) {
        const { error } = await session.call(`${name}__echo`, {}, { id: `${name} ${round}` });
        assert.equal(error?.code, -32041, name);
      }
    }));
    await session.request('tools/list', {});
    await session.request('resources/list', {});
    for (const provider of [grants, ...failing])
      for (const { token: granted } of provider.grants.grants) secretly('a granted token', granted);
  });
}

async function everyToken({ step, gate, idp, grants }) {
  const base = { path: gate.path, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' };
  const bearer = (token) => ({ headers: { ...JSON_POST, Authorization: `Bearer ${token}` } });
  const make = (about = {}) => secretly('an access token', grants.token({ aud: gate.resource, ...about }));

  await step('tokens that are refused, at every place where one can be put', async () => {
    const tokens = [
      make({ claims: { exp: now() - 99 } }), make({ claims: { sub: 7 } }), make({ claims: { x: 'x'.repeat(20_000) } }),
      make({ aud: 'other' }), make({ header: { kid: 'x' } }), make({ header: { alg: 'none' } }),
      `${make()}x`, `${make()}.${make()}`,
      secretly('an access token', idp.token({ aud: gate.resource })),
      secretly('an assertion', idp.assertion({ aud: gate.base })),
    ];
    for (const token of tokens) assert.equal((await ask(gate, { ...base, ...bearer(token) })).status, 401);
    const good = make();
    const odd = [
      { headers: { ...JSON_POST, Authorization: good } },
      { headers: { ...JSON_POST, Authorization: `Basic ${good}` } },
      { headers: { ...JSON_POST, Authorization: `Bearer ${good}\r\nAuthorization: Bearer ${good}` } },
      { path: `/mcp?access_token=${good}` }, { path: `/${good}` }, { path: `/health/${good}` },
      { headers: { ...JSON_POST, [good]: 'x' } }, { headers: { ...JSON_POST, Host: good } },
      { headers: { ...JSON_POST, Origin: `http://${good}` } }, { headers: { 'Content-Type': good } },
      { method: good.slice(-40).replaceAll('.', '') },
      { ...bearer(good), body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${good}"` },
      { ...bearer(good), headers: { ...bearer(good).headers, 'Mcp-Session-Id': good } },
      { ...bearer(good), headers: { ...bearer(good).headers, 'MCP-Protocol-Version': good } },
    ];
    for (const options of odd) assert.ok((await ask(gate, { ...base, ...options })).status >= 400);
    const cut = await Connection.open(gate.port);
    cut.write(`POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${good}\r\nContent-Length: 99\r\n\r\n{`);
    cut.vanish();
  });

  await step('assertions that are redeemed, used again, and refused', async () => {
    const redeem = (assertion, headers = {}, more = '') => once(gate.port, {
      path: '/oauth/token', body: `grant_type=${encodeURIComponent(GRANT)}&assertion=${assertion}${more}`,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    });
    const assertion = (claims) => secretly('an assertion', idp.assertion({ aud: gate.base, ...claims }));
    const first = assertion({ sub: 'carol' });
    const answer = await redeem(first);
    assert.equal(answer.status, 200, answer.body);
    const minted = secretly('a minted token', JSON.parse(answer.body).access_token);
    heard.push(answer.block);
    const session = await HeardSession.open(gate, { token: minted });
    for (const name of ['fixed', 'pass', 'swap', 'error']) await session.call(`${name}__echo`);
    const wrong = [{ exp: 1 }, { aud: 'x' }, { header: { typ: 'x' } }, { jti: '' }].map(assertion);
    for (const again of [first, ...wrong])
      assert.equal(listen(await redeem(again)).status, 400);
    const basic = `Basic ${Buffer.from(`desktop:${CLIENT_SECRET}`).toString('base64')}`;
    for (const more of [`&assertion=${first}`, `&${assertion()}=x`, '&x=%zz'])
      listen(await redeem(assertion({ exp: 1 }), { Authorization: basic }, more));
    listen(await redeem(assertion(), { 'Content-Type': 'application/json' }));
    await ask(gate, { method: 'GET', path: `/oauth/token?assertion=${assertion()}` });
  });

  await step('somebody else\'s session', async () => {
    const session = await HeardSession.open(gate, { token: make({ sub: 'erin' }) });
    session.token = make({ sub: 'frank' });
    assert.equal((await session.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')).status, 404);
  });
}

await suite('secrets', async ({ step, defer }) => {
  const all = await startServers();
  const front = await startCutter();
  defer(function serversEnd() {
    const servers = [all.idp, all.grants, ...all.failing, ...Object.values(all.servers)];
    return Promise.all([front.close(), ...servers.map((server) => server.stop())]);
  });
  const base = `http://127.0.0.1:${front.port}`;
  const env = {
    GATE_TEST_KEY: STATIC,
    GATE_TEST_CLIENT_SECRET: CLIENT_SECRET,
    GATE_TEST_SIGNING_KEY: signingKey.privatePem,
  };
  const gate = await Gate.start(binary, configOf(base, all, await deadPort()), {
    env, threads: 2, logFormat: 'json', args: ['--log-level', 'debug'],
  });
  front.to = gate.port;
  Object.assign(gate, { base, resource: `${base}/mcp` });

  await step('a secret would be found, however it is spelled', () => {
    const token = all.grants.token();
    const texts = [
      STATIC, encodeURIComponent(CLIENT_SECRET), Buffer.from(`${CLIENT}:${CLIENT_SECRET}`).toString('base64'),
      Buffer.from(`x${STATIC}y`).toString('base64url'), JSON.stringify({ at: signingKey.privatePem }), token,
      token.slice(-30), token.slice(20, -60),
    ];
    const known = { ...secrets, 'a token': partsOf.token(token) };
    for (const text of texts) assert.notDeepEqual(leaks(known, { here: `before ${text} after` }), [], text);
    assert.ok(spellings(STATIC).length >= 5);
  });

  await everyUpstream({ step, gate, ...all });
  await everyToken({ step, gate, ...all });

  await step('nothing that was said has a secret in it', async () => {
    await ask(gate, { method: 'GET', path: '/health' });
    await ask(gate, { method: 'GET', path: '/metrics' });
    for (const name of ['jwks.json', 'oauth-protected-resource', 'oauth-authorization-server'])
      await ask(gate, { method: 'GET', path: `/.well-known/${name}` });
    await gate.end();
    await until(() => gate.ended, 'the end');
    const places = {
      'standard output': gate.out.join('\n'),
      'standard error': gate.err.join('\n'),
      'what clients were told': heard.join('\n'),
    };
    const said = [gate.events.length, gate.err.length, heard.length];
    assert.ok(said[0] > 50 && said[1] > 5 && said[2] > 80, `too little was said: ${said}`);
    for (const line of gate.err) JSON.parse(line);
    assert.deepEqual(leaks(secrets, places), []);
    const { length } = Object.values(secrets).flat();
    console.log(`        ${length} secrets, ${Object.values(places).join('').length} characters`);
  }, 240_000);
});
