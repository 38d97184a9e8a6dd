// Takes deliveries of audit events, or of spans, in whatever manner a test wants.
import http from 'node:http';
import { listenOn, stopListening } from './http_listener.mjs';

export class Receiver {
  /** Every delivery that came whole: `{ headers, body }`. */
  deliveries = [];
  /** Bodies are bytes, else text. */
  binary = false;
  /** Requests so far, those included whose body did not come. */
  requests = 0;
  /** What becomes of a delivery: `(request, response, body) => void`. */
  answer = (_, response) => response.writeHead(204).end();

  static async start(settings = {}) {
    const receiver = Object.assign(new this(), settings);
    await receiver.listen(settings.port ?? 0);
    return receiver;
  }

  listen(port = this.port) {
    this.server = http.createServer((request, response) => this.#serve(request, response));
    this.server.on('connection', (socket) => socket.on('error', () => {}));
    return listenOn(this, port);
  }

  stop() {
    return stopListening(this);
  }

  /** Answers with this status. */
  says(status, headers = {}, body = '') {
    this.answer = (_, response) => response.writeHead(status, headers).end(body);
  }

  /** The events of all deliveries, in the order in which they came. */
  get events() {
    return this.deliveries.flatMap(({ body }) => JSON.parse(body));
  }

  #serve(request, response) {
    this.requests += 1;
    const pieces = [];
    request.on('error', () => {});
    request.on('data', (piece) => pieces.push(piece));
    request.on('end', () => {
      const bytes = Buffer.concat(pieces);
      const body = this.binary ? bytes : bytes.toString('utf8');
      this.deliveries.push({ headers: request.headers, method: request.method, body });
      this.answer(request, response, body);
    });
  }
}
