// Clients that listen: sessions of gate, each with its event stream held open by this process.
import { Connection } from '../peers/http.mjs';
import { Session } from '../peers/mcp.mjs';

/** Connections over which sessions are opened, each one request at a time. */
const LANES = 8;

/** Reads on until the stream brings `text`. */
async function hears(stream, text) {
  let heard = '';
  while (!heard.includes(text)) {
    const chunk = await stream.chunk();
    if (!chunk?.length) throw new Error(`a stream ended before it brought ${text}: ${heard}`);
    heard += chunk.toString('utf8');
  }
}

export class Listeners {
  #streams = [];

  constructor(gate) {
    this.gate = gate;
  }

  get count() {
    return this.#streams.length;
  }

  /** Opens sessions with a stream each until there are `count`; with `call`, each makes one then. */
  async openUpTo(count, { call } = {}) {
    const lanes = await Promise.all(Array.from({ length: LANES }, () => Connection.open(this.gate.port)));
    let left = count - this.count;
    await Promise.all(lanes.map(async (connection) => {
      while (left > 0) {
        left -= 1;
        const session = await Session.open(this.gate, { connection });
        this.#streams.push(await session.stream());
        if (!call) continue;
        const { result, error } = await session.call(call, { text: 'x' });
        if (!result) throw new Error(`a call failed: ${JSON.stringify(error)}`);
      }
    }));
    for (const connection of lanes) connection.close();
  }

  /** How many milliseconds after the begin of `announce` every stream has brought `text`. */
  async allHear(text, announce) {
    let told = 0;
    const hearing = this.#streams.map(async (stream) => {
      await hears(stream, text);
      told += 1;
    });
    const announcing = async () => {
      await new Promise(setImmediate);  // what had come before is read now
      if (told) throw new Error(`${told} streams brought ${text} before it was announced`);
      const began = performance.now();
      await announce();
      return began;
    };
    const [began] = await Promise.all([announcing(), ...hearing]);
    return performance.now() - began;
  }

  close() {
    for (const stream of this.#streams.splice(0)) stream.close();
  }
}
