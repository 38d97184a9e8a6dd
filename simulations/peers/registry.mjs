// A source of discovered upstreams: it says what a test wants it to say, or fails as it wants.
import { Endpoint, LoopbackServer, bodyOf } from './failures.mjs';

export class Registry extends LoopbackServer {
  /** What was asked of it, and whether and how it fails. */
  source = new Endpoint();
  text = '{"upstreams":[]}';

  /** Says that there are these upstreams: a list of entries, or any text. */
  static async start(upstreams = []) {
    const registry = new Registry();
    await registry.listen();
    registry.url = `${registry.origin}/upstreams`;
    registry.says(upstreams);
    return registry;
  }

  says(upstreams) {
    this.text = typeof upstreams === 'string' ? upstreams : JSON.stringify({ upstreams });
  }

  async serve(request, response) {
    const body = await bodyOf(request);
    if (this.source.fails(request, body, response, () => this.text)) return undefined;
    await this.source.held;
    return response.writeHead(200, { 'Content-Type': 'application/json' }).end(this.text);
  }
}
