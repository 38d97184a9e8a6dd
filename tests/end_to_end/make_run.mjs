// `make run` without its build: two real stdio servers behind gate-stdio and gate in front of them, and that
// nothing is left of all that, however it ends. Arguments: gate; gate-stdio is beside it.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from '../../simulations/peers/gate.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { Child } from '../../simulations/peers/process.mjs';
import { below, left } from '../../simulations/peers/shim.mjs';
import { until, within } from '../../simulations/peers/waiting.mjs';
import { gateBinary, suite } from './support/suite.mjs';

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
    await until(() => find() || run.ended, 'the endpoint to be printed', 90_000);
    assert.ok(find(), `it ended: ${run.log()}`);
    const [, url, port, at] = find();
    return Object.assign(run, { url, port: Number(port), path: at });
  }

  /** Calls a tool of each server; then every process there is below it. */
  async used() {
    const session = await Session.open(this);
    const text = async (name, args) => (await session.call(name, args)).result?.content?.[0]?.text;
    assert.equal(await text('everything__echo', { message: 'hi' }), 'Echo: hi');
    const [, allowed] = (await text('files__list_allowed_directories', {})).split('\n');
    assert.match(await text('files__read_text_file', { path: `${allowed}/hello.txt` }), /Hello from a file/);
    const all = below(this.process.pid);
    const names = all.map(({ name }) => name);
    for (const [name, count] of [['gate', 1], ['gate-stdio', 2], ['gate-keeper', 2], ['gate-warden', 2], ['node', 2]])
      assert.ok(names.filter((one) => one === name).length >= count, `${name}: ${names}`);
    return all;
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

  await step('a shim that is killed ends all the others', async () => {
    const run = await Run.start();
    const all = await run.used();
    process.kill(all.find(({ name }) => name === 'gate-stdio').pid, 'SIGKILL');
    assert.equal((await ended(run)).code, 1, run.log());
    assert.match(run.err.join('\n'), /make run: (everything|files) ended by itself/);
    await nothingLeft(all);
  });
});
