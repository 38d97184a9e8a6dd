// The identity provider of these tests, tested itself: its signatures against a second implementation,
// its hostile tokens against the same, its endpoints as a client sees them. Needs no gateway.
import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import * as jose from 'jose';
import { Trap, failures } from '../../simulations/peers/failures.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { Key, algorithms, compact, decoded, isSignedBy, now } from '../../simulations/peers/jws.mjs';
import { EXCHANGE } from '../../simulations/peers/token_endpoint.mjs';
import { hostileTokens, oddTokens, tokensWithKeys } from './support/hostile_tokens.mjs';
import { suite } from './support/suite.mjs';

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

/** What the second implementation says of a token: undefined if it believes it. */
async function complaint(provider, token) {
  const keys = jose.createLocalJWKSet(JSON.parse(provider.keySetText));
  const rules = { issuer: provider.issuer, audience: provider.audience, clockTolerance: 30, algorithms };
  try {
    await jose.jwtVerify(token, keys, rules);
  } catch (error) {
    return error.code ?? String(error);
  }
  return undefined;
}

/** A form to the token endpoint; `basic` is put into the header, as RFC 6749 says. */
async function ask(provider, fields, basic) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  if (basic) headers.authorization = `Basic ${Buffer.from(basic.map(encodeURIComponent).join(':')).toString('base64')}`;
  const answer = await fetch(`${provider.origin}/token`, { method: 'POST', headers, body: new URLSearchParams(fields) });
  return { status: answer.status, json: await answer.json() };
}

async function signing(step, provider) {
  for (const alg of algorithms) {
    await step(`${alg}: a second implementation believes its tokens, and we believe theirs`, async () => {
      const key = provider.keyFor(alg);
      assert.equal(await complaint(provider, provider.token({ alg })), undefined);
      assert.equal(key.thumbprint, await jose.calculateJwkThumbprint(key.jwk));
      const secret = await jose.importPKCS8(key.privatePem, alg);
      const theirs = await new jose.SignJWT({ sub: 'x' }).setProtectedHeader({ alg, kid: key.kid }).sign(secret);
      assert.ok(isSignedBy(theirs, key.jwk));
      assert.ok(!isSignedBy(theirs, Key.make(alg).jwk));
      assert.equal(createPrivateKey(key.privatePem).asymmetricKeyType, key.privateKey.asymmetricKeyType);
    });
  }

  await step('claims are added, replaced and removed', () => {
    const { header, payload } = decoded(provider.token({ sub: 'bob', groups: ['g'], claims: { exp: undefined, x: 1 } }));
    assert.deepEqual(header, { alg: 'ES256', kid: provider.keys[0].kid, typ: 'JWT' });
    assert.deepEqual([payload.sub, payload.groups, payload.x, 'exp' in payload], ['bob', ['g'], 1, false]);
    const assertion = decoded(provider.assertion({ sub: 'carol', jti: undefined, resource: 'r' }));
    assert.equal(assertion.header.typ, 'oauth-id-jag+jwt');
    assert.deepEqual([assertion.payload.sub, assertion.payload.resource, 'jti' in assertion.payload], ['carol', 'r', false]);
  });
}

/** What the standards leave to the reader, and the gateway refuses: the second implementation believes it. */
const OUR_RULES = [
  '20,000 characters', '50,000 characters', 'a payload of 5,000 levels', 'a payload that is not encoded',
  'a payload with a byte order mark', 'a subject of null', 'a subject that is a list', 'a subject that is a number',
  'a subject twice', 'a subject twice, once with an escape', 'an algorithm twice', 'an empty subject', 'an expiry twice',
  'an extension that must be understood', 'groups twice', 'issued in the future', 'no expiry', 'no subject', 'padding',
  'spare bits in the signature',
];

async function hostility(step, provider, trap) {
  await step('hostile tokens are refused by a second implementation too, but for rules of our own', async () => {
    const believed = [];
    for (const [what, token] of Object.entries({ ...hostileTokens(provider), ...tokensWithKeys(provider, trap) }))
      if (!(await complaint(provider, token))) believed.push(what);
    assert.deepEqual(believed.sort(), OUR_RULES);
  });

  await step('odd ones are believed', async () => {
    for (const [what, token] of Object.entries(oddTokens(provider, trap)))
      assert.equal(await complaint(provider, token), undefined, what);
  });

  await step('they are as long as they say, and fit a header', () => {
    const all = { ...hostileTokens(provider), ...oddTokens(provider, trap) };
    assert.ok(all['20,000 characters'].length > 16 * 1024);
    assert.ok(all['50,000 characters'].length < 60 * 1024);
    assert.ok(all['15,000 characters'].length > 14_000 && all['15,000 characters'].length < 16 * 1024);
    for (const [what, token] of Object.entries(all)) assert.match(token, /^[\x21-\x7e]+$/, what);
  });

  await step('nobody asked the trap', () => assert.deepEqual(trap.requests, []));
}

async function keySet(step, provider, trap) {
  const url = `${provider.origin}/.well-known/jwks.json`;

  await step('the key set has public members only, changes, and counts', async () => {
    const before = provider.keySet.count;
    const extra = provider.addKey('EdDSA');
    const listed = async () => (await (await fetch(url)).json()).keys;
    const keys = await listed();
    assert.equal(keys.at(-1).kid, extra.kid);
    for (const key of keys) for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) assert.ok(!(secret in key));
    provider.removeKey(extra);
    assert.ok(!(await listed()).some(({ kid }) => kid === extra.kid));
    assert.equal(provider.keySet.count, before + 2);
  });

  for (const failing of failures) {
    await step(`the key set fails as told: ${failing}`, async () => {
      Object.assign(provider.keySet, { failing, elsewhere: `${trap.origin}/keys` });
      const stop = new AbortController();
      const patience = setTimeout(() => stop.abort(), 300);
      const got = await fetch(url, { signal: stop.signal, redirect: 'manual' })
        .then(async (answer) => ({ status: answer.status, keys: (await answer.json()).keys }))
        .catch(() => undefined);
      clearTimeout(patience);
      provider.keySet.failing = null;
      assert.ok(!Array.isArray(got?.keys), JSON.stringify(got));
    });
  }

  await step('10,000 keys', async () => {
    provider.listTooMany();
    assert.ok((await (await fetch(url)).json()).keys.length > 10_000);
    provider.padding = undefined;
    assert.deepEqual(trap.requests, []);
  });

  await step('stopped it is gone, and comes back where it was', async () => {
    await provider.stop();
    await assert.rejects(fetch(url));
    await provider.listen();
    assert.equal((await fetch(url)).status, 200);
  });
}

async function grants(step, provider) {
  provider.grants.clients.set('gate way', 's3cr:t+/% ä');
  const basic = ['gate way', 's3cr:t+/% ä'];
  const inBody = { client_id: basic[0], client_secret: basic[1] };
  const forItself = { grant_type: 'client_credentials', scope: 'a b', resource: 'https://up.example.com/' };

  await step('client credentials, in the header and in the body', async () => {
    const answers = [await ask(provider, forItself, basic), await ask(provider, { ...forItself, ...inBody })];
    for (const { status, json } of answers) {
      assert.deepEqual([status, json.token_type, json.expires_in, json.scope], [200, 'Bearer', 3600, 'a b']);
      assert.equal(decoded(json.access_token).payload.aud, forItself.resource);
    }
    assert.notEqual(answers[0].json.access_token, answers[1].json.access_token);
    assert.deepEqual(provider.grants.grants.map(({ how }) => how), ['basic', 'post']);
    assert.deepEqual(provider.grants.tokensOf('gate way'), answers.map(({ json }) => json.access_token));
  });

  await step('wrong requests are refused in the words of the standard', async () => {
    const error = async (...request) => (await ask(provider, ...request)).json.error;
    assert.equal(await error(forItself, ['gate way', 'wrong']), 'invalid_client');
    assert.equal(await error(forItself), 'invalid_client');
    assert.equal(await error({ ...forItself, ...inBody }, basic), 'invalid_request');
    assert.equal(await error({ grant_type: 'password' }, basic), 'unsupported_grant_type');
    assert.equal(await error([['scope', 'a'], ['scope', 'b']], basic), 'invalid_request');
    assert.equal(await error({ grant_type: EXCHANGE }, basic), 'invalid_request');
  });

  await step('an exchanged token has the same subject and the asked audience', async () => {
    const subject_token = provider.token({ sub: 'bob' });
    const fields = { grant_type: EXCHANGE, subject_token, subject_token_type: ACCESS_TOKEN, audience: 'up' };
    const { status, json } = await ask(provider, fields, basic);
    assert.equal(status, 200, JSON.stringify(json));
    const { payload } = decoded(json.access_token);
    assert.deepEqual([payload.sub, payload.aud, payload.act], ['bob', 'up', { sub: 'gate way' }]);
    const foreign = compact(Key.make('ES256', provider.keys[0].kid), provider.claimsOf());
    const old = provider.token({ claims: { exp: now() - 1 } });
    for (const wrong of [foreign, old, 'x'])
      assert.match((await ask(provider, { ...fields, subject_token: wrong }, basic)).json.error, /^invalid_/);
    assert.equal((await ask(provider, { ...fields, audience: '' }, basic)).json.error, 'invalid_request');
  });

  await step('an ID token becomes an assertion', async () => {
    const kind = (name) => `urn:ietf:params:oauth:token-type:${name}`;
    const { json } = await ask(provider, {
      grant_type: EXCHANGE,
      requested_token_type: kind('id-jag'),
      subject_token: provider.idToken({ sub: 'carol' }),
      subject_token_type: kind('id_token'),
      audience: 'https://as.example.com',
      resource: 'https://gate.example.com/mcp',
    }, basic);
    assert.equal(json.issued_token_type, kind('id-jag'));
    const { header, payload } = decoded(json.access_token);
    assert.deepEqual([header.typ, payload.sub, payload.client_id], ['oauth-id-jag+jwt', 'carol', 'gate way']);
    assert.deepEqual([payload.aud, payload.resource], ['https://as.example.com', 'https://gate.example.com/mcp']);
  });

  await step('its answers can be changed, and it fails as told', async () => {
    provider.grants.expiresIn = undefined;
    assert.ok(!('expires_in' in (await ask(provider, forItself, basic)).json));
    provider.grants.change = (answer) => ({ ...answer, expires_in: '3600' });
    assert.equal((await ask(provider, forItself, basic)).json.expires_in, '3600');
    Object.assign(provider.grants, { expiresIn: 3600, change: (answer) => answer, failing: 'status 500' });
    assert.equal((await ask(provider, forItself, basic)).status, 500);
    provider.grants.failing = null;
  });
}

await suite('the identity provider', async ({ step, defer }) => {
  const algs = ['ES256', ...algorithms.filter((alg) => alg !== 'ES256')];
  const [provider, trap] = await Promise.all([IdentityProvider.start({ algs }), Trap.start()]);
  defer(function serversEnd() { return Promise.all([provider.stop(), trap.stop()]); });
  await signing(step, provider);
  await hostility(step, provider, trap);
  await keySet(step, provider, trap);
  await grants(step, provider);
});
