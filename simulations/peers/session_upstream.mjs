// A server of the session generation with the same offering as the stateless one (stateless_upstream.mjs):
// what a tool asks are requests on the stream of its call, what it may do no more it hears as
// notifications/cancelled.
import { Exactly, Offering, Refusal } from './offering.mjs';
import { SessionTasks, TASK_CAPABILITIES } from './session_tasks.mjs';
import { LEVELS, TASKS } from './stateless_rules.mjs';
import { StrictUpstream } from './strict_upstream.mjs';

const WORK = ['tools/call', 'prompts/get', 'resources/read', 'completion/complete'];

/** What a tool may do about the call that it answers: see offering.mjs. */
class Work {
  #streaming = false;

  constructor(upstream, call) {
    Object.assign(this, { upstream, call, name: upstream.name });
    this.gone = new Promise((done) => {
      this.leave = () => {
        this.left = true;
        done();
      };
    });
  }

  hold() {
    return Promise.race([this.upstream.held(), this.gone]);
  }

  #event(message) {
    if (!this.#streaming) this.call.openStream();
    this.#streaming = true;
    this.call.event(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  progress(progress, total, message) {
    const progressToken = this.call.params._meta?.progressToken;
    if (progressToken !== undefined)
      this.#event({ method: 'notifications/progress', params: { progressToken, progress, total, message } });
  }

  log(level, data) {
    const least = this.upstream.levels.get(this.call.session) ?? 'info';
    if (LEVELS.indexOf(level) >= LEVELS.indexOf(least))
      this.#event({ method: 'notifications/message', params: { level, logger: this.name, data } });
  }

  async ask(requests) {
    const asked = Object.entries(requests).map(async ([key, request]) => [key, await this.request(request)]);
    return Object.fromEntries(await Promise.all(asked));
  }

  /** One request to the client, on the stream of this one: its answer. */
  request(request) {
    const { id, answer } = this.upstream.question();
    this.#event({ id, ...request });
    return answer;
  }

  end(rest) {
    const message = `{"jsonrpc":"2.0","id":${this.call.id},${rest}}`;
    if (!this.#streaming) return this.call.answer(message);
    this.call.event(message);
    return this.call.response.end();
  }
}

export class SessionUpstream extends StrictUpstream {
  name = 'one';
  capabilities = JSON.stringify({
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    completions: {},
    logging: {},
  });
  /** Started with `true`: tools that may be tasks, and those that it has (a Tasks). */
  tasks = undefined;
  /** What a client did against the rules of tasks, in order: `{ rule, method, body }`. */
  violations = [];
  /** Log levels by session. */
  levels = new Map();
  /** Revisions by session. */
  versions = new Map();
  /** Resources of which it does not tell: subscribing to them is refused. */
  untold = new Set();
  #held = [];
  #works = new Map();
  #questions = new Map();

  static async start(settings = {}) {
    const upstream = Object.assign(new this(), settings);
    upstream.offering = new Offering(upstream.name, 'session', settings);
    if (settings.tasks) upstream.#offerTasks();
    await upstream.listen(settings.port ?? 0);
    return upstream;
  }

  #offerTasks() {
    this.tasks = new SessionTasks(this.name, this.offering);
    this.capabilities = JSON.stringify({ ...JSON.parse(this.capabilities), tasks: TASK_CAPABILITIES });
  }

  initialize(call) {
    const { protocolVersion, capabilities } = call.params;
    const known = new Set(this.sessions);
    super.initialize(call);
    for (const session of this.sessions) if (!known.has(session)) this.versions.set(session, protocolVersion);
    if (capabilities?.extensions?.[TASKS]) this.#violated(`${TASKS} in a session`, call);
  }

  #violated(rule, { method, body }) {
    this.violations.push({ rule, method, body });
  }

  /** Forgets what came until now. */
  forget() {
    this.calls.length = 0;
    this.violations.length = 0;
  }

  held() {
    return new Promise((done) => this.#held.push(done));
  }

  /** So many calls have held since the last `release`. */
  get holding() {
    return this.#held.length;
  }

  /** Lets all calls and tasks go on that hold. */
  release() {
    for (const done of this.#held.splice(0)) done();
    this.tasks?.finish();
  }

  /** Lets a task go on that holds, or all of them. */
  finish(taskId) {
    this.tasks.finish(taskId);
  }

  /** Tells every stream, or those of a session, that a list changed: `tools`, `prompts` or `resources`. */
  changed(list, session) {
    this.notify(JSON.stringify({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` }), session);
  }

  updated(uri, session) {
    this.notify(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } }), session);
  }

  /** A new id for a request to the client, and the answer to come. */
  question() {
    const id = `question-${this.#questions.size + 1}`;
    const answer = new Promise((done, fail) => this.#questions.set(id, { done, fail }));
    return { id, answer };
  }

  behave(call) {
    const { method, message, session } = call;
    if (method === undefined) {
      const asked = this.#questions.get(message.id);
      if (message.error) asked?.fail(new Refusal(-32603, `the client refused: ${message.error.message}`));
      else asked?.done(message.result);
    }
    if (method === 'notifications/cancelled') this.#works.get(`${session} ${JSON.stringify(call.params.requestId)}`)?.leave();
    if (method === 'logging/setLevel') this.levels.set(session, call.params.level);
    if (method === 'resources/subscribe' && this.untold.has(call.params.uri))
      return call.error('{"code":-32602,"message":"nobody is told of that"}');
    if (method === 'resources/subscribe' || method === 'resources/unsubscribe') return call.result('{}');
    if (method) for (const fault of this.tasks?.faults(call, this.versions.get(session)) ?? []) this.#violated(fault, call);
    const list = method && this.offering.list(method);
    if (list) return call.result(JSON.stringify(list));
    if (WORK.includes(method) || (this.tasks && method?.startsWith('tasks/'))) return this.#work(call);
    return super.behave(call);
  }

  async #work(call) {
    const work = new Work(this, call);
    const key = `${call.session} ${call.id}`;
    this.#works.set(key, work);
    try {
      if (await this.tasks?.answers(call, work)) return;
      const result = await this.offering.answer(call.method, call.params, work);
      work.end(`"result":${result instanceof Exactly ? `{${result.members}}` : JSON.stringify(result)}`);
    } catch (error) {
      const said = error instanceof Refusal ? error.json : { code: -32603, message: error.stack };
      work.end(`"error":${JSON.stringify(said)}`);
    } finally {
      this.#works.delete(key);
    }
  }
}
