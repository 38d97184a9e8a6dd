// `make run-hooks` without its build: what it prints is true, deliveries fail and are tried again before one's eyes, and
// nothing is left of all that, however it ends. Arguments: gate-hooks.
import assert from 'node:assert/strict';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from '../../simulations/peers/gate.mjs';
import { Child, runToEnd } from '../../simulations/peers/process.mjs';
import { below, left } from '../../simulations/peers/shim.mjs';
import { until, within } from '../../simulations/peers/waiting.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const folder = path.dirname(path.resolve(gateBinary()));

class Run extends Child {
  /** A process group of its own, so that a signal can reach all of it, as that of a terminal does. */
  static async start() {
    const env = cleanEnvironment({ GATE_BIN: folder, GATE_PORT: '0', HOOKS_PAUSE_MS: '50' });
    const run = new this('setsid', [path.join(root, 'scripts/run-hooks')], { name: 'make run-hooks', env });
    await run.prints(/receivers +ready/);
    run.all = below(run.process.pid);
    return run;
  }

  async prints(pattern) {
    const find = () => this.out.map((line) => line.match(pattern)).find(Boolean);
    await until(() => find() || this.ended, `it to print ${pattern}`);
    const found = find();
    assert.ok(found, this.log());
    return found;
  }
}

const ended = (run) => within(run.exit, 'make run-hooks to end');

await suite('make run-hooks', async ({ step }) => {
  await step('what happens is printed: successes, failures, 410, dead letters; Ctrl-C ends all', async () => {
    const run = await Run.start();
    for (const name of ['gate-hooks', 'node']) assert.ok(run.all.some((each) => each.name === name), name);
    await run.prints(/steady +deploy\.success evt_\S+, attempt 1: signature is good, answers 204/);
    await run.prints(/steady +\S+ evt_\S+, attempt 2: signature is good/);
    await run.prints(/busy +deploy\.\S+ evt_\S+, attempt 1: signature is good, answers 503/);
    await run.prints(/leaving +is disabled \(gone\)/);
    await run.prints(/broken +activation\.error is a dead letter: /);

    // What people are told to paste.
    const from = run.out.findIndex((line) => /^ +url=http/.test(line));
    const lines = run.out.slice(from, from + 5).map((line) => line.trim());
    const { code, out, err } = await runToEnd('bash', ['-ec', lines.join('\n')]);
    assert.equal(code, 0, err);
    const [hooks, accepted, stats] = out.trim().split('\n').map((line) => JSON.parse(line));
    assert.equal(hooks.webhooks.length, 4);
    assert.ok(accepted.deliveries >= 2 && stats.total >= 1);

    process.kill(-run.process.pid, 'SIGINT');
    assert.equal((await ended(run)).code, 0, run.log());
    assert.deepEqual(left(run.all), []);
  });

  await step('SIGKILL of the script leaves nothing', async () => {
    const run = await Run.start();
    run.signal('SIGKILL');
    await ended(run);
    await until(() => left(run.all).length === 0, 'everything to be gone');
  });

  await step('a service that is killed ends all', async () => {
    const run = await Run.start();
    process.kill(run.all.find(({ name }) => name === 'gate-hooks').pid, 'SIGKILL');
    assert.equal((await ended(run)).code, 1, run.log());
    assert.match(run.err.join('\n'), /make run-hooks: gate-hooks ended by itself|ended by itself/);
    await until(() => left(run.all).length === 0, 'everything to be gone');
  });
});
