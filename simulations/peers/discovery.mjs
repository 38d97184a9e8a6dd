// gate-discovery as a process, before an API server of the tests (cluster.mjs).
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { METRICS_REUSE_MS, cleanEnvironment, samplesOf, scratch } from './gate.mjs';
import { once } from './http.mjs';
import { Child } from './process.mjs';
import { sleep, until } from './waiting.mjs';

export class Discovery extends Child {
  /** Starts `command` before `cluster` and waits until it listens. `file`: of the token that it shows there. */
  static async start(cluster, { command, args = [], env = {}, file = path.join(scratch(), 'token') } = {}) {
    writeFileSync(file, `${cluster.token}\n`);
    const [program, ...before] = command;
    const discovery = new this(program, [...before, '--api-server', cluster.url, '--token-file', file, '--port', '0', ...args],
      { name: 'gate-discovery', env: cleanEnvironment(env) });
    const [, port] = await discovery.says(/listening on http:\/\/[^:]+:(\d+)/, 30_000);
    return Object.assign(discovery, { port: Number(port), tokenFile: file });
  }

  get(path = '/upstreams', headers = {}) {
    return once(this.port, { method: 'GET', path, headers });
  }

  async health() {
    const { status, body } = await this.get('/health');
    return { status, ...JSON.parse(body) };
  }

  /** The samples of /metrics, not those that were told before. */
  async metrics() {
    await sleep((this.counted ?? 0) + METRICS_REUSE_MS + 50 - performance.now());
    const { status, body } = await this.get('/metrics');
    this.counted = performance.now();
    assert.equal(status, 200);
    return samplesOf(body);
  }

  /** The ids of the document, in its order; nothing while there is none. */
  async ids() {
    const { status, body } = await this.get();
    return status === 200 ? JSON.parse(body).upstreams.map(({ id }) => id) : undefined;
  }

  async tells(...ids) {
    let last;
    const there = async () => (last = JSON.stringify(await this.ids())) === JSON.stringify(ids);
    await until(there, `the document to be of ${ids}`).catch((error) => {
      throw new Error(`${error.message}; it is of ${last}\n${this.log()}`);
    });
  }

  said(pattern) {
    return this.err.filter((line) => pattern.test(line));
  }

  async end() {
    const { code, signal } = await this.stop();
    assert.deepEqual([code, signal], [0, null], this.log());
  }
}
