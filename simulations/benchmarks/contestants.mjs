// What is measured: our fast upstream, nginx as the hop to compare with, and gate; each on free ports,
// all ended by process id.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { Gate, sample } from '../peers/gate.mjs';
import { Connection, once } from '../peers/http.mjs';
import { RESOURCE, requiring } from '../peers/identity.mjs';
import { IdentityProvider } from '../peers/identity_provider.mjs';
import { Session } from '../peers/mcp.mjs';
import { Child } from '../peers/process.mjs';
import { StatelessClient } from '../peers/stateless_client.mjs';
import { VERSION } from '../peers/stateless_rules.mjs';
import { until } from '../peers/waiting.mjs';
import { Listeners } from './listeners.mjs';
import { childrenOf } from './measure.mjs';

/** Thousands of sessions and connections need more descriptors than a login shell allows. */
export const roomy = (command, args) => ['bash', ['-c', 'ulimit -n "$(ulimit -Hn)"; exec "$0" "$@"', command, ...args]];

export function freePort() {
  return new Promise((done) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

/**
 * nginx as a plain hop: one worker, HTTP/1.1 with keep-alive on both sides, nothing logged. Under /roomy
 * its buffers take a whole long result, which nginx would else pass on in pieces of 4 KiB, or by way of a
 * file.
 */
function nginxConfig({ port, upstream, root }) {
  return `
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
worker_rlimit_nofile 65536;
pid nginx.pid;
error_log error.log error;
events { worker_connections 8192; }
http {
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 3600;
  sendfile on;
  tcp_nopush on;
  tcp_nodelay on;
  open_file_cache max=16;
  open_file_cache_valid 3600;
  client_body_temp_path tmp;
  proxy_temp_path tmp;
  fastcgi_temp_path tmp;
  uwsgi_temp_path tmp;
  scgi_temp_path tmp;
  upstream mcp {
    server 127.0.0.1:${upstream};
    keepalive 512;
    keepalive_requests 1000000000;
    keepalive_timeout 3600;
  }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    location /mcp {
      proxy_pass http://mcp;
    }
    location /roomy {
      proxy_pass http://mcp;
      proxy_buffer_size 256k;
      proxy_buffers 4 256k;
      proxy_busy_buffers_size 512k;
      proxy_max_temp_file_size 0;
    }
    location /static/ {
      root ${root};
      default_type application/json;
    }
  }
}
`;
}

/** Rules of which the last one is that for the calls that are made, and tenants, one of which has each caller. */
const RULES = {
  policy: {
    rules: Array.from({ length: 20 }, (_, i) => ({
      id: `rule-${i}`,
      subjects: { groups: ['engineering'] },
      allow: [{ server: 'up', methods: ['tools/call'], names: [i < 19 ? `area${i}_get_*` : 'tool_*'] }],
    })),
  },
  tenants: Array.from({ length: 100 }, (_, i) => ({ id: `tenant-${i}`, subjects: { groups: [`team-${i}`] } })),
};

/** As large as issuers make them: 800 bytes when it is signed. */
const tokenFor = (issuer, i) => issuer.token({
  sub: `00u1a2b3c4d5e6f7g8h-${i}`,
  aud: [RESOURCE],
  groups: ['everyone', 'engineering', `team-${i}`],
  claims: {
    cid: '0oa1b2c3d4e5f6g7h8i9',
    scp: ['openid', 'profile', 'email'],
    email: `someone-${i}@example.com`,
    name: `Someone of the ${i}th`,
    auth_time: 1_800_000_000,
    sid: '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH',
  },
});

class BenchedGate extends Gate {
  async callsServed() {
    const metrics = await this.metrics();
    const ok = sample(metrics, 'gate_requests_total', { method: 'tools/call', outcome: 'ok' }) ?? 0;
    let all = 0;
    for (const [key, value] of metrics)
      if (key.startsWith('gate_requests_total{') && key.includes('"tools/call"')) all += value;
    return { ok, failed: all - ok };
  }

  async assertAllOk(before) {
    const after = await this.callsServed();
    const failed = after.failed - before.failed;
    if (failed) throw new Error(`${failed} calls through gate were answered with an error`);
    if (after.ok === before.ok) throw new Error('gate counted no calls');
  }

  /** The same where whoever leaves in mid-call cancels it, as wrk does in the end: so many answers came, all were results. */
  async assertOk(before, answered) {
    const { ok } = await this.callsServed();
    if (ok - before.ok < answered) throw new Error(`of ${answered} answers of gate ${ok - before.ok} were results`);
  }

  /** Opens sessions with one call each, so that each has a bridged session upstream; leaves them open. */
  async openSessions(count) {
    const lanes = await Promise.all(Array.from({ length: 8 }, () => Connection.open(this.port)));
    let left = count;
    await Promise.all(lanes.map(async (connection) => {
      while (left > 0) {
        left -= 1;
        const session = await Session.open(this, { connection });
        const { result, error } = await session.call('up__tool_1', { text: 'x' });
        if (!result) throw new Error(`a call failed: ${JSON.stringify(error)}`);
      }
    }));
    for (const connection of lanes) connection.close();
  }
}

/** The upstream's side of the event streams that are open there. */
class UpstreamStreams {
  constructor(port) {
    this.port = port;
  }

  async #ask(method) {
    const { status, body } = await once(this.port, { method, path: '/streams' });
    if (status !== 200) throw new Error(`${method} /streams: ${status} ${body}`);
    return JSON.parse(body).streams;
  }

  count() {
    return this.#ask('GET');
  }

  /** Says list_changed on each; returns how many there are. */
  announce() {
    return this.#ask('POST');
  }
}

export class Contestants {
  version = 'unknown';
  #running = [];

  /** `gate` and `upstream` are other binaries than those that `make bench` builds. */
  constructor({ root, folder, gate, upstream }) {
    this.bin = path.join(root, 'build/release/bin');
    this.folder = folder;
    this.gate = gate ?? this.program('gate');
    this.upstream = upstream ?? this.program('bench_upstream');
    for (const program of [this.gate, this.upstream])
      if (!existsSync(program)) throw new Error(`${program} is missing: run make bench`);
  }

  /** What `make bench` builds. */
  program(name) {
    return path.join(this.bin, name);
  }

  /** Has `child` ended with the others. */
  keep(child) {
    this.#running.push(child);
    return child;
  }

  /**
   * The ports of one process with upstreams; behind those of `count` come `refused` that nobody serves, and
   * `deaf` ones that drop whoever wants to connect.
   */
  async startUpstreams(count, tools, { text = 32, refused = 0, deaf = 0 } = {}) {
    const numbers = { ports: count, refused, deaf, tools, text };
    const args = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const child = new Child(...roomy(this.upstream, args), { name: 'bench_upstream' });
    this.#running.push(child);
    await until(() => child.out.length || child.ended, 'bench_upstream to listen');
    if (child.ended) throw new Error(`bench_upstream did not start: ${child.log()}`);
    return child.out[0].trim().split(' ').map(Number);
  }

  async #nginx(upstream, page) {
    const folder = path.join(this.folder, 'nginx');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(path.join(folder, 'tmp'), { recursive: true });
    mkdirSync(path.join(folder, 'html/static'), { recursive: true });
    if (page) writeFileSync(path.join(folder, 'html/static/page.json'), page);
    const port = await freePort();
    writeFileSync(path.join(folder, 'nginx.conf'), nginxConfig({ port, upstream, root: 'html' }));
    const args = ['-p', `${folder}/`, '-c', 'nginx.conf', '-e', 'error.log', '-g', 'daemon off;'];
    const child = new Child(...roomy('nginx', args), { name: 'nginx' });
    this.#running.push(child);
    const answers = () => Connection.open(port).then((c) => (c.close(), true), () => false);
    await until(async () => child.ended || (await answers()), 'nginx to listen');
    if (child.ended) throw new Error(`nginx did not start: ${child.log()}`);
    // Its socket is there before who serves it.
    const worker = await until(() => childrenOf(child.process.pid)[0], 'the worker of nginx');
    const base = `http://127.0.0.1:${port}`;
    return { url: `${base}/mcp`, roomy: `${base}/roomy`, page: `${base}/static/page.json`, worker };
  }

  /** `config`: what is configured besides; `within`: the command that runs it. */
  async startGate(upstreams, config = {}, within = [], more = []) {
    const [program, ...rest] = [...within, this.gate];
    const [command, args] = roomy(program, rest);
    // No audit sink, unless that is what is measured: nginx writes no log either.
    const gate = await BenchedGate.start(command, { upstreams, audit: undefined, ...config }, { before: args, args: more });
    this.#running.push(gate);
    const { json } = await gate.health();
    this.version = json.version ?? this.version;
    return gate;
  }

  /** One upstream, behind nginx and behind gate; `text`: bytes of text in the result of a call. */
  async forCalls({ text } = {}) {
    const [port] = await this.startUpstreams(1, 20, { text });
    const upstream = { port, url: `http://127.0.0.1:${port}/mcp` };
    upstream.session = await Session.open(upstream);
    const nginx = await this.#nginx(port);
    const gate = await this.startGate([{ id: 'up', url: upstream.url, namespace: 'up' }]);
    gate.session = await Session.open(gate);
    const { result, error } = await gate.session.call('up__tool_1', { text: 'hello' });
    if (!result) throw new Error(`the first call through gate failed: ${JSON.stringify(error)}`);
    return { upstream, nginx, gate };
  }

  /**
   * One upstream behind nginx, which passes tokens on, and behind three gateways: one that anybody may use, one
   * that wants tokens, and one with policy and tenants too. Each of `count` callers has a token, and a session at each gateway.
   */
  async forCallers(count) {
    const issuer = await IdentityProvider.start();
    this.#running.push(issuer);
    const tokens = Array.from({ length: count }, (_, i) => tokenFor(issuer, i));
    const [port] = await this.startUpstreams(1, 20);
    const upstreams = [{ id: 'up', url: `http://127.0.0.1:${port}/mcp`, namespace: 'up' }];
    const gates = {
      open: await this.startGate(upstreams),
      required: await this.startGate(upstreams, requiring([issuer], {})),
      ruled: await this.startGate(upstreams, requiring([issuer], RULES)),
    };
    for (const gate of Object.values(gates)) {
      gate.sessions = [];
      for (const token of tokens) {
        const session = await Session.open(gate, { token });
        const { result, error } = await session.call('up__tool_1', { text: 'hello' });
        if (!result) throw new Error(`a caller's first call failed: ${JSON.stringify(error)}`);
        gate.sessions.push(session.id);
      }
    }
    return { gates, tokens, nginx: await this.#nginx(port) };
  }

  /** One server that speaks both generations, behind gate twice: as `old` with sessions, as `new` without them. */
  async forGenerations() {
    const [port] = await this.startUpstreams(1, 20);
    const url = `http://127.0.0.1:${port}/mcp`;
    const nginx = await this.#nginx(port);
    const gate = await this.startGate([
      { id: 'old', url, namespace: 'old', protocol: 'session' }, { id: 'new', url, namespace: 'new', protocol: VERSION },
    ]);
    const clients = { session: await Session.open(gate), stateless: new StatelessClient(gate) };
    for (const client of Object.values(clients))
      for (const name of ['old__tool_1', 'new__tool_1']) {
        const { result, error } = await client.call(name, { text: 'hello' });
        if (!result) throw new Error(`the first call of ${name} failed: ${JSON.stringify(error)}`);
      }
    return { nginx, gate, ...clients };
  }

  /** One upstream with event streams behind gate, and nobody in front of it who listens yet. */
  async forStreams() {
    const [port] = await this.startUpstreams(1, 20);
    const gate = await this.startGate([{ id: 'up', url: `http://127.0.0.1:${port}/mcp`, namespace: 'up' }]);
    const listeners = new Listeners(gate);
    this.#running.push({ stop: async () => listeners.close() });
    return { streams: new UpstreamStreams(port), gate, listeners };
  }

  /** Many upstreams behind gate; nginx has the bytes of gate's first page as a file. */
  async forLists({ upstreams, tools, page }) {
    const ports = await this.startUpstreams(upstreams, tools);
    const gate = await this.startGate(ports.map((port, i) => (
      { id: `up-${i}`, url: `http://127.0.0.1:${port}/mcp`, namespace: `up-${i}` })));
    gate.session = await Session.open(gate);
    const first = await gate.session.request('tools/list', {}, { id: 1000000 });
    const items = first.result?.tools?.length;
    if (items !== page || !first.result.nextCursor)
      throw new Error(`a page of ${page} tools was expected: ${first.text.slice(0, 300)}`);
    const nginx = await this.#nginx(ports[0], first.text);
    return { nginx, gate, items, bytes: Buffer.byteLength(first.text) };
  }

  /** Ends what is running, in reverse order. */
  async end() {
    const ending = this.#running.splice(0).reverse();
    for (const child of ending) await child.stop('SIGTERM', 15_000).catch(() => {});
  }
}
