// What the official Python client does with a server, of either generation and either SDK: the same steps directly and
// through the gateway.
import assert from 'node:assert/strict';
import { until } from '../../../simulations/peers/waiting.mjs';

export const SESSIONS = '2025-11-25';
export const STATELESS = '2026-07-28';

const textOf = ({ content }) => content.map(({ text }) => text).join('');
const LISTS = { tools: 'name', prompts: 'name', resources: 'uri', resource_templates: 'uriTemplate' };

async function plain({ on, connection, prefix, server }) {
  const call = (name, args) => connection.call(prefix + name, args);

  await on('a call whose arguments are repeated in headers, before it has seen a list', async () => {
    const args = { region: 'eu-ä', count: -7, plain: 'p' };
    assert.equal(textOf(await call('region', args)), server.sayRegion(args));
  });

  await on('it lists everything', async () => {
    const wanted = {
      tools: `${prefix}echo`, prompts: `${prefix}greet`, resources: `${server.name}://docs/1`,
      resource_templates: `${server.name}://items/{id}`,
    };
    for (const [what, field] of Object.entries(LISTS)) {
      const items = (await connection.do('list', { what })).map((item) => item[field]);
      assert.ok(items.includes(wanted[what]), `${wanted[what]} among ${items}`);
    }
  });

  await on('it calls tools: plain, structured, failed, ten at once', async () => {
    assert.equal(textOf(await call('echo', { text: 'ä☃𝄞' })), `${server.name}: ä☃𝄞`);
    assert.deepEqual((await call('typed')).structuredContent, { sum: 3 });
    assert.equal((await call('fails')).isError, true);
    await assert.rejects(async () => assert.notEqual((await call('none')).isError, true));
    const said = await Promise.all(Array.from({ length: 10 }, (_, i) => call('echo', { text: `${i}` })));
    assert.deepEqual(said.map(textOf), said.map((_, i) => `${server.name}: ${i}`));
  });

  await on('progress comes to the call that it is of', async () => {
    const told = [2, 3, 4].map((steps) => call('progress', { steps }));
    await Promise.all(told);
    for (const [i, { progress }] of told.entries()) {
      await until(() => progress.length >= i + 2, `the progress of ${i + 2} steps`);
      assert.deepEqual(progress, Array.from({ length: i + 2 }, (_, n) => [n + 1, i + 2, `step ${n + 1}`]));
    }
  });

  await on('reads, prompts and completion', async () => {
    const read = async (path) => (await connection.do('read', { uri: `${server.name}://${path}` })).contents[0];
    assert.equal((await read('docs/1')).text, `${server.name}: the first`);
    assert.equal((await read('docs/2')).blob, 'AAEC/w==');
    assert.equal((await read('items/7')).text, `${server.name}: item 7`);
    const missing = await read('docs/none').catch((error) => error);
    // The Python server 1.x has no code for it.
    assert.ok([-32002, -32602, 0].includes(missing.code), String(missing));
    const { messages } = await connection.do('prompt', { name: `${prefix}greet`, arguments: { who: 'Ada' } });
    assert.equal(messages[0].content.text, 'greet Ada');
    const about = { name: `${prefix}greet`, argument: 'who', value: 'A' };
    assert.deepEqual(await connection.do('complete', about), ['A-one', 'A-two']);
  });
}

/** What they ask besides: each server in its own way, see the callers. */
const BESIDES = { roots: 'file:///work', ask_url: 'accept to come' };

async function questions({ on, connection, prefix, server, besides }) {
  const call = async (name, args) => textOf(await connection.call(prefix + name, args));
  await on('it is asked in the middle of its calls', async () => {
    const user = 'accept {"name":"my name"}';
    assert.equal(await call('ask_once'), user);
    assert.equal(await call('sample'), 'the model says words');
    const said = await Promise.all(['ask_once', 'echo', 'sample', 'ask_once'].map((name) => call(name, name === 'echo' ? { text: 'x' } : {})));
    assert.deepEqual(said, [user, `${server.name}: x`, 'the model says words', user]);
  });
  for (const name of besides) await on(`it is asked by ${name}`, async () => assert.equal(await call(name), BESIDES[name]));
}

async function messages({ on, connection, prefix, server, levels, asks }) {
  if (!levels) return;
  await on('it hears the log of a call', async () => {
    if (asks) await connection.do('level', { level: 'info' });
    connection.heard.length = 0;
    await connection.call(`${prefix}log`);
    const heard = () => connection.heard.filter(({ method }) => method === 'notifications/message').map(({ params }) => params.level);
    await until(() => heard().length >= levels.length, `${levels} of ${server.name}`);
    assert.deepEqual(heard(), levels);
  });
}

/** So often it is said again: the gateway tells of lists when nothing was said of them for a moment. */
const AGAIN_MS = 500;

/** Has the server say that something changed until the client has heard it: whoever listens may be a moment late. */
async function heardOf(connection, wanted, tell) {
  const has = ({ method, params }, [what, uri]) => method === `notifications/${what}` && (!uri || params.uri === uri);
  let next = 0;
  await until(async () => {
    if (performance.now() > next) {
      await tell();
      next = performance.now() + AGAIN_MS;
    }
    return wanted.every((one) => connection.heard.some((heard) => has(heard, one)));
  }, `the client to hear ${wanted}`);
}

async function changes({ on, connection, prefix, server, version, subscribes }) {
  const uri = `${server.name}://docs/1`;
  const changed = (what) => () => server.change(what, (args) => connection.call(`${prefix}change`, args));

  if (version === STATELESS)
    await on('it listens for what there is', async () => {
      const honoured = await connection.do('listen', { uris: [uri] });
      const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
      assert.deepEqual(honoured, subscribes ? { ...lists, resourceSubscriptions: [uri] } : lists);
    });
  else if (subscribes) await on('it subscribes to a resource', () => connection.do('subscribe', { uri }));
  else await on('it can not subscribe to a resource', () => assert.rejects(connection.do('subscribe', { uri }), { code: -32601 }));

  await on('it hears that lists have changed', async () => {
    const lists = ['tools', 'prompts', 'resources'];
    await heardOf(connection, lists.map((list) => [`${list}/list_changed`]), async () => {
      for (const list of lists) await changed(list)();
    });
  });

  if (subscribes)
    await on('it hears of an update of its resource', () =>
      heardOf(connection, [['resources/updated', uri]], changed(uri)));

  if (version === STATELESS) await on('it stops to listen', () => connection.do('deaf'));
  else if (subscribes) await on('it unsubscribes', () => connection.do('unsubscribe', { uri }));
}

async function cancellation({ on, client, connection, prefix, server }) {
  await on('what it does not want any more is ended', async () => {
    const before = { began: server.began(), ended: server.abandoned() };
    const call = connection.do('abandoned', { name: `${prefix}slow`, arguments: {} });
    call.catch(() => {});
    await until(() => server.began() > before.began, 'the call at the server');
    client.cancel(call);
    await assert.rejects(call, { kind: 'Cancelled' });
    await until(() => server.abandoned() > before.ended, 'the cancellation at the server');
    assert.equal(textOf(await connection.call(`${prefix}echo`, { text: 'x' })), `${server.name}: x`);
  });
}

/**
 * All steps of `client`, in its `mode`, with `server` at `url`, where names have `prefix`. `version` is what has to come
 * of it; `subscribes`: can it hear of one resource there? `levels`: what it hears of the log, nothing if there is none;
 * `asks`: if it asks for it first; `besides`: tools that ask for other things.
 */
export async function pythonExchange({ on, client, mode, url, prefix = '', version, ...about }) {
  const connection = await on('it connects', async () => {
    const opened = await client.open(url, mode);
    assert.equal(opened.version, version);
    // One that insists on its version asks nobody what there is.
    if (mode !== STATELESS)
      for (const what of ['tools', 'prompts', 'resources', 'completions']) assert.ok(opened.capabilities[what], what);
    return opened;
  });
  if (!connection) return;
  const all = { on, client, connection, prefix, version, ...about };
  for (const part of [plain, questions, messages, changes, cancellation]) await part(all);
  await on('it closes, and could read all that it got', async () => {
    await connection.do('close');
    // The Python servers answer what was cancelled; their first client did not expect that.
    assert.deepEqual(connection.broken.filter((what) => !what.includes('Request cancelled')), []);
  });
}
