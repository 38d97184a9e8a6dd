// What the official client of the session generation does with server-everything: the same steps in front of
// one gateway and of a fleet.
import assert from 'node:assert/strict';
import { until } from '../../../simulations/peers/waiting.mjs';
import { requirePackages } from './everything.mjs';
import { codeOf, textOf, transportTo } from './sdk.mjs';

requirePackages();
const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
const types = await import('@modelcontextprotocol/sdk/types.js');

/** A client that can do everything, and writes down what it was asked and told. */
export async function capable(url) {
  const client = new Client({ name: 'gate-session-protocol', version: '1' }, {
    capabilities: { sampling: {}, elicitation: {}, roots: { listChanged: true } },
  });
  const log = { sampling: [], elicitation: [], roots: 0, messages: [], updated: [], next: { action: 'accept', content: {} } };
  client.setRequestHandler(types.CreateMessageRequestSchema, ({ params }) => {
    log.sampling.push(params);
    return { role: 'assistant', model: 'test', content: { type: 'text', text: `answer ${log.sampling.length}` } };
  });
  client.setRequestHandler(types.ElicitRequestSchema, ({ params }) => {
    log.elicitation.push(params);
    return log.next;
  });
  client.setRequestHandler(types.ListRootsRequestSchema, () => {
    log.roots += 1;
    return { roots: [{ uri: 'file:///work', name: 'work' }] };
  });
  client.setNotificationHandler(types.LoggingMessageNotificationSchema, ({ params }) => { log.messages.push(params); });
  client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, ({ params }) => { log.updated.push(params.uri); });
  const { transport, statuses } = transportTo(url);
  await client.connect(transport);
  await until(() => statuses.some((s) => s.method === 'GET' && s.status === 200), 'the client\'s stream');
  return { client, transport, log, statuses };
}

/**
 * `prefix` of the server whose tools are called; `owner` of the first one, which owns the resources. `after` is
 * called after each step, with the number of those that were made and the client's answers. Of a fleet that a
 * session has ended is known a moment later.
 */
export async function everythingExchange({ step, title, url, prefix, owner = prefix, direct, after = () => {}, ofFleet = false }) {
  const { client, transport, log, statuses } = await capable(url);
  let steps = 0;
  const on = async (what, fn, ms) => {
    await step(`${title}: ${what}`, fn, ms);
    await after((steps += 1), statuses);
  };
  const call = (name, args = {}) => client.callTool({ name: `${prefix}${name}`, arguments: args });

  await on('a client that can do more is shown the same tools as without a gateway', async () => {
    const { tools } = await client.listTools();
    const own = tools.filter((t) => t.name.startsWith(prefix));
    const plain = (await direct.listTools()).tools;
    assert.deepEqual(own.map((t) => ({ ...t, name: t.name.slice(prefix.length) })), plain);
    assert.ok(plain.some((t) => t.name === 'trigger-sampling-request'));
  });

  await on('prompts, resources and templates are listed as without a gateway', async () => {
    const { prompts } = await client.listPrompts();
    const own = prompts.filter((p) => p.name.startsWith(prefix));
    assert.deepEqual(own.map((p) => ({ ...p, name: p.name.slice(prefix.length) })), (await direct.listPrompts()).prompts);
    assert.deepEqual((await client.listResources()).resources, (await direct.listResources()).resources);
    assert.deepEqual((await client.listResourceTemplates()).resourceTemplates,
      (await direct.listResourceTemplates()).resourceTemplates);
  });

  await on('resources are read: a listed one, one of a template, an unknown one', async () => {
    const { uri } = (await direct.listResources()).resources[0];
    assert.deepEqual(await client.readResource({ uri }), await direct.readResource({ uri }));
    const dynamic = await client.readResource({ uri: 'demo://resource/dynamic/text/7' });
    assert.equal(dynamic.contents[0].uri, 'demo://resource/dynamic/text/7');
    await assert.rejects(client.readResource({ uri: 'nowhere://1' }));
  });

  await on('prompts are got, arguments completed', async () => {
    assert.deepEqual(await client.getPrompt({ name: `${prefix}args-prompt`, arguments: { city: 'Bern' } }),
      await direct.getPrompt({ name: 'args-prompt', arguments: { city: 'Bern' } }));
    const ask = (c, name) => c.complete({
      ref: { type: 'ref/prompt', name }, argument: { name: 'department', value: 'S' },
    });
    assert.deepEqual(await ask(client, `${prefix}completable-prompt`), await ask(direct, 'completable-prompt'));
    const template = (c) => c.complete({
      ref: { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' },
      argument: { name: 'resourceId', value: '3' },
    });
    assert.deepEqual(await template(client), await template(direct));
  });

  await on('a tool asks the client\'s model', async () => {
    const result = await call('trigger-sampling-request', { prompt: 'why?', maxTokens: 5 });
    assert.equal(log.sampling.length, 1);
    assert.match(textOf(result), /answer 1/);
  });

  await on('two calls that ask at the same time each get their own answer', async () => {
    const results = await Promise.all([1, 2, 3, 4].map((n) =>
      call('trigger-sampling-request', { prompt: `question ${n}`, maxTokens: 5 })));
    const answers = results.map((r) => /answer \d/.exec(textOf(r))[0]);
    assert.equal(new Set(answers).size, 4);
    results.forEach((r, i) => {
      const at = log.sampling.findIndex((p) => JSON.stringify(p).includes(`question ${i + 1}`));
      assert.equal(answers[i], `answer ${at + 1}`);
    });
  });

  for (const action of ['accept', 'decline', 'cancel'])
    await on(`a tool asks the user, who says ${action}`, async () => {
      log.next = action === 'accept' ? { action, content: { name: 'Ada', check: true } } : { action };
      const asked = log.elicitation.length;
      const result = await call('trigger-elicitation-request');
      assert.equal(log.elicitation.length, asked + 1);
      assert.match(textOf(result), { accept: /Ada/, decline: /declin/i, cancel: /cancel/i }[action]);
    });

  await on('roots are asked for, and again when they change', async () => {
    const result = await call('get-roots-list');
    await until(() => log.roots > 0, 'the server to ask for roots');
    assert.ok(textOf(result));
    const before = log.roots;
    await client.sendRootsListChanged();
    await until(() => log.roots > before, 'the server to ask again');
  });

  await on('a subscribed resource reports its updates', async () => {
    const { uri } = (await client.listResources()).resources[0];
    await client.subscribeResource({ uri });
    const toggle = () => client.callTool({ name: `${owner}toggle-subscriber-updates`, arguments: {} });
    await toggle();
    await until(() => log.updated.includes(uri), 'an update', 20000);
    await client.unsubscribeResource({ uri });
    await toggle();
  });

  await on('the log level reaches the server, its messages the client', async () => {
    await client.setLoggingLevel('debug');
    log.messages.length = 0;
    await call('toggle-simulated-logging');
    await until(() => log.messages.length > 0, 'a log message', 20000);
    await call('toggle-simulated-logging');
    assert.equal(await codeOf(client.setLoggingLevel('loud')), -32602);
  });

  await on('the session ends, and is unknown then', async () => {
    const { sessionId } = transport;
    await transport.terminateSession();
    await client.close();
    const status = async () => (await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-session-id': sessionId },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    })).status;
    if (ofFleet) await until(async () => (await status()) === 404, 'it to be unknown');
    assert.equal(await status(), 404);
  });
}
