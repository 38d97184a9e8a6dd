// What a client of the session generation does with the tasks of a peer, and what must come of it: the same steps
// directly and through the gateway, whichever dialect of tasks the peer behind it speaks.
import assert from 'node:assert/strict';
import { Connection, format } from '../../../simulations/peers/http.mjs';
import { Session } from '../../../simulations/peers/mcp.mjs';
import { ODD_MEMBERS, ODD_META } from '../../../simulations/peers/offering.mjs';
import { RELATED } from '../../../simulations/peers/session_tasks.mjs';
import { Stream } from '../../../simulations/peers/stateless_client.mjs';
import { ODD_TASK } from '../../../simulations/peers/tasks.mjs';
import { until } from '../../../simulations/peers/waiting.mjs';
import { requirePackages } from './everything.mjs';
import { transportTo } from './sdk.mjs';
import { answering, textOf } from './stateless_exchange.mjs';
import { ADA, ELICITATION, FOR_ADA, NOBODYS, assertHolds, became, released } from './task_exchange.mjs';

requirePackages();
const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
const types = await import('@modelcontextprotocol/sdk/types.js');

/** A client with a session, and what it does about tasks. */
export class SessionCaller {
  #opened = 0;

  static async open(target, { prefix = '', token, capabilities = ELICITATION } = {}) {
    return Object.assign(new this(), { prefix, session: await Session.open(target, { token, capabilities }) });
  }

  /** Makes a task of a call: its answer. */
  call(name, args = {}, task = { ttl: 60_000 }) {
    return this.session.request('tools/call', { name: this.prefix + name, arguments: args, task });
  }

  /** The same where it must become one: its id. */
  async begin(name, args) {
    const { result, error } = await this.call(name, args);
    assert.equal(typeof result?.task?.taskId, 'string', JSON.stringify(error ?? result));
    return result.task.taskId;
  }

  ask(method, taskId) {
    return this.session.request(method, { taskId });
  }

  get = (taskId) => this.ask('tasks/get', taskId);

  /** Begins to wait for the result of a task, on a stream that is read as it comes. */
  async wait(taskId) {
    this.#opened += 1;
    const { port, path } = this.session;
    const body = JSON.stringify({ jsonrpc: '2.0', id: `wait-${this.#opened}`, method: 'tasks/result', params: { taskId } });
    const connection = await Connection.open(port);
    connection.write(format({ port, path, headers: this.session.headers(), body }));
    const head = await connection.head();
    assert.equal(head?.status, 200, head?.block);
    assert.match(head.headers.get('content-type') ?? '', /^text\/event-stream/, head.block);
    return new Stream(connection, head);
  }

  async reply(id, rest) {
    assert.equal((await this.session.post({ jsonrpc: '2.0', id, ...rest })).status, 202);
  }
}

async function lifeForSessions({ on, caller, server, verbatim }) {
  await on('a call becomes a task, which works, is finished and has its result', async () => {
    const { result, text, error } = await caller.call('job', { steps: 3 });
    assert.ok(result, JSON.stringify(error));
    assert.ok(!('resultType' in result) || result.resultType === 'complete', text);
    const { taskId, status, createdAt, lastUpdatedAt, ttl, pollInterval } = result.task;
    assert.deepEqual([typeof taskId, status, ttl, pollInterval], ['string', 'working', 60_000, 50]);
    for (const time of [createdAt, lastUpdatedAt]) assert.ok(!Number.isNaN(Date.parse(time)), time);
    for (const member of ['taskId', 'ttlMs', 'pollIntervalMs', 'content']) assert.ok(!(member in result), `${member}: ${text}`);
    if (verbatim) assertHolds(text, ODD_TASK);

    const working = await caller.get(taskId);
    assert.deepEqual([working.result?.taskId, working.result?.status, working.result?.ttl], [taskId, 'working', 60_000], working.text);
    assert.equal(working.result.statusMessage, 'step 3');
    for (const member of ['task', 'ttlMs', 'result', 'inputRequests']) assert.ok(!(member in working.result), `${member}: ${working.text}`);
    if (verbatim) assertHolds(working.text, ODD_TASK);

    server.finish(taskId);
    const done = await became(caller.get, taskId, 'completed');
    assert.ok(!('result' in done.result) && !('error' in done.result), done.text);
    const last = await caller.ask('tasks/result', taskId);
    assertHolds(last.text, ODD_MEMBERS, ODD_META);
    assert.deepEqual(last.result._meta[RELATED], { taskId });
    assert.ok(!('status' in last.result), last.text);
  });

  await on('who waits for a result waits until there is one', async () => {
    const taskId = await caller.begin('job');
    const asked = () => [...server.of('tasks/result'), ...server.of('tasks/get')].filter(({ params }) => params.taskId === taskId).length;
    const before = asked();
    let waiting = true;
    const waits = Promise.all([1, 2].map(() => caller.ask('tasks/result', taskId))).finally(() => { waiting = false; });
    await until(() => !waiting || asked() >= before + 2, 'the server to be asked for it');
    assert.ok(waiting, 'there is no result yet');
    server.finish(taskId);
    for (const { text } of await waits) assertHolds(text, ODD_MEMBERS);
  });

  await on('a tool that says that it went wrong has failed, and its result says how', async () => {
    const taskId = await caller.begin('job', { ends: 'failed' });
    server.finish(taskId);
    await became(caller.get, taskId, 'failed');
    const { result, error } = await caller.ask('tasks/result', taskId);
    assert.deepEqual([result?.isError, result?.content[0].text], [true, 'the job went wrong'], JSON.stringify(error));
    assert.deepEqual(result._meta[RELATED], { taskId });
  });

  await on('a task that ends in an error has failed, and the error is what its result is', async () => {
    const taskId = await caller.begin('job', { ends: 'error' });
    server.finish(taskId);
    await became(caller.get, taskId, 'failed');
    const { error, result } = await caller.ask('tasks/result', taskId);
    assert.deepEqual([error?.code, error?.message, error?.data], [4711, 'the job ended', { why: [1, 'ä'] }], JSON.stringify(result));
  });

  await on('a task is cancelled, once', async () => {
    const taskId = await caller.begin('job');
    const { result, error } = await caller.ask('tasks/cancel', taskId);
    assert.deepEqual([result?.taskId, result?.status, result?.ttl], [taskId, 'cancelled', 60_000], JSON.stringify(error ?? result));
    assert.equal((await caller.get(taskId)).result?.status, 'cancelled');
    assert.equal(server.tasks.all.get(taskId).status, 'cancelled', 'at the server, too');
    assert.equal((await caller.ask('tasks/cancel', taskId)).error?.code, -32602);
    const ended = await caller.ask('tasks/result', taskId);
    assert.ok(ended.error, ended.text);
  });

  await on('a task that is over is not cancelled any more', async () => {
    const taskId = await caller.begin('job');
    server.finish(taskId);
    await became(caller.get, taskId, 'completed');
    assert.equal((await caller.ask('tasks/cancel', taskId)).error?.code, -32602);
    assertHolds((await caller.ask('tasks/result', taskId)).text, ODD_MEMBERS);
  });

  await on('who is waited for is not lost when somebody else cancels', async () => {
    const taskId = await caller.begin('job');
    const waits = caller.ask('tasks/result', taskId);
    assert.equal((await caller.ask('tasks/cancel', taskId)).result?.status, 'cancelled');
    assert.ok((await waits).error);
  });
}

async function questionsForSessions({ on, caller, server, target, prefix, token, url }) {
  const stateless = server.offering.generation === 'stateless';

  await on('a task asks its client where that waits for the result', async () => {
    const taskId = await caller.begin('job_asking');
    const asking = await became(caller.get, taskId, 'input_required');
    assert.ok(!('inputRequests' in asking.result), asking.text);
    const stream = await caller.wait(taskId);
    const question = await stream.until(({ method }) => method === 'elicitation/create', 'the question');
    assert.deepEqual([question.params.message, question.params.requestedSchema.required], ['For whom?', ['name']]);
    await caller.reply(question.id, { result: ADA });
    const { result, error } = await stream.until((message) => 'result' in message || 'error' in message, 'the result');
    assert.equal(textOf({ result, error }), FOR_ADA);
    assert.deepEqual(result._meta[RELATED], { taskId });
    assert.equal((await caller.get(taskId)).result.status, 'completed');
    if (!stateless) return;
    const updates = server.of('tasks/update').filter(({ params }) => params.taskId === taskId);
    assert.equal(updates.length, 1, 'the answer is sent once');
    assert.deepEqual(Object.values(updates[0].params.inputResponses), [ADA]);
  });

  const isQuestion = ({ method }) => method === 'elicitation/create';
  await on('a question says of which task it is', async () => {
    const taskId = await caller.begin('job_asking');
    const stream = await caller.wait(taskId);
    const { params } = await stream.until(isQuestion, 'the question');
    assert.equal((await caller.ask('tasks/cancel', taskId)).result?.status, 'cancelled');
    stream.close();
    assert.deepEqual(params._meta?.[RELATED], { taskId });
  });

  await on('who comes back to wait is asked again', async () => {
    const taskId = await caller.begin('job_asking');
    const left = await caller.wait(taskId);
    await left.until(isQuestion, 'the question');
    left.close();
    const stream = await caller.wait(taskId);
    const { id } = await stream.until(isQuestion, 'the question again');
    await caller.reply(id, { result: { action: 'decline' } });
    const { result, error } = await stream.until((message) => 'result' in message || 'error' in message, 'the result');
    assert.equal(textOf({ result, error }), 'done for decline');
  });

  if (stateless)
    await on('a task of a client that can not be asked fails', async () => {
      const mute = await SessionCaller.open(target, { prefix, token, capabilities: {} });
      const taskId = await mute.begin('job_asking');
      await became(mute.get, taskId, 'failed');
      assert.ok((await mute.ask('tasks/result', taskId)).error);
    });

  await on('the official client waits for a task that asks it', async () => {
    const client = new Client({ name: 'gate-tasks', version: '1' }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(types.ElicitRequestSchema, answering);
    const { transport } = transportTo(url, token && { token: () => token });
    await client.connect(transport);
    const messages = [];
    for await (const message of client.experimental.tasks.callToolStream(
      { name: `${prefix}job_asking`, arguments: {} }, types.CallToolResultSchema, { task: { ttl: 60_000 } })) messages.push(message);
    assert.equal(messages[0].type, 'taskCreated', JSON.stringify(messages));
    assert.equal(messages.at(-1).type, 'result', JSON.stringify(messages.at(-1)));
    assert.equal(messages.at(-1).result.content[0].text, 'done for my name');
    // It says again that it wants a task when it asks for one.
    if (!stateless) server.violations = server.violations.filter(({ rule }) => !/^params\.task of tasks\//.test(rule));
    await transport.terminateSession();
    await client.close();
  });
}

async function callsOfSessions({ on, caller, server, prefix, unknown }) {
  const { session } = caller;
  const stateless = server.offering.generation === 'stateless';
  const supportOf = async (...names) => {
    const { items } = await session.list('tools/list', 'tools');
    return names.map((name) => items.find((item) => item.name === prefix + name)?.execution?.taskSupport);
  };

  await on('the list says which tools can be tasks', async () => {
    const expected = stateless ? ['optional', 'optional', 'optional'] : ['optional', 'required', undefined];
    assert.deepEqual(await supportOf('job', 'job_only', 'echo'), expected);
  });

  await on('a call that shall be no task has its result', async () => {
    const { text, result, error } = await released(server, () => session.call(`${prefix}job`));
    assert.ok(result, JSON.stringify(error));
    assertHolds(text, ODD_MEMBERS, ODD_META);
    assert.ok(!('task' in result) && !(RELATED in result._meta), text);
  });

  await on('a task that nobody has is unknown', async () => {
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      assert.equal((await caller.ask(method, NOBODYS)).error?.code, unknown, method);
  });

  if (stateless) {
    await on('a tool that is none at the server is a task that is over at once', async () => {
      const { result, error } = await caller.call('echo', { text: 'hi' });
      assert.equal(result?.task?.status, 'completed', JSON.stringify(error ?? result));
      const { taskId } = result.task;
      assert.equal((await caller.get(taskId)).result?.status, 'completed');
      const last = await caller.ask('tasks/result', taskId);
      assert.equal(textOf(last), `${server.name}: hi`);
      assert.deepEqual(last.result._meta[RELATED], { taskId });
      assert.equal((await caller.ask('tasks/cancel', taskId)).error?.code, -32602);
      const failed = await caller.call('fails');
      assert.equal(failed.result?.task?.status, 'failed', failed.text);
      assert.equal((await caller.ask('tasks/result', failed.result.task.taskId)).result?.isError, true);
    });
    return;
  }

  await on('tasks are listed', async () => {
    const taskId = await caller.begin('job');
    const { items } = await session.list('tasks/list', 'tasks');
    const listed = items.filter((task) => task.taskId === taskId);
    assert.deepEqual(listed.map(({ status, ttl }) => [status, ttl]), [['working', 60_000]]);
    await caller.ask('tasks/cancel', taskId);
  });

  await on('what has to be a task, or can not be one, is refused by its server', async () => {
    assert.equal((await session.call(`${prefix}job_only`)).error?.code, -32601);
    const before = server.violations.length;
    assert.equal((await caller.call('echo')).error?.code, -32601);
    server.violations.length = before; // Its client had been told.
  });
}

/**
 * All steps of a client with a session, with the tasks of the peer `server` behind `target`, its names with
 * `prefix`; `direct`: there is nothing between them.
 */
export async function tasksOfSession({ on, target, server, prefix = '', token, direct = false }) {
  const caller = await on('it opens a session', () => SessionCaller.open(target, { prefix, token }));
  if (!caller) return;
  const all = {
    on, caller, server, prefix, token, target, url: target.url, unknown: direct ? -32602 : -32002,
    verbatim: server.offering.generation === 'session',
  };
  for (const part of [lifeForSessions, questionsForSessions, callsOfSessions]) await part(all);
  await on('it ends its session', () => caller.session.end());
}
