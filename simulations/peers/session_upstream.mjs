// A server of the session generation with the same offering as the stateless one (stateless_upstream.mjs):
// what a tool asks are requests on the stream of its call, what it may do no more it hears as
// notifications/cancelled.
import { Exactly, Offering, Refusal } from './offering.mjs';
import { LEVELS } from './stateless_rules.mjs';
import { StrictUpstream } from './strict_upstream.mjs';

/** What a tool may do about the call that it answers: see offering.mjs. */
class Work {
  #streaming = false;

  constructor(upstream, call) {
    Object.assign(this, { upstream, call, name: upstream.name });
    this.gone = new Promise((done) => (this.leave = done));
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
    const asked = Object.entries(requests).map(async ([key, request]) => [key, await this.#askOne(request)]);
    return Object.fromEntries(await Promise.all(asked));
  }

  #askOne(request) {
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
  /** Log levels by session. */
  levels = new Map();
  /** Resources of which it does not tell: subscribing to them is refused. */
  untold = new Set();
  #held = [];
  #works = new Map();
  #questions = new Map();

  static async start(settings = {}) {
    const upstream = Object.assign(new this(), settings);
    upstream.offering = new Offering(upstream.name, 'session');
    await upstream.listen(settings.port ?? 0);
    return upstream;
  }

  held() {
    return new Promise((done) => this.#held.push(done));
  }

  /** Lets all calls go on that hold. */
  release() {
    for (const done of this.#held.splice(0)) done();
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
    const list = method && this.offering.list(method);
    if (list) return call.result(JSON.stringify(list));
    if (['tools/call', 'prompts/get', 'resources/read', 'completion/complete'].includes(method)) return this.#work(call);
    return super.behave(call);
  }

  async #work(call) {
    const work = new Work(this, call);
    const key = `${call.session} ${call.id}`;
    this.#works.set(key, work);
    try {
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
