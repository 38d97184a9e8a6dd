// Traces: spans of calls of both official clients, through the program, to a collector whose exports OpenTelemetry's own
// messages read; and collectors that are slow, dead, refuse, redirect, hang up. None of it costs a call anything.
// Arguments: gate.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Gate, cleanEnvironment, sample, scratch } from '../../simulations/peers/gate.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { runToEnd } from '../../simulations/peers/process.mjs';
import { Upstream, deadPort } from '../../simulations/peers/upstream.mjs';
import { sleep, until } from '../../simulations/peers/waiting.mjs';
import { Collector, requireSpanReader } from './support/otlp.mjs';
import { gateBinary, suite } from './support/suite.mjs';
import { StatelessServer } from './support/stateless_server.mjs';
import { connected } from './support/stateless_sdk_exchange.mjs';

requireSpanReader();
const binary = gateBinary();
const DROPPED = 'gate_trace_dropped_total';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const SERVER = 2;
const CLIENT = 3;

await suite('traces', async ({ step, defer }) => {
  const upstream = await Upstream.start();
  defer(() => upstream.stop());
  const stateless = await StatelessServer.start({ name: 'plain' });
  defer(() => stateless.stop());

  const collecting = async (settings) => {
    const collector = await Collector.start(settings);
    defer(() => collector.stop());
    return collector;
  };
  /** A gate that tells its spans this place. */
  const start = (otlpEndpoint, tracing = {}) => Gate.start(binary, {
    upstreams: [{ id: 'a', url: upstream.url, namespace: 'a' },
      { id: 's', url: stateless.url, namespace: 's', protocol: '2026-07-28' }],
    audit: { sinks: [{ type: 'stdout' }] },
    tracing: { otlpEndpoint, ...tracing },
  });
  const calling = async (gate, count) => {
    gate.session ??= await Session.open(gate);
    for (let i = 0; i < count; i += 1) {
      const answer = await gate.session.request('tools/call', { name: 'a__echo', arguments: { words: `${i}` } });
      assert.ok(answer.result, JSON.stringify(answer));
    }
  };
  const named = (spans, name) => spans.filter((span) => span.name === name);
  const dropped = async (gate, reason) => sample(await gate.metrics(), DROPPED, { reason });

  for (const [what, mode, version] of [['session', 'legacy', /^2025-/], ['stateless', 'modern', /^2026-07-28$/]]) {
    await step(`the official ${what} client's calls are spans, and its trace is theirs`, async () => {
      const collector = await collecting();
      const gate = await start(collector.base, { serviceName: `gate for ${what}` });
      const { client } = await connected(gate.url, mode, { capabilities: {} });
      const { tools } = await client.listTools();
      assert.ok(tools.some(({ name }) => name === 'a__echo'), JSON.stringify(tools));
      await client.callTool({
        name: 'a__echo', arguments: { words: 'hello' }, _meta: { traceparent: PARENT, tracestate: 'v=1' },
      });
      assert.equal((await client.callTool({ name: 's__fails', arguments: {} })).isError, true);
      await assert.rejects(client.callTool({ name: 'nobody__tool', arguments: {} }));
      await client.close();
      await gate.end();

      const exports = await collector.exports();
      for (const { resource, scope } of exports) {
        assert.equal(resource['service.name'], `gate for ${what}`);
        assert.match(resource['service.version'], /^\d+\.\d+\.\d+/);
        assert.equal(scope, 'gate');
      }
      const spans = exports.flatMap((each) => each.spans);
      assert.equal(new Set(spans.map(({ id }) => id)).size, spans.length, 'each span has an id of its own');
      for (const span of spans) {
        assert.ok(BigInt(span.end) >= BigInt(span.start), JSON.stringify(span));
        assert.ok(Math.abs(Number(BigInt(span.start) / 1000000n) - Date.now()) < 600_000, 'it is about now');
        assert.equal(span.status === 2, 'error.type' in span.attributes, JSON.stringify(span));
      }

      const [call, failed, refused] = named(spans, 'tools/call');
      assert.equal(call.kind, SERVER);
      assert.equal(call.trace, TRACE);
      assert.equal(call.parent, '00f067aa0ba902b7');
      assert.equal(call.state, 'v=1');
      const { attributes } = call;
      assert.equal(attributes['mcp.method'], 'tools/call');
      assert.equal(attributes['mcp.name'], 'a__echo');
      assert.equal(attributes['fold.upstream'], 'a');
      assert.equal(attributes['fold.outcome'], 'ok');
      assert.equal(attributes['mcp.method.name'], 'tools/call');
      assert.equal(attributes['gen_ai.tool.name'], 'a__echo');
      assert.equal(attributes['gen_ai.operation.name'], 'execute_tool');
      assert.match(attributes['jsonrpc.request.id'], /^\d+$/);
      assert.match(attributes['mcp.protocol.version'], version);
      assert.equal('mcp.session.id' in attributes, what === 'session');
      assert.ok(!('enduser.id' in attributes));
      assert.equal(failed.attributes['error.type'], 'tool_error');
      assert.equal(failed.attributes['fold.upstream'], 's');
      assert.match(refused.attributes['error.type'], /^-3[12]043$/);
      assert.equal(refused.attributes['rpc.response.status_code'], refused.attributes['error.type']);

      const worked = named(spans, 'upstream a').find(({ parent }) => parent === call.id);
      assert.equal(worked.kind, CLIENT);
      assert.equal(worked.trace, TRACE);
      assert.equal(worked.attributes['fold.outcome'], 'ok');

      const list = named(spans, 'tools/list')[0];
      const asked = spans.filter(({ parent }) => parent === list.id).map(({ name }) => name).sort();
      assert.deepEqual(asked, ['upstream a', 'upstream s']);
      assert.equal(named(spans, 'initialize').length, what === 'session' ? 1 : 0);

      const events = gate.events.filter(({ method }) => method === 'tools/call');
      assert.deepEqual(events.map(({ traceId }) => traceId), [TRACE, failed.trace, refused.trace]);
    });
  }

  await step('servers of both generations are told our spans', async () => {
    const collector = await collecting();
    const gate = await start(collector.base);
    await calling(gate, 1);
    const answer = await gate.session.request('tools/call',
      { name: 's__echo', arguments: { words: 'x' }, _meta: { traceparent: PARENT } });
    assert.ok(answer.result ?? answer.error, JSON.stringify(answer));
    await gate.end();
    const spans = await collector.spans();
    const told = stateless.of('tools/call').at(-1);
    const worked = named(spans, 'upstream s').find(({ trace }) => trace === TRACE);
    const ours = `00-${TRACE}-${worked.id}-01`;
    assert.equal(told.headers.traceparent, ours);
    assert.equal(JSON.parse(told.body).params._meta.traceparent, ours);
  });

  await step('a share of the traces begun here is recorded, whole', async () => {
    const collector = await collecting();
    const gate = await start(collector.base, { sampleRatio: 0.5 });
    await calling(gate, 100);
    await gate.end();
    const spans = await collector.spans();
    const calls = named(spans, 'tools/call');
    assert.ok(calls.length > 20 && calls.length < 80, `${calls.length} of 100`);
    for (const call of calls) assert.equal(named(spans, 'upstream a').filter(({ parent }) => parent === call.id).length, 1);
    assert.ok(gate.events.every(({ traceId }) => /^[0-9a-f]{32}$/.test(traceId)), 'the others are named all the same');
  });

  await step('bodies are packed for the way, not for a collector on this machine', async () => {
    for (const [where, encoding] of [['base', undefined], ['elsewhere', 'gzip']]) {
      const collector = await collecting();
      const gate = await start(collector[where]);
      await calling(gate, 1);
      await gate.end();
      assert.deepEqual(new Set(collector.deliveries.map(({ headers }) => headers['content-encoding'])), new Set([encoding]));
      assert.ok((await collector.spans()).some(({ name }) => name === 'tools/call'));
    }
  });

  await step('a base URL with a path is taken as it is', async () => {
    const collector = await collecting();
    const seen = [];
    collector.answer = (request, response) => { seen.push(request.url); response.writeHead(200).end(); };
    const gate = await start(`${collector.base}/otlp/spans`);
    await calling(gate, 1);
    await gate.end();
    assert.deepEqual([...new Set(seen)], ['/otlp/spans']);
  });

  await step('one that is busy is asked again when it has said, and gets everything', async () => {
    const collector = await collecting();
    collector.says(429, { 'retry-after': '1' });
    const gate = await start(collector.base);
    await calling(gate, 300);
    const record = await gate.tells(/^Spans can not be exported/);
    assert.match(record.msg, /HTTP 429/);
    const first = collector.deliveries.length;
    collector.says(200);
    await gate.tells(/^Spans are exported again/);
    await gate.end();
    assert.deepEqual(collector.deliveries[first].body, collector.deliveries[0].body, 'the same once more');
    collector.deliveries.splice(0, first);
    const calls = named(await collector.spans(), 'tools/call');
    assert.equal(calls.length, 300);
  });

  for (const [what, prepare, detail, reason] of [
    ['refuses', (c) => c.says(400), /HTTP 400/, 'refused'],
    ['redirects', (c) => c.says(307, { location: `${c.base}/other` }), /307/, 'refused'],
    ['hangs up without an answer', (c) => { c.answer = (request) => request.socket.destroy(); }, /./, 'failed'],
    ['closes its side and says nothing', (c) => { c.answer = (request) => request.socket.end(); }, /./, 'failed'],
    ['speaks nonsense', (c) => { c.answer = (request) => request.socket.end('SMTP 1\r\n\r\n'); }, /./, 'failed'],
  ]) {
    await step(`of one that ${what} the spans are lost and counted, and calls go on`, async () => {
      const collector = await collecting();
      prepare(collector);
      const gate = await start(collector.base);
      await calling(gate, 300);
      const record = await gate.tells(/^Spans can not be exported/);
      assert.match(record.msg, detail);
      await calling(gate, 5);
      if (reason === 'refused') {
        await until(async () => await dropped(gate, reason) >= 512, 'its spans to be dropped');
        assert.equal(await dropped(gate, 'failed'), 0);
        // (Of others it is, once these have waited long enough.)
        const asked = collector.deliveries.map(({ body }) => body.toString('latin1'));
        assert.ok(asked.length > 0);
        assert.equal(new Set(asked).size, asked.length, 'it is not asked again');
      } else {
        await until(() => collector.requests >= 2, 'another try', 20_000);
      }
      assert.equal(gate.said(/^Spans can not be exported/).length, 1);
      await gate.end();
    });
  }

  await step('one that is slow gets everything, and no call waits for it', async () => {
    const collector = await collecting();
    const order = [];
    let allCalled;
    const called = new Promise((done) => { allCalled = done; });
    // The first export is answered a second after the last call; each that follows, a second after it came.
    collector.answer = async (_, response) => {
      await called;
      await sleep(1000);
      order.push('answered');
      response.writeHead(200).end();
    };
    const gate = await start(collector.base);
    await calling(gate, 300);
    await until(() => collector.deliveries.length === 1, 'the first export');
    for (let i = 0; i < 20; i += 1) {
      await calling(gate, 1);
      order.push('called');
    }
    allCalled();
    await until(async () => named(await collector.spans(), 'tools/call').length === 320, 'all to arrive');
    assert.deepEqual(order.slice(0, 20), Array(20).fill('called'));
    assert.ok(order.includes('answered'));
    assert.deepEqual(gate.said(/^Spans can not be exported/), []);
    for (const reason of ['failed', 'overflow', 'refused']) assert.equal(await dropped(gate, reason), 0, reason);
    collector.says(200);
    await gate.end();
    const ids = (await collector.spans()).map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, 'none twice');
  });

  await step('one that hangs, one that is dead: the end waits for three seconds at most', async () => {
    const hanging = await collecting();
    hanging.answer = () => {};
    for (const url of [hanging.base, `http://127.0.0.1:${await deadPort()}`]) {
      const gate = await start(url);
      await calling(gate, 50);
      await gate.end();
      assert.equal(gate.events.filter(({ method }) => method === 'tools/call').length, 50);
    }
  });

  await step('a change of it takes a restart, and what is wrong is told with its place', async () => {
    const collector = await collecting();
    const gate = await start(collector.base);
    const records = await gate.reload({ upstreams: [{ id: 'a', url: upstream.url, namespace: 'a' }], tracing: { otlpEndpoint: 'http://other.test' } });
    assert.ok(records.some(({ msg }) => msg.includes('/tracing: the tracing section cannot change without a restart')), JSON.stringify(records));
    await gate.end();
    const folder = scratch();
    mkdirSync(folder, { recursive: true });
    const config = path.join(folder, 'wrong.json');
    writeFileSync(config, JSON.stringify({ upstreams: [{ id: 'a', url: upstream.url }], tracing: { otlpEndpoint: 'collector:4318', sampleRatio: 2 } }));
    const ended = await runToEnd(binary, ['--config', config, '--port', '0'], { env: cleanEnvironment() });
    assert.equal(ended.code, 1);
    const said = ended.child.err.join('\n');
    assert.match(said, /\/tracing\/sampleRatio: /);
    assert.match(said, /\/tracing\/otlpEndpoint: /);
  });
});
