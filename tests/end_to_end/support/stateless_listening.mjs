// Subscriptions of clients of MCP 2026-07-28 at a server that has sessions: what several streams of one
// caller cost the server, what is honoured, and whose news is whose.
import assert from 'node:assert/strict';
import { Gate } from '../../../simulations/peers/gate.mjs';
import { requiring } from '../../../simulations/peers/identity.mjs';
import { StatelessClient } from '../../../simulations/peers/stateless_client.mjs';
import { KEYS } from '../../../simulations/peers/stateless_rules.mjs';
import { until } from '../../../simulations/peers/waiting.mjs';

const isUpdate = ({ method }) => method === 'notifications/resources/updated';
const isNews = ({ method }) => method === 'notifications/tools/list_changed';

/** Of the latest subscription. */
const subscriber = (one) => one.of('resources/subscribe').at(-1).session;

/** Says that it was updated, as soon as the session listens that has subscribed to it. */
async function update(one, uri, session = subscriber(one)) {
  await until(() => one.listening(session), 'the gateway to listen to the server');
  one.updated(uri, session);
}

/** The step's own messages of `one`: calls of `method` about `uri` since now. */
function since(one, uri) {
  const start = one.calls.length;
  return (method) => one.calls.slice(start).filter((call) => call.method === method && call.params.uri === uri);
}

async function ofOneCaller({ step, gate, one }) {
  const client = new StatelessClient(gate);
  const uri = 'one://docs/1';

  await step('a resource that was in no list yet can be subscribed to', async () => {
    const stream = await client.listen({ resourceSubscriptions: [uri, 'nobody://1'] });
    assert.deepEqual(stream.honoured, { resourceSubscriptions: [uri] });
    await update(one, uri);
    await stream.until(isUpdate);
    const said = since(one, uri);
    stream.close();
    await until(() => said('resources/unsubscribe').length, 'the end of the subscription');
  });

  await step('the server is told once of a subscription that several have, and when the last one leaves', async () => {
    const said = since(one, uri);
    const ids = [1, 2, '2'];
    const streams = await Promise.all(ids.map((id) => client.listen({ resourceSubscriptions: [uri] }, { id })));
    await update(one, uri);
    const updates = await Promise.all(streams.map((stream) => stream.until(isUpdate)));
    assert.deepEqual(updates.map(({ params }) => params._meta[KEYS.subscription]), ids);
    assert.equal(said('resources/subscribe').length, 1);
    streams[0].close();
    streams[1].close();
    // A subscription of its own is the fence: the two have left before it.
    const fence = await client.listen({ resourceSubscriptions: ['one://items/7'] });
    fence.close();
    await update(one, uri);
    await streams[2].until(isUpdate);
    assert.equal(streams[2].messages.length, 3, 'each update comes once');
    assert.equal(said('resources/unsubscribe').length, 0);
    streams[2].close();
    await until(() => said('resources/unsubscribe').length === 1, 'the end of the subscription');
  });

  await step('what one leaves and another takes up in the same moment goes on', async () => {
    for (let i = 0; i < 20; i += 1) {
      const first = await client.listen({ resourceSubscriptions: [uri] });
      first.close();
      const second = await client.listen({ resourceSubscriptions: [uri] });
      assert.deepEqual(second.honoured, { resourceSubscriptions: [uri] });
      await update(one, uri);
      await second.until(isUpdate);
      second.close();
    }
  });

  await step('what the server refuses is not honoured, and the rest is', async () => {
    one.untold.add('one://items/7');
    const said = since(one, 'one://items/7');
    const stream = await client.listen({ toolsListChanged: true, resourceSubscriptions: ['one://items/7', uri] });
    assert.deepEqual(stream.honoured, { toolsListChanged: true, resourceSubscriptions: [uri] });
    assert.equal(said('resources/subscribe').length, 1);
    stream.close();
    one.untold.clear();
  });

  await step('an update that comes before the acknowledgement follows it', async () => {
    const released = one.held();
    one.on('resources/subscribe', async (call) => {
      if (call.params.uri !== uri) await released;
      return call.result('{}');
    });
    const said = since(one, uri);
    const opening = client.listen({ resourceSubscriptions: ['one://items/7', uri] });
    await until(() => said('resources/subscribe').length, 'the subscription');
    await update(one, uri);
    one.release();
    const stream = await opening;
    await stream.until(isUpdate);
    stream.close();
    one.restore();
  });

  await step('a server that was away is subscribed to again', async () => {
    const stream = await client.listen({ resourceSubscriptions: [uri] });
    const said = since(one, uri);
    await one.stop();
    one.sessions.clear();
    await one.listen();
    await until(() => said('resources/subscribe').length, 'the subscription in a new session', 30_000);
    await update(one, uri);
    await stream.until(isUpdate);
    stream.close();
  });
}

async function ofSeveral({ step, one, provider, binary }) {
  const upstream = { id: 'one', url: one.url, listsPerClient: true };
  const token = provider.token({ sub: 'ada' });
  const gate = await Gate.start(binary, requiring([provider], { upstreams: [upstream] }), { token });
  const ada = new StatelessClient(gate, { token });
  const bob = new StatelessClient(gate, { token: provider.token({ sub: 'bob' }) });
  const uri = 'one://docs/1';
  const filter = { toolsListChanged: true, resourceSubscriptions: [uri] };
  // Their lists are their sessions'.
  const sessions = [];
  for (const client of [ada, bob]) {
    await client.list('tools/list', 'tools');
    sessions.push(one.of('tools/list').at(-1).session);
  }
  const said = since(one, uri);
  const streams = await Promise.all([ada, bob].map((client) => client.listen(filter)));

  await step('callers share no subscription, and none hears of another one\'s', async () => {
    assert.deepEqual(new Set(said('resources/subscribe').map(({ session }) => session)), new Set(sessions));
    for (const [i, session] of sessions.entries()) {
      await update(one, uri, session);
      await streams[i].until(isUpdate);
    }
    assert.deepEqual(streams.map(({ messages }) => messages.filter(isUpdate).length), [1, 1]);
  });

  await step('changes of a caller\'s own lists reach its streams, and no others', async () => {
    for (const [i, session] of sessions.entries()) {
      one.changed('tools', session);
      await streams[i].until(isNews);
    }
    // An update is the fence.
    one.updated(uri);
    await Promise.all(streams.map((stream) => stream.until(isUpdate)));
    assert.deepEqual(streams.map(({ messages }) => messages.filter(isNews).length), [1, 1]);
  });
  streams.forEach((stream) => stream.close());
  await step('the one of several callers ends', () => gate.end());
}

export async function listening({ step, one, provider, binary }) {
  const gate = await Gate.start(binary, { upstreams: [{ id: 'one', url: one.url, namespace: 'one' }] });
  await ofOneCaller({ step, gate, one });
  await step('the one of subscriptions ends', () => gate.end());
  await ofSeveral({ step, one, provider, binary });
}
