// What real clients and servers did is recorded and replayed: other scripts of this folder run with gateways that
// record, and each recording has to come out equal, twice over. Then one is damaged, and one is asked what if.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { scratch } from '../../simulations/peers/gate.mjs';
import { suite } from './support/suite.mjs';

const [, , gate, sim] = process.argv;
const here = path.dirname(fileURLToPath(import.meta.url));

/** To search for the order of what happened at one moment is computing, eight times slower with a sanitizer: programs as they
 * are packaged live through all (`make test-simulations`), sanitized ones through a part that has each kind of peer and of task,
 * but neither the long scripts nor the thousands of requests of reloads. */
const sanitized = readFileSync(sim).includes('__asan_init');

/** What is lived through, `script` or `script:steps`: real servers and clients of all kinds, tokens, policy and tenants,
 * streams that are resumed, tasks, assertions, another document every few milliseconds. (What several units decide at one
 * moment, in whatever order, is not equal in each replay: `limits` is for looking.) */
const ALL = 'sdk_client,policy,resuming_upstream,tasks,enterprise,pairs,reload:reloads under load';
const SOME = 'sdk_client,policy,resuming_upstream,tasks:official,enterprise';
const SCRIPTS = (process.env.ONLY_SCRIPTS ?? (sanitized ? SOME : ALL)).split(',').map((one) => one.split(':'));

function run(command, args, env = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { out: '', err: '' };
    child.stdout.on('data', (bytes) => { said.out += bytes; });
    child.stderr.on('data', (bytes) => { said.err += bytes; });
    child.on('close', (code, signal) => done({ code, signal, ...said }));
  });
}

const replay = (...args) => run(sim, ['replay', ...args]);
const requestsIn = (file) => readFileSync(file, 'utf8').split('\n').filter((line) => line.includes('"e":"request"')).length;

await suite('recorded and replayed', async ({ step }) => {
  const all = [];
  /** Lives a script through and replays what was recorded; resolves with the recordings that did not come out equal. */
  const take = async (script, only, last) => {
    const folder = path.join(scratch(), last ? `${script}-again` : script);
    mkdirSync(folder);
    await step(`${script}: lived through, and recorded`, async () => {
      const { code, out, err } = await run(process.execPath, [path.join(here, `${script}.mjs`), gate], { GATE_RECORDINGS: folder, ONLY: only });
      assert.equal(code, 0, out.slice(-2000) + err.slice(-2000));
      assert.ok(readdirSync(folder).length > 0, 'no recording was made');
    }, 300_000);
    const unequal = [];
    for (const name of readdirSync(folder)) {
      const file = path.join(folder, name);
      all.push(file);
      await step(`${name}: ${requestsIn(file)} requests, equal when replayed, twice`, async () => {
        const [one, two] = [await replay(file, '--json'), await replay(file, '--json')];
        assert.ok(one.code === 0 || one.code === 1, one.err);
        assert.equal(one.out, two.out);
        const { requests, differ } = JSON.parse(one.out);
        if (one.code === 0) return assert.equal(differ, 0);
        const first = await replay(file);
        if (process.env.KEEP_DIFFERENCES) writeFileSync(path.join(process.env.KEEP_DIFFERENCES, name), readFileSync(file));
        const told = first.out.slice(0, 4000) + first.err;
        assert.ok(!last && first.code === 1 && differ <= requests / 100, told);
        console.log(`        not equal, so that ${script} is lived through once more:\n${told}`);
        unequal.push(name);
      }, 300_000);
    }
    return unequal;
  };

  // In which order a unit met what came to it at one moment is not recorded, and a replay tries only so many: on a machine
  // with other things to do a recording may be one in a hundred that does not come out. Not two in a row.
  for (const [script, only = ''] of SCRIPTS)
    if ((await take(script, only, false)).length > 0) assert.deepEqual(await take(script, only, true), []);

  const [file] = all;
  await step('what a replay says to people', async () => {
    const { code, out } = await replay(file);
    assert.ok(code === 0 ? / 0 differ/.test(out) : code === 1 && / [1-9]\d* differ/.test(out), out.slice(0, 4000));
  });

  const first = JSON.parse(readFileSync(file, 'utf8').split('\n', 1)[0]);
  const document = (more) => {
    const name = path.join(scratch(), 'what-if.json');
    writeFileSync(name, JSON.stringify({ ...first.config, ...more }));
    return name;
  };

  await step('what if: the same document changes nothing', async () => {
    const { code, out } = await replay(file, '--config', document({}), '--json');
    assert.equal(code, 0, out);
    assert.ok(JSON.parse(out).outcomes.every(({ recorded, replayed }) => recorded === replayed));
  });

  await step('what if: a policy that allows nothing refuses each call that was made', async () => {
    const { code, out } = await replay(file, '--config', document({ policy: { defaultDecision: 'deny', rules: [] } }), '--json');
    assert.equal(code, 1, out);
    const { outcomes } = JSON.parse(out);
    const denied = outcomes.filter(({ replayed }) => replayed === 'policy_denied');
    assert.ok(denied.reduce((sum, { count }) => sum + count, 0) > 20, out);
    const text = (await replay(file, '--config', document({ policy: { defaultDecision: 'deny', rules: [] } }))).out;
    assert.match(text, /ok +-> +policy_denied/);
    assert.match(text, /tools\/call \S+/);
  });

  await step('what if: a document that is none is told, with a pointer', async () => {
    const { code, err } = await replay(file, '--config', document({ policy: { rules: 7 } }));
    assert.equal(code, 2);
    assert.match(err, /\/policy\/rules/);
  });

  await step('a damaged recording is told by its line; one that is cut off can be used', async () => {
    const lines = readFileSync(file, 'utf8').split('\n');
    const broken = path.join(scratch(), 'broken.jsonl');
    writeFileSync(broken, [...lines.slice(0, 9), lines[9].slice(0, -5), ...lines.slice(10)].join('\n'));
    const damaged = await replay(broken);
    assert.equal(damaged.code, 2);
    assert.match(damaged.err, /line 10/);
    const cut = path.join(scratch(), 'cut.jsonl');
    writeFileSync(cut, lines.slice(0, Math.floor(lines.length / 2)).join('\n'));
    assert.notEqual((await replay(cut)).code, 2);
    assert.equal((await replay('/nonexistent')).code, 2);
  });
});
