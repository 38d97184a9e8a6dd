// Gate between real parts that were written without it: servers of standard input and output behind a
// bridge, the second generation of the official client, and the official inspector. Whatever they do
// directly, they do through the gateway, in passthrough and in a federation.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Gate, scratch } from '../../simulations/peers/gate.mjs';
import { runToEnd } from '../../simulations/peers/process.mjs';
import { StdioBridge } from '../../simulations/peers/stdio_bridge.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { packageFile, requirePackages, startEverything } from './support/everything.mjs';
import { codeOf, textOf, transportTo } from './support/sdk.mjs';
import { gateBinary, suite } from './support/suite.mjs';

requirePackages('client', 'inspector-cli', 'server-filesystem', 'server-memory');
const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
const types = await import('@modelcontextprotocol/sdk/types.js');
const second = await import('@modelcontextprotocol/client');

const binary = gateBinary();
const folder = realpathSync(scratch());
const GRAPH = 'memory://knowledge-graph';
const ODD_NAMES = ['日本語.md', '𝄞🎼.txt', 'e\u0301 é.txt', 'quo"te\\d.txt', 'line\nbreak\t.txt'];

const server = (name, args = [], env = {}) => ({
  command: process.execPath,
  args: [packageFile(name, 'dist/index.js'), ...args],
  env: { PATH: process.env.PATH, ...env },
});
const place = (name) => path.join(folder, name);
for (const name of ['given', 'root', 'other']) mkdirSync(place(name));
const memory = server('server-memory', [], { MEMORY_FILE_PATH: place('memory.jsonl') });
const filesystem = server('server-filesystem', [place('given')]);

/** Clients that the script opened; they are closed at its end. */
const clients = [];

/** The first generation of the client, over `transport`, with roots if there are any. */
async function connect(transport, roots) {
  const client = new Client({ name: 'gate-interop', version: '1' }, {
    capabilities: roots ? { roots: { listChanged: true } } : {},
  });
  clients.push(client);
  Object.assign(client, { roots, asked: 0, updates: [] });
  if (roots) client.setRequestHandler(types.ListRootsRequestSchema, () => {
    client.asked += 1;
    return { roots: client.roots.map((root) => ({ uri: pathToFileURL(root).href })) };
  });
  client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, ({ params }) => {
    client.updates.push(params.uri);
  });
  await client.connect(transport);
  return client;
}

/** The same over HTTP, when its stream for server messages is open. */
async function connectTo(url, roots) {
  const { transport, statuses } = transportTo(url);
  const client = await connect(transport, roots);
  await until(() => statuses.some((s) => s.method === 'GET' && s.status === 200), 'the client\'s stream');
  return client;
}

/** What a client can do with the tools of `prefix`. */
const toolsOf = (client, prefix = '') => ({
  call: (name, args = {}, options) =>
    client.callTool({ name: `${prefix}${name}`, arguments: args }, undefined, options),
  list: async () => {
    const own = (await client.listTools()).tools.filter((tool) => tool.name.startsWith(prefix));
    return own.map((tool) => ({ ...tool, name: tool.name.slice(prefix.length) }));
  },
});

/** Calls that must end the same way, directly and through the gateway: result for result. */
async function sameEnds(one, other, calls) {
  for (const [name, args] of calls) {
    const ends = await Promise.all([one, other].map((side) => side.call(name, args).catch((error) => error)));
    assert.deepEqual(ends[0], ends[1], `${name} ${JSON.stringify(args)}`);
  }
}

async function onMemory({ on, client, prefix, direct }) {
  const [through, plain] = [toolsOf(client, prefix), toolsOf(direct)];

  await on('the tools of server-memory are listed as without a gateway', async () => {
    assert.deepEqual(await through.list(), await plain.list());
  });

  await on('entities and relations are created, and read back by both ways', async () => {
    const names = ODD_NAMES.map((name) => `${prefix}${name}`);
    const entities = names.map((name) => ({ name, entityType: 'Ünïcödé', observations: ['𝄞', name] }));
    const relations = [{ from: names[0], to: names[1], relationType: 'knows' }];
    const created = await through.call('create_entities', { entities });
    assert.deepEqual(created.structuredContent, { entities });
    await through.call('create_relations', { relations });
    assert.ok((await plain.call('read_graph')).structuredContent.entities.length >= entities.length);
    await sameEnds(through, plain, [
      ['read_graph'],
      ['search_nodes', { query: names[2] }],
      ['open_nodes', { names: names.slice(0, 2) }],
      ['create_entities', { entities }],
    ]);
  });

  await on('errors of server-memory arrive word for word', () => sameEnds(through, plain, [
    ['add_observations', { observations: [{ entityName: 'nobody', contents: ['x'] }] }],
    ['create_entities', { entities: 'none' }],
    ['create_entities'],
    ['no_such_tool'],
  ]));

  await on('its resource is listed, read, and reports changes', async () => {
    assert.deepEqual(await client.listResources(), await direct.listResources());
    assert.deepEqual(await client.readResource({ uri: GRAPH }), await direct.readResource({ uri: GRAPH }));
    await client.subscribeResource({ uri: GRAPH });
    const before = client.updates.length;
    await through.call('add_observations', {
      observations: [{ entityName: `${prefix}${ODD_NAMES[0]}`, contents: ['more'] }],
    });
    await until(() => client.updates.length > before, 'an update of the graph');
    assert.deepEqual(client.updates.slice(before), [GRAPH]);
  });
}

async function onFiles({ on, client, prefix, direct }) {
  const [through, plain] = [toolsOf(client, prefix), toolsOf(direct)];
  const here = place(`given/${prefix}files`);
  const file = (name) => path.join(here, name);

  await on('the tools of server-filesystem are listed as without a gateway', async () => {
    assert.deepEqual(await through.list(), await plain.list());
  });

  await on('files are written, edited, moved, listed and read under odd names', async () => {
    await through.call('create_directory', { path: here });
    for (const name of ODD_NAMES) {
      await through.call('write_file', { path: file(name), content: `first ${name}\nsecond\n` });
      const edits = [{ oldText: 'second', newText: '2 ☃' }];
      assert.match(textOf(await through.call('edit_file', { path: file(name), edits })), /\+2 ☃/);
      await through.call('move_file', { source: file(name), destination: file(`moved ${name}`) });
      assert.equal(readFileSync(file(`moved ${name}`), 'utf8'), `first ${name}\n2 ☃\n`);
    }
    const paths = ODD_NAMES.map((name) => file(`moved ${name}`));
    await sameEnds(through, plain, [
      ['list_directory', { path: here }],
      ['list_directory_with_sizes', { path: here, sortBy: 'size' }],
      ['directory_tree', { path: here }],
      ['search_files', { path: here, pattern: '**/*.txt' }],
      ['get_file_info', { path: paths[0] }],
      ['read_multiple_files', { paths }],
      ['read_text_file', { path: paths[0], head: 1 }],
    ]);
  });

  await on('results of megabytes arrive whole, text and binary', async () => {
    const text = 'ä☃𝄞"\\\n\u2028'.repeat(200_000);
    const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => (i * 7 + (i >> 8)) & 255));
    writeFileSync(file('large.txt'), text);
    writeFileSync(file('large.png'), bytes);
    assert.ok(textOf(await through.call('read_text_file', { path: file('large.txt') })) === text);
    const { content } = await through.call('read_media_file', { path: file('large.png') });
    assert.ok(Buffer.from(content[0].data, 'base64').equals(bytes));
  });

  await on('errors of server-filesystem arrive word for word', () => sameEnds(through, plain, [
    ['read_text_file', { path: '/etc/hostname' }],
    ['read_text_file', { path: file('missing') }],
    ['read_text_file', { path: 5 }],
    ['read_text_file', { path: file('moved 日本語.md'), head: 1, tail: 1 }],
    ['edit_file', { path: file('moved 日本語.md'), edits: [{ oldText: 'nowhere', newText: '' }] }],
    ['write_file', { path: place('outside'), content: 'x' }],
    ['no_such_tool'],
  ]));

  await on('two hundred calls at once each get their own answer', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) =>
      through.call('read_text_file', { path: file(`number ${i}`) })));
    answers.forEach((answer, i) => assert.match(textOf(answer), new RegExp(`number ${i}'`)));
  });
}

/** server-filesystem asks clients for their roots and allows those folders, not what it was given. */
async function onRoots({ on, url, prefix, bridge }) {
  let client, through;
  const allowed = async () => textOf(await through.call('list_allowed_directories')).split('\n').slice(1).join();
  const becomes = (folders) => until(async () => (await allowed()) === folders.join(), `${folders} to be allowed`);
  const write = async (name) => textOf(await through.call('write_file', { path: place(name), content: name }));

  await on('the first call already finds the roots of its client allowed', async () => {
    // Without a gateway a list before it is time enough for the server to have asked for them; a gateway waits a moment for
    // that (`greeting_quiet`). A process that the machine gives no time meanwhile is late by either way: then another client's.
    for (let clients = 3, said; said !== `Successfully wrote to ${place('root/first')}`; clients -= 1) {
      assert.ok(clients > 0, said);
      await client?.close();
      client = await connectTo(url, [place('root')]);
      through = toolsOf(client, prefix);
      await client.listTools();
      said = await write('root/first');
    }
  });

  await on('the client is asked for its roots, and they are allowed', async () => {
    await becomes([place('root')]);
    assert.equal(client.asked, 1);
    assert.match(await write('root/new'), /^Successfully/);
    assert.equal(readFileSync(place('root/new'), 'utf8'), 'root/new');
    assert.match(await write('given/new'), /^Access denied/);
  });

  await on('it is asked again when they change', async () => {
    client.roots = [place('other'), place('root')];
    await client.sendRootsListChanged();
    await becomes(client.roots);
    assert.equal(client.asked, 2);
    assert.match(await write('other/new'), /^Successfully/);
  });

  await on('clients with other roots, or with none, are not affected', async () => {
    const [others, without] = await Promise.all([connectTo(url, [place('other')]), connectTo(url)]);
    const dirs = async (c) => textOf(await toolsOf(c, prefix).call('list_allowed_directories'));
    await until(async () => (await dirs(others)).endsWith(`:\n${place('other')}`), 'the roots of the other client');
    assert.match(await dirs(without), /given$/);
    await becomes(client.roots);
    assert.equal(client.asked, 2);
  });

  await on('a session takes its process along when it ends', async () => {
    const own = [...bridge.sessions.values()].filter(({ log }) =>
      log.some(({ message }) => JSON.stringify(message).includes('other/new')));
    assert.equal(own.length, 1);
    await client.transport.terminateSession();
    await own[0].ended;
    assert.ok(own[0].child.exitCode !== null || own[0].child.signalCode);
  });
}

/** What becomes of a federation when one of its servers is killed and comes back. */
async function onOutages({ on, gate, mem, fs }) {
  const client = await connectTo(gate.url, [place('root')]);
  const [notes, files] = [toolsOf(client, 'mem__'), toolsOf(client, 'fs__')];
  const allowed = async () => textOf(await files.call('list_allowed_directories'));
  const observe = (text) => notes.call('add_observations', {
    observations: [{ entityName: `mem__${ODD_NAMES[0]}`, contents: [text] }],
  });

  await on('a cancelled call is cancelled in the process, and the session goes on', async () => {
    await notes.call('read_graph');
    const session = [...mem.sessions.values()].find(({ log }) => log.at(-2)?.message.params?.name === 'read_graph');
    const sent = (method) => session.log.filter(({ message }) => message.method === method);
    const before = sent('tools/call').length;
    const abort = new AbortController();
    session.child.kill('SIGSTOP');
    const call = notes.call('read_graph', {}, { signal: abort.signal });
    call.catch(() => {});
    await until(() => sent('tools/call').length > before, 'the call');
    abort.abort('enough');
    await assert.rejects(call);
    await until(() => sent('notifications/cancelled').length, 'the cancellation');
    session.child.kill('SIGCONT');
    assert.deepEqual(sent('notifications/cancelled')[0].message.params,
      { requestId: sent('tools/call').at(-1).message.id, reason: 'enough' });
    assert.ok((await notes.call('read_graph')).structuredContent);
  });

  await on('while one server is away the other works', async () => {
    await until(async () => (await allowed()).endsWith(place('root')), 'the roots');
    await fs.stop();
    const error = await files.call('list_allowed_directories').catch((e) => e);
    assert.equal(error.code, -32041);
    assert.deepEqual(error.data.gate, { reason: 'upstream_down', upstream: 'fs' });
    assert.ok((await notes.call('read_graph')).structuredContent);
  });

  await on('it is used again when it is back, and asks for the roots again', async () => {
    const { asked } = client;
    await fs.listen();
    await until(async () => (await allowed()).endsWith(place('root')), 'the roots');
    assert.equal(client.asked, asked + 1);
  });

  await on('a server that was restarted is told the subscriptions again', async () => {
    await client.subscribeResource({ uri: GRAPH });
    await mem.stop();
    assert.equal(await codeOf(observe('while it is away')), -32041);
    await mem.listen();
    const before = client.updates.length;
    await observe('after the restart');
    await until(() => client.updates.length > before, 'an update of the graph');
  });

  await on('a process that dies during a call costs this call, not the session', async () => {
    await notes.call('read_graph');
    const session = [...mem.sessions.values()].find(({ log }) => log.at(-2)?.message.params?.name === 'read_graph');
    session.child.kill('SIGSTOP');
    const from = session.log.length;
    const call = codeOf(notes.call('read_graph'));
    await until(() => session.log.length > from, 'the call');
    await session.kill();
    assert.equal(await call, -32041);
    assert.ok((await notes.call('read_graph')).structuredContent);
  });
}

/** The second generation of the official client, which opens a session if it is told to (others: stateless_sdk.mjs). */
async function onSecondClient({ on, url, prefix, direct }) {
  const requests = [];
  const recording = async (target, init) => {
    const answer = await fetch(target, init);
    const { method } = init?.body ? JSON.parse(init.body) : {};
    requests.push({ method: method ?? init?.method ?? 'GET', status: answer.status });
    return answer;
  };
  const transport = () => new second.StreamableHTTPClientTransport(new URL(url), { fetch: recording });
  const client = new second.Client({ name: 'gate-interop-2', version: '1' }, {
    capabilities: { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } },
    versionNegotiation: { mode: 'legacy' },
  });
  clients.push(client);
  client.setRequestHandler('sampling/createMessage', ({ params }) => ({
    role: 'assistant', model: 'test', content: { type: 'text', text: `about ${JSON.stringify(params.messages)}` },
  }));
  client.setRequestHandler('elicitation/create', ({ params }) =>
    (params.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { name: 'Ada', check: true } }));
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///project', name: 'project' }] }));
  const call = (name, args = {}, options) => client.callTool({ name: `${prefix}${name}`, arguments: args }, options);

  await on('it opens a session', async () => {
    await client.connect(transport());
    assert.deepEqual(requests.slice(0, 2).map(({ method, status }) => [method, status]),
      [['initialize', 200], ['notifications/initialized', 202]]);
    assert.equal(client.getProtocolEra(), 'legacy');
    assert.equal(client.getNegotiatedProtocolVersion(), '2025-11-25');
    await until(() => requests.some(({ method, status }) => method === 'GET' && status === 200), 'its stream');
  });

  await on('tools, prompts, resources and templates are listed as without a gateway', async () => {
    const own = (items) => items.filter(({ name }) => name.startsWith(prefix))
      .map((item) => ({ ...item, name: item.name.slice(prefix.length) }));
    assert.deepEqual(own((await client.listTools()).tools), (await direct.listTools()).tools);
    assert.deepEqual(own((await client.listPrompts()).prompts), (await direct.listPrompts()).prompts);
    assert.deepEqual((await client.listResources()).resources, (await direct.listResources()).resources);
    assert.deepEqual((await client.listResourceTemplates()).resourceTemplates,
      (await direct.listResourceTemplates()).resourceTemplates);
  });

  await on('calls are answered, with progress and structured content', async () => {
    assert.equal(textOf(await call('echo', { message: 'ä☃𝄞' })), 'Echo: ä☃𝄞');
    const weather = { location: 'Chicago' };
    assert.deepEqual(await call('get-structured-content', weather),
      await direct.callTool({ name: 'get-structured-content', arguments: weather }));
    const progress = [];
    await call('trigger-long-running-operation', { duration: 1, steps: 4 },
      { onprogress: (step) => progress.push(step.progress) });
    assert.deepEqual(progress, [1, 2, 3, 4]);
    const unknown = await call('no_such_tool');
    assert.deepEqual(unknown, await direct.callTool({ name: 'no_such_tool', arguments: {} }));
  });

  await on('tools ask its model, its user and its roots', async () => {
    assert.match(textOf(await call('trigger-sampling-request', { prompt: 'why?', maxTokens: 5 })), /about .*why\?/);
    assert.match(textOf(await call('trigger-elicitation-request')), /Ada/);
    assert.match(textOf(await call('trigger-url-elicitation', { url: 'https://example.com/go' })), /completed/);
    await until(async () => /file:.*project/.test(textOf(await call('get-roots-list'))), 'the roots');
  });

  await on('what a tool made for this session alone can be read', async () => {
    const made = await call('gzip-file-as-resource', { name: 'made.gz', data: 'data:text/plain,made' });
    const { uri } = made.content.find(({ type }) => type === 'resource_link');
    assert.ok((await client.readResource({ uri })).contents[0].blob);
  });

  await on('what a tool made for this session alone is listed', async () => {
    const { resources } = await client.listResources();
    assert.ok(resources.some(({ uri }) => uri.endsWith('/made.gz')), resources.map(({ uri }) => uri).join(' '));
  });
}

/** The official inspector on its command line; a process for each method, as its users run it. */
async function onInspector({ on, url, prefix, direct }) {
  const program = packageFile('inspector-cli', 'build/index.js');
  // It reads its own package.json relative to where it runs.
  const run = (target, args) => runToEnd(process.execPath,
    [program, target, '--transport', 'http', '--method', ...args],
    { cwd: path.dirname(program), env: { PATH: process.env.PATH, NODE_NO_WARNINGS: '1' } });
  const same = async (args, exit = 0) => {
    const prefixed = args.map((arg, i) => (/-name$/.test(args[i - 1]) ? `${prefix}${arg}` : arg));
    const [through, plain] = await Promise.all([run(url, prefixed), run(direct, args)]);
    assert.equal(through.code, exit, through.err);
    assert.equal(plain.code, exit, plain.err);
    assert.equal(through.out, plain.out);
    assert.equal(through.err.replaceAll(prefix, ''), plain.err.replaceAll(prefix, ''));
    return through.out;
  };

  for (const [kind, member] of [['tools', 'tools'], ['prompts', 'prompts']])
    await on(`${kind}/list prints what it prints without a gateway`, async () => {
      const [through, plain] = await Promise.all([run(url, [`${kind}/list`]), run(direct, [`${kind}/list`])]);
      const items = JSON.parse(through.out)[member].filter(({ name }) => name.startsWith(prefix));
      assert.deepEqual(items.map((item) => ({ ...item, name: item.name.slice(prefix.length) })),
        JSON.parse(plain.out)[member]);
      assert.ok(items.length > 2);
      if (!prefix) assert.equal(through.out, plain.out);
    });

  await on('tools are called', async () => {
    assert.match(await same(['tools/call', '--tool-name', 'echo', '--tool-arg', 'message=ä☃𝄞']), /Echo: ä☃𝄞/);
    await same(['tools/call', '--tool-name', 'get-sum', '--tool-arg', 'a=1', 'b=2', '--tool-metadata', 'k=v']);
    await same(['tools/call', '--tool-name', 'no_such_tool']);
  });

  await on('resources and templates are listed, read, and missing', async () => {
    const { resources } = JSON.parse(await same(['resources/list']));
    await same(['resources/templates/list']);
    await same(['resources/read', '--uri', resources[0].uri]);
    if (!prefix) await same(['resources/read', '--uri', 'nowhere://1'], 1);
  });

  await on('prompts are got, the log level is set', async () => {
    await same(['prompts/get', '--prompt-name', 'args-prompt', '--prompt-args', 'city=Bern']);
    await same(['prompts/get', '--prompt-name', 'no_such_prompt'], 1);
    await same(['logging/setLevel', '--log-level', 'debug']);
  });
}

await suite('real clients and servers', async ({ step, defer }) => {
  const titled = (title) => ({
    on: (what, fn) => step(`${title}: ${what}`, fn),
  });
  const [mem, fs] = await Promise.all([StdioBridge.start(memory), StdioBridge.start(filesystem)]);
  defer(function bridgesEnd() { return Promise.all([mem.stop(), fs.stop()]); });
  const [ev1, ev2] = await Promise.all([startEverything('first'), startEverything('second')]);
  defer(function serversEnd() { return Promise.all([ev1.stop('SIGKILL'), ev2.stop('SIGKILL')]); });
  const started = async (...upstreams) => {
    const gate = await Gate.start(binary, { upstreams });
    defer(function gateEnds() { return gate.end(); });
    return gate;
  };
  const memAlone = await started({ id: 'mem', url: mem.url });
  const fsAlone = await started({ id: 'fs', url: fs.url });
  const both = await started(
    { id: 'mem', url: mem.url, namespace: 'mem' },
    { id: 'fs', url: fs.url, namespace: 'fs' },
  );
  const evAlone = await started({ id: 'only', url: ev1.url });
  const evBoth = await started(
    { id: 'one', url: ev1.url, namespace: 'one' },
    { id: 'two', url: ev2.url, namespace: 'two' },
  );
  defer(function clientsEnd() { return Promise.all(clients.map((client) => client.close())); });

  const direct = await connect(new StdioClientTransport({ ...memory, stderr: 'ignore' }));
  const directFiles = await connect(new StdioClientTransport({ ...filesystem, stderr: 'ignore' }));
  for (const [title, gates, prefixes] of [
    ['passthrough', [memAlone, fsAlone], ['', '']],
    ['federation', [both, both], ['mem__', 'fs__']],
  ]) {
    const steps = titled(title);
    await onMemory({ ...steps, client: await connectTo(gates[0].url), prefix: prefixes[0], direct });
    await onFiles({ ...steps, client: await connectTo(gates[1].url), prefix: prefixes[1], direct: directFiles });
    await onRoots({ ...steps, url: gates[1].url, prefix: prefixes[1], bridge: fs });
  }
  await onOutages({ ...titled('outages'), gate: both, mem, fs });

  for (const [title, { url }, prefix] of [['passthrough', evAlone, ''], ['federation', evBoth, 'two__']]) {
    const plain = new second.Client({ name: 'direct', version: '1' }, {
      capabilities: { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } },
    });
    clients.push(plain);
    await plain.connect(new second.StreamableHTTPClientTransport(new URL(ev1.url)));
    await onSecondClient({ ...titled(`client 2.x, ${title}`), url, prefix, direct: plain });
    await onInspector({ ...titled(`inspector, ${title}`), url, prefix, direct: ev1.url });
  }
});
