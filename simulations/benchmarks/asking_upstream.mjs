// Servers with sessions whose one tool asks for the user in the middle of each call, in this process, one on each of some
// ports: thousands of calls may be open at a time, each on an event stream of its own.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { listenOn, stopListening } from '../peers/http_listener.mjs';

const TOOLS = [{ name: 'ask', inputSchema: { type: 'object', properties: {} } }];
const FORM = {
  mode: 'form', message: 'Who are you?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};

async function read(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return parts.length ? JSON.parse(Buffer.concat(parts)) : undefined;
}

const event = (message) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;

class AskingUpstream {
  /** Its open calls by the number of their question: `{ id, response }`. */
  calls = new Map();
  #questions = 0;

  static async start() {
    const upstream = new this();
    upstream.server = http.createServer((request, response) => upstream.#serve(request, response).catch(() => response.destroy()));
    await listenOn(upstream, 0);
    return upstream;
  }

  stop() {
    return stopListening(this);
  }

  connections() {
    return new Promise((done, fail) => this.server.getConnections((error, count) => (error ? fail(error) : done(count))));
  }

  async #serve(request, response) {
    const message = await read(request);
    if (request.method === 'GET') return response.writeHead(405).end();
    if (request.method === 'DELETE') return response.writeHead(204).end();
    const { id, method, result } = message;
    if (result) return this.#go_on(id, result, response);
    if (id === undefined) return response.writeHead(202).end();
    if (method === 'tools/call') return this.#ask(id, response);
    const answers = {
      initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'asking', version: '1' } },
      'tools/list': { tools: TOOLS },
      ping: {},
    };
    const answer = answers[method] ? { result: answers[method] } : { error: { code: -32601, message: 'method not found' } };
    const session = method === 'initialize' ? { 'Mcp-Session-Id': randomUUID() } : {};
    return response.writeHead(200, { 'Content-Type': 'application/json', ...session }).end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  }

  #ask(id, response) {
    const question = (this.#questions += 1);
    this.calls.set(question, { id, response });
    response.on('close', () => this.calls.delete(question));
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(event({ id: question, method: 'elicitation/create', params: FORM }));
  }

  #go_on(question, { action, content }, response) {
    response.writeHead(202).end();
    const call = this.calls.get(question);
    call.response.end(event({ id: call.id, result: { content: [{ type: 'text', text: `${action} ${content?.name}` }] } }));
  }
}

export class AskingUpstreams {
  static async start(count) {
    const own = new this();
    own.all = await Promise.all(Array.from({ length: count }, () => AskingUpstream.start()));
    return own;
  }

  /** Calls that wait for an answer. */
  get open() {
    return this.all.reduce((sum, { calls }) => sum + calls.size, 0);
  }

  async connections() {
    return (await Promise.all(this.all.map((one) => one.connections()))).reduce((sum, count) => sum + count);
  }

  stop() {
    return Promise.all(this.all.map((one) => one.stop()));
  }
}
