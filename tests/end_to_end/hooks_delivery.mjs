// Deliveries of gate-hooks as receivers see them: signed so that the ready libraries take them, tried again when they
// fail, and given up in the end. Arguments: gate-hooks.
import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import net from 'node:net';
import path from 'node:path';
import { writeFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { scratch } from '../../simulations/peers/gate.mjs';
import { EVENTS, Hooks } from '../../simulations/peers/hooks.mjs';
import { listenOn, stopListening } from '../../simulations/peers/http_listener.mjs';
import { runToEnd } from '../../simulations/peers/process.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { WebhookReceiver, verify } from '../../simulations/peers/webhook_receiver.mjs';
import { standardWebhooksOfPython } from './support/hooks_python.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
/** What receivers may be told to say is in UTF-8, has blanks, and numbers that no double holds. */
const DATA = '{"n":12345678901234567890, "text":"\u00e4\\u00e4 \ud83d\ude80 <b>","list":[1.10,1e2]}';

const fresh = async (hooks, members) => {
  const receiver = await WebhookReceiver.start();
  const hook = await hooks.webhook(receiver.hook, { events: ['*'], ...members });
  return { receiver, hook };
};

/** openssl is asked, for it has not been written by us. */
async function byOpenssl(secret, body) {
  const file = path.join(scratch(), 'body');
  writeFileSync(file, body);
  const { out } = await runToEnd('openssl', ['dgst', '-sha256', '-hmac', secret, '-r', file]);
  return out.split(' ')[0];
}

async function signatures({ step, hooks, ends }) {
  await step('the body is {type, timestamp, data}, data byte for byte', async () => {
    const { receiver } = await ends(fresh(hooks));
    const at = '2026-11-21T09:30:00Z';
    await hooks.wants(202, 'POST', '/events', `{"data":${DATA},"timestamp":"${at}","type":"deploy.success"}`, { raw: true });
    const [{ headers, body, method }] = await until(() => receiver.deliveries.length && receiver.deliveries, 'the delivery');
    assert.match(body, /^\{"type":"deploy\.success","timestamp":"2026-11-21T09:30:00(\.0+)?Z","data":/);
    assert.ok(body.endsWith(`"data":${DATA}}`), body);
    assert.equal(method, 'POST');
    assert.equal(headers['content-type'], 'application/json');
    assert.match(headers['user-agent'], /^gate-hooks\/\d/);
    assert.match(headers['x-gate-delivery'], /^dlv_/);
    assert.equal(headers['x-gate-attempt'], '1');
    assert.equal(headers['content-length'], String(Buffer.byteLength(body)));
  });

  for (const [what, secret] of [['a secret that was made', undefined], ['a key of 24 bytes', `whsec_${Buffer.alloc(24, 7).toString('base64')}`], ['a plain secret', 'a plain secret, 25 bytes!']]) {
    await step(`signatures are those of others: ${what}`, async () => {
      const { receiver, hook } = await ends(fresh(hooks, { secret }));
      await hooks.event('usage.threshold', { percent: 80 });
      const [{ headers, body }] = await until(() => receiver.deliveries.length && receiver.deliveries, 'the delivery');
      verify(hook.secret, headers, body);
      assert.equal(headers['x-gate-signature'], await byOpenssl(hook.secret, body));
      const plain = !hook.secret.startsWith('whsec_');
      const library = new Webhook(plain ? Buffer.from(hook.secret) : hook.secret, plain ? { format: 'raw' } : undefined);
      assert.deepEqual(library.verify(body, headers), JSON.parse(body));
      assert.throws(() => library.verify(body.replace('80', '81'), headers));
      const python = standardWebhooksOfPython({ secret: plain ? `whsec_${Buffer.from(hook.secret).toString('base64')}` : hook.secret, headers, body });
      assert.deepEqual(await python, { good: JSON.parse(body) });
    });
  }

  await step('during a rotation both secrets sign, and the new one alone is in X-Gate-Signature', async () => {
    const { receiver, hook } = await ends(fresh(hooks));
    const rotated = await hooks.wants(200, 'POST', `/webhooks/${hook.id}/rotate`);
    assert.notEqual(rotated.secret, hook.secret);
    await hooks.event();
    const [{ headers, body }] = await until(() => receiver.deliveries.length && receiver.deliveries, 'the delivery');
    assert.equal(headers['webhook-signature'].split(' ').length, 2);
    for (const secret of [hook.secret, rotated.secret]) new Webhook(secret).verify(body, headers);
    assert.equal(headers['x-gate-signature'], await byOpenssl(rotated.secret, body));
    verify(rotated.secret, headers, body);
  });

  await step('the test call is signed as deliveries are', async () => {
    const { receiver, hook } = await ends(fresh(hooks, { event: 'rollback.success', events: undefined }));
    receiver.verifying(hook.secret);
    assert.equal((await hooks.wants(200, 'POST', `/webhooks/${hook.id}/test`)).success, true, receiver.refusals.join());
    assert.equal(JSON.parse(receiver.deliveries[0].body).type, 'rollback.success');
  });
}

async function outcomes({ step, hooks, ends }) {
  await step('what fails is tried again under the same webhook-id, then is a dead letter', async () => {
    const { receiver, hook } = await ends(fresh(hooks));
    receiver.says(500, {}, 'broken <script>');
    const { id } = await hooks.event();
    const [dead] = await hooks.become(hook.id, 'dead');
    assert.deepEqual(receiver.ids, [id, id, id]);
    assert.deepEqual(receiver.deliveries.map(({ headers }) => headers['x-gate-attempt']), ['1', '2', '3']);
    const whole = await hooks.delivery(dead.id);
    assert.deepEqual(whole.attempt_log.map(({ code }) => code), [500, 500, 500]);
    assert.deepEqual([whole.response_body, whole.response_code], ['broken <script>', 500]);
    for (const { duration_ms: took, at } of whole.attempt_log) assert.ok(took >= 0 && at);
    const pauses = whole.attempt_log.slice(1).map(({ at }, i) => Date.parse(at) - Date.parse(whole.attempt_log[i].at));
    for (const pause of pauses) assert.ok(pause >= 750, `${pauses}: a second, less a fifth`);
  });

  await step('a success in the end; statistics say how it went', async () => {
    const { receiver, hook } = await ends(fresh(hooks));
    let requests = 0;
    receiver.answer = (_, response) => response.writeHead((requests += 1) < 3 ? 503 : 200).end('fine');
    await hooks.event();
    const [done] = await hooks.become(hook.id, 'succeeded');
    assert.deepEqual([done.attempts, done.response_code, done.response_body, done.error], [3, 200, 'fine', undefined]);
    const { stats } = await hooks.wants(200, 'GET', `/webhooks/${hook.id}`);
    assert.deepEqual([stats.succeeded, stats.failed, stats.last_status], [1, 0, 200], 'of deliveries, not of attempts');
  });

  await step('Retry-After is waited for', async () => {
    const { receiver, hook } = await ends(fresh(hooks));
    const at = [];
    receiver.answer = (_, response) => {
      at.push(Date.now());
      response.writeHead(at.length === 1 ? 429 : 204, at.length === 1 ? { 'Retry-After': '3' } : {}).end();
    };
    await hooks.event();
    await hooks.become(hook.id, 'succeeded');
    assert.ok(at[1] - at[0] >= 2900, `${at[1] - at[0]} ms`);
  });

  await step('410 disables the webhook, and its delivery is a dead letter at once', async () => {
    const { receiver, hook } = await ends(fresh(hooks));
    receiver.says(410);
    await hooks.event();
    const [dead] = await hooks.become(hook.id, 'dead');
    assert.deepEqual([dead.attempts, dead.response_code], [1, 410]);
    const now = await hooks.wants(200, 'GET', `/webhooks/${hook.id}`);
    assert.deepEqual([now.enabled, now.disabled_reason], [false, 'gone']);
    const before = receiver.requests;
    await hooks.event();
    receiver.says(204);
    await hooks.wants(200, 'PATCH', `/webhooks/${hook.id}`, { enabled: true });
    await hooks.event();
    await hooks.become(hook.id, 'succeeded');
    assert.equal(receiver.requests, before + 1, 'events of while it was off are not for it');
  });

  await step('a redirect is a failure, and is not followed', async () => {
    const { receiver, hook } = await ends(fresh(hooks));
    const lured = await WebhookReceiver.start();
    receiver.says(307, { Location: lured.hook });
    await hooks.event();
    const [dead] = await hooks.become(hook.id, 'dead');
    assert.equal(dead.response_code, 307);
    assert.equal(lured.requests, 0);
    await lured.stop();
  });

  await step('whoever does not answer in time has failed', async () => {
    const { receiver, hook } = await ends(fresh(hooks));
    receiver.answer = () => {};
    await hooks.event();
    const [failed] = await hooks.become(hook.id, 'failed');
    assert.match(failed.error, /1 s|1000 ms|time/i);
    assert.equal(failed.response_code, undefined);
    await hooks.wants(204, 'DELETE', `/webhooks/${hook.id}`);
  });

  await step('refused connections, cut answers and what is no HTTP are failures with a word each', async () => {
    const server = net.createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(server.says)));
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${server.address().port}/`;
    const errors = [];
    for (const says of ['', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this', 'SSH-2.0-OpenSSH_9.2\r\n']) {
      server.says = says;
      const hook = await hooks.webhook(url, { events: ['*'] });
      await hooks.event();
      const [dead] = await hooks.become(hook.id, 'dead');
      errors.push(dead.error);
      await hooks.wants(204, 'DELETE', `/webhooks/${hook.id}`);
    }
    server.close();
    const hook = await hooks.webhook(url, { events: ['*'] });
    await hooks.event();
    const [dead] = await hooks.become(hook.id, 'dead');
    errors.push(dead.error);
    await hooks.wants(204, 'DELETE', `/webhooks/${hook.id}`);
    for (const error of errors) assert.ok(error?.length > 5, JSON.stringify(errors));
  });

  await step('a certificate that nobody vouches for is a failure, and nothing is sent', async () => {
    const folder = scratch();
    const made = await runToEnd('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=localhost',
      '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', 'key.pem', '-out', 'cert.pem', '-days', '2'], { cwd: folder });
    assert.equal(made.code, 0, made.err);
    const { readFileSync } = await import('node:fs');
    const peer = { requests: 0 };
    peer.server = createServer({ key: readFileSync(path.join(folder, 'key.pem')), cert: readFileSync(path.join(folder, 'cert.pem')) }, (_, response) => {
      peer.requests += 1;
      response.end();
    });
    await listenOn(peer, 0);
    const hook = await hooks.webhook(`https://127.0.0.1:${peer.port}/`, { events: ['*'] });
    await hooks.event();
    const [dead] = await hooks.become(hook.id, 'dead');
    assert.match(dead.error, /TLS|certificate/i);
    assert.equal(peer.requests, 0);
    await stopListening(peer);
    await hooks.wants(204, 'DELETE', `/webhooks/${hook.id}`);
  });
}

async function together({ step, hooks, ends }) {
  await step('a receiver that hangs does not hold up another one', async () => {
    const slow = await ends(fresh(hooks, { events: ['deploy.failed'] }));
    const good = await ends(fresh(hooks, { events: ['deploy.success'] }));
    slow.receiver.answer = () => {};
    await hooks.wants(202, 'POST', '/events', Array.from({ length: 50 }, () => ({ type: 'deploy.failed', data: 1 })));
    await until(() => slow.receiver.requests >= 8, 'the slow one to be busy');
    await hooks.wants(202, 'POST', '/events', Array.from({ length: 50 }, (_, n) => ({ type: 'deploy.success', data: n })));
    await until(() => good.receiver.requests === 50, 'all of the good one');
    assert.ok(slow.receiver.requests <= 16, `${slow.receiver.requests}: eight at a time`);
    await hooks.wants(204, 'DELETE', `/webhooks/${slow.hook.id}`);
  });

  await step('a thousand events of one request reach everybody once', async () => {
    const { receiver, hook } = await ends(fresh(hooks));
    receiver.verifying(hook.secret);
    const events = Array.from({ length: 1000 }, (_, n) => ({ type: EVENTS[n % 5], data: { n } }));
    const accepted = await hooks.wants(202, 'POST', '/events', events);
    await until(() => receiver.deliveries.length >= 1000, 'all of them');
    assert.deepEqual(new Set(receiver.ids), new Set(accepted.map(({ id }) => id)));
    assert.equal(receiver.deliveries.length, 1000);
    assert.deepEqual(receiver.refusals, []);
    const numbers = receiver.deliveries.map(({ body }) => JSON.parse(body).data.n);
    assert.equal(new Set(numbers).size, 1000);
  });

  await step('a dead letter of a receiver that is back is delivered by hand', async () => {
    const { receiver, hook } = await ends(fresh(hooks));
    receiver.says(500);
    const { id } = await hooks.event();
    const [dead] = await hooks.become(hook.id, 'dead');
    receiver.verifying(hook.secret);
    const before = receiver.requests;
    assert.deepEqual(await hooks.wants(200, 'POST', `/webhook-deliveries/dlq/${dead.id}/retry`), { retried: 1, succeeded: 1, failed: 0 });
    assert.equal(receiver.requests, before + 1);
    assert.equal(receiver.ids.at(-1), id);
    assert.equal((await hooks.delivery(dead.id)).status, 'succeeded');
  });
}

await suite('gate-hooks: deliveries', async ({ step, defer }) => {
  const hooks = await Hooks.start(binary, { args: ['--schedule', '0,1,1', '--timeout', '1'] });
  defer(function hooksEnd() { return hooks.end(); });
  const receivers = [];
  defer(function receiversEnd() { return Promise.all(receivers.map((each) => each.stop())); });
  /** Each step has a receiver of its own, and the webhooks of others are gone when it begins. */
  const ends = async (made) => {
    const one = await made;
    receivers.push(one.receiver);
    return one;
  };
  const clean = (name, fn) =>
    step(name, async () => {
      await fn();
      for (const { id } of await hooks.all('/webhooks', 'webhooks')) await hooks.wants(204, 'DELETE', `/webhooks/${id}`);
    });
  const all = { step: clean, hooks, ends };
  await signatures(all);
  await outcomes(all);
  await together(all);
});
