// gate-discovery before an API server of Kubernetes: lists, watches, versions that are too old, connections that
// break, tokens that change, rights that are missing; then a gateway that polls it. Arguments: gate,
// gate-discovery.
import assert from 'node:assert/strict';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Cluster } from '../../simulations/peers/cluster.mjs';
import { Discovery as Program } from '../../simulations/peers/discovery.mjs';
import { Gate, cleanEnvironment, sample } from '../../simulations/peers/gate.mjs';
import { once } from '../../simulations/peers/http.mjs';
import { Child, runToEnd } from '../../simulations/peers/process.mjs';
import { authority } from '../../simulations/peers/redis.mjs';
import { Registry } from '../../simulations/peers/registry.mjs';
import { Upstream } from '../../simulations/peers/upstream.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { leaks } from './support/leaks.mjs';
import { transportTo } from './support/sdk.mjs';
import { suite } from './support/suite.mjs';

const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
const [gateBinary, binary] = process.argv.slice(2).map((file) => path.resolve(file));
const BEARER = 'bearer-of-the-gateway-77';
const enabled = { enabled: 'true' };

class Discovery extends Program {
  static start(cluster, more = {}) {
    return super.start(cluster, { command: [binary], ...more });
  }
}

suite('gate-discovery', async ({ step }) => {
  /** A step with a cluster of its own, in which the Service `a` wants to be told of. */
  const scene = (name, body) =>
    step(name, async () => {
      const cluster = await Cluster.start();
      cluster.apply('a', enabled);
      await body(cluster);
      await cluster.stop();
    });

  await scene('lists in pages, then watches', async (cluster) => {
    for (const name of ['e', 'b', 'd', 'c']) cluster.apply(name, enabled);
    for (let i = 0; i < 7; i += 1) cluster.apply(`other-${i}`, {});
    cluster.pageItems = 3;
    const discovery = await Discovery.start(cluster);
    await discovery.tells('tools--a', 'tools--b', 'tools--c', 'tools--d', 'tools--e');
    await cluster.watched();
    assert.deepEqual(cluster.asked.map(({ verb }) => verb), ['list', 'list', 'list', 'list', 'watch']);
    assert.equal(cluster.asked.at(-1).query.resourceVersion, String(cluster.version));
    cluster.apply('f', { ...enabled, namespace: 'notes', path: '/x', 'label-tier': 'gold' });
    cluster.remove('a');
    cluster.apply('b', {});
    cluster.apply('c', { enabled: 'false' });
    await discovery.tells('tools--d', 'tools--e', 'tools--f');
    const { body } = await discovery.get();
    assert.deepEqual(JSON.parse(body).upstreams[2], { id: 'tools--f', url: 'http://f.tools.svc.cluster.local:8080/x',
      namespace: 'notes', protocol: 'auto', labels: { tier: 'gold' } });
    assert.equal(cluster.asked.length, 5, 'all of it over one watch');
    await discovery.end();
  });

  await scene('health, tags, methods', async (cluster) => {
    cluster.mute = true;
    const discovery = await Discovery.start(cluster);
    for (const where of ['/healthz', '/health', '/']) assert.equal((await discovery.get(where)).status, 503, where);
    assert.equal((await discovery.health()).status, 'starting');
    await discovery.end();
    cluster.mute = false;
    const other = await Discovery.start(cluster);
    await other.tells('tools--a');
    const first = await other.get('/any/path?at=all');
    assert.match(first.headers.get('etag'), /^"[0-9a-f]{64}"$/);
    const again = await other.get('/', { 'If-None-Match': first.headers.get('etag') });
    assert.deepEqual([again.status, again.body], [304, '']);
    cluster.apply('b', enabled);
    await other.tells('tools--a', 'tools--b');
    assert.equal((await other.get('/', { 'If-None-Match': first.headers.get('etag') })).status, 200);
    cluster.remove('b');
    await other.tells('tools--a');
    assert.equal((await other.get('/')).headers.get('etag'), first.headers.get('etag'), 'the same document, the same tag');
    assert.equal((await once(other.port, { method: 'POST', path: '/', body: '' })).status, 405);
    assert.equal((await once(other.port, { method: 'POST', path: '/', body: '{}' })).status, 413, 'no body is read');
    assert.equal((await other.get('/', { Host: 'evil.example' })).status, 403);
    const { status, leftOut, upstreams } = await other.health();
    assert.deepEqual([status, leftOut, upstreams], ['ok', 0, 1]);
    assert.equal((await runToEnd(binary, ['--healthcheck', '--port', String(other.port)])).code, 0);
    await other.end();
    assert.equal((await runToEnd(binary, ['--healthcheck', '--port', String(other.port)])).code, 1);
  });

  await scene('a Service that is wrong is left out, with one sentence', async (cluster) => {
    const discovery = await Discovery.start(cluster);
    await discovery.tells('tools--a');
    cluster.apply('wrong', { ...enabled, port: 'nowhere' });
    cluster.apply('young', { ...enabled, namespace: 'a' }, { created: '2027-01-01T00:00:00Z' });
    cluster.apply('z', enabled);
    await discovery.tells('tools--a', 'tools--z');
    await until(() => discovery.said(/left out/).length === 2, 'both sentences');
    assert.match(discovery.said(/tools\/wrong/)[0], /gate\.mcp\/port names none of its ports/);
    assert.match(discovery.said(/tools\/young/)[0], /that of tools\/a, which is older/);
    cluster.apply('wrong', { ...enabled, port: 'nowhere', path: '/else' });
    cluster.remove('a');
    await discovery.tells('tools--young', 'tools--z');
    assert.equal(discovery.said(/left out/).length, 2, 'said once');
    await discovery.end();
  });

  await scene('a watch that breaks off goes on from the last version; a mark moves that', async (cluster) => {
    const discovery = await Discovery.start(cluster);
    await discovery.tells('tools--a');
    await cluster.watched();
    const lists = () => cluster.asked.filter(({ verb }) => verb === 'list').length;
    const before = lists();
    cluster.mark();
    const marked = cluster.version;
    cluster.apply('b', enabled);
    await discovery.tells('tools--a', 'tools--b');
    const line = JSON.stringify({ type: 'ADDED', object: cluster.services.get('tools/b') });
    cluster.say(line.slice(0, 40));
    cluster.drop();
    await cluster.watched(0);
    cluster.apply('c', enabled);
    await discovery.tells('tools--a', 'tools--b', 'tools--c');
    assert.equal(Number(cluster.asked.at(-1).query.resourceVersion), marked + 1);
    // A mark alone.
    cluster.mark();
    cluster.drop(true);
    await cluster.watched(0);
    await cluster.watched(1);
    assert.equal(Number(cluster.asked.at(-1).query.resourceVersion), cluster.version);
    assert.equal(lists(), before, 'nothing was listed anew');
    await discovery.end();
  });

  await scene('events in pieces of a byte', async (cluster) => {
    const discovery = await Discovery.start(cluster);
    await discovery.tells('tools--a');
    await cluster.watched();
    const object = structuredClone(cluster.services.get('tools/a'));
    object.metadata.name = 'slow';
    object.metadata.resourceVersion = String((cluster.version += 1));
    for (const byte of Buffer.from(`${JSON.stringify({ type: 'ADDED', object })}\n`)) {
      cluster.say(Buffer.from([byte]));
      if (byte === 0x2c) await new Promise(setImmediate);
    }
    await discovery.tells('tools--a', 'tools--slow');
    await discovery.end();
  });

  await scene('410 Gone: all are listed anew', async (cluster) => {
    const discovery = await Discovery.start(cluster);
    await discovery.tells('tools--a');
    await cluster.watched();
    cluster.drop();
    await cluster.watched(0);
    cluster.apply('b', enabled);
    cluster.remove('a');
    cluster.mark();
    cluster.compact();
    await discovery.tells('tools--b');
    await until(() => discovery.said(/All Services are listed anew.*too old/).length, 'it to say so');
    // And while listing.
    cluster.apply('c', enabled);
    await discovery.tells('tools--b', 'tools--c');
    cluster.pageItems = 1;
    cluster.pagesExpire = true;
    cluster.mark();
    cluster.compact();
    cluster.drop();
    await until(() => discovery.said(/the list took too long/).length, 'a page to be too old');
    assert.deepEqual(await discovery.ids(), ['tools--b', 'tools--c'], 'what is known goes on to be served');
    assert.equal((await discovery.health()).status, 'stale');
    cluster.pagesExpire = false;
    await until(async () => (await discovery.health()).status === 'ok', 'all to be well');
    await discovery.end();
  });

  await scene('lines that are no events, and an ERROR in the watch', async (cluster) => {
    const discovery = await Discovery.start(cluster);
    await discovery.tells('tools--a');
    for (const [bytes, why] of [['<html>\n', /can not be read/],
      [`${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 500, message: 'etcd is away' } })}\n`, /etcd is away/],
      [`"${'x'.repeat(5 * 1024 * 1024)}`, /longer than/]]) {
      await cluster.watched();
      cluster.say(bytes);
      await until(() => discovery.said(why).length, `it to say ${why}`);
      cluster.drop();
      await cluster.watched(0);
    }
    await cluster.watched();
    assert.deepEqual(await discovery.ids(), ['tools--a']);
    await discovery.end();
  });

  await scene('RBAC: it says which rule is missing, and goes on once it is there', async (cluster) => {
    cluster.denied = new Set(['list', 'watch']);
    const discovery = await Discovery.start(cluster);
    const [line] = await discovery.says(/can not be asked.*403.*/);
    assert.match(line, /ClusterRole.*resources \[\\?"services\\?"\].*verbs \[\\?"list\\?", \\?"watch\\?"\]/);
    assert.equal((await discovery.health()).status, 'starting');
    cluster.denied = new Set(['watch']);
    await discovery.tells('tools--a');
    await discovery.says(/\\?"watch\\?" was refused/);
    assert.equal((await discovery.health()).status, 'stale');
    await discovery.says(/Services can not be watched; they are listed again and again/);
    cluster.apply('b', enabled);
    await discovery.tells('tools--a', 'tools--b');
    assert.deepEqual(new Set(cluster.asked.map(({ verb }) => verb)), new Set(['list']));
    const metrics = await discovery.metrics();
    assert.ok(sample(metrics, 'gate_kubernetes_watches_total', { outcome: 'refused' }) >= 1);
    assert.ok(sample(metrics, 'gate_kubernetes_lists_total', { outcome: 'refused' }) >= 1);
    assert.ok(sample(metrics, 'gate_kubernetes_lists_total', { outcome: 'complete' }) >= 2);
    cluster.denied = new Set();
    await until(async () => (await discovery.health()).status === 'ok', 'all to be well');
    await discovery.says(/can be asked again/);
    await discovery.end();
  });

  await scene('metrics', async (cluster) => {
    cluster.mute = true;
    const discovery = await Discovery.start(cluster, { args: ['--bearer-env', 'T', '--upstream-hosts', '*.svc.cluster.local'], env: { T: BEARER } });
    const value = async (name, labels) => sample(await discovery.metrics(), `gate_kubernetes_${name}`, labels);
    assert.equal(await value('document_bytes'), 0, 'nobody is asked for a token, and it is known that there is none yet');
    assert.ok((await value('out_of_touch_seconds')) > 0);
    assert.equal(await value('build_info', {}), 1);
    cluster.apply('b', { ...enabled, scheme: 'gopher' });
    cluster.apply('c', { ...enabled, 'secret-ref': 'ANY' });
    cluster.apply('d', { ...enabled, namespace: 'a' });
    await discovery.end();
    cluster.mute = false;
    const other = await Discovery.start(cluster);
    await other.tells('tools--a');
    await cluster.watched();
    const metrics = await other.metrics();
    for (const [name, labels, wanted] of [['upstreams', {}, 1], ['out_of_touch_seconds', {}, 0], ['lists_total', { outcome: 'complete' }, 1],
      ['left_out', { reason: 'invalid' }, 1], ['left_out', { reason: 'secret' }, 1], ['left_out', { reason: 'namespace' }, 1],
      ['left_out', { reason: 'host' }, 0], ['watches_total', { outcome: 'broken' }, 0], ['document_bytes', {}, (await other.get()).body.length]])
      assert.equal(sample(metrics, `gate_kubernetes_${name}`, labels), wanted, `${name} ${JSON.stringify(labels)}`);
    assert.ok(sample(metrics, 'process_open_fds') > 0);
    cluster.drop();
    await cluster.watched(0);
    await cluster.watched(1);
    assert.equal(sample(await other.metrics(), 'gate_kubernetes_watches_total', { outcome: 'broken' }), 1);
    await other.end();
  });

  await scene('a token that is replaced in its file', async (cluster) => {
    const discovery = await Discovery.start(cluster);
    await discovery.tells('tools--a');
    await cluster.watched();
    cluster.token = 'cluster-token-2';
    cluster.drop();
    await discovery.says(/401/);
    writeFileSync(`${discovery.tokenFile}.new`, cluster.token);
    renameSync(`${discovery.tokenFile}.new`, discovery.tokenFile);
    await cluster.watched();
    await until(async () => (await discovery.health()).status === 'ok', 'all to be well');
    const said = [...discovery.err, ...discovery.out].join('\n');
    assert.deepEqual(leaks({ token: ['cluster-token-1', 'cluster-token-2'] }, { 'the log': said }), []);
    await discovery.end();
  });

  await scene('an API server that goes and comes', async (cluster) => {
    const discovery = await Discovery.start(cluster);
    await discovery.tells('tools--a');
    await cluster.watched();
    const { port } = cluster;
    await cluster.stop();
    await until(async () => (await discovery.health()).status === 'stale', 'the outage to be told');
    assert.match((await discovery.health()).since, /^20..-/);
    assert.deepEqual(await discovery.ids(), ['tools--a']);
    cluster.server.removeAllListeners('error');
    await cluster.listen(port);
    cluster.apply('b', enabled);
    await discovery.tells('tools--a', 'tools--b');
    cluster.failing = 503;
    cluster.drop();
    await discovery.says(/answers 503: the server is not well/);
    cluster.failing = 0;
    cluster.remove('b');
    await discovery.tells('tools--a');
    await discovery.end();
  });

  await scene('one namespace, and a selector', async (cluster) => {
    cluster.apply('x', enabled, { space: 'elsewhere' });
    const discovery = await Discovery.start(cluster, { args: ['--namespace', 'elsewhere', '--label-selector', 'app=x,tier in (a)'] });
    await discovery.tells('elsewhere--x');
    const { path: where, query } = cluster.asked.at(-1);
    assert.equal(where, '/api/v1/namespaces/elsewhere/services');
    assert.equal(query.labelSelector, 'app=x,tier in (a)');
    cluster.apply('unseen', enabled);
    cluster.apply('y', enabled, { space: 'elsewhere' });
    await discovery.tells('elsewhere--x', 'elsewhere--y');
    await discovery.end();
  });

  await scene('TLS: with the authority of the cluster, and not without', async (cluster) => {
    const { ca, signed: [made] } = authority(['IP:127.0.0.1']);
    const safe = await Cluster.start({ key: readFileSync(made.key), cert: readFileSync(made.cert) });
    safe.apply('a', enabled);
    const without = await Discovery.start(safe);
    await without.says(/no connection to the API server.*certificate/);
    await without.end();
    const missing = await Discovery.start(safe, { args: ['--ca-file', '/nowhere/ca.crt'] });
    await missing.says(/\/nowhere\/ca.crt: no certificates could be read/);
    await missing.end();
    const discovery = await Discovery.start(safe, { args: ['--ca-file', ca] });
    await discovery.tells('tools--a');
    await safe.watched();
    safe.apply('b', enabled);
    await discovery.tells('tools--a', 'tools--b');
    safe.drop();
    await safe.watched(0);
    await safe.watched(1);
    await discovery.end();
    await safe.stop();
  });

  await scene('whoever asks shows the token, if one is wanted', async (cluster) => {
    const discovery = await Discovery.start(cluster, { args: ['--bearer-env', 'T'], env: { T: BEARER } });
    await until(async () => (await discovery.get('/health')).status === 200, 'it to be well');
    assert.equal((await discovery.get('/')).status, 401);
    assert.equal((await discovery.get('/', { Authorization: 'Bearer wrong-wrong-wrong' })).status, 401);
    assert.equal((await discovery.get('/', { Authorization: `Bearer ${BEARER}` })).status, 200);
    await discovery.end();
    const unset = await runToEnd(binary, ['--api-server', cluster.url, '--bearer-env', 'T', '--port', '0'], { env: cleanEnvironment() });
    assert.equal(unset.code, 1);
    assert.match(unset.err, /variable T/);
    const alone = await runToEnd(binary, [], { env: cleanEnvironment() });
    assert.equal(alone.code, 2);
    assert.match(alone.err, /--api-server/);
  });

  /** A gateway that polls a gate-discovery; `names`: where the Services of the cluster are here. */
  const fronted = async (cluster, names, { args = [], discovery: section = {}, env = {} } = {}) => {
    const discovery = await Discovery.start(cluster, { args: ['--bearer-env', 'T', ...args], env: { T: BEARER } });
    // The DNS of the cluster: it hands the document on with those places in it.
    const dns = await Registry.start();
    dns.serve = async (request, response) => {
      const { status, body, headers } = await discovery.get(request.url, { Authorization: request.headers.authorization });
      const text = Object.entries(names).reduce((all, [name, place]) => all.replaceAll(name, place), body);
      response.writeHead(status, { 'Content-Type': headers.get('content-type') }).end(text);
    };
    const gate = await Gate.start(gateBinary, { discovery: { url: dns.url, intervalMs: 1000, bearerSecretRef: 'T', ...section } }, { env: { T: BEARER, ...env } });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transportTo(`${gate.url}`).transport);
    const tools = async () => (await client.listTools()).tools.map(({ name }) => name);
    const lists = async (...wanted) =>
      until(async () => JSON.stringify(await tools()) === JSON.stringify(wanted), `the tools ${wanted}`);
    const end = async () => {
      await client.close();
      await gate.end();
      await discovery.end();
      await dns.stop();
    };
    return { discovery, gate, client, lists, end };
  };

  await scene('a gateway serves the tools of a Service, as long as it is there', async (cluster) => {
    cluster.remove('a');
    const [a, b] = [await Upstream.start('a'), await Upstream.start('b')];
    const { client, lists, end } = await fronted(cluster, {
      'notes.tools.svc.cluster.local:8080': `127.0.0.1:${a.port}`, 'memory.tools.svc.cluster.local:9000': `127.0.0.1:${b.port}` });
    await lists();
    cluster.apply('notes', enabled);
    await lists('notes__echo', 'notes__raw');
    cluster.apply('memory', { ...enabled, namespace: 'm', port: 'mcp' }, { spec: { ports: [{ name: 'metrics', port: 1 }, { name: 'mcp', port: 9000 }] } });
    await lists('m__echo', 'm__raw', 'notes__echo', 'notes__raw');
    await client.callTool({ name: 'm__echo', arguments: {} });
    assert.deepEqual([a, b].map((upstream) => upstream.of('tools/call').length), [0, 1]);
    cluster.remove('notes');
    await lists('m__echo', 'm__raw');
    cluster.apply('memory', { enabled: 'false' });
    await lists();
    await end();
    for (const peer of [a, b]) await peer.stop();
  });

  await scene('a Service with a secret that Services may not name takes nobody along', async (cluster) => {
    cluster.apply('greedy', { ...enabled, 'secret-ref': 'ANY' });
    const a = await Upstream.start('a');
    const { discovery, gate, lists, end } = await fronted(cluster, { 'a.tools.svc.cluster.local:8080': `127.0.0.1:${a.port}` },
      { discovery: { allowedAuthStrategies: ['none'], allowedUpstreamHosts: ['127.0.0.1'] } });
    await lists('a__echo', 'a__raw');
    assert.match(discovery.said(/tools\/greedy/)[0], /no Service may name the variable \\?"ANY\\?" \(--secret-refs\)/);
    assert.deepEqual(gate.err.filter((line) => /refused as a whole/.test(line)), []);
    await end();
    await a.stop();
  });

  await scene('a Service whose host the gateway does not allow takes nobody along', async (cluster) => {
    cluster.apply('far', enabled, { space: 'elsewhere' });
    cluster.apply('keyed', { ...enabled, 'secret-ref': 'A_KEY' });
    const a = await Upstream.start('a');
    const { discovery, gate, lists, end } = await fronted(cluster, { 'a.tools.svc.cluster.local:8080': `127.0.0.1:${a.port}` },
      { args: ['--upstream-hosts', '*.tools.svc.cluster.local', '--secret-refs', 'A_KEY', '--credential-hosts', 'other.tools.svc.cluster.local'],
        env: { A_KEY: 'key-of-a' },
        discovery: { allowedUpstreamHosts: ['127.0.0.1'], allowedSecretRefs: ['A_KEY'], allowedCredentialHosts: ['other.tools.svc.cluster.local'] } });
    await lists('a__echo', 'a__raw');
    assert.match(discovery.said(/elsewhere\/far/)[0], /the gateway allows no upstream at \\?"far\.elsewhere\.svc\.cluster\.local\\?" \(--upstream-hosts\)/);
    assert.match(discovery.said(/tools\/keyed/)[0], /the gateway shows no credential to .*\(--credential-hosts\)/);
    assert.deepEqual(gate.err.filter((line) => /refused as a whole/.test(line)), []);
    await end();
    await a.stop();
  });

  await scene('a Service with a secret that they may name is shown it', async (cluster) => {
    cluster.apply('a', { ...enabled, 'secret-ref': 'A_KEY' });
    cluster.apply('greedy', { ...enabled, 'secret-ref': 'T' });
    const a = await Upstream.start('a');
    const { gate, lists, end } = await fronted(cluster, { 'a.tools.svc.cluster.local:8080': `127.0.0.1:${a.port}` },
      { args: ['--secret-refs', 'OTHER_KEY,A_KEY', '--credential-hosts', '*.svc.cluster.local'], env: { A_KEY: 'key-of-a', OTHER_KEY: 'key-of-others' },
        discovery: { allowedSecretRefs: ['A_KEY', 'OTHER_KEY'], allowedCredentialHosts: ['127.0.0.1'] } });
    await lists('a__echo', 'a__raw');
    const [{ request }] = a.of('tools/list');
    assert.equal(request.headers.authorization, 'Bearer key-of-a');
    assert.deepEqual(gate.err.filter((line) => /refused as a whole/.test(line)), []);
    await end();
    await a.stop();
  });

  await scene('a headless Service has the port of its pods', async (cluster) => {
    const headless = (targetPort) => ({ spec: { clusterIP: 'None', ports: [{ port: 80, targetPort }] } });
    cluster.apply('a', enabled, headless(9000));
    cluster.apply('named', enabled, headless('mcp'));
    const discovery = await Discovery.start(cluster);
    await discovery.tells('tools--a');
    assert.equal(JSON.parse((await discovery.get()).body).upstreams[0].url, 'http://a.tools.svc.cluster.local:9000/mcp');
    await until(() => discovery.said(/tools\/named/).length, 'the sentence');
    assert.match(discovery.said(/tools\/named/)[0], /it is headless, and targetPort of the port is no number/);
    await discovery.end();
  });

  await scene('nobody of the same user looks into its environment', async (cluster) => {
    // Root looks anywhere, so who looks and who is looked into are without its capabilities.
    const plain = process.getuid() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : ['env'];
    const look = async (pid) => {
      const { code, out } = await runToEnd(plain[0], [...plain.slice(1), 'cat', `/proc/${pid}/environ`], { env: cleanEnvironment() });
      return code === 0 && out.includes(BEARER);
    };
    const env = { T: BEARER };
    const other = new Child(plain[0], [...plain.slice(1), process.execPath, '-e', 'console.error("up"); setInterval(() => {}, 1e6)'],
      { name: 'other', env: cleanEnvironment(env) });
    await other.says(/up/);
    assert.equal(await look(other.process.pid), true, 'into others one can');
    await other.stop();
    const discovery = await Discovery.start(cluster, { command: [...plain, binary], args: ['--bearer-env', 'T'], env });
    assert.equal(await look(discovery.process.pid), false);
    await discovery.end();
  });
});
