// Calls of stateless clients that wait at servers with sessions, because those have asked for something: what each costs
// while nobody waits for it, and what is left of it when it was answered.
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '../peers/http.mjs';
import { StatelessClient } from '../peers/stateless_client.mjs';
import { until } from '../peers/waiting.mjs';
import { AskingUpstreams } from './asking_upstream.mjs';
import { print } from './format.mjs';
import { residentKiB } from './measure.mjs';

/** As many as one unit keeps, 32 of each address and fewer than 512 at each upstream (docs/operations.md#limits). */
const CALLS = { count: 10_000, each: 32, upstreams: 25 };
/**
 * People take their time, while which the gateway looks for memory to give back (every `trim_pause`, and not if there was
 * more than the last time: so this is twice as long, and some more).
 */
const PAUSE_MS = 25_000;
const ASKED = { elicitation: { form: {} } };

/** A client at an address of its own, which calls one upstream, over one connection. */
class Caller {
  #waiting = [];

  static async open(gate, index) {
    const caller = new this();
    caller.client = new StatelessClient(gate, { capabilities: ASKED });
    caller.connection = await Connection.open(gate.port, '127.0.0.1', { from: `127.0.${1 + (index >> 7)}.${1 + (index & 127)}` });
    caller.tool = `u${index % CALLS.upstreams}__ask`;
    return caller;
  }

  async #post(params) {
    const message = this.client.message('tools/call', { name: this.tool, arguments: {}, ...params });
    const { port, path } = this.client;
    const answer = await this.connection.request({ port, path, headers: this.client.headersOf(message), body: JSON.stringify(message) });
    const { result } = answer?.status === 200 ? JSON.parse(answer.body) : {};
    if (!result) throw new Error(`a call failed: ${answer?.status} ${answer?.body}`);
    return result;
  }

  /** One call, until its user is asked. */
  async ask() {
    const result = await this.#post({});
    if (result.resultType !== 'input_required') throw new Error(`a call did not ask: ${JSON.stringify(result)}`);
    this.#waiting.push(result);
  }

  /** The oldest of those that wait. */
  async answer() {
    const { requestState, inputRequests } = this.#waiting.shift();
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, { action: 'accept', content: { name: 'Ada' } }]));
    const { content } = await this.#post({ requestState, inputResponses });
    if (content?.[0]?.text !== 'accept Ada') throw new Error(`a call ended with ${JSON.stringify(content)}`);
  }
}

/** Each caller its share of `count`, one after the other, all callers at once. */
const shared = (callers, count, act) => Promise.all(callers.map(async (caller, i) => {
  for (let n = i; n < count; n += callers.length) await act(caller);
}));

export async function measureSuspended(all) {
  const { count, each } = CALLS;
  const upstreams = all.keep(await AskingUpstreams.start(CALLS.upstreams));
  const gate = await all.startGate(upstreams.all.map(({ url }, i) => ({ id: `u${i}`, url, namespace: `u${i}`, protocol: 'session' })));
  const resident = () => residentKiB(gate.process.pid);
  const callers = await Promise.all(Array.from({ length: Math.ceil(count / each) }, (_, i) => Caller.open(gate, i)));
  all.keep({ stop: async () => callers.forEach(({ connection }) => connection.close()) });
  const ask = async (calls) => {
    await shared(callers, calls, (caller) => caller.ask());
    if (upstreams.open !== calls) throw new Error(`of ${calls} calls ${upstreams.open} wait at the upstreams`);
    return resident();
  };
  const answer = async (calls) => {
    await shared(callers, calls, (caller) => caller.answer());
    await until(() => upstreams.open === 0, 'all calls to end at the upstreams');
    return resident();
  };
  /** Connections to upstreams that nobody uses are closed, too. */
  const idle = () => until(async () => (await upstreams.connections()) === 0, 'idle connections to be closed');
  const settled = async () => {
    await idle();
    await sleep(PAUSE_MS);
    return resident();
  };
  await ask(callers.length); // everybody gets a session at its upstream
  await answer(callers.length);
  const served = await gate.callsServed();
  await idle();
  const before = resident();
  const first = await ask(count);
  await sleep(PAUSE_MS);
  const later = resident();
  const ended = await answer(count);
  const left = await settled();
  // There may be no more than so many: that these find room shows that nothing is left of the others.
  const second = await ask(count);
  await answer(count);
  const after = await settled();
  await gate.assertAllOk(served);
  await all.end();
  const result = {
    ...CALLS, callers: callers.length, seconds: PAUSE_MS / 1e3, before, first, later, ended, left, second, after,
    perCall: (first - before) / count, more: (second - first) / count,
  };
  print.progress('suspended', { 'KiB per call': result.perCall, 'left MiB': (left - before) / 1024, 'more KiB per call the second time': result.more });
  return result;
}
