// What MCP 2026-07-28 says of one request, for a peer that checks and one that speaks: the keys of the
// envelope, the headers that repeat the body, and which answer a request deserves that breaks a rule.

export const VERSION = '2026-07-28';

const PREFIX = 'io.modelcontextprotocol/';
export const KEYS = {
  version: `${PREFIX}protocolVersion`,
  capabilities: `${PREFIX}clientCapabilities`,
  client: `${PREFIX}clientInfo`,
  logLevel: `${PREFIX}logLevel`,
  subscription: `${PREFIX}subscriptionId`,
  server: `${PREFIX}serverInfo`,
};

/** The extension by which a server answers calls with tasks. */
export const TASKS = `${PREFIX}tasks`;

export const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export const CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
};

/** The member of `params` that the header Mcp-Name repeats, by method. */
export const NAMED = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

export const METHODS = [
  'server/discover', 'tools/list', 'tools/call', 'prompts/list', 'prompts/get', 'resources/list',
  'resources/templates/list', 'resources/read', 'completion/complete', 'subscriptions/listen',
];

/** Those of the extension. */
export const TASK_METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'];

/** Methods whose complete results say how long they may be kept, and by whom. */
export const CACHEABLE = [
  'server/discover', 'tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read',
];

/** Methods that may answer that they need input. */
export const MAY_ASK = ['tools/call', 'prompts/get', 'resources/read'];

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value as a header holds it: as it is where that is safe, else marked Base64. */
export function encoded(value) {
  const text = String(value);
  const safe = /^([\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?)?$/.test(text);
  const looksEncoded = text.startsWith('=?base64?') && text.endsWith('?=');
  if (safe && !looksEncoded) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** What a header holds, as text; undefined if it says Base64 and is none. */
export function decoded(header) {
  const inside = header.match(/^=\?base64\?(.*)\?=$/)?.[1];
  if (inside === undefined) return header;
  const bytes = Buffer.from(inside, 'base64');
  if (bytes.toString('base64') !== inside) return undefined;
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : undefined;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Everything below `schema` that is annotated, wherever it stands: `[schema, path | undefined]`. */
function* annotations(schema, path) {
  if (Array.isArray(schema)) for (const each of schema) yield* annotations(each);
  if (!isObject(schema)) return;
  if ('x-mcp-header' in schema) yield [schema, path];
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' && isObject(value))
      for (const [name, property] of Object.entries(value)) yield* annotations(property, path && [...path, name]);
    else yield* annotations(value);
  }
}

/**
 * The arguments of a tool that headers repeat: `[{ header, path }]`; undefined if an annotation is not
 * valid, and the tool therefore none that a client may use.
 */
export function mirrored(inputSchema) {
  const found = [];
  for (const [schema, path] of annotations(inputSchema, [])) {
    const name = schema['x-mcp-header'];
    const usable = path?.length && ['string', 'integer', 'boolean'].includes(schema.type);
    if (!usable || typeof name !== 'string' || !TOKEN.test(name)) return undefined;
    found.push({ header: `Mcp-Param-${name}`, path });
  }
  const names = new Set(found.map(({ header }) => header.toLowerCase()));
  return names.size === found.length ? found : undefined;
}

const argumentAt = (args, path) => path.reduce((inside, name) => (isObject(inside) ? inside[name] : undefined), args);

/** The Mcp-Param headers of a call: name to value. */
export function paramHeaders(inputSchema, args) {
  const found = (mirrored(inputSchema) ?? []).map(({ header, path }) => [header, argumentAt(args, path)]);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined && value !== null)
    .map(([header, value]) => [header, encoded(value)]));
}

/** Does the header say what the body says? Integers by their value. */
function agrees(header, value) {
  const text = decoded(header);
  if (text === undefined) return false;
  return Number.isInteger(value) ? text.trim() !== '' && Number(text) === value : text === String(value);
}

const refusal = (status, code, message, data) => ({ status, code, message, ...(data && { data }) });
const mismatch = (name) => refusal(400, CODES.headerMismatch, `${name} does not say what the body says`);
const invalid = (message) => refusal(400, CODES.invalidParams, message);

/** The first rung: is it a message at all? */
export function shapeRefusal(message) {
  const bad = (why) => refusal(400, CODES.invalidRequest, why);
  if (!isObject(message)) return bad('not one message');
  if (message.jsonrpc !== '2.0') return bad('not JSON-RPC 2.0');
  if (typeof message.method !== 'string') return bad('neither a request nor a notification');
  if ('id' in message && typeof message.id !== 'string' && !Number.isSafeInteger(message.id)) return bad('not an id');
  if ('params' in message && !isObject(message.params)) return bad('params that are no object');
  return undefined;
}

/** Is this implementation named as it must be? */
const isImplementation = (info) => isObject(info) && typeof info.name === 'string' && typeof info.version === 'string';

function envelopeRefusal(meta) {
  if (typeof meta[KEYS.version] !== 'string') return invalid(`${KEYS.version} is no text`);
  if (!isObject(meta[KEYS.capabilities])) return invalid(`${KEYS.capabilities} is missing or no object`);
  if (KEYS.client in meta && !isImplementation(meta[KEYS.client])) return invalid(`${KEYS.client} is not well-formed`);
  if (KEYS.logLevel in meta && !LEVELS.includes(meta[KEYS.logLevel])) return invalid(`${KEYS.logLevel} is no level`);
  const token = meta.progressToken;
  if (token !== undefined && typeof token !== 'string' && !Number.isSafeInteger(token))
    return invalid('progressToken is neither a text nor an integer');
  return undefined;
}

function versionRefusal(header, version, supported) {
  if (header === undefined) return refusal(400, CODES.headerMismatch, 'MCP-Protocol-Version is missing');
  if (header !== version) return mismatch('MCP-Protocol-Version');
  if (supported.includes(version)) return undefined;
  return refusal(400, CODES.unsupportedVersion, 'Unsupported protocol version', { supported, requested: version });
}

function nameRefusal(headers, { method, params }) {
  if (headers['mcp-method'] !== method) return mismatch('Mcp-Method');
  const member = NAMED[method];
  if (!member || typeof params[member] !== 'string') return undefined;
  const name = headers['mcp-name'];
  return name === undefined || !agrees(name, params[member]) ? mismatch('Mcp-Name') : undefined;
}

/**
 * What a server of this revision answers to a request instead of serving it, in the order in which it
 * looks: undefined if nothing is wrong. `headers` by lower-case names; `message` has the shape of one.
 */
export function requestRefusal(headers, message, { supported = [VERSION], methods = METHODS } = {}) {
  const meta = message.params?._meta;
  const versionHeader = headers['mcp-protocol-version'];
  if (!isObject(meta) || !(KEYS.version in meta)) {
    if (!supported.includes(versionHeader))
      return refusal(400, CODES.unsupportedVersion, 'This server has no sessions', { supported, requested: versionHeader ?? '' });
    return message.method === 'initialize' ? mismatch('MCP-Protocol-Version') : invalid(`params._meta lacks ${KEYS.version}`);
  }
  const found = envelopeRefusal(meta)
    ?? versionRefusal(versionHeader, meta[KEYS.version], supported)
    ?? nameRefusal(headers, message);
  if (found) return found;
  return methods.includes(message.method) ? undefined : refusal(404, CODES.methodNotFound, 'Method not found');
}

/** The same for the headers that repeat arguments of a tool. */
export function paramRefusal(headers, inputSchema, args = {}) {
  for (const { header, path } of mirrored(inputSchema) ?? []) {
    const [held, value] = [headers[header.toLowerCase()], argumentAt(args, path)];
    const absent = value === undefined || value === null;
    if (absent ? held !== undefined : held === undefined || !agrees(held, value)) return mismatch(header);
  }
  return undefined;
}

/** Keys of ours in `_meta` that no request has: what belongs to answers, or to another revision. */
export function foreignKeys(meta = {}) {
  const known = [KEYS.version, KEYS.capabilities, KEYS.client, KEYS.logLevel];
  return Object.keys(meta).filter((key) => key.startsWith(PREFIX) && !known.includes(key));
}
