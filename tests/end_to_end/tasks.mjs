// Tasks in all four combinations of generations: those of the core of 2025-11-25 and those of the extension of
// 2026-07-28, each for clients of both; whose they are, what is told of them, what servers and clients do wrong.
//
//   tasks.mjs GATE [PART]    declared, cells, strangers, gone, official, hostile: this part alone
import assert from 'node:assert/strict';
import { Gate } from '../../simulations/peers/gate.mjs';
import { requiring } from '../../simulations/peers/identity.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { SessionUpstream } from '../../simulations/peers/session_upstream.mjs';
import { StatelessClient } from '../../simulations/peers/stateless_client.mjs';
import { TASKS, TASK_METHODS } from '../../simulations/peers/stateless_rules.mjs';
import { StatelessUpstream } from '../../simulations/peers/stateless_upstream.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { startEverything } from './support/everything.mjs';
import { hostileClients, hostileServers, impatientServers } from './support/hostile_tasks.mjs';
import { SessionCaller, tasksOfSession } from './support/session_task_exchange.mjs';
import { StatelessCaller, tasksOfStateless } from './support/stateless_task_exchange.mjs';
import { gateBinary, suite } from './support/suite.mjs';
import { NOBODYS, became } from './support/task_exchange.mjs';

// Gateways here have one unit, but where it says otherwise.
const binary = gateBinary();
const entry = (up, more = {}) => ({ id: up.name, url: up.url, protocol: 'auto', ...more });
const federated = (...ups) => ups.map((up) => entry(up, { namespace: up.name }));
const SESSION_METHODS = ['tasks/get', 'tasks/result', 'tasks/cancel'];
/** Calls of it become tasks for stateless clients, whichever generation the server is of. */
const jobOf = (server) => (server.offering.generation === 'stateless' ? 'job' : 'job_only');

/** What both generations are told at `gate` once its servers are known. */
async function toldBy(gate) {
  const client = new StatelessClient(gate);
  await client.list('tools/list', 'tools');
  const { result } = await client.request('server/discover');
  const versions = ['2025-11-25', '2025-06-18', '2025-03-26'];
  const sessions = await Promise.all(versions.map((version) => Session.open(gate, { version })));
  const [now, ...before] = sessions.map(({ initialized }) => initialized.capabilities);
  return { stateless: result.capabilities, now, before };
}

async function declared({ step, modern, sessions }) {
  const [plainModern, plainSessions] = await Promise.all([StatelessUpstream.start({ name: 'new' }), SessionUpstream.start({ name: 'old' })]);
  for (const [what, upstreams, there] of [
    ['a server with the extension', [entry(modern)], true],
    ['a server with tasks of sessions', [entry(sessions)], true],
    ['one of two has tasks of sessions', federated(plainModern, sessions), true],
    ['one of two has the extension', federated(modern, plainSessions), true],
    ['none has tasks', federated(plainModern, plainSessions), false],
  ])
    await step(`declared: ${what}`, async () => {
      const gate = await Gate.start(binary, { upstreams });
      let told;
      const isTold = async () => {
        told = await toldBy(gate);
        return Boolean(told.stateless.extensions?.[TASKS]) === there && Boolean(told.now.tasks?.requests?.tools?.call) === there;
      };
      await until(isTold, 'both generations to be told', 10_000).catch((error) => assert.fail(`${error.message}: ${JSON.stringify(told)}`));
      if (there) assert.deepEqual([told.stateless.extensions[TASKS], told.now.tasks.requests], [{}, { tools: { call: {} } }]);
      assert.ok(!('tasks' in told.stateless), 'tasks of sessions are none of the other generation');
      for (const capabilities of [told.now, ...told.before]) assert.ok(!capabilities.extensions?.[TASKS], JSON.stringify(capabilities));
      for (const capabilities of told.before) assert.ok(!('tasks' in capabilities), JSON.stringify(capabilities));
      await gate.end();
    });
  await step('declared: the servers end', () => Promise.all([plainModern.stop(), plainSessions.stop()]));
}

/** A server of either generation, alone and beside one of the other, for clients of both. */
async function cells({ step, modern, sessions }) {
  for (const [title, upstreams, servers, threads = 1] of [
    ['server without sessions, alone', [entry(modern)], [modern]],
    ['server with sessions, alone', [entry(sessions)], [sessions]],
    ['federated', federated(modern, sessions), [modern, sessions]],
    // A server with sessions binds tasks to them, and these live on units.
    ['federated, several units', federated(modern, sessions), [modern, sessions], 3],
  ]) {
    const gate = await Gate.start(binary, { upstreams }, { threads });
    for (const server of servers) {
      const prefix = servers.length > 1 ? `${server.name}__` : '';
      const [cellOfSession, cellOfStateless] = server === modern ? ['c', 'b'] : ['a', 'd'];
      const on = (cell) => (what, fn) => step(`${title}: (${cell}) ${what}`, fn);
      await tasksOfSession({ on: on(cellOfSession), target: gate, server, prefix });
      await tasksOfStateless({ on: on(cellOfStateless), target: gate, server, prefix });
      await audited({ on: on(`${cellOfSession}, ${cellOfStateless}`), gate, server, prefix });
    }
    await step(`${title}: the gateway kept to the rules`, () => {
      const found = servers.flatMap(({ violations }) => violations).map(({ rule, method, body }) => ({ rule, method, body }));
      servers.forEach((server) => server.forget());
      assert.deepEqual(found, []);
    });
    await step(`${title}: the gateway ends`, () => gate.end());
  }
}

/** However often the server is asked for it, a client's request is one event. */
async function audited({ on, gate, server, prefix }) {
  const about = ({ method, name, outcome }) => [method, name, outcome];

  await on('each request of a client is one event, and says of which task', async () => {
    const stateless = new StatelessCaller(gate, { prefix });
    const session = await SessionCaller.open(gate, { prefix });
    let ids;
    const events = await gate.eventsOf(async () => {
      ids = [await stateless.begin(jobOf(server)), await session.begin('job')];
      ids.forEach((taskId) => server.finish(taskId));
      assert.ok((await session.ask('tasks/result', ids[1])).result);
      assert.ok((await stateless.get(ids[0])).result);
    });
    assert.deepEqual(events.map(about), [
      ['tools/call', prefix + jobOf(server), 'ok'], ['tools/call', `${prefix}job`, 'ok'],
      ['tasks/result', ids[1], 'ok'], ['tasks/get', ids[0], 'ok'],
    ]);
    for (const { upstream } of events) assert.equal(upstream, server.name);
    await session.session.end();
  });
}

/** What is said of a task, with what differs between requests left out. */
const saidOf = ({ status, error, result }, taskId) =>
  ({ status, error: error && JSON.parse(JSON.stringify(error).replaceAll(taskId, 'ID')), result });

/** Tasks of one caller, and another one. */
async function strangers({ step, modern, sessions, provider }) {
  const [ada, bob] = ['ada', 'bob'].map((sub) => provider.token({ sub }));
  const gate = await Gate.start(binary, requiring([provider], { upstreams: federated(modern, sessions) }), { token: ada });

  for (const server of [modern, sessions]) {
    const on = (what, fn) => step(`strangers: ${server.name}: ${what}`, fn);
    const prefix = `${server.name}__`;
    const callers = (token) => new StatelessCaller(gate, { prefix, token });
    const opened = (token) => SessionCaller.open(gate, { prefix, token });

    /** Who is no owner hears the same of it as of none, and its owner does not notice. */
    const hidden = async ({ mine, others, job, methods, code }) => {
      const taskId = await mine.begin(job);
      for (const method of methods) {
        const [own, none] = [saidOf(await others.ask(method, taskId), taskId), saidOf(await others.ask(method, NOBODYS), NOBODYS)];
        assert.deepEqual([own.status, own.error?.code], [200, code], `${method}: ${JSON.stringify(own)}`);
        assert.deepEqual(own, none, method);
      }
      assert.equal((await mine.get(taskId)).result?.status, 'working', 'it goes on');
      server.finish(taskId);
      await became(mine.get, taskId, 'completed');
      return taskId;
    };

    await on('a stateless client hears nothing of a task of another one', async () => {
      await hidden({ mine: callers(ada), others: callers(bob), job: jobOf(server), methods: TASK_METHODS, code: -32602 });
    });
    await on('a session hears nothing of a task of another one', async () => {
      const [mine, others] = await Promise.all([opened(ada), opened(bob)]);
      const taskId = await hidden({ mine, others, job: 'job', methods: SESSION_METHODS, code: -32002 });
      const listed = (await others.session.list('tasks/list', 'tasks')).items.map((task) => task.taskId);
      assert.ok(!listed.includes(taskId), 'nor in its list');
      await Promise.all([mine, others].map(({ session }) => session.end()));
    });
    await on('nor does a client of the other generation', async () => {
      const [mine, others] = [await opened(ada), callers(bob)];
      await hidden({ mine, others, job: 'job', methods: TASK_METHODS, code: -32602 });
      await hidden({ mine: callers(ada), others: await opened(bob), job: jobOf(server), methods: SESSION_METHODS, code: -32002 });
      await mine.session.end();
    });
    await on('its owner finds it from another client', async () => {
      const first = callers(ada);
      const taskId = await first.begin(jobOf(server));
      assert.equal((await callers(ada).get(taskId)).result?.status, 'working');
      const [mine, again] = await Promise.all([opened(ada), opened(ada)]);
      const other = await mine.begin('job');
      assert.equal((await again.get(other)).result?.status, 'working');
      assert.equal((await again.ask('tasks/cancel', other)).result?.status, 'cancelled');
      server.finish(taskId);
      await became(callers(ada).get, taskId, 'completed');
      await Promise.all([mine, again].map(({ session }) => session.end()));
    });
  }
  await step('strangers: a task that was over at once is its own caller\'s, too', async () => {
    const [mine, others] = await Promise.all([ada, bob].map((token) => SessionCaller.open(gate, { prefix: 'new__', token })));
    const { result, error } = await mine.call('echo', { text: 'secret' });
    assert.ok(result?.task, JSON.stringify(error ?? result));
    const { taskId } = result.task;
    for (const method of SESSION_METHODS) {
      const own = saidOf(await others.ask(method, taskId), taskId);
      assert.deepEqual(own, saidOf(await others.ask(method, NOBODYS), NOBODYS), method);
      assert.equal(own.error?.code, -32002);
    }
    assert.equal((await mine.ask('tasks/result', taskId)).result?.content[0].text, 'new: secret');
  });
  await step('strangers: the gateway ends', () => gate.end());
}

/** Servers that are not there any more. */
async function gone({ step }) {
  for (const [kind, Kind] of [['without sessions', StatelessUpstream], ['with sessions', SessionUpstream]])
    await step(`gone: tasks of a server ${kind} that is not there`, async () => {
      const [server, other] = await Promise.all([Kind.start({ name: 'gone', tasks: true }), StatelessUpstream.start({ name: 'other', tasks: true })]);
      const gate = await Gate.start(binary, { upstreams: federated(server, other) });
      const prefix = 'gone__';
      const [session, stateless] = [await SessionCaller.open(gate, { prefix }), new StatelessCaller(gate, { prefix })];
      const ids = [await session.begin('job'), await stateless.begin(jobOf(server))];
      const asked = () => [...server.of('tasks/result'), ...server.of('tasks/get')].length;
      const before = asked();
      const waits = session.ask('tasks/result', ids[0]);
      await until(() => asked() > before, 'the server to be asked for it');
      await server.stop();
      const waited = await waits;
      assert.equal(waited.error?.code, -32041, waited.text);
      for (const method of SESSION_METHODS) {
        const { error, text } = await session.ask(method, ids[0]);
        assert.deepEqual([error?.code, error?.data?.gate?.upstream], [-32041, 'gone'], `${method}: ${text}`);
      }
      for (const method of TASK_METHODS) {
        const { status, error, text } = await stateless.ask(method, ids[1]);
        assert.deepEqual([status, error?.code, error?.data?.gate?.upstream], [200, -31041, 'gone'], `${method}: ${text}`);
      }
      const beside = new StatelessCaller(gate, { prefix: 'other__' });
      const taskId = await beside.begin('job');
      assert.equal((await beside.get(taskId)).result?.status, 'working', 'others go on');
      await gate.end();
      await other.stop();
    });
}

/** The official server, which has tasks of sessions alone, for a client without them. */
async function official({ step }) {
  const server = await startEverything();
  const gate = await Gate.start(binary, { upstreams: [{ id: 'everything', url: server.url, protocol: 'auto' }] });
  const caller = new StatelessCaller(gate);
  const research = (args) => caller.begin('simulate-research-query', args);

  await step('official: a tool that has to be a task is one', async () => {
    const taskId = await research({ topic: 'whales' });
    const { result } = await became(caller.get, taskId, 'completed');
    assert.match(result.result.content[0].text, /whales/);
  });
  await step('official: what a task wants to know it asks, however often it is asked for', async () => {
    const taskId = await research({ topic: 'python', ambiguous: true });
    await became(caller.get, taskId, 'input_required');
    const { result, text } = await caller.get(taskId);
    const [[key, { method, params }]] = Object.entries(result.inputRequests ?? {});
    assert.deepEqual([method, params.requestedSchema.required], ['elicitation/create', ['interpretation']], text);
    const inputResponses = { [key]: { action: 'accept', content: { interpretation: 'snake' } } };
    assert.ok((await caller.ask('tasks/update', taskId, { inputResponses })).result);
    const done = await became(caller.get, taskId, 'completed');
    assert.match(done.result.result.content[0].text, /snake/);
  });
  await step('official: a task is cancelled', async () => {
    const taskId = await research({ topic: 'whales' });
    assert.equal((await caller.ask('tasks/cancel', taskId)).result?.resultType, 'complete');
    await became(caller.get, taskId, 'cancelled');
  });
  await step('official: the gateway ends', () => gate.end());
  await step('official: the server ends', () => server.stop());
}

async function hostile({ step }) {
  for (const part of [hostileClients, hostileServers, impatientServers]) await part({ step, binary });
}

await suite('tasks in all combinations', async ({ step, defer }) => {
  const [modern, sessions, provider] = await Promise.all([
    StatelessUpstream.start({ name: 'new', tasks: true }), SessionUpstream.start({ name: 'old', tasks: true }), IdentityProvider.start(),
  ]);
  defer(function serversEnd() { return Promise.all([modern.stop(), sessions.stop(), provider.stop()]); });
  const parts = { declared, cells, strangers, gone, official, hostile };
  const [, , , only] = process.argv;
  for (const [name, part] of Object.entries(parts)) if (!only || only === name) await part({ step, modern, sessions, provider });
});
