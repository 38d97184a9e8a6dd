// gate-sim show, export and replay --against, with a recording written by hand: what people and other
// programs see of it, and what a live gateway gets.
// Arguments: gate, gate-sim.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { Gate, scratch } from '../../simulations/peers/gate.mjs';
import { ACCEPT } from '../../simulations/peers/mcp.mjs';
import { Child, runToEnd } from '../../simulations/peers/process.mjs';
import { Upstream, deadPort } from '../../simulations/peers/upstream.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const gateway = gateBinary();
const sim = process.argv[3];
const folder = scratch();

const STAND_IN = 'secret:0a1b2c3d00';
const FIRST = {
  gate_recording: 1, version: '0.1.0', started: '2026-11-28T06:00:00.000000Z', units: 1,
  config: { upstreams: [{ id: 'files', url: 'http://files:1/mcp', namespace: 'files' }] },
};

/** Lines of one client's visit: each request is answered before the next, `gap` µs apart. */
function visit({ session = STAND_IN, number = 1, at = 1000, gap = 2000, calls = 3, name = 'files__echo' } = {}) {
  const lines = [];
  let [n, t] = [number, at];
  const headers = (of) => [['host', 'recorded:1'], ['content-type', 'application/json'], ['accept', ACCEPT],
    ['authorization', 'secret:99999999'], ...(of ? [['mcp-session-id', of], ['mcp-protocol-version', '2025-11-25']] : [])];
  const ask = (method, body, status, answer, { of = session, opens = false } = {}) => {
    const text = body && JSON.stringify(body);
    lines.push({ t, u: 0, e: 'request', n, peer: '10.0.0.1', method, target: '/mcp', headers: headers(of), ...(text && { body: text }) });
    t += gap;
    const more = opens ? { headers: [['mcp-session-id', session]] } : {};
    lines.push({ t, u: 0, e: 'answer', n, status, ...more, ...(answer && { type: 'application/json', body: JSON.stringify(answer) }) });
    n += 1;
    t += gap;
  };
  const rpc = (id, method, params) => ({ jsonrpc: '2.0', id, method, params });
  const ok = (id, result = {}) => ({ jsonrpc: '2.0', id, result });
  ask('POST', rpc(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }),
    200, ok(0), { of: '', opens: true });
  ask('POST', { jsonrpc: '2.0', method: 'notifications/initialized' }, 202);
  // A stream that the client has open until it leaves.
  const listens = n;
  lines.push({ t, u: 0, e: 'request', n, peer: '10.0.0.1', method: 'GET', target: '/mcp', headers: headers(session) });
  lines.push({ t, u: 0, e: 'stream', n });
  n += 1;
  for (let i = 1; i <= calls; i += 1) ask('POST', rpc(i, 'tools/call', { name, arguments: { text: `call ${i}` } }), 200, ok(i));
  lines.push({ t, u: 0, e: 'gone', n: listens });
  ask('DELETE', undefined, 204);
  return lines;
}

function recording(name, lines, end = { end: 'shutdown' }) {
  const file = path.join(folder, name);
  const inOrder = [...lines].sort((one, other) => one.t - other.t);
  writeFileSync(file, [FIRST, ...inOrder, ...(end ? [end] : [])].map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

const run = (...args) => runToEnd(sim, args, { env: { ...process.env, LIVE_TOKEN: 'live-token' } });

await suite('Recordings', async ({ step, defer }) => {
  const whole = recording('whole.jsonl', visit());

  await step('show: a table, and JSON Lines', async () => {
    const table = await run('show', whole);
    assert.deepEqual([table.code, table.err], [0, '']);
    const lines = table.out.split('\n');
    assert.match(lines[0], /^ +time  client +session +method +name +outcome +ms$/);
    assert.match(lines[1], /^0\.001000  10\.0\.0\.1  secret:0a1b2c3d00  initialize +ok +2\.0$/);
    assert.match(lines.at(-1), /^7 calls: 1 accepted, 1 gone, 5 ok; 0 fetches; 0\.\d+ s .*; ends by shutdown$/);
    const { code, out } = await run('show', whole, '--json');
    assert.equal(code, 0);
    const rows = out.split('\n').map((line) => JSON.parse(line));
    assert.equal(rows.filter(({ method, outcome }) => method === 'tools/call' && outcome === 'ok').length, 3);
    assert.equal(rows.at(-1).summary.calls, 7);
    assert.equal(rows.at(-1).summary.end, 'shutdown');
  });

  await step('show: what is damaged is told with its line, and what stands before is shown', async () => {
    const text = readFileSync(whole, 'utf8');
    const file = path.join(folder, 'damaged.jsonl');
    writeFileSync(file, text.replace('"n":4', '"n":1'));
    const damaged = await run('show', file);
    assert.equal(damaged.code, 2);
    assert.match(damaged.err, /damaged\.jsonl: line \d+: .*request 1 of unit 0/);
    writeFileSync(file, text.slice(0, -40));
    const cut = await run('show', file);
    assert.equal(cut.code, 0);
    assert.match(cut.err, /is cut off and is left out/);
    for (const [name, bytes] of [['binary', Buffer.alloc(5000, 0xfe)], ['empty', ''], ['other', '{"gate_recording":2}\n']]) {
      writeFileSync(file, bytes);
      const refused = await run('show', file);
      assert.equal(refused.code, 2, name);
      assert.match(refused.err, /line 1: |is empty/, name);
    }
  });

  await step('show --follow: rows appear while they are written', async () => {
    const file = recording('growing.jsonl', [], null);
    const child = new Child(sim, ['show', file, '--follow', '--json']);
    for (const line of visit()) writeFileSync(file, `${JSON.stringify(line)}\n`, { flag: 'a' });
    await until(() => child.out.filter((line) => line.includes('"tools/call"')).length === 3, 'the calls of a recording in progress');
    assert.equal(child.ended, null);
    writeFileSync(file, '{"end":"shutdown"}\n', { flag: 'a' });
    assert.equal((await child.exit).code, 0);
    const idle = new Child(sim, ['show', recording('idle.jsonl', visit(), null), '--follow']);
    await until(() => idle.out.length > 3, 'the first rows');
    idle.process.kill('SIGINT');
    assert.equal((await idle.exit).code, 0);
    assert.match(idle.out.at(-1), /^7 calls/);
  });

  await step('export: HAR 1.2, of the owner alone, and never over something', async () => {
    const har = path.join(folder, 'out.har');
    const { code, out } = await run('export', whole, '--har', har);
    assert.equal(code, 0);
    assert.match(out, /^7 entries/);
    assert.equal(statSync(har).mode & 0o777, 0o600);
    const { log } = JSON.parse(readFileSync(har, 'utf8'));
    assert.deepEqual([log.version, log.entries.length], ['1.2', 7]);
    const again = await run('export', whole, '--har', har);
    assert.equal(again.code, 2);
    assert.match(again.err, /can not be made: File exists/);
    const broken = path.join(folder, 'broken.jsonl');
    writeFileSync(broken, 'x\n');
    assert.equal((await run('export', broken, '--har', path.join(folder, 'no.har'))).code, 2);
    assert.ok(!existsSync(path.join(folder, 'no.har')), 'nothing is left of what failed');
  });

  const upstream = await Upstream.start();
  defer(() => upstream.stop());
  const gate = await Gate.start(gateway, { upstreams: [{ id: 'files', url: upstream.url, namespace: 'files' }] });
  defer(() => gate.stop());
  const live = new URL(gate.url).origin;

  await step('replay --against: the gateway gets what was recorded, in its own sessions', async () => {
    const two = recording('two.jsonl', [...visit(), ...visit({ session: 'secret:ffffffff00', number: 100, at: 500_000, calls: 5 })]);
    const began = performance.now();
    const { code, out, err } = await run('replay', two, '--against', live);
    assert.deepEqual([code, err], [0, ''], out);
    assert.ok(performance.now() - began >= 500, 'it took as long as it was recorded');
    assert.match(out, /^16 requests, 16 equal, 0 differ\n/);
    assert.match(out, /live +p50 [\d.]+ +p90 [\d.]+ +p99 [\d.]+ +max [\d.]+/);
    const texts = upstream.of('tools/call').map(({ params }) => params.arguments.text);
    assert.deepEqual(texts, ['call 1', 'call 2', 'call 3', 'call 1', 'call 2', 'call 3', 'call 4', 'call 5']);
  });

  await step('replay --against: outcomes that differ', async () => {
    const other = recording('other.jsonl', visit({ name: 'files\u001b__nothing' }));
    const { code, out } = await run('replay', other, '--against', live, '--speed', '10');
    assert.equal(code, 1, out);
    assert.match(out, /^7 requests, 4 equal, 3 differ\n/);
    assert.match(out, /ok -> (error -\d+|HTTP \d+|tool error) +3  e\.g\. tools\/call files\\u001b__nothing/);
    const { out: json } = await run('replay', other, '--against', live, '--speed', '1000', '--json');
    const report = JSON.parse(json);
    assert.deepEqual([report.differ, report.changes.length, report.changes[0].count], [3, 1, 3]);
  });

  await step('replay --against: no stand-in is sent, the token is', async () => {
    const seen = [];
    const server = http.createServer((request, response) => {
      seen.push(request);
      request.resume();
      if (request.method === 'GET') return response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
      return response.writeHead(200, { 'Mcp-Session-Id': 'theirs' }).end();
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    defer(() => server.close());
    await run('replay', whole, '--against', `http://127.0.0.1:${server.address().port}`, '--speed', '1000', '--bearer-env', 'LIVE_TOKEN');
    assert.equal(seen.length, 7);
    for (const { headers } of seen) {
      assert.equal(headers.authorization, 'Bearer live-token');
      assert.ok(!JSON.stringify(headers).includes('secret:'), JSON.stringify(headers));
    }
    assert.deepEqual(seen.map(({ headers }) => headers['mcp-session-id']), [undefined, ...Array(6).fill('theirs')]);
    const unset = await run('replay', whole, '--against', live, '--bearer-env', 'NOT_SET');
    assert.equal(unset.code, 2);
    assert.match(unset.err, /no environment variable has this name/);
  });

  await step('replay --against: Ctrl-C gives what there is, and nobody there is told at once', async () => {
    const silent = http.createServer(() => {});
    await new Promise((done) => silent.listen(0, '127.0.0.1', done));
    defer(() => (silent.closeAllConnections(), silent.close()));
    const child = new Child(sim, ['replay', whole, '--against', `http://127.0.0.1:${silent.address().port}`]);
    await new Promise((done) => silent.once('request', done));
    child.process.kill('SIGINT');
    assert.equal((await child.exit).code, 130);
    assert.match(child.out[0], /^Interrupted; so far: 0 requests/);
    const nobody = await run('replay', whole, '--against', `http://127.0.0.1:${await deadPort()}`);
    assert.equal(nobody.code, 2);
    assert.match(nobody.err, /can not be reached: can not connect: Connection refused/);
  });
});
