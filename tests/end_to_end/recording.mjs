// `gate --record`: what passes the doors is in the file, and nothing that is secret, wherever it stood;
// the file is made anew, is of one owner, ends at its limit, survives a full disk and a killed process.
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CheckingUpstream } from '../../simulations/peers/checking_upstream.mjs';
import { startCutter } from '../../simulations/peers/cutter.mjs';
import { Gate, cleanEnvironment, scratch } from '../../simulations/peers/gate.mjs';
import { once } from '../../simulations/peers/http.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { Key } from '../../simulations/peers/jws.mjs';
import { JSON_POST, Session } from '../../simulations/peers/mcp.mjs';
import { runToEnd } from '../../simulations/peers/process.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { requirePackages } from './support/everything.mjs';
import { leaks, partsOf } from './support/leaks.mjs';
import { textOf, transportTo } from './support/sdk.mjs';
import { gateBinary, suite } from './support/suite.mjs';

requirePackages();
const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');

const binary = gateBinary();
const CLIENT = 'gate-client';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const STATIC = 'st4tic-key-of-an-upstream-7c1e';
const CLIENT_SECRET = 'cl1ent secret+of/the=gateway-93af';
const LEAST_LIMIT = 65_536;
const signingKey = Key.make('ES256');

/** What may not be in a recording, `what => texts`. */
const secrets = {
  'the static key': [STATIC],
  'the client secret': [CLIENT_SECRET],
  'the signing key': partsOf.pem(signingKey.privatePem, signingKey.privateKey.export({ format: 'jwk' })),
};
/** The payload of a token is what a recording may say, decoded; the token itself and its signature are not. */
function secretly(what, token) {
  const signature = token.split('.')[2];
  (secrets[what] ??= []).push(token, ...(signature ? [signature.slice(0, 24), signature.slice(-24)] : []));
  return token;
}
let marked = 0;
/** A secret that nobody else has. */
function mark(what) {
  marked += 1;
  const text = `mArk3d-${String(marked).padStart(4, '0')}-${Math.random().toString(36).slice(2, 12)}`;
  (secrets[what] ??= []).push(text);
  return text;
}

/** A recording that is being written, or has been: its lines. */
function read(file) {
  const text = readFileSync(file, 'utf8');
  const lines = text.split('\n');
  assert.equal(lines.pop(), '', 'it ends within a line');
  return { text, lines: lines.map((line) => JSON.parse(line)) };
}
/** The events, by kind. */
function kinds(of) {
  const all = new Map();
  for (const line of of.lines) if (line.e) all.set(line.e, [...(all.get(line.e) ?? []), line]);
  return all;
}

const fresh = () => path.join(scratch(), 'traffic.jsonl');
const recording = (file, ...more) => ['--record', file, ...more];

const asClient = (provider, type = 'client_secret_basic', more = {}) => ({
  strategy: 'client-credentials', tokenEndpoint: `${provider.origin}/token`, clientId: CLIENT,
  clientAuth: { type, secretRef: 'GATE_TEST_CLIENT_SECRET' }, ...more,
});
const auths = (provider) => ({
  fixed: { strategy: 'static', secretRef: 'GATE_TEST_KEY' },
  keyed: { strategy: 'static', secretRef: 'GATE_TEST_KEY', header: 'X-Key-Of-Ours', scheme: '' },
  basic: asClient(provider),
  post: asClient(provider, 'client_secret_post'),
  swap: asClient(provider, undefined, { strategy: 'token-exchange', audience: 'swap' }),
  pass: { strategy: 'passthrough' },
});

async function manySecrets({ step, defer }) {
  const [idp, grants, front] = await Promise.all([IdentityProvider.start(), IdentityProvider.start(), startCutter()]);
  grants.grants.clients.set(CLIENT, CLIENT_SECRET);
  const ways = Object.entries(auths(grants)).filter(([name]) => name !== 'keyed');
  const servers = await Promise.all(ways.map(([name]) => CheckingUpstream.start({ name })));
  defer(function peersEnd() {
    return Promise.all([front.close(), ...[idp, grants, ...servers].map((peer) => peer.stop())]);
  });
  const base = `http://127.0.0.1:${front.port}`;
  const resource = `${base}/mcp`;
  const upstreams = ways.map(([name, auth], i) => ({ id: name, url: servers[i].url, namespace: name, auth }));
  const config = {
    server: { publicUrl: base },
    auth: {
      mode: 'required', resource,
      issuers: [{ issuer: grants.issuer }, { issuer: idp.issuer, mode: 'exchange' }],
      ema: { idpIssuer: idp.issuer, signingKeyRef: 'GATE_TEST_SIGNING_KEY' },
    },
    upstreams,
  };
  const file = fresh();
  const env = {
    GATE_TEST_KEY: STATIC, GATE_TEST_CLIENT_SECRET: CLIENT_SECRET, GATE_TEST_SIGNING_KEY: signingKey.privatePem,
  };
  const gate = await Gate.start(binary, config, {
    env, threads: 2, args: recording(file, '--record-redact', 'password,X-Private,pin'),
  });
  front.to = gate.port;
  const token = (about) => secretly('an access token', grants.token({ aud: resource, ...about }));
  const sessions = [];

  await step('calls with every kind of credential', async () => {
    for (const sub of ['alice', 'bob', 'carol', 'dave']) {
      const session = await Session.open(gate, { token: token({ sub }) });
      sessions.push(session);
      secretly('a session', session.id);
      for (const [name] of ways) {
        const { result, error } = await session.call(`${name}__echo`, { text: `hello ${name}` });
        assert.ok(result, `${name}: ${JSON.stringify(error)}`);
      }
    }
    for (const { token: granted } of grants.grants.grants) secretly('a granted token', granted);
  });

  await step('assertions at the token endpoint', async () => {
    for (let i = 0; i < 10; i += 1) {
      const assertion = secretly('an assertion', idp.assertion({ aud: base, sub: `user-${i}` }));
      const answer = await once(gate.port, {
        path: '/oauth/token', body: new URLSearchParams({ grant_type: GRANT, assertion }).toString(),
        headers: {
          'Content-Type': 'application/x-www-form-urlencoded',
          Authorization: `Basic ${Buffer.from(`desktop:${mark('a password of Basic')}`).toString('base64')}`,
        },
      });
      secretly('a minted token', JSON.parse(answer.body).access_token ?? '');
    }
  });

  await step('marked secrets in every place that has a name', async () => {
    const [session] = sessions;
    for (let i = 0; i < 20; i += 1) {
      const headers = {
        Cookie: `sid=${mark('a cookie')}`, 'Proxy-Authorization': `Basic ${mark('a proxy')}`,
        'X-Api-Key': mark('an API key'), 'x-private': mark('a header by --record-redact'),
        'X-Forwarded-Access-Token': mark('a header of a proxy'), 'Mcp-Param-Pin': mark('an argument in a header'),
      };
      const args = {
        text: 'plain', password: mark('an argument'), deep: [{ PIN: mark('an argument, deep') }],
        json: JSON.stringify({ password: mark('an argument in a string'), list: [1] }),
      };
      const { result, error } = await session.call('fixed__echo', args, { headers });
      assert.ok(result, JSON.stringify(error));
    }
    const odd = (about) => once(gate.port, { body: '{"jsonrpc":"2.0","id":1,"method":"ping"}', headers: JSON_POST, ...about });
    for (let i = 0; i < 10; i += 1) {
      await odd({ path: `/mcp?access_token=${mark('a parameter')}&pin=${mark('a parameter by --record-redact')}` });
      await odd({ path: '/mcp', headers: { ...JSON_POST, Authorization: `Bearer ${mark('an opaque token')}` } });
      await odd({ path: '/mcp', headers: { ...JSON_POST, Authorization: mark('a credential of no scheme') } });
      await odd({ path: '/mcp', headers: { ...JSON_POST, 'Mcp-Session-Id': mark('a foreign session') } });
      await odd({ path: '/mcp', body: `{"jsonrpc":"2.0","id":1,"p\\u0061ssword":"${mark('an escaped name')}"` });
      await odd({
        path: '/oauth/token', body: `grant_type=refresh_token&refresh_token=${mark('a refresh token')}`,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      });
    }
  });

  await step('what the gateway knows to be secret, said by others', async () => {
    const [session] = sessions;
    const granted = grants.grants.grants.map(({ token: of }) => of);
    const spelled = [STATIC, CLIENT_SECRET, encodeURIComponent(CLIENT_SECRET), ...granted,
      Buffer.from(`${CLIENT}:${CLIENT_SECRET}`).toString('base64'), JSON.stringify({ k: STATIC }), session.token];
    for (const text of spelled) await session.call('fixed__echo', { text: `you have ${text}, I know` });
    for (const text of spelled) await once(gate.port, { method: 'GET', path: `/x/${encodeURIComponent(text)}` });
  });

  await step('a reload', async () => {
    const added = { id: 'keyed', url: servers[0].url, namespace: 'keyed', auth: auths(grants).keyed };
    await gate.reload({ ...config, upstreams: [...upstreams, added] });
    const { result, error } = await sessions[0].call('keyed__echo', { text: 'hello' });
    assert.ok(result, JSON.stringify(error));
  });

  await step('nothing secret is in it, and every line is JSON', async () => {
    await gate.end();
    const got = read(file);
    const { size } = new Set(Object.values(secrets).flat());
    assert.ok(size >= 200, `only ${size} secrets`);
    assert.deepEqual(leaks(secrets, { 'the recording': got.text }), []);
    console.log(`        ${size} secrets, ${got.lines.length} lines, ${got.text.length} characters`);
  });

  await step('what happened is in it', async () => {
    const got = read(file);
    const { gate_recording: format, units, config: document, version, started } = got.lines[0];
    assert.deepEqual([format, units], [1, 2]);
    assert.match(started, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);
    assert.ok(version);
    assert.deepEqual(document.upstreams.map(({ id }) => id), upstreams.map(({ id }) => id));
    assert.deepEqual(got.lines.at(-1), { end: 'shutdown' });
    const of = kinds(got);
    for (const kind of ['request', 'answer', 'fetch', 'fetched', 'reload', 'document', 'adopted', 'stop', 'audit'])
      assert.ok(of.get(kind)?.length, `no ${kind}`);
    assert.deepEqual(of.get('adopted').map(({ u }) => u).sort(), [0, 1], 'each unit has taken the other document over, once');
    assert.equal(of.get('audit').length, gate.events.length);
    // What is of a request names it; and each has its event.
    const arrived = new Set(of.get('request').map(({ u, n }) => `${u}.${n}`));
    const named = [...of.get('audit'), ...of.get('fetch').filter(({ body }) => body?.includes('"tools/call"'))];
    for (const { e, u, request } of named) assert.ok(arrived.has(`${u}.${request}`), `${e} of no request: ${u}.${request}`);
    assert.deepEqual(of.get('audit').map(({ line }) => line.method).sort(), gate.events.map(({ method }) => method).sort());
    const about = of.get('request').find(({ token: said }) => said?.claims?.sub === 'alice').token;
    assert.equal(about.alg, 'ES256');
    assert.equal(about.claims.iss, grants.issuer);
    assert.match(about.secret, /^secret:[0-9a-f]{8}$/);
    // A stand-in is the same for the same session, in the answer and in later requests; it names the unit.
    const id = (headers) => headers.find(([name]) => name.toLowerCase() === 'mcp-session-id')?.[1];
    const made = of.get('answer').map(({ headers }) => id(headers)).filter(Boolean);
    assert.ok(made.length >= 4);
    assert.equal(of.get('document').at(-1).document.upstreams.at(-1).id, 'keyed');
    const used = new Set(of.get('request').map(({ headers }) => id(headers)));
    for (const one of made) {
      assert.match(one, /^secret:[0-9a-f]{8}0[01]$/);
      assert.ok(used.has(one), `${one} is used by nobody`);
    }
    const answers = of.get('fetched').filter(({ body }) => body?.includes('expires_in'));
    assert.ok(answers.length, 'no answer of a token endpoint');
    for (const { body } of answers) assert.match(JSON.parse(body).access_token, /^secret:/);
    // Each request is answered once, each fetch ends once.
    for (const [begin, ends] of [['request', ['answer', 'stream', 'dropped', 'gone', 'moved']], ['fetch', ['fetched', 'abandoned']]]) {
      const all = of.get(begin).map(({ u, n }) => `${u}.${n}`);
      assert.equal(new Set(all).size, all.length, `a number of a ${begin} twice`);
      const ended = ends.flatMap((kind) => of.get(kind) ?? []).map(({ u, n }) => `${u}.${n}`);
      assert.deepEqual(ended.slice().sort(), all.slice().sort(), begin);
    }
  });
}

/** A plain gateway with one server. */
async function plain(t, file, more = [], { binary: program = binary, ...settings } = {}) {
  const server = await CheckingUpstream.start({ name: 'a' });
  t.defer(function serverEnds() { return server.stop(); });
  const config = { upstreams: [{ id: 'a', url: server.url, namespace: 'a' }] };
  const gate = await Gate.start(program, config, { args: recording(file, ...more), ...settings });
  return { gate, server, config };
}

async function theFile(t) {
  const { step } = t;
  await step('the official client, its stream and its calls', async () => {
    const file = fresh();
    const { gate } = await plain(t, file);
    const client = new Client({ name: 'gate-recording', version: '1' }, { capabilities: {} });
    const { transport } = transportTo(gate.url);
    await client.connect(transport);
    const { tools } = await client.listTools();
    assert.ok(tools.length);
    const result = await client.callTool({ name: 'a__echo', arguments: { text: 'ünïcode \u0000 "quoted"' } });
    assert.ok(textOf(result) !== undefined);
    await client.close();
    await gate.end();
    const of = kinds(read(file));
    assert.ok(of.get('stream')?.length, 'its own stream');
    const asked = of.get('request').filter(({ body }) => body?.includes('tools/call'));
    assert.equal(asked.length, 1);
    assert.equal(JSON.parse(asked[0].body).params.arguments.text, 'ünïcode \u0000 "quoted"');
  });

  await step('a file that exists is left alone', async () => {
    const file = fresh();
    writeFileSync(file, 'mine');
    const document = path.join(scratch(), 'gate.json');
    writeFileSync(document, JSON.stringify({ upstreams: [{ id: 'a', url: 'http://127.0.0.1:9/mcp', namespace: 'a' }] }));
    const ended = await runToEnd(binary, ['--config', document, '--port', '0', ...recording(file)], { env: cleanEnvironment() });
    assert.equal(ended.code, 1);
    assert.match(ended.err, /--record .*: it exists already; name a file that does not/);
    assert.equal(readFileSync(file, 'utf8'), 'mine');
  });

  await step('it is for its owner alone', async () => {
    const file = fresh();
    const { gate } = await plain(t, file);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    await gate.end();
  });

  await step('it ends at its limit, and the gateway goes on', async () => {
    const file = fresh();
    const { gate } = await plain(t, file, ['--record-limit', String(LEAST_LIMIT)]);
    const session = await Session.open(gate);
    for (let i = 0; i < 100; i += 1) assert.ok((await session.call('a__echo', { text: 'x'.repeat(1000) })).result);
    await gate.tells(/^The recording has as many bytes as --record-limit allows and has ended\./);
    await gate.end();
    const got = read(file);
    assert.deepEqual(got.lines.at(-1), { end: 'limit' });
    assert.ok(got.text.length <= LEAST_LIMIT && got.text.length > LEAST_LIMIT / 2, `${got.text.length} bytes`);
  });

  await step('a disk that is full ends it, and the gateway goes on', async () => {
    const file = fresh();
    // A file may have so many bytes: a write beyond fails as it does on a full disk.
    const { gate } = await plain(t, file, [], {
      binary: '/bin/sh', before: ['-c', 'ulimit -f 64; exec "$0" "$@"', binary],
    });
    const session = await Session.open(gate);
    for (let i = 0; i < 200; i += 1) assert.ok((await session.call('a__echo', { text: 'x'.repeat(1000) })).result);
    await gate.tells(/^The recording can not be written and has ended; the gateway goes on\./);
    assert.ok((await session.call('a__echo')).result);
    await gate.end();
    assert.equal(gate.said(/^The recording can not be written/).length, 1);
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1).map((line) => JSON.parse(line));
    assert.equal(lines[0].gate_recording, 1);
  });

  await step('what was killed leaves what it had written', async () => {
    const file = fresh();
    const { gate } = await plain(t, file);
    const session = await Session.open(gate);
    for (let i = 0; i < 20; i += 1) await session.call('a__echo', { text: `${i}` });
    await until(() => readFileSync(file, 'utf8').includes('"text\\":\\"19\\"'), 'the last call to be written');
    gate.signal('SIGKILL');
    await until(() => gate.ended, 'its end');
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1).map((line) => JSON.parse(line));
    assert.ok(lines.length > 40);
    assert.equal(lines.at(-1).end, undefined);
  });
}

await suite('recording', async (t) => {
  await manySecrets(t);
  await theFile(t);
});
