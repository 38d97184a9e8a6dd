// The API of gate-hooks as any client has it: every call and what it answers, two organizations that do not see each
// other, rights, paging, and requests that are refused, each with its code. Arguments: gate-hooks.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { scratch } from '../../simulations/peers/gate.mjs';
import { EVENTS, Hooks } from '../../simulations/peers/hooks.mjs';
import { Connection, once } from '../../simulations/peers/http.mjs';
import { runToEnd } from '../../simulations/peers/process.mjs';
import { WebhookReceiver } from '../../simulations/peers/webhook_receiver.mjs';
import { ambiguousRequests } from './support/hostile.mjs';
import { hostileRequests } from './support/hooks_hostile.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const TOKENS = { ACME_TOKEN: 'acme-token-0123456789', READ_TOKEN: 'read-token-0123456789', OTHER_TOKEN: 'other-token-012345678' };

const keys = (value) => Object.keys(value).sort();

async function webhooks({ step, hooks, receiver }) {
  await step('a webhook is made, read, listed, changed, switched off and on, and deleted', async () => {
    const made = await hooks.webhook(receiver.hook, { description: 'First' });
    assert.match(made.id, /^hook_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    assert.match(made.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(made.secret_hint, made.secret.slice(-4));
    assert.match(made.created_at, RFC3339);
    assert.deepEqual([made.event, made.url, made.enabled, made.description], ['deploy.success', receiver.hook, true, 'First']);
    assert.deepEqual(made.stats, { succeeded: 0, failed: 0, last_status: null, last_at: null });

    const read = await hooks.wants(200, 'GET', `/webhooks/${made.id}`);
    assert.equal(read.secret, undefined, 'shown once');
    const { secret, ...rest } = made;
    assert.deepEqual(read, rest);
    assert.ok((await hooks.wants(200, 'GET', '/webhooks')).webhooks.some(({ id }) => id === made.id));

    const changed = await hooks.wants(200, 'PATCH', `/webhooks/${made.id}`, { events: ['deploy.failed', 'usage.threshold'], description: '' });
    assert.deepEqual([changed.event, changed.events, changed.description], [undefined, ['deploy.failed', 'usage.threshold'], undefined]);
    assert.ok(changed.updated_at >= made.updated_at);
    const off = await hooks.wants(200, 'PATCH', `/webhooks/${made.id}`, { enabled: false });
    assert.deepEqual([off.enabled, off.disabled_reason], [false, 'manual']);
    assert.equal((await hooks.event('deploy.failed')).deliveries, 0, 'it is off');
    const on = await hooks.wants(200, 'PATCH', `/webhooks/${made.id}`, { enabled: true });
    assert.deepEqual([on.enabled, on.disabled_reason], [true, undefined]);
    assert.equal((await hooks.event('deploy.failed')).deliveries, 1);

    const gone = await hooks.ask('DELETE', `/webhooks/${made.id}`);
    assert.deepEqual([gone.status, gone.text], [204, '']);
    for (const [method, place] of [['GET', ''], ['DELETE', ''], ['GET', '/deliveries'], ['POST', '/test']])
      await hooks.wants(404, method, `/webhooks/${made.id}${place}`);
  });

  await step('whoever brings a secret sees it once as well; a changed one is rotated', async () => {
    const made = await hooks.webhook(receiver.hook, { events: ['*'], secret: 'sixteen letters!' });
    assert.deepEqual([made.events, made.secret, made.secret_hint], [['*'], 'sixteen letters!', 'ers!']);
    const refused = await hooks.wants(400, 'PATCH', `/webhooks/${made.id}`, { secret: 'another secret 123' });
    assert.deepEqual([refused.details.pointer, Boolean(refused.hint)], ['/secret', true]);
    const rotated = await hooks.wants(200, 'POST', `/webhooks/${made.id}/rotate`, { secret: 'another secret 123' });
    assert.deepEqual([rotated.secret, rotated.secret_hint], ['another secret 123', ' 123']);
    const again = await hooks.wants(200, 'POST', `/webhooks/${made.id}/rotate`);
    assert.match(again.secret, /^whsec_/);
    assert.equal((await hooks.wants(200, 'GET', `/webhooks/${made.id}`)).secret, undefined);
    await hooks.wants(204, 'DELETE', `/webhooks/${made.id}`);
  });

  await step('a test call says what the receiver answers, and leaves nothing', async () => {
    const made = await hooks.webhook(receiver.hook);
    receiver.verifying(made.secret);
    assert.deepEqual(await hooks.wants(200, 'POST', `/webhooks/${made.id}/test`), { success: true, status: 204, status_text: 'No Content' });
    receiver.says(404);
    assert.deepEqual(await hooks.wants(200, 'POST', `/webhooks/${made.id}/test`), { success: false, status: 404, status_text: 'Not Found' });
    assert.deepEqual(await hooks.deliveriesOf(made.id), []);
    await hooks.wants(200, 'PATCH', `/webhooks/${made.id}`, { url: 'http://127.0.0.1:9/' });
    const failed = await hooks.wants(200, 'POST', `/webhooks/${made.id}/test`);
    assert.deepEqual([failed.success, keys(failed)], [false, ['error', 'success']]);
    await hooks.wants(204, 'DELETE', `/webhooks/${made.id}`);
    receiver.says(204);
  });
}

async function events({ step, hooks, receiver }) {
  await step('events of all five kinds, one and many, reach whom they are for', async () => {
    const all = await hooks.webhook(receiver.hook, { events: ['*'] });
    const one = await hooks.webhook(receiver.hook, { event: 'rollback.success' });
    for (const type of EVENTS) {
      const { id, deliveries } = await hooks.event(type, { n: 1 });
      assert.match(id, /^evt_/);
      assert.equal(deliveries, type === 'rollback.success' ? 2 : 1);
    }
    const many = await hooks.wants(202, 'POST', '/events', EVENTS.map((type) => ({ type, data: null, timestamp: '2026-11-21T09:30:00+02:00' })));
    assert.deepEqual(many.map(({ deliveries }) => deliveries), [1, 1, 1, 2, 1]);
    assert.equal(new Set(many.map(({ id }) => id)).size, 5);
    const done = await hooks.become(all.id, 'succeeded', 10);
    assert.equal(done.length, 10);
    await hooks.become(one.id, 'succeeded', 2);
    const whole = await hooks.delivery(done[0].id);
    assert.deepEqual([whole.webhook_id, whole.status, whole.attempts, whole.response_code, whole.attempt_log.length], [all.id, 'succeeded', 1, 204, 1]);
    assert.match(whole.finished_at, RFC3339);
    await hooks.wants(409, 'POST', `/deliveries/${whole.id}/retry`);
    await hooks.wants(204, 'DELETE', `/webhooks/${all.id}`);
    await hooks.wants(204, 'DELETE', `/webhooks/${one.id}`);
  });

  await step('an Idempotency-Key: the same again is the same event, another body a conflict', async () => {
    const hook = await hooks.webhook(receiver.hook);
    const more = { headers: { 'Idempotency-Key': 'deploy-1' } };
    const first = await hooks.event('deploy.success', { n: 1 }, more);
    assert.equal(first.id, 'deploy-1');
    assert.deepEqual(await hooks.event('deploy.success', { n: 1 }, more), first);
    const other = await hooks.wants(409, 'POST', '/events', { type: 'deploy.success', data: { n: 2 } }, more);
    assert.equal(other.code, 'CONFLICT');
    assert.equal((await hooks.deliveriesOf(hook.id)).length, 1);
    await hooks.wants(204, 'DELETE', `/webhooks/${hook.id}`);
  });

  await step('lists come in pages, newest first, each element once', async () => {
    const hook = await hooks.webhook(receiver.hook);
    const ids = [];
    for (let n = 0; n < 5; n += 1) ids.push((await hooks.event('deploy.success', { n })).id);
    await hooks.become(hook.id, 'succeeded', 5);
    const paged = await hooks.all(`/webhooks/${hook.id}/deliveries`, 'deliveries', 2);
    assert.deepEqual(paged.map((each) => each.event_id), ids.reverse());
    assert.deepEqual(await hooks.deliveriesOf(hook.id, 'dead'), []);
    const { next } = await hooks.wants(200, 'GET', `/webhooks/${hook.id}/deliveries?limit=2`);
    await hooks.wants(400, 'GET', `/webhooks?cursor=${next}`);
    await hooks.wants(400, 'GET', `/webhooks/${hook.id}/deliveries?status=broken`);
    await hooks.wants(204, 'DELETE', `/webhooks/${hook.id}`);
  });
}

async function deadLetters({ step, hooks, receiver }) {
  await step('dead letters are counted, listed, filtered, retried and deleted', async () => {
    receiver.says(500, {}, '<b>broken</b>');
    const hook = await hooks.webhook(receiver.hook, { events: ['deploy.success', 'deploy.failed'] });
    await hooks.event('deploy.success');
    await hooks.event('deploy.success');
    await hooks.event('deploy.failed');
    await hooks.become(hook.id, 'dead', 3);
    const stats = await hooks.wants(200, 'GET', '/webhook-deliveries/dlq/stats');
    assert.equal(stats.total, 3);
    assert.deepEqual([stats.by_event['deploy.success'], stats.by_event['deploy.failed']], [2, 1]);
    assert.deepEqual(stats.by_age, { '1h': 3, '24h': 0, '7d': 0, older: 0 });
    assert.match(stats.oldest_at, RFC3339);

    const entries = await hooks.deadLetters();
    for (const each of entries) {
      assert.deepEqual([each.webhook_id, each.status, each.attempts, each.response_code, each.response_body], [hook.id, 'dead', 3, 500, '<b>broken</b>']);
      assert.ok(each.error && each.age_seconds >= 0 && each.first_failed_at <= each.last_failed_at, JSON.stringify(each));
    }
    const failed = await hooks.wants(200, 'GET', `/webhook-deliveries/dlq?event=deploy.failed&webhook=${hook.id}`);
    assert.equal(failed.entries.length, 1);
    assert.equal((await hooks.all('/webhook-deliveries/dlq', 'entries', 1)).length, 3);

    const retry = (id) => hooks.wants(200, 'POST', `/webhook-deliveries/dlq/${id}/retry`);
    assert.deepEqual(await retry(entries[0].id), { retried: 1, succeeded: 0, failed: 1 });
    assert.equal((await hooks.deadLetters()).length, 3, 'what fails stays');
    receiver.says(204);
    assert.deepEqual(await retry(entries[0].id), { retried: 1, succeeded: 1, failed: 0 });
    await hooks.wants(204, 'DELETE', `/webhook-deliveries/dlq/${entries[1].id}`);
    assert.deepEqual((await hooks.deadLetters()).map(({ id }) => id), [entries[2].id]);
    assert.deepEqual(await retry(hook.id), { retried: 1, succeeded: 1, failed: 0 });
    assert.deepEqual(await hooks.wants(200, 'GET', '/webhook-deliveries/dlq'), { entries: [] });
    await hooks.wants(204, 'DELETE', `/webhooks/${hook.id}`);
  });
}

async function openDoors({ step, hooks }) {
  await step('/health, /metrics, /openapi.json and the page need no token', async () => {
    const { status, json } = await hooks.health();
    assert.deepEqual([status, json.status, json.store, json.dev_loopback], [200, 'ok', 'ok', true]);
    const metrics = await hooks.ask('GET', '/metrics', undefined, { token: null });
    assert.match(metrics.text, /^gate_hooks_events_total\{type="deploy\.success"\} \d+$/m);
    assert.match(metrics.text, /^gate_hooks_queue\{status="dead"\} 0$/m);
    assert.match(metrics.text, /^gate_hooks_build_info\{version="[^"]+"\} 1$/m);
    const described = await hooks.ask('GET', '/openapi.json', undefined, { token: null });
    assert.equal(described.json.openapi.slice(0, 4), '3.1.');
    assert.ok(described.json.paths['/webhook-deliveries/dlq/{webhook_id}/retry'].post);
    assert.equal((await hooks.ask('GET', '/console/', undefined, { token: null })).status, 200);
  });
}

/** Without the switch of developers: what it allows is refused. */
async function hostile({ step, defer }) {
  const hooks = await Hooks.start(binary, { development: false });
  defer(function strictEnds() { return hooks.end(); });
  const requests = hostileRequests();
  assert.ok(requests.length >= 100);
  await step(`${requests.length} requests are refused, each with its code and place`, async () => {
    const before = await hooks.all('/webhooks', 'webhooks');
    const wrong = [];
    for (const { what, method, path: place, body, raw, status, code, where, more } of requests) {
      const answer = await hooks.ask(method, place, body, { raw, ...more });
      const { error, code: said, details } = answer.json ?? {};
      const at = details?.pointer ?? details?.parameter ?? '';
      const good = answer.status === status && said === code && typeof error === 'string' && !/[.]$/.test(error) && (where === undefined || at === where);
      if (!good) wrong.push(`${what}: ${answer.status} ${answer.text.slice(0, 200)}, wanted ${status} ${code} ${where ?? ''}`);
    }
    assert.deepEqual(wrong, []);
    assert.deepEqual(await hooks.all('/webhooks', 'webhooks'), before, 'none of them has made anything');
  });

  await step('what the strict gate refuses gets 400, and the connection ends', async () => {
    for (const [what, bytes] of Object.entries(ambiguousRequests(hooks.port))) {
      const connection = await Connection.open(hooks.port);
      connection.write(Buffer.from(bytes, 'latin1'));
      const answer = await connection.response();
      assert.equal(answer?.status, 400, what);
      await connection.ended();
      connection.close();
    }
    const foreign = await once(hooks.port, { method: 'GET', path: '/health', headers: { Host: 'evil.example.com' } });
    assert.equal(foreign.status, 403);
    assert.equal((await hooks.health()).status, 200);
  });

  await step('405 names the methods that there are; 401 says how to authenticate', async () => {
    const put = await hooks.ask('DELETE', '/webhooks');
    assert.deepEqual(put.headers.get('allow').split(/, ?/).sort(), ['GET', 'POST']);
    assert.match((await hooks.ask('GET', '/webhooks', undefined, { token: null })).headers.get('www-authenticate'), /^Bearer/);
  });

  await step('whoever asks too often is told when to come back, and is served then', async () => {
    const answers = await Promise.all(Array.from({ length: 400 }, () => hooks.ask('GET', '/webhooks?limit=1', undefined, { limited: true })));
    const limited = answers.filter(({ status }) => status === 429);
    assert.ok(limited.length > 0 && limited.length < 400, `${limited.length} of 400`);
    assert.deepEqual(answers.filter(({ status }) => status !== 429 && status !== 200), []);
    assert.equal(limited[0].json.code, 'RATE_LIMITED');
    assert.ok(Number(limited[0].headers.get('retry-after')) >= 1);
    assert.equal((await hooks.health()).status, 200, 'health is not limited');
  });
}

/** Two that may do everything, and one that may read. */
async function organizations({ step, defer }) {
  const file = path.join(scratch(), 'organizations.json');
  writeFileSync(file, JSON.stringify({ organizations: [
    { id: 'acme', tokenRef: 'ACME_TOKEN', admin: true },
    { id: 'acme-read', tokenRef: 'READ_TOKEN' },
    { id: 'other', tokenRef: 'OTHER_TOKEN', admin: true },
  ] }));
  const receiver = await WebhookReceiver.start();
  const hooks = await Hooks.start(binary, { token: null, args: ['--config', file, '--schedule', '0'], env: TOKENS });
  defer(async function organizationsEnd() {
    await hooks.end();
    await receiver.stop();
  });
  const as = (name) => ({ token: TOKENS[name] });

  await step('two organizations never see each other', async () => {
    receiver.says(500);
    const mine = await hooks.wants(201, 'POST', '/webhooks', { url: receiver.hook, event: 'deploy.success' }, as('ACME_TOKEN'));
    const sent = await hooks.wants(202, 'POST', '/events', { type: 'deploy.success', data: 1 }, { ...as('ACME_TOKEN'), headers: { 'Idempotency-Key': 'one' } });
    assert.equal(sent.deliveries, 1);
    hooks.token = TOKENS.ACME_TOKEN;
    const [dead] = await hooks.become(mine.id, 'dead');
    const foreign = as('OTHER_TOKEN');
    for (const [method, place, body] of [
      ['GET', `/webhooks/${mine.id}`], ['PATCH', `/webhooks/${mine.id}`, { enabled: false }], ['DELETE', `/webhooks/${mine.id}`],
      ['POST', `/webhooks/${mine.id}/test`], ['POST', `/webhooks/${mine.id}/rotate`], ['GET', `/webhooks/${mine.id}/deliveries`],
      ['GET', `/deliveries/${dead.id}`], ['POST', `/deliveries/${dead.id}/retry`], ['POST', `/webhook-deliveries/dlq/${mine.id}/retry`],
      ['POST', `/webhook-deliveries/dlq/${dead.id}/retry`], ['DELETE', `/webhook-deliveries/dlq/${dead.id}`],
    ]) {
      const answer = await hooks.ask(method, place, body, foreign);
      assert.deepEqual([answer.status, answer.json?.code], [404, 'NOT_FOUND'], `${method} ${place}: ${answer.text}`);
    }
    assert.deepEqual(await hooks.wants(200, 'GET', '/webhooks', undefined, foreign), { webhooks: [] });
    assert.deepEqual(await hooks.wants(200, 'GET', '/webhook-deliveries/dlq', undefined, foreign), { entries: [] });
    assert.equal((await hooks.wants(200, 'GET', '/webhook-deliveries/dlq/stats', undefined, foreign)).total, 0);
    const same = await hooks.wants(202, 'POST', '/events', { type: 'deploy.success', data: 2 }, { ...foreign, headers: { 'Idempotency-Key': 'one' } });
    assert.equal(same.deliveries, 0, 'keys are of an organization, and so are webhooks');
    assert.equal((await hooks.deliveriesOf(mine.id)).length, 1);
  });

  await step('without admin rights one may read and post events, and nothing else', async () => {
    const reader = as('READ_TOKEN');
    await hooks.wants(200, 'GET', '/webhooks', undefined, reader);
    await hooks.wants(202, 'POST', '/events', { type: 'deploy.success', data: 1 }, reader);
    const refused = await hooks.wants(403, 'POST', '/webhooks', { url: receiver.hook, event: 'deploy.success' }, reader);
    assert.equal(refused.code, 'FORBIDDEN');
  });
}

async function commandLine({ step }) {
  await step('what is wrong with the command line is said, and ends with 2', async () => {
    const bad = [
      [['--host', '0.0.0.0', '--port', '0']], [['--schedule', '1,x']], [['--store', 'mysql://x']], [['--retain-dead', 'soon']], [['--nothing']],
    ];
    for (const [args] of bad) {
      const { code, err } = await runToEnd(binary, args, { cwd: scratch() });
      assert.deepEqual([code, err.length > 10], [2, true], `${args.join(' ')}: ${err}`);
    }
    const version = await runToEnd(binary, ['--version']);
    assert.match(`${version.code} ${version.out}`, /^0 gate-hooks \d+\.\d+\.\d+/);
    assert.match((await runToEnd(binary, ['--help'])).out, /--dev-allow-loopback/);
  });

  await step('a token that is not there or short ends the start, in a sentence that does not tell it', async () => {
    for (const token of ['', 'short-one']) {
      const { code, err } = await runToEnd(binary, ['--port', '0', '--bearer-env', 'T'], { cwd: scratch(), env: { ...process.env, T: token } });
      assert.ok(code === 1 || code === 2, `${code}`);
      assert.match(err, /\bT\b/);
      assert.doesNotMatch(err, /short-one/);
    }
  });
}

await suite('gate-hooks: API', async ({ step, defer }) => {
  const receiver = await WebhookReceiver.start();
  const hooks = await Hooks.start(binary, { args: ['--schedule', '0,0,0'] });
  defer(async function hooksEnd() {
    await hooks.end();
    await receiver.stop();
  });
  const all = { step, defer, hooks, receiver };
  await webhooks(all);
  await events(all);
  await deadLetters(all);
  await openDoors(all);
  await organizations(all);
  await commandLine(all);
  await hostile(all);
});
