// Clients and servers that are wrong about tasks, in both dialects. Whatever they say, each request has one answer,
// nobody is asked more often than ten times a second, and good tasks go on beside them.
import assert from 'node:assert/strict';
import { Gate } from '../../../simulations/peers/gate.mjs';
import { Exactly } from '../../../simulations/peers/offering.mjs';
import { residentKiB } from '../../../simulations/peers/process.mjs';
import { SessionUpstream } from '../../../simulations/peers/session_upstream.mjs';
import { TASK_METHODS, encoded } from '../../../simulations/peers/stateless_rules.mjs';
import { StatelessUpstream } from '../../../simulations/peers/stateless_upstream.mjs';
import { sleep, until, within } from '../../../simulations/peers/waiting.mjs';
import {
  badAnswers, badIds, badResponses, badResults, badTasksOfSessions, badTasksOfStateless, badWishes, polls, working,
} from './hostile_task_words.mjs';
import { SessionCaller } from './session_task_exchange.mjs';
import { StatelessCaller } from './stateless_task_exchange.mjs';
import { became } from './task_exchange.mjs';

const SESSION_METHODS = ['tasks/get', 'tasks/result', 'tasks/cancel'];
/** Nobody is asked for a task more often. */
const PER_SECOND = 10;
const WATCHED_MS = 3000;
/** So much more than after the first time nothing may cost that is done again. */
const SPARE_KIB = 16 * 1024;
/** AddressSanitizer keeps what was freed, which would look as if the gateway kept it. */
const FREED_IS_FREE = { ASAN_OPTIONS: `${process.env.ASAN_OPTIONS ?? ''}:quarantine_size_mb=1` };

/** A gateway in front of a server of each generation, `name => server`, and what all parts ask of them. */
async function world(binary) {
  const servers = {
    new: await StatelessUpstream.start({ name: 'new', tasks: true }), old: await SessionUpstream.start({ name: 'old', tasks: true }),
  };
  // What is wrong is the server's doing, not that it is gone: no circuit opens.
  const upstreams = Object.values(servers).map(({ name, url }) => ({
    id: name, url, namespace: name, protocol: 'auto', timeouts: { requestMs: 3000 }, circuitBreaker: { failureThreshold: 1000 },
  }));
  const gate = await Gate.start(binary, { upstreams }, { env: FREED_IS_FREE });
  const good = [];
  for (const prefix of ['new__', 'old__']) good.push(new StatelessCaller(gate, { prefix }), await SessionCaller.open(gate, { prefix }));
  return {
    gate, servers, good,
    /** A task in each cell, begun, ended, and told of. */
    async serves() {
      for (const caller of good) {
        const server = servers[caller.prefix.slice(0, 3)];
        const taskId = await caller.begin(caller instanceof StatelessCaller ? 'job_only' : 'job');
        server.finish(taskId);
        await became(caller.get, taskId, 'completed');
      }
    },
    async end() {
      await gate.end();
      await Promise.all(Object.values(servers).map((server) => server.stop()));
    },
  };
}

/** The header that says what the body says, as far as a header can: else there is none. */
function headerOf(id) {
  const [text] = id?.match(/^"[^"]*"/) ?? [];
  return text === undefined ? null : encoded(JSON.parse(text));
}

/** One answer that is a refusal, or a connection that is closed instead: more may have been sent than is read. */
async function assertRefused(post) {
  let answer;
  try {
    answer = await post();
  } catch (error) {
    assert.match(error.message, /the connection was closed|the connection ended/);
    return undefined;
  }
  const json = answer.body.startsWith('{') && JSON.parse(answer.body);
  assert.ok(answer.status >= 400 || json.error, `${answer.status} ${answer.body.slice(0, 300)}`);
  return { status: answer.status, code: json?.error?.code };
}

/** Clients that ask for tasks in ways that nobody can answer. */
export async function hostileClients({ step, binary }) {
  const { gate, good, serves, end } = await world(binary);
  const callers = good.filter(({ prefix }) => prefix === 'new__');
  const [stateless, { session }] = callers;

  for (const [what, id] of badIds)
    await step(`hostile: clients: ${what} as the id of a task`, async () => {
      const params = `"taskId":${id}`;
      const asked = id === undefined ? '' : params;
      const events = await gate.eventsOf(async () => {
        for (const method of SESSION_METHODS) {
          const { code } = await assertRefused(() => session.post(`{"jsonrpc":"2.0","id":7,"method":"${method}","params":{${asked}}}`));
          assert.ok([-32602, -32002, -32600, -32700].includes(code), `${method}: ${code}`);
        }
        for (const method of TASK_METHODS) {
          const message = stateless.client.message(method, { taskId: 'placeholder', inputResponses: {} }, { id: 7 });
          const text = JSON.stringify(message).replace('"taskId":"placeholder"', asked || '"none":1');
          const { status, code } = await assertRefused(() => stateless.client.post(message, { headers: { 'Mcp-Name': headerOf(id) }, text }));
          assert.ok([200, 400].includes(status) && [-32602, -32020, -32600, -32700].includes(code), `${method}: ${status} ${code}`);
        }
      });
      assert.equal(events.length, SESSION_METHODS.length + TASK_METHODS.length, JSON.stringify(events));
      assert.ok(events.every(({ outcome }) => outcome !== 'ok'));
    });

  await step('hostile: clients: ids of ten megabytes', async () => {
    const huge = 'x'.repeat(10 * 1024 * 1024);
    const ask = async () => {
      for (const method of SESSION_METHODS) await assertRefused(() => session.post({ jsonrpc: '2.0', id: 7, method, params: { taskId: huge } }));
      for (const method of TASK_METHODS)
        for (const name of [huge, 'x', null]) {
          const message = stateless.client.message(method, { taskId: huge, inputResponses: {} });
          await assertRefused(() => stateless.client.post(message, { headers: { 'Mcp-Name': name } }));
        }
      return residentKiB(gate.process.pid);
    };
    const first = await ask();
    for (let round = 0; round < 4; round += 1) {
      const again = await ask();
      assert.ok(again < first + SPARE_KIB, `${again} KiB after ${first} KiB`);
    }
    await serves();
  });

  for (const [prefix, asking] of [['new__', 'job_asking'], ['old__', 'job_asking_only']])
    await step(`hostile: clients: answers that are none, to ${prefix}`, async () => {
      const caller = new StatelessCaller(gate, { prefix });
      const taskId = await caller.begin(asking);
      await became(caller.get, taskId, 'input_required');
      const said = await Promise.all(badResponses.map((inputResponses) => caller.ask('tasks/update', taskId, { inputResponses })));
      assert.deepEqual(said.map(({ error }) => error?.code), badResponses.map(() => -32602), said.map(({ text }) => text).join('\n'));
      assert.equal((await caller.get(taskId)).result?.status, 'input_required');
      assert.ok((await caller.ask('tasks/cancel', taskId)).result);
    });

  for (const prefix of ['new__', 'old__'])
    await step(`hostile: clients: wishes for a task that are none, to ${prefix}`, async () => {
      for (const wish of badWishes) {
        const message = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"${prefix}echo","arguments":{"text":"x"},"task":${wish}}}`;
        const answer = await session.post(message);
        assert.equal(answer.status, 200, `${wish}: ${answer.body}`);
      }
      await serves();
    });
  await step('hostile: clients: the gateway ends', end);
}

/** It can be asked for. */
function assertNamed({ taskId } = {}, text) {
  assert.ok(typeof taskId === 'string' && taskId, text.slice(0, 300));
}

/** What a client with a session is told of a task is in its words, and one that it can ask for. */
function assertOfSessions({ result, error, text }) {
  assert.ok(result ?? error, text);
  if (!result) return;
  assert.ok(!['task', 'input_required'].includes(result.resultType), text.slice(0, 300));
  if ('task' in result) assertNamed(result.task ?? {}, text);
}

/** The same without one, of a server with sessions: what is no task does not pass for a result. */
function assertOfStateless({ result, error, text }) {
  assert.ok(result ?? error, text);
  if (!result) return;
  if (result.resultType === 'task') assertNamed(result, text);
  else assert.ok(!('task' in result), text.slice(0, 300));
}

/** Servers whose tasks are none. */
export async function hostileServers({ step, binary }) {
  const { servers, good, serves, end } = await world(binary);
  const [ofNew, sessionOfNew, ofOld, sessionOfOld] = good;

  for (const [what, members] of badTasksOfStateless)
    await step(`hostile: servers: without sessions, a task ${what}`, async () => {
      servers.new.on('tools/call', (call) => call.result(new Exactly(members), 'task'));
      const same = await ofNew.call('job');
      assert.ok(same.result ?? same.error, same.text);
      assertOfSessions(await sessionOfNew.call('job'));
      const plain = await sessionOfNew.session.call('new__job');
      assertOfSessions(plain);
      assert.ok(!plain.result?.task, 'who wants none gets none');
      servers.new.restore();
      await serves();
    });

  for (const [what, raw] of badTasksOfSessions)
    await step(`hostile: servers: with sessions, ${what}`, async () => {
      servers.old.on('tools/call', (call) => call.result(raw));
      assertOfStateless(await ofOld.call('job_only'));
      assert.ok((await sessionOfOld.call('job')).text);
      servers.old.restore();
      await serves();
    });

  /** Says of all tasks of `rows`, `[what, raw]`, by turns, what they have for it; begun by `caller`. */
  const wronglyTold = async ({ server, caller, rows, job, method, otherwise, say }) => {
    const told = new Map();
    for (const [what, raw] of rows) told.set(await caller.begin(job), { what, raw });
    const answers = (each) => (call) => {
      const row = told.get(call.params.taskId);
      return row ? say(call, row, each) : call.error({ code: -32602, message: 'not here' });
    };
    server.on('tasks/get', answers('tasks/get'));
    if (otherwise) server.on(otherwise, answers(otherwise));
    const asked = await Promise.all([...told].map(async ([taskId, { what }]) => {
      const answer = await within(caller.ask(method, taskId), `an answer about ${what}`);
      assert.ok(answer.result ?? answer.error, `${what}: ${answer.text}`);
      return [what, answer];
    }));
    server.restore();
    return asked;
  };
  const sayRaw = (call, { raw }) => call.result(new Exactly(raw(call.params.taskId)));

  await step('hostile: servers: without sessions, answers about tasks that are none', async () => {
    const about = { server: servers.new, rows: badAnswers, job: 'job', say: sayRaw };
    await wronglyTold({ ...about, caller: ofNew, method: 'tasks/get' });
    for (const method of ['tasks/get', 'tasks/cancel'])
      for (const [, answer] of await wronglyTold({ ...about, caller: sessionOfNew, method })) assertOfSessions(answer);
    await serves();
  });

  await step('hostile: servers: without sessions, answers that are none to who waits for a result', async () => {
    const told = new Map();
    const asked = new Map();
    for (const [what, raw] of badAnswers) told.set(await sessionOfNew.begin('job'), { what, raw });
    servers.new.on('tasks/get', (call) => {
      const { taskId } = call.params;
      asked.set(taskId, (asked.get(taskId) ?? 0) + 1);
      return told.has(taskId) ? sayRaw(call, told.get(taskId)) : call.error({ code: -32602, message: 'not here' });
    });
    const began = performance.now();
    const waits = [...told.keys()].map((taskId) => sessionOfNew.ask('tasks/result', taskId));
    await sleep(WATCHED_MS);
    const ms = performance.now() - began;
    for (const [taskId, { what }] of told) assertPatient(asked.get(taskId) ?? 0, what, ms);
    servers.new.restore();
    servers.new.finish();
    for (const wait of waits) assertOfSessions(await within(wait, 'the result'));
    await serves();
  });

  await step('hostile: servers: with sessions, answers about tasks that are none', async () => {
    const say = (call, { raw }, method) => call.result(method === 'tasks/get' ? `{${raw(call.params.taskId)}}` : '{"content":[]}');
    for (const method of ['tasks/get', 'tasks/cancel'])
      await wronglyTold({ server: servers.old, caller: ofOld, rows: badAnswers, job: 'job_only', method, otherwise: 'tasks/result', say });
    await serves();
  });

  await step('hostile: servers: with sessions, results that are none', async () => {
    const say = (call, { raw }, method) => {
      if (method === 'tasks/get') return call.result(`{${working(call.params.taskId, 'completed')}}`);
      return call.answer(`{"jsonrpc":"2.0","id":${call.id},${raw}}`);
    };
    await wronglyTold({ server: servers.old, caller: ofOld, rows: badResults, job: 'job_only', method: 'tasks/get', otherwise: 'tasks/result', say });
    await serves();
  });

  for (const status of ['completed', 'failed', 'input_required', 'working'])
    await step(`hostile: servers: with sessions, ${status}, and a result that never comes`, async () => {
      const taskId = await ofOld.begin('job_only');
      const asked = { 'tasks/get': 0, 'tasks/result': 0 };
      const count = (method, then) => servers.old.on(method, (call) => {
        asked[method] += 1;
        return then(call);
      });
      count('tasks/get', (call) => call.result(`{${working(taskId, status)}}`));
      count('tasks/result', (call) => call.openStream());
      const began = performance.now();
      for (let i = 0; i < 2; i += 1) {
        const answer = await within(ofOld.get(taskId), 'an answer');
        assert.ok(answer.result ?? answer.error, answer.text);
        if (status === 'working') assert.equal(answer.result?.status, 'working', answer.text);
        assert.ok(!('result' in (answer.result ?? {})), answer.text);
      }
      await sleep(WATCHED_MS);
      const ms = performance.now() - began;
      for (const [method, times] of Object.entries(asked)) assertPatient(times, method, ms);
      servers.old.restore();
      await serves();
    });
  await step('hostile: servers: the gateway ends', end);
}

/** So often a server may be asked in this time, and once more. */
function assertPatient(times, what, ms) {
  const most = Math.ceil((ms / 1000) * PER_SECOND) + 1;
  assert.ok(times <= most, `${what}: asked ${times} times in ${Math.round(ms)} ms`);
}

/** Servers without sessions that want to be asked far too often, or hardly ever, by who waits for a result. */
export async function impatientServers({ step, binary }) {
  const { servers, good, end } = await world(binary);
  const caller = good[1];
  const asked = (taskId) => servers.new.of('tasks/get').filter(({ params }) => params.taskId === taskId).length;

  await step('hostile: servers: nobody is asked more than ten times a second, however often it wants to be', async () => {
    const tasks = [];
    for (const [poll, soon] of polls) {
      servers.new.tasks.poll = poll;
      tasks.push({ poll, soon, taskId: await caller.begin('job') });
    }
    servers.new.tasks.poll = '50';
    for (const task of tasks) task.wait = caller.ask('tasks/result', task.taskId);
    await until(() => tasks.every(({ taskId }) => asked(taskId)), 'all of them to be asked for');
    const before = tasks.map(({ taskId }) => asked(taskId));
    const began = performance.now();
    await sleep(WATCHED_MS);
    const ms = performance.now() - began;
    tasks.forEach(({ poll, taskId }, i) => assertPatient(asked(taskId) - before[i], `pollIntervalMs ${poll}`, ms));
    servers.new.finish();
    for (const { poll, soon, wait } of tasks) if (soon) assert.ok((await within(wait, `the result, with ${poll}`)).result, poll);
    // Who wants to be asked hardly ever is waited for until the gateway ends.
    for (const { soon, wait } of tasks) if (!soon) wait.catch(() => {});
  });

  await step('hostile: servers: many who wait for one task are not many times as many questions', async () => {
    servers.new.tasks.poll = '0';
    const taskId = await caller.begin('job');
    servers.new.tasks.poll = '50';
    const waits = Array.from({ length: 3 }, () => caller.ask('tasks/result', taskId));
    await until(() => asked(taskId) >= 3, 'them to wait');
    const [before, began] = [asked(taskId), performance.now()];
    await sleep(WATCHED_MS);
    const ms = performance.now() - began;
    // Each of them may look for itself.
    assertPatient((asked(taskId) - before) / waits.length, 'for each that waits', ms);
    servers.new.finish(taskId);
    for (const wait of waits) assert.ok((await wait).result);
  });
  await step('hostile: servers: the gateway ends, though somebody waits', end);
}
