// Recordings of what goes wrong or goes elsewhere: tokens that are refused for what they say, forms where messages are expected,
// sinks and collectors beside the upstreams, secrets on several lines. Each is replayed equal, and keeps no secret.
// Arguments: gate, gate-sim.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { CheckingUpstream } from '../../simulations/peers/checking_upstream.mjs';
import { Gate, scratch } from '../../simulations/peers/gate.mjs';
import { once } from '../../simulations/peers/http.mjs';
import { knock, requiring } from '../../simulations/peers/identity.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { runToEnd } from '../../simulations/peers/process.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { suite } from './support/suite.mjs';

const [, , binary, sim] = process.argv;
const folder = scratch();
const entry = (server) => ({ id: server.name, url: server.url, namespace: server.name });

async function assertEqual(file) {
  const { code, out, err } = await runToEnd(sim, ['replay', file]);
  assert.equal(code, 0, out.slice(0, 3000) + err);
  assert.match(out, / 0 differ/);
}

await suite('recordings of refusals', async ({ step, defer }) => {
  const issuer = await IdentityProvider.start();
  const server = await CheckingUpstream.start({ name: 'a', names: ['echo'] });
  const heard = [];
  const elsewhere = http.createServer((request, response) => {
    heard.push(request.url);
    request.resume().on('end', () => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}'));
  });
  await new Promise((done) => elsewhere.listen(0, '127.0.0.1', done));
  const there = `http://127.0.0.1:${elsewhere.address().port}`;
  defer(function peersEnd() {
    elsewhere.closeAllConnections();
    elsewhere.close();
    return Promise.all([issuer.stop(), server.stop()]);
  });
  const recorded = async (name, config, act, args = []) => {
    const file = path.join(folder, `${name}.jsonl`);
    const gate = await Gate.start(binary, { upstreams: [entry(server)], ...config }, { args: ['--record', file, ...args] });
    try {
      await act(gate);
    } finally {
      await gate.end();
    }
    return file;
  };
  const calls = async (gate, count = 3) => {
    const session = await Session.open(gate);
    for (let i = 0; i < count; i += 1) assert.ok((await session.call('a__echo', { text: `${i}` })).result);
    await session.end();
  };

  await step('tokens that are refused for what they say are again', async () => {
    const whys = { expired: { lifetime: -600 }, audience: { aud: ['https://elsewhere.example'] }, early: { claims: { nbf: 4_000_000_000 } }, nobody: { sub: '' } };
    const file = await recorded('tokens', requiring([issuer], {}), async (gate) => {
      assert.equal((await knock(gate, issuer.token({ sub: 'ann' }))).status, 200);
      for (const why of Object.values(whys)) assert.equal((await knock(gate, issuer.token(why))).status, 401, JSON.stringify(why));
      const [head, claims] = issuer.token({ sub: 'ann' }).split('.');
      assert.equal((await knock(gate, `${head}.${claims}.${'A'.repeat(86)}`)).status, 401);
      assert.equal((await knock(gate, 'opaque')).status, 401);
    });
    await assertEqual(file);
  });

  await step('a form where a message is expected has no secret members', async () => {
    const file = await recorded('form', {}, async (gate) => {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json, text/event-stream' };
      const { status } = await once(gate.port, { method: 'POST', path: '/mcp', headers, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
      assert.ok(status >= 400);
    });
    assert.match(readFileSync(file, 'utf8'), /\\"code\\":-3/);
    await assertEqual(file);
  });

  await step('what is told to sinks and collectors is not compared, nor are secrets of theirs kept', async () => {
    const config = {
      audit: { sinks: [{ type: 'webhook', url: `${there}/sink?vendorApiKey=LEAKED-1`, headers: { 'X-Vendor-Token': 'LEAKED-2' } }] },
      tracing: { otlpEndpoint: there, sampleRatio: 1 },
    };
    const file = await recorded('sinks', config, async (gate) => {
      await calls(gate);
      await until(() => heard.some((url) => url.startsWith('/sink')) && heard.includes('/v1/traces'), 'both to hear');
    });
    assert.doesNotMatch(readFileSync(file, 'utf8'), /LEAKED/);
    await assertEqual(file);
  });

  await step('the stream of what happens is compared but for its times', async () => {
    const file = await recorded('activity', { server: { introspection: { enabled: true } } }, async (gate) => {
      const seen = [];
      const request = http.get({ port: gate.port, host: '127.0.0.1', path: '/api/activity', headers: { Accept: 'text/event-stream' } }, (answer) => answer.on('data', (data) => seen.push(data)));
      request.on('error', () => {});
      await until(() => request.res, 'the stream');
      await calls(gate);
      await until(() => seen.join('').split('a__echo').length > 3, 'the calls on it');
      request.destroy();
    });
    await assertEqual(file);
  });

  await step('a secret on several lines of a stream is none of the recording', async () => {
    server.on('tools/call', (call) => {
      call.openStream();
      const result = { content: [], structuredContent: { credentials: { user: 'joe', key: 'LEAKED-3' }, more: { credentials: ['LEAKED-4'] } } };
      call.event(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(call.id), result }, null, 1));
      call.response.end();
    });
    const file = await recorded('lines', {}, async (gate) => {
      const session = await Session.open(gate);
      const { result } = await session.call('a__echo', {});
      assert.equal(result.structuredContent.credentials.key, 'LEAKED-3');
      await session.post('{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"a__echo","arguments":{"credentials": {\n "key": "LEAKED-5",\n},}}}');
      await session.end();
    }, ['--record-redact', 'credentials']);
    assert.doesNotMatch(readFileSync(file, 'utf8'), /LEAKED/);
    await assertEqual(file);
  });

  await step('to a live gateway: what can not be sent is said, and no token breaks a line', async () => {
    const file = await recorded('large', {}, (gate) => calls(gate, 1));
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
    const one = lines.find(({ e }) => e === 'request');
    one.headers.push(['X-Long', 'x'.repeat(70_000)]);
    writeFileSync(`${file}.edited.jsonl`, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const gate = await Gate.start(binary, { upstreams: [entry(server)] });
    defer(function gateEnds() { return gate.stop(); });
    const against = (env) => runToEnd(sim, ['replay', `${file}.edited.jsonl`, '--against', `http://127.0.0.1:${gate.port}`, ...(env ? ['--bearer-env', 'SHOWN'] : [])], { env: { ...process.env, SHOWN: env ?? '' } });
    const { code, out } = await against();
    assert.equal(code, 1);
    assert.match(out, /can not be sent/);
    const broken = await against('abc\r\nX-Evil: y');
    assert.equal(broken.code, 2);
    assert.match(broken.err, /is no bearer token/);
  });

  await step('a page of a story replaces pages only', async () => {
    const page = path.join(folder, 'story.html'), other = path.join(folder, 'other.txt');
    const tell = (to) => runToEnd(sim, ['run', 'calm', '--seeds', '1', '--report', to]);
    for (let i = 0; i < 2; i += 1) assert.equal((await tell(page)).code, 0);
    assert.ok(existsSync(page));
    writeFileSync(other, 'mine');
    const { code, err } = await tell(other);
    assert.equal(code, 2);
    assert.match(err, /name another file/);
    assert.equal(readFileSync(other, 'utf8'), 'mine');
  });
});
