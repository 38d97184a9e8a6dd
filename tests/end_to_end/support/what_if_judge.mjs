// What a gateway with another document would have said to recorded requests: the stages in plain words,
// written from the documentation alone, slow and short. It reads a recording and never asks a gateway.
import { judgeName, means } from './judge.mjs';

const MINUTE = 60_000_000;

/** Two one-minute buckets: `previous × remaining fraction + current + 1 ≤ limit`, in µs. */
class Window {
  #counts = new Map();

  #at(now) {
    const minute = Math.floor(now / MINUTE);
    return { minute, left: MINUTE - (now % MINUTE), current: this.#counts.get(minute) ?? 0, previous: this.#counts.get(minute - 1) ?? 0 };
  }

  hasRoom(limit, now) {
    const { left, current, previous } = this.#at(now);
    return previous * left <= (limit - 1 - current) * MINUTE;
  }

  take(now) {
    const { minute, current } = this.#at(now);
    this.#counts.set(minute, current + 1);
  }
}

/** Things by name, made when they are asked for. */
class Named {
  #all = new Map();

  constructor(make) {
    this.make = make;
  }

  get(name) {
    if (!this.#all.has(name)) this.#all.set(name, this.make());
    return this.#all.get(name);
  }
}

/** Which calendar period an instant (ms) lies in. */
const periodOf = (period, ms) => new Date(ms).toISOString().slice(0, { hour: 13, day: 10, month: 7 }[period]);

const headerOf = (headers, name) => headers.find(([n]) => n.toLowerCase() === name)?.[1];

function* messagesIn(text) {
  if (text?.startsWith('[')) yield* JSON.parse(text);
  else yield text ? JSON.parse(text) : {};
}

/** How a message ended, by what its client got. */
const wordOf = ({ status, answer }) => {
  const reason = answer?.error?.data?.gate?.reason;
  if (reason) return reason;
  if (status === 200 && answer?.error) return 'error';
  if (status === 401) return 'unauthenticated';
  return status >= 400 ? `HTTP ${status}` : 'ok';
};

/** Data of the last event of a stream that is no empty one. */
function lastOf(stream) {
  const events = stream.split('\n\n').map((event) => event.split('\n').filter((line) => line.startsWith('data: ')).map((line) => line.slice(6)).join('\n'));
  const said = events.filter(Boolean).at(-1);
  return said && JSON.parse(said);
}

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** A recording as the judge needs it: `{ head, requests }`. */
export function understood(text) {
  const [head, ...events] = text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const requests = new Map();
  for (const event of events) {
    const of = requests.get(`${event.u} ${event.n}`);
    if (event.e === 'request') requests.set(`${event.u} ${event.n}`, { ...event, told: { stream: '' } });
    else if (event.e === 'answer') Object.assign(of.told, { status: event.status, answer: parsed(event.body), headers: event.headers ?? [], over: true });
    else if (event.e === 'stream') Object.assign(of.told, { status: 200, headers: event.headers ?? [], streaming: true });
    else if (event.e === 'sent') of.told.stream += event.data;
    else if (event.e === 'ended') of.told.over = true;
    else if (event.e === 'gone') of.gone = true;
  }
  const all = [...requests.values()];
  for (const request of all) {
    const { told } = request;
    if (told.streaming) told.answer = lastOf(told.stream);
    request.was = told.streaming && !told.over ? 'open' : wordOf(told);
    request.compared = !request.gone && Boolean(told.over || told.streaming);
  }
  return { head, requests: all, stops: events.some(({ e }) => e === 'stop') };
}

export class Judge {
  #windows = new Named(() => new Window());
  #used = new Map();
  /** Sessions by what they are called in the recording: `{ owner, stream }`. */
  #sessions = new Map();

  /** `known`: ids of upstreams that are where the recording had them; others are down. */
  constructor(document, recording, known) {
    Object.assign(this, { document, known });
    this.clock = recording.head.clock;
    this.began = Date.parse(recording.head.started);
    this.path = document.server?.mcpPath ?? '/mcp';
    this.requests = recording.requests;
    this.stops = recording.stops;
  }

  /** Has each request end in `now`, and say why it may have: `rule`, `upstream`. */
  judgeAll() {
    for (const request of this.requests) Object.assign(request, { now: undefined, rule: undefined, upstream: undefined });
    for (const request of this.requests) request.now = this.#judge(request);
    // A gateway that ends, ends its streams.
    if (this.stops) for (const request of this.requests) if (request.now === 'open') request.now = 'ok';
    return this.requests;
  }

  #judge(request) {
    const { target, was } = request;
    const path = target.split('?')[0];
    const viewed = path.startsWith('/api/');
    if (path !== this.path && !viewed) return was;
    if (was === 'unauthenticated') return was;
    const who = { ...request.token.claims, secret: request.token.secret };
    const tenants = (this.document.tenants ?? []).filter(({ subjects }) => means(subjects, who));
    // Other paths than that of MCP have no words for it.
    const refused = (word, status) => (viewed ? `HTTP ${status}` : word);
    if (tenants.length > 1) return refused('tenant_ambiguous', 403);
    const caller = { who, tenant: tenants[0], key: `${who.iss} ${who.sub}` };
    const now = this.clock + request.t;
    if (!this.#metered(caller, now)) return refused('rate_limited', 429);
    return viewed ? was : this.#routed(request, caller, now);
  }

  #metered({ tenant, key }, now) {
    const { rateLimit = {} } = this.document.server ?? {};
    const scopes = [
      ['everybody', rateLimit.requestsPerMinute],
      [`tenant ${tenant?.id}`, tenant?.rateLimit?.requestsPerMinute],
      [`principal ${key}`, rateLimit.perPrincipalPerMinute],
    ].filter(([, limit]) => limit > 0).map(([name, limit]) => [this.#windows.get(name), limit]);
    if (!scopes.every(([window, limit]) => window.hasRoom(limit, now))) return false;
    for (const [window] of scopes) window.take(now);
    return true;
  }

  #routed(request, caller, now) {
    const session = headerOf(request.headers, 'mcp-session-id');
    const mine = this.#sessions.get(session)?.owner === caller.key;
    if (request.method === 'DELETE') {
      if (!mine) return 'session_unknown';
      const { stream } = this.#sessions.get(session);
      if (stream?.now === 'open') stream.now = 'ok';
      this.#sessions.delete(session);
      return 'ok';
    }
    if (request.method === 'GET') {
      if (!mine) return 'session_unknown';
      this.#sessions.get(session).stream = request;
      return 'open';
    }
    const [message] = messagesIn(request.body);
    if (message.method === 'initialize') return this.#opened(request, caller);
    if (!session && !message.params?._meta?.['io.modelcontextprotocol/protocolVersion']) return request.was;
    if (session && !mine) return 'session_unknown';
    return this.#called(request, message, caller, now);
  }

  /** It may be one that the recorded gateway had refused: nobody knows it by a name. */
  #opened(request, { key }) {
    const id = headerOf(request.told.headers, 'mcp-session-id');
    if (id) this.#sessions.set(id, { owner: key });
    return 'ok';
  }

  #called(request, { method, params }, caller, now) {
    if (method !== 'tools/call' && method !== 'prompts/get') return 'ok';
    const [space, ...rest] = params.name.split('__');
    const bare = rest.join('__');
    const up = this.document.upstreams.find(({ id, namespace = id }) => namespace === space);
    const seen = caller.tenant?.upstreams;
    if (!up || (seen && !seen.includes(up.id))) return 'unknown_name';
    request.upstream = up.id;
    const { allowed, rule } = this.document.policy
      ? judgeName(this.document.policy, caller.who, up.id, method, bare) : { allowed: true };
    request.rule = rule;
    if (!allowed) return 'policy_denied';
    const limit = up.rateLimit?.requestsPerMinute ?? 0;
    const window = this.#windows.get(`upstream ${up.id}`);
    if (limit > 0 && !window.hasRoom(limit, now)) return 'rate_limited';
    if (limit > 0) window.take(now);
    if (!this.known.has(up.id)) return 'upstream_down';
    if (!this.#charged(up, caller, request.t)) return 'budget_exhausted';
    return method === 'tools/call' && bare === 'boom' ? 'error' : 'ok';
  }

  #charged(up, { tenant }, t) {
    const ms = this.began + t / 1000;
    const scopes = [[`upstream ${up.id}`, up.budget], [`tenant ${tenant?.id}`, tenant?.budget], ['server', this.document.server?.budget]]
      .filter(([, budget]) => budget)
      .map(([name, { period = 'month', upstreamCalls }]) => [`${name} ${period} ${periodOf(period, ms)}`, upstreamCalls]);
    if (scopes.some(([name, most]) => (this.#used.get(name) ?? 0) >= most)) return false;
    for (const [name] of scopes) this.#used.set(name, (this.#used.get(name) ?? 0) + 1);
    return true;
  }
}
