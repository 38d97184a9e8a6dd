// The first generation of the official server, @modelcontextprotocol/sdk, over HTTP with sessions in this
// process: it offers what our peers offer, so that a test can be run against both.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { listenOn, stopListening } from '../../../simulations/peers/http_listener.mjs';
import { Exactly, Offering } from '../../../simulations/peers/offering.mjs';
import { LEVELS } from '../../../simulations/peers/stateless_rules.mjs';
import { CallLog } from './call_log.mjs';
import { requirePackages } from './everything.mjs';

requirePackages();
const { Server } = await import('@modelcontextprotocol/sdk/server/index.js');
const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
const types = await import('@modelcontextprotocol/sdk/types.js');

const OFFERED = [
  types.ListToolsRequestSchema, types.ListPromptsRequestSchema, types.ListResourcesRequestSchema,
  types.ListResourceTemplatesRequestSchema, types.CallToolRequestSchema, types.GetPromptRequestSchema,
  types.ReadResourceRequestSchema, types.CompleteRequestSchema,
];
const ANSWERS = {
  'elicitation/create': types.ElicitResultSchema,
  'sampling/createMessage': types.CreateMessageResultSchema,
  'roots/list': types.ListRootsResultSchema,
};

/** What a tool may do about the call that it answers: see offering.mjs. */
class Work {
  constructor(own, session, extra) {
    Object.assign(this, { own, session, extra, name: own.name });
    this.gone = new Promise((done) => extra.signal.addEventListener('abort', done));
  }

  hold() {
    return Promise.race([this.own.held(), this.gone]);
  }

  progress(progress, total, message) {
    const progressToken = this.extra._meta?.progressToken;
    if (progressToken === undefined) return;
    this.extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total, message } });
  }

  log(level, data) {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(this.session.level)) return;
    this.extra.sendNotification({ method: 'notifications/message', params: { level, logger: this.name, data } });
  }

  async ask(requests) {
    const asked = Object.entries(requests).map(async ([key, request]) => [key, await this.extra.sendRequest(request, ANSWERS[request.method])]);
    return Object.fromEntries(await Promise.all(asked));
  }
}

/** Its calls are `{ method, params }`. */
export class SessionServer extends CallLog {
  /** The streams for messages of the server that are open. */
  streams = new Set();
  /** By id: `{ server, transport, level }`. */
  sessions = new Map();

  static async start({ name = 'one', port = 0 } = {}) {
    const own = Object.assign(new this(), { name, offering: new Offering(name, 'session') });
    own.server = http.createServer((request, response) => own.#serve(request, response).catch(() => response.destroy()));
    await listenOn(own, port);
    return own;
  }

  async stop() {
    await Promise.all([...this.sessions.values()].map(({ server }) => server.close()));
    return stopListening(this);
  }

  changed(list) {
    this.#tell({ method: `notifications/${list}/list_changed` });
  }

  updated(uri) {
    this.#tell({ method: 'notifications/resources/updated', params: { uri } });
  }

  #tell(notification) {
    for (const { server } of this.sessions.values()) server.notification(notification);
  }

  async #serve(request, response) {
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = parts.length ? JSON.parse(Buffer.concat(parts)) : undefined;
    if (body) this.calls.push(body);
    if (request.method === 'GET') {
      this.streams.add(response);
      response.on('close', () => this.streams.delete(response));
    }
    const id = request.headers['mcp-session-id'];
    const known = this.sessions.get(id);
    if (id !== undefined && !known) return response.writeHead(404).end();
    return (known ?? (await this.#opened())).transport.handleRequest(request, response, body);
  }

  /** As its documentation shows: it is kept once somebody has initialized it. */
  async #opened() {
    const session = { level: 'info' };
    session.server = this.#serverOf(session);
    session.transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => { this.sessions.set(id, session); },
    });
    session.transport.onclose = () => this.sessions.delete(session.transport.sessionId);
    await session.server.connect(session.transport);
    return session;
  }

  #serverOf(session) {
    const server = new Server({ name: this.name, version: '1' }, {
      capabilities: {
        tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true, subscribe: true },
        completions: {}, logging: {},
      },
    });
    for (const schema of OFFERED)
      server.setRequestHandler(schema, async ({ method, params }, extra) => {
        const result = this.offering.list(method, params) ?? (await this.offering.answer(method, params, new Work(this, session, extra)));
        return result instanceof Exactly ? JSON.parse(`{${result.members}}`) : result;
      });
    for (const schema of [types.SubscribeRequestSchema, types.UnsubscribeRequestSchema]) server.setRequestHandler(schema, () => ({}));
    server.setRequestHandler(types.SetLevelRequestSchema, ({ params }) => {
      session.level = params.level;
      return {};
    });
    return server;
  }
}
