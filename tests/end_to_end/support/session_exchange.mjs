// What a client of the session generation does with the offering of a peer, by the first generation of the
// official client: the same steps directly and through the gateway, whichever generation is behind it.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { LEVELS } from '../../../simulations/peers/stateless_rules.mjs';
import { until } from '../../../simulations/peers/waiting.mjs';
import { requirePackages } from './everything.mjs';
import { textOf, transportTo } from './sdk.mjs';

requirePackages();
const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
const types = await import('@modelcontextprotocol/sdk/types.js');

/** A client, what it heard (`heard`, `messages`), once its stream for server messages is open. */
async function connected(url, token) {
  const client = new Client({ name: 'gate-session-exchange', version: '1' }, { capabilities: {} });
  const heard = [];
  const messages = [];
  for (const schema of [
    types.ToolListChangedNotificationSchema, types.PromptListChangedNotificationSchema,
    types.ResourceListChangedNotificationSchema, types.ResourceUpdatedNotificationSchema,
  ]) client.setNotificationHandler(schema, (notification) => { heard.push(notification); });
  client.setNotificationHandler(types.LoggingMessageNotificationSchema, ({ params }) => { messages.push(params.level); });
  const { transport, statuses } = transportTo(url, token && { token: () => token });
  await client.connect(transport);
  await until(() => statuses.some(({ method, status }) => method === 'GET' && status === 200), 'the stream of the client');
  return { client, heard, messages, transport };
}

const named = (items, prefix, field = 'name') =>
  items.filter((item) => item[field].startsWith(prefix)).map((item) => ({ ...item, [field]: item[field].slice(prefix.length) }));

async function plain({ on, client, prefix, server, official }) {
  const call = (name, args = {}, options) => client.callTool({ name: prefix + name, arguments: args }, undefined, options);

  await on('the lists hold what there is', async () => {
    const tools = named((await client.listTools()).tools, prefix);
    for (const name of ['echo', 'typed', 'region']) assert.ok(tools.some((tool) => tool.name === name), name);
    assert.ok(named((await client.listPrompts()).prompts, prefix).some(({ name }) => name === 'greet'));
    assert.ok((await client.listResources()).resources.some(({ uri }) => uri === `${server.name}://docs/1`));
    assert.ok((await client.listResourceTemplates()).resourceTemplates.some(({ uriTemplate }) => uriTemplate === `${server.name}://items/{id}`));
  });

  await on('calls are answered, also those whose arguments are repeated in headers further on', async () => {
    assert.equal(textOf(await call('echo', { text: 'ä☃𝄞' })), `${server.name}: ä☃𝄞`);
    assert.deepEqual((await call('typed')).structuredContent, { sum: 3 });
    assert.equal((await call('fails')).isError, true);
    const args = { region: ' eu\r\nX: y ', count: -7, sure: true, inner: { deep: '=?base64?x?=' }, plain: 'p' };
    assert.deepEqual(JSON.parse(textOf(await call('region', args))), args);
    // The official server refuses null itself.
    for (const region of ['', 'ä', ...(official ? [] : [null])]) assert.deepEqual(JSON.parse(textOf(await call('region', { region }))), { region });
  });

  await on('progress comes to the call that it is of', async () => {
    const told = await Promise.all([2, 3, 4].map(async (steps) => {
      const seen = [];
      await call('progress', { steps }, { onprogress: ({ progress, total }) => seen.push([progress, total]) });
      return seen;
    }));
    told.forEach((seen, i) => assert.deepEqual(seen, Array.from({ length: i + 2 }, (_, n) => [n + 1, i + 2])));
  });

  await on('reads, prompts and completion', async () => {
    const read = async (path) => (await client.readResource({ uri: `${server.name}://${path}` })).contents[0].text;
    assert.deepEqual([await read('docs/1'), await read('items/9')], [`${server.name}: the first`, `${server.name}: item 9`]);
    const missing = await read('docs/none').catch((error) => error);
    assert.ok([-32002, -32602].includes(missing.code), String(missing));
    const { messages } = await client.getPrompt({ name: `${prefix}greet`, arguments: { who: 'Ada' } });
    assert.equal(messages[0].content.text, 'greet Ada');
    const ref = { type: 'ref/prompt', name: `${prefix}greet` };
    assert.deepEqual((await client.complete({ ref, argument: { name: 'who', value: 'A' } })).completion.values, ['A-one', 'A-two']);
  });

  if (official) return;
  await on('an error of the server arrives as it is', async () => {
    const error = await call('refuses', { code: 4711 }).catch((e) => e);
    assert.deepEqual([error.code, error.data], [4711, { why: [1, 'ä'] }]);
  });
}

async function notifications({ on, client, heard, messages, prefix, server, official, ofFleet, listeners }) {
  const uri = `${server.name}://docs/1`;
  const saw = (what) => heard.filter(({ method }) => method === `notifications/${what}`);

  await on('changes of lists are told, each as often as it happens', async () => {
    await listeners?.({ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true });
    for (const list of ['tools', 'prompts', 'resources']) {
      const before = saw(`${list}/list_changed`).length;
      server.changed(list);
      await until(() => saw(`${list}/list_changed`).length > before, `${list} to change`);
    }
    assert.ok(!JSON.stringify(heard).includes('subscriptionId'), 'how the gateway hears of it is its own affair');
  });

  await on('a subscribed resource is told of, another one is not, nor after the end', async () => {
    await client.subscribeResource({ uri });
    const of = (wanted) => saw('resources/updated').filter(({ params }) => params.uri === wanted).length;
    await until(() => {
      server.updated(uri);
      return of(uri);
    }, 'an update');
    await client.subscribeResource({ uri: `${server.name}://docs/2` });
    await until(() => {
      server.updated(uri);
      server.updated(`${server.name}://docs/2`);
      return of(`${server.name}://docs/2`);
    }, 'an update of the second');
    await client.unsubscribeResource({ uri });
    await client.unsubscribeResource({ uri: `${server.name}://docs/2` });
    assert.ok(saw('resources/updated').every(({ params }) => [uri, `${server.name}://docs/2`].includes(params.uri)));
  });

  if (official) return;
  await on('log messages come from the level on that was set', async () => {
    const logged = async () => {
      messages.length = 0;
      assert.equal(textOf(await client.callTool({ name: `${prefix}log`, arguments: {} })), 'logged');
      return [...messages];
    };
    for (const level of ['warning', 'debug', 'emergency']) {
      const wanted = LEVELS.slice(LEVELS.indexOf(level));
      await client.setLoggingLevel(level);
      if (ofFleet) await until(async () => isDeepStrictEqual(await logged(), wanted), `${level} to hold wherever it is called`);
      else assert.deepEqual(await logged(), wanted, level);
    }
  });
}

async function cancellation({ on, client, prefix, server, abandoned }) {
  await on('a cancelled call is cancelled further on', async () => {
    const before = await abandoned();
    const started = server.of('tools/call').length;
    const abort = new AbortController();
    const call = client.callTool({ name: `${prefix}slow`, arguments: {} }, undefined, { signal: abort.signal });
    call.catch(() => {});
    await until(() => server.of('tools/call').length > started, 'the call at the server');
    abort.abort('enough');
    await assert.rejects(call);
    await until(async () => (await abandoned()) === before + 1, 'the cancellation');
    assert.equal(textOf(await client.callTool({ name: `${prefix}echo`, arguments: { text: 'x' } })), `${server.name}: x`);
  });
}

/** All steps with the peer `server` at `url`, its names with `prefix`; what is asked: see stateless_exchange.mjs. */
export async function sessionExchange({ on, url, prefix = '', token, ...about }) {
  const connection = await on('it opens a session', () => connected(url, token));
  if (!connection) return;
  const all = { on, prefix, ...about, ...connection };
  for (const part of [plain, notifications]) await part(all);
  if (about.abandoned) await cancellation(all);
  await on('it ends its session', async () => {
    await connection.transport.terminateSession();
    await connection.client.close();
  });
}
