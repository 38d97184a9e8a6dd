// gate-stdio with real servers and the official client: direct and through the gateway, its options, what hostile
// requests and bad servers get, and that no process is ever left. Arguments: gate-stdio, gate.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Gate, scratch } from '../../simulations/peers/gate.mjs';
import { Connection, format, once } from '../../simulations/peers/http.mjs';
import { JSON_POST, Session, messagesOf } from '../../simulations/peers/mcp.mjs';
import { Child, runToEnd } from '../../simulations/peers/process.mjs';
import { Shim, below, left } from '../../simulations/peers/shim.mjs';
import { sleep, until } from '../../simulations/peers/waiting.mjs';
import { requirePackages } from './support/everything.mjs';
import { hostileRequests } from './support/hostile_requests.mjs';
import { textOf, transportTo } from './support/sdk.mjs';
import { servers } from './support/stdio_servers.mjs';
import { gateBinary, suite } from './support/suite.mjs';

requirePackages('server-filesystem', 'server-memory');
const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
const { CreateMessageRequestSchema, ListRootsRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');

const binary = gateBinary();
const gateway = process.argv[3];
const PATH = ['--env-passthrough', 'PATH'];

async function connect(url, { capabilities = {}, token } = {}) {
  const client = new Client({ name: 'gate-end-to-end', version: '1' }, { capabilities });
  const { transport } = transportTo(url, token && { token: () => token });
  if (capabilities.roots)
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///tmp/x', name: 'x' }] }));
  if (capabilities.sampling)
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      role: 'assistant', model: 'test', content: { type: 'text', text: 'sampled' },
    }));
  await client.connect(transport);
  return { client, transport, call: (name, args = {}, options) => client.callTool({ name, arguments: args }, undefined, options) };
}

const initialize = JSON.stringify({
  jsonrpc: '2.0', id: 0, method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
});
const post = (shim, headers = {}, body = initialize) =>
  once(shim.port, { headers: { ...JSON_POST, ...headers }, body });

/** Starts a shim that the suite ends, checking that it ended in order and left nothing. */
async function started({ defer }, command, options) {
  const shim = await Shim.start(binary, command, options);
  defer(async function endOfTheShim() {
    if (shim.ended) return;
    const all = below(shim.process.pid);
    const { code } = await shim.stop();
    assert.equal(code, 0, shim.log());
    assert.deepEqual(shim.complaints(), []);
    assert.deepEqual(left(all), []);
  });
  return shim;
}

/** The processes of one shim's children: without KEEPER and wardens. */
const childrenOf = (shim) => below(shim.process.pid).filter(({ name }) => !name.startsWith('gate-'));

async function realServers(t) {
  const { step } = t;
  const everything = await started(t, servers.everything, { args: PATH });
  const folder = scratch();
  writeFileSync(path.join(folder, 'hello.txt'), 'hello from a file');
  const files = await started(t, servers.filesystem(folder));
  const memory = await started(t, servers.memory, { env: { MEMORY_FILE_PATH: path.join(folder, 'memory.json') }, args: ['--env-passthrough', 'MEMORY_FILE_PATH'] });

  await step('server-everything: tools, calls, progress, logs', async () => {
    const { client, call } = await connect(everything.url);
    const { tools } = await client.listTools();
    assert.ok(tools.length > 5);
    assert.equal(textOf(await call('echo', { message: 'hi' })), 'Echo: hi');
    const progress = [];
    await call('trigger-long-running-operation', { duration: 1, steps: 4 }, { onprogress: (p) => progress.push(p.progress) });
    assert.deepEqual(progress, [1, 2, 3, 4]);
    await client.close();
  });

  await step('server-everything: sampling and roots', async () => {
    const { client, call } = await connect(everything.url, { capabilities: { sampling: {}, roots: {} } });
    const { tools } = await client.listTools();
    const sampling = tools.find(({ name }) => /sampling/.test(name) && !/async|task/.test(name));
    assert.match(textOf(await call(sampling.name, { prompt: 'x', maxTokens: 5 })), /sampled/);
    await client.close();
  });

  await step('server-filesystem: reads a file, refuses another', async () => {
    const { client, call } = await connect(files.url);
    assert.equal(textOf(await call('read_text_file', { path: path.join(folder, 'hello.txt') })), 'hello from a file');
    assert.equal((await call('read_text_file', { path: '/etc/passwd' })).isError, true);
    await client.close();
  });

  await step('server-memory: two sessions, two processes, one file', async () => {
    const a = await connect(memory.url);
    const b = await connect(memory.url);
    assert.equal(childrenOf(memory).length, 2);
    await a.call('create_entities', { entities: [{ name: 'gate', entityType: 'program', observations: ['fast'] }] });
    assert.match(textOf(await b.call('read_graph')), /fast/);
    await Promise.all([a.client.close(), b.client.close()]);
  });

  if (!gateway) return;
  await step('all three through the gateway', async () => {
    const gate = await Gate.start(gateway, {
      upstreams: [
        { id: 'everything', url: everything.url, namespace: 'ev' },
        { id: 'files', url: files.url, namespace: 'fs' },
        { id: 'memory', url: memory.url, namespace: 'mem' },
      ],
    });
    try {
      const { client, call } = await connect(gate.url, { capabilities: { sampling: {}, roots: {} } });
      const { tools } = await client.listTools();
      for (const space of ['ev', 'fs', 'mem']) assert.ok(tools.some(({ name }) => name.startsWith(`${space}__`)), space);
      assert.equal(textOf(await call('ev__echo', { message: 'hi' })), 'Echo: hi');
      assert.match(textOf(await call('mem__read_graph')), /fast/);
      assert.equal(textOf(await call('fs__read_text_file', { path: path.join(folder, 'hello.txt') })), 'hello from a file');
      const sampling = tools.find(({ name }) => /^ev__.*sampling/.test(name) && !/async|task/.test(name));
      assert.match(textOf(await call(sampling.name, { prompt: 'x', maxTokens: 5 })), /sampled/);
      await client.close();
    } finally {
      assert.equal((await gate.stop()).code, 0);
    }
  });
}

/** How many processes one client causes through the gateway, and what two see of each other. */
async function oneClient(t) {
  const { step } = t;
  if (!gateway) return;
  const through = async (listsPerClient, action) => {
    const shim = await started(t, servers.everything, { args: PATH });
    const gate = await Gate.start(gateway, { upstreams: [{ id: 'everything', url: shim.url, listsPerClient }] });
    try {
      await action(gate, shim);
    } finally {
      assert.equal((await gate.stop()).code, 0);
    }
  };
  const spawned = async (shim) => (await shim.health()).stats.spawned;
  const use = async (gate) => {
    const one = await connect(gate.url, { capabilities: { sampling: {}, roots: {} } });
    const { tools } = await one.client.listTools();
    assert.equal(textOf(await one.call('echo', { message: 'hi' })), 'Echo: hi');
    const sampling = tools.find(({ name }) => /sampling/.test(name) && !/async|task/.test(name));
    assert.match(textOf(await one.call(sampling.name, { prompt: 'x', maxTokens: 5 })), /sampled/);
    await one.client.listResources();
    return one;
  };

  await step('one client: two processes, one for lists and one for its calls', () => through(false, async (gate, shim) => {
    await use(gate);
    assert.equal(childrenOf(shim).length, 2);
    assert.equal(await spawned(shim), 2);
  }));

  await step('one client with listsPerClient: one process, from the first word to the last', () => through(true, async (gate, shim) => {
    const one = await use(gate);
    assert.equal(childrenOf(shim).length, 1);
    assert.equal(await spawned(shim), 1);
    const other = await connect(gate.url);
    const { tools } = await other.client.listTools();
    assert.ok(!tools.some(({ name }) => /sampling/.test(name)), 'what it is shown is what its own session shows');
    assert.equal(textOf(await other.call('echo', { message: 'ho' })), 'Echo: ho');
    assert.equal(childrenOf(shim).length, 2);
    await one.transport.terminateSession();
    await until(() => childrenOf(shim).length === 1, 'the process of the client that has gone to end', 20_000);
    assert.equal(textOf(await other.call('echo', { message: 'on' })), 'Echo: on');
    await other.transport.terminateSession();
    await until(() => childrenOf(shim).length === 0, 'nothing to be left', 20_000);
    assert.equal(await spawned(shim), 3, '/health has started one to look');
  }));
}

async function options({ step, defer }) {
  await step('usage errors: 2', async () => {
    for (const args of [[], ['--'], ['--nope', '--', 'cat'], ['--host', '0.0.0.0', '--', 'cat'], ['--port', 'x', '--', 'cat'],
      ['--bearer-env', 'GATE_TEST_UNSET', '--', 'cat']]) {
      const { code, err } = await runToEnd(binary, args);
      assert.equal(code, 2, `${args}: ${err}`);
      assert.match(err, /^gate-stdio: /);
    }
    assert.equal((await runToEnd(binary, ['--help'])).code, 0);
    assert.match((await runToEnd(binary, ['--version'])).out, /^gate-stdio \d/);
  });

  await step('--probe: a handshake', async () => {
    const good = await runToEnd(binary, ['--probe', '--', ...servers.odd]);
    assert.equal(good.code, 0, good.err);
    assert.match(good.out, /probe OK: odd 1, MCP 2025-11-25/);
    for (const bad of [['/no/such/program'], ['false'], ['echo', 'hello']]) {
      const { code, err } = await runToEnd(binary, ['--probe', '--', ...bad]);
      assert.equal(code, 1, `${bad}: ${err}`);
      assert.match(err, /can not be run/);
    }
  });

  await step('the start says where it listens, and when the command is tried first', async () => {
    const shim = await started({ defer }, servers.odd, { args: ['--max-sessions', '3'] });
    assert.match(shim.log(), new RegExp(`gate-stdio \\d\\S* is listening on ${shim.url} for up to 3 session\\(s\\)\\. The command is tried by the first of them, and by --probe\\.`));
    assert.equal(childrenOf(shim).length, 0, 'nothing is tried at the start');
  });

  await step('few open files are warned of where clients can connect, and by --probe not', async () => {
    const few = (...args) => ['-c', 'ulimit -n 512; exec "$0" "$@"', binary, ...args, '--', ...servers.odd];
    const probe = await runToEnd('/bin/bash', few('--probe'));
    assert.equal(probe.code, 0, probe.err);
    assert.doesNotMatch(probe.err, /limit of open files/);
    const shim = new Child('/bin/bash', few('--port', '0'), { env: process.env });
    defer(function endOfTheCramped() { return shim.stop(); });
    await shim.says(/The limit of open files leaves room for few clients\./);
    await shim.says(/is listening on/);
    assert.equal((await shim.stop()).code, 0, shim.log());
  });

  await step('--probe ends its server when it is interrupted', async () => {
    for (const signal of ['SIGINT', 'SIGTERM']) {
      const args = ['--probe', '--env-passthrough', 'DEAF', '--', ...servers.odd];
      const probe = new Child(binary, args, { env: { ...process.env, DEAF: '1' } });
      const server = () => below(probe.process.pid).filter(({ name }) => !name.startsWith('gate-'));
      await until(() => server().length === 1, 'the server to run');
      const all = below(probe.process.pid);
      const { code } = await probe.stop(signal);
      assert.equal(code, 1, probe.log());
      assert.match(probe.log(), /interrupted/);
      assert.deepEqual(left(all), []);
    }
  });

  await step('environment and folder of the child', async () => {
    const folder = scratch();
    const shim = await started({ defer }, servers.odd, {
      args: ['--env-passthrough', 'A,EMPTY,UNSET', '--dir', folder, '--bearer-env', 'TOKEN'],
      env: { A: 'one', B: 'two', EMPTY: '', TOKEN: ' s3cret\n' },
    });
    assert.equal((await post(shim)).status, 401);
    const wrong = await post(shim, { Authorization: 'Bearer nope' });
    assert.equal(wrong.headers.get('www-authenticate'), 'Bearer');
    const { client, call } = await connect(shim.url, { token: 's3cret' });
    const { env, cwd } = JSON.parse(textOf(await call('environment')));
    assert.deepEqual(env, { A: 'one', EMPTY: '' });
    for (const { pid, name } of below(shim.process.pid).filter((one) => one.name.startsWith('gate-')))
      assert.ok(!environmentOf(pid).includes('s3cret'), name);
    assert.equal(cwd, folder);
    await client.close();
    assert.ok(!shim.err.some((line) => line.includes('s3cret')), shim.log());
  });
}

/** Of another process; nothing if it is hidden from us, as from its children, unless we are root. */
function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch (error) {
    if (error.code !== 'EACCES') throw error;
    return '';
  }
}

async function requests({ step, defer }) {
  const shim = await started({ defer }, servers.odd, { args: ['--max-body-bytes', '100000'] });

  await step('hostile requests start nothing', async () => {
    const before = (await shim.health()).stats;
    const expect = async (status, options) => {
      const answer = await once(shim.port, options);
      assert.equal(answer.status, status, `${JSON.stringify(options).slice(0, 200)}: ${answer.body}`);
      return answer;
    };
    const head = JSON_POST;
    await expect(403, { headers: { ...head, Host: 'evil.example' }, body: initialize });
    await expect(403, { headers: { ...head, Origin: 'http://evil.example' }, body: initialize });
    await expect(415, { headers: { ...head, 'Content-Type': 'text/plain' }, body: initialize });
    await expect(406, { headers: { ...head, Accept: 'application/json' }, body: initialize });
    await expect(413, { headers: head, body: 'x'.repeat(200_000) });
    await expect(400, { headers: head, body: '{' });
    await expect(400, { headers: head, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' });
    await expect(404, { headers: { ...head, 'Mcp-Session-Id': '00' }, body: initialize });
    await expect(400, { method: 'GET', headers: { Accept: 'text/event-stream' } });
    await expect(404, { method: 'GET', path: '/healthz' });
    await expect(405, { method: 'POST', path: '/health', body: '' });
    await expect(400, { headers: { ...head, 'Transfer-Encoding': 'chunked, chunked', 'Content-Length': null }, body: '' });
    const after = (await shim.health()).stats;
    assert.equal(after.sessions, 0);
    assert.ok(after.spawned - before.spawned <= 1, 'only /health itself may have started one');
  });

  await step('questions of the server within and after a call', async () => {
    const { client, call } = await connect(shim.url, { capabilities: { roots: {} } });
    assert.match(textOf(await call('ask')), /file:\/\/\/tmp\/x/);
    assert.equal(textOf(await call('ask_later')), 'later');
    await client.close();
  });

  await step('progress of two calls at a time finds its own', async () => {
    const session = await Session.open(shim);
    const call = (id, count) =>
      session.post({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'progress', arguments: { token: `t${id}`, count }, _meta: { progressToken: `t${id}` } } });
    const answers = await Promise.all([call(1, 2), call(2, 3)]);
    const heard = answers.map((answer) => messagesOf(answer).filter(({ json }) => json.method).map(({ json }) => json.params.progressToken));
    assert.deepEqual(heard, [['t1', 't1'], ['t2', 't2', 't2']]);
    await session.end();
  });

  await step('a line that is no message, a crash, and 404 from then on', async () => {
    // The official client leaves sessions open, and one that was ended above may still hold its slot.
    const before = (await shim.health()).stats.sessions;
    const session = await Session.open(shim);
    const said = await session.call('say', { lines: ['not json', '{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1.50}}'] });
    assert.equal(said.result.content[0].text, 'said');
    assert.ok(session.notifications.some((m) => m.text.includes('1.50')), 'byte for byte');
    await shim.says(/that is no message.*not json/);
    const crash = await session.post({ jsonrpc: '2.0', id: 77, method: 'tools/call', params: { name: 'exit', arguments: { code: 3 } } });
    const [{ json }] = messagesOf(crash);
    assert.equal(crash.status, 502);
    assert.deepEqual([json.id, json.error.code, json.error.data.gate.reason], [77, -32603, 'server_failed']);
    assert.equal((await session.post({ jsonrpc: '2.0', id: 78, method: 'ping' })).status, 404);
    await until(async () => (await shim.health()).stats.sessions <= before, 'the slot to be free');
  });

  await step('standard error is logged, in bounds', async () => {
    const session = await Session.open(shim);
    await session.call('complain', { lines: 3 });
    await shim.says(/standard error.*complaint 2/);
    const before = shim.err.length;
    await session.call('complain', { lines: 20_000, bytes: 5000 });
    await session.call('echo', { text: 'x' });
    await sleep(200);
    assert.ok(shim.err.length - before < 200, `${shim.err.length - before} lines`);
    await session.end();
  });

  await step('a flood on standard error holds nothing up', async () => {
    const session = await Session.open(shim);
    const began = Date.now();
    await session.call('complain', { lines: 20_000, bytes: 1000 });
    assert.ok(Date.now() - began < 10_000, `${Date.now() - began} ms`);
    await session.end();
  });

  await step('a server that closes its standard input: 502', async () => {
    const half = await started({ defer }, ['/bin/sh', '-c', `${answering('read line; exec <&-; sleep 1000')}`], { args: PATH });
    const session = await Session.open(half);
    const answer = await session.post({ jsonrpc: '2.0', id: 5, method: 'ping' });
    assert.match(messagesOf(answer)[0].json.error.message, /closed its standard input/);
    assert.equal((await session.post({ jsonrpc: '2.0', id: 6, method: 'ping' })).status, 404);
  });

  await step('a server that reads no more: 503', async () => {
    const session = await Session.open(shim);
    await session.call('deaf');
    const text = 'x'.repeat(90_000);
    const note = { jsonrpc: '2.0', method: 'notifications/x', params: { text } };
    let answer;
    for (let i = 0; i < 100 && answer?.status !== 503; i += 1) answer = await session.post(note);
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('retry-after'), '1');
    await session.end();
  });
}

/** What the gateway refuses, the shim refuses too; and nothing is started for it. */
async function hostile({ step, defer }) {
  const cap = 64 * 1024;
  const shim = await started({ defer }, servers.odd, { args: ['--max-body-bytes', String(cap)] });
  const good = await Session.open(shim);
  const stillServes = async () =>
    assert.equal((await good.call('echo', { text: 'on' })).result?.content[0].text, 'on');
  const refused = async (action) => {
    await action();
    await stillServes();
    const { sessions, spawned } = (await shim.health()).stats;
    assert.deepEqual({ sessions, spawned }, before);
  };
  // One of the steps opens a session of its own.
  let before;
  const counted = async (what, action, ...more) => {
    const { sessions, spawned } = (await shim.health()).stats;
    before = { sessions, spawned };
    await step(what, action, ...more);
  };
  await hostileRequests({
    step: counted, server: shim, good, cap, stillServes, judged: refused, unheard: refused,
    another: () => Shim.start(binary, servers.odd),
  });

  await step('a client that vanishes in mid-call: its session goes on', async () => {
    const connection = await Connection.open(shim.port);
    const message = { jsonrpc: '2.0', id: 81, method: 'tools/call', params: { name: 'hang' } };
    connection.write(format({ port: shim.port, headers: good.headers(), body: JSON.stringify(message) }));
    await shim.says(/hanging/);
    connection.vanish();
    await stillServes();
  });

  /** Has the server say something on the session's own stream; it has when this returns. */
  const speak = async (session, bytes, times) => {
    const line = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/x', params: { text: 'x'.repeat(bytes) } });
    await session.call('say', { lines: [line], times, after: true });
    await session.call('echo', { text: 'x' });
  };

  /** The next piece of a stream that goes on. */
  const pieceOf = async (connection) => {
    const piece = await connection.chunk();
    assert.ok(piece?.length, 'the stream has ended');
    return String(piece);
  };

  await step('a slow client holds its own server up, and misses nothing', async () => {
    const session = await Session.open(shim);
    const slow = await session.stream();
    slow.socket.pause();
    // Far more than the kernels hold, and a question at its end.
    const lines = [JSON.stringify({ jsonrpc: '2.0', method: 'notifications/x', params: { text: 'x'.repeat(50_000) } })];
    await session.call('say', { lines, times: 600, last: '{"jsonrpc":"2.0","id":"last","method":"ping"}', after: true });
    for (let i = 0; i < 20; i += 1) await stillServes();
    slow.socket.resume();
    let text = '';
    while (!text.includes('"id":"last"')) text += await pieceOf(slow);
    assert.equal(text.match(/^data: \{"jsonrpc":"2.0","method":"notifications\/x"/gm).length, 600);
    slow.close();
    await session.end();
  }, 120_000);

  await step('who comes back to its stream hears what is kept, also behind a gap', async () => {
    const session = await Session.open(shim);
    const say = async (times) => {
      const last = `that was ${times}`; // which is no message, and logged
      await session.call('say', { lines: ['{"jsonrpc":"2.0","method":"notifications/x"}'], times, last, after: true });
      await shim.says(new RegExp(`that is no message.*${last}`));
    };
    const listen = async (id) => {
      const connection = await Connection.open(shim.port);
      const headers = { ...session.identity, Accept: 'text/event-stream', ...(id && { 'Last-Event-ID': id }) };
      connection.write(format({ method: 'GET', port: shim.port, headers }));
      assert.equal((await connection.head()).status, 200);
      return connection;
    };
    const first = await listen();
    await say(1);
    let text = '';
    while (!/^data: \{/m.test(text)) text += await pieceOf(first);
    const [id] = text.match(/(?<=^id: )\S+/gm).slice(-1);
    first.vanish();
    await say(6000);
    const again = await listen(id);
    let events = 0;
    while (events < 1000) events += (await pieceOf(again)).match(/^data: \{/gm)?.length ?? 0;
    await shim.says(/is kept no longer/);
    again.close();
    await session.end();
  });
}

async function ceiling({ step, defer }) {
  await step('the ceiling holds under a stampede of 1,000', async () => {
    const shim = await started({ defer }, ['/bin/sh', '-c', answering()], { args: PATH });
    const answers = await Promise.all(Array.from({ length: 1000 }, () => post(shim)));
    const count = (status) => answers.filter((a) => a.status === status).length;
    assert.deepEqual([count(200), count(503)], [64, 936]);
    assert.ok(answers.every((a) => a.status === 200 || a.headers.get('retry-after') === '1'));
    assert.equal(childrenOf(shim).length, 64);
    const metrics = await once(shim.port, { method: 'GET', path: '/metrics' });
    assert.match(metrics.body, /^gate_stdio_rejected_total 936$/m);
    assert.match(metrics.body, /^gate_stdio_sessions 64$/m);
  });

  await step('a server that can not be started: 502, and down', async () => {
    const shim = await started({ defer }, ['/no/such/program']);
    assert.equal((await post(shim)).status, 502);
    const health = await shim.health();
    assert.deepEqual([health.code, health.status, health.stats.sessions], [503, 'down', 0]);
    assert.ok(health.stats.spawnErrors >= 2);
  });

  await step('health: one start for all who ask, and a live session is proof', async () => {
    const shim = await started({ defer }, servers.odd);
    const all = await Promise.all(Array.from({ length: 20 }, () => shim.health()));
    assert.ok(all.every(({ code }) => code === 200));
    assert.equal(all.at(-1).stats.spawned, 1);
    const session = await Session.open(shim);
    await sleep(1100);
    assert.equal((await shim.health()).stats.spawned, 2);
    await session.end();
  });
}

async function processes({ step, defer }) {
  await step('DELETE leaves nothing, whatever the server has started', async () => {
    const shim = await started({ defer }, servers.odd);
    const session = await Session.open(shim);
    await session.call('litter', { count: 3 });
    const all = below(shim.process.pid).filter(({ name }) => name !== 'gate-keeper');
    assert.ok(all.length >= 14, JSON.stringify(all));
    assert.equal((await session.end()).status, 204);
    await until(async () => left(all).length === 0, 'everything to have ended', 20_000);
    await until(async () => (await shim.health()).stats.sessions === 0, 'the slot to be free');
  });

  await step('a stubborn server is killed, after ten seconds', async () => {
    const shim = await started({ defer }, servers.odd, { args: ['--env-passthrough', 'STUBBORN'], env: { STUBBORN: '1' } });
    const session = await Session.open(shim);
    const all = childrenOf(shim);
    const began = Date.now();
    await session.end();
    await until(() => left(all).length === 0, 'it to be killed', 20_000);
    const took = Date.now() - began;
    assert.ok(took > 9000 && took < 15_000, `${took} ms`);
  }, 60_000);

  await step('DELETE ends a server that forks without end', async () => {
    const round = `sleep 0.02; setsid sh -c "$0" "$0" & setsid sleep 1000 &`;
    const bomb = answering(`s='${round}'; setsid sh -c "$s" "$s" & while :; do sleep 1000; done`);
    const shim = await started({ defer }, ['/bin/sh', '-c', bomb], { args: PATH });
    const session = await Session.open(shim);
    await until(() => childrenOf(shim).length > 30, 'it to have forked');
    await session.end();
    const metrics = () => once(shim.port, { method: 'GET', path: '/metrics' });
    await until(async () => /^gate_stdio_sessions 0$/m.test((await metrics()).body), 'the slot to be free', 60_000);
    assert.deepEqual(childrenOf(shim), []);
  }, 120_000);

  await step('SIGKILL of everything that is called gate-stdio', async () => {
    const shim = await Shim.start(binary, servers.odd, { args: ['--env-passthrough', 'STUBBORN'], env: { STUBBORN: '1' } });
    const session = await Session.open(shim);
    await session.call('litter', { count: 2 });
    const all = below(shim.process.pid);
    const named = [shim.process.pid, ...all.map(({ pid }) => pid)]
      .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('gate-stdio'));
    assert.deepEqual(named, [shim.process.pid]);
    for (const pid of named) process.kill(pid, 'SIGKILL');
    await until(() => left(all).length === 0, 'everything to be gone', 30_000);
  });

  await step('SIGKILL of KEEPER ends the shim, and all that it started', async () => {
    const shim = await Shim.start(binary, servers.odd);
    const session = await Session.open(shim);
    await session.call('litter', { count: 1 });
    const all = below(shim.process.pid);
    // Its wardens have another parent from now on, but are still there.
    process.kill(all.find(({ name }) => name === 'gate-keeper').pid, 'SIGKILL');
    await shim.says(/KEEPER.*has ended/);
    const { code } = await shim.exit;
    assert.equal(code, 1, shim.log());
    await until(() => left(all).length === 0, 'everything to be gone', 30_000);
  });

  await step('SIGKILL of a warden ends its session, and no other', async () => {
    const shim = await started({ defer }, servers.odd);
    const [one, other] = [await Session.open(shim), await Session.open(shim)];
    await one.call('litter', { count: 2 });
    const all = below(shim.process.pid);
    const wardens = all.filter(({ name }) => name === 'gate-warden');
    assert.equal(wardens.length, 2);
    const [first] = wardens.sort((a, b) => below(b.pid).length - below(a.pid).length); // has the litter
    const its = [first, ...below(first.pid)];
    process.kill(first.pid, 'SIGKILL');
    await until(() => left(its).length === 0, 'everything of it to be gone', 30_000);
    await until(async () => (await shim.health()).stats.sessions === 1, 'the slot to be free');
    assert.equal((await one.post({ jsonrpc: '2.0', id: 5, method: 'ping' })).status, 404);
    assert.equal((await other.call('echo', { text: 'on' })).result.content[0].text, 'on');
  }, 60_000);

  await step('SIGTERM ends everything in order, with requests in flight', async () => {
    const shim = await Shim.start(binary, servers.odd);
    const session = await Session.open(shim);
    await session.call('litter', { count: 2 });
    const all = below(shim.process.pid);
    const { code } = await shim.stop();
    assert.equal(code, 0, shim.log());
    assert.deepEqual(left(all), []);
    assert.deepEqual(shim.complaints(), []);
  });

  await step('SIGKILL of the shim, with sessions and all that they started', async () => {
    const shim = await Shim.start(binary, servers.odd, { args: ['--env-passthrough', 'STUBBORN'], env: { STUBBORN: '1' } });
    const sessions = await Promise.all(Array.from({ length: 10 }, () => Session.open(shim)));
    await Promise.all(sessions.map((session) => session.call('litter', { count: 2 })));
    const all = below(shim.process.pid);
    assert.ok(all.length > 100, `${all.length}`);
    shim.signal('SIGKILL');
    await until(() => left(all).length === 0, 'everything to be gone', 30_000);
  }, 120_000);

  await step('500 sessions opened and abandoned, then SIGKILL', async () => {
    const shim = await Shim.start(binary, ['/bin/sh', '-c', answering()], { args: ['--max-sessions', '500', ...PATH] });
    const answers = await Promise.all(Array.from({ length: 500 }, () => post(shim)));
    assert.ok(answers.every(({ status }) => status === 200), String(answers.find((a) => a.status !== 200)?.body));
    const all = below(shim.process.pid);
    assert.ok(all.length >= 1001, `${all.length}`);
    shim.signal('SIGKILL');
    await until(() => left(all).length === 0, 'everything to be gone', 60_000);
  }, 240_000);

  await step('a second signal, and a terminal that ends: nothing is left either', async () => {
    const shim = await Shim.start(binary, servers.odd);
    const session = await Session.open(shim);
    const hanging = session.post({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'hang' } }).catch(() => {});
    await sleep(100);
    const all = below(shim.process.pid);
    shim.signal('SIGINT');
    await shim.says(/Stopping/);
    shim.signal('SIGINT');
    const { code } = await shim.exit;
    assert.equal(code, 1);
    await until(() => left(all).length === 0, 'everything to be gone', 30_000);
    await hanging;
  });
}

/** A server in a shell: answers `initialize`, then does `rest`. Small, so that there can be many. */
function answering(rest = 'while read line; do :; done') {
  return `read line; printf '%s\\n' '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"sh","version":"1"}}}'; ${rest}`;
}

await suite('gate-stdio: real stdio servers over streamable HTTP', async (t) => {
  await realServers(t);
  await oneClient(t);
  await options(t);
  await requests(t);
  await hostile(t);
  await ceiling(t);
  await processes(t);
});
