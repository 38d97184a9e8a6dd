// What comes of tools, prompts and resources that need input, whoever asks and however: the same table
// directly and through the gateway, for both generations of clients and servers.
import assert from 'node:assert/strict';
import { StatelessClient } from '../../../simulations/peers/stateless_client.mjs';
import { answering, textOf } from './stateless_exchange.mjs';
import { connected } from './stateless_sdk_exchange.mjs';

export const CAPABLE = { elicitation: { form: {} }, sampling: {}, roots: {} };

/** Tools that ask: in how many rounds, and what they say in the end. */
export const ASKS = [
  ['ask_once', 1, 'accept {"name":"my name"}'], ['ask_twice', 2, 'my a my b'], ['ask_together', 1, 'my name: words'],
  ['sample', 1, 'the model says words'], ['roots', 1, 'file:///work'],
];

/** A client without sessions does it by hand. */
export async function asksByHand({ on, target, prefix = '', server, token }) {
  const client = new StatelessClient(target, { capabilities: CAPABLE, token });

  for (const [name, rounds, words] of ASKS)
    await on(`by hand: ${name}`, async () => {
      const answer = await client.complete('tools/call', { name: prefix + name, arguments: {} }, answering);
      assert.deepEqual([textOf(answer), answer.rounds, answer.result.resultType], [words, rounds, 'complete']);
    });

  await on('by hand: a prompt and a resource', async () => {
    const prompt = await client.complete('prompts/get', { name: `${prefix}greet_asked` }, answering);
    assert.equal(prompt.result.messages[0].content.text, 'greet my name');
    const read = await client.complete('resources/read', { uri: `${server.name}://items/asked` }, answering);
    assert.equal(read.result.contents[0].text, `${server.name}: my item`);
    assert.equal(read.result.ttlMs, 0, 'an answer to a retry is not kept');
  });

  await on('by hand: questions look as the revision says', async () => {
    const { result } = await client.call(`${prefix}ask_together`);
    assert.equal(result.resultType, 'input_required');
    assert.equal(typeof result.requestState, 'string');
    assert.ok(!('content' in result) && !('ttlMs' in result));
    const asked = Object.values(result.inputRequests);
    assert.deepEqual(asked.map(({ method }) => method).sort(), ['elicitation/create', 'sampling/createMessage']);
    for (const request of asked) assert.ok(!('id' in request) && !('jsonrpc' in request), JSON.stringify(request));
    const form = asked.find(({ method }) => method === 'elicitation/create').params;
    assert.deepEqual([form.mode, form.message, form.requestedSchema.required], ['form', 'Who?', ['name']]);
  });

  await on('by hand: to decline and to cancel are answers', async () => {
    for (const action of ['decline', 'cancel']) {
      const answer = await client.complete('tools/call', { name: `${prefix}ask_once`, arguments: {} }, () => ({ action }));
      assert.equal(textOf(answer), `${action} null`);
    }
  });

  await on('by hand: what is missing is asked for again, what is too much is not looked at', async () => {
    const params = { name: `${prefix}ask_once`, arguments: {} };
    const first = (await client.request('tools/call', params)).result;
    const [key] = Object.keys(first.inputRequests);
    const retry = ({ requestState }, inputResponses) => client.request('tools/call', { ...params, requestState, inputResponses });
    const second = (await retry(first, { unknown: { action: 'accept', content: {} } })).result;
    assert.equal(second.resultType, 'input_required', JSON.stringify(second));
    const [again] = Object.keys(second.inputRequests);
    const good = { action: 'accept', content: { name: 'Ada' } };
    const last = await retry(second, { [again]: good, [key]: good, unknown: good });
    assert.equal(textOf(last), 'accept {"name":"Ada"}');
  });

  await on('by hand: twenty at once each get their own answer', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) =>
      client.complete('tools/call', { name: `${prefix}ask_once`, arguments: {} },
        () => ({ action: 'accept', content: { name: `number ${i}` } }), { id: 1 })));
    answers.forEach((answer, i) => assert.equal(textOf(answer), `accept {"name":"number ${i}"}`));
  });
}

/** The second generation of the official client does it by itself, in a mode of its own. */
export async function asksOfClient({ on, url, mode, prefix = '', server, token }) {
  const { client } = await connected(url, mode, { token });
  const call = async (name) => textOf({ result: await client.callTool({ name: prefix + name, arguments: {} }) });
  await on(`client 2.x, ${mode}: tools`, async () => {
    for (const [name, , words] of ASKS) assert.equal(await call(name), words, name);
  });
  await on(`client 2.x, ${mode}: a prompt and a resource`, async () => {
    const prompt = await client.getPrompt({ name: `${prefix}greet_asked`, arguments: {} });
    assert.equal(prompt.messages[0].content.text, 'greet my name');
    const read = await client.readResource({ uri: `${server.name}://items/asked` });
    assert.equal(read.contents[0].text, `${server.name}: my item`);
  });
  await on(`client 2.x, ${mode}: ten at once`, async () => {
    const said = await Promise.all(Array.from({ length: 10 }, (_, i) => call(ASKS[i % 5][0])));
    said.forEach((words, i) => assert.equal(words, ASKS[i % 5][2]));
  });
  await client.close();
}
