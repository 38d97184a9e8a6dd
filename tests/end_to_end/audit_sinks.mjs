// Where audit events go besides standard output: a file, with rotation and a full disk; webhooks that are slow,
// dead, refuse, redirect, hang up. None of it costs a call anything.
// Arguments: gate.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Gate, cleanEnvironment, sample, scratch } from '../../simulations/peers/gate.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { runToEnd } from '../../simulations/peers/process.mjs';
import { Receiver } from '../../simulations/peers/receiver.mjs';
import { Upstream, deadPort } from '../../simulations/peers/upstream.mjs';
import { sleep, until } from '../../simulations/peers/waiting.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const folder = scratch();
const linesOf = (file) => readFileSync(file, 'utf8').split('\n').slice(0, -1).map((line) => JSON.parse(line));
const DROPPED = 'gate_audit_dropped_total';

await suite('audit sinks', async ({ step, defer }) => {
  const upstream = await Upstream.start();
  defer(() => upstream.stop());

  /** A gate with these sinks, one after the other, and a session to call with. */
  const start = async (sinks, options = {}) => {
    const gate = await Gate.start(binary,
      { upstreams: [{ id: 'a', url: upstream.url, namespace: 'a' }], audit: { sinks } }, options);
    gate.session = await Session.open(gate);
    gate.call = async (words) => {
      const answer = await gate.session.request('tools/call', { name: 'a__echo', arguments: { words } });
      assert.ok(answer.result, JSON.stringify(answer));
    };
    return gate;
  };
  const calls = (events) => events.filter(({ method }) => method === 'tools/call').length;
  const webhook = (receiver, more = {}) => ({ type: 'webhook', url: `http://127.0.0.1:${receiver.port}/events`, ...more });
  const receiving = async (settings) => {
    const receiver = await Receiver.start(settings);
    defer(() => receiver.stop());
    return receiver;
  };

  await step('all sinks get the same events, those that were handed in before the end included', async () => {
    const receiver = await receiving();
    const file = path.join(folder, 'all.jsonl');
    const gate = await start(
      [{ type: 'stdout' }, { type: 'file', path: file },
        webhook(receiver, { headers: { 'X-Source': 'gate' }, bearerSecretRef: 'AUDIT_TOKEN' })],
      { env: { AUDIT_TOKEN: 's3cret' } });
    for (let i = 0; i < 5; i += 1) await gate.call(`${i}`);
    await gate.end();
    const written = linesOf(file);
    assert.deepEqual(written, gate.events);
    assert.equal(calls(written), 5);
    assert.deepEqual(receiver.events, written);
    const [{ headers, method }] = receiver.deliveries;
    assert.equal(method, 'POST');
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['x-source'], 'gate');
    assert.equal(headers.authorization, 'Bearer s3cret');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.ok(!gate.log().includes('s3cret'));
  });

  await step('a file that was moved away is begun anew on SIGHUP, and nothing is lost', async () => {
    const file = path.join(folder, 'moved.jsonl');
    const gate = await start([{ type: 'stdout' }, { type: 'file', path: file }]);
    await gate.call('before');
    renameSync(file, `${file}-old`);
    await gate.call('between');
    const from = gate.err.length;
    gate.signal('SIGHUP');
    await gate.reloaded(from);
    await gate.call('after');
    await gate.end();
    assert.deepEqual([...linesOf(`${file}-old`), ...linesOf(file)], gate.events);
    assert.ok(linesOf(file).length >= 1);
  });

  await step('a full file becomes the predecessor', async () => {
    const file = path.join(folder, 'full.jsonl');
    writeFileSync(file, `${' '.repeat(1048575)}\n`);
    const gate = await start([{ type: 'file', path: file, maxBytes: 1048576 }]);
    await gate.call('1');
    await gate.end();
    assert.equal(statSync(`${file}.1`).size, 1048576);
    assert.equal(calls(linesOf(file)), 1);
    assert.ok(!existsSync(`${file}.2`));
  });

  await step('a full disk costs events, which are counted, and nothing else', async () => {
    const gate = await start([{ type: 'stdout' }, { type: 'file', path: '/dev/full' }]);
    for (let i = 0; i < 3; i += 1) await gate.call(`${i}`);
    await gate.tells(/^Audit events can not be written to their file/);
    // What is lost is known when the next line comes.
    await until(async () => {
      await gate.call('again');
      return sample(await gate.metrics(), DROPPED, { sink: 'file', reason: 'failed' }) > 0;
    }, 'it to be counted');
    assert.equal(sample(await gate.metrics(), DROPPED, { sink: 'file', reason: 'overflow' }), 0);
    assert.equal(gate.said(/^Audit events can not be written to their file/).length, 1, gate.log());
    await gate.end();
  });

  await step('a receiver that is away for a while gets everything, in order', async () => {
    const receiver = await receiving();
    receiver.says(503);
    const gate = await start([{ type: 'stdout' }, webhook(receiver)]);
    await gate.call('1');
    await gate.tells(/^Audit events can not be delivered/);
    await gate.call('2');
    receiver.says(200, {}, 'thanks');
    const before = receiver.deliveries.length;
    await gate.tells(/^Audit events are delivered again/);
    await gate.end();
    assert.deepEqual(receiver.deliveries.slice(before).flatMap(({ body }) => JSON.parse(body)), gate.events);
  });

  for (const [what, prepare, detail] of [
    ['refuses', (r) => r.says(500), /HTTP 500/],
    ['redirects', (r) => r.says(307, { location: `http://127.0.0.1:${r.port}/other` }), /307/],
    ['hangs up without an answer', (r) => { r.answer = (request) => request.socket.destroy(); }, /./],
    ['closes its side and says nothing', (r) => { r.answer = (request) => request.socket.end(); }, /./],
    ['speaks nonsense', (r) => { r.answer = (request) => request.socket.end('SMTP 1\r\n\r\n'); }, /./],
    ['answers with a stream', (r) => { r.answer = (_, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: x\n\n'); }, /event stream/],
  ]) {
    await step(`one that ${what} gets four attempts; then its events are dropped and counted`, async () => {
      const receiver = await receiving();
      prepare(receiver);
      const gate = await start([webhook(receiver)]);
      await gate.call('1');
      const record = await gate.tells(/^Audit events can not be delivered/);
      assert.match(record.msg, detail);
      await until(async () => sample(await gate.metrics(), DROPPED, { sink: 'webhook', reason: 'failed' }) > 0,
        'its events to be dropped');
      const first = receiver.deliveries[0].body;
      assert.equal(receiver.deliveries.filter(({ body }) => body === first).length, 4);
      assert.equal(gate.said(/^Audit events can not be delivered/).length, 1);
      await gate.end();
    });
  }

  await step('one that hangs, one that is dead: calls go on, and the end waits for them for three seconds at most', async () => {
    const hanging = await receiving();
    hanging.answer = () => {};
    const gate = await start([{ type: 'stdout' }, webhook(hanging), webhook({ port: await deadPort() })]);
    for (let i = 0; i < 200; i += 1) await gate.call(`${i}`);
    assert.equal(hanging.requests, 1, 'one delivery at a time');
    await gate.end();
    assert.equal(calls(gate.events), 200);
  });

  await step('one that is slow gets everything, and no call waits for it', async () => {
    const receiver = await receiving();
    const order = [];
    let unanswered = 0;
    let allCalled;
    const called = new Promise((done) => { allCalled = done; });
    // The first delivery is answered a second after the last call; each that follows, a second after it came.
    receiver.answer = async (_, response) => {
      unanswered += 1;
      await called;
      await sleep(1000);
      order.push('answered');
      unanswered -= 1;
      response.writeHead(204).end();
    };
    const gate = await start([{ type: 'stdout' }, webhook(receiver)]);
    await until(() => receiver.deliveries.length === 1, 'the first delivery');
    for (let i = 0; i < 20; i += 1) {
      await gate.call(`${i}`);
      order.push('called');
    }
    allCalled();
    await until(() => calls(receiver.events) === 20, 'all to arrive');
    receiver.says(204); // the end does not wait for long
    await until(() => unanswered === 0, 'the late answers');
    assert.deepEqual(order.slice(0, 20), Array(20).fill('called'));
    assert.ok(order.includes('answered'));
    await gate.end();
    assert.deepEqual(receiver.events, gate.events, 'in order, and none twice');
    assert.deepEqual(gate.said(/^Audit events can not be delivered/), []);
  });

  await step('more than a receiver has room for: the oldest that wait are dropped', async () => {
    const receiver = await receiving();
    receiver.answer = () => {};
    const gate = await start([{ type: 'stdout' }, webhook(receiver)]);
    for (let i = 0; i < 1300; i += 1) await gate.session.request('tools/call', { name: 'none__x', arguments: {} });
    await until(() => calls(gate.events) === 1300, 'all events to be written');
    await gate.shows(DROPPED, { sink: 'webhook', reason: 'overflow' }, gate.events.length - 1024);
    await gate.end();
  });

  await step('what is wrong is told at the start, with its place and without the secret', async () => {
    const config = path.join(folder, 'wrong.json');
    const upstreams = [{ id: 'a', url: upstream.url }];
    mkdirSync(path.join(folder, 'a folder'));
    writeFileSync(config, JSON.stringify({
      upstreams,
      audit: { sinks: [
        { type: 'file', path: path.join(folder, 'no such folder', 'x') }, { type: 'file', path: path.join(folder, 'a folder') },
        { type: 'webhook', url: 'https://r.test/', bearerSecretRef: 'MISSING' },
        { type: 'webhook', url: 'https://r.test/', bearerSecretRef: 'EVIL' }] },
    }));
    const ended = await runToEnd(binary, ['--config', config, '--port', '0'], { env: cleanEnvironment({ EVIL: 'x\r\nHost: evil' }) });
    assert.equal(ended.code, 1);
    const said = ended.child.err.join('\n');
    for (const wrong of [
      '/audit/sinks/0/path: it can not be opened: No such file or directory',
      '/audit/sinks/1/path: it can not be opened: Is a directory',
      '/audit/sinks/2/bearerSecretRef: the environment variable MISSING is not set',
      '/audit/sinks/3/bearerSecretRef: the environment variable EVIL holds what is not a bearer token',
    ]) assert.ok(said.includes(wrong), said);
    assert.ok(!said.includes('Host: evil'), said);
  });
});
