// `gate doctor` before real peers: a good document has nothing against it; of one that is broken in one
// place that place is told, with what to do; peers that hang, lie or never end hold nobody up; and no secret
// is printed, or shown to anybody but whom the document names. Argument: gate.
import assert from 'node:assert/strict';
import { writeFileSync, readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import path from 'node:path';
import { scratch } from '../../simulations/peers/gate.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { Child, runToEnd } from '../../simulations/peers/process.mjs';
import { Redis, authority } from '../../simulations/peers/redis.mjs';
import { StatelessUpstream } from '../../simulations/peers/stateless_upstream.mjs';
import { Upstream, deadPort } from '../../simulations/peers/upstream.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const folder = scratch();
const SECRET = 's3cr3t-of-the-upstream-0123456789';
const SECRETS = { UP_TOKEN: SECRET, DISCOVERY_TOKEN: 'd1sc0very-bearer-marked-0123456789', FOUND_TOKEN: 'f0und-upstream-marked-0123456789' };
const files = { number: 0 };

/** Runs it; with `--json` what it found besides. Whatever it prints has no secret. */
async function run(document, { args = ['--json'], env = {}, gateArgs = ['--port', '0'] } = {}) {
  const file = path.join(folder, `${(files.number += 1)}.json`);
  writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document));
  const all = { ...process.env, ...SECRETS, REDIS_URL: '', ...env };
  const began = performance.now();
  const done = await runToEnd(binary, ['doctor', '--config', file, ...gateArgs, ...args], { env: all });
  done.ms = performance.now() - began;
  for (const secret of Object.values({ ...SECRETS, ...env }).filter((word) => word.length > 12))
    assert.ok(!(done.out + done.err).includes(secret), `printed ${secret}: ${done.out}${done.err}`);
  if (args.includes('--json')) {
    Object.assign(done, JSON.parse(done.out));
    assert.equal(done.code, done.ok ? 0 : 1, done.out);
  }
  return done;
}

const at = (found, check, pointer) =>
  found.findings.filter((f) => f.check === check && (pointer === undefined || f.pointer === pointer));

/** Exactly one finding that is none of `ok`'s, and it says this. */
function only(found, level, check, seen, pointer) {
  const bad = found.findings.filter((f) => f.level !== 'ok');
  assert.equal(bad.length, 1, JSON.stringify(bad, null, 1));
  assert.deepEqual([bad[0].level, bad[0].check], [level, check], JSON.stringify(bad));
  assert.match(bad[0].seen, seen);
  if (pointer) assert.equal(bad[0].pointer, pointer);
  assert.ok(bad[0].advice, 'it says what to do');
  return bad[0];
}

const to = (upstream, more = {}) => ({ id: 'one', namespace: 'one', url: upstream.url ?? upstream, ...more });

/** A server of bytes; `answer(socket)` does what it wants. */
async function rawServer(answer) {
  const sockets = new Set();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    answer(socket);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, port: server.address().port, sockets, stop };
}

const listening = (server) =>
  new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)));

await suite('gate doctor', async ({ step, defer }) => {
  const upstream = await Upstream.start();
  const stateless = await StatelessUpstream.start({ name: 'two' });
  const provider = await IdentityProvider.start();
  provider.audience = 'http://127.0.0.1:8080/mcp';
  defer(async function peers() {
    await Promise.all([upstream.stop(), stateless.stop(), provider.close?.() ?? provider.stop?.()]);
  });

  await step('a good document: nothing is wrong, its sessions are ended', async () => {
    const redis = await Redis.start();
    const seen = [];
    const collector = http.createServer((request, response) => {
      const parts = [];
      request.on('data', (part) => parts.push(part));
      request.on('end', () => {
        seen.push({ path: request.url, body: Buffer.concat(parts).length });
        response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();
      });
    });
    const events = [];
    const receiver = http.createServer((request, response) => {
      events.push(request.url);
      response.writeHead(204).end();
    });
    const tokens = [];
    const tokenEndpoint = http.createServer((request, response) => {
      tokens.push(request.url);
      response.writeHead(200).end();
    });
    const discovery = http.createServer((request, response) => {
      const good = request.headers.authorization === `Bearer ${SECRETS.DISCOVERY_TOKEN}`;
      response.writeHead(good ? 200 : 401).end(JSON.stringify({ upstreams: [
        { id: 'three', namespace: 'three', url: found3.url, auth: { strategy: 'static', secretRef: 'FOUND_TOKEN' } },
      ] }));
    });
    const found3 = await Upstream.start();
    const granted = await Upstream.start();
    granted.guard = (request, response) => {
      response.writeHead(401).end();
      return true;
    };
    const [collects, receives, discovers] = await Promise.all([collector, receiver, discovery].map(listening));
    const grants = await listening(tokenEndpoint);
    upstream.calls.length = 0;
    const document = {
      upstreams: [
        to(upstream, { auth: { strategy: 'static', secretRef: 'UP_TOKEN' } }),
        { id: 'two', namespace: 'two', protocol: 'auto', url: stateless.url },
        {
          id: 'granted', namespace: 'granted', url: granted.url,
          auth: { strategy: 'client-credentials', tokenEndpoint: `http://127.0.0.1:${grants}/token`, clientId: 'c', clientAuth: { type: 'client_secret_basic', secretRef: 'UP_TOKEN' } },
        },
      ],
      auth: { mode: 'required', resource: provider.audience, issuers: [{ issuer: provider.issuer }] },
      audit: { sinks: [{ type: 'file', path: path.join(folder, 'audit.jsonl') }, { type: 'webhook', url: `http://127.0.0.1:${receives}/` }] },
      server: { redisUrl: redis.url, publicUrl: 'http://127.0.0.1:8080' },
      discovery: {
        url: `http://127.0.0.1:${discovers}/`, bearerSecretRef: 'DISCOVERY_TOKEN',
        allowedSecretRefs: ['FOUND_TOKEN'], allowedUpstreamHosts: ['127.0.0.1'], allowedCredentialHosts: ['127.0.0.1'],
      },
      tracing: { otlpEndpoint: `http://127.0.0.1:${collects}` },
    };
    const found = await run(document);
    assert.deepEqual(found.findings.filter((f) => f.level !== 'ok'), []);
    assert.equal(found.code, 0);
    assert.match(at(found, 'handshake', '/upstreams/0/url')[0].seen, /^MCP 2025-11-25 with sessions, "scripted" 1/);
    assert.match(at(found, 'handshake', '/upstreams/1/url')[0].seen, /^MCP 2026-07-28 without sessions/);
    assert.match(at(found, 'tools', '/upstreams/0/url')[0].seen, /^2 tools in /);
    assert.match(at(found, 'keys')[0].seen, /^1 usable key/);
    assert.match(at(found, 'store')[0].seen, /version \d/);
    assert.match(at(found, 'discovery')[0].seen, /1 upstream/);
    // What it names is visited too, with the secret that it may name.
    assert.deepEqual(at(found, 'handshake', '/discovery/url').map((f) => f.subject), ['three']);
    assert.equal(found3.sessions.size, 0, 'that session was ended too');
    assert.ok(found3.calls.length > 0 && found3.calls.every((c) => c.request.headers.authorization === `Bearer ${SECRETS.FOUND_TOKEN}`));
    // In the document's order.
    const places = found.findings.map((f) => f.pointer?.split('/')[1]).filter(Boolean);
    const order = ['upstreams', 'auth', 'audit', 'server', 'discovery', 'tracing'];
    const peers = places.slice(places.indexOf('upstreams')).map((p) => order.indexOf(p));
    assert.deepEqual(peers, [...peers].sort((a, b) => a - b), places.join());
    // What it leaves: no session, no file, no event; the store has nothing that it had not.
    assert.equal(upstream.sessions.size, 0, 'the session was ended');
    assert.ok(upstream.calls.every((c) => c.request.headers.authorization === `Bearer ${SECRET}`));
    assert.ok(stateless.calls.every((c) => !c.request?.headers.authorization));
    assert.match(at(found, 'handshake', '/upstreams/2/url')[0].seen, /no token is fetched/);
    assert.deepEqual(tokens, [], 'no token is fetched');
    assert.deepEqual(events, []);
    assert.deepEqual(seen, [{ path: '/v1/traces', body: 0 }]);
    assert.throws(() => readFileSync(path.join(folder, 'audit.jsonl')));
    assert.equal(await redis.tell('DBSIZE'), ':0');
    const lines = await run(document, { args: [] });
    assert.equal(lines.code, 0);
    assert.match(lines.out, /^ok +handshake +\/upstreams\/0\/url \(one\) MCP 2025-11-25/m);
    assert.match(lines.out, /^0 errors, 0 warnings, \d+ ok$/m);
    assert.equal(lines.err, '', 'no progress where nobody sees it');
    await Promise.all([redis.stop(), granted.stop(), found3.stop()]);
    for (const server of [collector, receiver, discovery, tokenEndpoint]) server.close();
  });

  await step('how it is called', async () => {
    const call = (...args) => runToEnd(binary, ['doctor', ...args], { env: { PATH: process.env.PATH } });
    assert.equal((await call()).code, 2);
    assert.match((await call('--confg', 'x')).err, /--config/);
    assert.equal((await call('--timeout', '0', '--config', 'x')).code, 2);
    assert.equal((await call('--help')).code, 0);
    const missing = await call('--config', path.join(folder, 'none.json'));
    assert.equal(missing.code, 1);
    assert.match(missing.err, /none\.json/);
    const told = await call('--json', '--config', path.join(folder, 'none.json'));
    assert.equal(told.code, 1);
    const { ok, findings } = JSON.parse(told.out);
    assert.deepEqual([ok, findings.map((f) => [f.level, f.check])], [false, [['error', 'document']]]);
    assert.match(findings[0].seen, /none\.json/);
    const inlined = await runToEnd(binary, ['doctor', '--port', '0', '--json'], {
      env: { PATH: process.env.PATH, GATE_CONFIG: JSON.stringify({ upstreams: [to(upstream)] }) } });
    assert.equal(inlined.code, 0, inlined.out);
  });

  await step('problems of the document, all at once', async () => {
    const found = await run({ upstreams: [{ id: 'one', namespce: 'x', url: 'nowhere' }], serverr: {} });
    assert.deepEqual([found.code, found.errors], [1, found.findings.length]);
    assert.ok(found.findings.length >= 3, JSON.stringify(found.findings));
    assert.ok(at(found, 'document', '/upstreams/0/namespce').length === 1);
    assert.equal((await run('{"upstreams":[')).code, 1);
  });

  await step('a secret that is missing, and one that does not fit', async () => {
    const guarded = { upstreams: [to(upstream, { auth: { strategy: 'static', secretRef: 'NOT_SET' } })] };
    const found = await run(guarded);
    only(found, 'error', 'secrets', /NOT_SET is not set/, '/upstreams/0/auth/secretRef');
    only(await run(guarded, { env: { NOT_SET: 'two\nlines-of-a-secret' } }), 'error', 'secrets', /does not fit into a header/);
  });

  await step('a port that is taken says by whom', async () => {
    const taken = await rawServer(() => {});
    const found = await run({ upstreams: [to(upstream)] }, { gateArgs: ['--port', String(taken.port)] });
    only(found, 'error', 'listening', /in use by node \(process \d+\)/);
    taken.stop();
  });

  await step('an allowlist without the names that clients use', async () => {
    const found = await run({ upstreams: [to(upstream)], server: { publicUrl: 'https://gate.example.com', allowedHosts: ['localhost'] } });
    only(found, 'error', 'allowlist', /gate\.example\.com get 403/, '/server/publicUrl');
  });

  await step('upstreams that are not there', async () => {
    only(await run({ upstreams: [to('http://nowhere.invalid/mcp')] }), 'error', 'connection', /nowhere\.invalid has no address/, '/upstreams/0/url');
    only(await run({ upstreams: [to(`http://127.0.0.1:${await deadPort()}/mcp`)] }), 'error', 'connection', /[Rr]efused/);
  });

  await step('certificates: good, of another name, of nobody, and none', async () => {
    const { ca, signed: [good, other] } = authority(['IP:127.0.0.1,DNS:localhost', 'DNS:elsewhere.example']);
    const serve = async (tls) => {
      const server = https.createServer({ cert: readFileSync(tls.cert), key: readFileSync(tls.key) },
        (request, response) => upstream.server.emit('request', request, response));
      return { server, url: `https://127.0.0.1:${await listening(server)}/mcp` };
    };
    const [fine, wrong] = [await serve(good), await serve(other)];
    const trusting = { env: { SSL_CERT_FILE: ca } };
    // Signed for two days: that is soon.
    const soon = only(await run({ upstreams: [to(fine)] }, trusting), 'warning', 'certificate', /127\.0\.0\.1, localhost, until .*TLSv1\.[23].*ends in \d days?/);
    assert.equal(soon.pointer, '/upstreams/0/url');
    only(await run({ upstreams: [to(wrong)] }, trusting), 'error', 'certificate', /for elsewhere\.example, not for 127\.0\.0\.1/);
    only(await run({ upstreams: [to(fine)] }), 'error', 'certificate', /not trusted: .*(issuer|self-signed)/);
    only(await run({ upstreams: [to(upstream.url.replace('http:', 'https:'))] }), 'error', 'certificate', /does it speak TLS/);
    const plain = await rawServer((s) => s.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    only(await run({ upstreams: [to(plain.url.replace('http:', 'https:'))] }), 'error', 'certificate', /does not speak TLS/);
    plain.stop();
    fine.server.close();
    wrong.server.close();
  });

  await step('peers that hang, drip, flood, lie: a line each, and all at once', async () => {
    const peers = {
      silent: [await rawServer(() => {}), /does not answer initialize in time/],
      slow: [await rawServer((s) => {
        s.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n');
        const timer = setInterval(() => s.write(' '), 50);
        s.on('close', () => clearInterval(timer));
      }), /does not answer initialize in time/],
      endless: [await rawServer((s) => {
        s.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n');
        const more = () => { while (!s.destroyed && s.write(' '.repeat(65536))); };
        s.on('drain', more);
        more();
      }), /larger than 8 MiB|in time/],
      garbage: [await rawServer((s) => s.end('220 mail.example ESMTP\r\n')), /not HTTP|closed|cut off/],
      html: [await rawServer((s) => s.end('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>')), /no JSON-RPC/],
      elsewhere: [await rawServer((s) => s.end('HTTP/1.1 302 Found\r\nLocation: http://nowhere.invalid/\r\nContent-Length: 0\r\n\r\n')), /redirects/],
      stream: [await rawServer((s) => {
        s.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n');
        const timer = setInterval(() => s.write('data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n'.repeat(20)), 5);
        s.on('close', () => clearInterval(timer));
      }), /event stream without the answer|in time/],
      missing: [await rawServer((s) => s.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')), /HTTP 404/],
      cut: [await rawServer((s) => s.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"')), /not answered/],
    };
    const entries = Object.entries(peers);
    const found = await run({ upstreams: entries.map(([id, [peer]]) => ({ id, namespace: id, url: peer.url })) }, { args: ['--json', '--timeout', '3'] });
    entries.forEach(([id, [, words]], i) => {
      const errors = found.findings.filter((f) => f.pointer === `/upstreams/${i}/url` && f.level === 'error');
      assert.equal(errors.length, 1, `${id}: ${JSON.stringify(errors)}`);
      assert.match(errors[0].seen, words, id);
    });
    assert.ok(found.ms < 9000, `${found.ms} ms for all of them together`);
    for (const [peer] of Object.values(peers)) peer.stop();
  });

  await step('a signal ends it at once', async () => {
    const file = path.join(folder, 'silent.json');
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
      let asked;
      const heard = new Promise((done) => (asked = done));
      const silent = await rawServer((s) => s.on('data', asked));
      writeFileSync(file, JSON.stringify({ upstreams: [to(silent)] }));
      const child = new Child(binary, ['doctor', '--config', file, '--port', '0', '--timeout', '120'], { env: { PATH: process.env.PATH } });
      await heard;
      const ended = await child.stop(signal);
      assert.equal(ended.signal, signal, child.log());
      silent.stop();
    }
  });

  await step('a session that began with an answer that never ends is ended', async () => {
    const ends = [];
    const hanging = http.createServer((request, response) => {
      request.resume();
      if (request.method === 'DELETE') {
        ends.push(request.headers['mcp-session-id']);
        return response.writeHead(204).end();
      }
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Mcp-Session-Id': 'opened-1' });
      return response.write('data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n');
    });
    const url = `http://127.0.0.1:${await listening(hanging)}/mcp`;
    only(await run({ upstreams: [to(url)] }, { args: ['--json', '--timeout', '1'] }), 'error', 'handshake', /does not answer initialize in time/);
    assert.deepEqual(ends, ['opened-1']);
    hanging.closeAllConnections();
    hanging.close();
  });

  await step('a word that is a secret too changes no verdict', async () => {
    const found = await run({ upstreams: [to(upstream, { auth: { strategy: 'static', secretRef: 'PLAIN' } })] }, { env: { PLAIN: 'scripted' } });
    assert.deepEqual(found.findings.filter((f) => f.level !== 'ok'), []);
    assert.ok(!found.out.includes('scripted'), found.out);
  });

  await step('a session that was opened is ended, although its list never comes', async () => {
    upstream.on('tools/list', () => {});
    const found = await run({ upstreams: [to(upstream)] }, { args: ['--json', '--timeout', '1'] });
    only(found, 'error', 'tools', /does not come in time/);
    assert.equal(upstream.sessions.size, 0);
    upstream.restore();
  });

  await step('credentials that are refused, or wanted; and words of servers that say them again', async () => {
    const guarded = await Upstream.start();
    guarded.guard = (request, response) => {
      if (request.headers.authorization === 'Bearer good-good-good-good') return false;
      response.writeHead(401).end(`no: ${request.headers.authorization}`);
      return true;
    };
    only(await run({ upstreams: [to(guarded, { auth: { strategy: 'static', secretRef: 'UP_TOKEN' } })] }), 'error', 'handshake', /refuses the credential of UP_TOKEN/);
    only(await run({ upstreams: [to(guarded)] }), 'error', 'handshake', /wants a credential/);
    upstream.on('initialize', (call) => call.error(JSON.stringify({ code: -32000, message: `${'x'.repeat(280)}${call.request.headers.authorization} \u001b[31m` })));
    const echoed = await run({ upstreams: [to(upstream, { auth: { strategy: 'static', secretRef: 'UP_TOKEN' } })] });
    const said = only(echoed, 'error', 'handshake', /error -32000/);
    assert.ok(!said.seen.includes('\u001b') && !said.seen.includes('s3cr3t'), said.seen);
    upstream.restore();
    await guarded.stop();
  });

  await step('generations: what the document says, and what the server speaks', async () => {
    only(await run({ upstreams: [to(stateless, { protocol: 'session' })] }), 'error', 'handshake', /without sessions|HTTP 4/);
    only(await run({ upstreams: [to(upstream, { protocol: '2026-07-28' })] }), 'error', 'handshake', /server\/discover/);
    const auto = await run({ upstreams: [to(upstream, { protocol: 'auto' })] });
    assert.equal(auto.code, 0, auto.out);
  });

  await step('names that clients refuse, and one URI at two upstreams', async () => {
    const tools = ['a'.repeat(70), 'dotted.name', 'twice', 'twice'].map((name) => ({ name, inputSchema: { type: 'object' } }));
    const one = await Upstream.start({ tools: JSON.stringify(tools) });
    const names = await run({ upstreams: [to(one)] });
    assert.deepEqual([names.code, names.warnings, at(names, 'names').length], [0, 3, 3], names.out);
    assert.match(at(names, 'names')[0].seen, /1 name of tools longer than 64 characters: "one__a+"/);
    const both = await Promise.all([0, 1].map(() => Upstream.start({ capabilities: '{"tools":{},"resources":{}}' })));
    for (const each of both) each.on('resources/list', (call) => call.result('{"resources":[{"uri":"file:///a","name":"a"},{"uri":"ui://a/b","name":"b"}]}'));
    const found = await run({ upstreams: both.map((u, i) => ({ id: `u${i}`, namespace: `u${i}`, url: u.url })) });
    only(found, 'warning', 'resources', /1 URI of resources that "u0" lists as well: "file:\/\/\/a"/, '/upstreams/1/url');
    await Promise.all([one, ...both].map((u) => u.stop()));
  });

  await step('issuers: another name, no keys, a clock that is off, nobody there', async () => {
    const document = { upstreams: [to(upstream)], auth: { mode: 'required', resource: provider.audience, issuers: [{ issuer: provider.issuer }] } };
    const { origin } = provider;
    const metadata = Object.getOwnPropertyDescriptor(IdentityProvider.prototype, 'metadata').get;
    Object.defineProperty(provider, 'metadata', { configurable: true, get: () => ({ ...metadata.call(provider), issuer: `${origin}/` }) });
    only(await run(document), 'error', 'issuer', /calls itself/, '/auth/issuers/0');
    delete provider.metadata;
    const [key] = provider.keys.splice(0);
    only(await run(document), 'error', 'keys', /no key that can verify/);
    provider.keys.push(key);
    const late = http.createServer((request, response) => {
      response.sendDate = false;
      response.setHeader('Date', new Date(Date.now() - 120_000).toUTCString());
      provider.serve(request, response);
    });
    const issuer = `http://127.0.0.1:${await listening(late)}`;
    const keep = provider.issuer;
    provider.issuer = issuer;
    const stale = await run({ ...document, auth: { ...document.auth, issuers: [{ issuer, jwksUri: `${issuer}/.well-known/jwks.json` }] } });
    provider.issuer = keep;
    assert.match(at(stale, 'clock')[0].seen, /1\d\d seconds behind ours/);
    assert.equal(at(stale, 'clock')[0].level, 'error');
    late.close();
    const gone = `http://127.0.0.1:${await deadPort()}`;
    only(await run({ ...document, auth: { ...document.auth, issuers: [{ issuer: gone }] } }), 'error', 'connection', /[Rr]efused/);
  });

  await step('a store that is absent, wants a password, drops keys', async () => {
    const served = (redisUrl) => ({ upstreams: [to(upstream)], server: { redisUrl } });
    only(await run(served(`redis://127.0.0.1:${await deadPort()}`)), 'error', 'store', /[Rr]efused/, '/server/redisUrl');
    const locked = await Redis.start({ more: ['--requirepass', 'p4ssw0rd-of-the-store'] });
    only(await run(served(locked.url)), 'error', 'store', /NOAUTH|password|auth/i);
    const env = { REDIS_URL: `redis://:p4ssw0rd-of-the-store@127.0.0.1:${locked.port}` };
    assert.equal((await run({ upstreams: [to(upstream)] }, { env })).code, 0);
    only(await run({ upstreams: [to(upstream)] }, { env: { REDIS_URL: env.REDIS_URL.replace('p4ss', 'wr0ng-p4ss') } }), 'error', 'store', /WRONGPASS|password/i);
    await locked.stop();
    const dropping = await Redis.start({ more: ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'] });
    only(await run(served(dropping.url)), 'warning', 'store', /allkeys-lru/);
    await dropping.stop();
    const silent = await rawServer(() => {});
    only(await run(served(`redis://127.0.0.1:${silent.port}`), { args: ['--json', '--timeout', '1'] }), 'error', 'store', /in time/);
    silent.stop();
  });

  await step('a collector that refuses, a receiver and a token endpoint that are not there, a discovery document that is none', async () => {
    const no = http.createServer((request, response) => response.writeHead(404).end());
    const port = await listening(no);
    const dead = await deadPort();
    only(await run({ upstreams: [to(upstream)], tracing: { otlpEndpoint: `http://127.0.0.1:${port}` } }), 'warning', 'collector', /HTTP 404/);
    only(await run({ upstreams: [to(upstream)], audit: { sinks: [{ type: 'webhook', url: `http://127.0.0.1:${dead}/` }] } }), 'error', 'connection', /[Rr]efused/, '/audit/sinks/0/url');
    only(await run({ upstreams: [to(upstream)], audit: { sinks: [{ type: 'file', path: '/no/such/folder/audit.jsonl' }] } }), 'error', 'audit', /can not write/);
    only(await run({ upstreams: [to(upstream)], discovery: { url: `http://127.0.0.1:${port}/` } }), 'error', 'discovery', /HTTP 404/);
    const granted = { strategy: 'client-credentials', tokenEndpoint: `http://127.0.0.1:${dead}/token`, clientId: 'c', clientAuth: { type: 'client_secret_basic', secretRef: 'UP_TOKEN' } };
    const found = await run({ upstreams: [to(upstream, { auth: granted })] });
    assert.deepEqual(found.findings.filter((f) => f.level === 'error').map((f) => f.pointer), ['/upstreams/0/auth/tokenEndpoint']);
    no.close();
  });
});
