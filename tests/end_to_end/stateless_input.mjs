// Servers that ask in the middle of a call, in all four combinations of generations: questions as results and
// as requests, bridged into each other. What a client brings back is a secret of the gateway where the server
// has sessions: nobody forges it, nobody uses it twice, nobody uses that of another.
//
//   stateless_input.mjs GATE [CLIENTS]    `stateless` or `session`: clients of this generation alone
import assert from 'node:assert/strict';
import { Gate } from '../../simulations/peers/gate.mjs';
import { requiring } from '../../simulations/peers/identity.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { SessionUpstream } from '../../simulations/peers/session_upstream.mjs';
import { StatelessClient } from '../../simulations/peers/stateless_client.mjs';
import { StatelessUpstream } from '../../simulations/peers/stateless_upstream.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { CAPABLE, asksByHand, asksOfClient } from './support/input_exchange.mjs';
import { answering, textOf } from './support/stateless_exchange.mjs';
import { connected } from './support/stateless_sdk_exchange.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const [only] = process.argv.slice(3);
const tries = (clients) => !only || only === clients;
const entry = (up, more = {}) => ({ id: up.name, url: up.url, protocol: 'auto', ...more });
const good = { action: 'accept', content: { name: 'Ada' } };
const ASK = { name: 'ask_once', arguments: {} };

/** A call that waits for its client: `{ params, key, state, retry(changes) }`. */
async function parked(client, params = ASK, options = {}) {
  const { result, error } = await client.request('tools/call', params, options);
  assert.equal(result?.resultType, 'input_required', JSON.stringify(error ?? result));
  const [key] = Object.keys(result.inputRequests);
  const retry = ({ as = client, method = 'tools/call', ...changes } = {}) =>
    as.request(method, { ...params, requestState: result.requestState, inputResponses: { [key]: good }, ...changes });
  return { key, state: result.requestState, retry };
}

async function cells({ step, strict, sessions }) {
  for (const [kind, up] of [['without sessions', strict], ['with sessions', sessions]])
    for (const namespace of [undefined, up.name]) {
      const title = `server ${kind}, ${namespace ? 'federated' : 'alone'}`;
      const others = namespace ? [strict, sessions].filter((other) => other !== up) : [];
      const upstreams = [entry(up, { namespace }), ...others.map((other) => entry(other, { namespace: other.name }))];
      const gate = await Gate.start(binary, { upstreams }, { threads: namespace ? 2 : 1 });
      const all = { on: (what, fn) => step(`${title}: ${what}`, fn), prefix: namespace ? `${namespace}__` : '', server: up };
      if (tries('stateless')) {
        await asksByHand({ ...all, target: gate });
        await asksOfClient({ ...all, url: gate.url, mode: 'modern' });
      }
      if (tries('session')) await asksOfClient({ ...all, url: gate.url, mode: 'legacy' });
      await step(`${title}: the gateway kept to the rules`, () => assert.deepEqual(strict.violations, []));
      await step(`${title}: the gateway ends`, () => gate.end());
    }
}

/** The four places where somebody can not be asked. */
async function withoutCapability({ step, strict, sessions }) {
  for (const [kind, up] of [['without sessions', strict], ['with sessions', sessions]]) {
    const gate = await Gate.start(binary, { upstreams: [entry(up)] });
    if (tries('stateless'))
      await step(`server ${kind}: who can not be asked is not, and the call ends`, async () => {
        const asked = await new StatelessClient(gate).call('ask_once');
        assert.ok(asked.error ?? asked.result.isError, JSON.stringify(asked.result));
      });
    if (tries('session')) await step(`server ${kind}: no session that can not be asked is, and its call ends`, async () => {
      const { client } = await connected(gate.url, 'legacy', { capabilities: {} });
      const ended = await client.callTool(ASK).catch((error) => error);
      assert.ok(ended.isError || ended.code, JSON.stringify(ended));
      assert.notEqual(ended.resultType, 'input_required');
      assert.equal(textOf({ result: await client.callTool({ name: 'echo', arguments: { text: 'x' } }) }), `${up.name}: x`);
      await client.close();
    });

    if (tries('stateless')) await step(`server ${kind}: what a client can do holds for its request, not for another one`, async () => {
      const able = new StatelessClient(gate, { capabilities: CAPABLE });
      const unable = new StatelessClient(gate);
      const [one, other] = await Promise.all([able.complete('tools/call', ASK, answering), unable.call('ask_once')]);
      assert.equal(textOf(one), 'accept {"name":"my name"}');
      assert.ok(other.error ?? other.result.isError);
    });
    await step(`server ${kind}: the gateway ends`, () => gate.end());
  }
}

/** States of the gateway: towards a server with sessions. */
async function states({ step, provider, sessions }) {
  const [ada, bob] = ['ada', 'bob'].map((sub) => provider.token({ sub }));
  const gate = await Gate.start(binary, requiring([provider], { upstreams: [entry(sessions)] }), { token: ada });
  const client = new StatelessClient(gate, { token: ada, capabilities: CAPABLE });
  const refused = ({ status, error, result }) => {
    assert.deepEqual([status, error?.code], [200, -32602], JSON.stringify(error ?? result));
    return error.message;
  };

  await step('every wrong state is refused in the same words, and costs the right one nothing', async () => {
    const call = await parked(client);
    const other = await parked(client, { name: 'ask_twice', arguments: {} });
    const used = await parked(client);
    assert.equal(textOf(await used.retry()), 'accept {"name":"Ada"}');
    const { state } = call;
    const swapped = (at) => `${state.slice(0, at)}${state[at] === 'A' ? 'B' : 'A'}${state.slice(at + 1)}`;
    const words = [];
    for (const requestState of ['', 'x', state.slice(1), state.slice(0, -1), `${state}A`, state + state, swapped(0),
      swapped(state.length >> 1), swapped(state.length - 2), other.state, used.state])
      words.push(refused(await call.retry({ requestState })));
    words.push(refused(await used.retry()), refused(await call.retry({ arguments: { more: 1 } })));
    words.push(refused(await call.retry({ as: new StatelessClient(gate, { token: bob, capabilities: CAPABLE }) })));
    words.push(refused(await call.retry({ method: 'prompts/get', name: 'greet_asked' })));
    assert.deepEqual([...new Set(words)].length, 1, JSON.stringify(words));
    assert.equal(textOf(await call.retry()), 'accept {"name":"Ada"}');
  });

  await step('a thousand forged and replayed states: none is accepted', async () => {
    const call = await parked(client);
    const bytes = Buffer.from(call.state);
    const forged = Array.from({ length: 1000 }, (_, i) => {
      const copy = Buffer.from(bytes);
      const at = i % copy.length;
      copy[at] = copy[at] === 65 + (i % 26) ? 97 + (i % 26) : 65 + (i % 26);
      return copy.toString();
    }).filter((state) => state !== call.state);
    const answered = sessions.calls.filter(({ method, message }) => !method && message.result).length;
    for (let i = 0; i < forged.length; i += 20)
      await Promise.all(forged.slice(i, i + 20).map(async (requestState) => refused(await call.retry({ requestState }))));
    assert.equal(sessions.calls.filter(({ method, message }) => !method && message.result).length, answered, 'the server heard nothing');
    const both = await Promise.all([call.retry(), call.retry(), call.retry()]);
    assert.equal(both.filter(({ result }) => result).length, 1, 'it is used once, also at once');
    refused(await call.retry());
  });

  await step('long answers find their call on whichever of several threads it waits', async () => {
    const busy = await Gate.start(binary, { upstreams: [entry(sessions)] }, { threads: 3 });
    const many = new StatelessClient(busy, { capabilities: CAPABLE });
    const long = 'x'.repeat(100_000);
    for (let i = 0; i < 12; i += 1) {
      const call = await parked(many);
      const answers = { [call.key]: { action: 'accept', content: { name: long } } };
      assert.equal(textOf(await call.retry({ inputResponses: answers })), `accept {"name":"${long}"}`);
    }
    await busy.end();
  });

  await step('a state says nothing that its client does not know', async () => {
    const { state } = await parked(client);
    for (const text of [state, ...['base64', 'base64url', 'hex'].map((code) => Buffer.from(state, code).toString('latin1'))])
      for (const secret of ['127.0.0.1', 'ada', 'session-', provider.issuer]) assert.ok(!text.includes(secret), secret);
  });

  await step('each leg is audited, the server is counted once', async () => {
    const [first, second, ...more] = await gate.eventsOf(async () => (await parked(client)).retry());
    assert.deepEqual(more, []);
    for (const event of [first, second])
      assert.deepEqual([event.method, event.name, event.outcome, event.principal], ['tools/call', 'ask_once', 'ok', 'ada']);
    assert.deepEqual([first.upstreamCalls, second.upstreamCalls ?? 0], [1, 0]);
  });

  await step('a principal has a bounded number of calls that wait; others have theirs', async () => {
    const started = await Promise.all(Array.from({ length: 60 }, () => client.call('ask_once')));
    const waiting = started.filter(({ result }) => result?.resultType === 'input_required');
    assert.ok(waiting.length <= 32, `${waiting.length} wait`);
    assert.ok(started.every(({ result, error }) => result ?? error));
    const stranger = new StatelessClient(gate, { token: bob, capabilities: CAPABLE });
    assert.equal(textOf(await (await parked(stranger)).retry()), 'accept {"name":"Ada"}');
  });

  await step('when the gateway ends, what waits is cancelled at the server', async () => {
    const before = sessions.of('notifications/cancelled').length;
    await gate.end();
    await until(() => sessions.of('notifications/cancelled').length > before || sessions.of('tools/call').every(({ response }) =>
      response.writableEnded || response.destroyed), 'the calls to end');
  });
}

/** States of the server: they pass as they are. */
async function passing({ step, strict }) {
  const gate = await Gate.start(binary, { upstreams: [entry(strict)] });
  const client = new StatelessClient(gate, { capabilities: CAPABLE });

  if (tries('stateless')) await step('what a server without sessions hands out comes back to it byte for byte', async () => {
    strict.forget();
    const call = await parked(client);
    assert.equal(textOf(await call.retry()), 'accept {"name":"Ada"}');
    const [first, second] = strict.of('tools/call');
    assert.equal(second.params.requestState, call.state);
    assert.deepEqual(second.params.inputResponses, { who: good });
    assert.notDeepEqual(first.id, second.id);
    const odd = 'ä☃𝄞"\\\n\u2028 =?base64?x?= '.repeat(20);
    strict.on('tools/call', (each) => each.result(each.params.requestState === odd
      ? { content: [{ type: 'text', text: 'whole' }] } : { requestState: odd }, each.params.requestState === odd ? 'complete' : 'input_required'));
    assert.equal(textOf(await client.complete('tools/call', ASK, answering)), 'whole');
    strict.restore();
  });

  await step('the server is told what the client of each request can do', async () => {
    const told = async (capabilities) => {
      const clients = [];
      if (tries('session')) clients.push(await Session.open(gate, { capabilities }));
      if (tries('stateless')) clients.push(new StatelessClient(gate, { capabilities }));
      for (const ask of clients) {
        assert.ok((await ask.call('echo', { text: 'x' })).result);
        const { elicitation, sampling, roots } = strict.of('tools/call').at(-1).capabilities;
        assert.deepEqual([elicitation, sampling, roots].map(Boolean), ['elicitation', 'sampling', 'roots'].map((name) => name in capabilities));
      }
    };
    for (const capabilities of [{}, { elicitation: { form: {} } }, { sampling: {} }, { roots: {}, sampling: {} }]) await told(capabilities);
  });

  if (tries('stateless')) await step('what the server does not take, it refuses itself', async () => {
    const call = await parked(client);
    const { status, error } = await call.retry({ requestState: `${call.state}x` });
    assert.deepEqual([status, error?.code, error?.message], [200, -32602, 'not a state of this call']);
    strict.forget();
  });

  if (tries('session')) await step('a server that asks for ever is left after some rounds by a session, not by the gateway otherwise', async () => {
    const { client: session } = await connected(gate.url, 'legacy');
    strict.on('tools/call', (call) => call.result({
      inputRequests: { who: { method: 'elicitation/create', params: { mode: 'form', message: 'Again?', requestedSchema: { type: 'object', properties: {} } } } },
    }, 'input_required'));
    const before = strict.of('tools/call').length;
    const ended = await session.callTool(ASK).catch((error) => error);
    assert.ok(ended.isError || ended.code, JSON.stringify(ended));
    const rounds = strict.of('tools/call').length - before;
    assert.ok(rounds >= 2 && rounds <= 10, `${rounds} rounds`);
    assert.equal((await client.call('ask_once')).result.resultType, 'input_required');
    strict.restore();
    await session.close();
  });

  if (tries('stateless')) await step('each leg is audited, and counts at the server', async () => {
    const events = await gate.eventsOf(async () => (await parked(client)).retry());
    assert.deepEqual(events.map(({ method, outcome, upstreamCalls }) => [method, outcome, upstreamCalls]),
      Array(2).fill(['tools/call', 'ok', 1]));
  });
  await step('passing: the gateway ends', () => gate.end());
}

await suite('input in all combinations', async ({ step, defer }) => {
  const [strict, sessions, provider] = await Promise.all([
    StatelessUpstream.start(), SessionUpstream.start({ name: 'old' }), IdentityProvider.start(),
  ]);
  defer(function serversEnd() { return Promise.all([strict.stop(), sessions.stop(), provider.stop()]); });
  const all = { step, strict, sessions, provider };
  const parts = tries('stateless') ? [cells, withoutCapability, states, passing] : [cells, withoutCapability, passing];
  for (const part of parts) {
    strict.forget();
    await part(all);
  }
});
