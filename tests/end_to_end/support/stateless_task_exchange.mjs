// What a stateless client does with the tasks of a peer, and what must come of it: the same steps directly and
// through the gateway, whichever dialect of tasks the peer behind it speaks.
import assert from 'node:assert/strict';
import { ODD_MEMBERS, ODD_META } from '../../../simulations/peers/offering.mjs';
import { StatelessClient } from '../../../simulations/peers/stateless_client.mjs';
import { TASKS, TASK_METHODS } from '../../../simulations/peers/stateless_rules.mjs';
import { ODD_TASK } from '../../../simulations/peers/tasks.mjs';
import { textOf } from './stateless_exchange.mjs';
import { ADA, ELICITATION, FOR_ADA, NOBODYS, TAKES_TASKS, assertHolds, became, released } from './task_exchange.mjs';

/** What who does not declare the extension is told that it lacks. */
export const REQUIRED = { extensions: { [TASKS]: {} } };

/** What a stateless client does about tasks. */
export class StatelessCaller {
  constructor(target, { prefix = '', token, capabilities = TAKES_TASKS } = {}) {
    this.prefix = prefix;
    this.client = new StatelessClient(target, { capabilities, token });
  }

  call(name, args = {}) {
    return this.client.call(this.prefix + name, args);
  }

  async begin(name, args) {
    const { result, error } = await this.call(name, args);
    assert.deepEqual([result?.resultType, typeof result?.taskId], ['task', 'string'], JSON.stringify(error ?? result));
    return result.taskId;
  }

  ask(method, taskId, more = {}, options = {}) {
    const needs = method === 'tasks/update' ? { inputResponses: {} } : {};
    return this.client.request(method, { taskId, ...needs, ...more }, options);
  }

  get = (taskId) => this.ask('tasks/get', taskId);
}

function assertAcknowledged({ status, result, error }) {
  const { _meta, ...rest } = result ?? {};
  assert.deepEqual([status, rest], [200, { resultType: 'complete' }], JSON.stringify(error));
}

async function lifeForStateless({ on, caller, server, job, verbatim }) {
  await on('a call becomes a task, which works, is finished and has its result', async () => {
    const { result, text, error, headers } = await caller.call(job, { steps: 3 });
    assert.ok(result, JSON.stringify(error));
    const { resultType, taskId, status, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = result;
    assert.deepEqual([resultType, typeof taskId, status, pollIntervalMs], ['task', 'string', 'working', 50], text);
    assert.ok(ttlMs === null || (Number.isInteger(ttlMs) && ttlMs > 0), text);
    for (const time of [createdAt, lastUpdatedAt]) assert.ok(!Number.isNaN(Date.parse(time)), time);
    for (const member of ['task', 'ttl', 'pollInterval', 'content']) assert.ok(!(member in result), `${member}: ${text}`);
    assert.equal(headers.get('mcp-session-id'), undefined);
    if (verbatim) assertHolds(text, ODD_TASK);

    const working = await caller.get(taskId);
    assert.deepEqual([working.result?.resultType, working.result?.taskId, working.result?.status], ['complete', taskId, 'working'], working.text);
    assert.equal(working.result.statusMessage, 'step 3');
    for (const member of ['task', 'ttl', 'pollInterval', 'result', 'error', 'inputRequests'])
      assert.ok(!(member in working.result), `${member}: ${working.text}`);
    if (verbatim) assertHolds(working.text, ODD_TASK);

    server.finish(taskId);
    const done = await became(caller.get, taskId, 'completed');
    assert.equal(done.result.resultType, 'complete');
    assertHolds(done.text, ODD_MEMBERS, ODD_META, ...(verbatim ? [ODD_TASK] : []));
    assert.ok(Array.isArray(done.result.result?.content), done.text);
  });

  await on('a tool that says that it went wrong is completed all the same', async () => {
    const taskId = await caller.begin(job, { ends: 'failed' });
    server.finish(taskId);
    const { result, text } = await became(caller.get, taskId, 'completed');
    assert.deepEqual([result.result?.isError, result.result?.content[0].text], [true, 'the job went wrong'], text);
  });

  await on('a task that ends in an error has failed, and says with which', async () => {
    const taskId = await caller.begin(job, { ends: 'error' });
    server.finish(taskId);
    const { result, text } = await became(caller.get, taskId, 'failed');
    assert.deepEqual(result.error, { code: 4711, message: 'the job ended', data: { why: [1, 'ä'] } }, text);
    assert.ok(!('result' in result), text);
  });

  await on('a task is cancelled', async () => {
    const taskId = await caller.begin(job);
    assertAcknowledged(await caller.ask('tasks/cancel', taskId));
    const { result } = await became(caller.get, taskId, 'cancelled');
    assert.ok(!('result' in result) && !('error' in result));
    assert.equal(server.tasks.all.get(taskId).status, 'cancelled', 'at the server, too');
  });

  await on('a hundred tasks at once each have their own end', async () => {
    const ends = ['completed', 'failed', 'error'];
    const ids = await Promise.all(Array.from({ length: 100 }, (_, i) => caller.begin(job, { ends: ends[i % 3] })));
    assert.equal(new Set(ids).size, 100);
    ids.forEach((taskId) => server.finish(taskId));
    const ended = await Promise.all(ids.map((taskId, i) => became(caller.get, taskId, i % 3 === 2 ? 'failed' : 'completed')));
    ended.forEach(({ result }, i) => assert.deepEqual([result.taskId, result.result?.isError ?? false, result.error?.code],
      [ids[i], i % 3 === 1, i % 3 === 2 ? 4711 : undefined]));
  });
}

async function questionsForStateless({ on, caller, asking }) {
  await on('a task says what it wants to know, and is told', async () => {
    const taskId = await caller.begin(asking);
    const { result, text } = await became(caller.get, taskId, 'input_required');
    assert.equal(result.resultType, 'complete');
    const [[key, request], ...others] = Object.entries(result.inputRequests);
    assert.deepEqual([others, request.method, request.params.message], [[], 'elicitation/create', 'For whom?'], text);
    assert.ok(!('id' in request) && !('jsonrpc' in request) && !('result' in result), text);

    assertAcknowledged(await caller.ask('tasks/update', taskId, { inputResponses: { [`${key}-of-nobody`]: ADA } }));
    const still = await caller.get(taskId);
    assert.deepEqual([still.result?.status, Object.keys(still.result?.inputRequests ?? {})], ['input_required', [key]], still.text);

    assertAcknowledged(await caller.ask('tasks/update', taskId, { inputResponses: { [key]: ADA } }));
    const done = await became(caller.get, taskId, 'completed');
    assert.equal(textOf({ result: done.result.result }), FOR_ADA);
    assert.ok(!('inputRequests' in done.result), done.text);
  });

  await on('to decline is an answer; one that comes again is not looked at', async () => {
    const taskId = await caller.begin(asking);
    const { result } = await became(caller.get, taskId, 'input_required');
    const inputResponses = Object.fromEntries(Object.keys(result.inputRequests).map((key) => [key, { action: 'decline' }]));
    assertAcknowledged(await caller.ask('tasks/update', taskId, { inputResponses }));
    const done = await became(caller.get, taskId, 'completed');
    assert.equal(textOf({ result: done.result.result }), 'done for decline');
    const again = Object.fromEntries(Object.keys(inputResponses).map((key) => [key, ADA]));
    assertAcknowledged(await caller.ask('tasks/update', taskId, { inputResponses: again }));
    assert.equal(textOf({ result: (await caller.get(taskId)).result?.result }), 'done for decline');
  });
}

async function refusalsForStateless({ on, caller, server, job, prefix, target, token, direct }) {
  const plain = new StatelessCaller(target, { prefix, token, capabilities: ELICITATION });
  /** Through the gateway the server hears nothing of what is refused. */
  const excused = async (fn) => {
    const before = server.violations.length;
    await fn();
    if (direct) server.violations.length = before;
  };

  await on('who does not take tasks gets none, and hears of none', () => excused(async () => {
    const { result, text, error } = await released(server, () => plain.call('job'));
    assert.equal(result?.resultType, 'complete', JSON.stringify(error ?? result));
    assertHolds(text, ODD_MEMBERS, ODD_META);

    const refused = ({ status, error: said, result: gave }) =>
      assert.deepEqual([status, said?.code, said?.data?.requiredCapabilities], [400, -32021, REQUIRED], JSON.stringify(said ?? gave));
    refused(await plain.call('job_only'));
    const taskId = await caller.begin(job);
    for (const method of TASK_METHODS) for (const id of [taskId, NOBODYS]) refused(await plain.ask(method, id));
    assert.equal((await caller.get(taskId)).result?.status, 'working');
    server.finish(taskId);
  }));

  await on('a task that nobody has is unknown', async () => {
    for (const method of TASK_METHODS) {
      const { status, error, text } = await caller.ask(method, NOBODYS);
      assert.deepEqual([status, error?.code], [200, -32602], `${method}: ${text}`);
    }
  });

  await on('the header says which task it is', () => excused(async () => {
    const taskId = await caller.begin(job);
    for (const method of TASK_METHODS)
      for (const name of [null, NOBODYS, '', taskId.toUpperCase()]) {
        const { status, error } = await caller.ask(method, taskId, {}, { headers: { 'Mcp-Name': name } });
        assert.deepEqual([status, error?.code], [400, -32020], `${method} ${name}`);
      }
    assert.equal((await caller.get(taskId)).result?.status, 'working', 'nothing of it was heard');
    server.finish(taskId);
  }));
}

/** What only the server of the same generation does, and nothing between changes. */
async function verbatimForStateless({ on, caller, server, job }) {
  await on('an id that no header holds as it is', async () => {
    const { nextId } = server.tasks;
    server.tasks.nextId = () => ` ä☃/=?base64?x?= ${nextId()}\t`;
    try {
      const taskId = await caller.begin(job);
      assert.match(taskId, /^ ä☃/);
      assert.equal((await caller.get(taskId)).result?.taskId, taskId);
      assertAcknowledged(await caller.ask('tasks/cancel', taskId));
      assertAcknowledged(await caller.ask('tasks/cancel', taskId));
      assert.equal((await caller.get(taskId)).result?.status, 'cancelled');
    } finally {
      server.tasks.nextId = nextId;
    }
  });
}

/** The same of a stateless client. */
export async function tasksOfStateless({ on, target, server, prefix = '', token, direct = false }) {
  const verbatim = server.offering.generation === 'stateless';
  const [job, asking] = verbatim ? ['job', 'job_asking'] : ['job_only', 'job_asking_only'];
  const caller = new StatelessCaller(target, { prefix, token });
  const all = { on, caller, server, job, asking, prefix, target, token, verbatim, direct };
  const parts = [lifeForStateless, questionsForStateless, refusalsForStateless, ...(verbatim ? [verbatimForStateless] : [])];
  for (const part of parts) await part(all);
}
