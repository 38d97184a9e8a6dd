// Requests without sessions that somebody makes who means no good, and what they get: `status`, and `code` of
// JSON-RPC. What the ladder (stateless_ladder.mjs) has is not here again.
import { KEYS, VERSION } from '../../../simulations/peers/stateless_rules.mjs';

const [VERSION_KEY, CAPABILITIES_KEY] = [KEYS.version, KEYS.capabilities].map((key) => JSON.stringify(key));
const nested = (depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** Has `write(envelope as JSON)` stand in the message as its `_meta`. */
const meta = (write) => (message) => {
  const { _meta, ...params } = message.params;
  return JSON.stringify({ ...message, params: { ...params, _meta: 0 } }).replace('"_meta":0', `"_meta":${write(JSON.stringify(_meta))}`);
};
const instead = (raw) => meta(() => raw);
const besides = (members) => meta((text) => `${text.slice(0, -1)},${members}}`);
const replaced = (what, by) => meta((text) => text.replace(what, by));
const with_ = (members) => meta((text) => JSON.stringify({ ...JSON.parse(text), ...members }));
/** The message as text, and that changed. */
const changed = (change) => (message) => change(JSON.stringify(message), message);

/** Bodies of a call: `text(message)` is sent in its place. */
export const envelopes = [
  ['_meta is an array', instead('[]'), 400, -32600],
  ['_meta is null', instead('null'), 400, -32600],
  ['_meta is a text', instead('"x"'), 400, -32600],
  ['_meta is empty', instead('{}'), 400, -32602],
  ['the version twice, the same', besides(`${VERSION_KEY}:"${VERSION}"`), 400, -32602],
  ['the version twice, another one', besides(`${VERSION_KEY}:"2025-11-25"`), 400, -32602],
  ['the version twice, once escaped', besides('"io.modelcontextprotocol\\/protocol\\u0056ersion":"2025-11-25"'), 400, -32602],
  ['the capabilities twice', besides(`${CAPABILITIES_KEY}:{}`), 400, -32602],
  ['a version that is empty', with_({ [KEYS.version]: '' }), 400, -32020],
  ['a version with a blank', with_({ [KEYS.version]: `${VERSION} ` }), 400, -32020],
  ['a version of 5,000 bytes', with_({ [KEYS.version]: '2'.repeat(5000) }), 400, -32602],
  ['a version of half a surrogate', replaced(`"${VERSION}"`, '"\\ud800"'), 400, -32020],
  ['the version in escapes', replaced(`"${VERSION}"`, '"2026-07-\\u00328"'), 200, undefined],
  ['capabilities of 5,000 bytes', with_({ [KEYS.capabilities]: { a: 'x'.repeat(5000) } }), 400, -32602],
  ['a log level in capitals', with_({ [KEYS.logLevel]: 'INFO' }), 400, -32602],
  ['a log level that is an array', with_({ [KEYS.logLevel]: ['info'] }), 400, -32602],
  ['keys in other letters', meta((text) => text.replaceAll('io.model', 'IO.Model')), 400, -32602],
  ['keys without their prefix', instead(`{"protocolVersion":"${VERSION}","clientCapabilities":{}}`), 400, -32602],
  ['a key with U+0000 behind it', replaced('protocolVersion', 'protocolVersion\\u0000'), 400, -32602],
  ['10,000 other keys', with_(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i]))), 200, undefined],
  ['another key, 100 deep', besides(`"d":${nested(100)}`), 200, undefined],
  ['another key, 200 deep', besides(`"d":${nested(200)}`), 400, -32700],
  ['__proto__', besides('"__proto__":{"a":1}'), 200, undefined],
  ['an envelope beside params', changed((_, { params: { _meta, ...params }, ...rest }) => JSON.stringify({ ...rest, _meta, params })), 400, -32602],
  ['an envelope in the arguments', changed((_, { params: { _meta, ...params }, ...rest }) =>
    JSON.stringify({ ...rest, params: { ...params, arguments: { _meta } } })), 400, -32602],
  ['an envelope behind an empty one', changed((text) => text.replace('"_meta":', '"_meta":{},"_meta":')), 400, -32600],
  ['an envelope beside one in capitals', changed((text) => text.replace('"_meta":', '"_Meta":{},"_meta":')), 400, -32600],
  ['bytes that are no UTF-8', changed((text) => Buffer.from(text.replace('"x"', '"\xff"'), 'latin1')), 400, -32700],
  ['a request in an array', changed((text) => `[${text}]`), 400, -32600],
  ['a request in an array in an array', changed((text) => `[[${text}]]`), 400, -32600],
  ['an answer', changed((_, { id }) => JSON.stringify({ jsonrpc: '2.0', id, result: {} })), 400, -32600],
  ['more than the bound', changed((text) => text.replace('"x"', `"${'x'.repeat(300 * 1024)}"`)), 413, undefined],
];

const base64 = (text) => Buffer.from(text).toString('base64');
const marked = (inside) => `=?base64?${inside}?=`;

/** Values of headers for a prompt that is called `name`, which needs padding in Base64: `[what, headers, status, code]`. */
export function headers(name) {
  const inside = base64(name);
  const named = (value) => ({ 'Mcp-Name': value });
  const twice = (header, first, second) => ({ [header]: `${first}\r\n${header}: ${second}` });
  return [
    ['a marker around nothing', named(marked('')), 400, -32020],
    ['no padding', named(marked(inside.slice(0, -2))), 400, -32020],
    ['half the padding', named(marked(inside.slice(0, -1))), 400, -32020],
    ['too much padding', named(marked(`${inside}=`)), 400, -32020],
    ['spare bits that are not zero', named(marked(inside.replace('A==', 'B=='))), 400, -32020],
    ['a blank in Base64', named(marked(`${inside.slice(0, 4)} ${inside.slice(4)}`)), 400, -32020],
    ['Base64 twice', named(marked(base64(marked(inside)))), 400, -32020],
    ['the marker in capitals', named(`=?BASE64?${inside}?=`), 400, -32020],
    ['something behind the marker', named(`${marked(inside)} x`), 400, -32020],
    ['something before the marker', named(`x ${marked(inside)}`), 400, -32020],
    ['bytes that are no UTF-8', named(marked('/w==')), 400, -32020],
    ['40,000 bytes in Base64', named(marked('A'.repeat(40_000))), 400, -32020],
    ['a list', named(`${name}, ${name}`), 400, -32020],
    ['escapes of URLs', named(name.replaceAll('_', '%5F')), 400, -32020],
    ['quotes', named(`"${name}"`), 400, -32020],
    ['the name twice', twice('Mcp-Name', name, name), 200, undefined],
    ['the name twice, once marked', twice('Mcp-Name', name, marked(inside)), 200, undefined],
    ['two names', twice('Mcp-Name', name, 'one__echo'), 400, -32020],
    ['two names, the right one second', twice('Mcp-Name', 'one__echo', name), 400, -32020],
    ['two methods', twice('Mcp-Method', 'prompts/get', 'tools/call'), 400, -32020],
    ['a marked method', { 'Mcp-Method': marked(base64('prompts/get')) }, 400, -32020],
    ['two versions', twice('MCP-Protocol-Version', VERSION, '2025-11-25'), 400, undefined],
    ['two versions, the right one second', twice('MCP-Protocol-Version', '2025-11-25', VERSION), 400, undefined],
    ['a list of versions', { 'MCP-Protocol-Version': `${VERSION}, ${VERSION}` }, 400, -32020],
    ['a marked version', { 'MCP-Protocol-Version': marked(base64(VERSION)) }, 400, -32020],
    ['a header that only looks like it', { ...named(name), Mcp_Name: 'other' }, 200, undefined],
    ['a carriage return', named(`${name}\rX: y`), 400, undefined],
    ['a line feed', named(`${name}\nX: y`), 400, undefined],
    ['U+0000', named(`${name}\0`), 400, undefined],
    ['a control character', named(`${name}\x01`), 400, undefined],
    ['a folded line', named(`${name.slice(0, 5)}\r\n ${name.slice(5)}`), 400, undefined],
    ['a second length', named(`${name}\r\nContent-Length: 3`), 400, undefined],
    ['more than the bound', named('x'.repeat(70 * 1024)), 400, undefined],
  ];
}

const uris = (count) => Array.from({ length: count }, (_, i) => `one://items/${i}`);

/** What a subscription asks for, and may not: all are answered with status 200 and -32602. */
export const filters = [
  ['nothing', undefined], ['null', null], ['an array', []], ['a text', 'x'], ['true', true],
  ['a number for a truth', { toolsListChanged: 1 }], ['a text for a truth', { toolsListChanged: 'true' }],
  ['an object of URIs', { resourceSubscriptions: {} }], ['one URI', { resourceSubscriptions: 'one://docs/1' }],
  ['a URI that is a number', { resourceSubscriptions: ['one://docs/1', 1] }], ['an empty URI', { resourceSubscriptions: [''] }],
  ['a URI of 20,000 bytes', { resourceSubscriptions: [`one://items/${'x'.repeat(20_000)}`] }],
  ['1,001 URIs', { resourceSubscriptions: uris(1001) }],
];
