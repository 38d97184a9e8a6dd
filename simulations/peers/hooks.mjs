// gate-hooks as a process: started on a port of its own with a store of its own, asked as any client asks it.
import assert from 'node:assert/strict';
import path from 'node:path';
import { scratch } from './gate.mjs';
import { Child } from './process.mjs';
import { sleep, until } from './waiting.mjs';

export const EVENTS = ['deploy.success', 'deploy.failed', 'activation.error', 'rollback.success', 'usage.threshold'];
export const TOKEN = 'a-token-of-the-tests-1';
const STORE = /^(sqlite|postgres):/;

export class Hooks extends Child {
  /**
   * Starts `binary` and waits until it listens. `file`: of its store, or an address of it; a new file unless it is given.
   * `development`: receivers may be on this machine, as those of tests are.
   */
  static async start(binary, { file = path.join(scratch(), 'hooks.db'), token = TOKEN, args = [], env = {}, development = true, logFormat = 'text' } = {}) {
    const hooks = new this(
      binary,
      ['--store', STORE.test(file) ? file : `sqlite:${file}`, '--port', '0', '--log-format', logFormat, ...(token ? ['--bearer-env', 'HOOKS_TOKEN'] : []),
        ...(development ? ['--dev-allow-loopback'] : []), ...args],
      { name: 'gate-hooks', env: { ...process.env, ...(token && { HOOKS_TOKEN: token }), ...env } },
    );
    Object.assign(hooks, { file, token });
    const [, url, port] = await hooks.says(/listening on (http:\/\/[^\s"]*:(\d+))/, 30_000);
    return Object.assign(hooks, { url, port: Number(port) });
  }

  /**
   * `{ status, json, text, headers }`. `token`: of somebody else, or null for nobody. Who asks too often comes again when told
   * to, unless `limited`. `raw`: the body goes as it is.
   */
  async ask(method, place, body, more = {}) {
    for (;;) {
      const answer = await this.#askOnce(method, place, body, more);
      if (answer.status !== 429 || more.limited) return answer;
      await sleep(1000 * Number(answer.headers.get('retry-after')));
    }
  }

  async #askOnce(method, place, body, { token = this.token, headers = {}, raw = false }) {
    const response = await fetch(`http://127.0.0.1:${this.port}${place}`, {
      method,
      headers: {
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body === undefined || raw ? body : JSON.stringify(body),
      redirect: 'manual',
    });
    const text = await response.text();
    let json;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined; // 204, or a page
    }
    return { status: response.status, json, text, headers: response.headers };
  }

  /** The JSON of an answer with this status; fails with what was said instead. */
  async wants(status, method, place, body, more) {
    const answer = await this.ask(method, place, body, more);
    assert.equal(answer.status, status, `${method} ${place}: ${answer.text}`);
    return answer.json;
  }

  webhook(url, members = {}) {
    const { event, events, ...rest } = members;
    const wanted = events ? { events } : { event: event ?? 'deploy.success' };
    return this.wants(201, 'POST', '/webhooks', { url, ...wanted, ...rest });
  }

  event(type = 'deploy.success', data = {}, more = {}) {
    return this.wants(202, 'POST', '/events', { type, data }, more);
  }

  delivery(id) {
    return this.wants(200, 'GET', `/deliveries/${id}`);
  }

  /** All elements of a list, however many pages it has. */
  async all(place, member, most = 100) {
    const out = [];
    let next;
    do {
      const query = new URLSearchParams({ limit: most, ...(next && { cursor: next }) });
      const part = await this.wants(200, 'GET', `${place}${place.includes('?') ? '&' : '?'}${query}`);
      out.push(...part[member]);
      next = part.next;
    } while (next);
    return out;
  }

  deliveriesOf(id, status) {
    return this.all(`/webhooks/${id}/deliveries${status ? `?status=${status}` : ''}`, 'deliveries');
  }

  deadLetters() {
    return this.all('/webhook-deliveries/dlq', 'entries');
  }

  /** Waits until so many deliveries of a webhook have this status, and returns them. */
  become(id, status, count = 1) {
    return until(async () => {
      const found = await this.deliveriesOf(id, status);
      return found.length >= count && found;
    }, `${count} deliveries of ${id} to be ${status}`);
  }

  async health() {
    const { status, json } = await this.ask('GET', '/health', undefined, { token: null });
    return { status, json };
  }

  /** Ends it as an operator would, and fails if it did not end well. */
  async end() {
    const { code, signal } = await this.stop('SIGTERM');
    assert.deepEqual(this.complaints(), [], this.log(80));
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, this.log());
  }
}
