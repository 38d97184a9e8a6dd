// Requests that no server may accept, for all of ours.
import { ACCEPT } from '../../../simulations/peers/mcp.mjs';

export const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** Heads that the strict request gate refuses: 400, then the connection is closed. */
export function ambiguousRequests(port) {
  const host = `Host: 127.0.0.1:${port}\r\n`;
  const types = `Content-Type: application/json\r\nAccept: ${ACCEPT}\r\n`;
  const post = (fields, body = PING) => `POST /mcp HTTP/1.1\r\n${fields}${types}\r\n${body}`;
  const length = `Content-Length: ${PING.length}\r\n`;
  const chunk = `${PING.length.toString(16)}\r\n${PING}\r\n0\r\n\r\n`;
  const get = (target, fields = host) => `GET ${target} HTTP/1.1\r\n${fields}\r\n`;
  return {
    'no Host': post(length),
    'two Hosts': post(`${host}${host}${length}`),
    'two different Hosts': post(`${host}Host: localhost\r\n${length}`),
    'method PUT': `PUT /mcp HTTP/1.1\r\n${host}${length}\r\n${PING}`,
    'method TRACE': `TRACE /mcp HTTP/1.1\r\n${host}\r\n`,
    'method CONNECT': `CONNECT 127.0.0.1:80 HTTP/1.1\r\n${host}\r\n`,
    'lower-case method': `post /mcp HTTP/1.1\r\n${host}${length}${types}\r\n${PING}`,
    'two Content-Lengths': post(`${host}${length}Content-Length: 5\r\n`),
    'the same Content-Length twice': post(`${host}${length}${length}`),
    'Content-Length list': post(`${host}Content-Length: ${PING.length}, ${PING.length}\r\n`),
    'Content-Length with a sign': post(`${host}Content-Length: +${PING.length}\r\n`),
    'negative Content-Length': post(`${host}Content-Length: -1\r\n`),
    'hexadecimal Content-Length': post(`${host}Content-Length: 0x10\r\n`),
    'empty Content-Length': post(`${host}Content-Length:\r\n`),
    'Content-Length beyond 64 bits': post(`${host}Content-Length: 99999999999999999999999\r\n`),
    'Content-Length and chunked': post(`${host}${length}Transfer-Encoding: chunked\r\n`, chunk),
    'Transfer-Encoding gzip, chunked': post(`${host}Transfer-Encoding: gzip, chunked\r\n`, chunk),
    'Transfer-Encoding identity': post(`${host}Transfer-Encoding: identity\r\n`, chunk),
    'Transfer-Encoding twice': post(`${host}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n`, chunk),
    'Transfer-Encoding xchunked': post(`${host}Transfer-Encoding: xchunked\r\n`, chunk),
    'chunked on HTTP/1.0': `POST /mcp HTTP/1.0\r\n${host}${types}Transfer-Encoding: chunked\r\n\r\n${chunk}`,
    'folded header': post(`${host}${length}X-Folded: a\r\n b\r\n`),
    'blank before the colon': post(`${host}Content-Length : ${PING.length}\r\n`),
    'header without a colon': post(`${host}${length}nonsense\r\n`),
    'a bare line feed': post(`${host.trim()}\n${length}`),
    'absolute target': get(`http://127.0.0.1:${port}/health`),
    'asterisk target': `OPTIONS * HTTP/1.1\r\n${host}\r\n`,
    'target with a control character': get('/hea\x01lth'),
    'target beyond ASCII': get('/h\xe9alth'),
    'target with a blank': get('/health x'),
    'HTTP/2.0': `GET /health HTTP/2.0\r\n${host}\r\n`,
    'not HTTP': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
    'a header block over 64 KiB': get('/health', `${host}X-Long: ${'x'.repeat(70 * 1024)}\r\n`),
    'many small headers over 64 KiB': get('/health', host + 'X: yyyyyyyy\r\n'.repeat(6000)),
  };
}

/** Bodies that are refused: `[HTTP status, JSON-RPC code]`. */
export const badMessages = {
  'not JSON': ['{nope', 400, -32700],
  'an empty body': ['', 400, -32700],
  'JSON cut off': ['{"jsonrpc":"2.0","id":1,"method":"ping"', 400, -32700],
  'two messages': [`${PING}${PING}`, 400, -32700],
  'a trailing comma': ['{"jsonrpc":"2.0","id":1,"method":"ping",}', 400, -32700],
  'bare control characters': ['{"jsonrpc":"2.0","id":"a\u0001","method":"ping"}', 400, -32700],
  'broken UTF-8': [Buffer.from('{"jsonrpc":"2.0","id":"\xff\xfe","method":"ping"}', 'latin1'), 400, -32700],
  'nesting of 30,000': [`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`, 400, -32700],
  'a string': ['"ping"', 400, -32600],
  'no jsonrpc': ['{"id":1,"method":"ping"}', 400, -32600],
  'jsonrpc 1.0': ['{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600],
  'id null': ['{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600],
  'id an object': ['{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32600],
  'id a fraction': ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 400, -32600],
  'a huge id': [`{"jsonrpc":"2.0","id":"${'i'.repeat(5000)}","method":"ping"}`, 400, -32600],
  'a huge number as id': [`{"jsonrpc":"2.0","id":${'9'.repeat(5000)},"method":"ping"}`, 400, -32600],
  'params a string': ['{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}', 400, -32600],
  'method a number': ['{"jsonrpc":"2.0","id":1,"method":5}', 400, -32600],
  'method twice': ['{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}', 400, -32600],
  'id twice': ['{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 400, -32600],
  'params twice': ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{},"params":{}}', 400, -32600],
  'name twice': ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a__echo","name":"b__echo"}}', 400, -32600],
  'name twice, once escaped': ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a__echo","na\\u006de":"b__echo"}}', 400, -32600],
  'arguments twice': ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a__echo","arguments":{},"arguments":{}}}', 400, -32600],
  '_meta twice': ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a__echo","_meta":{},"_meta":{}}}', 400, -32600],
  'an empty batch': ['[]', 400, -32600],
  'a batch on 2025-11-25': [`[${PING}]`, 400, -32600],
};
