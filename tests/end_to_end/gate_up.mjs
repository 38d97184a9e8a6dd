// gate-up as a new user meets it: files of clients in, one endpoint out; what fails says why; what dies comes
// again, what changes is taken, and nothing is left in the end. Arguments: gate, gate-up (gate-stdio beside them).
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Child, runToEnd } from '../../simulations/peers/process.mjs';
import { below, left } from '../../simulations/peers/shim.mjs';
import { Upstream, deadPort } from '../../simulations/peers/upstream.mjs';
import { until, within } from '../../simulations/peers/waiting.mjs';
import { packageFile, requirePackages } from './support/everything.mjs';
import { textOf, transportTo } from './support/sdk.mjs';
import { suite } from './support/suite.mjs';

requirePackages('server-filesystem', 'server-memory');
const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
const [gate, gateUp] = process.argv.slice(2).map((file) => path.resolve(file));
const node = process.execPath;

/** A home and a folder to work in, both empty. */
const place = mkdtempSync(path.join(tmpdir(), 'gate-up-test-'));
const home = path.join(place, 'home');
const work = path.join(place, 'work');
const temporary = path.join(place, 'tmp');
for (const folder of [home, work, temporary]) mkdirSync(folder);
const environment = (more = {}) => ({ PATH: process.env.PATH, HOME: home, TMPDIR: temporary, ...more });

const write = (name, content) => {
  const file = path.join(work, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};
const everything = (env = {}) => ({ command: node, args: [packageFile('server-everything', 'dist/index.js'), 'stdio'], env });
const files = () => ({ command: node, args: [packageFile('server-filesystem', 'dist/index.js'), work] });
const memory = () => ({ command: node, args: [packageFile('server-memory', 'dist/index.js')],
  env: { MEMORY_FILE_PATH: path.join(place, 'memory.jsonl') } });

class Up extends Child {
  static async start(args, { env = {}, cwd = work } = {}) {
    const up = new this(gateUp, ['--port', '0', ...args], { name: 'gate-up', env: environment(env), cwd });
    await up.table();
    return up;
  }

  /** Waits for what is printed when all is up, for the nth time. */
  async table(times = 1) {
    const found = () => this.out.filter((line) => /^All of them are at$/.test(line)).length >= times;
    await until(() => found() || this.ended, 'gate-up to print its table');
    assert.ok(found(), this.log());
    await until(() => this.out.at(-1)?.startsWith('In a browser'), 'all of it');
    this.url = this.out.findLast((line) => /^ {4}http:\S+\/mcp$/.test(line)).trim();
    this.processes = below(this.process.pid);
  }

  row(name) {
    return this.out.findLast((line) => line.startsWith(`    ${name} `));
  }

  async client() {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transportTo(this.url).transport);
    return client;
  }
}

const call = async (client, name, args = {}) => textOf(await client.callTool({ name, arguments: args }));
const leftOf = (processes) => until(() => !left(processes).length, 'all processes to end');

await suite('gate-up', async ({ step, defer }) => {
  defer(function folders() {
    rmSync(place, { recursive: true, force: true });
  });

  await step('three servers of mcp.json and one by its address, which is shown its token', async () => {
    const upstream = await Upstream.start();
    write('hello.txt', 'Hello.');
    const file = write('mcp.json', { mcpServers: {
      Everything: everything({ TOKEN: 'of-everything' }), files: files(), memory: memory(),
      Remote: { type: 'http', url: `http://127.0.0.1:${upstream.port}/mcp`, headers: { Authorization: 'Bearer ${REMOTE}' } },
    } });
    const up = await Up.start([file], { env: { REMOTE: 's3cr3t-of-remote', OTHER: 'not-for-servers' } });
    assert.match(up.row('everything'), / \d+ tools +echo, /);
    for (const name of ['files', 'memory', 'remote']) assert.match(up.row(name), / \d+ tools? /);
    const client = await up.client();
    assert.equal(await call(client, 'everything__echo', { message: 'hi' }), 'Echo: hi');
    assert.equal(await call(client, 'files__read_text_file', { path: path.join(work, 'hello.txt') }), 'Hello.');
    assert.ok((await call(client, 'memory__read_graph')).includes('entities'));
    // Exactly what its entry says, PATH and HOME: nothing of ours, nothing of another's.
    const seen = JSON.parse(await call(client, 'everything__get-env'));
    assert.deepEqual(Object.keys(seen).sort(), ['HOME', 'PATH', 'TOKEN']);
    assert.equal(seen.TOKEN, 'of-everything');
    assert.ok(upstream.calls.length);
    assert.ok(upstream.calls.every((one) => one.request.headers.authorization === 'Bearer s3cr3t-of-remote'));
    // The token is in no file and on no command line.
    const [folder] = readdirSync(temporary);
    for (const name of readdirSync(path.join(temporary, folder)))
      assert.ok(!readFileSync(path.join(temporary, folder, name), 'utf8').includes('s3cr3t'));
    for (const { pid } of up.processes)
      assert.ok(!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('s3cr3t'), `${pid}`);
    await client.close();
    assert.equal((await up.stop('SIGINT')).code, 0, up.log());
    assert.deepEqual(left(up.processes), []);
    assert.deepEqual(readdirSync(temporary), []);
    await upstream.stop();
  });

  await step('what can not be served says why, and the others are served', async () => {
    const file = write('mcp.json', { mcpServers: {
      good: everything(),
      nowhere: { command: 'mcp-server-nowhere' },
      dies: { command: 'sh', args: ['-c', 'echo "no display" >&2; exit 3'] },
      away: { url: `http://127.0.0.1:${await deadPort()}/mcp` },
      unset: { command: node, env: { KEY: '${NOT_SET_ANYWHERE}' } },
      old: { type: 'sse', url: 'http://127.0.0.1:1/sse' },
      'no-url': { url: 'not a url' },
    } });
    const up = await Up.start([file]);
    assert.match(up.row('good'), / 13 tools /);
    assert.match(up.row('nowhere'), /FAILED +can not execute the command "mcp-server-nowhere": No such file/);
    assert.match(up.row('dies'), /FAILED +it ended before it answered initialize \(exit code 3\)/);
    assert.ok(up.out.includes(' '.repeat(13) + '| no display'), up.log());
    assert.match(up.row('away'), /FAILED +connect failed/);
    assert.ok(up.out.some((line) => /left out: .*\/unset: the variable NOT_SET_ANYWHERE is not set/.test(line)), up.log());
    assert.ok(up.out.some((line) => /left out: .*\/old\/type: "sse" is the HTTP\+SSE transport/.test(line)), up.log());
    await up.stop();
    assert.deepEqual(left(up.processes), []);
  }, 200_000);

  await step('files that change are taken: a server more, another one less, and clients are told', async () => {
    const file = write('mcp.json', { mcpServers: { one: everything(), two: memory() } });
    const up = await Up.start([file]);
    const client = await up.client();
    const names = async () => new Set((await client.listTools()).tools.map(({ name }) => name.split('__')[0]));
    assert.deepEqual(await names(), new Set(['one', 'two']));
    writeFileSync(file, JSON.stringify({ mcpServers: { one: everything(), three: files() } }));
    await up.table(2);
    assert.ok(up.out.includes('The files have changed: two is gone. three is new.'), up.log());
    assert.match(up.row('three'), / 14 tools /);
    const rows = up.out.slice(up.out.indexOf('The files have changed: two is gone. three is new.'));
    assert.ok(!rows.some((line) => line.startsWith('    two ')), up.log());
    await until(async () => (await names()).has('three'), 'the new one to be listed');
    assert.deepEqual(await names(), new Set(['one', 'three']));
    // What is no longer good changes nothing.
    writeFileSync(file, '{');
    await until(() => up.out.some((line) => /what was read before holds: .*no JSON/.test(line)), 'it to be told');
    assert.equal(await call(client, 'one__echo', { message: 'still' }), 'Echo: still');
    await client.close();
    await up.stop();
    assert.deepEqual(left(up.processes), []);
  });

  await step('what dies is started again, where it was', async () => {
    const file = write('mcp.json', { mcpServers: { one: everything() } });
    const up = await Up.start([file]);
    const pidOf = (name) => below(up.process.pid).find((each) => each.name === name && each.parent === up.process.pid)?.pid;
    for (const name of ['gate-stdio', 'gate']) {
      const before = pidOf(name);
      process.kill(before, 'SIGKILL');
      await until(() => pidOf(name) && pidOf(name) !== before, `${name} to be there again`);
    }
    const client = await until(async () => up.client().catch(() => null), 'the gateway to answer');
    await until(async () => (await call(client, 'one__echo', { message: 'again' }).catch(() => '')) === 'Echo: again', 'the call');
    assert.ok(up.out.some((line) => /one does not run: its gate-stdio: it was ended by signal 9/.test(line)), up.log());
    assert.ok(up.out.some((line) => /^The gateway has ended \(it was ended by signal 9\)/.test(line)), up.log());
    await client.close();
    up.processes = below(up.process.pid);
    up.signal('SIGKILL');
    await up.exit;
    await leftOf(up.processes);
  });

  await step('without a file it finds one; without any it says where it looked', async () => {
    rmSync(path.join(work, 'mcp.json'), { force: true });
    const none = await runToEnd(gateUp, [], { env: environment(), cwd: work });
    assert.equal(none.code, 1);
    assert.match(none.err, /no file with MCP servers was given.*\n.*\/work\/mcp\.json\n/);
    assert.match(none.err, /\.claude\.json/);
    writeFileSync(path.join(home, '.claude.json'), JSON.stringify({ mcpServers: { there: everything() } }));
    const up = await Up.start([]);
    assert.match(up.out[0], /^Serving the MCP servers of .*\/\.claude\.json$/);
    assert.match(up.row('there'), / tools /);
    // Closing the terminal ends it.
    assert.equal((await up.stop('SIGHUP')).code, 0, up.log());
    assert.deepEqual(left(up.processes), []);
    // What lies where one works may be somebody else's: it is shown, and not started unasked.
    write('.cursor/mcp.json', { mcpServers: { here: { command: 'touch', args: [path.join(place, 'touched')] } } });
    const unasked = await runToEnd(gateUp, [], { env: environment(), cwd: work });
    assert.equal(unasked.code, 1);
    assert.match(unasked.err, /name the file if its servers are to be started: gate-up .*\/\.cursor\/mcp\.json/);
    assert.ok(!existsSync(path.join(place, 'touched')));
    rmSync(path.join(work, '.cursor'), { recursive: true });
  });

  await step('mistakes: files, ports, options', async () => {
    const run = (...args) => runToEnd(gateUp, args, { env: environment(), cwd: work });
    const bad = write('bad.json', '{"mcpServers": }');
    const is = async (args, code, words) => {
      const { code: seen, err, out } = await run(...args);
      assert.equal(seen, code, `${args}: ${err}${out}`);
      assert.match(err + out, words);
    };
    await is([bad], 1, /bad\.json: no JSON: .*line 1/);
    await is(['none.json'], 1, /none\.json: No such file/);
    await is([work], 1, /not a regular file|Is a directory/);
    await is([write('empty.json', { mcpServers: {} })], 1, /no server is left/);
    await is(['--prot', '1'], 2, /did you mean --port/);
    await is(['--client', 'emacs'], 2, /expected one of claude, cursor, vscode, codex/);
    await is(['--client', 'cursor', '--port', '0'], 2, /has to name a port/);
    const taken = await Upstream.start();
    const file = write('one.json', { mcpServers: { one: everything() } });
    await is(['--port', String(taken.port), file], 1, /The gateway did not start: .*\n.*can not listen on 127\.0\.0\.1:\d+: the address is in use by node \(process \d+\)/);
    await taken.stop();
  });

  await step('--write leaves documents, units and secrets in a folder', async () => {
    const file = write('mcp.json', { mcpServers: { one: everything({ KEY: 'k3y-of-one' }),
      far: { url: 'https://far.example/mcp', headers: { 'X-Api-Key': 'k3y-of-far' } } } });
    const done = await runToEnd(gateUp, ['--write', 'units', '--port', '8123', file], { env: environment(), cwd: work });
    assert.equal(done.code, 0, done.err);
    const folder = path.join(work, 'units');
    assert.deepEqual(readdirSync(folder).sort(),
      ['gate-stdio-one.env', 'gate-stdio-one.service', 'gate.env', 'gate.json', 'gate.service']);
    for (const name of readdirSync(folder)) {
      assert.equal(statSync(path.join(folder, name)).mode & 0o77, 0, name);
      assert.equal(/k3y-of/.test(readFileSync(path.join(folder, name), 'utf8')), name.endsWith('.env'), name);
    }
    const checked = await runToEnd(gate, ['--validate', '--config', path.join(folder, 'gate.json')]);
    assert.equal(checked.code, 0, checked.err);
    const again = await runToEnd(gateUp, ['--write', 'units', file], { env: environment(), cwd: work });
    assert.equal(again.code, 1);
    assert.match(again.err, /there is a .* already, and nothing is replaced/);
  });

  // `script` (util-linux) is a terminal for it.
  const onTerminal = (args, input) =>
    execFileSync('script', ['-qec', [gateUp, ...args].map((word) => `'${word}'`).join(' '), '/dev/null'],
      { input, env: environment(), cwd: work, encoding: 'utf8' });

  await step('--client prints an entry, and writes it if it is told to, with a copy of what was there', async () => {
    const before = { mcpServers: { mine: { command: 'x' } } };
    const file = write('.cursor/mcp.json', before);
    const printed = await runToEnd(gateUp, ['--client', 'cursor'], { env: environment(), cwd: work });
    assert.equal(printed.code, 0);
    assert.match(printed.out, /"gate":\{"url":"http:\/\/127\.0\.0\.1:8080\/mcp"\}/);
    onTerminal(['--client', 'cursor'], 'n\n');
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), before);
    onTerminal(['--client', 'cursor'], 'y\n');
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')),
      { mcpServers: { mine: { command: 'x' }, gate: { url: 'http://127.0.0.1:8080/mcp' } } });
    assert.deepEqual(JSON.parse(readFileSync(`${file}.before-gate`, 'utf8')), before);
    onTerminal(['--client', 'codex'], 'y\n');
    assert.equal(readFileSync(path.join(home, '.codex/config.toml'), 'utf8'),
      '[mcp_servers.gate]\nurl = "http://127.0.0.1:8080/mcp"\n');
    rmSync(path.join(work, '.cursor'), { recursive: true });
  });

  await step('inputs of VS Code are asked for on a terminal, and secrets are not shown', async () => {
    const file = write('.vscode/mcp.json', `{
      // asked for once
      "inputs": [{"type": "promptString", "id": "key", "description": "The key", "password": true}],
      "servers": {"one": {"command": ${JSON.stringify(node)}, "args": ${JSON.stringify(everything().args)},
                          "env": {"KEY": "\${input:key}"}},},
    }`);
    const alone = await runToEnd(gateUp, [file], { env: environment(), cwd: work });
    assert.equal(alone.code, 1);
    assert.match(alone.err, /nobody has answered what the file asks for as "key": start gate-up on a terminal/);
    const folder = path.join(work, 'asked');
    const shown = onTerminal(['--write', folder, file], 'k3y\n');
    assert.match(shown, /The key: /);
    assert.ok(readFileSync(path.join(folder, 'gate-stdio-one.env'), 'utf8').includes('KEY="k3y"'));
  });
});
