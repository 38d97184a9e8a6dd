// The upstream of the conformance tests: a server on the official SDK with everything that the
// suites of 2025-11-25 call. `node fixture.mjs [--decoy]` prints the port that it got; a decoy has
// the same names, its own URIs, and fails whatever is asked of it. `node fixture.mjs --stdio` speaks
// standard input and output instead, one session as long as it runs.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { fromTemplate, prompts, resources, template } from './support/content.mjs';
import { EventStore } from './support/event_store.mjs';
import { tools } from './support/tools.mjs';

const decoy = process.argv.includes('--decoy');
const scheme = decoy ? 'decoy' : 'test';
const documents = resources(scheme);

/** How long a client whose stream ended waits before it comes back. */
const RETRY_MS = 200;

const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  logging: {},
  completions: {},
};

function refuseAsDecoy() {
  if (decoy) throw new McpError(ErrorCode.InternalError, 'this belongs to the other upstream');
}

/** The entry of a table, or the error that says there is none. */
function entry(table, key, code = ErrorCode.InvalidParams) {
  refuseAsDecoy();
  if (!Object.hasOwn(table, key)) throw new McpError(code, `there is no ${key}`, { key });
  return table[key];
}

const RESOURCE_NOT_FOUND = -32002;

function read(uri) {
  const found = fromTemplate(scheme, uri) ?? entry(documents, uri, RESOURCE_NOT_FOUND);
  refuseAsDecoy();
  const { mimeType, text, blob } = found;
  return { contents: [{ uri, mimeType, ...(blob ? { blob } : { text }) }] };
}

function serveTools(server, session) {
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.entries(tools).map(([name, { description, inputSchema }]) => ({
      name,
      description,
      inputSchema,
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) =>
    entry(tools, params.name).run(params.arguments ?? {}, extra, session),
  );
}

function servePrompts(server) {
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: Object.entries(prompts).map(([name, { get, ...shown }]) => ({ name, ...shown })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) =>
    entry(prompts, params.name).get(params.arguments ?? {}),
  );
  server.setRequestHandler(CompleteRequestSchema, ({ params }) => {
    if (params.ref.type === 'ref/prompt') entry(prompts, params.ref.name);
    const values = [`${params.argument.value}-one`, `${params.argument.value}-two`];
    return { completion: { values, total: values.length, hasMore: false } };
  });
}

function serveResources(server) {
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: Object.entries(documents).map(([uri, { name, mimeType }]) => ({
      uri,
      name,
      description: `the ${name} one`,
      mimeType,
    })),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [template(scheme)],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => read(params.uri));
  for (const schema of [SubscribeRequestSchema, UnsubscribeRequestSchema])
    server.setRequestHandler(schema, ({ params }) => {
      entry(documents, params.uri, RESOURCE_NOT_FOUND);
      return {};
    });
}

/** The server of one session, which keeps in `session` what it has sent. */
function serverOf(session) {
  const server = new Server({ name: `conformance-${scheme}`, version: '1' }, { capabilities });
  serveTools(server, session);
  servePrompts(server);
  serveResources(server);
  return server;
}

const sessions = new Map();

async function openSession() {
  const eventStore = new EventStore();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    eventStore,
    retryInterval: RETRY_MS,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  const server = serverOf(eventStore);
  server.onclose = () => sessions.delete(transport.sessionId);
  await server.connect(transport);
  return transport;
}

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Against DNS rebinding: whoever reaches a loopback address must also have meant to. */
function isForeign({ host, origin }) {
  const from = origin?.replace(/^https?:\/\//, '') ?? host;
  return !LOOPBACK.test(host ?? '') || !LOOPBACK.test(from);
}

function refuse(response, status, code, message) {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }));
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}

async function serve(request, response) {
  if (isForeign(request.headers)) return refuse(response, 403, -32000, 'Foreign Host or Origin');
  const body = request.method === 'POST' ? await bodyOf(request) : undefined;
  const id = request.headers['mcp-session-id'];
  if (!id && body?.method !== 'initialize') return refuse(response, 400, -32000, 'No session');
  const transport = id ? sessions.get(id) : await openSession();
  if (!transport) return refuse(response, 404, -32001, 'Session not found');
  return transport.handleRequest(request, response, body);
}

function listen() {
  const server = http.createServer((request, response) => {
    serve(request, response).catch((error) => {
      console.error(`request failed: ${error.stack}`);
      if (!response.headersSent) refuse(response, 400, -32700, 'Not a message');
    });
  });
  server.listen(0, '127.0.0.1', () => {
    console.error(`listening on 127.0.0.1:${server.address().port}`);
  });
}

if (process.argv.includes('--stdio')) await serverOf(new EventStore()).connect(new StdioServerTransport());
else listen();
