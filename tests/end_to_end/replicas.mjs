// Upstreams with several endpoints: sessions take them in turn and stay with theirs for life, what is
// gone is avoided, what is back is used again; active probes, and that they leave nothing behind.
import assert from 'node:assert/strict';
import { Gate, sample } from '../../simulations/peers/gate.mjs';
import { requiring } from '../../simulations/peers/identity.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { Upstream } from '../../simulations/peers/upstream.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const HEALTHY = 'gate_upstream_endpoint_healthy';
const COUNT = 3;
const NEVER_MS = 3_600_000;
const PROBE_MS = 50;

/** Its tools say which one it is, and over which session they were called. */
class Replica extends Upstream {
  behave(call) {
    if (call.method === 'tools/call') return call.text(`${this.port} ${call.session}`);
    return super.behave(call);
  }
}

class Fleet {
  static async open({ halfOpenAfterMs = NEVER_MS, intervalMs, requestMs = 20_000, wrap = (x) => x, ...options } = {}) {
    const fleet = new Fleet();
    fleet.replicas = await Promise.all(Array.from({ length: COUNT }, () => Replica.start()));
    fleet.alone = await Replica.start();
    fleet.gate = await Gate.start(binary, wrap({
      upstreams: [
        {
          id: 'fleet', urls: fleet.replicas.map(({ url }) => url), namespace: 'fleet', cacheTtlMs: -1,
          // The circuit of the whole is another test's subject.
          circuitBreaker: { failureThreshold: 1000, halfOpenAfterMs }, timeouts: { requestMs },
          ...(intervalMs && { healthCheck: { intervalMs } }),
        },
        { id: 'alone', url: fleet.alone.url, namespace: 'alone' },
      ],
    }), { logFormat: 'json', ...options });
    return fleet;
  }

  session() {
    return Session.open(this.gate, { token: this.gate.token });
  }

  /** A client session that has made a call, and where that went: `{ session, port, upstreamSession }`. */
  async visitor() {
    const session = await this.session();
    return { session, ...(await this.where(session)) };
  }

  visitors(count) {
    return Array.from({ length: count }).reduce(async (all) => [...(await all), await this.visitor()], []);
  }

  async where(session) {
    const { result, error } = await session.call('fleet__echo', { text: 'x' });
    assert.ok(result, JSON.stringify(error));
    const [port, upstreamSession] = result.content[0].text.split(' ');
    return { port: Number(port), upstreamSession };
  }

  at(port) {
    return this.replicas.find((replica) => replica.port === port);
  }

  ports(visitors) {
    return this.replicas.map(({ port }) => visitors.filter((visitor) => visitor.port === port).length);
  }

  /** Waits until the gauges say so, and looks whether /health does. */
  async rotation(wanted) {
    for (const [i, healthy] of wanted.entries())
      await this.gate.shows(HEALTHY, { upstream: 'fleet', endpoint: this.replicas[i].url }, healthy);
    const shown = async () => (await this.gate.healthOf('fleet')).endpoints.map(({ healthy }) => Number(healthy));
    await until(async () => `${await shown()}` === `${wanted}`, `/health to say ${wanted}`);
  }

  async close() {
    await this.gate.end();
    await Promise.all([...this.replicas, this.alone].map((replica) => replica.stop().catch(() => {})));
  }
}

async function balancing(step) {
  await step('new sessions take the endpoints in turn', async () => {
    const fleet = await Fleet.open();
    await fleet.session(); // whoever comes first has the gateway meet its upstreams
    const visitors = await fleet.visitors(4 * COUNT);
    assert.deepEqual(fleet.ports(visitors), [4, 4, 4]);
    const turns = visitors.map(({ port }) => port);
    for (let i = COUNT; i < turns.length; i += 1) assert.equal(turns[i], turns[i - COUNT], 'always in the same order');
    await fleet.rotation([1, 1, 1]);
    await fleet.close();
  });

  await step('with several threads, they still share the load', async () => {
    const fleet = await Fleet.open({ threads: 2 });
    for (const count of fleet.ports(await fleet.visitors(8 * COUNT))) assert.ok(count >= 6, `${count} of 24`);
    await fleet.close();
  });

  await step('a session stays with its endpoint, and with its upstream session, for life', async () => {
    const fleet = await Fleet.open();
    const visitors = await fleet.visitors(6);
    for (let i = 0; i < 10; i += 1)
      for (const { session, port, upstreamSession } of visitors)
        assert.deepEqual(await fleet.where(session), { port, upstreamSession });
    await fleet.close();
  });

  await step('/health and the gauge name the endpoints; one with a single url has none', async () => {
    const fleet = await Fleet.open();
    const { endpoints } = await fleet.gate.healthOf('fleet');
    assert.deepEqual(endpoints, fleet.replicas.map(({ url }) => ({ healthy: true, url })));
    assert.equal((await fleet.gate.healthOf('alone')).endpoints, undefined);
    const metrics = await fleet.gate.metrics();
    for (const { url } of fleet.replicas) assert.equal(sample(metrics, HEALTHY, { upstream: 'fleet', endpoint: url }), 1);
    assert.equal(sample(metrics, HEALTHY, { upstream: 'alone' }), undefined);
    await fleet.close();
  });

  await step('where authentication is required, /health tells no url', async () => {
    const home = await IdentityProvider.start();
    const fleet = await Fleet.open({ wrap: (config) => requiring([home], config), token: home.token() });
    const { body } = { body: JSON.stringify((await fleet.gate.health()).json) };
    assert.deepEqual((await fleet.gate.healthOf('fleet')).endpoints, Array.from({ length: COUNT }, () => ({ healthy: true })));
    for (const { port } of fleet.replicas) assert.ok(!body.includes(String(port)), body);
    await fleet.close();
    await home.stop();
  });
}

async function failover(step) {
  await step('one is killed: new sessions go elsewhere without a failed call', async () => {
    const fleet = await Fleet.open();
    await fleet.visitors(COUNT);
    const [dead, ...alive] = fleet.replicas;
    await dead.stop();
    const visitors = await fleet.visitors(8);
    assert.equal(fleet.ports(visitors)[0], 0);
    for (const { port } of alive) assert.ok(visitors.filter((v) => v.port === port).length >= 3, `${fleet.ports(visitors)}`);
    await fleet.rotation([0, 1, 1]);
    assert.equal((await fleet.gate.health()).json.status, 'ok', 'the upstream as such is reachable');
    await fleet.close();
  });

  await step('sessions that were on it are opened elsewhere; what may have been done is not repeated', async () => {
    const fleet = await Fleet.open();
    const visitors = await fleet.visitors(3 * COUNT);
    const [dead] = fleet.replicas;
    const stranded = visitors.filter(({ port }) => port === dead.port);
    assert.equal(stranded.length, 3);
    await dead.stop();
    for (const { session } of stranded) {
      const { result, error } = await session.call('fleet__echo');
      if (!result) assert.deepEqual([error.code, error.message], [-32041, 'upstream "fleet" unavailable (request failed)']);
      const moved = await fleet.where(session);
      assert.notEqual(moved.port, dead.port);
      assert.deepEqual(await fleet.where(session), moved, 'and stays there');
    }
    for (const { session, port, upstreamSession } of visitors.filter((v) => v.port !== dead.port))
      assert.deepEqual(await fleet.where(session), { port, upstreamSession }, 'others notice nothing');
    await fleet.close();
  });

  await step('one that answers the handshake with a 503 is left without a failed call', async () => {
    const fleet = await Fleet.open();
    await fleet.visitors(COUNT);
    const [sick] = fleet.replicas;
    sick.on('initialize', (call) => call.status(503, 'text/plain', 'starting'));
    assert.equal(fleet.ports(await fleet.visitors(2 * COUNT))[0], 0);
    await fleet.rotation([0, 1, 1]);
    await fleet.close();
  });

  await step('one that never answers the handshake costs its own time once', async () => {
    const fleet = await Fleet.open({ requestMs: 500 });
    await fleet.visitors(COUNT);
    const [mute] = fleet.replicas;
    mute.on('initialize', () => {});
    const sessions = await Promise.all(Array.from({ length: COUNT }, () => fleet.session()));
    const answers = await Promise.all(sessions.map((session) => session.call('fleet__echo')));
    const failed = answers.filter(({ error }) => error);
    assert.ok(failed.length <= 2, JSON.stringify(failed));
    for (const { error } of failed) assert.equal(error.message, 'upstream "fleet" unavailable (timed out)');
    await fleet.rotation([0, 1, 1]);
    assert.equal(fleet.ports(await fleet.visitors(2 * COUNT))[0], 0);
    await fleet.close();
  });

  await step('a call that was under way fails once, and only that', async () => {
    const fleet = await Fleet.open();
    const visitors = await fleet.visitors(COUNT);
    const [dead] = fleet.replicas;
    const { session } = visitors.find(({ port }) => port === dead.port);
    let held;
    dead.on('tools/call', (call) => (held = call));
    const running = session.call('fleet__echo');
    await until(() => held, 'the call at the replica');
    const reached = () => fleet.replicas.reduce((sum, replica) => sum + replica.of('tools/call').length, 0);
    const before = reached();
    await dead.stop();
    const { error } = await running;
    assert.deepEqual([error?.code, error?.message], [-32041, 'upstream "fleet" unavailable (request failed)']);
    assert.equal(reached(), before, 'it may have been done: nobody gets it a second time');
    assert.notEqual((await fleet.where(session)).port, dead.port);
    await fleet.close();
  });

  await step('after its rest a dead one is tried again, and nobody notices', async () => {
    const fleet = await Fleet.open({ halfOpenAfterMs: 200 });
    await fleet.visitors(COUNT);
    const [dead] = fleet.replicas;
    await dead.stop();
    await fleet.visitors(COUNT);
    for (let i = 0; i < 5; i += 1) {
      await fleet.gate.shows(HEALTHY, { endpoint: dead.url }, 1);
      assert.equal(fleet.ports(await fleet.visitors(COUNT))[0], 0);
    }
    await dead.listen();
    await fleet.gate.shows(HEALTHY, { endpoint: dead.url }, 1);
    await until(async () => (await fleet.visitor()).port === dead.port, 'a session on the replica that is back');
    await fleet.rotation([1, 1, 1]);
    await fleet.close();
  });

  await step('before that it is left alone', async () => {
    const fleet = await Fleet.open();
    await fleet.visitors(COUNT);
    const [dead] = fleet.replicas;
    await dead.stop();
    await fleet.visitors(COUNT);
    await fleet.rotation([0, 1, 1]);
    await dead.listen();
    const { connections } = dead;
    assert.equal(fleet.ports(await fleet.visitors(2 * COUNT))[0], 0);
    assert.equal(dead.connections, connections);
    await fleet.close();
  });

  await step('all are killed: -32041; one is back: served', async () => {
    const fleet = await Fleet.open({ halfOpenAfterMs: 200 });
    const session = await fleet.session();
    await Promise.all(fleet.replicas.map((replica) => replica.stop()));
    const { error } = await session.call('fleet__echo');
    assert.deepEqual([error?.code, error?.message], [-32041, 'upstream "fleet" unavailable (connect failed)']);
    assert.ok((await session.call('alone__echo')).result);
    assert.equal((await fleet.gate.health()).json.status, 'degraded');
    await fleet.replicas[1].listen();
    await until(async () => (await session.call('fleet__echo')).result, 'a call to work again');
    assert.equal((await fleet.where(session)).port, fleet.replicas[1].port);
    await fleet.close();
  });

  await step('they die and come back in turn under load: no session is lost, few calls are', async () => {
    const fleet = await Fleet.open({ halfOpenAfterMs: 100 });
    const sessions = await Promise.all(Array.from({ length: 12 }, () => fleet.session()));
    let running = true;
    const found = { calls: 0, failed: 0 };
    const clients = sessions.map(async (session) => {
      while (running) {
        const { result, error } = await session.call('fleet__echo');
        found.calls += 1;
        if (result) continue;
        found.failed += 1;
        assert.equal(error.code, -32041, JSON.stringify(error));
      }
    });
    const kills = 12;
    for (let i = 0; i < kills; i += 1) {
      const victim = fleet.replicas[i % COUNT];
      const enough = found.calls + 60;
      await until(() => found.calls >= enough, 'calls');
      await victim.stop();
      const more = found.calls + 60;
      await until(() => found.calls >= more, 'calls while one is dead');
      await victim.listen();
    }
    running = false;
    await Promise.all(clients);
    // A kill can cost every session the one call that was at the victim.
    assert.ok(found.failed <= kills * sessions.length, JSON.stringify(found));
    for (const session of sessions) await fleet.where(session);
    await fleet.close();
  });
}

async function activeProbes(step) {
  await step('active probes: a dead one is found without any traffic, and restored when it is back', async () => {
    const fleet = await Fleet.open({ intervalMs: PROBE_MS });
    await fleet.rotation([1, 1, 1]);
    const [, dead] = fleet.replicas;
    for (let round = 0; round < 2; round += 1) {
      const from = fleet.gate.err.length;
      await dead.stop();
      await fleet.rotation([1, 0, 1]);
      const out = await fleet.gate.tells(/eject/i, from);
      assert.equal(out.upstream, 'fleet', JSON.stringify(out));
      assert.ok(JSON.stringify(out).includes(String(dead.port)), JSON.stringify(out));
      assert.equal(fleet.ports(await fleet.visitors(2 * COUNT))[1], 0);
      await dead.listen();
      await fleet.rotation([1, 1, 1]);
      const back = await fleet.gate.tells(/restored|in rotation again/i, from);
      assert.equal(back.upstream, 'fleet', JSON.stringify(back));
      await fleet.gate.told(/eject/i, 1, from);
      await until(async () => (await fleet.visitor()).port === dead.port, 'sessions there');
    }
    await fleet.close();
  });

  await step('active probes: one that accepts connections and says nothing is ejected, too', async () => {
    const fleet = await Fleet.open({ intervalMs: PROBE_MS, requestMs: 300 });
    await fleet.rotation([1, 1, 1]);
    const [, , mute] = fleet.replicas;
    mute.on('initialize', () => {});
    await fleet.rotation([1, 1, 0]);
    assert.equal(fleet.ports(await fleet.visitors(2 * COUNT))[2], 0);
    mute.restore();
    await fleet.rotation([1, 1, 1]);
    await fleet.close();
  });

  await step('active probes: one that answers no MCP is ejected, too', async () => {
    const fleet = await Fleet.open({ intervalMs: PROBE_MS });
    const [sick] = fleet.replicas;
    sick.on('initialize', (call) => call.status(500, 'text/html', 'oops'));
    await fleet.rotation([0, 1, 1]);
    sick.restore();
    await fleet.rotation([1, 1, 1]);
    await fleet.close();
  });

  await step('active probes: their sessions are ended with DELETE, and count for nobody', async () => {
    const fleet = await Fleet.open({ intervalMs: PROBE_MS });
    await fleet.visitors(COUNT);
    const probes = () => Math.min(...fleet.replicas.map((replica) => replica.of('initialize').length));
    const enough = probes() + 50;
    await until(() => probes() >= enough, '50 probes of each');
    for (const replica of fleet.replicas) {
      // A visitor's, at most one root session, and at most the probe that runs.
      await until(() => replica.sessions.size <= 3, 'the probes to be ended');
      assert.equal(replica.of('tools/list').length, 0);
    }
    const metrics = await fleet.gate.metrics();
    assert.ok(metrics.get('gate_sessions{kind="bridged"}') <= 2 * COUNT + 1, 'probes are no bridged sessions');
    const requests = sample(metrics, 'gate_upstream_requests_total', { upstream: 'fleet', outcome: 'ok' });
    assert.equal(requests, COUNT, 'probes are nobody\'s requests');
    await fleet.close();
  });

  await step('active probes of the only endpoint, which may be checked as well', async () => {
    const only = await Replica.start();
    const gate = await Gate.start(binary, {
      upstreams: [{ id: 'only', url: only.url, namespace: 'only', healthCheck: { intervalMs: PROBE_MS } }],
    }, { logFormat: 'json' });
    await until(() => only.of('initialize').length > 5, 'probes');
    await only.stop();
    await gate.tells(/eject/i);
    await only.listen();
    await gate.tells(/restored|in rotation again/i);
    assert.ok((await (await Session.open(gate)).call('only__echo')).result);
    await gate.end();
    await only.stop();
  });
}

await suite('replicas', async ({ step }) => {
  await balancing(step);
  await failover(step);
  await activeProbes(step);
});
