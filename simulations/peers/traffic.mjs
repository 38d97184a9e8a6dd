// Clients that call a tool all the time, each in a session and over a connection of its own, and what
// became of their calls.
import assert from 'node:assert/strict';
import { Connection } from './http.mjs';
import { Session } from './mcp.mjs';
import { sleep } from './waiting.mjs';

/** More of them say nothing new. */
const KEPT = 20;

export class Traffic {
  calls = 0;
  failed = 0;
  /** What was wrong with the first ones that failed. */
  failures = [];
  /** Milliseconds. */
  slowest = 0;
  #running = true;
  #clients = [];

  /**
   * `clients` of them call `name`; `expected(text)` is what the tool says to the argument `text`;
   * `pause`: milliseconds between two calls of one client.
   */
  static async start(gate, { name, expected, clients = 4, pause = 5, token } = {}) {
    const traffic = new this();
    const open = async () => {
      const connection = await Connection.open(gate.port);
      return Session.open(gate, { connection, token });
    };
    const sessions = await Promise.all(Array.from({ length: clients }, open));
    traffic.#clients = sessions.map((session, i) => traffic.#client(session, `client ${i}`, { name, expected, pause }));
    return traffic;
  }

  async #client(session, who, { name, expected, pause }) {
    for (let i = 0; this.#running && !session.connection.closed; i += 1) {
      const text = `${who} call ${i}`;
      const began = performance.now();
      let problem;
      try {
        const { result, error } = await session.call(name, { text });
        const said = result?.content?.[0]?.text;
        if (said !== expected(text)) problem = `${text}: ${JSON.stringify(error ?? result)}`;
      } catch (error) {
        problem = `${text}: ${error.message}`;
      }
      this.slowest = Math.max(this.slowest, performance.now() - began);
      this.calls += 1;
      if (problem) this.failed += 1;
      if (problem && this.failures.length < KEPT) this.failures.push(problem);
      await sleep(pause);
    }
    session.connection.close();
  }

  /** Resolves when so many calls more have been made. */
  async more(calls) {
    const enough = this.calls + calls;
    while (this.calls < enough) await sleep(5);
  }

  /** No more calls; resolves when those that run have ended. */
  async stop() {
    this.#running = false;
    await Promise.all(this.#clients);
  }

  /** Ends it; fails if a single call did. */
  async endsWell() {
    await this.more(1);
    await this.stop();
    assert.deepEqual(this.failures, [], `${this.failed} of ${this.calls} calls failed`);
    assert.ok(this.calls > 0);
  }
}
