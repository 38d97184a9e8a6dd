// Load at all instances of gate-hooks: single events, each with a key by which it is sent again elsewhere until somebody
// has accepted it, and batches, which are not.
import assert from 'node:assert/strict';
import { EVENTS } from '../../../simulations/peers/hooks.mjs';
import { sleep, until } from '../../../simulations/peers/waiting.mjs';

const WRITERS = 6;
const BATCH = 20;
/** Accepted, and not delivered: more is not added, so that what a disturbance finds is alike on all machines. */
const BEHIND = 300;

/** Deterministic, for a seed. */
function chance(of) {
  let state = of;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}

let loads = 0;

export class Load {
  /** Ids of events that were answered with 202. */
  accepted = new Set();
  /** Answers that said that nothing is accepted now. */
  refused = 0;
  #over = false;
  #number = (loads += 1);
  #keys = 0;

  /** `instances` gives those that there are; one that is killed has `killed`, before it is. `done`: how many are delivered. */
  constructor(instances, seed, done) {
    Object.assign(this, { instances, done, random: chance(seed) });
  }

  /** Runs until `body` has, and all that was sent is answered. */
  async during(body) {
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, n) => this.#write(n)));
    try {
      await Promise.race([writing, body()]);
    } finally {
      this.#over = true;
    }
    await writing;
  }

  /** Waits until so many more are accepted. */
  more(count) {
    const enough = this.accepted.size + count;
    return until(() => this.accepted.size >= enough, `${count} more events to be accepted`);
  }

  async #write(place) {
    const event = () => ({ type: EVENTS[Math.floor(this.random() * EVENTS.length)], data: { place } });
    while (!this.#over) {
      if (this.accepted.size - this.done() > BEHIND) await until(() => this.#over || this.accepted.size - this.done() <= BEHIND, 'deliveries', 600_000);
      else if (this.random() < 0.2) await this.#post(place, Array.from({ length: BATCH }, event));
      else await this.#postUntilAccepted(place, event());
    }
  }

  async #postUntilAccepted(place, event) {
    const headers = { 'Idempotency-Key': `load-${this.#number}-${(this.#keys += 1)}` };
    for (let at = place; !(await this.#post(at, event, { headers })); at += 1);
  }

  /** False: it is not known to be accepted. */
  async #post(place, events, more) {
    const all = this.instances();
    const hooks = all[place % all.length];
    let answer;
    try {
      answer = await hooks.ask('POST', '/events', events, more);
    } catch (error) {
      if (!hooks.killed) throw error;
      await sleep(100); // until another one is there
      return false;
    }
    if (answer.status === 503) {
      this.refused += 1;
      await sleep(1000 * Number(answer.headers.get('retry-after')));
      return false;
    }
    assert.equal(answer.status, 202, answer.text);
    for (const { id } of [answer.json].flat()) this.accepted.add(id);
    return true;
  }
}
