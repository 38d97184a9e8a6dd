// HTTP/1.1 by hand over a socket: sends exactly the bytes a test wants and shows exactly the bytes
// that came back. Nothing is normalised, pooled or retried.
import net from 'node:net';
import { within } from './waiting.mjs';

const CRLF2 = Buffer.from('\r\n\r\n');

export class Connection {
  #buffer = Buffer.alloc(0);
  #wake = [];
  /** The peer closed its side, or the socket broke. */
  closed = false;
  error = null;

  /** `from`: another address of this machine than it would take. */
  static open(port, host = '127.0.0.1', { from } = {}) {
    return new Promise((done, fail) => {
      const socket = net.connect({ port, host, localAddress: from, noDelay: true });
      socket.once('error', fail);
      socket.once('connect', () => {
        socket.off('error', fail);
        done(new Connection(socket));
      });
    });
  }

  constructor(socket) {
    this.socket = socket;
    socket.on('data', (data) => {
      this.#buffer = Buffer.concat([this.#buffer, data]);
      this.#stir();
    });
    socket.on('error', (error) => (this.error = error));
    const gone = () => {
      this.closed = true;
      this.#stir();
    };
    socket.on('end', gone);
    socket.on('close', gone);
  }

  #stir() {
    for (const wake of this.#wake.splice(0)) wake();
  }

  write(bytes) {
    if (!this.socket.destroyed) this.socket.write(bytes);
  }

  /** Vanishes: no FIN handshake, the peer gets a reset. */
  vanish() {
    this.socket.resetAndDestroy();
  }

  close() {
    this.socket.destroy();
  }

  /** Waits until `take(buffer)` says how much it took; null if the connection ends before. */
  async #read(take, what) {
    for (;;) {
      const taken = take(this.#buffer);
      if (taken) {
        this.#buffer = this.#buffer.subarray(taken.length);
        return taken;
      }
      if (this.closed) return null;
      await within(new Promise((wake) => this.#wake.push(wake)), what);
    }
  }

  async #upTo(mark, what) {
    const taken = await this.#read((b) => {
      const at = b.indexOf(mark);
      return at < 0 ? null : b.subarray(0, at + mark.length);
    }, what);
    return taken && taken.subarray(0, taken.length - mark.length);
  }

  async #exactly(length, what) {
    if (!length) return Buffer.alloc(0);
    return this.#read((b) => (b.length >= length ? b.subarray(0, length) : null), what);
  }

  /** Status line and headers, or null if the connection ended first. */
  async head() {
    const block = await this.#upTo(CRLF2, 'the head of an answer');
    if (!block) return null;
    const [line, ...fields] = block.toString('latin1').split('\r\n');
    const headers = new Map();
    for (const field of fields) {
      const colon = field.indexOf(':');
      const name = field.slice(0, colon).toLowerCase();
      headers.set(name, field.slice(colon + 1).trim());
    }
    return { line, status: Number(line.split(' ')[1]), headers, block: block.toString('latin1') };
  }

  /** One chunk of a chunked body; empty at its end; null if the connection ended first. */
  async chunk() {
    const size = await this.#upTo(Buffer.from('\r\n'), 'a chunk of an answer');
    if (!size) return null;
    const data = await this.#exactly(parseInt(size.toString('latin1'), 16), 'the bytes of a chunk');
    const end = data && (await this.#exactly(2, 'the end of a chunk'));
    return end && data;
  }

  async #body(headers) {
    if (/chunked/i.test(headers.get('transfer-encoding') ?? '')) {
      const parts = [];
      for (;;) {
        const part = await this.chunk();
        if (!part) throw new Error('the connection ended inside a chunked body');
        if (!part.length) return Buffer.concat(parts);
        parts.push(part);
      }
    }
    const length = headers.get('content-length');
    if (length === undefined) return this.rest();
    const body = await this.#exactly(Number(length), 'the body of an answer');
    if (!body) throw new Error('the connection ended inside a body');
    return body;
  }

  /** Everything until the peer closes. */
  async rest() {
    await this.ended();
    const all = this.#buffer;
    this.#buffer = Buffer.alloc(0);
    return all;
  }

  /** Reads on until a chunked body ends, properly or with its connection. */
  async streamEnds() {
    while ((await this.chunk())?.length);
  }

  /** Resolves when the peer has closed. */
  async ended() {
    while (!this.closed)
      await within(new Promise((wake) => this.#wake.push(wake)), 'the connection to be closed');
  }

  /** A whole answer; null if the connection was closed instead of answered. */
  async response() {
    const head = await this.head();
    if (!head) return null;
    const empty = head.status === 204 || head.status === 304;
    const body = empty ? Buffer.alloc(0) : await this.#body(head.headers);
    return { ...head, body: body.toString('utf8') };
  }

  /** Sends a request and returns its answer. */
  async request(options) {
    this.write(format(options));
    return this.response();
  }
}

/** The bytes of a request. `headers` replaces defaults by name; null removes one. */
export function format({ method = 'POST', path = '/mcp', port, headers = {}, body }) {
  const all = new Map([['host', ['Host', `127.0.0.1${port ? `:${port}` : ''}`]]]);
  if (body !== undefined) all.set('content-length', ['Content-Length', Buffer.byteLength(body)]);
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) all.delete(name.toLowerCase());
    else all.set(name.toLowerCase(), [name, value]);
  }
  const lines = [...all.values()].map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body ?? '')]);
}

/** One request on a connection of its own. */
export async function once(port, options) {
  const connection = await Connection.open(port);
  try {
    const answer = await connection.request({ port, ...options });
    if (!answer) throw new Error('the connection was closed instead of answered');
    return answer;
  } finally {
    connection.close();
  }
}

/** The data of the events in a finished event stream. */
export function eventData(text) {
  return text
    .split(/\r\n\r\n|\n\n|\r\r/)
    .map((event) => event.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:')))
    .filter((lines) => lines.length)
    .map((lines) => lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n'));
}
