// OpenTelemetry's own collector, as a process (tests/end_to_end/collector/), and a door before it that notes how exports come
// and what it says to them. What it has understood it writes to a file.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request as ask } from 'node:http';
import path from 'node:path';
import { cleanEnvironment, scratch } from '../../../simulations/peers/gate.mjs';
import { Child } from '../../../simulations/peers/process.mjs';

const texts = (pairs = []) => {
  const out = Object.fromEntries(pairs.map(({ key, value }) => [key, value.stringValue]));
  if (Object.keys(out).length !== pairs.length) throw new Error(`an attribute twice: ${JSON.stringify(pairs)}`);
  return out;
};

/** In the words of support/otlp.mjs. */
const spanOf = (span) => ({
  trace: span.traceId,
  id: span.spanId,
  parent: span.parentSpanId ?? '',
  state: span.traceState ?? '',
  name: span.name,
  kind: span.kind,
  start: span.startTimeUnixNano,
  end: span.endTimeUnixNano,
  attributes: texts(span.attributes),
  status: span.status?.code ?? 0,
  links: (span.links ?? []).map(({ traceId, spanId }) => ({ trace: traceId, id: spanId })),
});

export class RealCollector extends Child {
  /** Each export: the headers that it came with, and the status and type of the collector's answer. */
  exports = [];

  static async start(binary) {
    const folder = scratch();
    mkdirSync(folder, { recursive: true });
    const config = path.join(folder, 'collector.json');
    const written = path.join(folder, 'traces.jsonl');
    writeFileSync(config, JSON.stringify({
      receivers: { otlp: { protocols: { http: { endpoint: '127.0.0.1:0' } } } },
      exporters: { file: { path: written } },
      service: {
        telemetry: { metrics: { level: 'none' }, logs: { encoding: 'json' } },
        pipelines: { traces: { receivers: ['otlp'], exporters: ['file'] } },
      },
    }));
    const collector = new RealCollector(binary, ['--config', config], { name: 'collector', env: cleanEnvironment() });
    collector.written = written;
    const [, port] = await collector.says(/"Starting HTTP server".*"endpoint":"127\.0\.0\.1:(\d+)"/);
    await collector.says(/"Everything is ready/);
    await collector.#open(Number(port));
    return collector;
  }

  async #open(port) {
    this.door = createServer((from, to) => {
      const note = { headers: from.headers };
      this.exports.push(note);
      const there = ask({ port, host: '127.0.0.1', method: from.method, path: from.url, headers: from.headers }, (answer) => {
        note.status = answer.statusCode;
        note.type = answer.headers['content-type'];
        to.writeHead(answer.statusCode, answer.headers);
        answer.pipe(to);
      });
      there.on('error', () => to.destroy());
      from.pipe(there);
    });
    await new Promise((done) => { this.door.listen(0, '127.0.0.1', done); });
    // In words that are not those of this machine: what goes elsewhere goes in gzip.
    this.base = `http://[::ffff:127.0.0.1]:${this.door.address().port}`;
  }

  /** Ends it; what it has written by then: `{ resource, scope, spans }` each. */
  async told() {
    await this.stop();
    return readFileSync(this.written, 'utf8').split('\n').filter(Boolean)
      .flatMap((line) => JSON.parse(line).resourceSpans)
      .flatMap(({ resource, scopeSpans }) => scopeSpans.map(({ scope, spans }) => (
        { resource: texts(resource.attributes), scope: scope.name, spans: spans.map(spanOf) })));
  }

  async stop() {
    this.door?.closeAllConnections();
    this.door?.close();
    if (!this.ended) await super.stop();
    return this.ended;
  }
}
