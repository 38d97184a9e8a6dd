// What the official servers of a test share: the calls that came, and those that wait until the test says so.
export class CallLog {
  /** What came, in order; each has its `method`. */
  calls = [];
  #held = [];

  of(method) {
    return this.calls.filter((call) => call.method === method);
  }

  held() {
    return new Promise((done) => this.#held.push(done));
  }

  release() {
    for (const done of this.#held.splice(0)) done();
  }
}
