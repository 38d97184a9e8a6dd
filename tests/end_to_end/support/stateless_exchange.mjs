// What a client of 2026-07-28 does with the offering of a peer, and what must come of it: the same steps
// directly and through the gateway, whichever generation the peer behind it speaks.
import assert from 'node:assert/strict';
import { ODD_MEMBERS, ODD_META } from '../../../simulations/peers/offering.mjs';
import { Connection } from '../../../simulations/peers/http.mjs';
import { StatelessClient } from '../../../simulations/peers/stateless_client.mjs';
import { CACHEABLE, KEYS, LEVELS, VERSION } from '../../../simulations/peers/stateless_rules.mjs';
import { until } from '../../../simulations/peers/waiting.mjs';

export const textOf = ({ result, error }) => {
  assert.ok(result, JSON.stringify(error));
  return result.content.map((part) => part.text).join('\n');
};

/** The answers of a client with a user, a model and roots. */
export const answering = ({ method, params }) => {
  if (method === 'roots/list') return { roots: [{ uri: 'file:///work' }] };
  if (method === 'sampling/createMessage') return { role: 'assistant', model: 'm', content: { type: 'text', text: 'words' } };
  const [field] = Object.keys(params.requestedSchema.properties);
  return { action: 'accept', content: { [field]: `my ${field}` } };
};

/** What every complete result says; cacheable ones may have a bound too. */
export function assertComplete(method, { status, headers, result, error }) {
  assert.equal(status, 200);
  assert.ok(result, `${method}: ${JSON.stringify(error)}`);
  assert.equal(result.resultType, 'complete', method);
  assert.equal(headers.get('mcp-session-id'), undefined, 'there are no sessions');
  if (!CACHEABLE.includes(method)) {
    assert.ok(!('ttlMs' in result) && !('cacheScope' in result), `${method} is not cacheable`);
    return;
  }
  assert.ok(Number.isInteger(result.ttlMs) && result.ttlMs >= 0, `ttlMs ${result.ttlMs} of ${method}`);
  assert.ok(['public', 'private'].includes(result.cacheScope), `cacheScope ${result.cacheScope} of ${method}`);
}

const LISTS = [
  ['tools/list', 'tools', 'name'], ['prompts/list', 'prompts', 'name'], ['resources/list', 'resources', 'uri'],
  ['resources/templates/list', 'resourceTemplates', 'uriTemplate'],
];

async function lists({ on, client, prefix, server, official }) {
  await on('server/discover says what this is', async () => {
    const answer = await client.request('server/discover');
    assertComplete('server/discover', answer);
    const { supportedVersions, capabilities, _meta } = answer.result;
    assert.deepEqual(supportedVersions, [VERSION]);
    assert.ok(capabilities.tools.listChanged && capabilities.prompts && capabilities.resources.subscribe, JSON.stringify(capabilities));
    assert.ok(capabilities.completions);
    assert.ok(_meta[KEYS.server].name && _meta[KEYS.server].version);
    assert.ok(!('tasks' in capabilities), 'tasks of sessions are no capability here');
  });

  for (const [method, member, key] of LISTS)
    await on(`${method} lists what there is`, async () => {
      const { items, last } = await client.list(method, member);
      assertComplete(method, { status: 200, headers: new Map(), result: last });
      if (official) return assert.ok(items.length, member);
      const named = key === 'name';
      const own = items.filter((item) => (named ? item.name.startsWith(prefix) : item[key].startsWith(`${server.name}:`)));
      const plain = server.offering.list(method)[member].map((item) => (named ? { ...item, name: prefix + item.name } : item));
      return assert.deepEqual(own, JSON.parse(JSON.stringify(plain)));
    });

  if (official) return;
  await on('a cursor that nobody gave out is an error of the request, not of HTTP', async () => {
    const { status, error } = await client.request('tools/list', { cursor: 'nobody' });
    assert.deepEqual([status, error?.code], [200, -32602]);
  });
}

async function calls({ on, client, name, server, official }) {
  await on('a call is answered', async () => {
    const answer = await client.call(name('echo'), { text: 'ä☃𝄞' });
    assertComplete('tools/call', answer);
    assert.equal(textOf(answer), `${server.name}: ä☃𝄞`);
    assert.match(answer.headers.get('content-type'), /^(application\/json|text\/event-stream)/);
  });

  await on('ids come back as they were', async () => {
    for (const id of [1, '1', 0, -7, 9007199254740991, '', 'ä"\\', 'x'.repeat(200)]) {
      const { json } = await client.call(name('echo'), { text: 'x' }, { id });
      assert.deepEqual(json.id, id);
    }
  });

  await on('a hundred clients with the same id at once get their own answers', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) =>
      client.call(name('echo'), { text: `number ${i}` }, { id: 1 })));
    answers.forEach((answer, i) => assert.equal(textOf(answer), `${server.name}: number ${i}`));
  });

  await on('structured content and errors of tools arrive', async () => {
    assert.deepEqual((await client.call(name('typed'))).result.structuredContent, { sum: 3 });
    const failed = await client.call(name('fails'));
    assertComplete('tools/call', failed);
    assert.equal(failed.result.isError, true);
  });

  if (official) return;
  await on('a result arrives in its own words', async () => {
    const { text } = await client.call(name('exact'));
    assert.ok(text.includes(ODD_MEMBERS) && text.includes(ODD_META), text);
  });

  await on('errors that a server ends a call with pass as they are, with status 200', async () => {
    for (const code of [4711, -1, -32603, -32000]) {
      const { status, error } = await client.call(name('refuses'), { code });
      assert.deepEqual([status, error], [200, { code, message: 'refused on purpose', data: { why: [1, 'ä'] } }]);
    }
  });
}

async function notifications({ on, client, name, official }) {
  await on('progress comes with the token of the client, and of its type', async () => {
    for (const progressToken of [5, '5', 'ä']) {
      const answer = await client.call(name('progress'), { steps: 3 }, { meta: { progressToken } });
      assertComplete('tools/call', answer);
      const told = answer.notifications.map(({ method, params }) => [method, params.progressToken, params.progress]);
      assert.deepEqual(told, [1, 2, 3].map((i) => ['notifications/progress', progressToken, i]));
    }
  });

  await on('a token may be in use by several at once', async () => {
    const answers = await Promise.all([2, 3, 4, 5, 6].map((steps) =>
      client.call(name('progress'), { steps }, { meta: { progressToken: 'same' } })));
    answers.forEach((answer, i) => {
      const told = answer.notifications.map(({ params }) => [params.progressToken, params.progress, params.total]);
      assert.deepEqual(told, Array.from({ length: i + 2 }, (_, n) => ['same', n + 1, i + 2]));
    });
  });

  await on('without a token there is no progress', async () => {
    assert.deepEqual((await client.call(name('progress'))).notifications, []);
  });

  if (official) return;
  await on('log messages come for who asks for them, from that level on', async () => {
    for (const level of ['debug', 'warning', 'emergency']) {
      const answer = await client.call(name('log'), {}, { meta: { [KEYS.logLevel]: level } });
      assert.equal(textOf(answer), 'logged');
      const told = answer.notifications.map(({ method, params }) => [method, params.level]);
      assert.deepEqual(told, LEVELS.slice(LEVELS.indexOf(level)).map((each) => ['notifications/message', each]), level);
    }
  });

  await on('and for nobody else, also at the same time', async () => {
    const levels = [undefined, 'error', undefined, 'debug', 'alert', undefined];
    const answers = await Promise.all(levels.map((level) =>
      client.call(name('log'), {}, { meta: level && { [KEYS.logLevel]: level } })));
    answers.forEach(({ notifications: told }, i) =>
      assert.equal(told.length, levels[i] ? LEVELS.length - LEVELS.indexOf(levels[i]) : 0, levels[i]));
  });
}

async function others({ on, client, name, server, official }) {
  await on('a prompt is got', async () => {
    const answer = await client.request('prompts/get', { name: name('greet'), arguments: { who: 'Ada' } });
    assertComplete('prompts/get', answer);
    assert.equal(answer.result.messages[0].content.text, 'greet Ada');
  });

  await on('resources are read: a listed one, one of a template', async () => {
    for (const [path, words] of [['docs/1', 'the first'], ['items/7', 'item 7']]) {
      const uri = `${server.name}://${path}`;
      const answer = await client.request('resources/read', { uri });
      assertComplete('resources/read', answer);
      assert.deepEqual(answer.result.contents, [{ uri, mimeType: 'text/plain', text: `${server.name}: ${words}` }]);
    }
  });

  await on('a resource that there is not is an error that names it', async () => {
    const uri = `${server.name}://docs/none`;
    const { status, error } = await client.request('resources/read', { uri });
    assert.deepEqual([status, error?.code, error?.data?.uri], [200, -32602, uri], JSON.stringify(error));
  });

  await on('arguments are completed', async () => {
    const refs = [{ type: 'ref/prompt', name: name('greet') }];
    if (!official) refs.push({ type: 'ref/resource', uri: `${server.name}://items/{id}` });
    for (const ref of refs) {
      const answer = await client.request('completion/complete', { ref, argument: { name: ref.name ? 'who' : 'id', value: 'A' } });
      assertComplete('completion/complete', answer);
      assert.deepEqual(answer.result.completion.values, ['A-one', 'A-two']);
    }
  });
}

/** `listeners(filter)` resolves when the peer is listened to for that. */
async function subscriptions({ on, client, server, listeners }) {
  const uri = `${server.name}://docs/1`;
  const all = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true, resourceSubscriptions: [uri] };

  await on('a subscription is acknowledged, and brings what was asked for', async () => {
    for (const id of [41, '41']) {
      const stream = await client.listen(all, { id });
      assert.deepEqual(stream.honoured, all);
      await listeners?.(all);
      for (const list of ['tools', 'prompts', 'resources']) {
        server.changed(list);
        const { params } = await stream.until(({ method }) => method === `notifications/${list}/list_changed`, `${list} to change`);
        assert.deepEqual(params?._meta?.[KEYS.subscription], id);
      }
      server.updated(uri);
      const { params } = await stream.until(({ method }) => method === 'notifications/resources/updated', 'the resource to be updated');
      assert.deepEqual([params.uri, params._meta?.[KEYS.subscription]], [uri, id]);
      stream.close();
    }
  });

  await on('what was not asked for does not come, to each the own', async () => {
    const [tools, prompts] = await Promise.all([
      client.listen({ toolsListChanged: true }), client.listen({ promptsListChanged: true }),
    ]);
    assert.deepEqual([tools.honoured, prompts.honoured], [{ toolsListChanged: true }, { promptsListChanged: true }]);
    await listeners?.({ toolsListChanged: true, promptsListChanged: true });
    server.changed('tools');
    await tools.until(({ method }) => method === 'notifications/tools/list_changed');
    server.changed('prompts');
    await prompts.until(({ method }) => method === 'notifications/prompts/list_changed');
    // A second change of each is the fence: whatever came wrongly would have come before it.
    server.changed('tools');
    await tools.until(({ method }) => method === 'notifications/tools/list_changed');
    for (const [stream, list] of [[tools, 'tools'], [prompts, 'prompts']]) {
      const others = stream.messages.slice(1).filter(({ method }) => method !== `notifications/${list}/list_changed`);
      assert.deepEqual(others, []);
      stream.close();
    }
  });

  await on('a subscription without a filter is refused', async () => {
    const message = client.message('subscriptions/listen', {});
    const answer = await client.post(message);
    assert.equal(JSON.parse(answer.body.match(/\{.*\}/)[0]).error?.code, -32602, answer.body);
  });
}

/** `abandoned(since)`: how many calls the peer was told of that nobody waits for any more. */
async function cancellation({ on, client, name, server, abandoned }) {
  await on('closing the stream of a call cancels it, and no other', async () => {
    const before = await abandoned();
    const started = server.of('tools/call').length;
    const streams = await Promise.all(['one', 'two'].map((text, i) =>
      client.open('tools/call', { name: name('slow'), arguments: { text } }, { id: 7, meta: { progressToken: i } })));
    await Promise.all(streams.map((stream) => stream.until(({ method }) => method === 'notifications/progress')));
    assert.equal(server.of('tools/call').length, started + 2);
    streams[0].close();
    await until(async () => (await abandoned()) > before, 'the cancellation to arrive');
    assert.equal(await abandoned(), before + 1);
    server.release();
    const { result } = await streams[1].until((message) => 'result' in message);
    assert.equal(result.content[0].text, 'held two');
    assert.equal(textOf(await client.call(name('echo'), { text: 'after' })), `${server.name}: after`);
  });

  await on('so does closing before anything was answered', async () => {
    const before = await abandoned();
    const started = server.of('tools/call').length;
    const { connection } = await client.send('tools/call', { name: name('slow'), arguments: {} });
    await until(() => server.of('tools/call').length > started, 'the call at the server');
    connection.close();
    await until(async () => (await abandoned()) > before, 'the cancellation to arrive');
    assert.equal(await abandoned(), before + 1);
  });
}

/** What no server of this revision may do, whatever is asked of it. */
async function connections({ on, client }) {
  for (const method of ['GET', 'DELETE'])
    await on(`${method} is no method here`, async () => {
      const connection = await Connection.open(client.port);
      const headers = { Accept: 'text/event-stream', 'MCP-Protocol-Version': VERSION, ...(client.token && { Authorization: `Bearer ${client.token}` }) };
      const answer = await connection.request({ method, port: client.port, path: client.path, headers });
      connection.close();
      assert.equal(answer.status, 405, answer.body);
      assert.match(answer.headers.get('allow') ?? 'POST', /\bPOST\b/);
    });

  await on('several requests on one connection, one after the other', async () => {
    const connection = await Connection.open(client.port);
    for (let i = 0; i < 5; i += 1) {
      const message = client.message('tools/list', {}, { id: i });
      const body = JSON.stringify(message);
      const answer = await connection.request({ port: client.port, path: client.path, headers: client.headersOf(message), body });
      assert.equal(answer?.status, 200);
      assert.ok(answer.body.includes(`"id":${i}`));
    }
    connection.close();
  });

  await on('a notification is accepted, also without headers of its own', async () => {
    const message = { jsonrpc: '2.0', method: 'notifications/whatever', params: { _meta: client.envelope() } };
    const all = await client.post(message);
    const few = await client.post(message, { headers: { 'Mcp-Method': null } });
    assert.deepEqual([all.status, all.body, few.status], [202, '', 202]);
  });
}

/**
 * All steps with the peer `server` at `target`, named with `prefix`. `official`: it is the SDK's server, which
 * offers less. `abandoned()` and `listeners()` ask the peer.
 */
export async function exchange({ on, target, prefix = '', token, ...about }) {
  const client = new StatelessClient(target, { token });
  const all = { on, client, prefix, name: (plain) => prefix + plain, ...about };
  for (const part of [lists, calls, notifications, others, connections, subscriptions]) await part(all);
  if (about.abandoned) await cancellation(all);
}
