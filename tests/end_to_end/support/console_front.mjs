// A gateway in a state that a test chooses, as far as the console page can tell: the page itself comes from a real
// gateway, with its headers; the APIs and the MCP path are ours. So five hundred upstreams, names made to hurt and a
// gateway that dies are a matter of data.
import http from 'node:http';
import { listenOn, stopListening } from '../../../simulations/peers/http_listener.mjs';

const EPOCH = Date.parse('2026-11-25T09:30:00.000Z');
export const at = (seconds) => new Date(EPOCH + seconds * 1000).toISOString();

/** Letters that turn what follows, that nobody sees, that are markup, and very many. */
export const HOSTILE = {
  markup: '<script>document.title="stolen"</script><img src=x onerror="document.title=\'stolen\'">',
  expression: '${document.title="stolen"}{{constructor.constructor("document.title=\'stolen\'")()}}',
  turning: 'invoice\u202Efdp.exe\u2066\u200B',
  hebrew: 'שלום עולם',
  quotes: '"\'`><svg/onload=document.title=1>',
  path: '../../api/federation?x=1#/..',
  long: 'x'.repeat(10_240),
  lines: 'one\r\ntwo\u0000three\u001b[31m',
};

const STATES = [
  { breaker: 'closed', connected: false, error: 'connect failed: connection refused' },
  { breaker: 'open', connected: false, error: 'no answer within 30000 ms' },
  { breaker: 'half-open', connected: true, latencyMs: 812.4 },
  { breaker: 'closed', connected: false, unprobed: true },
];
const TEAMS = ['search', 'payments', 'data', 'platform', 'support'];

/** Upstream number `i`; every tenth or so is not well. */
export function upstreamOf(i, more = {}) {
  const wrong = i % 11 === 3 ? STATES[Math.floor(i / 11) % STATES.length] : {};
  return {
    id: `service-${String(i).padStart(3, '0')}`, namespace: `s${i}`, breaker: 'closed', connected: true, latencyMs: 3 + ((i * 7919) % 240) / 2,
    source: i % 3 ? 'static' : 'discovered', authStrategy: ['none', 'static', 'token-exchange', 'passthrough'][i % 4],
    protocol: ['auto', 'session', '2026-07-28'][i % 3],
    ...(i % 5 === 1 && { endpoints: [{ healthy: true, url: `https://a${i}.internal/mcp` }, { healthy: i % 2 === 1, url: `https://b${i}.internal/mcp` }] }),
    limits: i % 2 ? [{ scope: 'upstream', limit: 600, used: (i * 37) % 590, resetsAt: at(40) }] : [],
    sessions: { root: 1 + (i % 2), bridged: (i * 17) % 120 },
    budgets: i % 4 ? [] : [{ scope: 'upstream', period: 'day', limit: 5000, used: (i * 613) % 5000, resetsAt: at(50_000) }],
    url: `https://service-${i}.internal/mcp`, owner: { org: 'Acme', team: TEAMS[i % TEAMS.length], contact: 'team@example.com' },
    labels: { stage: i % 7 ? 'prod' : 'canary' }, ...wrong, ...more,
  };
}

/** A report on these upstreams; `more` replaces members. */
export function reportOn(upstreams, more = {}) {
  return {
    version: '0.9.0', viewer: { operator: true, principal: 'alice', issuer: 'https://login.example.com', tenant: 'acme' }, status: 'degraded',
    auth: { mode: 'required', issuers: 2, enterprise: false }, policy: { configured: true, defaultDecision: 'deny', rules: 14 },
    limits: { requestsPerMinute: 6000, perPrincipalPerMinute: 600, maxBodyBytes: 1_048_576, budget: { period: 'month', upstreamCalls: 100_000 } },
    usage: {
      limits: [{ scope: 'server', limit: 6000, used: 1312, resetsAt: at(31) }, { scope: 'principal', limit: 600, used: 12, resetsAt: at(31) }],
      budgets: [{ scope: 'server', period: 'month', limit: 100_000, used: 93_211, resetsAt: '2026-12-01T00:00:00.000Z' }],
    },
    sharedState: 'ok', auditSinks: ['stdout', 'webhook'], tracing: { enabled: true, serviceName: 'gate', sampleRatio: 0.1 },
    routing: { namespaceSeparator: '__', pageSize: 200, mcpPath: '/mcp', passthrough: false },
    upstreamCounts: { static: upstreams.filter(({ source }) => source === 'static').length, discovered: upstreams.filter(({ source }) => source !== 'static').length },
    discovery: { lastOutcome: 'applied', lastSyncAt: at(-12) },
    tenant: { id: 'acme', limits: [{ scope: 'tenant', limit: 3000, used: 2950, resetsAt: at(20) }], budgets: [] },
    sessions: { client: 42, bridged: 97 },
    upstreams, ...more,
  };
}

const TOOLS = ['search', 'read_file', 'create_issue', 'list_orders', 'refund'];
const OUTCOMES = ['error', 'denied', 'rate_limited', 'upstream_down', 'unauthenticated'];

/** Event number `i`, for one of these upstreams. */
export function eventOf(i, upstreams) {
  const upstream = upstreams[(i * 31) % Math.max(1, Math.min(upstreams.length, 9))];
  const outcome = i % 13 === 5 ? OUTCOMES[Math.floor(i / 13) % OUTCOMES.length] : 'ok';
  const named = i % 6 !== 0;
  return {
    seq: 1_795_598_400_000_000 + i, time: at(-2 * (1000 - i)), principal: ['alice', 'bob', 'ci-runner'][i % 3], issuer: 'https://login.example.com',
    method: named ? 'tools/call' : 'tools/list',
    ...(named && upstream && { name: `${upstream.namespace}__${TOOLS[i % TOOLS.length]}`, upstream: upstream.id, owner: upstream.owner }),
    decision: outcome === 'denied' ? 'deny' : 'allow', ruleId: 'readers', outcome, ...(outcome !== 'ok' && { error: `this is what ${outcome} looks like` }),
    latencyMs: 4 + ((i * 2654435761) % 100_000) / 900, tenant: 'acme', upstreamCalls: 1, traceId: `0af7651916cd43dd8448eb211c80${String(i).padStart(4, '0')}`,
  };
}

const SCHEMA = {
  type: 'object', required: ['query'],
  properties: {
    query: { type: 'string', description: 'What to look for; words are combined with AND.' },
    limit: { type: 'integer', description: 'At most so many.' },
    order: { enum: ['newest', 'best'], description: 'What comes first.' },
    labels: { type: 'array', items: { type: 'string' } },
  },
};

export function toolOf(upstream, tool) {
  return { name: `${upstream.namespace}__${tool}`, title: tool.replaceAll('_', ' '), description: `Does ${tool} in ${upstream.id}.\nSecond line of what it says.`,
    inputSchema: SCHEMA, annotations: { readOnlyHint: tool === 'search' } };
}

export class ConsoleFront {
  /** What /api/auth-hint says. */
  hint = { authRequired: false, mcpPath: '/v1/mcp' };
  /** The token that is good; undefined: none is needed. */
  token = undefined;
  /** In its place: is this token good? */
  goodTokens = undefined;
  report = reportOn([]);
  events = [];
  /** Lists by their member. */
  lists = { tools: [], prompts: [], resources: [], resourceTemplates: [] };
  /** `(method, name) => answer` of /api/explain. */
  explain = (method, name) => ({ method, name, decision: 'none', limits: [], budgets: [], reason: 'unknown_name', message: `unknown name "${name}"` });
  /** For each path that is to fail a status; `gone`: no answer at all. */
  failing = new Map();
  /** `METHOD path` of every request that is not for a file of the page. */
  asked = [];
  #streams = new Set();

  /** `gate` serves the page. */
  static async start(gate) {
    const front = Object.assign(new ConsoleFront(), { gate });
    front.server = http.createServer((request, response) => front.#serve(request, response));
    await listenOn(front, 0);
    front.origin = `http://127.0.0.1:${front.port}`;
    return front;
  }

  stop() {
    return stopListening(this);
  }

  /** Says so on all live streams. */
  happen(event) {
    this.events.push(event);
    for (const stream of this.#streams) stream.write(`id: ${event.seq}\nevent: audit\ndata: ${JSON.stringify(event)}\n\n`);
  }

  /** Ends all live streams; with a reason, in the words of the gateway. */
  endStreams(reason) {
    for (const stream of this.#streams) stream.end(reason ? `event: end\ndata: {"reason":"${reason}"}\n\n` : '');
  }

  get streams() {
    return this.#streams.size;
  }

  #serve(request, response) {
    const url = new URL(request.url, this.origin);
    if (url.pathname.startsWith('/console')) return this.#pass(request, response);
    this.asked.push(`${request.method} ${url.pathname}`);
    const say = (status, json, headers = {}) =>
      response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers }).end(JSON.stringify(json));
    const status = this.failing.get(url.pathname);
    if (status === 'gone') return request.socket.destroy();
    if (status) return say(status, { error: `told to say ${status}` }, status === 429 ? { 'Retry-After': '1' } : {});
    if (url.pathname === '/api/auth-hint') return say(200, this.hint);
    const given = request.headers.authorization?.replace(/^Bearer /, '');
    if (this.goodTokens ? !this.goodTokens(given) : this.token !== undefined && given !== this.token) {
      return say(401, { error: 'the token is not good here' }, { 'WWW-Authenticate': 'Bearer' });
    }
    if (url.pathname === '/api/federation') return say(200, this.report);
    if (url.pathname === '/api/explain') return say(200, this.explain(url.searchParams.get('method'), url.searchParams.get('name')));
    if (url.pathname === '/api/activity') return this.#activity(request, response, url, say);
    if (url.pathname === '/v1/mcp') return this.#mcp(request, say);
    return say(404, { error: 'no such endpoint' });
  }

  #activity(request, response, url, say) {
    const since = Number(url.searchParams.get('since') ?? -1);
    const later = this.events.filter(({ seq }) => seq > since);
    const next = this.events.at(-1)?.seq ?? 0;
    if (request.headers.accept !== 'text/event-stream') return say(200, { events: later.slice(-1000), next });
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write('retry: 2000\n\n');
    for (const event of later) response.write(`id: ${event.seq}\nevent: audit\ndata: ${JSON.stringify(event)}\n\n`);
    this.#streams.add(response);
    return response.once('close', () => this.#streams.delete(response));
  }

  async #mcp(request, say) {
    let text = '';
    for await (const piece of request) text += piece;
    const { id, method, params } = JSON.parse(text);
    const member = { 'tools/list': 'tools', 'prompts/list': 'prompts', 'resources/list': 'resources', 'resources/templates/list': 'resourceTemplates' }[method];
    if (!member) return say(404, { jsonrpc: '2.0', id, error: { code: -32601, message: 'method not found' } });
    const from = Number(params.cursor ?? 0);
    const all = this.lists[member];
    return say(200, { jsonrpc: '2.0', id, result: { resultType: 'complete', [member]: all.slice(from, from + 200), ...(all.length > from + 200 && { nextCursor: String(from + 200) }) } });
  }

  /** The page and its files, as the gateway serves them. */
  #pass(request, response) {
    const headers = { ...request.headers, host: `127.0.0.1:${this.gate.port}` };
    const onward = http.request({ port: this.gate.port, host: '127.0.0.1', method: request.method, path: request.url, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.once('error', () => response.destroy());
    request.pipe(onward);
  }
}
