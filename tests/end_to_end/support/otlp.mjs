// A collector of spans: takes exports as a receiver, and has them read by OpenTelemetry's own messages (Python).
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { Child } from '../../../simulations/peers/process.mjs';
import { Receiver } from '../../../simulations/peers/receiver.mjs';
import { until } from '../../../simulations/peers/waiting.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const environment = path.join(here, '../../../build/python/traces');

/** Ends the script with a clear word if what reads spans is missing: a test that cannot run fails. */
export function requireSpanReader() {
  if (existsSync(path.join(environment, '.installed'))) return;
  console.error('FAIL: the messages of OpenTelemetry are not installed; run `make test`, or');
  console.error('`scripts/python-deps tests/end_to_end/python build/python`.');
  process.exit(1);
}

class SpanReader extends Child {
  read = [];

  constructor() {
    super(path.join(environment, 'bin/python'), [path.join(here, '../python/spans.py')],
      { name: 'reader of spans', stdin: 'pipe', env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1' } });
    createInterface({ input: this.process.stdout }).on('line', (line) => this.read.push(JSON.parse(line)));
  }

  /** What these exports (bytes) say: `{ resource, scope, spans }` each. */
  async of(exports) {
    const from = this.read.length;
    for (const bytes of exports) this.process.stdin.write(`${bytes.toString('base64')}\n`);
    await until(() => {
      if (this.ended) throw new Error(`an export can not be read: ${this.err.join('\n')}`);
      return this.read.length === from + exports.length;
    }, 'exports to be read');
    return this.read.slice(from);
  }
}

export class Collector extends Receiver {
  static async start(settings = {}) {
    const collector = await super.start({ binary: true, ...settings });
    collector.reader = new SpanReader();
    collector.says(200);
    return collector;
  }

  async stop() {
    this.reader.process.stdin.end();
    await this.reader.exit;
    await super.stop();
  }

  get base() {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The same place in words that are not those of this machine. */
  get elsewhere() {
    return `http://[::ffff:127.0.0.1]:${this.port}`;
  }

  /** The exports so far, read: `{ resource, scope, spans }` each. */
  exports() {
    return this.reader.of(this.deliveries.map(({ headers, body }) => {
      if (headers['content-type'] !== 'application/x-protobuf') throw new Error(headers['content-type']);
      return headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    }));
  }

  /** The spans of all of them. */
  async spans() {
    return (await this.exports()).flatMap(({ spans }) => spans);
  }
}
