// What if: traffic of several principals, recorded once; then documents are drawn, and of each the table
// that `gate-sim replay --config` prints is compared with a judge of our own, who asks no gateway.
// More of them: WHAT_IF_DOCUMENTS=200 WHAT_IF_SEED=1000.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CheckingUpstream } from '../../simulations/peers/checking_upstream.mjs';
import { Gate, scratch } from '../../simulations/peers/gate.mjs';
import { once } from '../../simulations/peers/http.mjs';
import { knock, requiring } from '../../simulations/peers/identity.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { runToEnd } from '../../simulations/peers/process.mjs';
import { StatelessClient } from '../../simulations/peers/stateless_client.mjs';
import { sleep } from '../../simulations/peers/waiting.mjs';
import { drawer, drawnDocument } from './support/drawn_documents.mjs';
import { transportTo } from './support/sdk.mjs';
import { suite } from './support/suite.mjs';
import { Judge, understood } from './support/what_if_judge.mjs';

const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');

const [, , binary, sim] = process.argv;
const DOCUMENTS = Number(process.env.WHAT_IF_DOCUMENTS ?? 20);
const FIRST_SEED = Number(process.env.WHAT_IF_SEED ?? 1);
const ROUNDS = 8;
/** The same traffic, so many times as slow: it lasts for minutes, and an hour ends in its middle. */
const SLOWER = 30;

const IDS = ['a', 'b', 'c'];
const NAMES = ['echo', 'read_file', 'read_dir', 'write_file', 'list_users', 'boom'];

/** By name: issuer, claims, and by which client they come. */
const PRINCIPALS = [
  { by: 'sdk', sub: 'ann', groups: ['dev', 'ops'], claims: { org: 'acme' } },
  { by: 'raw', sub: 'ben', groups: ['dev'], claims: { org: 'acme' } },
  { by: 'raw', sub: 'cyd', groups: ['ops'], claims: { org: 'globex', level: 3 } },
  { by: 'stateless', sub: 'dora', groups: ['audit'], claims: { org: 'globex' } },
  { by: 'raw', sub: 'eve' },
  { by: 'sdk', sub: 'fay', groups: ['partners'], partner: true },
  { by: 'raw', sub: 'ben', groups: ['partners', 'dev'], partner: true },
];

const peopleOf = (providers) => ({
  subs: ['ann', 'ben', 'cyd', 'dora', 'eve', 'fay', 'nobody'],
  groups: ['dev', 'ops', 'audit', 'partners'],
  issuers: providers.map(({ issuer }) => issuer),
  claims: [{ org: 'acme' }, { org: 'globex' }, { level: 3 }],
});

/** One way to ask for every kind of client: `ask(method, name)`, and `leave()`. */
async function clientOf(gate, { by, ...who }, provider) {
  const token = provider.token({ ...who, lifetime: 18_000 });
  const params = (name) => ({ name, arguments: { text: 'x' } });
  if (by === 'stateless') {
    const client = new StatelessClient(gate, { token });
    return { ask: (method, name) => client.request(method, params(name)), leave: () => {} };
  }
  if (by === 'raw') {
    const session = await Session.open(gate, { token });
    return { ask: (method, name) => session.post({ jsonrpc: '2.0', id: name + Math.random(), method, params: params(name) }), leave: () => session.end() };
  }
  const client = new Client({ name: 'what-if', version: '1' });
  const { transport } = transportTo(gate.url, { token: () => token });
  await client.connect(transport);
  const ask = (method, name) => {
    const asked = method === 'tools/call' ? client.callTool(params(name)) : client.getPrompt(params(name));
    return asked.catch(() => {}); // refusals are what it is about
  };
  return { ask, leave: async () => { await transport.terminateSession(); await client.close(); } };
}

async function live(gate, providers) {
  const draw = drawer(FIRST_SEED);
  const [home, partner] = providers;
  const providerOf = (who) => (who.partner ? partner : home);
  const open = (who) => clientOf(gate, who, providerOf(who));
  const clients = [];
  for (const who of PRINCIPALS) clients.push(await open(who));
  // Each server has said something to each question once: that is what it says again.
  for (const space of IDS)
    for (const name of NAMES)
      for (const method of ['tools/call', 'prompts/get']) await clients[2].ask(method, `${space}__${name}`);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [i, client] of clients.entries()) {
      for (let burst = draw.between(1, 4); burst > 0; burst -= 1) {
        const method = draw.chance(0.8) ? 'tools/call' : 'prompts/get';
        const name = `${draw.chance(0.03) ? 'nowhere' : draw.one(IDS)}__${draw.one(NAMES)}`;
        await Promise.all(Array.from({ length: draw.between(1, 4) }, () => client.ask(method, name)));
      }
      if (round < 3 && draw.chance(0.2)) { // later some may come in no more
        await client.leave();
        clients[i] = await open(PRINCIPALS[i]);
      }
    }
    await knock(gate, round % 2 ? 'no token' : {});
    await once(gate.port, { method: 'GET', path: '/health' });
    await once(gate.port, { method: 'GET', path: '/api/explain?method=tools/call&name=a__echo', headers: { Authorization: `Bearer ${home.token({ sub: 'eve' })}` } });
    await sleep(200);
  }
  for (const client of clients) await client.leave();
}

/** The same recording with other times. */
function slower(text) {
  const [first, ...rest] = text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const last = Math.max(...rest.map(({ t }) => t ?? 0)) * SLOWER;
  const middle = 1000 * Math.floor(last / 2000); // µs, whole ms
  // Not before it really began: tokens were issued then.
  const hour = 3_600_000 * Math.ceil((Date.parse(first.started) + middle / 1000) / 3_600_000);
  const started = new Date(hour - middle / 1000).toISOString().replace('Z', '000Z');
  return [{ ...first, started }, ...rest.map((one) => (one.t === undefined ? one : { ...one, t: one.t * SLOWER }))]
    .map((one) => `${JSON.stringify(one)}\n`).join('');
}

/** The table, as `gate-sim replay --config --json` has it. */
function tableOf(requests) {
  const rows = new Map();
  for (const request of requests.filter(({ compared }) => compared)) {
    const key = `${request.was} -> ${request.now}`;
    rows.set(key, [...(rows.get(key) ?? []), request]);
  }
  return rows;
}

const described = ({ t, body, token, was, now, upstream, rule, method, target }) => {
  const { method: called = `${method} ${target}`, params } = body ? JSON.parse(body) : {};
  return { t, method: called, name: params?.name ?? '', principal: token?.claims?.sub ?? '', was, now, upstream, rule };
};

async function compared(file, text, document, known) {
  const written = path.join(scratch(), 'document.json');
  writeFileSync(written, JSON.stringify(document));
  const { code, out, err } = await runToEnd(sim, ['replay', file, '--config', written, '--json']);
  if (code === 2) return err;
  const told = JSON.parse(out);
  const recording = understood(text);
  const expected = tableOf(new Judge(document, recording, known).judgeAll());
  const seen = new Map(told.outcomes.map((row) => [`${row.recorded} -> ${row.replayed}`, row]));
  const wrong = [];
  for (const key of new Set([...expected.keys(), ...seen.keys()])) {
    const requests = expected.get(key) ?? [];
    const row = seen.get(key);
    if (requests.length !== (row?.count ?? 0))
      wrong.push(`${key}: ${requests.length} by the judge, ${row?.count ?? 0} by the replay; e.g. ${JSON.stringify(requests.slice(0, 3).map(described))} ${JSON.stringify(row?.examples)}`);
  }
  assert.equal(wrong.length, 0, `${wrong.join('\n')}\ndocument: ${JSON.stringify(document)}`);
  const changed = [...expected].filter(([key]) => key.split(' -> ')[0] !== key.split(' -> ')[1]);
  assert.equal(code, changed.length ? 1 : 0);
  assert.equal(told.requests, recording.requests.length);
  for (const [key, requests] of changed) {
    const told3 = seen.get(key).examples.map(({ t, method, name, principal }) => ({ t, method, name, principal }));
    const ours = requests.slice(0, 3).map(described).map(({ t, method, name, principal }) => ({ t, method, name, principal }));
    assert.deepEqual(told3, ours, key);
    for (const [i, { rule, upstream }] of seen.get(key).examples.entries()) {
      const wanted = requests[i];
      assert.deepEqual([key, rule, upstream], [key, wanted.rule ?? '', wanted.upstream ?? ''], JSON.stringify([described(wanted), document]));
    }
  }
  return [...expected].map(([key, { length }]) => [key, length]);
}

await suite('what if', async ({ step, defer }) => {
  const providers = await Promise.all([IdentityProvider.start(), IdentityProvider.start()]);
  const servers = await Promise.all(IDS.map((name) => CheckingUpstream.start({ name, names: NAMES })));
  for (const server of servers)
    server.on('tools/call', (call) => (call.params.name === 'boom' ? call.error('{"code":-32602,"message":"boom"}') : server.behave(call)));
  defer(function peersEnd() {
    return Promise.all([...providers, ...servers].map((peer) => peer.stop()));
  });
  const config = requiring(providers, {
    upstreams: servers.map(({ name, url }) => ({ id: name, url, namespace: name })),
    policy: { defaultDecision: 'allow', rules: [] },
    server: { introspection: { enabled: true }, rateLimit: { requestsPerMinute: 100_000, perPrincipalPerMinute: 75 } },
  });
  const file = path.join(scratch(), 'traffic.jsonl');
  const slow = path.join(scratch(), 'slow.jsonl');

  await step('traffic, recorded', async () => {
    const gate = await Gate.start(binary, config, { args: ['--record', file] });
    await live(gate, providers);
    await gate.end();
    if (process.env.WHAT_IF_KEEP) writeFileSync(path.join(process.env.WHAT_IF_KEEP, 'traffic.jsonl'), readFileSync(file));
    writeFileSync(slow, slower(readFileSync(file, 'utf8')));
    const { requests } = understood(readFileSync(file, 'utf8'));
    console.log(`        ${requests.length} requests: ${JSON.stringify([...tableOf(requests.map((one) => ({ ...one, now: one.was })))].map(([k, { length }]) => [k, length]))}`);
  });

  const known = new Set(IDS);
  for (const [name, of] of [['as it was', file], [`${SLOWER} times as slow`, slow]]) {
    const text = readFileSync(of, 'utf8');
    const base = JSON.parse(text.split('\n', 1)[0]).config;
    await step(`${name}: the document it was recorded with`, async () => {
      console.log(`        ${JSON.stringify(await compared(of, text, base, known))}`);
    });
    let refused = 0;
    for (let seed = FIRST_SEED, done = 0; done < DOCUMENTS; seed += 1) {
      const document = drawnDocument(seed, base, peopleOf(providers));
      await step(`${name}: the document of seed ${seed}`, async () => {
        const result = await compared(of, text, document, known);
        if (typeof result === 'string') {
          refused += 1;
          console.log(`        is none: ${result.trim()}`);
          assert.match(result, /\/tenants\//, 'others are good ones');
          assert.ok(refused <= DOCUMENTS, 'too many of them');
          return;
        }
        done += 1;
        console.log(`        ${JSON.stringify(result)}`);
      });
      if (seed > FIRST_SEED + 4 * DOCUMENTS) break;
    }
  }
});
