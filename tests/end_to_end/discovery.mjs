// Upstreams that a registry tells of: applied as a whole or not at all, within the bounds that the
// operator sets, next to the static ones, through failures of every kind.
import assert from 'node:assert/strict';
import { CheckingUpstream } from '../../simulations/peers/checking_upstream.mjs';
import { Trap } from '../../simulations/peers/failures.mjs';
import { Gate, sample } from '../../simulations/peers/gate.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { Registry } from '../../simulations/peers/registry.mjs';
import { Traffic } from '../../simulations/peers/traffic.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { leaks } from './support/leaks.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const SYNCS = 'gate_discovery_syncs_total';
/** The shortest there is. */
const INTERVAL_MS = 1000;
const SECRET = 'registry-secret-8c2f61d07e';
const MIB = 1024 * 1024;
const APPLIED = /^The discovery document is applied/;
const REJECTED = /^The discovery document is refused/;
const FAILED = /^The discovery source can not be read/;
const RECOVERED = /^The discovery source can be read again/;

const entry = (upstream, more = {}) => ({ id: upstream.name, url: upstream.url, namespace: upstream.name, ...more });

class Scene {
  /** A gateway that has the upstreams of `own`, and those that its registry tells of. */
  static async open({ own = [], found = [], settings = {}, more = {}, registry, ...options } = {}) {
    const scene = new Scene();
    scene.registry = registry ?? (await Registry.start(found));
    scene.own = own;
    scene.discovery = { url: scene.registry.url, intervalMs: INTERVAL_MS, ...settings };
    scene.gate = await Gate.start(binary, scene.document(own, more), { logFormat: 'json', ...options });
    return scene;
  }

  /** The operator's document with these upstreams. */
  document(own = this.own, more = {}) {
    return { upstreams: own, discovery: this.discovery, ...more };
  }

  async count(outcome) {
    return sample(await this.gate.metrics(), SYNCS, { outcome }) ?? 0;
  }

  /** Waits for that outcome to be counted `times` more. */
  async next(outcome, times = 1, from = undefined) {
    const before = from ?? (await this.count(outcome));
    await until(async () => (await this.count(outcome)) >= before + times, `a discovery that is ${outcome}`);
  }

  async publish(upstreams, outcome = 'applied') {
    const before = await this.count(outcome);
    this.registry.says(upstreams);
    await this.next(outcome, 1, before);
  }

  async calls(name, text) {
    this.session ??= await Session.open(this.gate);
    const { result, error } = await this.session.call(name);
    assert.equal(result?.content[0].text ?? error.code, text, JSON.stringify(error));
  }

  async ids() {
    return (await this.gate.health()).json.upstreams.map(({ id }) => id);
  }

  async close() {
    await this.gate.end();
    await this.registry.stop();
  }
}

/** Runs `steps` side by side: each waits for a second now and then, on a gateway of its own. */
const together = (steps) => Promise.all(steps.map((one) => one()));

async function appears({ step, a, b, c }) {
  await step('what is discovered is served next to what is static; what is gone is gone', async () => {
    const scene = await Scene.open({ own: [entry(a)], found: [entry(b)] });
    const { gate } = scene;
    await scene.next('applied', 1, 0);
    await scene.calls('a__echo', 'a: echo');
    await scene.calls('b__echo', 'b: echo');
    assert.deepEqual(await scene.ids(), ['a', 'b']);
    const { result } = await scene.session.request('tools/list', {});
    assert.deepEqual(result.tools.map(({ name }) => name), ['a__echo', 'b__echo']);
    await gate.told(APPLIED, 1);
    await scene.next('unchanged', 2);
    assert.equal(await scene.count('applied'), 1);
    const met = [a, b].map((upstream) => upstream.of('initialize').length);
    const from = gate.err.length;
    await scene.publish([entry(b), entry(c)]);
    const { upstreams, discovered, added, retired } = await gate.tells(/^The configuration was reloaded/, from);
    assert.deepEqual([upstreams, discovered, added, retired], ['3', '2', '1', '0']);
    await scene.calls('c__echo', 'c: echo');
    await scene.publish([entry(c)]);
    await scene.calls('b__echo', -32043);
    await scene.calls('a__echo', 'a: echo');
    await until(() => b.sessions.size === 0, 'the sessions with what is gone to end');
    assert.deepEqual([a, b].map((upstream) => upstream.of('initialize').length), met);
    await gate.told(APPLIED, 3);
    const metrics = await gate.metrics();
    assert.equal(sample(metrics, SYNCS, { outcome: 'rejected' }) ?? 0, 0);
    assert.equal(sample(metrics, SYNCS, { outcome: 'error' }) ?? 0, 0);
    await scene.close();
  });

  await step('without any at the start: /health is 503 until the first document', async () => {
    const registry = await Registry.start([entry(b)]);
    registry.source.failing = 'status 500';
    const scene = await Scene.open({ registry });
    await scene.next('error', 1, 0);
    const before = await scene.gate.health();
    assert.deepEqual([before.status, before.json.status, before.json.upstreams], [503, 'down', []]);
    const early = await Session.open(scene.gate);
    const { result, error } = await early.request('tools/list', {});
    assert.deepEqual(result?.tools ?? [], [], JSON.stringify(error));
    assert.equal((await early.call('b__echo')).error.code, -32043);
    registry.source.failing = null;
    await scene.next('applied', 1, 0);
    const after = await scene.gate.health();
    assert.deepEqual([after.status, after.json.status], [200, 'ok']);
    await scene.calls('b__echo', 'b: echo');
    assert.ok((await early.call('b__echo')).result, 'for clients that were there before, too');
    await scene.close();
  });

  await step('clients that listed hear that the list is another one', async () => {
    const scene = await Scene.open({ own: [entry(a)] });
    await scene.next('applied', 1, 0);
    const session = await Session.open(scene.gate);
    await session.request('tools/list', {});
    const stream = await session.stream();
    await scene.publish([entry(b)]);
    let heard = '';
    while (!heard.includes('notifications/tools/list_changed')) heard += await stream.chunk();
    stream.close();
    await scene.close();
  });

  await step('a policy may name what is not there yet', async () => {
    const policy = { rules: [{ id: 'found', allow: [{ server: 'b', names: ['echo'] }] }] };
    const scene = await Scene.open({ own: [entry(a)], more: { policy } });
    await scene.next('applied', 1, 0);
    await scene.calls('a__echo', -32042);
    await scene.publish([entry(b), entry(c)]);
    await scene.calls('b__echo', 'b: echo');
    await scene.calls('c__echo', -32042);
    await scene.close();
  });
}

async function besideReloads({ step, a, b, c }) {
  await step('SIGHUP keeps what is discovered, and what collides with it is refused', async () => {
    const scene = await Scene.open({ own: [entry(a)], found: [entry(b)] });
    const { gate } = scene;
    await scene.next('applied', 1, 0);
    await scene.calls('b__echo', 'b: echo');
    const met = b.of('initialize').length;
    const [{ msg, discovered, added }] = await gate.reload(scene.document([entry(a), entry(c)]));
    assert.deepEqual([msg, discovered, added], ['The configuration was reloaded.', '1', '1']);
    for (const name of ['a', 'b', 'c']) await scene.calls(`${name}__echo`, `${name}: echo`);
    assert.equal(b.of('initialize').length, met);
    const [refused] = await gate.reload(scene.document([entry(a), { ...entry(c), id: 'b' }]));
    assert.match(refused.msg, /was not reloaded/);
    assert.match(refused.problem, /"b"/);
    await scene.calls('c__echo', 'c: echo');
    // The registry gives it up: now the operator may have it.
    await scene.publish([]);
    const [{ msg: now }] = await gate.reload(scene.document([entry(a), { ...entry(c), id: 'b' }]));
    assert.equal(now, 'The configuration was reloaded.');
    await scene.calls('c__echo', 'c: echo');
    await scene.close();
  });

  await step('a document that collides is taken once the operator has made room', async () => {
    const scene = await Scene.open({ own: [entry(a), entry(b)], found: [entry(b)] });
    await scene.next('rejected', 1, 0);
    await scene.gate.reload(scene.document([entry(a)]));
    await scene.next('applied', 1, 0);
    await scene.calls('b__echo', 'b: echo');
    await scene.close();
  });

  await step('another discovery section needs a restart', async () => {
    const scene = await Scene.open({ own: [entry(a)], found: [entry(b)] });
    await scene.next('applied', 1, 0);
    const [{ problem }] = await scene.gate.reload({ ...scene.document(), discovery: { ...scene.discovery, intervalMs: 7777 } });
    assert.match(problem, /the discovery section cannot change without a restart/);
    const { discovery, ...without } = scene.document();
    const [gone] = await scene.gate.reload(without);
    assert.match(gone.problem, /the discovery section cannot change without a restart/);
    await scene.calls('b__echo', 'b: echo');
    await scene.close();
  });
}

/** Documents that must be refused as a whole, and what the log must say: `[settings, entries, words]`. */
function refusals({ a, b, c }) {
  const hosts = { allowedCredentialHosts: ['127.0.0.1'] };
  const withKey = (secretRef) => ({ auth: { strategy: 'static', secretRef } });
  const grant = (more = {}) => ({
    auth: {
      strategy: 'client-credentials', tokenEndpoint: 'http://127.0.0.1:9/token', clientId: 'x',
      clientAuth: { type: 'client_secret_basic', secretRef: 'SOME_KEY' }, ...more,
    },
  });
  return {
    'the id of a static one': [{}, [entry(b), { ...entry(c), id: 'a' }], '"a"'],
    'the namespace of a static one': [{}, [entry(b), { ...entry(c), namespace: 'a' }], '"a"'],
    'an id twice': [{}, [entry(b), { ...entry(c), id: 'b' }], '"b"'],
    'no namespace': [{}, [entry(b), { id: 'c', url: c.url }], '/upstreams/1/namespace'],
    'an unknown field': [{}, [entry(b), entry(c, { urll: 'x' })], '/upstreams/1/urll'],
    'a section that is not its business': [{}, JSON.stringify({ upstreams: [entry(b)], policy: { defaultDecision: 'allow' } }), '/policy'],
    'a command to run': [{}, [entry(b), { id: 'c', namespace: 'c', stdio: { command: 'sh' } }], '/upstreams/1'],
    'no JSON': [{}, 'upstreams: []', ''],
    'a list of another kind': [{}, '["upstreams"]', ''],
    'a field twice': [{}, `{"upstreams":[],"upstreams":[${JSON.stringify(entry(b))}]}`, ''],
    'a strategy that is not allowed': [
      { allowedAuthStrategies: ['none'] }, [entry(b), entry(c, withKey('SOME_KEY'))], 'allowedAuthStrategies',
    ],
    'a secret that is not allowed': [
      { ...hosts, allowedSecretRefs: ['OTHER_KEY'] }, [entry(b), entry(c, withKey('SOME_KEY'))], 'allowedSecretRefs',
    ],
    'a client secret that is not allowed': [
      { ...hosts, allowedSecretRefs: ['OTHER_KEY'] }, [entry(b), entry(c, grant())], 'allowedSecretRefs',
    ],
    'a credential for a host that is not allowed': [
      { allowedCredentialHosts: ['*.example.com'] }, [entry(b), entry(c, withKey('SOME_KEY'))], 'allowedCredentialHosts',
    ],
    'a token endpoint on a host that is not allowed': [
      hosts, [entry(b), entry(c, grant({ tokenEndpoint: 'https://tokens.evil.example/x' }))], 'allowedCredentialHosts',
    ],
    'a credential, and no host is allowed any': [{}, [entry(b), entry(c, withKey('SOME_KEY'))], 'allowedCredentialHosts'],
    'a host that is not allowed': [
      { allowedUpstreamHosts: ['*.example.com', 'localhost'] }, [{ ...entry(c), url: c.url.replace('127.0.0.1', 'localhost') }, entry(b)],
      'allowedUpstreamHosts',
    ],
    'a replica on a host that is not allowed': [
      { allowedUpstreamHosts: ['127.0.0.1'] },
      [entry(b), { id: 'c', namespace: 'c', urls: [c.url, 'http://169.254.169.254/latest'] }], 'allowedUpstreamHosts',
    ],
    'probes that are too frequent': [
      { minHealthCheckIntervalMs: 5000 }, [entry(b), entry(c, { healthCheck: { intervalMs: 4999 } })], 'minHealthCheckIntervalMs',
    ],
    'probes that are too frequent by default': [{}, [entry(b), entry(c, { healthCheck: { intervalMs: 999 } })], 'minHealthCheckIntervalMs'],
    'the caller\'s own token, without authentication': [
      hosts, [entry(b), entry(c, { auth: { strategy: 'passthrough' } })], '/upstreams/1/auth',
    ],
  };
}

/** Documents within the bounds. */
function grants({ b, c }) {
  const key = { auth: { strategy: 'static', secretRef: 'SOME_KEY' } };
  const hosts = { allowedCredentialHosts: ['127.0.0.1'] };
  return {
    'a secret and a host that are allowed': [{ ...hosts, allowedSecretRefs: ['SOME_KEY'], allowedAuthStrategies: ['static', 'none'] }, [entry(b, key)]],
    'any secret for a host that is allowed': [hosts, [entry(b, key)]],
    'hosts that are allowed': [{ allowedUpstreamHosts: ['127.0.0.1'] }, [entry(b), entry(c)]],
    'no credentials': [{ allowedAuthStrategies: ['none'] }, [entry(b)]],
    'probes that are rare enough': [{ minHealthCheckIntervalMs: 5000 }, [entry(b, { healthCheck: { intervalMs: 5000 } })]],
    'probes as frequent as the operator wants': [{ minHealthCheckIntervalMs: 100 }, [entry(b, { healthCheck: { intervalMs: 100 } })]],
  };
}

async function bounds({ step, a, b, c }) {
  const env = { SOME_KEY: 'key-of-the-upstream-5d1a' };
  const cases = Object.entries(refusals({ a, b, c }));
  // Each starts a gateway; some at a time.
  for (let at = 0; at < cases.length; at += 6) {
    const some = cases.slice(at, at + 6);
    await together(some.map(([what, [settings, found, words]]) => () =>
      step(`refused as a whole: ${what}`, async () => {
        const scene = await Scene.open({ own: [entry(a)], found, settings, env });
        await scene.next('rejected', 2, 0);
        const records = await scene.gate.told(REJECTED, 1);
        assert.equal(records[0].level, 'warn');
        assert.ok(JSON.stringify(records[0]).includes(JSON.stringify(words).slice(1, -1)), JSON.stringify(records[0]));
        assert.deepEqual(await scene.ids(), ['a']);
        await scene.calls('b__echo', -32043);
        await scene.calls('a__echo', 'a: echo');
        assert.equal(await scene.count('applied'), 0);
        await scene.close();
      })));
  }
  await together(Object.entries(grants({ b, c })).map(([what, [settings, found]]) => () =>
    step(`accepted: ${what}`, async () => {
      const scene = await Scene.open({ own: [entry(a)], found, settings, env });
      await scene.next('applied', 1, 0);
      await scene.calls('b__echo', 'b: echo');
      await scene.close();
    })));

  await step('a bad document after a good one: the good one goes on, then the next good one is taken', async () => {
    const scene = await Scene.open({ own: [entry(a)], found: [entry(b)] });
    await scene.next('applied', 1, 0);
    await scene.publish([{ ...entry(c), id: 'a' }], 'rejected');
    await scene.calls('b__echo', 'b: echo');
    assert.deepEqual(await scene.ids(), ['a', 'b']);
    await scene.publish([entry(b), entry(c)]);
    await scene.calls('c__echo', 'c: echo');
    await scene.close();
  });
}

async function secrets({ step, a, b }) {
  await step('the bearer secret is sent to the source, and told to nobody', async () => {
    const settings = { bearerSecretRef: 'REGISTRY_TOKEN' };
    const scene = await Scene.open({ own: [entry(a)], found: [entry(b)], settings, env: { REGISTRY_TOKEN: SECRET }, args: ['--log-level', 'debug'] });
    await scene.next('applied', 1, 0);
    await scene.calls('b__echo', 'b: echo');
    const { source } = scene.registry;
    source.elsewhere = `${scene.registry.origin}/elsewhere`;
    for (const [failing, outcome] of [['status 500', 'error'], ['HTML', 'rejected'], ['redirect', 'error'], ['reset', 'error']]) {
      source.failing = failing;
      await scene.next(outcome);
    }
    assert.ok(source.count >= 5);
    for (const { method, headers } of source.requests) {
      assert.equal(method, 'GET');
      assert.equal(headers.authorization, `Bearer ${SECRET}`);
    }
    const places = {
      log: scene.gate.err.join('\n'),
      audit: scene.gate.out.join('\n'),
      health: JSON.stringify((await scene.gate.health()).json),
      metrics: [...(await scene.gate.metrics())].join('\n'),
      upstreams: [a, b].flatMap((upstream) => upstream.seen.map(({ headers }) => JSON.stringify(headers))).join('\n'),
    };
    assert.deepEqual(leaks({ 'the bearer secret': [SECRET] }, places), []);
    await scene.close();
  });

  await step('a secret that is not there: an error, and no request without it', async () => {
    const scene = await Scene.open({ own: [entry(a)], found: [entry(b)], settings: { bearerSecretRef: 'REGISTRY_TOKEN' } });
    await scene.next('error', 2, 0);
    const [{ detail }] = await scene.gate.told(FAILED, 1);
    assert.match(detail, /REGISTRY_TOKEN/);
    assert.equal(scene.registry.source.count, 0);
    await scene.calls('a__echo', 'a: echo');
    await scene.close();
  });

  await step('a redirect is not followed: what it leads to is never asked', async () => {
    const trap = await Trap.start();
    trap.answer = JSON.stringify({ upstreams: [entry(b)] });
    for (const failing of ['redirect', 'redirect as GET']) {
      const registry = await Registry.start();
      Object.assign(registry.source, { failing, elsewhere: `${trap.origin}/upstreams` });
      const scene = await Scene.open({ own: [entry(a)], registry, settings: { bearerSecretRef: 'T' }, env: { T: SECRET } });
      await scene.next('error', 2, 0);
      assert.deepEqual(await scene.ids(), ['a']);
      await scene.close();
    }
    // Nor within the same origin: the document could be anybody's there.
    const registry = await Registry.start();
    Object.assign(registry.source, { failing: 'redirect', elsewhere: `${registry.origin}/elsewhere` });
    const scene = await Scene.open({ own: [entry(a)], registry });
    await scene.next('error', 1, 0);
    assert.ok(registry.source.requests.every(({ url }) => url === '/upstreams'));
    await scene.close();
    assert.deepEqual(trap.requests, []);
    await trap.stop();
  });
}

async function outages({ step, a, b }) {
  const kinds = ['status 500', 'status 404', 'an endless body', 'half a body', 'reset'];
  await together(kinds.map((failing) => () =>
    step(`a source that fails (${failing}): told once, what runs goes on, and it recovers`, async () => {
      const scene = await Scene.open({ own: [entry(a)], found: [entry(b)] });
      const { gate, registry } = scene;
      await scene.next('applied', 1, 0);
      registry.source.failing = failing;
      await scene.next('error', 3, 0);
      await gate.told(FAILED, 1);
      await scene.calls('b__echo', 'b: echo');
      registry.source.failing = null;
      await scene.next('unchanged');
      await gate.told(RECOVERED, 1);
      registry.source.failing = failing;
      await scene.next('error');
      await gate.told(FAILED, 2);
      await scene.calls('b__echo', 'b: echo');
      await scene.close();
    })));

  await together(['HTML', 'no JSON', 'nothing', 'JSON of another kind'].map((failing) => () =>
    step(`a source that answers ${failing}: no document, what runs goes on`, async () => {
      const scene = await Scene.open({ own: [entry(a)], found: [entry(b)] });
      await scene.next('applied', 1, 0);
      scene.registry.source.failing = failing;
      await until(async () => (await scene.count('rejected')) + (await scene.count('error')) >= 2, 'two bad answers');
      await scene.gate.told(new RegExp(`${REJECTED.source}|${FAILED.source}`), 1);
      await scene.calls('b__echo', 'b: echo');
      assert.deepEqual(await scene.ids(), ['a', 'b']);
      await scene.close();
    })));

  await step('a source that is not there', async () => {
    const registry = await Registry.start([entry(b)]);
    await registry.stop();
    const scene = await Scene.open({ own: [entry(a)], registry });
    await scene.next('error', 2, 0);
    await scene.gate.told(FAILED, 1);
    await scene.calls('a__echo', 'a: echo');
    await registry.listen();
    await scene.next('applied', 1, 0);
    await scene.calls('b__echo', 'b: echo');
    await scene.close();
  });

  await step('5 MiB are too much, 3 MiB are not', async () => {
    const scene = await Scene.open({ own: [entry(a)], found: [entry(b)] });
    await scene.next('applied', 1, 0);
    const padded = (bytes) => JSON.stringify({ upstreams: [entry(b, { labels: { n: String(bytes) } })] }).padEnd(bytes, ' ');
    await scene.publish(padded(5 * MIB), 'error');
    await scene.calls('b__echo', 'b: echo');
    assert.deepEqual((await scene.gate.healthOf('b')).labels, undefined);
    await scene.publish(padded(3 * MIB));
    assert.deepEqual((await scene.gate.healthOf('b')).labels, { n: String(3 * MIB) });
    await scene.close();
  });

}

async function silence({ step, a, b }) {
  await step('a source that is silent, or drips: given up after 10 s, and what is asked meanwhile is answered', async () => {
    await Promise.all(['silence', 'a slow body'].map(async (failing) => {
      const registry = await Registry.start([entry(b, { labels: { pad: 'x'.repeat(200) } })]);
      registry.source.failing = failing;
      const scene = await Scene.open({ own: [entry(a)], registry });
      await until(() => registry.source.count, 'the source to be asked');
      await scene.calls('a__echo', 'a: echo');
      await scene.next('error', 1, 0);
      // Each has ended as an error before the next began. (The next may have begun by now.)
      const asked = registry.source.count;
      assert.ok(asked <= (await scene.count('error')) + 1, 'one question at a time');
      registry.source.failing = null;
      await scene.next('applied', 1, 0);
      await scene.close();
    }));
  });
}

async function flapping({ step, a, b, c }) {
  await step('a document that flaps while clients call a static upstream: no failed call', async () => {
    const registry = await Registry.start();
    const documents = [[entry(b)], [entry(b), entry(c)], [{ ...entry(c), id: 'a' }], [], [entry(c)], 'garbage'].map((d) =>
      typeof d === 'string' ? d : JSON.stringify({ upstreams: d }));
    const scene = await Scene.open({ own: [entry(a)], registry });
    const traffic = await Traffic.start(scene.gate, { name: 'a__echo', expected: (text) => `a: echo ${text}`, clients: 8, pause: 2 });
    const met = a.of('initialize').length;
    for (let i = 0; i < 8; i += 1) {
      registry.says(documents[i % documents.length]);
      const asked = registry.source.count;
      await until(() => registry.source.count > asked, 'the next poll');
    }
    await traffic.endsWell();
    assert.ok(a.of('initialize').length - met <= 8, 'one session for each client, never a second');
    await scene.close();
  });
}

await suite('discovery', async ({ step, defer }) => {
  const started = [];
  defer(function upstreamsEnd() { return Promise.all(started.map((one) => one.stop())); });
  // Every poll is a second of waiting. So these go side by side, each with servers of its own.
  const lane = async (...parts) => {
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => CheckingUpstream.start({ name })));
    started.push(a, b, c);
    for (const part of parts) await part({ step, a, b, c });
  };
  await Promise.all([lane(silence, outages), lane(appears, besideReloads), lane(secrets, flapping)]);
  await lane(bounds);
});
