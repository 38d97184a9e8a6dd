// `make run` without its build: real servers of both generations, and gate-up that puts those of standard input
// and output behind gate-stdio, and gate in front of them; that what it prints to be pasted works and is what the README shows;
// and that nothing is left of all that, however it ends. Arguments: gate; gate-stdio and gate-up are beside it.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from '../../simulations/peers/gate.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { Child, runToEnd } from '../../simulations/peers/process.mjs';
import { below, left } from '../../simulations/peers/shim.mjs';
import { StatelessClient } from '../../simulations/peers/stateless_client.mjs';
import { until, within } from '../../simulations/peers/waiting.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const SHOWN_URL = 'http://127.0.0.1:8080/mcp';
const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const folder = path.dirname(path.resolve(gateBinary()));

if (!existsSync(path.join(root, 'build/npm/node_modules'))) {
  console.error('FAIL: the servers of `make run` are not installed; run `make test`, or');
  console.error('`scripts/npm-deps scripts/servers build/npm`');
  process.exit(1);
}

class Run extends Child {
  /** A process group of its own, so that a signal can reach all of it, as that of a terminal does. */
  static async start() {
    const env = cleanEnvironment({ GATE_BIN: folder, GATE_PORT: '0' });
    const run = new this('setsid', [path.join(root, 'scripts/run')], { name: 'make run', env });
    const find = () => run.out.map((line) => line.match(/^ +(http:\/\/127\.0\.0\.1:(\d+)(\/mcp))$/)).find(Boolean);
    await until(() => run.out.some((line) => line.endsWith('Ctrl-C ends everything.') && line.startsWith('http')) || run.ended, 'all to be printed', 90_000);
    assert.ok(find(), `it ended: ${run.log()}`);
    const [, url, port, at] = find();
    return Object.assign(run, { url, port: Number(port), path: at });
  }

  /** Calls a tool of each server, as clients of both generations; then every process there is below it. */
  async used() {
    for (const client of [await Session.open(this), new StatelessClient(this)]) {
      const text = async (name, args) => (await client.call(name, args)).result?.content?.[0]?.text;
      assert.equal(await text('everything__echo', { message: 'hi' }), 'Echo: hi');
      const [, allowed] = (await text('files__list_allowed_directories', {})).split('\n');
      assert.match(await text('files__read_text_file', { path: `${allowed}/hello.txt` }), /Hello from a file/);
      assert.equal(await text('notes__find_notes', { words: 'from a NOTE' }), 'note://hello');
    }
    const all = below(this.process.pid);
    const names = all.map(({ name }) => name);
    for (const [name, count] of [['gate', 1], ['gate-stdio', 2], ['gate-keeper', 2], ['gate-warden', 2], ['node', 3]])
      assert.ok(names.filter((one) => one === name).length >= count, `${name}: ${names}`);
    return all;
  }

  /** The lines of shell that it prints to be pasted. */
  pasted() {
    const shell = this.out.filter((line) => /^ {4}(url=|json=|session=|curl )/.test(line)).map((line) => line.trim());
    assert.equal(shell.length, 6, this.out.join('\n'));
    return shell;
  }
}

const ended = (run) => within(run.exit, 'make run to end', 60_000);
const nothingLeft = (all) => until(() => left(all).length === 0, 'everything to be gone', 30_000);

await suite('make run', async ({ step }) => {
  await step('SIGTERM', async () => {
    const run = await Run.start();
    const all = await run.used();
    run.signal('SIGTERM');
    assert.equal((await ended(run)).code, 0, run.log());
    assert.deepEqual(left(all), []);
  });

  await step('what it prints to be pasted works, and is what the README shows', async () => {
    const run = await Run.start();
    const shell = run.pasted();
    const shown = readFileSync(path.join(root, 'README.md'), 'utf8').split('\n');
    for (const line of shell) assert.ok(shown.includes(line.replace(run.url, SHOWN_URL)), `not in the README: ${line}`);
    const { code, out, err } = await runToEnd('bash', ['-c', shell.join('\n')]);
    assert.equal(code, 0, err);
    const answers = out.split('\n').map((line) => line.replace(/^data: ?/, '')).filter((line) => line.startsWith('{')).map((text) => JSON.parse(text));
    const [{ result: list }, { result: echo }, { result: found }, ...more] = answers;
    assert.deepEqual(more, []);
    for (const name of ['everything__echo', 'files__read_text_file', 'notes__write_note'])
      assert.ok(list.tools.some((tool) => tool.name === name), name);
    assert.equal(echo.content[0].text, 'Echo: hello');
    assert.ok(!('resultType' in echo), 'that was a session');
    assert.deepEqual([found.resultType, found.content[0].text], ['complete', 'note://hello']);
    const [page] = run.out.map((line) => line.match(/(http:\S+\/console\/)\./)).filter(Boolean);
    assert.match(await (await fetch(page[1])).text(), /<title>gate<\/title>/);
    run.signal('SIGTERM');
    assert.equal((await ended(run)).code, 0, run.log());
  });

  await step('a client of either generation hears what another one writes', async () => {
    const run = await Run.start();
    const client = new StatelessClient(run);
    const name = `test-${process.pid}`;
    const uri = `note://${name}`;
    const write = (text) => client.call('notes__write_note', { name, text });
    const stream = await client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] });
    const session = await Session.open(run);
    assert.equal((await write('one')).result?.content[0].text, `wrote ${uri}`);
    await stream.until(({ method }) => method === 'notifications/resources/list_changed', 'the new note');
    const { items } = await session.list('resources/list', 'resources');
    assert.ok(items.some((item) => item.uri === uri), JSON.stringify(items));
    await write('two');
    await stream.until(({ method, params }) => method === 'notifications/resources/updated' && params.uri === uri, 'its change');
    assert.equal((await session.request('resources/read', { uri })).result?.contents[0].text, 'two');
    const { messages } = (await session.request('prompts/get', { name: 'notes__summarize', arguments: { name } })).result;
    assert.match(messages[0].content.text, /two$/);
    rmSync(path.join(root, 'build/run/notes', `${name}.md`));
    run.signal('SIGTERM');
    assert.equal((await ended(run)).code, 0, run.log());
  });

  await step('Ctrl-C: SIGINT to the whole process group', async () => {
    const run = await Run.start();
    const all = await run.used();
    process.kill(-run.process.pid, 'SIGINT');
    assert.equal((await ended(run)).code, 0, run.log());
    assert.deepEqual(left(all), []);
  });

  await step('SIGKILL of the script', async () => {
    const run = await Run.start();
    const all = await run.used();
    run.signal('SIGKILL');
    await ended(run);
    await nothingLeft(all);
  });

  await step('a shim that is killed is there again', async () => {
    const run = await Run.start();
    const shims = () => below(run.process.pid).filter(({ name }) => name === 'gate-stdio').map(({ pid }) => pid);
    const before = shims();
    process.kill(before[0], 'SIGKILL');
    await until(() => shims().length === 2 && !shims().includes(before[0]), 'another one');
    const used = () => run.used().then(() => true, () => false);
    await until(used, 'all servers to answer');
    run.signal('SIGTERM');
    assert.equal((await ended(run)).code, 0, run.log());
  });

  // Of the processes of node only the server of notes is a child of the script itself.
  for (const [what, victim, said] of [
    ['gate-up', ({ name }) => name === 'gate-up', /make run: up ended by itself/],
    ['the server of notes', ({ name, parent }, run) => name === 'node' && parent === run.process.pid, /make run: notes ended by itself/],
  ])
    await step(`${what} that is killed ends all the others`, async () => {
      const run = await Run.start();
      const all = await run.used();
      process.kill(all.find((one) => victim(one, run)).pid, 'SIGKILL');
      assert.equal((await ended(run)).code, 1, run.log());
      assert.match(run.err.join('\n'), said);
      await nothingLeft(all);
    });
});
