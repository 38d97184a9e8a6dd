// A load balancer without stickiness: each request goes to the next server, on a connection of its own.
// One that can not be reached is left out; what was sent to it once is not sent to another.
import http from 'node:http';

export class RoundRobin {
  /** So many requests were answered by each, in the order of `behind`. */
  served = [];
  #turn = 0;

  /** `behind`: anything with a `port`. */
  static async start(behind) {
    const door = Object.assign(new this(), { behind, path: behind[0].path ?? '/mcp' });
    door.server = http.createServer((request, response) => door.#take(request, response));
    door.server.keepAliveTimeout = 0;
    await new Promise((done) => door.server.listen(0, '127.0.0.1', done));
    door.port = door.server.address().port;
    door.url = `http://127.0.0.1:${door.port}${door.path}`;
    door.served = behind.map(() => 0);
    return door;
  }

  /** The next requests go to this one first. */
  turnTo(index) {
    this.#turn = index;
  }

  #take(request, response) {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('error', () => response.destroy());
    request.on('end', () => this.#pass(request, response, Buffer.concat(chunks), this.behind.length));
  }

  #pass(request, response, body, tries) {
    const index = this.#turn % this.behind.length;
    this.#turn = index + 1;
    const { method, url, headers } = request;
    const to = http.request(
      { host: '127.0.0.1', port: this.behind[index].port, method, path: url, headers, agent: false },
      (answer) => {
        this.served[index] += 1;
        response.writeHead(answer.statusCode, answer.headers);
        response.flushHeaders();
        answer.on('error', () => response.destroy());
        answer.on('aborted', () => response.destroy());
        answer.pipe(response);
      },
    );
    to.on('error', ({ code }) => {
      if (response.headersSent) return response.destroy();
      if (code === 'ECONNREFUSED' && tries > 1) return this.#pass(request, response, body, tries - 1);
      return response.destroy();
    });
    response.on('close', () => to.destroy());
    to.end(body);
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((done) => this.server.close(done));
  }
}
