// An upstream that insists on its sessions: whoever names one that it has not given out gets 404. As
// a program (`node strict_upstream.mjs <port>`) it is a process that a test can stop, kill and start
// again on the same port.
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Child } from './process.mjs';
import { Upstream } from './upstream.mjs';

export class StrictUpstream extends Upstream {
  /** Sessions that were named here and not given out here. */
  strangers = [];
  #given = 0;

  guard(request, response) {
    const session = request.headers['mcp-session-id'];
    if (session === undefined || this.sessions.has(session)) return false;
    this.strangers.push(session);
    request.resume();
    response.writeHead(404, { 'Content-Length': 0 }).end();
    return true;
  }

  /** Ids that no other process gives out, nor this port's next one. */
  initialize(call) {
    this.#given += 1;
    const session = `session-${process.pid}-${this.port}-${this.#given}`;
    this.sessions.add(session);
    const version = JSON.stringify(call.params.protocolVersion);
    const info = '{"name":"strict","version":"1"}';
    call.result(
      `{"protocolVersion":${version},"capabilities":${this.capabilities},"serverInfo":${info}}`,
      { 'Mcp-Session-Id': session },
    );
  }
}

/** The same as a process of its own. */
export class UpstreamProcess {
  constructor(name) {
    this.name = name;
  }

  static async start(name) {
    const upstream = new this(name);
    await upstream.restart();
    return upstream;
  }

  get url() {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  /** Starts it, on the port that it had before. */
  async restart() {
    const script = fileURLToPath(import.meta.url);
    this.child = new Child(process.execPath, [script, String(this.port ?? 0)], { name: this.name });
    this.port = Number((await this.child.says(/listening on (\d+)/))[1]);
    this.state = 'well';
  }

  async kill() {
    this.state = 'dead';
    this.child.signal('SIGKILL');
    await this.child.exit;
  }

  /** It takes connections and answers nothing. */
  hang() {
    this.state = 'hanging';
    this.child.signal('SIGSTOP');
  }

  goOn() {
    this.state = 'well';
    this.child.signal('SIGCONT');
  }

  async heal() {
    if (this.state === 'hanging') this.goOn();
    if (this.state === 'dead') await this.restart();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const upstream = await StrictUpstream.start({ port: Number(process.argv[2]) });
  console.error(`listening on ${upstream.port}`);
}
