// Recordings of what is seldom: batches, three units, servers that want a key, documents that are watched and upstreams that are
// discovered while calls are made; each is replayed equal, asked what if, and sent to a live gateway over TLS.
// Arguments: gate, gate-sim.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import http from 'node:http';
import path from 'node:path';
import { CheckingUpstream } from '../../simulations/peers/checking_upstream.mjs';
import { Gate, scratch } from '../../simulations/peers/gate.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { runToEnd } from '../../simulations/peers/process.mjs';
import { Registry } from '../../simulations/peers/registry.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { suite } from './support/suite.mjs';

const [, , binary, sim] = process.argv;
const folder = scratch();
const run = (args, env = {}) => runToEnd(sim, args, { env: { ...process.env, ...env } });
const entry = (server) => ({ id: server.name, url: server.url, namespace: server.name });
const rpc = (id, method, params) => ({ jsonrpc: '2.0', id, method, ...(params && { params }) });
const call = (id, name) => rpc(id, 'tools/call', { name, arguments: { text: `${id}` } });

async function assertEqual(file) {
  const [one, two] = [await run(['replay', file]), await run(['replay', file])];
  assert.equal(one.code, 0, one.out.slice(0, 3000) + one.err);
  assert.match(one.out, / 0 differ/);
  assert.equal(one.out, two.out);
  return one.out;
}

/** The recording as it would be, had the second takeover been late and somebody asked how things are just before it. */
function askedBeforeTakeover(file) {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
  const adopted = lines.findIndex(({ e }, i) => e === 'adopted' && lines.slice(0, i).some((one) => one.e === 'adopted'));
  const fetched = lines.findLastIndex(({ e }, i) => e === 'fetched' && i < adopted);
  const before = lines.slice(0, fetched);
  const request = before.findLast(({ e, target }) => e === 'request' && target === '/health');
  const answer = before.findLast(({ e, n }) => e === 'answer' && n === request.n);
  const [t, n] = [lines[fetched].t + 5000, 1 + Math.max(...lines.map(({ n }) => n ?? 0))];
  for (const line of lines.slice(adopted)) if (line.e) line.t += 6000;
  lines.splice(adopted, 0, { ...request, t, n }, { ...answer, t, n });
  const edited = `${file}.edited.jsonl`;
  writeFileSync(edited, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return edited;
}

/** Terminates TLS in front of a gateway, with a certificate for localhost. */
async function tlsFront(port) {
  const [key, cert] = [path.join(folder, 'front.key'), path.join(folder, 'front.pem')];
  const made = await runToEnd('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes',
    '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert, '-days', '1']);
  assert.equal(made.code, 0, made.err);
  const server = https.createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    const { method, url, headers } = request;
    const onward = http.request({ port, host: '127.0.0.1', method, path: url, headers: { ...headers, host: `127.0.0.1:${port}` } }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise((done) => server.listen(0, 'localhost', done));
  return { server, cert, port: server.address().port };
}

await suite('corners of recordings', async ({ step, defer }) => {
  const servers = await Promise.all(['a', 'b', 'c'].map((name) => CheckingUpstream.start({ name, names: ['echo', 'drop'] })));
  const [a, b, c] = servers;
  defer(function serversEnd() { return Promise.all(servers.map((server) => server.stop())); });
  const env = { GATE_TEST_KEY: 'a key that is 5ecret enough' };
  const keyed = (server) => ({ ...entry(server), auth: { strategy: 'static', secretRef: 'GATE_TEST_KEY', header: 'X-Key', scheme: '' } });
  const config = { upstreams: [entry(a), keyed(b)], policy: { rules: [{ id: 'echo', allow: [{ server: '*', names: ['echo'] }] }] } };
  const batches = path.join(folder, 'batches.jsonl');

  await step('batches, by sessions on three units: replayed equal', async () => {
    const gate = await Gate.start(binary, config, { env, threads: 3, args: ['--record', batches] });
    const sessions = await Promise.all(Array.from({ length: 9 }, () => Session.open(gate, { version: '2025-03-26' })));
    await Promise.all(sessions.map(async (session, i) => {
      for (const batch of [
        [call(1, 'a__echo'), call(2, 'b__echo')],
        [call(3, 'a__echo'), call(4, 'a__drop'), call(5, 'nowhere__x'), rpc(6, 'ping')],
        [{ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: i, progress: 1 } }],
        [call(7, 'b__drop'), call(8, 'b__drop')],
      ]) {
        const answer = await session.post(batch);
        assert.ok([200, 202].includes(answer.status), answer.body);
      }
      await session.post('[]');
      await session.end();
    }));
    await gate.end();
    const lines = readFileSync(batches, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
    assert.equal(lines[0].units, 3);
    assert.equal(new Set(lines.filter(({ e }) => e === 'answer').map(({ u }) => u)).size, 3, 'all units have work');
    await assertEqual(batches);
  });

  await step('what if, of batches: the words of all their messages', async () => {
    const document = path.join(folder, 'deny.json');
    writeFileSync(document, JSON.stringify({ ...config, policy: { rules: [{ id: 'b', allow: [{ server: 'b' }] }] } }));
    const { code, out } = await run(['replay', batches, '--config', document, '--json']);
    assert.equal(code, 1);
    const rows = Object.fromEntries(JSON.parse(out).outcomes.map(({ recorded, replayed, count }) => [`${recorded} -> ${replayed}`, count]));
    assert.equal(rows['ok -> ok, policy_denied'], 9, out);
    assert.equal(rows['policy_denied -> ok'], 9, out);
    assert.equal(rows['ok, policy_denied, unknown_name -> ok, policy_denied, unknown_name'], 9, out);
    const row = JSON.parse(out).outcomes.find(({ replayed }) => replayed === 'ok, policy_denied');
    assert.deepEqual([row.examples[0].method, row.examples[0].name], ['batch', '2 messages']);
    const { out: table } = await run(['show', batches]);
    assert.match(table, /batch +4 messages/);
  });

  await step('documents that are watched, and upstreams that come and go: replayed equal', async () => {
    const registry = await Registry.start([keyed(b)]);
    defer(function registryEnds() { return registry.stop(); });
    const file = path.join(folder, 'watched.jsonl');
    const found = { discovery: { url: registry.url, intervalMs: 1000, allowedCredentialHosts: ['127.0.0.1'] } };
    const gate = await Gate.start(binary, { upstreams: [entry(a)], ...found }, { env, args: ['--watch', '--record', file] });
    const there = (ids) => until(async () => (await gate.health()).json.upstreams.map(({ id }) => id).sort().join() === ids, `the upstreams ${ids}`);
    const calls = async () => {
      const session = await Session.open(gate);
      await session.list('tools/list', 'tools');
      for (const { name } of servers) await session.call(`${name}__echo`, { text: name });
      await session.end();
    };
    await there('a,b');
    await calls();
    // The next document comes when /health has just been found out anew: it is not within the second that follows.
    let release;
    const [asked, pings] = [registry.source.count, a.of('ping').length];
    registry.source.held = new Promise((done) => { release = done; });
    registry.says([entry(c)]);
    await until(() => registry.source.count > asked, 'the registry to be asked');
    await until(async () => (await gate.health()) && a.of('ping').length > pings, 'another look at the upstreams');
    release();
    await there('a,c');
    await calls();
    gate.write({ upstreams: [{ ...entry(a), namespace: 'aa' }], ...found });
    await gate.tells(/^The configuration was reloaded/);
    await calls();
    gate.write('{"upstreams": 7}');
    await gate.tells(/^The configuration was not reloaded/);
    registry.says('nonsense');
    await gate.tells(/^The discovery document is refused/);
    await calls();
    await gate.end();
    await assertEqual(file);
    await assertEqual(askedBeforeTakeover(file));
  });

  await step('to a live gateway, over TLS: who is trusted, and who is not', async () => {
    const gate = await Gate.start(binary, config, { env });
    defer(function gateEnds() { return gate.stop(); });
    const front = await tlsFront(gate.port);
    defer(function frontEnds() { front.server.closeAllConnections(); front.server.close(); });
    const to = (host, env) => run(['replay', batches, '--against', `https://${host}:${front.port}`, '--speed', '100'], env);
    const trusted = { SSL_CERT_FILE: front.cert };
    const { code, out, err } = await to('localhost', trusted);
    assert.equal(code, 0, out + err);
    assert.match(out, / 0 differ/);
    for (const [host, env] of [['localhost', {}], ['127.0.0.1', trusted]]) {
      const refused = await to(host, env);
      assert.equal(refused.code, 2, host);
      assert.match(refused.err, /can not be reached: no TLS: .*certificate/, host);
    }
    const plain = await run(['replay', batches, '--against', `https://127.0.0.1:${gate.port}`]);
    assert.equal(plain.code, 2);
    assert.match(plain.err, /can not be reached: no TLS: /);
  });
});
