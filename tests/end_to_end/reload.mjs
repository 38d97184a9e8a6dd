// Another configuration while clients are served, by SIGHUP and by --watch: what is new appears, what is
// gone drains, what stays notices nothing; what may not change, and what is no configuration at all.
import assert from 'node:assert/strict';
import { renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { CheckingUpstream } from '../../simulations/peers/checking_upstream.mjs';
import { Gate, cleanEnvironment, sample, withAudit } from '../../simulations/peers/gate.mjs';
import { requiring } from '../../simulations/peers/identity.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { Child } from '../../simulations/peers/process.mjs';
import { Traffic } from '../../simulations/peers/traffic.mjs';
import { sleep, until } from '../../simulations/peers/waiting.mjs';
import { requirePackages } from './support/everything.mjs';
import { textOf, transportTo } from './support/sdk.mjs';
import { gateBinary, suite } from './support/suite.mjs';

requirePackages();
const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
const types = await import('@modelcontextprotocol/sdk/types.js');

const binary = gateBinary();
const RELOADS = 200;
const CLIENTS = 15;
const OFFICIAL_CLIENTS = 5;
const TOOLS_CHANGED = 'notifications/tools/list_changed';

const json = { logFormat: 'json' };
/** The address sanitizer, if it is there, keeps what was freed, which would look like a leak. */
const FREED_IS_FREE = `${process.env.ASAN_OPTIONS ?? ''}:quarantine_size_mb=1`;
const server = (name, more = {}) => CheckingUpstream.start({ name, uris: [`${name}://x`], ...more });
const entry = (upstream, more = {}) => ({ id: upstream.name, url: upstream.url, namespace: upstream.name, ...more });
const updated = (uri) => JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } });

const handshakes = (upstream) => upstream.of('initialize').length;
const namesIn = (result) => result.tools.map(({ name }) => name);

async function says(session, name, text) {
  const { result, error } = await session.call(name, {});
  assert.equal(result?.content[0].text, text, JSON.stringify(error));
}

/** The official client, and what it hears by itself: methods, or URIs of resources. */
async function connect(gate, { capabilities = {}, token } = {}) {
  const heard = [];
  const client = new Client({ name: 'gate-reload', version: '1' }, { capabilities });
  for (const schema of [types.ToolListChangedNotificationSchema, types.PromptListChangedNotificationSchema,
    types.ResourceListChangedNotificationSchema, types.ResourceUpdatedNotificationSchema])
    client.setNotificationHandler(schema, ({ method, params }) => { heard.push(params?.uri ?? method); });
  const { transport, statuses } = transportTo(gate.url, { token });
  await client.connect(transport);
  await until(() => statuses.some(({ method, status }) => method === 'GET' && status === 200), 'its stream');
  return { client, heard };
}

/** Holds the next call at `upstream`: resolves with it. */
function heldAt(upstream) {
  let held;
  upstream.on('tools/call', (call) => (held = call));
  return until(() => held, 'the call at the upstream').finally(() => upstream.restore());
}

async function taken({ step, a, b, c }) {
  await step('a new upstream appears; the others keep their sessions', async () => {
    const gate = await Gate.start(binary, { upstreams: [entry(a), entry(b)] }, json);
    const session = await Session.open(gate);
    await says(session, 'a__echo', 'a: echo');
    await says(session, 'b__echo', 'b: echo');
    assert.equal((await session.call('c__echo')).error.code, -32043);
    const before = [handshakes(a), handshakes(b)];
    const [record, ...more] = await gate.reload({ upstreams: [entry(a), entry(c), entry(b)] });
    assert.deepEqual(more, []);
    const { msg, upstreams, added, retired, discovered } = record;
    assert.deepEqual([msg, upstreams, added, retired, discovered], ['The configuration was reloaded.', '3', '1', '0', '0']);
    await says(session, 'c__echo', 'c: echo');
    await says(session, 'a__echo', 'a: echo');
    await says(session, 'b__echo', 'b: echo');
    const { result } = await session.request('tools/list', {});
    assert.deepEqual(namesIn(result), ['a__echo', 'c__echo', 'b__echo']);
    const report = await gate.health();
    assert.deepEqual(report.json.upstreams.map(({ id, connected }) => [id, connected]), [['a', true], ['c', true], ['b', true]]);
    assert.deepEqual([handshakes(a), handshakes(b)], before);
    await gate.end();
  });

  await step('the order of the list is that of the document', async () => {
    const gate = await Gate.start(binary, { upstreams: [entry(a), entry(b), entry(c)] }, json);
    const session = await Session.open(gate);
    const names = async () => namesIn((await session.request('tools/list', {})).result);
    assert.deepEqual(await names(), ['a__echo', 'b__echo', 'c__echo']);
    const before = [a, b, c].map(handshakes);
    await gate.reload({ upstreams: [entry(c), entry(a), entry(b)] });
    assert.deepEqual(await names(), ['c__echo', 'a__echo', 'b__echo']);
    assert.deepEqual([a, b, c].map(handshakes), before);
    await gate.end();
  });

  await step('one that is removed drains: its running call is finished, then its sessions end', async () => {
    const gate = await Gate.start(binary, { upstreams: [entry(a), entry(b)] }, json);
    const session = await Session.open(gate);
    const other = await Session.open(gate);
    await says(other, 'b__echo', 'b: echo');
    await gate.shows('gate_upstream_breaker_state', { upstream: 'b' }, 0);
    const running = session.call('b__echo');
    const held = await heldAt(b);
    const [{ retired }] = await gate.reload({ upstreams: [entry(a)] });
    assert.equal(retired, '1');
    for (const who of [session, other]) assert.equal((await who.call('b__echo')).error.code, -32043);
    assert.deepEqual((await gate.health()).json.upstreams.map(({ id }) => id), ['a']);
    held.text('in time');
    assert.equal((await running).result?.content[0].text, 'in time');
    await until(() => b.sessions.size === 0, 'the sessions with b to end');
    await gate.shows('gate_upstream_breaker_state', { upstream: 'b' }, undefined);
    await says(session, 'a__echo', 'a: echo');
    await gate.end();
  });

  await step('removed and back at once: both the old call and new ones are served', async () => {
    const gate = await Gate.start(binary, { upstreams: [entry(a), entry(b)] }, json);
    const session = await Session.open(gate);
    const running = session.call('b__echo');
    const held = await heldAt(b);
    await gate.reload({ upstreams: [entry(a)] });
    await gate.reload({ upstreams: [entry(a), entry(b)] });
    await says(session, 'b__echo', 'b: echo');
    held.text('from before');
    assert.equal((await running).result?.content[0].text, 'from before');
    await says(session, 'b__echo', 'b: echo');
    await gate.end();
    assert.equal(b.sessions.size, 0);
  });

  await step('labels and owner are visible at once, and no session is touched', async () => {
    const labelled = (tier) => ({ upstreams: [entry(a, { labels: { tier }, owner: { team: tier } }), entry(b)] });
    const gate = await Gate.start(binary, labelled('gold'), json);
    const session = await Session.open(gate);
    await says(session, 'a__echo', 'a: echo');
    assert.deepEqual((await gate.healthOf('a')).labels, { tier: 'gold' });
    const before = [handshakes(a), a.sessions.size];
    const [{ added, retired }] = await gate.reload(labelled('silver'));
    assert.deepEqual([added, retired], ['0', '0']);
    const { labels, owner } = await gate.healthOf('a');
    assert.deepEqual([labels, owner], [{ tier: 'silver' }, { team: 'silver' }]);
    await says(session, 'a__echo', 'a: echo');
    assert.deepEqual([handshakes(a), a.sessions.size], before);
    await gate.end();
  });

  await step('other limits hold at once, and no session is touched', async () => {
    const limited = (more) => ({ upstreams: [entry(a, more), entry(b)] });
    const gate = await Gate.start(binary, limited({}), json);
    const session = await Session.open(gate);
    await says(session, 'a__echo', 'a: echo');
    const before = [handshakes(a), a.sessions.size];
    const [{ added, retired }] = await gate.reload(limited({ rateLimit: { requestsPerMinute: 1 }, cacheTtlMs: 1 }));
    assert.deepEqual([added, retired], ['0', '0']);
    await says(session, 'a__echo', 'a: echo');
    assert.equal((await session.call('a__echo')).error.code, -32040);
    await gate.reload(limited({ budget: { upstreamCalls: 1 } }));
    await says(session, 'a__echo', 'a: echo');
    assert.equal((await session.call('a__echo')).error.code, -32044);
    await gate.reload(limited({}));
    await says(session, 'a__echo', 'a: echo');
    assert.deepEqual([handshakes(a), a.sessions.size], before);
    await gate.end();
  });

  await step('labels, limits of others, a policy: what was used of a budget stays used', async () => {
    const budgeted = (more) => ({ upstreams: [entry(a, { budget: { upstreamCalls: 2 }, ...more }), entry(b)] });
    const gate = await Gate.start(binary, budgeted(), json);
    const session = await Session.open(gate);
    await says(session, 'a__echo', 'a: echo');
    await gate.reload(budgeted({ labels: { x: 'y' } }));
    await says(session, 'a__echo', 'a: echo');
    await gate.reload({ ...budgeted(), policy: { defaultDecision: 'allow' } });
    assert.equal((await session.call('a__echo')).error.code, -32044);
    await gate.end();
  });

  await step('one that has changed gets new sessions; who called it does not notice', async () => {
    const gate = await Gate.start(binary, { upstreams: [entry(a), entry(b)] }, json);
    const session = await Session.open(gate);
    await says(session, 'b__echo', 'b: echo');
    const elsewhere = await server('b', { names: ['echo', 'more'] });
    const [{ added, retired }] = await gate.reload({ upstreams: [entry(a), entry(elsewhere)] });
    assert.deepEqual([added, retired], ['1', '1']);
    await says(session, 'b__more', 'b: more');
    assert.equal(elsewhere.of('tools/call').length, 1);
    assert.deepEqual(namesIn((await session.request('tools/list', {})).result), ['a__echo', 'b__echo', 'b__more']);
    await until(() => b.sessions.size === 0, 'the sessions with the old one to end');
    await gate.shows('gate_upstream_breaker_state', { upstream: 'b' }, 0);
    await gate.end();
    await elsewhere.stop();
  });

  await step('passthrough becomes a federation, and a federation passthrough', async () => {
    const gate = await Gate.start(binary, { upstreams: [{ id: 'a', url: a.url }] }, json);
    const session = await Session.open(gate);
    await says(session, 'echo', 'a: echo');
    await gate.reload({ upstreams: [entry(a), entry(b)] });
    await says(session, 'a__echo', 'a: echo');
    assert.equal((await session.call('echo')).error.code, -32043);
    await gate.reload({ upstreams: [{ id: 'b', url: b.url }] });
    await says(session, 'echo', 'b: echo');
    await gate.end();
  });

  await step('with several threads all of them take it over', async () => {
    const gate = await Gate.start(binary, { upstreams: [entry(a), entry(b)] }, { ...json, threads: 3 });
    const sessions = await Promise.all(Array.from({ length: 9 }, () => Session.open(gate)));
    await gate.reload({ upstreams: [entry(a), entry(c)] });
    for (const session of sessions) {
      await until(async () => (await session.call('c__echo')).result, 'the new upstream to be there');
      assert.equal((await session.call('b__echo')).error.code, -32043);
    }
    await gate.end();
  });

  await step('a signal after the other: the last document holds', async () => {
    const gate = await Gate.start(binary, { upstreams: [entry(a), entry(b)] }, json);
    const session = await Session.open(gate);
    for (let i = 0; i < 50; i += 1) {
      gate.write({ upstreams: i % 2 ? [entry(a), entry(b)] : [entry(a), entry(c)] });
      gate.signal('SIGHUP');
    }
    await until(() => gate.said(/^The configuration was reloaded/).length, 'a reload');
    await gate.reload({ upstreams: [entry(a), entry(c), entry(b, { labels: { last: 'one' } })] });
    await until(async () => (await gate.healthOf('b'))?.labels?.last === 'one', 'the last document to hold');
    await says(session, 'c__echo', 'c: echo');
    await gate.end();
  });
}

async function told({ step, a, b, c, home }) {
  await step('list_changed reaches the client that listed, of the list that it has; not others', async () => {
    const gate = await Gate.start(binary, { upstreams: [entry(a), entry(b)] }, json);
    const listed = await connect(gate);
    const never = await connect(gate, { capabilities: { sampling: {} } });
    await listed.client.listTools();
    await gate.reload({ upstreams: [entry(a), entry(b), entry(c)] });
    await until(() => listed.heard.includes(TOOLS_CHANGED), 'list_changed');
    assert.ok((await listed.client.listTools()).tools.some(({ name }) => name === 'c__echo'));
    assert.deepEqual(never.heard, []);
    await never.client.listTools();
    const before = listed.heard.length;
    await gate.reload({ upstreams: [entry(a), entry(b)] });
    await until(() => listed.heard.length > before && never.heard.includes(TOOLS_CHANGED), 'list_changed for both');
    assert.ok(!(await listed.client.listTools()).tools.some(({ name }) => name === 'c__echo'));
    for (const { heard } of [listed, never])
      assert.ok(heard.every((what) => what === TOOLS_CHANGED), `nobody asked for other lists: ${heard}`);
    await Promise.all([listed.client.close(), never.client.close()]);
    await gate.end();
  });

  await step('whose visible list is what it was hears nothing', async () => {
    const policy = { rules: [
      { id: 'all', subjects: { subs: ['all'] }, allow: [{ server: '*' }] },
      { id: 'some', subjects: { subs: ['some'] }, allow: [{ server: 'a' }] },
    ] };
    const config = (...servers) => requiring([home], { upstreams: servers.map((s) => entry(s)), policy });
    const gate = await Gate.start(binary, config(a, b), { ...json, token: home.token({ sub: 'all' }) });
    const [all, some] = await Promise.all(['all', 'some'].map((sub) => connect(gate, { token: () => home.token({ sub }) })));
    await all.client.listTools();
    await some.client.listTools();
    for (const servers of [[a, b, c], [a, b], [a, c]]) {
      const before = all.heard.length;
      await gate.reload(config(...servers));
      await until(() => all.heard.length > before, 'list_changed');
      await all.client.listTools();
    }
    assert.deepEqual(some.heard, []);
    await Promise.all([all.client.close(), some.client.close()]);
    await gate.end();
  });

  await step('rights that are taken: what runs is finished, the next is denied, its upstream falls silent', async () => {
    const upstreams = [entry(a), entry(b)];
    const may = (...servers) => ({ upstreams, policy: { rules: [{ id: 'r', allow: servers.map((s) => ({ server: s })) }] } });
    const gate = await Gate.start(binary, may('a', 'b'), json);
    const { client, heard } = await connect(gate);
    const session = await Session.open(gate);
    await client.listTools();
    for (const uri of ['a://x', 'b://x']) await client.subscribeResource({ uri });
    await until(() => a.streams.size && b.streams.size, 'the streams of the upstreams');
    for (const [upstream, uri] of [[a, 'a://x'], [b, 'b://x']]) {
      await until(() => {
        upstream.notify(updated(uri));
        return heard.includes(uri);
      }, `to hear of ${uri}`);
    }
    const before = [handshakes(a), handshakes(b)];
    const running = session.call('b__echo');
    const held = await heldAt(b);
    await gate.reload(may('a'));
    const denied = await session.call('b__echo');
    assert.deepEqual([denied.error.code, denied.error.message], [-32042, 'policy denied tools/call "b__echo"']);
    held.text('begun before');
    assert.equal((await running).result?.content[0].text, 'begun before');
    await until(() => heard.includes(TOOLS_CHANGED), 'list_changed');
    assert.deepEqual(namesIn(await client.listTools()), ['a__echo']);
    heard.length = 0;
    b.notify(updated('b://x'));
    await sleep(200);
    a.notify(updated('a://x'));
    await until(() => heard.includes('a://x'), 'to hear of a');
    assert.ok(!heard.includes('b://x'), `${heard}`);
    await gate.reload(may('a', 'b'));
    await says(session, 'b__echo', 'b: echo');
    assert.deepEqual(namesIn(await client.listTools()), ['a__echo', 'b__echo']);
    assert.equal(handshakes(a), before[0], 'a policy is nothing to an upstream that may be used');
    await client.close();
    await gate.end();
  });

  await step('a subscription moves to the successor of an upstream that has changed', async () => {
    const gate = await Gate.start(binary, { upstreams: [entry(a), entry(b)] }, json);
    const { client, heard } = await connect(gate);
    await client.subscribeResource({ uri: 'b://x' });
    const next = await server('b');
    await gate.reload({ upstreams: [entry(a), entry(next)] });
    await until(() => next.of('resources/subscribe').length, 'the subscription');
    assert.equal(next.of('resources/subscribe')[0].params.uri, 'b://x');
    await until(() => {
      next.notify(updated('b://x'));
      return heard.includes('b://x');
    }, 'to hear of the resource');
    await until(() => b.sessions.size === 0, 'the sessions with the old one to end');
    await client.unsubscribeResource({ uri: 'b://x' });
    assert.equal(next.of('resources/unsubscribe').length, 1);
    await client.close();
    await gate.end();
    await next.stop();
  });

  await step('a cursor of a list that has changed is refused; the new list is whole', async () => {
    const many = await server('many', { names: Array.from({ length: 10 }, (_, i) => `t${i}`) });
    const config = (...servers) => ({ upstreams: servers.map((s) => entry(s)), routing: { pageSize: 4 } });
    const gate = await Gate.start(binary, config(a, many), json);
    const session = await Session.open(gate);
    const { nextCursor: cursor } = (await session.request('tools/list', {})).result;
    await gate.reload(config(b, many));
    const { error } = await session.request('tools/list', { cursor });
    assert.deepEqual([error?.code, error?.data.gate.reason], [-32602, 'cursor_invalid']);
    const { items } = await session.list('tools/list', 'tools');
    assert.deepEqual([items.length, items[0].name], [11, 'b__echo']);
    await gate.end();
    await many.stop();
  });
}

async function refusedDocuments({ step, a, b }) {
  const running = { upstreams: [entry(a), entry(b)] };
  const open = async (more = {}) => {
    const gate = await Gate.start(binary, running, { ...json, ...more });
    const session = await Session.open(gate);
    await says(session, 'a__echo', 'a: echo');
    return { gate, session };
  };

  const wrong = {
    'half a document': [JSON.stringify(withAudit(running)).slice(0, -20), ''],
    'nothing': ['', ''],
    'an unknown field': [{ upstreams: [{ ...entry(a), urll: 'x' }, entry(b)] }, '/upstreams/0/urll'],
    'the same namespace twice': [{ upstreams: [entry(a), { ...entry(b), namespace: 'a' }] }, '/upstreams/1/namespace'],
    'no upstreams': [{ upstreams: [] }, '/upstreams'],
    'a rule for nobody\'s upstream': [{ ...running, policy: { rules: [{ id: 'r', allow: [{ server: 'zz' }] }] } }, '/policy/rules/0/allow/0/server'],
    'two problems': [{ upstreams: [{ ...entry(a), urll: 'x' }, { ...entry(b), protocol: 'x' }] }, '/upstreams/1/protocol', 2],
  };
  const sections = {
    auth: { auth: { mode: 'required', resource: 'https://gate.example.com/mcp', issuers: [{ issuer: 'http://127.0.0.1:9' }] } },
    server: { server: { maxBodyBytes: 5000 } },
    'server for its budget': { server: { budget: { upstreamCalls: 5 } } },
    routing: { routing: { pageSize: 7 } },
    audit: { audit: { sinks: [] } },
    discovery: { discovery: { url: 'http://127.0.0.1:9/upstreams' } },
  };

  await step('what is no configuration changes nothing, and the log says why', async () => {
    const { gate, session } = await open();
    const before = [handshakes(a), handshakes(b), a.sessions.size];
    for (const [what, [document, pointer, count = 1]] of Object.entries(wrong)) {
      const records = await gate.reload(document);
      await until(() => records.length >= count, 'all problems');
      for (const { msg, level } of records)
        assert.deepEqual([msg, level], ['The configuration was not reloaded, and nothing has changed.', 'error'], what);
      assert.ok(records.some(({ problem }) => problem && problem.includes(pointer)), `${what}: ${JSON.stringify(records)}`);
      await says(session, 'a__echo', 'a: echo');
      await says(session, 'b__echo', 'b: echo');
    }
    assert.equal((await gate.health()).json.status, 'ok');
    assert.deepEqual([handshakes(a), a.sessions.size], [before[0], before[2]]);
    const counted = async (applied, rejected, outdated) => {
      const metrics = await gate.metrics();
      assert.deepEqual(['applied', 'rejected', 'error'].map((outcome) => sample(metrics, 'gate_config_reloads_total', { outcome })), [applied, rejected, 0]);
      assert.equal(sample(metrics, 'gate_config_outdated'), outdated);
    };
    await counted(0, Object.keys(wrong).length, 1);
    const [{ msg }] = await gate.reload(running);
    assert.equal(msg, 'The configuration was reloaded.');
    await counted(1, Object.keys(wrong).length, 0);
    await gate.end();
  });

  await step('a section that is fixed at the start is refused by its name', async () => {
    const { gate, session } = await open();
    for (const [what, more] of Object.entries(sections)) {
      const [name] = Object.keys(more);
      const [record, ...others] = await gate.reload({ upstreams: [entry(a)], ...more });
      assert.match(record.problem ?? '', new RegExp(`the ${name} section cannot change without a restart`), what);
      assert.deepEqual(others, [], what);
      await says(session, 'b__echo', 'b: echo');
    }
    const records = await gate.reload({ ...running, ...sections.routing, ...sections.server });
    for (const name of ['routing', 'server'])
      assert.ok(records.some(({ problem }) => problem.includes(`the ${name} section`)), JSON.stringify(records));
    await gate.reload({ ...running, tracing: { otlpEndpoint: 'http://127.0.0.1:9' } });
    await says(session, 'b__echo', 'b: echo');
    await gate.end();
  });

  await step('a file that is gone changes nothing', async () => {
    const { gate, session } = await open();
    unlinkSync(gate.file);
    const from = gate.err.length;
    gate.signal('SIGHUP');
    const [{ msg, problem }] = await gate.reloaded(from);
    assert.match(msg, /was not reloaded/);
    assert.ok(problem.includes(gate.file), problem);
    await says(session, 'b__echo', 'b: echo');
    await gate.end();
  });

  await step('a document from the environment can not be read again: SIGHUP says so, --watch warns', async () => {
    const gate = new Child(binary, ['--port', '0', '--watch'], {
      name: 'gate', env: cleanEnvironment({ GATE_CONFIG: JSON.stringify(running) }),
    });
    const [, port] = await gate.says(/listening on http:\/\/127\.0\.0\.1:(\d+)/);
    await gate.says(/warn.*watch/i);
    gate.signal('SIGHUP');
    await gate.says(/was not reloaded.*inline/);
    await says(await Session.open({ port: Number(port) }), 'a__echo', 'a: echo');
    assert.equal((await gate.stop()).code, 0);
  });
}

async function watching({ step, a, b, c }) {
  await step('--watch: in place, by rename, half written for a moment, deleted and back', async () => {
    const documents = { ab: { upstreams: [entry(a), entry(b)] }, ac: { upstreams: [entry(a), entry(c)] } };
    const gate = await Gate.start(binary, documents.ab, { ...json, args: ['--watch'] });
    const session = await Session.open(gate);
    await says(session, 'b__echo', 'b: echo');
    const before = handshakes(a);
    let from = gate.err.length;
    const takes = async (name, what) => {
      const [{ msg }] = await gate.reloaded(from);
      assert.equal(msg, 'The configuration was reloaded.', what);
      from = gate.err.length;
      await says(session, name, `${name[0]}: echo`);
    };
    gate.write(documents.ac);
    await takes('c__echo', 'in place');
    writeFileSync(`${gate.file}.new`, JSON.stringify(withAudit(documents.ab)));
    renameSync(`${gate.file}.new`, gate.file);
    await takes('b__echo', 'by rename');
    const text = JSON.stringify(withAudit(documents.ac));
    writeFileSync(gate.file, text.slice(0, text.length / 2));
    await sleep(100);
    writeFileSync(gate.file, text);
    await takes('c__echo', 'half written for a moment');
    unlinkSync(gate.file);
    await gate.tells(/can not be seen any more/, from);
    await says(session, 'c__echo', 'c: echo');
    gate.write(documents.ab);
    await takes('b__echo', 'deleted and back');
    assert.equal(gate.said(/was not reloaded/).length, 0);
    assert.equal(handshakes(a), before);
    await gate.end();
  });

  await step('--watch: a bad document is refused once, a good one follows; SIGHUP works beside it', async () => {
    const gate = await Gate.start(binary, { upstreams: [entry(a), entry(b)] }, { ...json, args: ['--watch'] });
    const session = await Session.open(gate);
    gate.write('{"upstreams": [');
    await gate.tells(/was not reloaded/);
    await says(session, 'b__echo', 'b: echo');
    await sleep(2500); // one look more at the same bad file
    assert.equal(gate.said(/was not reloaded/).length, 1);
    const [{ msg }] = await gate.reload({ upstreams: [entry(a), entry(c)] });
    assert.equal(msg, 'The configuration was reloaded.');
    await says(session, 'c__echo', 'c: echo');
    await gate.end();
  });
}

/** Official clients that call and list all the time: `{ stop() }`, which says what failed. */
async function officialTraffic(gate, count) {
  const failures = [];
  const calls = new Map();
  let running = true;
  const loops = Array.from({ length: count }, async (_, i) => {
    const { client, heard } = await connect(gate);
    for (let n = 0; running; n += 1) {
      try {
        const text = textOf(await client.callTool({ name: 'a__echo', arguments: { text: `official ${i} ${n}` } }));
        if (text !== `a: echo official ${i} ${n}`) failures.push(text);
        calls.set(i, n);
        if (n % 20 === 0 && !(await client.listTools()).tools.some(({ name }) => name === 'a__echo')) failures.push('a list without a');
      } catch (error) {
        failures.push(String(error));
      }
      await sleep(2);
    }
    await client.close();
    return heard.length;
  });
  await until(() => calls.size === count || failures.length, 'the first call of each');
  return { failures, stop: () => { running = false; return Promise.all(loops); } };
}

/** A client that calls what comes and goes: anything may be said, but something must. */
async function curious(gate, names) {
  const session = await Session.open(gate);
  const codes = new Set();
  let running = true;
  const loop = (async () => {
    for (let i = 0; running; i += 1) {
      const { result, error } = await session.call(names[i % names.length]);
      codes.add(result ? 'ok' : error.code);
      await sleep(3);
    }
  })();
  return { codes, stop: async () => { running = false; await loop; await session.end(); } };
}

async function underLoad({ step, a }) {
  for (const threads of [1, 2])
    await step(`${threads} thread(s): ${RELOADS} reloads under load: no failed call, nothing leaks`, async () => {
      const [x, y] = [await server('x'), await server('y')];
      const policy = { rules: [{ id: 'r', allow: [{ server: 'a' }, { server: 'y' }] }] };
      const documents = [
        { upstreams: [entry(a), entry(x)] },
        { upstreams: [entry(a), entry(x), entry(y)] },
        { upstreams: [entry(a, { labels: { n: '1' } }), entry(y)] },
        { upstreams: [entry(x, { timeouts: { requestMs: 5000 } }), entry(a), entry(y)] },
        { upstreams: [entry(a), entry(y), entry(x)], policy },
        { upstreams: [entry(a), { ...entry(x), url: y.url }] },
      ];
      const gate = await Gate.start(binary, documents[0], { ...json, threads, env: { ASAN_OPTIONS: FREED_IS_FREE } });
      const traffic = await Traffic.start(gate, { name: 'a__echo', expected: (t) => `a: echo ${t}`, clients: CLIENTS, pause: 2 });
      const official = await officialTraffic(gate, OFFICIAL_CLIENTS);
      const guests = await Promise.all(Array.from({ length: 4 }, () => curious(gate, ['x__echo', 'y__echo'])));
      const plain = await Session.open(gate);
      await says(plain, 'a__echo', 'a: echo');
      await traffic.more(CLIENTS * 3);
      const met = handshakes(a);
      const figures = async () => {
        const metrics = await gate.metrics();
        return { fds: sample(metrics, 'process_open_fds'), bytes: sample(metrics, 'process_resident_memory_bytes') };
      };
      let early;
      for (let i = 1; i <= RELOADS; i += 1) {
        const [{ msg, problem }] = await gate.reload(documents[i % documents.length]);
        assert.equal(msg, 'The configuration was reloaded.', problem);
        if (i === RELOADS / 4) early = await figures();
      }
      await traffic.more(CLIENTS);
      for (const guest of guests) await guest.stop();
      for (const guest of guests) assert.ok(guest.codes.has('ok'), `${[...guest.codes]}`);
      await official.stop();
      assert.deepEqual(official.failures, []);
      await gate.reload({ upstreams: [entry(a)] });
      await until(() => x.sessions.size === 0 && y.sessions.size === 0, 'all sessions with what is gone to end');
      await traffic.endsWell();
      assert.equal(handshakes(a), met, 'the unchanged upstream met nobody anew');
      const late = await figures();
      assert.ok(late.fds <= early.fds + 10, JSON.stringify({ early, late }));
      assert.ok(late.bytes <= early.bytes + 24e6, JSON.stringify({ early, late }));
      console.log(`        ${traffic.calls} calls, slowest ${Math.round(traffic.slowest)} ms; ${JSON.stringify({ early, late })}`);
      await gate.end();
      await Promise.all([x.stop(), y.stop()]);
    });
}

await suite('another configuration', async ({ step, defer }) => {
  const started = [];
  defer(function serversEnd() { return Promise.all(started.map((one) => one.stop())); });
  const lane = async (...parts) => {
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => server(name)));
    const home = await IdentityProvider.start();
    started.push(a, b, c, home);
    for (const part of parts) await part({ step, a, b, c, home });
  };
  // Who watches a file looks every two seconds: others need not wait for that.
  await Promise.all([lane(watching), lane(taken, told, refusedDocuments)]);
  await lane(underLoad);
});
