// An upstream that does exactly what a test tells it to: exact bytes, silence, half an answer, lies.
// By default it is a correct small MCP server with the tools `echo` and `raw`.
import http from 'node:http';
import { listenOn, stopListening } from './http_listener.mjs';

const TOOLS =
  '[{"name":"echo","inputSchema":{"type":"object"}},{"name":"raw","inputSchema":{"type":"object"}}]';
const CAPABILITIES = '{"tools":{"listChanged":true},"logging":{}}';

/** One POSTed message and the means to answer it. */
export class Call {
  constructor(upstream, request, response, body) {
    Object.assign(this, { upstream, request, response, body });
    this.message = JSON.parse(body);
    this.method = this.message.method;
    this.params = this.message.params;
    this.id = JSON.stringify(this.message.id);
    this.session = request.headers['mcp-session-id'];
  }

  /** Answers in the upstream's current `format`: `json`, `chunked` or `sse`. */
  answer(text, headers = {}) {
    if (this.upstream.format === 'sse') return this.sse([text], headers);
    if (this.upstream.format === 'chunked') return this.chunked(text, headers);
    return this.status(200, 'application/json', text, headers);
  }

  result(raw, headers) {
    this.answer(`{"jsonrpc":"2.0","id":${this.id},"result":${raw}}`, headers);
  }

  error(raw) {
    this.answer(`{"jsonrpc":"2.0","id":${this.id},"error":${raw}}`);
  }

  text(text) {
    this.result(JSON.stringify({ content: [{ type: 'text', text }] }));
  }

  status(code, type, body, headers = {}) {
    const length = Buffer.byteLength(body);
    this.response.writeHead(code, { 'Content-Type': type, 'Content-Length': length, ...headers });
    this.response.end(body);
  }

  /** The same bytes in small chunks, so that no message ends where a chunk does. */
  chunked(text, headers = {}) {
    const bytes = Buffer.from(text);
    const step = Math.max(7, Math.ceil(bytes.length / 50));
    this.response.writeHead(200, { 'Content-Type': 'application/json', ...headers });
    for (let at = 0; at < bytes.length; at += step) this.response.write(bytes.subarray(at, at + step));
    this.response.end();
  }

  /** An event stream with these messages. */
  sse(texts, headers = {}) {
    this.openStream(headers);
    for (const text of texts) this.event(text);
    this.response.end();
  }

  openStream(headers = {}) {
    this.response.writeHead(200, { 'Content-Type': 'text/event-stream', ...headers });
    this.response.flushHeaders();
  }

  /** Opens a stream with an empty event, of this id, and says when to come back for the rest. */
  prime(id, retryMs) {
    this.openStream();
    this.response.write(`id: ${id}\n${retryMs === undefined ? '' : `retry: ${retryMs}\n`}data: \n\n`);
  }

  event(text) {
    const data = text.split('\n').map((line) => `data: ${line}\n`);
    this.response.write(`event: message\n${data.join('')}\n`);
  }

  /** Bytes straight onto the socket, instead of an HTTP answer, and then the end of it. */
  raw(bytes) {
    this.request.socket.end(bytes);
  }

  /** Bytes straight onto the socket and a reset. */
  cut(bytes = '') {
    const { socket } = this.request;
    if (!bytes) return socket.resetAndDestroy();
    return socket.write(bytes, () => socket.destroy());
  }

  /** Writes `piece` again and again until the gateway has had enough: resolves with the bytes sent. */
  async flood(head, piece, most) {
    const { socket } = this.request;
    let sent = 0;
    const gone = new Promise((done) => socket.once('close', done));
    socket.write(head);
    while (sent < most && !socket.destroyed) {
      sent += piece.length;
      if (!socket.write(piece)) await Promise.race([gone, new Promise((ok) => socket.once('drain', ok))]);
    }
    socket.destroy();
    return sent;
  }
}

export class Upstream {
  /** Every message that was POSTed, in order. */
  calls = [];
  sessions = new Set();
  streams = new Set();
  format = 'json';
  tools = TOOLS;
  capabilities = CAPABILITIES;
  instructions = undefined;
  connections = 0;
  #handlers = new Map();
  #minted = 0;

  /** Starts it on a free port, or on `port` again after `stop`. */
  static async start(settings = {}) {
    const upstream = Object.assign(new this(), settings);
    await upstream.listen(settings.port ?? 0);
    return upstream;
  }

  listen(port = this.port) {
    this.server = http.createServer((request, response) => this.#serve(request, response));
    this.server.keepAliveTimeout = 0;
    this.server.requestTimeout = 0;
    this.server.on('connection', (socket) => {
      this.connections += 1;
      socket.on('error', () => {});
    });
    this.server.on('clientError', (_, socket) => socket.destroy());
    return listenOn(this, port);
  }

  /** Refuses connections from now on and drops the open ones. */
  stop() {
    return stopListening(this);
  }

  /** Answers `method` with `handler(call)` until `restore`. */
  on(method, handler) {
    this.#handlers.set(method, handler);
  }

  restore() {
    this.#handlers.clear();
    this.onGet = undefined;
    this.format = 'json';
  }

  /** Calls of `method` so far. */
  of(method) {
    return this.calls.filter((call) => call.method === method);
  }

  async #serve(request, response) {
    response.on('error', () => {});
    if (this.guard(request, response)) return undefined;
    if (request.method === 'GET') return this.#openStream(request, response);
    if (request.method === 'DELETE') {
      this.sessions.delete(request.headers['mcp-session-id']);
      return response.writeHead(200).end();
    }
    const parts = [];
    try {
      for await (const part of request) parts.push(part);
    } catch {
      return undefined;
    }
    const body = Buffer.concat(parts).toString();
    try {
      const call = new Call(this, request, response, body);
      this.calls.push(call);
      await (this.#handlers.get(call.method) ?? ((c) => this.behave(c)))(call);
    } catch (error) {
      // Not an answer the gateway could mistake for one; the test that waits for it says more.
      console.log(`  upstream: ${error} at ${body.slice(0, 200)}`);
      request.socket.destroy();
    }
    return undefined;
  }

  /**
   * The stream for server messages; `this.notify(text, session)` writes to all of them, or to those of a
   * session. `onGet(request, response)` may answer instead: then it returns true.
   */
  #openStream(request, response) {
    if (this.onGet?.(request, response)) return undefined;
    if (this.noStream) return response.writeHead(405, { Allow: 'POST, DELETE' }).end();
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.flushHeaders();
    response.session = request.headers['mcp-session-id'];
    this.streams.add(response);
    return request.socket.once('close', () => this.streams.delete(response));
  }

  notify(text, session) {
    for (const stream of this.#streamsOf(session)) stream.write(`event: message\ndata: ${text}\n\n`);
  }

  /** Is there a stream to write to? */
  listening(session) {
    return this.#streamsOf(session).length > 0;
  }

  #streamsOf(session) {
    return [...this.streams].filter((stream) => session === undefined || stream.session === session);
  }

  /** May answer any request before it is read; then it returns true. */
  guard() {
    return false;
  }

  /** What a call gets that no handler is for. */
  behave(call) {
    if (call.method === 'initialize') return this.initialize(call);
    if (call.message.id === undefined || !call.method) return call.response.writeHead(202).end();
    if (call.method === 'ping' || call.method === 'logging/setLevel') return call.result('{}');
    if (call.method === 'tools/list') return call.result(`{"tools":${this.tools}}`);
    if (call.method === 'tools/call') return call.text(`${call.params.name}: ${call.params.arguments?.text}`);
    return call.error('{"code":-32601,"message":"Method not found"}');
  }

  initialize(call) {
    this.#minted += 1;
    const session = `session-${this.port}-${this.#minted}`;
    this.sessions.add(session);
    const version = JSON.stringify(call.params.protocolVersion);
    const info = '{"name":"scripted","version":"1"}';
    const words = this.instructions ? `,"instructions":${JSON.stringify(this.instructions)}` : '';
    call.result(
      `{"protocolVersion":${version},"capabilities":${this.capabilities},"serverInfo":${info}${words}}`,
      { 'Mcp-Session-Id': session },
    );
  }
}

/** A port on which nothing listens. */
export async function deadPort() {
  const upstream = await Upstream.start();
  await upstream.stop();
  return upstream.port;
}
