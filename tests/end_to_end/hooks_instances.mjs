// Three gate-hooks over one PostgreSQL: what one accepts any of them delivers, and each of them shows. Under load one is
// killed, one is paused past its leases, and the server is restarted: nothing that was accepted is lost, and nothing is
// sent twice but what was in flight at whoever was disturbed. HOOKS_SEED repeats a run. Arguments: gate-hooks.
import assert from 'node:assert/strict';
import { Hooks } from '../../simulations/peers/hooks.mjs';
import { PASSWORD, Postgres } from '../../simulations/peers/postgres.mjs';
import { Sightings } from '../../simulations/peers/sightings.mjs';
import { PATIENCE_MS, sleep, until } from '../../simulations/peers/waiting.mjs';
import { WebhookReceiver } from '../../simulations/peers/webhook_receiver.mjs';
import { judge, judgeAttempts } from './support/deliveries.mjs';
import { Load } from './support/hooks_load.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const SEED = Number(process.env.HOOKS_SEED ?? Date.now() % 1_000_000);
/** An attempt may take so long; a lease is 15 seconds longer. Not less: what is slow here is no failure. */
const ARGS = ['--schedule', '0,0,1', '--timeout', '5'];
/** Of one webhook, at one instance; and so many webhooks there are in each step. */
const IN_FLIGHT = 8;
const WEBHOOKS = 2;
const STEP_MS = 10 * PATIENCE_MS;

class Fleet {
  static async start() {
    const fleet = new this();
    fleet.server = await Postgres.start();
    fleet.store = await fleet.server.newDatabase('hooks');
    // All at once: one of them makes the tables.
    fleet.all = await Promise.all([1, 2, 3].map(() => fleet.another()));
    return fleet;
  }

  another() {
    return Hooks.start(binary, { file: this.store, args: ARGS });
  }

  pids() {
    return this.all.map((each) => each.process.pid);
  }

  /** The first number that a statement gives. */
  async number(sql) {
    return Number(await this.server.tell(sql, 'hooks'));
  }

  async over() {
    const open = 'SELECT count(*) FROM gate_hooks.deliveries WHERE status NOT IN (2, 4)';
    await until(async () => (await this.number(open)) === 0 || sleep(500), 'no delivery to be open', STEP_MS);
  }

  /** What all of them answer to /health. */
  async health(status) {
    for (const each of this.all) await until(async () => (await each.health()).status === status, `/health to be ${status}`);
  }
}

/**
 * A webhook whose receiver mostly works and one whose receiver never does; load at all instances, `disturb` in the midst of
 * it, and once all is over, the verdict. `disturb` returns who was disturbed, and how many attempts may be made twice.
 */
async function underLoad(fleet, disturb) {
  const sightings = await Sightings.start({ of: () => fleet.pids() });
  const [first, , last] = fleet.all;
  const hook = await first.webhook(sightings.hook, { events: ['*'] });
  const broken = await last.webhook(sightings.broken, { event: 'deploy.failed' });
  const load = new Load(() => fleet.all, SEED, () => sightings.done.size);
  await load.during(async () => {
    await load.more(200);
    Object.assign(load, await disturb({ sightings, hook, broken, load }));
    await load.more(200);
  });
  await until(() => [...load.accepted].every((id) => sightings.done.has(id)) || sleep(200), 'all that was accepted to be delivered', STEP_MS);
  await fleet.over();
  const found = await judge({ sightings, load, hook, broken, instances: fleet.all });
  console.log(`        ${load.accepted.size} accepted, ${sightings.attempts.length} attempts, ${found.twice} made twice`);
  for (const each of [hook, broken]) await fleet.all[1].wants(204, 'DELETE', `/webhooks/${each.id}`);
  await sightings.stop();
  return { ...found, sightings };
}

async function sharing(fleet, { step }) {
  await step('what one instance is told, the others know', async () => {
    const sightings = await Sightings.start({ of: () => fleet.pids(), alwaysGood: true });
    const [a, b, c] = fleet.all;
    const hook = await a.webhook(sightings.hook, { event: 'deploy.success', description: 'of a' });
    for (const each of [b, c]) assert.equal((await each.wants(200, 'GET', `/webhooks/${hook.id}`)).description, 'of a');
    await b.wants(200, 'PATCH', `/webhooks/${hook.id}`, { description: 'of b' });
    assert.deepEqual((await c.all('/webhooks', 'webhooks')).map(({ id, description }) => [id, description]), [[hook.id, 'of b']]);
    // One event, though all three are given it at once.
    const headers = { 'Idempotency-Key': 'once' };
    const told = await Promise.all(fleet.all.map((each) => each.event('deploy.success', { n: 1 }, { headers })));
    assert.deepEqual(new Set(told.map(({ id }) => id)), new Set(['once']));
    for (const each of fleet.all) {
      const [delivery, ...more] = await each.become(hook.id, 'succeeded');
      assert.deepEqual([delivery.event_id, delivery.attempts, more.length], ['once', 1, 0]);
      assert.equal((await each.delivery(delivery.id)).attempt_log.length, 1);
    }
    assert.equal(sightings.attempts.length, 1);
    const other = await c.ask('POST', '/events', { type: 'deploy.success', data: { n: 2 } }, { headers });
    assert.equal(other.status, 409, other.text);
    await c.wants(204, 'DELETE', `/webhooks/${hook.id}`);
    for (const each of [a, b]) assert.equal((await each.ask('GET', `/webhooks/${hook.id}`)).status, 404);
    await sightings.stop();
  });

  await step('undisturbed, each delivery is made once, by whichever instance', async () => {
    const { sightings } = await underLoad(fleet, () => ({ disturbed: [], mayBeTwice: 0 }));
    assert.ok(new Set(sightings.attempts.map(({ by }) => by)).size > 1, 'they share the work');
  }, STEP_MS);
}

async function disturbing(fleet, { step }) {
  const mayBeTwice = IN_FLIGHT * WEBHOOKS;

  await step('one that is killed loses nothing', async () => {
    await underLoad(fleet, async ({ sightings }) => {
      const [victim] = fleet.all;
      const { pid } = victim.process;
      await sightings.holdBack(pid, 4);
      victim.killed = true;
      sightings.letGo(2); // it is told, and may have written that down or not
      victim.signal('SIGKILL');
      await victim.exit;
      sightings.letGo();
      fleet.all[0] = await fleet.another();
      return { disturbed: [pid], mayBeTwice };
    });
  }, STEP_MS);

  await step('one that sleeps past its leases undoes nothing of what others did meanwhile', async () => {
    await underLoad(fleet, async ({ sightings }) => {
      const victim = fleet.all[1];
      const { pid } = victim.process;
      const held = await sightings.holdBack(pid, 4);
      victim.signal('SIGSTOP');
      sightings.letGo(2); // their answers wait for it
      try {
        await until(() => held.every((each) => sightings.isDoneByOthers(each)), 'others to make the attempts of who sleeps', STEP_MS);
      } finally {
        victim.signal('SIGCONT');
      }
      sightings.letGo();
      return { disturbed: [pid], mayBeTwice };
    });
  }, STEP_MS);

  for (const [signal, how] of [['SIGINT', 'is restarted'], ['SIGQUIT', 'crashes and comes back']]) {
    await step(`PostgreSQL ${how}: instances wait for it, and go on`, async () => {
      await underLoad(fleet, async ({ load }) => {
        await fleet.server.stop(signal);
        await fleet.health(503);
        const { refused } = load;
        await until(() => load.refused > refused, 'events to be refused');
        fleet.server = await fleet.server.again();
        await fleet.health(200);
        return { disturbed: fleet.pids(), mayBeTwice: mayBeTwice * fleet.all.length };
      });
    }, STEP_MS);
  }
}

async function texts(fleet, { step }) {
  await step('texts that PostgreSQL does not take never get there', async () => {
    const receiver = await WebhookReceiver.start();
    const [hooks] = fleet.all;
    const hook = await hooks.webhook(receiver.hook, { event: 'deploy.failed' });
    const spoilt = ['\\u0000', '\\ud800', '\0', '\xff', '\xc0\x80', '\xed\xa0\x80', '\xf4\x90\x80\x80'];
    const refused = async (method, place, body, more = {}) => {
      const answer = await hooks.ask(method, place, Buffer.from(body, 'latin1'), { raw: true, ...more });
      assert.deepEqual([answer.status, answer.json?.code], [400, 'VALIDATION_ERROR'], `${method} ${place} ${JSON.stringify(body)}: ${answer.text}`);
    };
    for (const bad of spoilt) {
      const url = `"url":"https://a.example.com/${bad}"`;
      const [description, secret] = [`"description":"a${bad}"`, `"secret":"sixteen letters ${bad}"`];
      for (const member of [url, `"url":"https://a.example.com/",${description}`, `"url":"https://a.example.com/",${secret}`])
        await refused('POST', '/webhooks', `{"event":"deploy.success",${member}}`);
      for (const member of [url, description]) await refused('PATCH', `/webhooks/${hook.id}`, `{${member}}`);
      await refused('POST', `/webhooks/${hook.id}/rotate`, `{${secret}}`);
      await refused('POST', '/events', `{"type":"deploy.failed${bad}","data":1}`);
    }
    for (const bad of spoilt.slice(2)) await refused('POST', '/events', `{"type":"deploy.failed","data":"${bad}"}`);
    await refused('POST', '/events', '{"type":"deploy.failed","data":1}', { headers: { 'Idempotency-Key': 'caf\xe9' } });
    // What is escaped in the data is the caller's own; so is what a receiver answers.
    const data = '{"a":"\\u0000\\ud800"}';
    const { status, text } = await hooks.ask('POST', '/events', `{"type":"deploy.failed","data":${data}}`, { raw: true });
    assert.equal(status, 202, text);
    await hooks.become(hook.id, 'succeeded');
    assert.deepEqual(receiver.deliveries.map(({ body }) => body.slice(body.indexOf('"data"'))), [`"data":${data}}`]);
    receiver.says(500, {}, Buffer.from('no\0\xff', 'latin1'));
    await hooks.event('deploy.failed');
    const [dead] = await hooks.become(hook.id, 'dead');
    assert.equal((await hooks.delivery(dead.id)).response_body, 'no\0\ufffd');
    await hooks.wants(204, 'DELETE', `/webhooks/${hook.id}`);
    await receiver.stop();
  });
}

/** What the verdict is to see, it sees. */
async function canaries({ step }) {
  await step('the verdict sees what is made twice, at once, or after a good answer', async () => {
    const of = (attempt, by, began, status = 204) => ({ delivery: 'dlv_1', attempt, by, began, ended: began + 10, status });
    const verdict = (attempts, load = {}, error = '') =>
      judgeAttempts(attempts, { disturbed: [], mayBeTwice: 0, ...load }, { delivery: async () => ({ attempt_log: [{ error }, { error: '' }] }) });
    const disturbed = [1];
    await verdict([of(1, 1, 1, 500), of(2, 2, 12)]);
    await verdict([of(1, 1, 1), of(1, 2, 12)], { disturbed, mayBeTwice: 1 });
    await verdict([of(1, 1, 1), of(2, 2, 12)], {}, 'no answer in time');
    await assert.rejects(verdict([of(1, 1, 1), of(1, 2, 12)]), /made twice by those that nobody disturbed/);
    await assert.rejects(verdict([of(1, 3, 1), of(1, 2, 12)], { disturbed, mayBeTwice: 1 }), /that nobody disturbed/);
    await assert.rejects(verdict([of(1, 1, 1), of(1, 2, 12), of(1, 3, 23)], { disturbed, mayBeTwice: 1 }), /2 were made twice/);
    await assert.rejects(verdict([of(1, 1, 1, 500), of(2, 2, 5)]), /two at once/);
    await assert.rejects(verdict([of(1, 1, 1), of(2, 2, 12)]), /after a good answer/);
  });
}

await suite('gate-hooks: instances over PostgreSQL', async ({ step }) => {
  console.log(`        HOOKS_SEED=${SEED}`);
  await canaries({ step });
  const fleet = await step('three start at once on an empty database', () => Fleet.start());
  if (!fleet) return;
  await sharing(fleet, { step });
  await disturbing(fleet, { step });
  await texts(fleet, { step });
  await step('they end well, leave nothing open, and never said the password', async () => {
    for (const each of fleet.all) {
      await each.end();
      for (const secret of [PASSWORD, encodeURIComponent(PASSWORD)])
        assert.ok(![...each.err, ...each.out].some((line) => line.includes(secret)), 'the password is in the log');
    }
    assert.equal(await fleet.number("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'gate-hooks'"), 0);
    assert.equal(await fleet.number('SELECT count(*) FROM gate_hooks.deliveries WHERE lease IS NOT NULL'), 0);
  });
});
