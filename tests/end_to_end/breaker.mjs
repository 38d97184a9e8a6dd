// The circuit breaker: what opens it and what never does, what its calls get meanwhile, the one probe
// that is let through, and that the other upstream answers all the while.
import assert from 'node:assert/strict';
import { Gate, sample } from '../../simulations/peers/gate.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { Traffic } from '../../simulations/peers/traffic.mjs';
import { Upstream, deadPort } from '../../simulations/peers/upstream.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const STATE = 'gate_upstream_breaker_state';
const SICK = { upstream: 'sick' };
const [CLOSED, HALF_OPEN, OPEN] = [0, 1, 2];
/** Longer than any test. */
const NEVER_MS = 3_600_000;
/** Soon enough, and long enough for what must happen while a request is held. */
const SOON_MS = 200;
const LONG_MS = 20_000;
const REFUSED = 'upstream "sick" unavailable (circuit open)';

const failing = (call) => call.status(500, 'text/plain', 'out of order');

/** How an upstream fails, and what its callers are told. */
const FAILURES = {
  'answers 500': [failing, 'request failed'],
  'answers HTML': [(call) => call.status(200, 'text/html', '<p>sign in'), 'request failed'],
  'answers garbage': [(call) => call.answer('garbage'), 'request failed'],
  'answers another request': [(call) => call.answer('{"jsonrpc":"2.0","id":"nobody\'s","result":{}}'), 'request failed'],
  'dies in the middle of its answer': [(call) => call.cut('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"json'), 'request failed'],
  'ends its event stream without an answer': [(call) => call.sse([]), 'request failed'],
  hangs: [() => {}, 'timed out'],
};

const assertDown = ({ status, error }, why) => {
  assert.equal(status, 200);
  assert.equal(error?.code, -32041, JSON.stringify(error));
  assert.equal(error.message, `upstream "sick" unavailable (${why})`);
  assert.deepEqual([error.data.gate.reason, error.data.gate.upstream], ['upstream_down', 'sick']);
};

class Ward {
  /** A gateway with a sick upstream, and a sound one that is called all the while. */
  static async open({ failureThreshold = 3, halfOpenAfterMs = NEVER_MS, requestMs = LONG_MS, url, threads = 1, more = {} } = {}) {
    const ward = new Ward();
    ward.sick = await Upstream.start();
    ward.sound = await Upstream.start();
    ward.gate = await Gate.start(binary, {
      upstreams: [
        {
          id: 'sick', url: url ?? ward.sick.url, namespace: 'sick', cacheTtlMs: -1,
          circuitBreaker: { failureThreshold, halfOpenAfterMs }, timeouts: { requestMs }, ...more,
        },
        { id: 'sound', url: ward.sound.url, namespace: 'sound' },
      ],
    }, { logFormat: 'json', threads });
    ward.session = await Session.open(ward.gate);
    ward.traffic = await Traffic.start(ward.gate, { name: 'sound__echo', expected: (text) => `echo: ${text}`, clients: 2 });
    return ward;
  }

  call() {
    return this.session.call('sick__echo', { text: 'x' });
  }

  async succeeds() {
    const { result, error } = await this.call();
    assert.equal(result?.content[0].text, 'echo: x', JSON.stringify(error));
  }

  /** The state, wherever it can be seen. */
  async is(state) {
    await this.gate.shows(STATE, SICK, state);
    if (state === OPEN) return; // where /health reaches the upstream, the circuit is open no longer
    const words = ['closed', 'half-open', 'open'][state];
    await until(async () => (await this.gate.healthOf('sick')).breaker === words, `/health to say ${words}`);
    assert.equal((await this.gate.healthOf('sound')).breaker, 'closed');
  }

  /** Lets it fail until the circuit is open. */
  async breaks() {
    this.sick.on('tools/call', failing);
    await until(async () => (await this.call()).error?.message === REFUSED, 'the circuit to open');
    this.sick.restore();
  }

  /** Holds every call at the sick upstream. */
  holds() {
    const held = [];
    this.sick.on('tools/call', (call) => held.push(call));
    return held;
  }

  async close() {
    await this.traffic.endsWell();
    assert.equal(sample(await this.gate.metrics(), STATE, { upstream: 'sound' }), CLOSED);
    await this.gate.end();
    await Promise.all([this.sick.stop(), this.sound.stop()]);
  }
}

async function opening(step) {
  for (const [what, [behave, words]] of Object.entries(FAILURES)) {
    await step(`an upstream that ${what}, three times in a row: the circuit opens`, async () => {
      const ward = await Ward.open({ requestMs: what === 'hangs' ? 300 : LONG_MS });
      const { gate, sick } = ward;
      const fails = async (times) => {
        sick.on('tools/call', behave);
        for (let i = 0; i < times; i += 1) assertDown(await ward.call(), words);
        sick.restore();
      };
      await fails(2);
      await ward.is(CLOSED);
      await ward.succeeds();
      await fails(2);
      await ward.is(CLOSED);
      await fails(1);
      await ward.is(OPEN);
      const reached = sick.of('tools/call').length;
      for (let i = 0; i < 5; i += 1) assertDown(await ward.call(), 'circuit open');
      assert.equal(sick.of('tools/call').length, reached, 'no call reaches it');
      const told = await until(() => {
        const found = gate.events.filter(({ error }) => error === REFUSED);
        return found.length === 5 && found;
      }, 'the audit events');
      for (const { outcome, upstream, upstreamCalls = 0 } of told)
        assert.deepEqual([outcome, upstream, upstreamCalls], ['upstream_down', 'sick', 0]);
      const metrics = await gate.metrics();
      assert.equal(sample(metrics, 'gate_upstream_requests_total', { ...SICK, outcome: 'circuit_open' }), 5);
      assert.equal(sample(metrics, 'gate_upstream_requests_total', { ...SICK, outcome: 'error' }), 5);
      const [{ level, upstream }] = await gate.told(/^The circuit of an upstream is open/, 1);
      assert.deepEqual([level, upstream], ['warn', 'sick']);
      await ward.close();
    });
  }

  await step('an upstream that refuses connections', async () => {
    const ward = await Ward.open({ url: `http://127.0.0.1:${await deadPort()}/mcp` });
    for (let i = 0; i < 3; i += 1) assertDown(await ward.call(), 'connect failed');
    await ward.is(OPEN);
    assertDown(await ward.call(), 'circuit open');
    const metrics = await ward.gate.metrics();
    assert.equal(sample(metrics, 'gate_upstream_requests_total', { ...SICK, outcome: 'connect_error' }), 3);
    await ward.close();
  });

  await step('one failed handshake is one failure, however many calls waited for it', async () => {
    const ward = await Ward.open({ requestMs: 500 });
    ward.sick.on('initialize', () => {});
    const session = await Session.open(ward.gate);
    const answers = await Promise.all(Array.from({ length: 10 }, () => session.call('sick__echo')));
    for (const { error } of answers) assert.equal(error?.code, -32041);
    await ward.is(CLOSED);
    await ward.close();
  });
}

async function neverOpening(step) {
  await step('errors of the upstream, failed tools and unknown ones never open it', async () => {
    const ward = await Ward.open();
    const kinds = {
      error: (call) => call.error('{"code":-32603,"message":"internal"}'),
      'an error about itself': (call) => call.error('{"code":-32041,"message":"mine"}'),
      isError: (call) => call.result('{"content":[{"type":"text","text":"no"}],"isError":true}'),
    };
    for (const behave of Object.values(kinds)) {
      ward.sick.on('tools/call', behave);
      for (let i = 0; i < 8; i += 1) await ward.call();
    }
    await ward.is(CLOSED);
    // Two failures, an error, two failures: an error is an answer.
    for (const behave of [failing, failing, kinds.error, failing, failing]) {
      ward.sick.on('tools/call', behave);
      await ward.call();
    }
    await ward.is(CLOSED);
    await ward.close();
  });

  await step('cancelled calls neither open it nor forgive what was', async () => {
    const ward = await Ward.open();
    const cancelSome = async (count) => {
      const held = ward.holds();
      for (let i = 0; i < count; i += 1) {
        const id = `cancelled ${held.length}`;
        const running = ward.session.post({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'sick__echo' } });
        await until(() => held.length > i, 'the call at the upstream');
        const gone = ward.sick.of('notifications/cancelled').length;
        await ward.session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
        await running;
        await until(() => ward.sick.of('notifications/cancelled').length > gone, 'notifications/cancelled');
      }
      ward.sick.restore();
    };
    await cancelSome(8);
    await ward.is(CLOSED);
    await ward.succeeds();
    ward.sick.on('tools/call', failing);
    await ward.call();
    await ward.call();
    await cancelSome(2);
    await ward.is(CLOSED);
    ward.sick.on('tools/call', failing);
    await ward.call();
    await ward.is(OPEN);
    await ward.close();
  });

  await step('/health knows that an upstream is down, and opens nothing', async () => {
    const ward = await Ward.open({ failureThreshold: 1, url: `http://127.0.0.1:${await deadPort()}/mcp` });
    const report = await ward.gate.health();
    assert.equal(report.json.status, 'degraded');
    await ward.is(CLOSED);
    await ward.close();
  });

  await step('/health sees an upstream that is well again: one call may try it', async () => {
    const ward = await Ward.open();
    await ward.breaks();
    await ward.is(OPEN);
    assertDown(await ward.call(), 'circuit open');
    await until(async () => (await ward.gate.healthOf('sick')).connected, 'the probe of /health to get through');
    await ward.is(HALF_OPEN);
    await ward.succeeds();
    await ward.is(CLOSED);
    await ward.close();
  });
}

async function probing(step) {
  await step('after the pause one of many calls is let through; its success closes the circuit', async () => {
    const ward = await Ward.open({ halfOpenAfterMs: SOON_MS });
    await ward.breaks();
    const sessions = await Promise.all(Array.from({ length: 10 }, () => Session.open(ward.gate)));
    await ward.is(HALF_OPEN);
    const held = ward.holds();
    const before = ward.sick.of('tools/call').length;
    const running = sessions.flatMap((s) => [1, 2].map(() => s.call('sick__echo', { text: 'many' })));
    const refused = () => Promise.all(running.map((r) => Promise.race([r, undefined])));
    await until(async () => (await refused()).filter(Boolean).length === running.length - 1, 'all but one to be refused');
    for (const answer of (await refused()).filter(Boolean)) assertDown(answer, 'circuit open');
    await until(() => held.length, 'the probe');
    await ward.is(HALF_OPEN);
    assert.equal(ward.sick.of('tools/call').length - before, 1);
    held[0].text('echo: well');
    const [good] = (await Promise.all(running)).filter(({ result }) => result);
    assert.equal(good.result.content[0].text, 'echo: well');
    await ward.is(CLOSED);
    ward.sick.restore();
    const all = await Promise.all(sessions.map((s) => s.call('sick__echo', { text: 'all' })));
    for (const { result } of all) assert.equal(result?.content[0].text, 'echo: all');
    await ward.gate.told(/^The circuit of an upstream is closed again\.$/, 1);
    await ward.close();
  });

  await step('its failure opens the circuit again, at once', async () => {
    const ward = await Ward.open({ halfOpenAfterMs: SOON_MS });
    await ward.breaks();
    for (let round = 0; round < 3; round += 1) {
      await ward.gate.shows(STATE, SICK, HALF_OPEN);
      const before = ward.sick.of('tools/call').length;
      const from = ward.gate.err.length;
      ward.sick.on('tools/call', failing);
      assertDown(await ward.call(), 'request failed');
      await ward.gate.tells(/^The circuit of an upstream is open again, since the probe failed\.$/, from);
      assert.equal(ward.sick.of('tools/call').length - before, 1);
    }
    ward.sick.restore();
    await ward.gate.shows(STATE, SICK, HALF_OPEN);
    await ward.succeeds();
    await ward.is(CLOSED);
    await ward.close();
  });

  await step('an upstream that hangs during the probe: open again after requestMs', async () => {
    const ward = await Ward.open({ halfOpenAfterMs: SOON_MS, requestMs: 400 });
    await ward.breaks();
    await ward.gate.shows(STATE, SICK, HALF_OPEN);
    ward.holds();
    const from = ward.gate.err.length;
    assertDown(await ward.call(), 'timed out');
    await ward.gate.tells(/^The circuit of an upstream is open again/, from);
    ward.sick.restore();
    await ward.gate.shows(STATE, SICK, HALF_OPEN);
    await ward.succeeds();
    await ward.is(CLOSED);
    await ward.close();
  });

  await step('a probe that its client cancels leaves the place to the next', async () => {
    const ward = await Ward.open({ halfOpenAfterMs: SOON_MS });
    await ward.breaks();
    await ward.is(HALF_OPEN);
    const held = ward.holds();
    const running = ward.session.post({ jsonrpc: '2.0', id: 'mine', method: 'tools/call', params: { name: 'sick__echo' } });
    await until(() => held.length, 'the probe');
    await ward.session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'mine' } });
    await running;
    ward.sick.restore();
    await until(async () => (await ward.call()).result, 'the next call to be let through');
    await ward.is(CLOSED);
    await ward.close();
  });

  await step('a probe whose session is deleted leaves the place to the next', async () => {
    const ward = await Ward.open({ halfOpenAfterMs: SOON_MS });
    const other = await Session.open(ward.gate);
    await other.call('sick__echo');
    await ward.breaks();
    await ward.is(HALF_OPEN);
    const held = ward.holds();
    const running = other.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'sick__echo' } });
    await until(() => held.length, 'the probe');
    await other.end();
    await running;
    ward.sick.restore();
    await until(async () => (await ward.call()).result, 'the next call to be let through');
    await ward.is(CLOSED);
    await ward.close();
  });

  await step('an upstream that was away: the probe is a handshake and a call', async () => {
    const ward = await Ward.open({ halfOpenAfterMs: SOON_MS });
    await ward.succeeds();
    await ward.sick.stop();
    await until(async () => (await ward.call()).error?.message === REFUSED, 'the circuit to open');
    await ward.sick.listen();
    await until(async () => (await ward.call()).result, 'the probe to go well');
    await ward.is(CLOSED);
    await ward.close();
  });
}

async function others(step) {
  await step('lists come without it and say so; nobody asks it', async () => {
    const ward = await Ward.open();
    const names = async () => {
      const { result } = await ward.session.request('tools/list', {});
      return [result.tools.map(({ name }) => name), result._meta?.['gate/partialFailure']?.failedUpstreams];
    };
    assert.deepEqual(await names(), [['sick__echo', 'sick__raw', 'sound__echo', 'sound__raw'], undefined]);
    await ward.breaks();
    const asked = ward.sick.of('tools/list').length;
    for (let i = 0; i < 3; i += 1) assert.deepEqual(await names(), [['sound__echo', 'sound__raw'], ['sick']]);
    assert.equal(ward.sick.of('tools/list').length, asked);
    await ward.close();
  });

  await step('a list can be the probe', async () => {
    const ward = await Ward.open({ halfOpenAfterMs: SOON_MS });
    await ward.breaks();
    await ward.gate.shows(STATE, SICK, HALF_OPEN);
    // A list that failed is remembered for a second.
    await until(async () => (await ward.session.request('tools/list', {})).result.tools.length === 4, 'the whole list');
    await ward.is(CLOSED);
    await ward.close();
  });

  await step('failed lists open it as failed calls do', async () => {
    const ward = await Ward.open();
    ward.sick.on('tools/list', failing);
    await until(async () => {
      await ward.session.request('tools/list', {});
      return sample(await ward.gate.metrics(), STATE, SICK) === OPEN;
    }, 'the circuit to open');
    await ward.is(OPEN);
    assertDown(await ward.call(), 'circuit open');
    await ward.close();
  });

  await step('one circuit for all threads and clients', async () => {
    const ward = await Ward.open({ threads: 3 });
    const sessions = await Promise.all(Array.from({ length: 9 }, () => Session.open(ward.gate)));
    for (const session of sessions) assert.ok((await session.call('sick__echo')).result);
    await ward.breaks();
    await ward.is(OPEN);
    // Threads other than the one that broke it hear of it as soon as they are told.
    for (const session of sessions) {
      await until(async () => (await session.call('sick__echo')).error?.message === REFUSED, 'the circuit to be open here');
      assertDown(await session.call('sick__echo'), 'circuit open');
    }
    await ward.close();
  });

  await step('three in turn: open, half open, closed, again and again, and nobody else notices', async () => {
    const ward = await Ward.open({ failureThreshold: 1, halfOpenAfterMs: 50, requestMs: 1000 });
    for (let round = 0; round < 10; round += 1) {
      ward.sick.on('tools/call', round % 2 ? failing : (call) => call.cut());
      await until(async () => (await ward.call()).error, 'a failure');
      ward.sick.restore();
      await until(async () => (await ward.call()).result, 'a success');
    }
    await ward.is(CLOSED);
    await ward.close();
  });
}

await suite('the circuit breaker', async ({ step }) => {
  await opening(step);
  await neverOpening(step);
  await probing(step);
  await others(step);
});
