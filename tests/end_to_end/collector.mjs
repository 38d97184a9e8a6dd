// Traces as OpenTelemetry's own collector takes them: spans of calls of both official clients, through the program, over HTTP
// in gzip, into the collector, judged by what it has written. Slow to build, so no part of `make test`: `make test-collector`.
// Arguments: gate, collector.
import assert from 'node:assert/strict';
import { Gate, sample } from '../../simulations/peers/gate.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { Upstream } from '../../simulations/peers/upstream.mjs';
import { RealCollector } from './support/real_collector.mjs';
import { gateBinary, suite } from './support/suite.mjs';
import { StatelessServer } from './support/stateless_server.mjs';
import { connected } from './support/stateless_sdk_exchange.mjs';

const binary = gateBinary();
const collectorBinary = process.argv[3];
if (!collectorBinary) {
  console.error(`usage: node ${process.argv[1]} <gate binary> <collector binary>`);
  process.exit(2);
}
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;
const named = (spans, name) => spans.filter((span) => span.name === name);

await suite('a real collector', async ({ step, defer }) => {
  const upstream = await Upstream.start();
  defer(() => upstream.stop());
  const stateless = await StatelessServer.start({ name: 'plain' });
  defer(() => stateless.stop());

  /** A gate that exports to a collector of its own. */
  const start = async (tracing = {}) => {
    const collector = await RealCollector.start(collectorBinary);
    defer(() => collector.stop());
    const gate = await Gate.start(binary, {
      upstreams: [{ id: 'a', url: upstream.url, namespace: 'a' },
        { id: 's', url: stateless.url, namespace: 's', protocol: '2026-07-28' }],
      audit: { sinks: [{ type: 'stdout' }] },
      tracing: { otlpEndpoint: collector.base, ...tracing },
    });
    return { gate, collector };
  };
  /** All that the collector has understood, when the gate has ended; nothing was refused. */
  const told = async (gate, collector) => {
    await gate.end();
    assert.equal(gate.said(/^Spans can not be exported/).length, 0);
    assert.ok(collector.exports.length > 0);
    for (const { headers, status, type } of collector.exports) {
      assert.equal(headers['content-type'], 'application/x-protobuf');
      assert.equal(headers['content-encoding'], 'gzip');
      assert.equal(status, 200);
      assert.equal(type, 'application/x-protobuf');
    }
    return collector.told();
  };

  for (const [what, mode, version] of [['session', 'legacy', /^2025-/], ['stateless', 'modern', /^2026-07-28$/]]) {
    await step(`the official ${what} client's calls are there, each under its parent`, async () => {
      const { gate, collector } = await start({ serviceName: `gate for ${what}` });
      const { client } = await connected(gate.url, mode, { capabilities: {} });
      await client.listTools();
      await client.callTool({
        name: 'a__echo', arguments: { words: 'hello' }, _meta: { traceparent: PARENT, tracestate: 'v=1' },
      });
      assert.equal((await client.callTool({ name: 's__fails', arguments: {} })).isError, true);
      await assert.rejects(client.callTool({ name: 'nobody__tool', arguments: {} }));
      await client.close();

      const groups = await told(gate, collector);
      for (const { resource, scope } of groups) {
        assert.equal(resource['service.name'], `gate for ${what}`);
        assert.match(resource['service.version'], /^\d+\.\d+\.\d+/);
        assert.equal(scope, 'gate');
      }
      const spans = groups.flatMap((group) => group.spans);
      assert.equal(new Set(spans.map(({ id }) => id)).size, spans.length, 'each span has an id of its own');
      const byId = new Map(spans.map((span) => [span.id, span]));
      for (const span of spans) {
        assert.match(span.trace, /^[0-9a-f]{32}$/);
        assert.match(span.id, /^[0-9a-f]{16}$/);
        assert.ok(BigInt(span.end) >= BigInt(span.start), JSON.stringify(span));
        assert.equal(span.status === ERROR, 'error.type' in span.attributes, JSON.stringify(span));
        if (span.kind !== CLIENT) continue;
        const parent = byId.get(span.parent);
        assert.equal(parent?.kind, SERVER, JSON.stringify(span));
        assert.equal(parent.trace, span.trace);
      }

      const [call, failed, refused] = named(spans, 'tools/call');
      assert.deepEqual([call.kind, call.trace, call.parent, call.state], [SERVER, TRACE, '00f067aa0ba902b7', 'v=1']);
      const { attributes } = call;
      for (const [key, value] of [
        ['mcp.method', 'tools/call'], ['mcp.method.name', 'tools/call'], ['mcp.name', 'a__echo'], ['fold.upstream', 'a'],
        ['fold.outcome', 'ok'], ['gen_ai.tool.name', 'a__echo'], ['gen_ai.operation.name', 'execute_tool'],
      ]) assert.equal(attributes[key], value, key);
      assert.match(attributes['jsonrpc.request.id'], /^\d+$/);
      assert.match(attributes['mcp.protocol.version'], version);
      assert.equal('mcp.session.id' in attributes, what === 'session');
      assert.equal(failed.attributes['error.type'], 'tool_error');
      assert.match(refused.attributes['rpc.response.status_code'], /^-3[12]043$/);

      const worked = named(spans, 'upstream a').find(({ parent }) => parent === call.id);
      assert.equal(worked.attributes['fold.outcome'], 'ok');
      assert.equal(worked.attributes['mcp.method.name'], 'tools/call');
      const [list] = named(spans, 'tools/list');
      const asked = spans.filter(({ parent }) => parent === list.id).map(({ name }) => name).sort();
      assert.deepEqual(asked, ['upstream a', 'upstream s']);

      const events = gate.events.filter(({ method }) => method === 'tools/call');
      assert.deepEqual(events.map(({ traceId }) => traceId), [TRACE, failed.trace, refused.trace]);
    });
  }

  await step('1,500 calls are 1,500 spans and theirs, in several exports', async () => {
    const { gate, collector } = await start();
    const session = await Session.open(gate);
    for (let i = 0; i < 1500; i += 1) {
      const answer = await session.request('tools/call', { name: 'a__echo', arguments: { words: `${i}` } });
      assert.ok(answer.result, JSON.stringify(answer));
    }
    for (const reason of ['overflow', 'failed', 'refused'])
      assert.equal(sample(await gate.metrics(), 'gate_trace_dropped_total', { reason }), 0, reason);
    const spans = (await told(gate, collector)).flatMap((group) => group.spans);
    assert.ok(collector.exports.length >= 6, `${collector.exports.length} exports`);
    const calls = named(spans, 'tools/call');
    assert.equal(calls.length, 1500);
    const parents = new Map();
    for (const { parent } of named(spans, 'upstream a')) parents.set(parent, (parents.get(parent) ?? 0) + 1);
    for (const { id } of calls) assert.equal(parents.get(id), 1);
  });

  await step('names that no collector would take are made such that it takes them', async () => {
    const { gate, collector } = await start();
    const session = await Session.open(gate);
    const names = ['a__\ud800alone', 'a__\u202eltr', 'a__\u0000', `a__${'é'.repeat(5000)}`, 'b__🙂', '"\\'];
    for (const name of names) await session.request('tools/call', { name, arguments: {} });
    const calls = named((await told(gate, collector)).flatMap((group) => group.spans), 'tools/call');
    assert.equal(calls.length, names.length);
    const seen = calls.map(({ attributes }) => attributes['mcp.name']);
    assert.ok(seen.includes('a__\u202eltr') && seen.includes('b__🙂') && seen.includes('"\\'), JSON.stringify(seen));
    for (const name of seen.filter(Boolean)) assert.ok(Buffer.byteLength(name) <= 1024, `${Buffer.byteLength(name)}`);
  });
});
