// A server that speaks standard input and output, brought to streamable HTTP: each session gets a child
// process of its own, and what the two say to each other passes byte for byte. Standard output knows no
// streams, so answers go to the POST they belong to and everything else to the session's GET stream,
// where it waits until there is one: servers ask for roots before any client listens.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { createInterface } from 'node:readline';
import { within } from './waiting.mjs';

/** Children that have not ended: none outlives the script. */
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

const event = (text) => `event: message\ndata: ${text}\n\n`;

class Session {
  id = randomUUID();
  /** What passed, in order: `{ from: 'client' | 'server', message }`. */
  log = [];
  /** By request id, the POSTs that wait for their answers. */
  #posts = new Map();
  #stream = null;
  #unheard = [];

  constructor({ command, args, env }) {
    this.child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    running.add(this.child);
    this.child.stdin.on('error', () => {});
    createInterface({ input: this.child.stdout }).on('line', (line) => this.#said(line));
    this.ended = new Promise((done) => {
      this.child.on('error', done);
      this.child.on('close', done);
    }).then(() => {
      running.delete(this.child);
      for (const response of [...this.#posts.values(), this.#stream]) response?.destroy();
    });
  }

  post(text, response) {
    const message = JSON.parse(text);
    this.log.push({ from: 'client', message });
    this.child.stdin.write(`${text.replaceAll('\n', ' ')}\n`);
    if (message.id === undefined || !message.method) return response.writeHead(202).end();
    this.#posts.set(message.id, response);
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Mcp-Session-Id': this.id });
    return response.flushHeaders();
  }

  #said(line) {
    const message = JSON.parse(line);
    this.log.push({ from: 'server', message });
    const response = message.method === undefined && this.#posts.get(message.id);
    if (response) {
      this.#posts.delete(message.id);
      response.end(event(line));
    } else if (this.#stream) {
      this.#stream.write(event(line));
    } else {
      this.#unheard.push(line);
    }
  }

  listen(response) {
    if (this.#stream) return response.writeHead(409).end();
    this.#stream = response;
    response.on('close', () => (this.#stream = null));
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.flushHeaders();
    for (const line of this.#unheard.splice(0)) response.write(event(line));
    return undefined;
  }

  /** The end of standard input is the end of a server, says the protocol; else its id is used. */
  end() {
    this.child.stdin.end();
    return within(this.ended, `process ${this.child.pid} to end`, 10_000).catch(() => this.kill());
  }

  kill() {
    this.child.kill('SIGKILL');
    return this.ended;
  }
}

export class StdioBridge {
  /** Those whose child runs, by id. */
  sessions = new Map();

  /** `server`: `{ command, args, env }` of the child processes. */
  static async start(server) {
    const bridge = new StdioBridge();
    bridge.server = server;
    await bridge.listen();
    return bridge;
  }

  /** On a free port the first time, on the same one after `stop`. */
  listen() {
    this.http = http.createServer((request, response) => {
      this.#serve(request, response).catch((error) => {
        console.log(`  bridge: ${error.stack}`);
        response.destroy();
      });
    });
    return new Promise((done, fail) => {
      this.http.once('error', fail);
      this.http.listen(this.port ?? 0, '127.0.0.1', () => {
        this.port = this.http.address().port;
        this.url = `http://127.0.0.1:${this.port}/mcp`;
        done();
      });
    });
  }

  async #serve(request, response) {
    const parts = [];
    for await (const part of request) parts.push(part);
    const id = request.headers['mcp-session-id'];
    const session = this.sessions.get(id);
    if (id && !session) return response.writeHead(404).end();
    if (request.method === 'POST')
      return (session ?? this.#open()).post(Buffer.concat(parts).toString(), response);
    if (!session) return response.writeHead(400).end();
    if (request.method === 'GET') return session.listen(response);
    await session.end();
    return response.writeHead(200).end();
  }

  #open() {
    const session = new Session(this.server);
    this.sessions.set(session.id, session);
    session.ended.then(() => this.sessions.delete(session.id));
    return session;
  }

  /** As if killed: nobody listens any more, connections are dropped, the children are gone. */
  async stop() {
    const closed = new Promise((done) => this.http.close(done));
    this.http.closeAllConnections();
    await Promise.all([closed, ...[...this.sessions.values()].map((session) => session.kill())]);
  }
}
