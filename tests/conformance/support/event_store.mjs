// What one session of the fixture has sent, so that a client that comes back with `Last-Event-ID`
// gets what it missed of that stream.

/** Far more than a scenario sends; beyond it the oldest are forgotten. */
const MOST = 1000;

export class EventStore {
  #events = [];
  #next = 1;
  #waiting = [];

  async storeEvent(streamId, message) {
    const id = `${streamId}/${this.#next++}`;
    this.#events.push({ id, streamId, message });
    if (this.#events.length > MOST) this.#events.shift();
    return id;
  }

  async getStreamIdForEventId(id) {
    return this.#events.find((event) => event.id === id)?.streamId;
  }

  async replayEventsAfter(lastId, { send }) {
    const at = this.#events.findIndex((event) => event.id === lastId);
    const { streamId } = this.#events[at];
    for (const event of this.#events.slice(at + 1))
      // The event that opens a stream is stored without a message; there is nothing in it to send.
      if (event.streamId === streamId && event.message.jsonrpc) await send(event.id, event.message);
    // The SDK takes the new stream into use when this function has returned; so not before that.
    setImmediate(() => this.#waiting.splice(0).forEach((wake) => wake()));
    return streamId;
  }

  /** Resolves when a client has come back, or when `signal` says that nobody waits any more. */
  resumed(signal) {
    return new Promise((done) => {
      this.#waiting.push(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
