// The upstream of the conformance tests of 2026-07-28: a server on the second generation of the official SDK
// with everything that the suite calls. `node stateless_fixture.mjs [--decoy]` prints the port that it got; a
// decoy has the same names, its own URIs, and fails whatever is asked of it.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import {
  CLIENT_CAPABILITIES_META_KEY, McpServer, MissingRequiredClientCapabilityError, ProtocolError, createMcpHandler, fromJsonSchema,
  inputRequired,
} from '@modelcontextprotocol/server';
import { fromTemplate, resources, template } from './support/content.mjs';
import { prompts, tools } from './support/stateless_tools.mjs';

const decoy = process.argv.includes('--decoy');
const scheme = decoy ? 'decoy' : 'test';
const documents = resources(scheme);
const INVALID_PARAMS = -32602;

const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  logging: {},
  completions: {},
};

/** The entry of a table, or the error that says there is none; a decoy has none for anybody. */
function entry(table, key, data = { key }) {
  if (decoy) throw new ProtocolError(-32603, 'this belongs to the other upstream');
  if (!Object.hasOwn(table, key)) throw new ProtocolError(INVALID_PARAMS, `there is no ${key}`, data);
  return table[key];
}

const secret = randomBytes(32);
const sealOf = (body) => createHmac('sha256', secret).update(body).digest();

function sealed(state) {
  const body = Buffer.from(JSON.stringify(state)).toString('base64url');
  return `${body}.${sealOf(body).toString('base64url')}`;
}

function opened(text) {
  if (text === undefined) return undefined;
  const [body, seal, more] = text.split('.');
  const given = Buffer.from(seal ?? '', 'base64url');
  const right = sealOf(body);
  const whole = more === undefined && given.toString('base64url') === seal && given.length === right.length;
  if (!whole || !timingSafeEqual(given, right)) throw new ProtocolError(INVALID_PARAMS, 'this state is not mine');
  return JSON.parse(Buffer.from(body, 'base64url'));
}

/** What a tool or prompt is given beside its arguments: see support/stateless_tools.mjs. */
const callOf = ({ mcpReq }) => ({
  progressToken: mcpReq._meta?.progressToken,
  notify: (method, params) => mcpReq.notify({ method, params }),
  log: (level, data) => mcpReq.log(level, data, 'fixture'),
  capabilities: mcpReq.envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {},
  answers: mcpReq.inputResponses ?? {},
  state: opened(mcpReq.requestState()),
  ask: (inputRequests, state) => inputRequired({ inputRequests, ...(state && { requestState: sealed(state) }) }),
  changed: (list) => handler.notify[`${list}Changed`](),
  refuse(requiredCapabilities) {
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities });
  },
});

function read(uri) {
  const { mimeType, text, blob } = (!decoy && fromTemplate(scheme, uri)) || entry(documents, uri, { uri });
  return { contents: [{ uri, mimeType, ...(blob ? { blob } : { text }) }] };
}

function complete({ ref, argument }) {
  if (ref.type === 'ref/prompt') entry(prompts, ref.name);
  const values = ['one', 'two'].map((end) => `${argument.value}-${end}`);
  return { completion: { values, total: values.length, hasMore: false } };
}

/** The server of one request. */
function server() {
  const own = new McpServer({ name: `conformance-${scheme}`, version: '1' }, { capabilities });
  // Registered, so that headers are compared with arguments; called by hand, so that errors stay errors.
  for (const [name, { description, inputSchema, run }] of Object.entries(tools))
    own.registerTool(name, { description, inputSchema: fromJsonSchema(inputSchema) }, run);
  const shown = ([name, { get, ...rest }]) => ({ name, ...rest });
  const low = own.server;
  low.setRequestHandler('tools/call', ({ params }, extra) => entry(tools, params.name).run(params.arguments ?? {}, callOf(extra)));
  low.setRequestHandler('prompts/list', () => ({ prompts: Object.entries(prompts).map(shown) }));
  low.setRequestHandler('prompts/get', ({ params }, extra) => entry(prompts, params.name).get(params.arguments ?? {}, callOf(extra)));
  low.setRequestHandler('resources/list', () => ({
    resources: Object.entries(documents).map(([uri, { name, mimeType }]) => ({ uri, name, mimeType, description: `the ${name} one` })),
  }));
  low.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [template(scheme)] }));
  low.setRequestHandler('resources/read', ({ params }) => read(params.uri));
  low.setRequestHandler('completion/complete', ({ params }) => complete(params));
  return own;
}

const handler = createMcpHandler(server, { legacy: 'reject' });
const serve = toNodeHandler(handler);
const [fromHere, ofHere] = [localhostHostValidation(), localhostOriginValidation()];

const listener = http.createServer((request, response) => {
  response.on('error', () => {});
  if (fromHere(request, response) && ofHere(request, response)) serve(request, response).catch(() => response.destroy());
});
listener.listen(0, '127.0.0.1', () => {
  console.error(`listening on 127.0.0.1:${listener.address().port}`);
});
