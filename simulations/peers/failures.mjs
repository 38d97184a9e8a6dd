// How an HTTP endpoint can go wrong, and a server that nobody may ever talk to.
import http from 'node:http';

/** A body that never ends: written until the other side has had enough. */
async function pour(response, piece) {
  const gone = new Promise((done) => response.once('close', done));
  while (!response.destroyed)
    if (!response.write(piece)) await Promise.race([gone, new Promise((ok) => response.once('drain', ok))]);
}

/** One byte after the other, each before anybody would call the connection dead. */
function drip(response, text) {
  const bytes = Buffer.from(text);
  let at = 0;
  const timer = setInterval(() => {
    if (response.destroyed || at === bytes.length) return clearInterval(timer);
    response.write(bytes.subarray(at, (at += 1)));
    return undefined;
  }, 500);
  response.once('close', () => clearInterval(timer));
}

const say = (response, status, type, body, headers = {}) =>
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body), ...headers }).end(body);

/** By name; each gets the response, the answer that would have been right, and where a redirect goes. */
const FAILURES = {
  'status 500': (response) => say(response, 500, 'application/json', '{"error":"server_error"}'),
  'status 404': (response) => say(response, 404, 'text/plain', 'no such page'),
  HTML: (response) => say(response, 200, 'text/html', '<!doctype html><title>Sign in</title><p>Please sign in.'),
  redirect: (response, _, target) => say(response, 307, 'text/plain', 'over there', { Location: target }),
  'redirect as GET': (response, _, target) => say(response, 302, 'text/plain', 'over there', { Location: target }),
  'an endless body': (response, text) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.write(text.slice(0, -1)); // what comes before could be believed
    pour(response, Buffer.alloc(65_536, ' '));
  },
  silence: () => {},
  'a slow body': (response, text) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.flushHeaders();
    drip(response, text);
  },
  'half a body': (response, text) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
    response.write(text.slice(0, text.length / 2), () => response.destroy());
  },
  'no JSON': (response, text) => say(response, 200, 'application/json', text.slice(0, -1)),
  'JSON of another kind': (response) => say(response, 200, 'application/json', '["keys","access_token"]'),
  nothing: (response) => say(response, 200, 'application/json', ''),
  reset: (response) => response.socket.resetAndDestroy(),
};

export const failures = Object.keys(FAILURES);

/** One address of a server: what was asked of it, and whether and how it fails. */
export class Endpoint {
  /** `{ method, url, headers, body }` of every request, in order. */
  requests = [];
  /** A name in `failures`, or null. */
  failing = null;
  /** What right answers wait for: a promise, or nothing. */
  held = undefined;
  /** Where redirects point. */
  elsewhere = null;

  /** Notes the request; true if it has answered it, or never will. */
  fails(request, body, response, rightAnswer) {
    const { method, url, headers } = request;
    this.requests.push({ method, url, headers, body });
    if (!this.failing) return false;
    FAILURES[this.failing](response, rightAnswer(), this.elsewhere);
    return true;
  }

  get count() {
    return this.requests.length;
  }
}

export async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** Base of the small servers: on a free port, and on the same one again after `stop`. */
export class LoopbackServer {
  listen() {
    this.server = http.createServer((request, response) => {
      response.on('error', () => {});
      Promise.resolve(this.serve(request, response)).catch((error) => {
        if (request.destroyed) return;
        console.log(`  ${this.constructor.name}: ${error.stack}`);
        response.destroy();
      });
    });
    // An idle connection that closes just as somebody uses it is another test's subject.
    this.server.keepAliveTimeout = 0;
    return new Promise((done, fail) => {
      this.server.once('error', fail);
      this.server.listen(this.port ?? 0, '127.0.0.1', () => {
        this.port = this.server.address().port;
        this.origin = `http://127.0.0.1:${this.port}`;
        done();
      });
    });
  }

  /** Refuses connections from now on and drops the open ones. */
  stop() {
    this.server.closeAllConnections();
    return new Promise((done) => this.server.close(done));
  }
}

/**
 * A server that tests point at where nobody may go: redirects lead here, and hostile headers of
 * tokens name it. It answers whatever it is asked with `answer`, so that following would pay.
 */
export class Trap extends LoopbackServer {
  requests = [];
  answer = '{}';

  static async start() {
    const trap = new Trap();
    await trap.listen();
    return trap;
  }

  async serve(request, response) {
    const { method, url, headers } = request;
    this.requests.push({ method, url, headers, body: await bodyOf(request) });
    say(response, 200, 'application/json', this.answer);
  }
}
