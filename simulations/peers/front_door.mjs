// An address behind which servers change places without a moment in between: requests go to whoever is
// `behind` when they come, and stay there until they are answered.
import http from 'node:http';

export class FrontDoor {
  static async start(behind) {
    const door = Object.assign(new this(), { behind });
    door.server = http.createServer((request, response) => door.behind.server.emit('request', request, response));
    door.server.keepAliveTimeout = 0;
    await new Promise((done) => door.server.listen(0, '127.0.0.1', done));
    door.port = door.server.address().port;
    door.url = `http://127.0.0.1:${door.port}/mcp`;
    return door;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((done) => this.server.close(done));
  }
}
