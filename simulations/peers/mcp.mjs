// A raw MCP client of the session generation, for what the official one cannot do: odd bytes, exact
// answers, many connections.
import assert from 'node:assert/strict';
import { Connection, eventData, format, once } from './http.mjs';

export const ACCEPT = 'application/json, text/event-stream';
export const JSON_POST = { 'Content-Type': 'application/json', Accept: ACCEPT };

/**
 * The messages of an answer: `text` exactly as received, `json` parsed. An event stream may carry
 * several, a JSON answer carries one, a 202 none.
 */
export function messagesOf(answer) {
  const type = answer.headers.get('content-type') ?? '';
  const texts = type.startsWith('text/event-stream') ? eventData(answer.body) : [answer.body];
  return texts.filter((text) => text.trim()).map((text) => ({ text, json: JSON.parse(text) }));
}

/** The one message of an answer that is a response. */
export function responseOf(answer) {
  const found = messagesOf(answer).filter(({ json }) => 'result' in json || 'error' in json);
  assert.equal(found.length, 1, `one response expected in: ${answer.status} ${answer.body.slice(0, 500)}`);
  return found[0];
}

export class Session {
  #next = 1;
  /** The answers' `notifications`, in order. */
  notifications = [];

  /**
   * Handshake against `target` (anything with a `port`, and `path` if not /mcp). `token` is sent with
   * every request; it may be replaced at any time.
   */
  static async open(target, { version = '2025-11-25', capabilities = {}, connection, token } = {}) {
    const session = new this();
    Object.assign(session, { port: target.port, path: target.path ?? '/mcp', version, connection, token });
    const answer = await session.post({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: version,
        capabilities,
        clientInfo: { name: 'gate-end-to-end', version: '1' },
      },
    });
    assert.equal(answer.status, 200, `initialize: ${answer.body}`);
    session.id = answer.headers.get('mcp-session-id');
    session.initialized = responseOf(answer).json.result;
    assert.ok(session.initialized, answer.body);
    session.version = session.initialized.protocolVersion;
    const accepted = await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    assert.equal(accepted.status, 202, accepted.body);
    return session;
  }

  /** Those that say which session it is, and who speaks. */
  get identity() {
    const session = this.id ? { 'Mcp-Session-Id': this.id, 'MCP-Protocol-Version': this.version } : {};
    return this.token ? { ...session, Authorization: `Bearer ${this.token}` } : session;
  }

  headers(extra = {}) {
    return { ...JSON_POST, ...this.identity, ...extra };
  }

  /** Posts a message (object or exact text) and returns the HTTP answer. */
  async post(message, { headers = {}, connection = this.connection } = {}) {
    const body = typeof message === 'string' ? message : JSON.stringify(message);
    const options = { path: this.path, headers: this.headers(headers), body };
    if (!connection) return once(this.port, options);
    const answer = await connection.request({ port: this.port, ...options });
    assert.ok(answer, 'the connection was closed instead of answered');
    return answer;
  }

  /** Calls a method: `{ status, text, json, result?, error? }`. */
  async request(method, params, { id = this.#next++, ...options } = {}) {
    const answer = await this.post({ jsonrpc: '2.0', id, method, params }, options);
    const { text, json } = responseOf(answer);
    this.notifications.push(...messagesOf(answer).filter((m) => m.json.method));
    if (json.id !== undefined) assert.deepEqual(json.id, id, 'the answer carries the id of its request');
    return { status: answer.status, headers: answer.headers, text, json, ...json };
  }

  call(name, args = {}, options = {}) {
    const params = { name, arguments: args, ...(options.meta && { _meta: options.meta }) };
    return this.request('tools/call', params, options);
  }

  /** All pages of a list: `{ items, pages, last }`. */
  async list(method, member) {
    const items = [];
    let cursor;
    let pages = 0;
    for (;;) {
      const { result, error } = await this.request(method, cursor === undefined ? {} : { cursor });
      assert.ok(result, `${method}: ${JSON.stringify(error)}`);
      items.push(...result[member]);
      pages += 1;
      cursor = result.nextCursor;
      if (cursor === undefined) return { items, pages, last: result };
    }
  }

  /** Opens the stream for server messages on a connection of its own, and leaves it open. */
  async stream() {
    const connection = await Connection.open(this.port);
    const headers = { Accept: 'text/event-stream', ...this.identity };
    connection.write(format({ method: 'GET', path: this.path, port: this.port, headers }));
    const head = await connection.head();
    assert.equal(head?.status, 200, head?.block);
    return connection;
  }

  end() {
    return once(this.port, { method: 'DELETE', path: this.path, headers: this.identity });
  }
}
