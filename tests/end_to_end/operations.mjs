// What an operator does with the binary: validate, start it wrongly, look at its health and logs, end it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Gate, cleanEnvironment, scratch } from '../../simulations/peers/gate.mjs';
import { Connection, format, once } from '../../simulations/peers/http.mjs';
import { JSON_POST, Session, messagesOf, responseOf } from '../../simulations/peers/mcp.mjs';
import { Child, runToEnd } from '../../simulations/peers/process.mjs';
import { Upstream, deadPort } from '../../simulations/peers/upstream.mjs';
import { until, within } from '../../simulations/peers/waiting.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const folder = scratch();
let files = 0;

/** Writes a configuration (object or text) to a file and returns its path. */
function file(config) {
  files += 1;
  const name = path.join(folder, `config ${files}.json`);
  writeFileSync(name, typeof config === 'string' ? config : JSON.stringify(config));
  return name;
}

async function gate(args, env = {}) {
  const ended = await runToEnd(binary, args, { env: cleanEnvironment(env) });
  assert.deepEqual(ended.child.complaints(), []);
  return ended;
}

const up = (id, more = {}) => ({ id, url: `http://127.0.0.1:9/${id}`, namespace: id, ...more });
const fine = { upstreams: [up('a'), up('b')] };

/** Documents that are wrong, and the JSON pointers that must be named, all of them. */
const wrong = {
  'an unknown field': [{ ...fine, upstream: [] }, ['/upstream']],
  'unknown fields, several': [
    { upstreams: [up('a', { urll: 'x' }), up('b', { timeouts: { connectMS: 1 } })], server: { mcppath: '/x' } },
    ['/upstreams/0/urll', '/upstreams/1/timeouts/connectMS', '/server/mcppath'],
  ],
  'a duplicate field': ['{"upstreams":[{"id":"a","id":"b","url":"http://127.0.0.1:9/"}]}', ['/upstreams/0/id']],
  'no upstreams': [{}, ['/upstreams']],
  'an empty list of upstreams': [{ upstreams: [] }, ['/upstreams']],
  'no id': [{ upstreams: [{ url: 'http://127.0.0.1:9/' }] }, ['/upstreams/0/id']],
  'a bad id': [{ upstreams: [{ id: 'Über', url: 'http://127.0.0.1:9/' }] }, ['/upstreams/0/id']],
  'the same id twice': [{ upstreams: [up('a'), up('a', { namespace: 'b' })] }, ['/upstreams/1/id']],
  'the same namespace twice': [{ upstreams: [up('a'), up('b', { namespace: 'a' })] }, ['/upstreams/1/namespace']],
  'two upstreams, one without a namespace': [
    { upstreams: [up('a'), { id: 'b', url: 'http://127.0.0.1:9/' }] }, ['/upstreams/1'],
  ],
  'neither url nor urls': [{ upstreams: [{ id: 'a' }] }, ['/upstreams/0']],
  'both url and urls': [{ upstreams: [up('a', { urls: ['http://127.0.0.1:9/'] })] }, ['/upstreams/0']],
  'a url that is none': [{ upstreams: [up('a', { url: 'ftp://x/' })] }, ['/upstreams/0/url']],
  'a string for a number': [{ upstreams: [up('a', { timeouts: { requestMs: '5' } })] }, ['/upstreams/0/timeouts/requestMs']],
  'a fraction': [{ ...fine, routing: { pageSize: 1.5 } }, ['/routing/pageSize']],
  'a negative timeout': [{ upstreams: [up('a', { timeouts: { requestMs: -1 } })] }, ['/upstreams/0/timeouts/requestMs']],
  'an unknown enumerator': [{ upstreams: [up('a', { protocol: 'yesterday' })] }, ['/upstreams/0/protocol']],
  'a separator with letters': [{ ...fine, routing: { namespaceSeparator: 'x' } }, ['/routing/namespaceSeparator']],
  'a per-user credential without inbound authentication': [
    { upstreams: [up('a', { auth: { strategy: 'passthrough' } })] }, ['/upstreams/0/auth'],
  ],
  'trailing data': ['{"upstreams":[]} x', []],
  'not JSON': ['{', []],
  'not an object': ['[]', []],
  'nesting beyond the limit': [`{"upstreams":${'['.repeat(200)}${']'.repeat(200)}}`, []],
};

async function commandLine(step) {
  await step('--version and --help', async () => {
    const version = await gate(['--version']);
    assert.equal(version.code, 0);
    assert.match(version.out, /\d+\.\d+\.\d+/);
    const help = await gate(['--help']);
    assert.equal(help.code, 0);
    for (const option of ['--config', '--host', '--port', '--validate', '--schema', '--log-format', '--threads', '--healthcheck'])
      assert.ok(help.out.includes(option), `${option} in --help`);
  });

  await step('--schema prints a JSON Schema of the whole document', async () => {
    const { code, out } = await gate(['--schema']);
    assert.equal(code, 0);
    const schema = JSON.parse(out);
    assert.match(schema.$schema, /json-schema/);
    for (const section of ['upstreams', 'auth', 'policy', 'audit', 'server', 'routing', 'discovery', 'tenants', 'tracing'])
      assert.ok(schema.properties[section], section);
  });

  await step('--validate accepts a good document, with sections of the future too', async () => {
    const whole = {
      ...fine,
      policy: { defaultDecision: 'deny', rules: [{ id: 'r', allow: [{ server: 'a', names: ['x*'] }] }] },
      tracing: { otlpEndpoint: 'http://127.0.0.1:4318' },
      audit: { sinks: [{ type: 'stdout' }] },
    };
    for (const config of [fine, whole]) {
      const { code, out, err } = await gate(['--config', file(config), '--validate']);
      assert.deepEqual([code, out.trim()], [0, 'config OK'], err);
    }
  });

  await step('--validate resolves no secret', async () => {
    const config = { upstreams: [up('a', { auth: { strategy: 'static', secretRef: 'GATE_TEST_UNSET_SECRET' } })] };
    const { code, err } = await gate(['--config', file(config), '--validate']);
    assert.equal(code, 0, err);
  });

  for (const [what, [config, pointers]] of Object.entries(wrong)) {
    await step(`--validate: ${what}`, async () => {
      const { code, out, err } = await gate(['--config', file(config), '--validate']);
      assert.equal(code, 1, `${out}${err}`);
      assert.notEqual(err.trim(), '', 'problems go to standard error');
      for (const pointer of pointers) assert.ok(err.includes(pointer), `${pointer} in: ${err}`);
      assert.doesNotMatch(out, /config OK/);
    });
  }

  await step('an invalid document does not boot either, with the same words', async () => {
    const config = file({ upstreams: [up('a', { urll: 1 })] });
    const validated = await gate(['--config', config, '--validate']);
    const booted = await gate(['--config', config, '--port', '0']);
    assert.equal(booted.code, 1);
    assert.match(booted.err, /\/upstreams\/0\/urll/);
    assert.match(validated.err, /\/upstreams\/0\/urll/);
  });

  await step('no configuration and unknown options are usage errors', async () => {
    for (const args of [[], ['--port', '0'], ['--no-such-option'], ['--config'], ['--port', 'x', '--config', file(fine)],
      ['--port', '99999', '--config', file(fine)], ['--log-format', 'xml', '--config', file(fine)], ['stray', '--config', file(fine)]]) {
      const { code, err } = await gate(args);
      assert.equal(code, 2, `gate ${args.join(' ')}: ${err}`);
      assert.notEqual(err.trim(), '');
    }
  });

  await step('an unreadable file is a failed boot', async () => {
    for (const name of [path.join(folder, 'no such file.json'), folder]) {
      const { code, err } = await gate(['--config', name, '--port', '0']);
      assert.equal(code, 1, err);
      assert.ok(err.includes(name), err);
    }
  });

  await step('GATE_CONFIG: inline, a path, and --config wins', async () => {
    const inline = await gate(['--validate'], { GATE_CONFIG: ` ${JSON.stringify(fine)}` });
    assert.equal(inline.code, 0, inline.err);
    const named = await gate(['--validate'], { GATE_CONFIG: file(fine) });
    assert.equal(named.code, 0, named.err);
    const bad = await gate(['--validate'], { GATE_CONFIG: '{"nope":1}' });
    assert.equal(bad.code, 1);
    const won = await gate(['--validate', '--config', file(fine)], { GATE_CONFIG: '{"nope":1}' });
    assert.equal(won.code, 0, won.err);
  });

  await step('a port in use is a failed boot', async () => {
    const taken = await Upstream.start();
    const { code, err } = await gate(['--config', file(fine), '--port', String(taken.port)]);
    assert.equal(code, 1, err);
    assert.match(err, /in use/i);
    await taken.stop();
  });
}

async function running(step, upstream) {
  const config = { upstreams: [{ id: 'a', url: upstream.url, namespace: 'a' }] };

  await step('it runs on a configuration from the environment', async () => {
    const inline = new Child(binary, ['--port', '0', '--host', '127.0.0.1'], {
      name: 'gate', env: cleanEnvironment({ GATE_CONFIG: JSON.stringify(config) }),
    });
    const [, port] = await inline.says(/listening on http:\/\/127\.0\.0\.1:(\d+)/);
    const { result } = await (await Session.open({ port: Number(port) })).call('a__echo', { text: 'env' });
    assert.equal(result.content[0].text, 'echo: env');
    assert.deepEqual(inline.out, [], 'no audit section, no audit events');
    assert.equal((await inline.stop()).code, 0);
  });

  await step('logs as text and as JSON; audit lines only on standard output', async () => {
    for (const logFormat of ['text', 'json']) {
      const own = await Gate.start(binary, config, { logFormat });
      await (await Session.open(own)).call('a__echo', { text: 'x' });
      await own.eventually((event) => event.name === 'a__echo', 'the call');
      await own.end();
      for (const line of own.out) JSON.parse(line);
      for (const line of logFormat === 'json' ? own.err : []) assert.ok(JSON.parse(line).msg, line);
      assert.ok(!own.err.some((line) => line.includes('latencyMs')), 'logs carry no per-request accounting');
    }
  });

  await step('--log-level error keeps quiet', async () => {
    const quiet = new Child(binary, ['--config', file(config), '--port', '0', '--log-level', 'error'], {
      name: 'gate', env: cleanEnvironment(),
    });
    // Nothing to wait for on a quiet standard error; the end must come all the same.
    quiet.signal('SIGTERM');
    await within(quiet.exit, 'the end');
    assert.deepEqual(quiet.err.filter((line) => /listening/.test(line)), []);
  });

  await step('mcpPath moves the endpoint', async () => {
    const own = await Gate.start(binary, { ...config, server: { mcpPath: '/tools' } });
    assert.equal(own.path, '/tools');
    assert.equal((await (await Session.open(own)).call('a__echo', { text: 'x' })).status, 200);
    assert.equal((await once(own.port, { path: '/mcp', headers: JSON_POST, body: '{}' })).status, 404);
    await own.end();
  });

  await step('allowedHosts replaces the default; * admits everybody', async () => {
    const listed = await Gate.start(binary, { ...config, server: { allowedHosts: ['gate.example.com'] } });
    const ask = async (own, Host) => (await once(own.port, { method: 'GET', path: '/health', headers: { Host } })).status;
    assert.equal(await ask(listed, 'gate.example.com:8443'), 200);
    assert.equal(await ask(listed, 'GATE.example.com'), 200);
    assert.equal(await ask(listed, '127.0.0.1'), 403);
    await listed.end();
    const open = await Gate.start(binary, { ...config, server: { allowedHosts: ['*'] } });
    assert.equal(await ask(open, 'whatever.example.org'), 200);
    await open.end();
  });

  await step('/health: degraded with one of two upstreams, down without any; /healthz is gone', async () => {
    const dead = `http://127.0.0.1:${await deadPort()}/mcp`;
    const half = await Gate.start(binary, { upstreams: [{ ...config.upstreams[0] }, { id: 'b', url: dead, namespace: 'b' }] });
    const report = await half.health();
    assert.equal(report.status, 200);
    assert.equal(report.json.status, 'degraded');
    assert.deepEqual(report.json.upstreams.map((u) => u.connected), [true, false]);
    assert.equal((await once(half.port, { method: 'GET', path: '/healthz' })).status, 404);
    await half.end();
    const none = await Gate.start(binary, { upstreams: [{ id: 'b', url: dead }] });
    const down = await none.health();
    assert.equal(down.status, 503);
    assert.equal(down.json.status, 'down');
    await none.end();
  });

  await step('/health: one probe for many askers within a second', async () => {
    const own = await Gate.start(binary, config);
    await own.health();
    const before = upstream.of('ping').length + upstream.of('initialize').length;
    await Promise.all(Array.from({ length: 20 }, () => own.health()));
    const probes = upstream.of('ping').length + upstream.of('initialize').length - before;
    // Two: the second may fall between the twenty.
    assert.ok(probes <= 2, `${probes} probes for 20 askers`);
    await own.end();
  });

  await step('--healthcheck: 0 while something answers, else 1', async () => {
    const dead = `http://127.0.0.1:${await deadPort()}/mcp`;
    const own = await Gate.start(binary, { upstreams: [{ id: 'b', url: dead }] });
    const args = ['--config', file(config), '--healthcheck', '--port'];
    assert.equal((await gate([...args, String(own.port)])).code, 0, 'a 503 is an answer, too');
    await own.end();
    assert.notEqual((await gate([...args, String(await deadPort())])).code, 0);
  });
}

/** Starts a call that stays at the upstream; returns its connection and how to let it go. */
async function hangingCall(own, upstream) {
  const session = await Session.open(own);
  let held;
  upstream.on('tools/call', (call) => (held = call));
  const connection = await Connection.open(own.port);
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}}';
  connection.write(format({ port: own.port, headers: session.headers(), body }));
  await until(() => held, 'the call at the upstream');
  upstream.restore();
  return { connection, session, release: () => held.text('in time') };
}

async function ending(step, upstream) {
  const config = { upstreams: [{ id: 'a', url: upstream.url }] };

  for (const signal of ['SIGTERM', 'SIGINT']) {
    await step(`${signal} drains: no new connections, the call in flight is answered, exit 0`, async () => {
      const own = await Gate.start(binary, config);
      const { connection, session, release } = await hangingCall(own, upstream);
      const stream = await session.stream();
      own.signal(signal);
      await until(() => Connection.open(own.port).then((c) => (c.close(), false), () => true), 'the listener to close');
      release();
      const answer = await connection.response();
      assert.ok(answer, 'closed without an answer');
      const found = messagesOf(answer).map(({ json }) => json.result?.content[0].text).filter(Boolean);
      assert.deepEqual(found, ['in time']);
      assert.equal((await within(own.exit, 'the end')).code, 0, own.log());
      assert.deepEqual(own.complaints(), []);
      assert.ok(own.events.some((event) => event.name === 'echo' && event.outcome === 'ok'), 'audit is flushed');
      stream.close();
    });
  }

  await step('a second signal ends it at once', async () => {
    const own = await Gate.start(binary, config);
    const { connection, release } = await hangingCall(own, upstream);
    own.signal('SIGTERM');
    await until(() => Connection.open(own.port).then((c) => (c.close(), false), () => true), 'the listener to close');
    assert.equal(own.ended, null, 'it waits for the call');
    const began = Date.now();
    own.signal('SIGTERM');
    await within(own.exit, 'the end');
    assert.ok(Date.now() - began < 8000, 'long before the drain would have ended');
    connection.close();
    release();
  });

  await step('a call that never ends does not hold the shutdown beyond the drain', async () => {
    const own = await Gate.start(binary, config);
    const { connection, release } = await hangingCall(own, upstream);
    own.signal('SIGTERM');
    const { code } = await within(own.exit, 'the end of the drain (10 s)');
    assert.equal(code, 0, own.log());
    connection.close();
    release();
  });

  await step('restarted on the same port, a client with an old session is told so', async () => {
    const first = await Gate.start(binary, config);
    const session = await Session.open(first);
    await first.end();
    const second = await Gate.start(binary, config, { args: ['--port', String(first.port)] });
    const answer = await session.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    assert.equal(answer.status, 404, answer.body);
    const fresh = await Session.open(second);
    assert.ok(responseOf(await fresh.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')).json.result);
    await second.end();
  });
}

await suite('operating the gateway', async ({ step, defer }) => {
  const upstream = await Upstream.start();
  defer(function upstreamEnds() { return upstream.stop(); });
  await commandLine(step);
  await running(step, upstream);
  await ending(step, upstream);
});
