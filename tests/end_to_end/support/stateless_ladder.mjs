// The inbound ladder of MCP 2026-07-28 as a table: a request, and what it is answered. The same for the
// gateway, for our own strict peer and for the official server, but where a row says otherwise.
import assert from 'node:assert/strict';
import { once } from '../../../simulations/peers/http.mjs';
import { KEYS, VERSION } from '../../../simulations/peers/stateless_rules.mjs';

const LIST = { method: 'tools/list' };
const FUTURE = '2099-01-01';
const LEGACY = '2025-11-25';
const base64 = (words) => `=?base64?${Buffer.from(words).toString('base64')}?=`;

/** `own`: the status that one of the others gives instead: `strict`, our peer, or `sdk`, the official server. */
const row = (what, status, code, about = {}) => ({ what, status, code, ...LIST, ...about });
const without = (...keys) => Object.fromEntries(keys.map((key) => [key, undefined]));

/** Messages that are none; the body is `text`. They may be answered before anybody knows their id. */
const shapes = [
  row('a body that is no JSON', 400, -32700, { text: '{"jsonrpc":' }),
  row('an array with a request', 400, -32600, { wrapped: true }),
  row('no JSON-RPC', 400, -32600, { top: { jsonrpc: '1.0' } }),
  row('a method that is no text', 400, -32600, { top: { method: 7 }, headers: { 'Mcp-Method': '7' } }),
  row('an id that is null', 400, -32600, { top: { id: null } }),
  row('params that are an array', 400, -32600, { top: { params: [] } }),
].map((each) => ({ ...each, anonymous: true }));

const envelopes = [
  row('a version header and no envelope', 400, -32602, { bare: true, names: '_meta' }),
  row('the same with params that hold another _meta', 400, -32602, { meta: without(KEYS.version), names: KEYS.version }),
  row('initialize without an envelope under a header of this revision', 400, -32020, { method: 'initialize', bare: true }),
  row('no capabilities', 400, -32602, { meta: without(KEYS.capabilities), names: KEYS.capabilities }),
  row('capabilities that are an array', 400, -32602, { meta: { [KEYS.capabilities]: [] }, names: KEYS.capabilities }),
  row('capabilities that are null', 400, -32602, { meta: { [KEYS.capabilities]: null }, names: KEYS.capabilities }),
  row('a version that is a number', 400, -32602, { meta: { [KEYS.version]: 20260728 }, names: KEYS.version }),
  row('no name of the client, which is optional', 200, undefined, { meta: without(KEYS.client) }),
  row('a name of the client that is a text', 400, -32602, { meta: { [KEYS.client]: 'me' }, names: KEYS.client }),
  row('a client without a version', 400, -32602, { meta: { [KEYS.client]: { name: 'me' } }, names: KEYS.client }),
  row('a log level that there is not', 400, -32602, { meta: { [KEYS.logLevel]: 'loud' }, names: KEYS.logLevel }),
  row('keys of others in the envelope', 200, undefined, { meta: { 'example.com/key': { a: [1] }, plain: 'x' } }),
];

const versions = [
  row('no version header', 400, -32020, { headers: { 'MCP-Protocol-Version': null } }),
  row('an older version in the header', 400, -32020, { headers: { 'MCP-Protocol-Version': LEGACY } }),
  row('an unknown version in the header', 400, -32020, { headers: { 'MCP-Protocol-Version': FUTURE } }),
  row('an unknown version in the body', 400, -32020, { meta: { [KEYS.version]: FUTURE } }),
  row('the same unknown version in both', 400, -32022, {
    headers: { 'MCP-Protocol-Version': FUTURE }, meta: { [KEYS.version]: FUTURE }, requested: FUTURE,
  }),
  row('the same older version in both', 400, -32022, {
    headers: { 'MCP-Protocol-Version': LEGACY }, meta: { [KEYS.version]: LEGACY }, requested: LEGACY,
  }),
];

const methods = [
  row('no Mcp-Method', 400, -32020, { headers: { 'Mcp-Method': null } }),
  row('another Mcp-Method', 400, -32020, { headers: { 'Mcp-Method': 'tools/call' } }),
  row('Mcp-Method in capitals', 400, -32020, { headers: { 'Mcp-Method': 'Tools/List' } }),
  row('an empty Mcp-Method', 400, -32020, { headers: { 'Mcp-Method': '' } }),
  row('Mcp-Method with space around it', 200, undefined, { headers: { 'Mcp-Method': ' \ttools/list\t ' } }),
  row('names of headers in capitals', 200, undefined, { headers: { 'MCP-METHOD': 'tools/list', 'MCP-PROTOCOL-VERSION': VERSION } }),
  row('names of headers in small letters', 200, undefined, { headers: { 'mcp-method': 'tools/list', 'mcp-protocol-version': VERSION } }),
  ...['no/such', 'initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'tasks/list', 'tasks/result']
    .map((method) => row(`${method} is no method of this revision`, 404, -32601, {
      method, params: { protocolVersion: VERSION, capabilities: {}, clientInfo: { name: 'x', version: '1' }, level: 'info', uri: 'x:y', taskId: 'x' },
    })),
  row('an unknown method with another Mcp-Method', 400, -32020, { method: 'no/such', headers: { 'Mcp-Method': 'no/other' } }),
];

const sessions = [
  row('a session header that nobody gave out', 200, undefined, { headers: { 'Mcp-Session-Id': 'nobody' } }),
  row('Last-Event-ID', 200, undefined, { headers: { 'Last-Event-ID': '7' } }),
  row('only JSON is accepted', 200, undefined, { headers: { Accept: 'application/json' }, own: { strict: 406 } }),
  row('a text is no message', 415, undefined, { headers: { 'Content-Type': 'text/plain' } }),
];

/** The rows about Mcp-Name, for a tool, a prompt and a resource that there are. */
function names({ tool, prompt, uri }) {
  const call = { method: 'tools/call', params: { name: tool, arguments: { text: 'x' } } };
  const get = { method: 'prompts/get', params: { name: prompt, arguments: { who: 'x' } } };
  const read = { method: 'resources/read', params: { uri } };
  const named = (what, about, value, status, code) => row(what, status, code, { ...about, headers: { 'Mcp-Name': value } });
  return [
    ...[['a call', call], ['a prompt', get], ['a resource', read]].flatMap(([what, about]) => [
      row(`${what} under its name`, 200, undefined, about),
      named(`${what} without Mcp-Name`, about, null, 400, -32020),
      named(`${what} under another name`, about, 'other', 400, -32020),
      named(`${what} under a name in Base64`, about, base64(about.params.name ?? about.params.uri), 200, undefined),
      named(`${what} under another name in Base64`, about, base64('other'), 400, -32020),
    ]),
    named('a name in what is no Base64', call, '=?base64?%%%?=', 400, -32020),
    named('a name in Base64 of a marker in capitals', call, base64(tool).toUpperCase(), 400, -32020),
    named('a name in Base64 without its end', call, base64(tool).slice(0, -2), 400, -32020),
    named('a name in capitals', call, tool.toUpperCase(), 400, -32020),
    named('a name with space around it', call, ` \t${tool} `, 200, undefined),
  ];
}

/** The rows about a tool whose arguments headers repeat; `name` is how it is called. */
function mirrored(name) {
  const about = (args, headers) => ({ method: 'tools/call', params: { name, arguments: args }, headers });
  const said = (what, args, headers, status, code, more) =>
    row(`Mcp-Param: ${what}`, status, code, { ...about(args, headers), ...more });
  const good = { region: 'eu', count: 42, sure: true, inner: { deep: 'ä' }, plain: 'x' };
  const right = {
    'Mcp-Param-Region': 'eu', 'Mcp-Param-Count': '42', 'Mcp-Param-Sure': 'true', 'Mcp-Param-Deep': base64('ä'),
  };
  return [
    said('all as in the body', good, right, 200, undefined),
    said('an integer in other digits', good, { ...right, 'Mcp-Param-Count': '42.0' }, 200, undefined),
    said('names in small letters', { region: 'eu' }, { 'mcp-param-region': 'eu' }, 200, undefined),
    said('an argument that is null', { region: null }, {}, 200, undefined),
    said('no arguments at all', {}, {}, 200, undefined),
    said('an empty text', { region: '' }, { 'Mcp-Param-Region': '' }, 200, undefined),
    said('another value', good, { ...right, 'Mcp-Param-Region': 'us' }, 400, -32020),
    said('another integer', good, { ...right, 'Mcp-Param-Count': '43' }, 400, -32020),
    said('another truth', good, { ...right, 'Mcp-Param-Sure': 'True' }, 400, -32020),
    said('an inner value that is another', good, { ...right, 'Mcp-Param-Deep': 'a' }, 400, -32020),
    said('what is no Base64', good, { ...right, 'Mcp-Param-Deep': '=?base64?=?=' }, 400, -32020),
    said('one is missing', good, { ...right, 'Mcp-Param-Region': null }, 400, -32020),
    said('one for no argument', {}, { 'Mcp-Param-Region': 'eu' }, 400, -32020, { own: { sdk: 200 } }),
    said('one that the tool does not know', { region: 'eu' }, { 'Mcp-Param-Region': 'eu', 'Mcp-Param-Other': 'x' }, 200, undefined),
  ];
}

/** The whole table; `tool`, `prompt`, `uri` and `annotated` are names that there are. */
export const ladder = (target) => [
  ...shapes, ...envelopes, ...versions, ...methods, ...sessions, ...names(target),
  ...(target.annotated ? mirrored(target.annotated) : []),
];

/** The request of a row: `{ headers, text, id }`. */
function requestOf(client, { method, params = {}, meta, bare, top, wrapped, text, headers }) {
  const message = client.message(method, params, { id: 'ladder-1', meta });
  if (bare) message.params = params;
  Object.assign(message, top);
  const body = text ?? JSON.stringify(wrapped ? [message] : message);
  return { headers: client.headersOf(client.message(method, params), headers), text: body, id: message.id };
}

/** Sends the request of a row and checks the answer; `whose`: `gate`, `strict` or `sdk`. */
export async function climb(client, rung, whose) {
  const { headers, text, id } = requestOf(client, rung);
  const answer = await once(client.port, { path: client.path, headers, body: text });
  const expected = rung.own?.[whose] ?? rung.status;
  assert.equal(answer.status, expected, answer.body.slice(0, 300));
  assert.equal(answer.headers.get('mcp-session-id'), undefined, 'there are no sessions');
  if (answer.status !== rung.status) return answer;
  if (rung.code === undefined && rung.status !== 200) return answer;
  const stream = answer.headers.get('content-type')?.startsWith('text/event-stream');
  const json = JSON.parse(stream ? answer.body.match(/^data: ?(\{.*"(?:result|error)".*\})$/m)[1] : answer.body);
  assert.equal(json.error?.code, rung.code, answer.body.slice(0, 300));
  if (rung.status === 200) assert.ok(json.result, answer.body.slice(0, 300));
  const unnamed = rung.anonymous && (!('id' in json) || (whose === 'sdk' && json.id === null));
  if (!unnamed) assert.equal(json.id, id, 'the id');
  if (rung.names) assert.ok(json.error.message.includes(rung.names), json.error.message);
  if (rung.requested) {
    assert.equal(json.error.data?.requested, rung.requested);
    assert.ok(json.error.data.supported.includes(VERSION), JSON.stringify(json.error.data));
  }
  return answer;
}
