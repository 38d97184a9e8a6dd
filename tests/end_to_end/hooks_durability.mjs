// What gate-hooks has accepted survives it: killed at random instants under load, started again, and at the end every
// event that was answered with 202 is delivered, or a dead letter. HOOKS_KILLS=200 kills it so often (20 unless told).
// Arguments: gate-hooks.
import assert from 'node:assert/strict';
import { chmodSync, chownSync, copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { scratch } from '../../simulations/peers/gate.mjs';
import { EVENTS, Hooks, TOKEN } from '../../simulations/peers/hooks.mjs';
import { runToEnd } from '../../simulations/peers/process.mjs';
import { sleep, until } from '../../simulations/peers/waiting.mjs';
import { WebhookReceiver } from '../../simulations/peers/webhook_receiver.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const KILLS = Number(process.env.HOOKS_KILLS ?? 20);
const ROUND_MS = 60_000;
/** Of one webhook at a time; of those the end may not have been written down when it is killed. */
const IN_FLIGHT = 8;
const WRITERS = 4;
const BATCH = 20;

/** Deterministic: a failure can be had again with HOOKS_SEED. */
const seed = Number(process.env.HOOKS_SEED ?? Date.now() % 1_000_000);
function chance(of) {
  let state = of;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}

/** Posts events until the service is gone: those that were accepted are in `accepted`. */
async function load(hooks, accepted, random) {
  const writer = async () => {
    for (let n = 0; ; n += 1) {
      const many = random() < 0.4;
      const one = () => ({ type: EVENTS[Math.floor(random() * EVENTS.length)], data: { n, at: Date.now() } });
      try {
        const answer = await hooks.ask('POST', '/events', many ? Array.from({ length: BATCH }, one) : one());
        if (answer.status === 202) for (const { id } of [answer.json].flat()) accepted.add(id);
        else if (answer.status !== 503) throw new assert.AssertionError({ message: `${answer.status}: ${answer.text}` });
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        return; // it has been killed
      }
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

function tally(ids) {
  const out = new Map();
  for (const id of ids) out.set(id, (out.get(id) ?? 0) + 1);
  return out;
}

async function killings({ step }) {
  await step(`killed ${KILLS} times under load, it loses nothing and repeats only what was in flight`, async () => {
    console.log(`        HOOKS_SEED=${seed}`);
    const random = chance(seed);
    const [good, bad] = [await WebhookReceiver.start(), await WebhookReceiver.start()];
    // Fails the first time it sees a delivery, so that retries are under way when it is killed.
    const seen = new Set();
    good.answer = (request, response) => {
      const id = request.headers['x-gate-delivery'];
      const status = seen.has(id) || id.charCodeAt(29) % 4 ? 204 : 500;
      seen.add(id);
      response.writeHead(status).end();
      if (status === 204) done.push(request.headers['webhook-id']);
    };
    const done = [];
    bad.says(500);
    const args = ['--schedule', '0,0,1'];
    let hooks = await Hooks.start(binary, { args });
    const { file } = hooks;
    const hook = await hooks.webhook(good.hook, { events: ['*'] });
    const broken = await hooks.webhook(bad.hook, { event: 'deploy.failed' });
    const accepted = new Set();
    for (let round = 0; round < KILLS; round += 1) {
      const writing = load(hooks, accepted, random);
      await sleep(20 + random() * 300); // the instant is what is random
      hooks.signal('SIGKILL');
      await hooks.exit;
      await writing;
      hooks = await Hooks.start(binary, { file, args });
    }
    await until(async () => {
      const { json } = await hooks.health();
      return json.deliveries && json.deliveries.pending + json.deliveries.delivering + json.deliveries.failed === 0;
    }, 'everything to be over', 10 * ROUND_MS);

    const times = tally(done);
    const dead = new Set((await hooks.deadLetters()).filter(({ webhook_id: of }) => of === hook.id).map(({ event_id: id }) => id));
    const lost = [...accepted].filter((id) => !times.has(id) && !dead.has(id));
    assert.deepEqual(lost, [], `${lost.length} of ${accepted.size} are lost`);
    const repeated = [...times.values()].reduce((sum, n) => sum + n - 1, 0);
    console.log(`        ${accepted.size} accepted, ${times.size} delivered, ${repeated} repeated, ${dead.size} dead`);
    assert.ok(accepted.size > 100, 'there was load');
    assert.ok(repeated <= KILLS * IN_FLIGHT, `${repeated} repeated in ${KILLS} rounds`);
    // What was not answered may be there as well, whole or not at all; what was, once for each webhook.
    const brokenOnes = await hooks.all(`/webhooks/${broken.id}/deliveries`, 'deliveries');
    assert.ok(brokenOnes.every(({ status }) => status === 'dead'), 'those of the broken one are dead letters');
    assert.equal(new Set(brokenOnes.map(({ event_id: id }) => id)).size, brokenOnes.length, 'one delivery for each event');
    await hooks.end();
    await Promise.all([good.stop(), bad.stop()]);
  }, (KILLS + 20) * ROUND_MS);
}

async function endings({ step }) {
  await step('SIGTERM: attempts that run are waited for, what is unfinished is due again at once', async () => {
    const receiver = await WebhookReceiver.start();
    const held = [];
    receiver.answer = (_, response) => held.push(response);
    const hooks = await Hooks.start(binary, { args: ['--schedule', '0,600'] });
    const hook = await hooks.webhook(receiver.hook, { events: ['*'] });
    await hooks.wants(202, 'POST', '/events', Array.from({ length: 20 }, (_, n) => ({ type: 'deploy.success', data: n })));
    await until(() => held.length === IN_FLIGHT, 'eight attempts to run');
    hooks.signal('SIGTERM');
    await until(() => hooks.err.some((line) => /ending|signal|shutting|stopp/i.test(line)) || hooks.ended, 'it to hear of the signal');
    for (const response of held) response.writeHead(204).end();
    const { code } = await hooks.exit;
    assert.equal(code, 0, hooks.log());
    assert.equal(receiver.requests, IN_FLIGHT, 'no new attempt');
    receiver.says(204);
    const again = await Hooks.start(binary, { file: hooks.file, args: ['--schedule', '0,600'] });
    await again.become(hook.id, 'succeeded', 20);
    assert.equal(receiver.requests, 20, 'those that were answered are not made again');
    await again.end();
    await receiver.stop();
  });

  await step('SIGTERM while a receiver hangs ends within its time; the attempt is made again after the start', async () => {
    const receiver = await WebhookReceiver.start();
    receiver.answer = () => {};
    const hooks = await Hooks.start(binary, { args: ['--schedule', '0,600', '--timeout', '30'] });
    const hook = await hooks.webhook(receiver.hook, { events: ['*'] });
    await hooks.event();
    await until(() => receiver.requests === 1, 'the attempt');
    const began = Date.now();
    const { code } = await hooks.stop('SIGTERM');
    assert.equal(code, 0, hooks.log());
    assert.ok(Date.now() - began < 20_000, `${Date.now() - began} ms`);
    receiver.says(204);
    const again = await Hooks.start(binary, { file: hooks.file, args: ['--schedule', '0,600'] });
    await again.become(hook.id, 'succeeded');
    assert.deepEqual(new Set(receiver.ids).size, 1);
    await again.end();
    await receiver.stop();
  });
}

/** The program on this file: how it ended, and what it said. */
const tryFile = (file, more = {}) =>
  runToEnd(binary, ['--store', `sqlite:${file}`, '--port', '0', '--bearer-env', 'HOOKS_TOKEN'], { env: { ...process.env, HOOKS_TOKEN: TOKEN }, ...more });

async function files({ step }) {
  await step('a second instance on the same file is refused, and the first goes on', async () => {
    const hooks = await Hooks.start(binary);
    const { code, err } = await tryFile(hooks.file);
    assert.equal(code, 1, err);
    assert.match(err, /another|in use|already|lock/i);
    assert.equal((await hooks.event()).deliveries, 0);
    await hooks.end();
    const after = await Hooks.start(binary, { file: hooks.file });
    await after.end();
  });

  await step('what is no database is refused, and not overwritten', async () => {
    const hooks = await Hooks.start(binary);
    await hooks.webhook('http://127.0.0.1:9/', { events: ['*'] });
    await hooks.end();
    const whole = readFileSync(hooks.file);
    const spoilt = {
      text: Buffer.from('this is a letter, and no database\n'.repeat(200)),
      'a torn header': Buffer.concat([Buffer.from('SQLite format 4\0'), whole.subarray(16)]),
      'half of it': whole.subarray(0, Math.floor(whole.length / 2 / 4096) * 4096 + 100),
      'pages of nothing': Buffer.concat([whole.subarray(0, 4096), Buffer.alloc(whole.length - 4096)]),
    };
    for (const [what, bytes] of Object.entries(spoilt)) {
      const file = path.join(scratch(), 'hooks.db');
      writeFileSync(file, bytes);
      const { code, err } = await tryFile(file);
      assert.equal(code, 1, `${what}: ${err}`);
      assert.match(err, /hooks\.db/, what);
      assert.ok(readFileSync(file).equals(bytes), `${what}: it was overwritten`);
    }
  });

  await step('a database of something else is left alone', async () => {
    const { DatabaseSync } = await import('node:sqlite').catch(() => ({}));
    const file = path.join(scratch(), 'hooks.db');
    if (DatabaseSync) {
      const other = new DatabaseSync(file);
      other.exec('CREATE TABLE letters (x); INSERT INTO letters VALUES (1)');
      other.close();
    } else {
      const made = await runToEnd('/usr/bin/python3', ['-c', `import sqlite3; c = sqlite3.connect(${JSON.stringify(file)}); c.execute("CREATE TABLE letters (x)"); c.commit()`]);
      assert.equal(made.code, 0, made.err);
    }
    const { code, err } = await tryFile(file);
    assert.equal(code, 1, err);
  });

  await step('a folder that is not there, or a file that cannot be written, is said at the start', async () => {
    const missing = await tryFile(path.join(scratch(), 'no/such/hooks.db'));
    assert.deepEqual([missing.code, /no\/such/.test(missing.err)], [1, true], missing.err);
    const hooks = await Hooks.start(binary);
    await hooks.end();
    const folder = scratch();
    const file = path.join(folder, 'hooks.db');
    copyFileSync(hooks.file, file);
    chmodSync(file, 0o400);
    chmodSync(folder, 0o500);
    // Whoever is root may write whatever it says; so somebody else starts it.
    const nobody = process.getuid() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
    if (nobody.length) for (const each of [file, folder]) chownSync(each, 65534, 65534);
    const [command, ...args] = [...nobody, path.resolve(binary), '--store', `sqlite:${file}`, '--port', '0'];
    const { code, err } = await runToEnd(command, args);
    chmodSync(folder, 0o700);
    assert.equal(code, 1, err);
    assert.match(err, /hooks\.db/);
    assert.equal(statSync(file).mode & 0o777, 0o400);
    assert.ok(readFileSync(file).equals(readFileSync(hooks.file)));
  });

  await step('a copy of the file, made by SQLite while it runs, is a backup', async () => {
    const hooks = await Hooks.start(binary);
    const hook = await hooks.webhook('http://127.0.0.1:9/', { event: 'deploy.success', description: 'Kept' });
    const copy = path.join(scratch(), 'copy.db');
    const made = await runToEnd('/usr/bin/python3', ['-c', `import sqlite3; sqlite3.connect(${JSON.stringify(hooks.file)}).backup(sqlite3.connect(${JSON.stringify(copy)}))`]);
    assert.equal(made.code, 0, made.err);
    await hooks.end();
    const restored = await Hooks.start(binary, { file: copy });
    assert.equal((await restored.wants(200, 'GET', `/webhooks/${hook.id}`)).description, 'Kept');
    await restored.end();
  });
}

await suite('gate-hooks: durability', async ({ step }) => {
  await killings({ step });
  await endings({ step });
  await files({ step });
});
