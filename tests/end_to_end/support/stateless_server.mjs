// The official server of 2026-07-28, @modelcontextprotocol/server, in this process: it offers what fits of
// what our peers offer, so that a test can be run against both. `both`: it serves sessions' revisions too.
import http from 'node:http';
import { sampling, toolTable, text } from '../../../simulations/peers/offering.mjs';
import { CallLog } from './call_log.mjs';
import { requirePackages } from './everything.mjs';

requirePackages('server', 'node');
const { McpServer, ResourceTemplate, createMcpHandler, fromJsonSchema, inputRequired, completable } =
  await import('@modelcontextprotocol/server');
const { toNodeHandler } = await import('@modelcontextprotocol/node');
const { z } = await import('zod');

const say = (words) => ({ content: [text(words)] });
const asking = { mode: 'form', message: 'Who are you?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } };

/** What its tools do; schemas are those of the offering. */
const tools = (name, held) => ({
  echo: ({ text: what }) => say(`${name}: ${what}`),
  async progress({ steps = 3 }, { mcpReq }) {
    const { progressToken } = mcpReq._meta ?? {};
    for (let i = 1; i <= steps && progressToken !== undefined; i += 1)
      await mcpReq.notify({
        method: 'notifications/progress', params: { progressToken, progress: i, total: steps, message: `step ${i}` },
      });
    return say(`${steps} steps`);
  },
  fails: () => ({ ...say('it went wrong'), isError: true }),
  async slow({ text: what }, { mcpReq }) {
    await Promise.race([held(), new Promise((done) => mcpReq.signal.addEventListener('abort', done))]);
    return say(`held ${what}`);
  },
  typed: () => ({ ...say('{"sum":3}'), structuredContent: { sum: 3 } }),
  region: (args) => say(JSON.stringify(args)),
  ask_once(_, { mcpReq }) {
    const who = mcpReq.inputResponses?.who;
    if (!who) return inputRequired({ inputRequests: { who: inputRequired.elicit(asking) } });
    return say(`${who.action} ${JSON.stringify(who.content ?? null)}`);
  },
  sample(_, { mcpReq }) {
    const it = mcpReq.inputResponses?.it;
    if (!it) return inputRequired({ inputRequests: { it: inputRequired.createMessage(sampling.params) } });
    return say(`the model says ${it.content.text}`);
  },
});

function serverNamed(name, held) {
  const server = new McpServer({ name, version: '1' }, {
    capabilities: { tools: { listChanged: true }, resources: { listChanged: true, subscribe: true }, prompts: { listChanged: true } },
  });
  for (const [tool, run] of Object.entries(tools(name, held))) {
    const { inputSchema, outputSchema } = toolTable[tool];
    server.registerTool(tool, {
      inputSchema: fromJsonSchema(inputSchema), ...(outputSchema && { outputSchema: fromJsonSchema(outputSchema) }),
    }, run);
  }
  server.registerPrompt('greet', { argsSchema: z.object({ who: completable(z.string(), (v) => [`${v}-one`, `${v}-two`]) }) },
    ({ who }) => ({ messages: [{ role: 'user', content: text(`greet ${who}`) }] }));
  server.registerResource('first', `${name}://docs/1`, { mimeType: 'text/plain' },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: `${name}: the first` }] }));
  server.registerResource('second', `${name}://docs/2`, { mimeType: 'application/octet-stream' },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: 'application/octet-stream', blob: 'AAEC/w==' }] }));
  server.registerResource('items', new ResourceTemplate(`${name}://items/{id}`, { list: undefined }), { mimeType: 'text/plain' },
    (uri, { id }) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: `${name}: item ${id}` }] }));
  return server;
}

/** A request that was read already, as whoever serves it reads it again. */
const again = ({ method, url, headers }, body) => ({
  method, url, headers,
  async *[Symbol.asyncIterator]() {
    yield body;
  },
});

/** Its calls are `{ method, headers, body }`. */
export class StatelessServer extends CallLog {
  /** The open subscriptions: `{ filter }`. */
  listens = new Set();
  /** So many calls of tools were not waited for. */
  abandoned = 0;

  static async start({ name = 'one', both = false, port = 0 } = {}) {
    const own = Object.assign(new this(), { name });
    own.handler = createMcpHandler(() => serverNamed(name, () => own.held()), { legacy: both ? 'stateless' : 'reject' });
    const serve = toNodeHandler(own.handler);
    own.server = http.createServer(async (request, response) => {
      response.on('error', () => {});
      const parts = [];
      try {
        for await (const part of request) parts.push(part);
        const body = Buffer.concat(parts);
        own.#note(request, body.toString(), response);
        await serve(again(request, body), response);
      } catch {
        response.destroy();
      }
    });
    await new Promise((done) => own.server.listen(port, '127.0.0.1', done));
    own.port = own.server.address().port;
    own.url = `http://127.0.0.1:${own.port}/mcp`;
    return own;
  }

  #note({ method, headers }, body, response) {
    this.calls.push({ method: headers['mcp-method'] ?? method, headers, body });
    if (headers['mcp-method'] === 'tools/call')
      response.on('close', () => { this.abandoned += !response.writableFinished; });
    if (headers['mcp-method'] !== 'subscriptions/listen') return;
    const listen = { filter: JSON.parse(body).params?.notifications };
    this.listens.add(listen);
    response.on('close', () => this.listens.delete(listen));
  }

  changed(list) {
    this.handler.notify[`${list}Changed`]();
  }

  updated(uri) {
    this.handler.notify.resourceUpdated(uri);
  }

  async stop() {
    await this.handler.close();
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}
