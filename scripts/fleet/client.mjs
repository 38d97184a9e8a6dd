// client.mjs URL INSTANCE...: what clients of a fleet see, a line for each call. The official client, once
// without a session (MCP 2026-07-28) and once with one, calls a tool again and again; the load balancer says
// by a header which instance answered (`INSTANCE` is host:port, the first one is gate 1). Any of them goes on with
// the session. `make run-fleet` runs it, from beside its packages.
//
//   FLEET_PAUSE_MS=1000    between two rounds
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [, , url, ...instances] = process.argv;
if (!url || !instances.length) {
  console.error('usage: node client.mjs URL INSTANCE...');
  process.exit(2);
}
const pause = Number(process.env.FLEET_PAUSE_MS ?? 1000);

/** The gate that answered last. */
const nameOf = (served) => {
  // Where the first one did not take it, the header names both.
  const at = instances.indexOf(served?.split(',').pop().trim());
  return at < 0 ? 'nobody' : `gate ${at + 1}`;
};

class Caller {
  #calls = 0;
  #client;
  /** Of the last answer: who gave it. */
  #last = {};

  constructor(title, mode) {
    Object.assign(this, { title, mode });
  }

  async #connect() {
    const client = new Client({ name: `fleet-${this.title}`, version: '1' }, { versionNegotiation: { mode: this.mode } });
    const watching = async (target, init) => {
      this.#last = {};
      const answer = await fetch(target, init);
      this.#last = { by: nameOf(answer.headers.get('x-served-by')) };
      return answer;
    };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: watching }));
    this.#client = client;
  }

  async call() {
    this.#calls += 1;
    const began = performance.now();
    let said;
    try {
      if (!this.#client) await this.#connect();
      const { content } = await this.#client.callTool({ name: 'notes__find_notes', arguments: { words: 'hello' } });
      said = `ok: ${content[0].text}`;
    } catch (error) {
      said = await this.#failed(error);
    }
    const ms = Math.round(performance.now() - began);
    console.log(`${this.title.padEnd(9)} #${this.#calls}  ${this.#last.by ?? 'nobody'}  ${said}  (${ms} ms)`);
  }

  /** The next call begins anew, if that is what it takes. */
  async #failed(error) {
    if (this.mode !== 'legacy') return `failed: ${error.message}`;
    const gone = this.#client;
    this.#client = undefined;
    await gone?.close().catch((again) => console.error(`closing: ${again.message}`));
    return `failed: ${error.message}; the next call begins anew`;
  }
}

const callers = [new Caller('stateless', { pin: '2026-07-28' }), new Caller('session', 'legacy')];
for (;;) {
  for (const caller of callers) await caller.call();
  await new Promise((done) => setTimeout(done, pause));
}
