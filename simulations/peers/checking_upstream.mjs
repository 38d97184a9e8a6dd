// An upstream that looks at who comes: it notes the credential of every request, can refuse those
// without the right one, and can belong to its users, each of whom sees tools of their own. It has
// tools, prompts, resources, templates, completion and tasks, all answered by the names they were
// asked for.
import { decoded } from './jws.mjs';
import { Upstream } from './upstream.mjs';

const CAPABILITIES = JSON.stringify({
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
});

/** The subject of a Bearer token that is a JWT, else undefined. */
export function subjectOf(authorization) {
  try {
    return decoded(authorization.replace(/^Bearer /, '')).payload.sub;
  } catch {
    return undefined;
  }
}

const CHALLENGE = { 'WWW-Authenticate': 'Bearer error="invalid_token"', 'Content-Length': 0 };

export class CheckingUpstream extends Upstream {
  capabilities = CAPABILITIES;
  /** Stands in every answer. */
  name = 'one';
  /** Its tools and prompts. */
  names = ['echo'];
  uris = [];
  templates = [];
  /** Every HTTP request, in order: `{ method, session, authorization, key, headers }`. */
  seen = [];
  /** Which requests may pass: gets one of `seen`. */
  accepts = () => true;
  /** Are its tools those of each user, and a session only for the user who opened it? */
  personal = false;
  /** Requests in the session of another user: there may be none. */
  mixed = [];
  #owners = new Map();
  #tasks = new Map();

  /** The credentials that came with requests, each once, in the order in which they came first. */
  get credentials() {
    return [...new Set(this.seen.map(({ authorization }) => authorization))];
  }

  guard({ method, headers }, response) {
    const session = headers['mcp-session-id'];
    const request = { method, session, authorization: headers.authorization, key: headers['x-api-key'], headers };
    this.seen.push(request);
    if (!this.accepts(request)) {
      response.writeHead(401, CHALLENGE).end();
      return true;
    }
    if (!this.personal || !session) return false;
    const user = subjectOf(request.authorization);
    const owner = this.#owners.get(session);
    if (owner === user) return false;
    this.mixed.push({ method, session, owner, user });
    response.writeHead(403, { 'Content-Length': 0 }).end();
    return true;
  }

  initialize(call) {
    const known = new Set(this.sessions);
    super.initialize(call);
    const user = subjectOf(call.request.headers.authorization);
    for (const session of this.sessions) if (!known.has(session)) this.#owners.set(session, user);
  }

  /** The tools that this request's user has. */
  #namesFor(call) {
    if (!this.personal) return this.names;
    const user = subjectOf(call.request.headers.authorization);
    return ['whoami', `${user}-only`];
  }

  #tool(call) {
    const { name, arguments: args, task } = call.params;
    if (!this.#namesFor(call).includes(name)) return call.error('{"code":-32602,"message":"no such tool"}');
    if (task) return this.#newTask(call, name);
    if (name === 'whoami') return call.text(`${subjectOf(call.request.headers.authorization)}`);
    return call.text(`${this.name}: ${name} ${args?.text ?? ''}`.trim());
  }

  #newTask(call, name) {
    const taskId = `${this.name}-task-${this.#tasks.size + 1}`;
    const time = new Date().toISOString();
    const task = { taskId, status: 'working', ttl: 60_000, pollInterval: 50, createdAt: time, lastUpdatedAt: time };
    this.#tasks.set(taskId, { task, name });
    call.result(JSON.stringify({ task }));
  }

  #task(call) {
    const known = this.#tasks.get(call.params?.taskId);
    if (call.method === 'tasks/list')
      return call.result(JSON.stringify({ tasks: [...this.#tasks.values()].map(({ task }) => task) }));
    if (!known) return call.error('{"code":-32602,"message":"Task not found"}');
    if (call.method === 'tasks/result') return call.text(`${this.name}: ${known.name} done`);
    if (call.method === 'tasks/cancel') known.task.status = 'cancelled';
    return call.result(JSON.stringify(known.task));
  }

  behave(call) {
    const { method, params } = call;
    const say = (json) => call.result(JSON.stringify(json));
    const text = `${this.name}: ${params?.name ?? params?.uri}`;
    if (method?.startsWith('tasks/')) return this.#task(call);
    switch (method) {
      case 'tools/list':
        return say({ tools: this.#namesFor(call).map((name) => ({ name, inputSchema: { type: 'object' } })) });
      case 'tools/call':
        return this.#tool(call);
      case 'prompts/list':
        return say({ prompts: this.names.map((name) => ({ name })) });
      case 'prompts/get':
        return say({ messages: [{ role: 'user', content: { type: 'text', text } }] });
      case 'resources/list':
        return say({ resources: this.uris.map((uri) => ({ uri, name: uri })) });
      case 'resources/templates/list':
        return say({ resourceTemplates: this.templates.map((uriTemplate) => ({ uriTemplate, name: uriTemplate })) });
      case 'resources/read':
        return say({ contents: [{ uri: params.uri, text }] });
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        return say({});
      case 'completion/complete':
        return say({ completion: { values: [params.ref.name ?? params.ref.uri] } });
      default:
        return super.behave(call);
    }
  }
}
