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

/** What is lived through: every method, questions, streams that are resumed, tasks, tokens, policy, limits, reloads. */
const SCRIPTS = (process.env.ONLY_SCRIPTS ?? 'sdk_client,pairs,policy,tasks,resuming_upstream,reload,enterprise,limits').split(',');

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
  for (const script of SCRIPTS) {
    const folder = path.join(scratch(), script);
    mkdirSync(folder);
    await step(`${script}: lived through, and recorded`, async () => {
      const { code, out, err } = await run(process.execPath, [path.join(here, `${script}.mjs`), gate], { GATE_RECORDINGS: folder, ONLY: '' });
      assert.equal(code, 0, out.slice(-2000) + err.slice(-2000));
      assert.ok(readdirSync(folder).length > 0, 'no recording was made');
    }, 300_000);
    for (const name of readdirSync(folder)) {
      const file = path.join(folder, name);
      all.push(file);
      await step(`${name}: ${requestsIn(file)} requests, equal when replayed, twice`, async () => {
        const first = await replay(file);
        if (process.env.KEEP_DIFFERENCES && first.code !== 0) writeFileSync(path.join(process.env.KEEP_DIFFERENCES, name), readFileSync(file));
        assert.equal(first.code, 0, first.out.slice(0, 4000) + first.err);
        assert.match(first.out, / 0 differ/);
        const [one, two] = [await replay(file, '--json'), await replay(file, '--json')];
        assert.equal(one.out, two.out);
      }, 120_000);
    }
  }
});
