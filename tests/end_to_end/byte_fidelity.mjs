// What an upstream says reaches the client byte for byte, whatever JSON libraries would make of it:
// results, errors, and the items of lists (there only the name gains its prefix). And the other way
// round: the arguments of a call reach the upstream untouched.
import assert from 'node:assert/strict';
import { Gate } from '../../simulations/peers/gate.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { Upstream } from '../../simulations/peers/upstream.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const nested = (depth) => '['.repeat(depth) + ']'.repeat(depth);
const content = '"content":[{"type":"text","text":"t"}]';

/** Objects that a parse-and-print would change. None is invalid JSON. */
const payloads = {
  'big integers': `{${content},"structuredContent":{"a":9007199254740993,"b":-18446744073709551617,"c":123456789012345678901234567890}}`,
  'floats as spelled': `{${content},"structuredContent":{"a":1.0,"b":-0,"c":-0.0,"d":1E+2,"e":1e-07,"f":99.99999999999999,"g":3.14}}`,
  'floats out of range': `{${content},"structuredContent":{"huge":1e400,"tiny":1e-400,"negative":-1e999}}`,
  'duplicate keys': `{${content},"structuredContent":{"k":1,"k":2,"k":3},"_meta":{"x":1,"x":2}}`,
  'odd member order': `{"z":1,"_meta":{"b":1,"a":2},"isError":false,${content},"a":0}`,
  'unknown members': `{${content},"futureField":{"deep":[{"er":null}]},"anotherOne":[]}`,
  '300 levels deep': `{${content},"structuredContent":{"nest":${nested(300)}}}`,
  'escapes as spelled': `{"content":[{"type":"text","text":"\\u0041\\/\\u00e9\\ud83d\\ude00\\ud800\\b\\f\\n\\r\\t\\"\\\\\\u0000"}]}`,
  'unicode as sent': `{"content":[{"type":"text","text":"äöü 漢字 😀 \u2028\u2029 \u200b e\u0301 \ufeff"}],"schlüssel":"ß"}`,
  'white space inside': `{ ${content} ,\n  "structuredContent" : {\t"a" : [ 1 , 2 ]\n} }`,
  'words of the protocol': `{${content},"structuredContent":{"jsonrpc":"1.0","id":77,"result":{},"error":null,"method":"tools/call"}}`,
  'text like an event stream': `{"content":[{"type":"text","text":"data: x\\n\\nevent: message\\n\\n: c"}]}`,
  'an empty object': '{}',
  'a megabyte': `{"content":[{"type":"text","text":"${'0123456789abcdef'.repeat(65536)}"}]}`,
};

const errors = {
  'an error with data': '{"code":-32099,"message":"von oben","data":{"detail":[1.0,9007199254740993,null],"k":1,"k":2}}',
  'members in odd order': '{"data":1e400,"message":"\\u00fc\\/","code":-32602,"extra":{"x":1}}',
  'a code of ours': '{"code":-32042,"message":"URL needed","data":{"elicitations":[{"mode":"url","elicitationId":"e","url":"https://example.com/"}]}}',
};

/** List items: `name` as the upstream spells it; everything around it must survive. */
const tools = [
  '{"name":"plain","description":"d","inputSchema":{"type":"object"}}',
  '{"inputSchema":{"type":"object","properties":{"n":{"maximum":9007199254740993,"minimum":-1.0e0}}},"name":"name-last"}',
  '{ "name" : "spaced" , "inputSchema" : { "type" : "object" } }',
  '{"name":"double__under","annotations":{"title":"x","title":"y"},"inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}',
  '{"name":"nested-name","inputSchema":{"type":"object","properties":{"name":{"type":"string","const":"nested-name"}}},"_meta":{"name":"keep"}}',
];

const prefixed = (item) => item.replace(/"name"( ?): ?"/, (head) => `${head}a__`);

/** The raw text behind `"result":` or `"error":` of a message that ends with it, or contains it. */
function assertCarries(text, member, raw, format) {
  const whole = `"${member}":${raw}`;
  if (text.includes(whole)) return;
  const at = text.indexOf(`"${member}":`);
  assert.fail(`(${format}) sent ${raw.slice(0, 300)}\n got ${text.slice(at < 0 ? 0 : at, at + 300)}`);
}

await suite('bytes survive the gateway', async ({ step, defer }) => {
  const upstream = await Upstream.start();
  defer(function upstreamEnds() { return upstream.stop(); });
  const other = await Upstream.start();
  defer(function otherEnds() { return other.stop(); });
  const gate = await Gate.start(binary, {
    upstreams: [
      { id: 'up', url: upstream.url, namespace: 'a', cacheTtlMs: -1 },
      { id: 'other', url: other.url, namespace: 'b', cacheTtlMs: -1 },
    ],
  });
  defer(function gateEnds() { return gate.end(); });
  const session = await Session.open(gate);

  for (const format of ['json', 'chunked', 'sse']) {
    for (const [what, raw] of Object.entries(payloads)) {
      await step(`result, ${format}: ${what}`, async () => {
        upstream.format = format;
        upstream.on('tools/call', (call) => call.result(raw));
        const { status, text } = await session.call('a__raw');
        assert.equal(status, 200);
        assertCarries(text, 'result', raw, format);
      });
    }
    for (const [what, raw] of Object.entries(errors)) {
      await step(`error, ${format}: ${what}`, async () => {
        upstream.format = format;
        upstream.on('tools/call', (call) => call.error(raw));
        const { status, text } = await session.call('a__raw');
        assert.equal(status, 200, 'an error of an upstream is an answer, not an HTTP failure');
        assertCarries(text, 'error', raw, format);
      });
    }
    await step(`list items, ${format}: only the name changes`, async () => {
      upstream.format = format;
      upstream.on('tools/list', (call) => call.result(`{"tools":[${tools.join(' , ')}]}`));
      const { text } = await session.request('tools/list', {});
      for (const item of tools) assert.ok(text.includes(prefixed(item)), `${prefixed(item)}\nnot in ${text}`);
    });
  }

  await step('a call with a progress token, answered as a stream, carries the same bytes', async () => {
    const raw = payloads['big integers'];
    upstream.on('tools/call', (call) => {
      const token = JSON.stringify(call.params._meta.progressToken);
      const progress = `{"progressToken":${token},"progress":1.0,"total":9007199254740993}`;
      call.sse([
        `{"jsonrpc":"2.0","method":"notifications/progress","params":${progress}}`,
        `{"jsonrpc":"2.0","id":${call.id},"result":${raw}}`,
      ]);
    });
    const { text } = await session.call('a__raw', {}, { meta: { progressToken: 'mine' } });
    assertCarries(text, 'result', raw, 'stream');
    const [progress] = session.notifications.splice(0);
    assert.ok(progress, 'the progress notification was relayed');
    assert.equal(progress.json.params.progressToken, 'mine', 'with the token of the client, its type kept');
    assert.match(progress.text, /"total":9007199254740993/);
  });

  await step('arguments reach the upstream byte for byte, under the bare name', async () => {
    upstream.restore();
    const args = `{"z":1.0,"a":9007199254740993,"e":1e400,"k":1,"k":2,"s":"\\u0041\\/","d":${nested(60)}}`;
    const body = `{"jsonrpc":"2.0","id":"raw-1","method":"tools/call","params":{"name":"a__raw","arguments":${args}}}`;
    const answer = await session.post(body);
    assert.equal(answer.status, 200, answer.body);
    const seen = upstream.of('tools/call').at(-1);
    assert.ok(seen.body.includes(`"arguments":${args}`), seen.body);
    assert.equal(seen.params.name, 'raw');
  });

  for (const id of ['"a string"', '"1"', '1', '9007199254740991', '-7', '"\\u00e4\\/"']) {
    await step(`the id ${id} comes back as it was`, async () => {
      const answer = await session.post(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
      assert.equal(answer.status, 200, answer.body);
      assert.ok(answer.body.includes(`"id":${id}`), answer.body);
    });
  }
});
