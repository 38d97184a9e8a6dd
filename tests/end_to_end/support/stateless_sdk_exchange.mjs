// What the second generation of the official client does with the offering of a peer, in its modes:
// `modern` insists on MCP 2026-07-28, `auto` looks what there is, `legacy` opens a session.
import assert from 'node:assert/strict';
import { until } from '../../../simulations/peers/waiting.mjs';
import { requirePackages } from './everything.mjs';
import { answering, textOf } from './stateless_exchange.mjs';

requirePackages('client');
const sdk = await import('@modelcontextprotocol/client');

export const MODES = { modern: { pin: '2026-07-28' }, auto: 'auto', legacy: 'legacy' };

/** A client of `mode` at `url`; `requests` are what it sent, `{ method, status }`, `heard` its notifications. */
export async function connected(url, mode, { token, capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} } } = {}) {
  const requests = [];
  const recording = async (target, init) => {
    const headers = new Headers(init?.headers);
    if (token) headers.set('Authorization', `Bearer ${token}`);
    const answer = await fetch(target, { ...init, headers });
    const { method } = init?.body ? JSON.parse(init.body) : {};
    requests.push({
      method: method ?? init?.method ?? 'GET', status: answer.status, session: headers.get('mcp-session-id') ?? answer.headers.get('mcp-session-id'),
    });
    return answer;
  };
  const client = new sdk.Client({ name: 'gate-stateless-sdk', version: '1' }, { capabilities, versionNegotiation: { mode: MODES[mode] } });
  for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list'])
    if (capabilities[method.split('/')[0]]) client.setRequestHandler(method, ({ params }) => answering({ method, params }));
  const heard = [];
  for (const what of ['tools/list_changed', 'prompts/list_changed', 'resources/list_changed', 'resources/updated'])
    client.setNotificationHandler(`notifications/${what}`, ({ params }) => { heard.push([what, params?.uri]); });
  await client.connect(new sdk.StreamableHTTPClientTransport(new URL(url), { fetch: recording }));
  return { client, requests, heard };
}

const words = (result) => textOf({ result });

/** `era`: what `auto` must have found. `asks`: are input and sampling in the way of this target? */
export async function sdkExchange({ on, url, mode, era = 'modern', prefix = '', server, official, token, listeners, asks = true }) {
  const name = (plain) => prefix + plain;
  let connection;
  await on('it connects', async () => {
    connection = await connected(url, mode, { token });
    assert.equal(connection.client.getProtocolEra(), era);
    if (era === 'modern') assert.equal(connection.client.getNegotiatedProtocolVersion(), '2026-07-28');
    assert.deepEqual(connection.requests[0].method, mode === 'legacy' ? 'initialize' : 'server/discover');
  });
  if (!connection) return;
  const { client, requests, heard } = connection;

  await on('it knows what the server can do', () => {
    const { tools, prompts, resources, completions } = client.getServerCapabilities();
    assert.ok(tools && prompts && resources && completions);
    assert.ok(client.getServerVersion().name);
  });

  await on('it lists everything', async () => {
    const has = (items, wanted) => assert.ok(items.includes(wanted), `${wanted} among ${items}`);
    has((await client.listTools()).tools.map((tool) => tool.name), name('echo'));
    has((await client.listPrompts()).prompts.map((prompt) => prompt.name), name('greet'));
    has((await client.listResources()).resources.map(({ uri }) => uri), `${server.name}://docs/1`);
    has((await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate), `${server.name}://items/{id}`);
  });

  await on('it calls tools: plain, structured, failed, with headers for their arguments', async () => {
    assert.equal(words(await client.callTool({ name: name('echo'), arguments: { text: 'ä☃𝄞' } })), `${server.name}: ä☃𝄞`);
    assert.deepEqual((await client.callTool({ name: name('typed'), arguments: {} })).structuredContent, { sum: 3 });
    assert.equal((await client.callTool({ name: name('fails'), arguments: {} })).isError, true);
    const args = { region: 'eu-ä', count: 42, sure: false, inner: { deep: ' x ' }, plain: 'p' };
    assert.deepEqual(JSON.parse(words(await client.callTool({ name: name('region'), arguments: args }))), args);
  });

  await on('it hears of progress', async () => {
    const steps = [];
    await client.callTool({ name: name('progress'), arguments: { steps: 4 } }, { onprogress: ({ progress }) => steps.push(progress) });
    assert.deepEqual(steps, [1, 2, 3, 4]);
  });

  await on('an error is an error', async () => {
    if (!official) {
      const refused = await client.callTool({ name: name('refuses'), arguments: { code: 4711 } }).catch((error) => error);
      assert.equal(refused.code, 4711, String(refused));
    }
    const missing = await client.readResource({ uri: `${server.name}://docs/none` }).catch((error) => error);
    assert.ok([-32602, -32002].includes(missing.code), String(missing));
    await assert.rejects(client.getPrompt({ name: name('none') }));
  });

  await on('it reads, gets and completes', async () => {
    const uri = `${server.name}://items/7`;
    assert.equal((await client.readResource({ uri })).contents[0].text, `${server.name}: item 7`);
    const prompt = await client.getPrompt({ name: name('greet'), arguments: { who: 'Ada' } });
    assert.equal(prompt.messages[0].content.text, 'greet Ada');
    const { completion } = await client.complete({ ref: { type: 'ref/prompt', name: name('greet') }, argument: { name: 'who', value: 'A' } });
    assert.deepEqual(completion.values, ['A-one', 'A-two']);
  });

  if (era === 'modern')
    await on('it listens, until it closes', async () => {
      const uri = `${server.name}://docs/1`;
      const all = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true, resourceSubscriptions: [uri] };
      const subscription = await client.listen(all);
      assert.deepEqual(subscription.honoredFilter, all);
      await listeners?.(all);
      for (const list of ['tools', 'prompts', 'resources']) {
        server.changed(list);
        await until(() => heard.some(([what]) => what === `${list}/list_changed`), `${list} to change`);
      }
      server.updated(uri);
      await until(() => heard.some(([what, of]) => what === 'resources/updated' && of === uri), 'the update');
      await subscription.close();
      assert.equal(await subscription.closed, 'local');
    });

  await on('what it does not want any more is ended', async () => {
    const started = server.of('tools/call').length;
    const abort = new AbortController();
    const call = client.callTool({ name: name('slow'), arguments: {} }, { signal: abort.signal });
    call.catch(() => {});
    await until(() => server.of('tools/call').length > started, 'the call at the server');
    abort.abort('enough');
    await assert.rejects(call);
    server.release();
    assert.ok((await client.callTool({ name: name('echo'), arguments: { text: 'x' } })).content);
  });

  if (asks)
    await on('it is asked: its user, its model, its roots', async () => {
      const tools = official ? [['ask_once', 'accept {"name":"my name"}'], ['sample', 'the model says words']] : [
        ['ask_once', 'accept {"name":"my name"}'], ['ask_twice', 'my a my b'], ['ask_together', 'my name: words'],
        ['sample', 'the model says words'], ['roots', 'file:///work'],
      ];
      for (const [tool, said] of tools) assert.equal(words(await client.callTool({ name: name(tool), arguments: {} })), said, tool);
      if (official) return;
      assert.equal((await client.getPrompt({ name: name('greet_asked'), arguments: {} })).messages[0].content.text, 'greet my name');
      assert.equal((await client.readResource({ uri: `${server.name}://items/asked` })).contents[0].text, `${server.name}: my item`);
    });

  await on('it had a session, or none', async () => {
    const sessions = new Set(requests.map(({ session }) => session).filter(Boolean));
    assert.equal(sessions.size, era === 'modern' ? 0 : 1);
    // A server with sessions may refuse to be discovered: that tells what it is.
    const refused = requests.filter(({ method, status }) => status >= 400 && !(era === 'legacy' && method === 'server/discover'));
    assert.deepEqual(refused.filter(({ status }) => status !== 405 && status !== 404), []);
    await client.close();
  });
}
