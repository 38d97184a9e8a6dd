// Enterprise-managed authorization: the gateway as authorization server of its own, which trades an
// identity assertion for an access token. What it publishes, what it mints, what it refuses, how often;
// and the official client's own way through all of it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import * as jose from 'jose';
import { CheckingUpstream } from '../../simulations/peers/checking_upstream.mjs';
import { startCutter } from '../../simulations/peers/cutter.mjs';
import { Gate, cleanEnvironment, sample, scratch, withAudit } from '../../simulations/peers/gate.mjs';
import { once } from '../../simulations/peers/http.mjs';
import { faultsOf, knock } from '../../simulations/peers/identity.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { Key, b64, compact, decoded, now, signingInput } from '../../simulations/peers/jws.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { runToEnd } from '../../simulations/peers/process.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { requirePackages } from './support/everything.mjs';
import { textOf } from './support/sdk.mjs';
import { gateBinary, suite } from './support/suite.mjs';

requirePackages('client');
const sdk = await import('@modelcontextprotocol/client');

const binary = gateBinary();
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const SIGNING_KEY = 'GATE_TEST_SIGNING_KEY';
const TTL = 300;

/** What the provider's assertions are for, and who must use them. */
const config = (base, idp, direct, upstream, ema = {}) => ({
  upstreams: [{ id: 'a', url: upstream.url, namespace: 'a' }],
  server: { publicUrl: base },
  auth: {
    mode: 'required',
    resource: `${base}/mcp`,
    issuers: [...(direct ? [{ issuer: direct.issuer }] : []), { issuer: idp.issuer, mode: 'exchange' }],
    ema: { idpIssuer: idp.issuer, signingKeyRef: SIGNING_KEY, tokenTtlSec: TTL, ...ema },
  },
  policy: { rules: [{ id: 'readers', subjects: { groups: ['readers'] }, allow: [{ server: 'a' }] }] },
});

/** A gateway behind an address that was known before it started: it names itself by that. */
async function startGate(key, idp, direct, upstream, ema) {
  const front = await startCutter();
  const base = `http://127.0.0.1:${front.port}`;
  const gate = await Gate.start(binary, config(base, idp, direct, upstream, ema), {
    threads: 2, env: { [SIGNING_KEY]: key.privatePem }, token: direct?.token({ sub: 'fence', aud: `${base}/mcp` }),
  });
  front.to = gate.port;
  return Object.assign(gate, { front, base, resource: `${base}/mcp` });
}

const formOf = (fields) => new URLSearchParams(fields).toString();

/** A token request; `fields` is an object, a list of pairs, or the exact body. */
async function ask(gate, fields, headers = {}) {
  const body = typeof fields === 'string' ? fields : formOf(fields);
  const answer = await once(gate.port, { path: '/oauth/token', body, headers: { ...FORM, ...headers } });
  let json;
  try {
    json = JSON.parse(answer.body);
  } catch { /* the test that needs it says so */ }
  return { ...answer, json };
}

const redeem = (gate, assertion, more = {}, headers = {}) =>
  ask(gate, { grant_type: GRANT, assertion, ...more }, headers);

/** What is wrong with this refusal; nothing if it is as RFC 6749 §5.2 wants it. */
function faultIn({ status, headers, json, body }, error) {
  if (status !== 400 || json?.error !== error) return `${status} ${body}`;
  if (typeof (json.error_description ?? '') !== 'string') return `description ${body}`;
  if (headers.get('content-type') !== 'application/json') return `content type ${headers.get('content-type')}`;
  return headers.get('cache-control') === 'no-store' ? undefined : `cache-control ${headers.get('cache-control')}`;
}

async function documents({ step, gate, key, direct, idp }) {
  const get = (path) => once(gate.port, { method: 'GET', path });

  await step('the key set has the public key, under its thumbprint', async () => {
    const answer = await get('/.well-known/jwks.json');
    assert.equal(answer.headers.get('content-type'), 'application/json');
    const { keys } = JSON.parse(answer.body);
    assert.equal(keys.length, 1);
    const { kty, crv, x, y, kid, alg, use, ...others } = keys[0];
    const own = key.jwk;
    assert.deepEqual([kty, crv, x, y, kid, alg, use], ['EC', 'P-256', own.x, own.y, key.thumbprint, 'ES256', 'sig']);
    assert.deepEqual(Object.keys(others).filter((name) => name !== 'key_ops'), []);
    assert.equal(await jose.calculateJwkThumbprint(keys[0]), kid);
  });

  await step('the metadata of the authorization server', async () => {
    const answer = await get('/.well-known/oauth-authorization-server');
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/json']);
    const document = JSON.parse(answer.body);
    assert.equal(document.issuer, gate.base);
    assert.equal(document.token_endpoint, `${gate.base}/oauth/token`);
    assert.equal(document.jwks_uri, `${gate.base}/.well-known/jwks.json`);
    assert.ok(document.grant_types_supported.includes(GRANT), answer.body);
    assert.ok(document.token_endpoint_auth_methods_supported.includes('none'), answer.body);
    assert.ok(Array.isArray(document.response_types_supported), 'required by RFC 8414');
  });

  await step('the resource names the gateway and direct issuers, not those of assertions', async () => {
    const { body } = await get('/.well-known/oauth-protected-resource');
    const { resource, authorization_servers: servers } = JSON.parse(body);
    assert.equal(resource, gate.resource);
    assert.deepEqual(servers.slice().sort(), [gate.base, direct.issuer].sort());
    assert.ok(!servers.includes(idp.issuer));
  });

  await step('other methods are refused', async () => {
    const answer = await get('/oauth/token');
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.get('allow'), 'POST');
    assert.equal((await once(gate.port, { path: '/.well-known/jwks.json', body: '', headers: FORM })).status, 405);
  });

  await step('the Host check guards them all', async () => {
    const headers = { Host: 'evil.example.com' };
    for (const path of ['/.well-known/jwks.json', '/.well-known/oauth-authorization-server'])
      assert.equal((await once(gate.port, { method: 'GET', path, headers })).status, 403, path);
    assert.equal((await redeem(gate, idp.assertion(), {}, headers)).status, 403);
  });
}

async function minting({ step, gate, key, idp, direct, assertion }) {
  const keySet = jose.createRemoteJWKSet(new URL(`${gate.base}/.well-known/jwks.json`));
  const rules = { issuer: gate.base, audience: gate.resource, algorithms: ['ES256'] };
  const verified = (token) => jose.jwtVerify(token, keySet, rules);
  const about = { sub: 'ada', groups: ['readers'], email: 'ada@example.com', scope: 'read write', client_id: 'desktop' };

  await step('an assertion becomes a token that says what it said', async () => {
    const answer = await redeem(gate, assertion(about));
    assert.equal(answer.status, 200, answer.body);
    const of = (name) => answer.headers.get(name);
    const stored = [of('content-type'), of('cache-control'), of('pragma')];
    assert.deepEqual(stored, ['application/json', 'no-store', 'no-cache']);
    const { access_token: token, ...rest } = answer.json;
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: TTL, scope: about.scope });
    const { payload, protectedHeader } = await verified(token);
    assert.deepEqual([protectedHeader.alg, protectedHeader.kid], ['ES256', key.thumbprint]);
    const { sub, groups, email, scope, client_id: client, iat, exp, jti } = payload;
    assert.deepEqual({ sub, groups, email, scope, client_id: client }, about);
    assert.equal(exp - iat, TTL);
    assert.ok(Math.abs(iat - now()) < 30);
    assert.ok(jti.length > 15);
    const other = decoded((await redeem(gate, assertion(about))).json.access_token).payload;
    assert.notEqual(other.jti, jti);
  });

  await step('what the assertion does not say is not in the token', async () => {
    const { json } = await redeem(gate, assertion({ sub: 'bea' }));
    assert.deepEqual(Object.keys(json).sort(), ['access_token', 'expires_in', 'token_type']);
    const { payload } = await verified(json.access_token);
    assert.deepEqual(Object.keys(payload).sort(), ['aud', 'client_id', 'exp', 'iat', 'iss', 'jti', 'sub']);
  });

  await step('the token opens the gateway, with the rights of its groups', async () => {
    const { json } = await redeem(gate, assertion(about));
    const session = await Session.open(gate, { token: json.access_token });
    const [event] = await gate.eventsOf(async () => assert.ok((await session.call('a__echo')).result));
    assert.deepEqual([event.principal, event.issuer, event.ruleId], ['ada', gate.base, 'readers']);
    const bare = await redeem(gate, assertion({ sub: 'ada' }));
    const without = await Session.open(gate, { token: bare.json.access_token });
    assert.equal((await without.call('a__echo')).error.code, -32042);
  });

  await step('tokens that it did not mint are none of its own', async () => {
    const { json } = await redeem(gate, assertion(about));
    const { header, payload } = decoded(json.access_token);
    const stranger = Key.make('ES256', key.thumbprint);
    const [, , signature] = json.access_token.split('.');
    const forged = {
      'another key': compact(stranger, payload, header),
      'another subject': `${signingInput(header, { ...payload, sub: 'root' })}.${signature}`,
      'the provider\'s key': compact(idp.keys[0], payload, { ...header, kid: idp.keys[0].kid }),
      'a direct issuer\'s key': compact(direct.keys[0], payload, { ...header, kid: direct.keys[0].kid }),
    };
    assert.deepEqual(await faultsOf(forged, gate, { base: gate.base }), []);
  });

  await step('an issuer for exchange is not one for presenting', async () => {
    const presented = {
      'an access token': idp.token({ aud: gate.resource }),
      'an assertion': assertion(about),
      'an assertion for the resource': assertion({ ...about, aud: gate.resource }),
    };
    assert.deepEqual(await faultsOf(presented, gate, { base: gate.base }), []);
    assert.equal((await knock(gate, direct.token({ aud: gate.resource }))).status, 200, 'a direct one is');
  });

  await step('what an assertion may look like', async () => {
    const { base, resource } = gate;
    const accepted = {
      'our issuer with a slash': assertion({ aud: `${base}/` }),
      'the resource as audience': assertion({ aud: resource }),
      'a list of one audience': assertion({ aud: [base] }),
      'a resource': assertion({ resource }),
      'the long name of its type': assertion({ header: { typ: 'application/oauth-id-jag+jwt' } }),
      'a clock that is a little ahead': assertion({ iat: now() + 10 }),
    };
    for (const [what, token] of Object.entries(accepted)) {
      const { status, body } = await redeem(gate, token);
      assert.equal(status, 200, `${what}: ${body}`);
    }
  });

  await step('clients may say who they are, if they are', async () => {
    const basic = (id, secret = 'x') => ({ Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` });
    assert.equal((await redeem(gate, assertion(), { client_id: 'desktop' })).status, 200);
    assert.equal((await redeem(gate, assertion(), {}, basic('desktop'))).status, 200);
    const odd = assertion({ client_id: 'a client+ä' });
    assert.equal((await redeem(gate, odd, {}, basic('a+client%2B%C3%A4'))).status, 200);
    assert.equal(faultIn(await redeem(gate, assertion(), { client_id: 'other' }), 'invalid_grant'), undefined);
    assert.equal(faultIn(await redeem(gate, assertion(), {}, basic('other')), 'invalid_grant'), undefined);
    const withCharset = { 'Content-Type': `${FORM['Content-Type']}; charset=UTF-8` };
    assert.equal((await redeem(gate, assertion(), {}, withCharset)).status, 200);
  });
}

async function refusals({ step, gate, idp, direct, assertion }) {
  const usual = decoded(assertion());

  await step('an assertion is good for one token', async () => {
    const first = assertion();
    assert.equal((await redeem(gate, first)).status, 200);
    assert.equal(faultIn(await redeem(gate, first), 'invalid_grant'), undefined);
    const { jti } = decoded(first).payload;
    const namesake = assertion({ jti, sub: 'other' });
    assert.equal(faultIn(await redeem(gate, namesake), 'invalid_grant'), undefined, 'the same name');
  });

  await step('twenty at once redeem the same assertion: one token', async () => {
    for (let round = 0; round < 5; round += 1) {
      const shared = assertion();
      const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(gate, shared)));
      const refused = answers.filter(({ status }) => status !== 200);
      assert.equal(refused.length, 19);
      for (const answer of refused) assert.equal(faultIn(answer, 'invalid_grant'), undefined);
    }
  });

  await step('whatever is wrong with an assertion, it is not taken', async () => {
    const [ec] = idp.keys;
    const rsa = idp.keyFor('RS256');
    const tampered = assertion().split('.');
    tampered[1] = b64(JSON.stringify({ ...usual.payload, sub: 'root' }));
    const subjectTwice = JSON.stringify(usual.payload).replace('{', '{"sub":"root",');
    const wrong = {
      'no type': assertion({ header: { typ: undefined } }),
      'the type of an access token': assertion({ header: { typ: 'JWT' } }),
      'another type': assertion({ header: { typ: 'oauth-id-jag' } }),
      'an unknown issuer': assertion({ iss: 'https://idp.example.com' }),
      'an issuer with a slash': assertion({ iss: `${idp.issuer}/` }),
      'a direct issuer': direct.assertion({ aud: gate.base, client_id: 'desktop' }),
      'our own issuer': assertion({ iss: gate.base }),
      'no issuer': assertion({ iss: undefined }),
      'a stranger\'s key': assertion({ key: Key.make('ES256', ec.kid) }),
      'an unknown key': assertion({ key: Key.make('ES256', 'unknown') }),
      'another payload': tampered.join('.'),
      'algorithm none': `${signingInput({ ...usual.header, alg: 'none' }, usual.payload)}.`,
      'an algorithm of another key': assertion({ key: rsa, header: { alg: 'ES256' } }),
      'no audience': assertion({ aud: undefined }),
      'another audience': assertion({ aud: 'https://other.example.com' }),
      'an audience too many': assertion({ aud: [gate.base, gate.resource] }),
      'an empty list of audiences': assertion({ aud: [] }),
      'the token endpoint as audience': assertion({ aud: `${gate.base}/oauth/token` }),
      'no subject': assertion({ sub: undefined }),
      'an empty subject': assertion({ sub: '' }),
      'no client': assertion({ client_id: undefined }),
      'an empty client': assertion({ client_id: '' }),
      'another resource': assertion({ resource: 'https://other.example.com/mcp' }),
      'a key binding': assertion({ cnf: { jkt: 'x' } }),
      'no expiry': assertion({ exp: undefined }),
      expired: assertion({ exp: now() - 60, iat: now() - 120 }),
      'too long a life': assertion({ exp: now() + 3 * 86_400 }),
      'no time of issue': assertion({ iat: undefined }),
      'issued in the future': assertion({ iat: now() + 90, exp: now() + 200 }),
      'not valid yet': assertion({ nbf: now() + 90 }),
      'no name': assertion({ jti: undefined }),
      'an empty name': assertion({ jti: '' }),
      'a name that is a number': assertion({ jti: 7 }),
      'too long a name': assertion({ jti: 'j'.repeat(2000) }),
      'a subject twice': compact(ec, subjectTwice, { typ: 'oauth-id-jag+jwt' }),
      'a word': 'assertion',
      'two parts': assertion().split('.').slice(0, 2).join('.'),
      'an access token of the provider': idp.token({ aud: gate.base }),
    };
    const found = [];
    for (const [what, token] of Object.entries(wrong)) {
      const fault = faultIn(await redeem(gate, token), 'invalid_grant');
      if (fault) found.push(`${what}: ${fault}`);
    }
    assert.deepEqual(found, []);
  });

  await step('requests that are none', async () => {
    const good = () => ({ grant_type: GRANT, assertion: assertion() });
    const pairs = (...more) => [...Object.entries(good()), ...more];
    const invalid = {
      'no grant type': { assertion: assertion() },
      'no assertion': { grant_type: GRANT },
      'an empty assertion': { grant_type: GRANT, assertion: '' },
      'an empty body': '',
      'two grant types': pairs(['grant_type', GRANT]),
      'two assertions': pairs(['assertion', assertion()]),
      'an unknown field twice': pairs(['x', '1'], ['x', '1']),
      'a bad escape': `${formOf(good())}&x=%zz`,
      'bytes that are no UTF-8': `${formOf(good())}&x=%ff`,
      'fields without end': pairs(...Array.from({ length: 100 }, (_, i) => [`f${i}`, 'x'])),
    };
    const found = [];
    for (const [what, fields] of Object.entries(invalid)) {
      const fault = faultIn(await ask(gate, fields), 'invalid_request');
      if (fault) found.push(`${what}: ${fault}`);
    }
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', null]) {
      const fault = faultIn(await ask(gate, good(), { 'Content-Type': type }), 'invalid_request');
      if (fault) found.push(`content type ${type}: ${fault}`);
    }
    assert.deepEqual(found, []);
    for (const grant_type of ['client_credentials', 'password', 'authorization_code', GRANT.toUpperCase()])
      assert.equal(faultIn(await ask(gate, { ...good(), grant_type }), 'unsupported_grant_type'), undefined, grant_type);
  });

  await step('each request leaves an audit line', async () => {
    const events = await gate.eventsOf(async () => {
      await redeem(gate, assertion({ sub: 'ada' }));
      await redeem(gate, 'x');
    });
    assert.deepEqual(events.map(({ method }) => method), ['oauth/token', 'oauth/token']);
    assert.deepEqual([events[0].outcome, events[0].principal], ['ok', 'ada']);
    assert.notEqual(events[1].outcome, 'ok');
    assert.ok(events[1].error?.length > 0);
    assert.ok(!('principal' in events[1]));
  });
}

/**
 * The official client finds everything by itself, from the address of the resource on. Of several
 * authorization servers it takes the first, so here the gateway is the only one.
 */
async function officialClient({ step, key, idp, upstream }) {
  const gate = await startGate(key, idp, undefined, upstream);

  await step('the official client reads the metadata', async () => {
    const document = await sdk.discoverAuthorizationServerMetadata(gate.base);
    assert.equal(document?.issuer, gate.base);
    assert.equal(document.token_endpoint, `${gate.base}/oauth/token`);
  });

  await step('the official client redeems an assertion', async () => {
    const about = { tokenEndpoint: `${gate.base}/oauth/token`, clientId: 'desktop', clientSecret: 'not-checked-here' };
    for (const authMethod of ['client_secret_basic', 'client_secret_post', 'none']) {
      const jwtAuthGrant = idp.assertion({ aud: gate.base, groups: ['readers'] });
      const tokens = await sdk.exchangeJwtAuthGrant({ ...about, jwtAuthGrant, authMethod });
      assert.equal((await knock(gate, tokens.access_token)).status, 200);
    }
  });

  await step('the official client comes in with nothing but an ID token', async () => {
    idp.grants.clients.set('desktop', 'desktop-secret');
    const provider = new sdk.CrossAppAccessProvider({
      clientId: 'desktop',
      clientSecret: 'not-checked-here',
      expectedIssuer: gate.base,
      assertion: async ({ authorizationServerUrl, resourceUrl, scope, fetchFn }) => {
        const { jwtAuthGrant } = await sdk.discoverAndRequestJwtAuthGrant({
          idpUrl: idp.issuer, audience: authorizationServerUrl, resource: resourceUrl, scope, fetchFn,
          idToken: idp.idToken({ sub: 'dora', groups: ['readers'] }), clientId: 'desktop', clientSecret: 'desktop-secret',
        });
        return jwtAuthGrant;
      },
    });
    const client = new sdk.Client({ name: 'gate-enterprise', version: '1' }, { capabilities: {} });
    await client.connect(new sdk.StreamableHTTPClientTransport(new URL(gate.resource), { authProvider: provider }));
    assert.deepEqual((await client.listTools()).tools.map(({ name }) => name), ['a__echo']);
    const result = await client.callTool({ name: 'a__echo', arguments: { text: 'hello' } });
    assert.equal(textOf(result), 'one: echo hello');
    assert.equal(provider.tokens().token_type, 'Bearer');
    const { aud, resource } = decoded(idp.grants.grants.at(-1).token).payload;
    assert.deepEqual([aud, resource], [gate.base, gate.resource]);
    await client.close();
    for (const { authorization } of upstream.seen) assert.equal(authorization, undefined);
  });

  await gate.end();
  await gate.front.close();
}

async function limits({ step, key, idp, direct, upstream }) {
  await step('an assertion that comes before the keys of its issuer waits for them', async () => {
    const late = await IdentityProvider.start();
    let release;
    late.keySet.held = new Promise((done) => { release = done; });
    const own = await startGate(key, late, direct, upstream);
    await until(() => late.keySet.count, 'the keys to be asked for');
    const answer = redeem(own, late.assertion({ aud: own.base }));
    for (let i = 0; i < 5; i += 1) assert.equal((await ask(own, 'x=1')).status, 400);
    release();
    const { status, body } = await answer;
    assert.equal(status, 200, body);
    await own.end();
    await own.front.close();
    await late.stop();
  });

  await step('more requests a minute than allowed: 429, and the rest of the gateway does not notice', async () => {
    const own = await startGate(key, idp, direct, upstream, { tokenRateLimitPerMinute: 5 });
    const answers = [];
    for (let i = 0; i < 12; i += 1) answers.push(await redeem(own, idp.assertion({ aud: own.base })));
    assert.deepEqual(answers.map(({ status }) => status), [...Array(5).fill(200), ...Array(7).fill(429)]);
    const retryAfter = Number(answers.at(-1).headers.get('retry-after'));
    assert.ok(retryAfter >= 1 && retryAfter <= 120, `Retry-After ${retryAfter}`);
    const labels = { reason: 'oauth_token_rate_limited' };
    assert.equal(sample(await own.metrics(), 'gate_http_rejections_total', labels), 7);
    assert.equal((await knock(own, direct.token({ aud: own.resource }))).status, 200);
    await own.end();
    await own.front.close();
  });

  await step('garbage takes no token from anybody', async () => {
    const own = await startGate(key, idp, direct, upstream, { tokenRateLimitPerMinute: 5 });
    for (let i = 0; i < 50; i += 1) assert.equal((await ask(own, 'grant_type=x')).status, 400);
    assert.equal((await redeem(own, idp.assertion({ aud: own.base }))).status, 200);
    await own.end();
    await own.front.close();
  });

  await step('a provider that can not be reached: no token, a healthy gateway', async () => {
    const lost = await IdentityProvider.start();
    await lost.stop();
    const own = await startGate(key, lost, direct, upstream);
    const { status, json, body } = await redeem(own, lost.assertion({ aud: own.base }));
    assert.ok(status >= 400 && typeof json?.error === 'string', body);
    assert.equal((await own.health()).status, 200);
    await own.end();
    await own.front.close();
  });

  await step('a gateway with a key that is none, or of another kind, does not start, and does not quote it', async () => {
    const file = path.join(scratch(), 'gate.json');
    writeFileSync(file, JSON.stringify(withAudit(config('http://127.0.0.1:9', idp, direct, upstream))));
    const middle = key.privatePem.split('\n')[1];
    const keys = {
      'no key': `-----BEGIN PRIVATE KEY-----\n${middle}\n-----END PRIVATE KEY-----\n`,
      'a P-384 key': Key.make('ES384').privatePem,
      'an RSA key': Key.make('RS256').privatePem,
      'a public key': key.publicPem,
      nothing: undefined,
    };
    for (const [what, pem] of Object.entries(keys)) {
      const env = cleanEnvironment(pem === undefined ? {} : { [SIGNING_KEY]: pem });
      const { code, out, err } = await runToEnd(binary, ['--config', file, '--port', '0'], { env });
      assert.equal(code, 1, `${what}: ${err}`);
      if (pem) assert.ok(!`${out}${err}`.includes(pem.split('\n')[1]), what);
    }
  });
}

await suite('enterprise-managed authorization', async ({ step, defer }) => {
  const [idp, direct, upstream] = await Promise.all([
    IdentityProvider.start({ algs: ['ES256', 'RS256'] }), IdentityProvider.start(), CheckingUpstream.start(),
  ]);
  defer(function serversEnd() { return Promise.all([idp, direct, upstream].map((server) => server.stop())); });
  const key = Key.make('ES256');
  const gate = await startGate(key, idp, direct, upstream);
  const assertion = (claims) => idp.assertion({ aud: gate.base, ...claims });
  const all = { step, gate, key, idp, direct, upstream, assertion };
  await documents(all);
  await minting(all);
  await refusals(all);
  await officialClient(all);
  await step('the gateway ends', () => gate.end());
  await gate.front.close();
  await limits(all);
});
