// A strict MCP server of 2026-07-28, by hand: it offers what its offering has, refuses what the revision
// says must be refused, and counts it: `violations` of a client that keeps to the rules are empty. Every
// request is kept with its headers and body.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import http from 'node:http';
import { listenOn, stopListening } from './http_listener.mjs';
import { Exactly, Offering, Refusal, wronglyAnnotated } from './offering.mjs';
import {
  CACHEABLE, CODES, KEYS, LEVELS, MAY_ASK, METHODS, TASKS, TASK_METHODS, VERSION, foreignKeys, paramRefusal, requestRefusal,
  shapeRefusal,
} from './stateless_rules.mjs';
import { StatelessTasks } from './stateless_tasks.mjs';

/** Ends the attempt of a call: the client must answer and come again. */
class NeedsInput extends Error {
  constructor(requests) {
    super('input is required');
    this.requests = requests;
  }
}

const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

/** What the client must have declared to be asked this. */
const NEEDED = {
  'elicitation/create': (capabilities) => capabilities.elicitation,
  'sampling/createMessage': (capabilities) => capabilities.sampling,
  'roots/list': (capabilities) => capabilities.roots,
};
const requirement = { 'elicitation/create': 'elicitation', 'sampling/createMessage': 'sampling', 'roots/list': 'roots' };

function assertAskable(capabilities, requests) {
  for (const { method } of Object.values(requests))
    if (!NEEDED[method](capabilities))
      throw new Refusal(CODES.missingCapability, `${method} needs a capability`, {
        requiredCapabilities: { [requirement[method]]: {} },
      });
}

/** Same parameters, same digest: without what may differ between the attempts of one call. */
function digestOf({ method, params }) {
  const { _meta, inputResponses, requestState, ...same } = params;
  return createHash('sha256').update(JSON.stringify([method, same])).digest('base64');
}

/** One POSTed request and what a tool may do about it. */
class Call {
  #streaming = false;
  #ended = false;
  #round = 0;

  constructor(upstream, request, response, body) {
    Object.assign(this, { upstream, request, response, body, name: upstream.name });
    this.headers = request.headers;
    this.gone = new Promise((done) => response.once('close', () => {
      this.cancelled = !this.#ended;
      done();
    }));
  }

  /** Takes the message in; `answers` of earlier attempts come out of the state. */
  begin(message) {
    Object.assign(this, { message, method: message.method, params: message.params ?? {}, id: message.id });
    this.meta = this.params._meta ?? {};
    this.capabilities = this.meta[KEYS.capabilities] ?? {};
    this.answers = [];
  }

  hold() {
    return Promise.race([this.upstream.held(), this.gone]);
  }

  progress(progress, total, message) {
    const { progressToken } = this.meta;
    if (progressToken !== undefined)
      this.#event({ method: 'notifications/progress', params: { progressToken, progress, total, message } });
  }

  log(level, data) {
    const least = this.meta[KEYS.logLevel];
    if (least !== undefined && LEVELS.indexOf(level) >= LEVELS.indexOf(least))
      this.#event({ method: 'notifications/message', params: { level, logger: this.name, data } });
  }

  /** The answers of this round if they came with the request; else the attempt ends with the questions. */
  async ask(requests) {
    assertAskable(this.capabilities, requests);
    const given = this.answers[this.#round] ?? {};
    if (!Object.keys(requests).every((key) => Object.hasOwn(given, key))) {
      this.answers.length = this.#round;
      throw new NeedsInput(requests);
    }
    this.#round += 1;
    return given;
  }

  /** Has the client come again without a question, once. */
  async pause() {
    if (!this.params.requestState) throw new NeedsInput(undefined);
    return this.answers.length;
  }

  #event(message) {
    if (this.#ended || this.response.destroyed) return;
    this.openStream();
    this.response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  }

  openStream() {
    if (this.#streaming) return;
    this.#streaming = true;
    this.response.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
    this.response.flushHeaders();
  }

  notify(method, params) {
    this.#event({ method, params });
  }

  #end(rest, status = 200) {
    if (this.#ended || this.response.destroyed) return;
    const id = this.id === undefined ? '' : `"id":${JSON.stringify(this.id)},`;
    const body = `{"jsonrpc":"2.0",${id}${rest}}`;
    if (status === 200 && this.upstream.format === 'sse') this.openStream();
    this.#ended = true;
    if (this.#streaming) return void this.response.end(`event: message\ndata: ${body}\n\n`);
    const length = Buffer.byteLength(body);
    this.response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length });
    this.response.end(body);
  }

  /** What a cacheable result says; that of a retry is for nobody else. */
  #kept() {
    if (this.params.requestState !== undefined) return { ttlMs: 0, cacheScope: 'private' };
    return { ttlMs: this.upstream.ttlMs, cacheScope: this.upstream.cacheScope };
  }

  /** Ends it with a result: an object, or the members as they shall stand there. */
  result(result, kind = 'complete') {
    const server = { [KEYS.server]: { name: this.name, version: '1' } };
    if (result instanceof Exactly) return this.#end(`"result":{${result.members},"resultType":"${kind}"}`);
    const kept = kind === 'complete' && CACHEABLE.includes(this.method) ? this.#kept() : {};
    const all = { ...result, resultType: kind, ...kept, _meta: { ...server, ...result._meta } };
    return this.#end(`"result":${JSON.stringify(all)}`);
  }

  error(error, status = 200) {
    return this.#end(`"error":${JSON.stringify(error)}`, status);
  }
}

export class StatelessUpstream {
  name = 'one';
  capabilities = CAPABILITIES;
  instructions = undefined;
  /** Started with `true`: tools that may be tasks, and those that it has (a Tasks). */
  tasks = undefined;
  ttlMs = 60_000;
  cacheScope = 'public';
  /** `auto`: JSON unless something precedes the answer; `sse`: always a stream. */
  format = 'auto';
  /** Gets each Call before anything is looked at; true if it has answered. */
  guard = () => false;
  /** Every request, in order: Calls. */
  calls = [];
  /** What a client did against the rules, in order: `{ rule, method, body, headers }`. */
  violations = [];
  /** The open subscriptions: `{ id, filter, call }`. */
  listens = new Set();
  #handlers = new Map();
  #held = [];
  #key = randomBytes(32);
  #tokens = new Set();

  static async start(settings = {}) {
    const upstream = Object.assign(new this(), settings);
    upstream.offering = new Offering(upstream.name, 'stateless', settings);
    if (settings.tasks) upstream.#offerTasks();
    if (settings.wronglyAnnotated) upstream.offering.tools.wrongly_annotated = wronglyAnnotated;
    await upstream.listen(settings.port ?? 0);
    return upstream;
  }

  #offerTasks() {
    this.tasks = new StatelessTasks(this.name, this.offering);
    this.capabilities = { ...this.capabilities, extensions: { ...this.capabilities.extensions, [TASKS]: {} } };
  }

  listen(port = this.port) {
    this.server = http.createServer((request, response) => this.#serve(request, response));
    this.server.keepAliveTimeout = 0;
    this.server.requestTimeout = 0;
    return listenOn(this, port);
  }

  stop() {
    return stopListening(this);
  }

  /** Answers `method` with `handler(call)` until `restore`. */
  on(method, handler) {
    this.#handlers.set(method, handler);
  }

  restore() {
    this.#handlers.clear();
    this.guard = () => false;
    this.format = 'auto';
  }

  of(method) {
    return this.calls.filter((call) => call.method === method);
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

  /** Tells all who asked to be told that a list changed: `tools`, `prompts` or `resources`. */
  changed(list) {
    for (const { id, filter, call } of this.listens)
      if (filter[`${list}ListChanged`])
        call.notify(`notifications/${list}/list_changed`, { _meta: { [KEYS.subscription]: id } });
  }

  updated(uri) {
    for (const { id, filter, call } of this.listens)
      if (filter.resourceSubscriptions?.includes(uri))
        call.notify('notifications/resources/updated', { uri, _meta: { [KEYS.subscription]: id } });
  }

  /** Ends all subscriptions: with a result, or, `abruptly`, without a word. */
  endListens({ abruptly = false } = {}) {
    for (const { id, call } of this.listens) {
      if (abruptly) call.request.socket.destroy();
      else call.result({ _meta: { [KEYS.subscription]: id } });
    }
  }

  #violated(rule, call) {
    this.violations.push({ rule, method: call.method, headers: call.headers, body: call.body });
  }

  async #serve(request, response) {
    response.on('error', () => {});
    const parts = [];
    try {
      for await (const part of request) parts.push(part);
    } catch {
      return;
    }
    const call = new Call(this, request, response, Buffer.concat(parts).toString());
    this.calls.push(call);
    if (await this.guard(call)) return;
    if (!this.#refusesHttp(call)) await this.#receive(call);
  }

  /** What is wrong before the body is looked at. */
  #refusesHttp(call) {
    const { headers, request, response } = call;
    const wrong = (rule, status, more = {}) => {
      this.#violated(rule, call);
      response.writeHead(status, { 'Content-Length': 0, ...more }).end();
      return true;
    };
    if (request.method !== 'POST') return wrong(`${request.method} is no method here`, 405, { Allow: 'POST' });
    for (const name of ['mcp-session-id', 'last-event-id'])
      if (headers[name] !== undefined) this.#violated(`${name} belongs to sessions`, call);
    if (!/^application\/json\b/.test(headers['content-type'] ?? '')) return wrong('the content type', 415);
    const accepted = headers.accept ?? '';
    if (!accepted.includes('application/json') || !accepted.includes('text/event-stream'))
      return wrong('Accept does not list both types', 406);
    return false;
  }

  #refuse(call, { status, ...error }) {
    this.#violated(`${error.code} ${error.message}`, call);
    call.error(error, status);
  }

  async #receive(call) {
    let message;
    try {
      message = JSON.parse(call.body);
    } catch {
      return this.#refuse(call, { status: 400, code: CODES.parse, message: 'not JSON' });
    }
    const misshapen = shapeRefusal(message);
    if (misshapen) return this.#refuse(call, misshapen);
    call.begin(message);
    if (call.id === undefined) {
      this.#violated('there are no notifications of clients', call);
      return call.response.writeHead(202).end();
    }
    const methods = this.tasks ? [...METHODS, ...TASK_METHODS] : METHODS;
    const refused = requestRefusal(call.headers, message, { methods }) ?? this.#refusesCall(call) ?? this.tasks?.refusal(call);
    if (refused) return this.#refuse(call, refused);
    this.#lookAtMeta(call);
    for (const fault of this.tasks?.faults(call) ?? []) this.#violated(fault, call);
    return this.#perform(call);
  }

  #refusesCall({ method, params, headers }) {
    const tool = method === 'tools/call' && this.offering.tools[params.name];
    return tool ? paramRefusal(headers, tool.inputSchema, params.arguments) : undefined;
  }

  #lookAtMeta(call) {
    for (const key of foreignKeys(call.meta)) this.#violated(`${key} in a request`, call);
    const { progressToken: token } = call.meta;
    if (token === undefined) return;
    if (this.#tokens.has(token)) this.#violated('a progress token that is in use', call);
    this.#tokens.add(token);
    call.gone.then(() => this.#tokens.delete(token));
  }

  /** What a retry brings; false if that is not what it was given. */
  #resumes(call) {
    const { requestState, inputResponses } = call.params;
    if (requestState === undefined && inputResponses === undefined) return true;
    if (!MAY_ASK.includes(call.method)) return true;
    const [body, seal] = String(requestState ?? '').split('.');
    if (seal !== this.#sealOf(body)) return false;
    const { digest, answers } = JSON.parse(Buffer.from(body, 'base64url'));
    call.answers = [...answers, ...(inputResponses ? [inputResponses] : [])];
    return digest === digestOf(call);
  }

  #sealOf(body) {
    return createHmac('sha256', this.#key).update(body).digest('base64url');
  }

  #stateOf(call) {
    const state = { digest: digestOf(call), answers: call.answers };
    const body = Buffer.from(JSON.stringify(state)).toString('base64url');
    return `${body}.${this.#sealOf(body)}`;
  }

  async #perform(call) {
    try {
      const handler = this.#handlers.get(call.method);
      if (handler) return await handler(call);
      if (call.method === 'server/discover') return call.result(this.#discovered());
      if (call.method === 'subscriptions/listen') return this.#listen(call);
      if (!this.#resumes(call)) return this.#refuse(call, { status: 200, code: CODES.invalidParams, message: 'not a state of this call' });
      if (await this.tasks?.answers(call, (requests) => assertAskable(call.capabilities, requests))) return undefined;
      const result = this.offering.list(call.method, call.params) ?? (await this.offering.answer(call.method, call.params, call));
      return call.result(result);
    } catch (error) {
      if (error instanceof NeedsInput) {
        const { requests } = error;
        return call.result({ ...(requests && { inputRequests: requests }), requestState: this.#stateOf(call) }, 'input_required');
      }
      if (error instanceof Refusal)
        return call.error(error.json, error.code === CODES.missingCapability ? 400 : 200);
      return call.error({ code: -32603, message: error.stack });
    }
  }

  #discovered() {
    const words = this.instructions === undefined ? {} : { instructions: this.instructions };
    return { supportedVersions: [VERSION], capabilities: this.capabilities, ...words };
  }

  #listen(call) {
    const wanted = call.params.notifications;
    if (typeof wanted !== 'object' || wanted === null)
      return this.#refuse(call, { status: 200, code: CODES.invalidParams, message: 'notifications is missing' });
    const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions } = wanted;
    const filter = Object.fromEntries(Object.entries({ toolsListChanged, promptsListChanged, resourcesListChanged })
      .filter(([, value]) => value === true));
    if (Array.isArray(resourceSubscriptions)) filter.resourceSubscriptions = resourceSubscriptions;
    const listen = { id: call.id, filter, call };
    this.listens.add(listen);
    call.gone.then(() => this.listens.delete(listen));
    call.openStream();
    return call.notify('notifications/subscriptions/acknowledged', {
      notifications: filter, _meta: { [KEYS.subscription]: call.id },
    });
  }
}
