// `make run-fleet` without its build: two instances, their store, nginx before them and clients that call;
// that calls go on when one instance is killed, and that nothing is left of all that, however it ends.
// Arguments: gate.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from '../../simulations/peers/gate.mjs';
import { Child } from '../../simulations/peers/process.mjs';
import { below, left } from '../../simulations/peers/shim.mjs';
import { StatelessClient } from '../../simulations/peers/stateless_client.mjs';
import { until, within } from '../../simulations/peers/waiting.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const folder = path.dirname(path.resolve(gateBinary()));

if (!existsSync(path.join(root, 'build/npm/node_modules'))) {
  console.error('FAIL: the packages of `make run-fleet` are not installed; run `make test`, or');
  console.error('`scripts/npm-deps scripts/servers build/npm`');
  process.exit(1);
}

class Fleet extends Child {
  /** A process group of its own, so that a signal can reach all of it, as that of a terminal does. */
  static async start() {
    const env = cleanEnvironment({ GATE_BIN: folder, GATE_PORT: '0', FLEET_PAUSE_MS: '50' });
    const fleet = new this('setsid', [path.join(root, 'scripts/run-fleet')], { name: 'make run-fleet', env });
    const find = (pattern) => fleet.out.map((line) => line.match(pattern)).find(Boolean);
    await until(() => find(/kill -9/) || fleet.ended, 'it to say what to do', 90_000);
    assert.ok(find(/kill -9/), `it ended: ${fleet.log()}`);
    const [, port, at] = find(/^ +http:\/\/127\.0\.0\.1:(\d+)(\/mcp)$/);
    const [, one, , two] = find(/^gate 1 is process (\d+) at (\S+), gate 2 is process (\d+) at/);
    return Object.assign(fleet, { port: Number(port), path: at, gates: [Number(one), Number(two)] });
  }

  /** Lines of this client that match, from line `from` on. */
  seen(title, pattern, from = 0) {
    return this.out.slice(from).filter((line) => line.startsWith(title) && pattern.test(line));
  }

  /** Calls pass at these instances. Then every process there is below it. */
  async used(instances, from = 0) {
    for (const number of instances)
      await until(() => this.seen('stateless', new RegExp(`gate ${number}  ok: note://hello`), from).length >= 2 || this.ended,
        `calls to pass at gate ${number}`, 30_000);
    assert.ok(!this.ended, this.log());
    return below(this.process.pid);
  }
}

const ended = (fleet) => within(fleet.exit, 'make run-fleet to end', 60_000);
const nothingLeft = (all) => until(() => left(all).length === 0, 'everything to be gone', 30_000);

await suite('make run-fleet', async ({ step }) => {
  await step('calls pass at both instances, and SIGTERM leaves nothing', async () => {
    const fleet = await Fleet.start();
    const all = await fleet.used([1, 2]);
    const names = all.map(({ name }) => name);
    for (const [name, count] of [['gate', 2], ['redis-server', 1], ['nginx', 2], ['node', 2]])
      assert.ok(names.filter((one) => one === name).length >= count, `${name}: ${names}`);
    await until(() => [1, 2].every((n) => fleet.seen('session', new RegExp(`gate ${n}  ok: `)).length), 'the session to be used at both');
    assert.deepEqual(fleet.seen('', / failed: /), []);
    const client = new StatelessClient(fleet);
    assert.equal((await client.call('notes__find_notes', { words: 'hello' })).result?.content[0].text, 'note://hello');
    fleet.signal('SIGTERM');
    assert.equal((await ended(fleet)).code, 0, fleet.log());
    assert.deepEqual(left(all), []);
  });

  await step('one instance is killed: calls go on at the other one; Ctrl-C ends the rest', async () => {
    const fleet = await Fleet.start();
    const all = await fleet.used([1, 2]);
    process.kill(fleet.gates[0], 'SIGKILL');
    await until(() => fleet.out.some((line) => /^gate 1 has ended/.test(line)), 'it to be told');
    const from = fleet.out.length;
    await fleet.used([2], from);
    // Calls come one after another, so only the first that ends now can have begun before.
    const [, ...begunLater] = fleet.seen('', / #\d+ /, from);
    assert.deepEqual(begunLater.filter((line) => /gate 1 /.test(line)), []);
    assert.equal(fleet.err.join('\n'), '');
    process.kill(-fleet.process.pid, 'SIGINT');
    assert.equal((await ended(fleet)).code, 0, fleet.log());
    assert.deepEqual(left(all), []);
  });

  await step('SIGKILL of the script', async () => {
    const fleet = await Fleet.start();
    const all = await fleet.used([1, 2]);
    fleet.signal('SIGKILL');
    await ended(fleet);
    await nothingLeft(all);
  });

  await step('a store that is killed ends all the others', async () => {
    const fleet = await Fleet.start();
    const all = await fleet.used([1, 2]);
    process.kill(all.find(({ name }) => name === 'redis-server').pid, 'SIGKILL');
    assert.equal((await ended(fleet)).code, 1, fleet.log());
    assert.match(fleet.err.join('\n'), /make run-fleet: redis ended by itself/);
    await nothingLeft(all);
  });

  await step('the example document is what it runs, but for the address of its server', () => {
    const read = (file) => JSON.parse(readFileSync(path.join(root, file), 'utf8'));
    const [example, ran] = [read('config/examples/fleet/gate.json'), read('build/fleet/gate.json')];
    assert.notEqual(ran.upstreams[0].url, example.upstreams[0].url);
    ran.upstreams[0].url = example.upstreams[0].url;
    assert.deepEqual(ran, example);
  });
});
