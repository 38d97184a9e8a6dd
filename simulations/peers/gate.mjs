// The gateway as a process: started on a port of its own, its audit lines read from
// standard output, and ended with a look at its exit code and at what the sanitizers said.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { once } from './http.mjs';
import { Session } from './mcp.mjs';
import { Child } from './process.mjs';
import { sleep, until } from './waiting.mjs';

let fences = 0;

/** So long the gateway uses the text of /metrics again. */
export const METRICS_REUSE_MS = 1000;

const folders = [];
process.on('exit', () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A scratch folder that goes away with its user. */
export function scratch() {
  const folder = mkdtempSync(path.join(tmpdir(), 'gate-e2e-'));
  folders.push(folder);
  return folder;
}

/** The configuration unless another is said: audit lines on standard output. */
export const withAudit = (config) => ({ audit: { sinks: [{ type: 'stdout' }] }, ...config });

/** An environment without anything that could configure the gateway behind its user's back. */
export function cleanEnvironment(extra = {}) {
  const env = { ...process.env };
  for (const name of ['GATE_CONFIG', 'REDIS_URL']) delete env[name];
  return { ...env, ...extra };
}

let recordings = 0;

/** Options of a gateway that records, if whoever runs us wants to replay what it lives through. */
function recorded() {
  const folder = process.env.GATE_RECORDINGS;
  if (!folder) return [];
  recordings += 1;
  return ['--record', path.join(folder, `${path.basename(process.argv[1], '.mjs')}-${process.pid}-${recordings}.jsonl`)];
}

function recordOf(line) {
  if (line.startsWith('{')) return JSON.parse(line);
  const [, time, level, msg] = line.match(/^(\S+) (\S+) +(.*)$/) ?? [, , , line];
  return { time, level, msg };
}

export class Gate extends Child {
  path = '/mcp';
  /** What questions of the process that holds this carry where authentication is required. */
  token = undefined;

  /** Starts `binary` with `config` (an object) and waits until it listens. */
  static async start(binary, config, { threads = 1, before = [], args = [], env = {}, logFormat = 'text', token } = {}) {
    const file = path.join(scratch(), 'gate.json');
    writeFileSync(file, JSON.stringify(withAudit(config)));
    const gate = new this(
      binary,
      [...before, '--config', file, '--host', '127.0.0.1', '--port', '0', '--threads', String(threads),
        '--log-format', logFormat, '--log-level', 'info', ...recorded(), ...args],
      { name: 'gate', env: cleanEnvironment(env) },
    );
    const listening = await gate.says(/listening on (http:\/\/127\.0\.0\.1:(\d+)[^\s"]*)/, 30_000);
    gate.url = listening[1];
    gate.port = Number(listening[2]);
    gate.path = new URL(gate.url).pathname;
    gate.token = token;
    gate.file = file;
    return gate;
  }

  /** Puts another document (object or text) where the running one came from. */
  write(config) {
    writeFileSync(this.file, typeof config === 'string' ? config : JSON.stringify(withAudit(config)));
  }

  /** Has it take over `config` and returns the records in which it says what came of that. */
  reload(config) {
    this.write(config);
    const from = this.err.length;
    this.signal('SIGHUP');
    return this.reloaded(from);
  }

  /** The records, from line `from` of the log on, of the next reload: one, or one for each problem. */
  async reloaded(from = this.err.length) {
    const what = /^The configuration was (not )?reloaded/;
    await until(() => this.said(what, from).length || this.ended, 'the configuration to be reloaded, or not');
    return this.said(what, from);
  }

  /**
   * The records whose sentence matches, from line `from` of the log on. With `--log-format text` the
   * sentence is not told from what follows it.
   */
  said(pattern, from = 0) {
    return this.err.slice(from).map(recordOf).filter(({ msg }) => pattern.test(msg));
  }

  /** The same once there are so many of them, which is all there may be: the log comes over a pipe, a moment late. */
  async told(pattern, count, from = 0) {
    await until(() => this.said(pattern, from).length >= count || this.ended, `the gateway to say ${pattern} ${count} times`);
    const records = this.said(pattern, from);
    assert.equal(records.length, count, `${pattern}: ${JSON.stringify(records)}`);
    return records;
  }

  /** Waits for such a record. */
  async tells(pattern, from = 0) {
    await until(() => this.said(pattern, from).length || this.ended, `the gateway to say ${pattern}`);
    const [record] = this.said(pattern, from);
    assert.ok(record, `ended before it said ${pattern}:\n${this.log()}`);
    return record;
  }

  /** The audit events so far. */
  get events() {
    return this.out.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  }

  /**
   * The audit events that `action` caused. A call under a name that nobody else uses follows it:
   * when its event has come, the earlier ones have too, so "no second event" needs no waiting.
   * `action` must have got its answers; for what ends later, use `mark` and `eventually`.
   */
  async eventsOf(action) {
    const from = await this.mark();
    await action();
    return this.eventsSince(from);
  }

  /** The number of events so far, when all that was answered until now is among them. */
  async mark() {
    await this.#passFence();
    return this.events.length;
  }

  /** The events since a `mark`, when all that was answered until now is among them. */
  async eventsSince(from) {
    const name = await this.#passFence();
    return this.events.slice(from).filter((event) => event.name !== name);
  }

  async #passFence() {
    const session = (this.fence ??= await Session.open(this, { token: this.token }));
    fences += 1;
    const name = `fence-${fences}__none`;
    await session.request('tools/call', { name, arguments: {} });
    await until(() => this.events.some((event) => event.name === name), `the audit event of ${name}`);
    return name;
  }

  /** Waits for an audit event since `from` (a `mark`) that `matches`. */
  eventually(matches, what, from = 0) {
    return until(() => this.events.slice(from).find(matches), `an audit event: ${what}`);
  }

  async health(headers = {}) {
    const answer = await once(this.port, { method: 'GET', path: '/health', headers });
    return { status: answer.status, json: JSON.parse(answer.body), headers: answer.headers };
  }

  /** The samples of /metrics, not those that were told before: `name{labels}` to number. */
  async metrics() {
    await sleep((this.counted ?? 0) + METRICS_REUSE_MS + 50 - performance.now());
    const answer = await once(this.port, { method: 'GET', path: '/metrics' });
    this.counted = performance.now(); // they are from before this, however long the answer took
    assert.equal(answer.status, 200);
    return samplesOf(answer.body);
  }

  /** Waits until a sample has this value; undefined: until it is gone. */
  async shows(name, labels, value) {
    let last;
    const asWanted = async () => (last = sample(await this.metrics(), name, labels)) === value;
    try {
      await until(asWanted, `${name} to be ${value}`);
    } catch (error) {
      throw new Error(`${error.message}; ${JSON.stringify(labels)} is ${last}\n${this.log()}`);
    }
  }

  /** What /health says of one upstream. */
  async healthOf(id) {
    return (await this.health()).json.upstreams.find((upstream) => upstream.id === id);
  }

  /** Ends it as an operator would, and fails if it did not end well. */
  async end() {
    const { code, signal } = await this.stop('SIGTERM');
    assert.deepEqual(this.complaints(), [], `a sanitizer complained:\n${this.err.slice(-80).join('\n')}`);
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, this.log());
  }
}

/** The samples of a text of /metrics: `name{labels}` to number. */
export function samplesOf(text) {
  const samples = text.split('\n').filter((line) => line && !line.startsWith('#'));
  return new Map(samples.map((line) => line.match(/^(.*) (\S+)$/).slice(1)).map(([k, v]) => [k, Number(v)]));
}

/** The value of a sample whose labels are given in any order. */
export function sample(metrics, name, labels = {}) {
  const wanted = Object.entries(labels).map(([k, v]) => `${k}="${v}"`);
  for (const [key, value] of metrics)
    if (key.split('{')[0] === name && wanted.every((label) => key.includes(label))) return value;
  return undefined;
}
