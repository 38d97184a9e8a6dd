// A thin client of MCP 2026-07-28: one POST is one request. What it sends is right unless its user says
// otherwise, header by header and member by member; what came back is shown as it came.
import assert from 'node:assert/strict';
import { Connection, format, once } from './http.mjs';
import { ACCEPT, messagesOf } from './mcp.mjs';
import { KEYS, NAMED, VERSION, encoded, paramHeaders } from './stateless_rules.mjs';
import { within } from './waiting.mjs';

/** The messages of one answer while they come. */
export class Stream {
  #text = '';
  #ended = false;
  #ready = [];
  /** All messages so far. */
  messages = [];

  constructor(connection, head) {
    Object.assign(this, { connection, head, status: head.status, headers: head.headers });
  }

  /** The next message; undefined at the end. Comments and empty events are passed over. */
  async next() {
    while (!this.#ready.length && !this.#ended) await this.#readMore();
    const message = this.#ready.shift();
    if (message) this.messages.push(message);
    return message;
  }

  async #readMore() {
    const part = await this.connection.chunk();
    if (!part?.length) this.#ended = true;
    else this.#text += part.toString('utf8');
    for (;;) {
      const [event] = this.#text.match(/^[^]*?(\r\n\r\n|\n\n|\r\r)/) ?? [];
      if (event === undefined) return;
      this.#text = this.#text.slice(event.length);
      const data = event.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trim());
      if (data.join('')) this.#ready.push(JSON.parse(data.join('\n')));
    }
  }

  /** Reads on until a message `matches`, and returns that. */
  async until(matches, what = 'a message') {
    for (;;) {
      const message = await within(this.next(), what);
      assert.ok(message, `the stream ended without ${what}: ${JSON.stringify(this.messages)}`);
      if (matches(message)) return message;
    }
  }

  /** Reads the stream to its end and returns all its messages. */
  async rest() {
    while (await this.next());
    return this.messages;
  }

  /** The client does not want any more. */
  close() {
    this.connection.close();
  }
}

export class StatelessClient {
  #next = 1;
  #schemas = new Map();

  /**
   * Speaks to `target` (anything with a `port`, and `path` if not /mcp). `capabilities` are declared with
   * each request; `token`, if any, is sent with it.
   */
  constructor(target, { version = VERSION, capabilities = {}, info = { name: 'gate-stateless', version: '1' }, token } = {}) {
    Object.assign(this, { port: target.port, path: target.path ?? '/mcp', version, capabilities, info, token });
  }

  /** What `_meta` holds; `meta` adds, replaces, and with undefined removes. */
  envelope(meta = {}) {
    return {
      [KEYS.version]: this.version,
      [KEYS.capabilities]: this.capabilities,
      ...(this.info && { [KEYS.client]: this.info }),
      ...meta,
    };
  }

  message(method, params = {}, { id = this.#next++, meta } = {}) {
    const { _meta, ...rest } = params;
    return { jsonrpc: '2.0', id, method, params: { ...rest, _meta: this.envelope({ ..._meta, ...meta }) } };
  }

  /** The headers of a message; `headers` replaces by name, null removes one. */
  headersOf({ method, params }, headers = {}) {
    const name = params?.[NAMED[method]];
    const schema = method === 'tools/call' ? this.#schemas.get(name) : undefined;
    const all = {
      'Content-Type': 'application/json',
      Accept: ACCEPT,
      'MCP-Protocol-Version': this.version,
      'Mcp-Method': method,
      ...(typeof name === 'string' && { 'Mcp-Name': encoded(name) }),
      ...(schema && paramHeaders(schema, params.arguments)),
      ...(this.token && { Authorization: `Bearer ${this.token}` }),
    };
    const names = Object.fromEntries(Object.keys(all).map((each) => [each.toLowerCase(), each]));
    for (const [each, value] of Object.entries(headers)) {
      delete all[names[each.toLowerCase()]];
      if (value !== null) all[each] = value;
    }
    return all;
  }

  /** Posts a message (object, or `text` in its place) and returns the whole HTTP answer. */
  post(message, { headers, text = JSON.stringify(message), ...options } = {}) {
    return once(this.port, { path: this.path, headers: this.headersOf(message, headers), body: text, ...options });
  }

  /** One request: `{ status, headers, text, json, notifications, result?, error? }`. */
  async request(method, params, { headers, ...options } = {}) {
    const message = this.message(method, params, options);
    const answer = await this.post(message, { headers });
    return this.#read(answer, message);
  }

  #read(answer, { id }) {
    const all = messagesOf(answer);
    const responses = all.filter(({ json }) => 'result' in json || 'error' in json);
    assert.equal(responses.length, 1, `one response expected in: ${answer.status} ${answer.body.slice(0, 500)}`);
    const [{ text, json }] = responses;
    assert.equal(all.at(-1).text, text, 'nothing comes after the response');
    if (answer.status === 200) assert.deepEqual(json.id, id, 'the answer carries the id of its request');
    const notifications = all.filter((each) => each.json.method).map((each) => each.json);
    return { status: answer.status, headers: answer.headers, text, json, notifications, ...json };
  }

  call(name, args = {}, options = {}) {
    return this.request('tools/call', { name, arguments: args }, options);
  }

  /** All pages of a list: `{ items, pages, last }`. Schemas of tools are remembered for their headers. */
  async list(method, member) {
    const items = [];
    let cursor;
    for (let pages = 1; ; pages += 1) {
      const { result, error } = await this.request(method, cursor === undefined ? {} : { cursor });
      assert.ok(result, `${method}: ${JSON.stringify(error)}`);
      items.push(...result[member]);
      cursor = result.nextCursor;
      if (method === 'tools/list') for (const { name, inputSchema } of result.tools) this.#schemas.set(name, inputSchema);
      if (cursor === undefined) return { items, pages, last: result };
    }
  }

  /**
   * Answers what a result asks, with `answers` (a function of `{ method, params }`), and comes again, until it
   * is complete: the last answer, with `rounds`.
   */
  async complete(method, params, answers, options = {}) {
    let retry = {};
    for (let rounds = 0; ; rounds += 1) {
      const answer = await this.request(method, { ...params, ...retry }, options);
      const { resultType, inputRequests, requestState } = answer.result ?? {};
      if (resultType !== 'input_required') return { ...answer, rounds };
      assert.ok(rounds < 10, 'it asks for ever');
      const asked = Object.entries(inputRequests ?? {}).map(([key, request]) => [key, answers(request)]);
      retry = {
        ...(inputRequests && { inputResponses: Object.fromEntries(asked) }),
        ...(requestState !== undefined && { requestState }),
      };
    }
  }

  /** Sends a request and returns its answer as a Stream while it comes; it must be one. */
  async open(method, params, { headers, ...options } = {}) {
    const message = this.message(method, params, options);
    const connection = await Connection.open(this.port);
    connection.write(format({
      port: this.port, path: this.path, headers: this.headersOf(message, headers), body: JSON.stringify(message),
    }));
    const head = await connection.head();
    assert.equal(head?.status, 200, head?.block);
    assert.match(head.headers.get('content-type') ?? '', /^text\/event-stream/, head.block);
    return new Stream(connection, head);
  }

  /** The same without waiting for the answer to begin: `{ connection, id }`. */
  async send(method, params, { headers, ...options } = {}) {
    const message = this.message(method, params, options);
    const connection = await Connection.open(this.port);
    connection.write(format({
      port: this.port, path: this.path, headers: this.headersOf(message, headers), body: JSON.stringify(message),
    }));
    return { connection, id: message.id };
  }

  /** Opens a subscription; resolves when it is acknowledged, with what is honoured as `honoured`. */
  async listen(notifications, options = {}) {
    const id = options.id ?? `listen-${this.#next++}`;
    const stream = await this.open('subscriptions/listen', { notifications }, { ...options, id });
    const first = await within(stream.next(), 'the acknowledgement');
    assert.equal(first?.method, 'notifications/subscriptions/acknowledged', JSON.stringify(first));
    assert.deepEqual(first.params._meta?.[KEYS.subscription], id, 'the subscription is named by the id of its request');
    return Object.assign(stream, { id, honoured: first.params.notifications });
  }
}
