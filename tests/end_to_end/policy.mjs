// Who may do what: principals of every kind against three upstreams with the same names, every list
// and every call compared with a judge of our own; tenants; what belongs to one principal and is asked
// for by another.
import assert from 'node:assert/strict';
import { CheckingUpstream } from '../../simulations/peers/checking_upstream.mjs';
import { Gate, sample } from '../../simulations/peers/gate.mjs';
import { knock, requiring } from '../../simulations/peers/identity.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { describes, judgeName, judgeTemplate, means, meet } from './support/judge.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();

const NAMES = [
  'echo', 'read_file', 'read_', 'readfile', 'Read_file', 'user_list', 'list', 'xyz', 'x1y2z', 'xzy', 'x1y2z3',
  'write.file',
];
const urisOf = (id) => [`${id}://docs/1`, `${id}://docs/secret/2`, `${id}://doc`, `${id}://pub/docs/3`, `${id}://other`];
const templatesOf = (id) =>
  ['docs/{x}', 'doc{x}', '{kind}/docs/{x}', 'private/{x}', 'p{x}'].map((rest) => `${id}://${rest}`);

/** `partner`: the issuer of the partners. */
const policyOf = (partner) => ({
  rules: [
    { id: 'nobody', subjects: {}, allow: [{ server: '*' }] },
    { id: 'admins', subjects: { subs: ['admin', 'root'] }, allow: [{ server: '*' }] },
    {
      id: 'readers',
      subjects: { groups: ['readers', 'auditors'] },
      allow: [
        { server: 'a', names: ['read_*', '*_list', 'x*y*z', 'a://docs/*'] },
        { server: 'b', methods: ['tools/call'], names: ['read_file', 'write.file'] },
        { server: 'c', methods: ['prompts/get', 'resources/read'] },
      ],
    },
    {
      id: 'clerks',
      subjects: { claims: { department: 'books', level: 3, active: true, roles: 'clerk' } },
      allow: [{ server: 'c', names: ['*'] }, { server: 'b', methods: ['tools/call', 'prompts/get'], names: ['*e*'] }],
    },
    {
      id: 'partners',
      subjects: { issuers: [partner.issuer], groups: ['partners'] },
      allow: [{ server: 'b', names: ['b://*/docs/*', 'list', 'x**y'] }, { server: 'a', names: ['a://*/docs/*'] }],
    },
    { id: 'public', allow: [{ server: 'a', methods: ['tools/call'], names: ['echo'] }] },
    { id: 'late', subjects: { subs: ['admin'] }, allow: [{ server: 'a', names: ['echo'] }] },
  ],
});

/** By name, the claims of their tokens. */
const principalsOf = (home, partner) => {
  const clerk = { department: 'books', level: 3, active: true, roles: ['clerk', 'other'] };
  return {
    admin: [home, { sub: 'admin' }],
    reader: [home, { sub: 'rita', groups: ['x', 'readers'] }],
    'reader in a text': [home, { sub: 'rob', groups: 'readers' }],
    clerk: [home, { sub: 'carl', ...clerk }],
    'clerk of another level': [home, { sub: 'cleo', ...clerk, level: '3' }],
    'clerk and reader': [home, { sub: 'cora', ...clerk, groups: ['auditors'] }],
    partner: [partner, { sub: 'pat', groups: ['partners'] }],
    'partner of the wrong house': [home, { sub: 'pia', groups: ['partners'] }],
    'admin of the wrong name': [partner, { sub: 'Admin' }],
    stranger: [home, { sub: 'sam' }],
  };
};

const tokenOf = ([provider, { sub, ...claims }]) => provider.token({ sub, claims });
const claimsOf = ([provider, claims]) => ({ iss: provider.issuer, ...claims });

/** The lists, the call that an item of each invites to, and what stands in it. */
const KINDS = {
  tools: { list: 'tools/list', member: 'tools', call: 'tools/call', items: () => NAMES, prefixed: true },
  prompts: { list: 'prompts/list', member: 'prompts', call: 'prompts/get', items: () => NAMES, prefixed: true },
  resources: { list: 'resources/list', member: 'resources', call: 'resources/read', items: urisOf, prefixed: false },
};
const IDS = ['a', 'b', 'c'];
const exposed = (id, name, prefixed) => (prefixed ? `${id}__${name}` : name);
const params = (name, prefixed) => (prefixed ? { name } : { uri: name });

/** What an audit line says of a judgement. */
const judgementIn = ({ method, name, decision, ruleId, outcome, principal: sub, issuer: iss }) =>
  ({ method, name, decision, ruleId, outcome, sub, iss });

function assertDenied({ status, error }, method, name) {
  const said = [status, error?.code, error?.message, error?.data?.gate?.reason];
  assert.deepEqual(said, [200, -32042, `policy denied ${method} "${name}"`, 'policy_denied']);
}

async function matrix({ step, gate, principals, policy }) {
  for (const [who, principal] of Object.entries(principals)) {
    const claims = claimsOf(principal);
    const session = await Session.open(gate, { token: tokenOf(principal) });
    for (const { list, member, call, items, prefixed } of Object.values(KINDS)) {
      const judged = (id) => (name) =>
        ({ name: exposed(id, name, prefixed), ...judgeName(policy, claims, id, call, name) });
      const all = IDS.flatMap((id) => items(id).map(judged(id)));

      await step(`${who}: ${list} shows what ${call} allows, in order`, async () => {
        const shown = (await session.list(list, member)).items.map(({ name, uri }) => (prefixed ? name : uri));
        assert.deepEqual(shown, all.filter(({ allowed }) => allowed).map(({ name }) => name));
      });

      await step(`${who}: ${call} is judged, and the judgement audited`, async () => {
        const events = await gate.eventsOf(async () => {
          for (const { name, allowed } of all) {
            const answer = await session.request(call, params(name, prefixed));
            if (allowed) assert.ok(answer.result, `${name}: ${JSON.stringify(answer.error)}`);
            else assertDenied(answer, call, name);
          }
        });
        const { iss, sub } = claims;
        assert.deepEqual(events.map(judgementIn), all.map(({ name, allowed, rule: ruleId }) => {
          const [decision, outcome] = allowed ? ['allow', 'ok'] : ['deny', 'denied'];
          return { method: call, name, decision, ruleId, outcome, sub, iss };
        }));
      });
    }

    await step(`${who}: templates are shown if there is something behind them`, async () => {
      const { items } = await session.list('resources/templates/list', 'resourceTemplates');
      const behind = (id) => (uri) => judgeTemplate(policy, claims, id, 'resources/read', uri).allowed;
      const expected = IDS.flatMap((id) => templatesOf(id).filter(behind(id)));
      assert.deepEqual(items.map(({ uriTemplate }) => uriTemplate), expected);
    });

    await step(`${who}: what templates describe is judged by its URI`, async () => {
      for (const id of IDS)
        for (const uri of [`${id}://docs/77`, `${id}://private/7`, `${id}://pub/docs/9`]) {
          const { allowed } = judgeName(policy, claims, id, 'resources/read', uri);
          const { result, error } = await session.request('resources/read', { uri });
          assert.equal(error?.code, allowed ? undefined : -32042, uri);
          if (allowed) assert.equal(result.contents[0].text, `${id}: ${uri}`);
        }
    });
    await session.end();
  }
}

async function together({ step, gate, principals, policy, servers }) {
  await step('all of them at once, again and again: nobody sees a list of somebody else', async () => {
    const rounds = Object.values(principals).map(async (principal) => {
      const session = await Session.open(gate, { token: tokenOf(principal) });
      const expected = IDS.flatMap((id) => NAMES.filter((name) =>
        judgeName(policy, claimsOf(principal), id, 'tools/call', name).allowed).map((name) => `${id}__${name}`));
      for (let i = 0; i < 8; i += 1) {
        const { items } = await session.list('tools/list', 'tools');
        assert.deepEqual(items.map(({ name }) => name), expected, principal[1].sub);
      }
    });
    await Promise.all(rounds);
  });

  await step('what is denied never reaches an upstream', async () => {
    const stranger = await Session.open(gate, { token: tokenOf(principals.stranger) });
    const before = servers.map(({ calls }) => calls.length);
    for (const name of ['b__echo', 'c__read_file', 'b__no-such-tool'])
      assert.equal((await stranger.call(name)).error.code, -32042, name);
    assert.deepEqual(servers.map(({ calls }) => calls.length), before);
  });

  await step('the rights are those of the token of the request, within a session too', async () => {
    const session = await Session.open(gate, { token: tokenOf(principals.stranger) });
    const names = async () => (await session.list('tools/list', 'tools')).items.map(({ name }) => name);
    assert.deepEqual(await names(), ['a__echo']);
    const [home, claims] = principals.stranger;
    session.token = home.token({ sub: claims.sub, groups: ['readers'] });
    assert.ok((await names()).includes('b__read_file'));
    assert.ok((await session.call('b__read_file')).result);
    session.token = tokenOf(principals.stranger);
    assert.deepEqual(await names(), ['a__echo']);
    assert.equal((await session.call('b__read_file')).error.code, -32042);
  });

  await step('a name of no upstream is unknown, not denied', async () => {
    const stranger = await Session.open(gate, { token: tokenOf(principals.stranger) });
    assert.equal((await stranger.call('nowhere__echo')).error.code, -32043);
  });
}

async function besideCalls({ step, gate, principals }) {
  const reader = await Session.open(gate, { token: tokenOf(principals.reader) });
  const code = async (session, method, about) => (await session.request(method, about)).error?.code;
  const complete = (ref) => ({ ref, argument: { name: 'x', value: 'y' } });
  const prompt = (name) => complete({ type: 'ref/prompt', name });
  const template = (uri) => complete({ type: 'ref/resource', uri });

  await step('completion is for those who may use what is completed', async () => {
    assert.equal(await code(reader, 'completion/complete', prompt('a__read_file')), undefined);
    assert.equal(await code(reader, 'completion/complete', prompt('c__echo')), undefined);
    assert.equal(await code(reader, 'completion/complete', template('a://docs/{x}')), undefined);
    for (const name of ['a__echo', 'b__read_file']) {
      const { error } = await reader.request('completion/complete', prompt(name));
      assert.equal(error?.code, -32042, name);
      assert.match(error.message, new RegExp(`^policy denied [a-z/]+ "${name}"$`));
    }
    assert.equal(await code(reader, 'completion/complete', template('b://docs/{x}')), -32042);
  });

  await step('subscriptions are judged, and end with the right to them', async () => {
    const session = await Session.open(gate, { token: tokenOf(principals.reader) });
    assert.equal(await code(session, 'resources/subscribe', { uri: 'a://docs/1' }), undefined);
    for (const uri of ['a://other', 'b://docs/1']) {
      const { error } = await session.request('resources/subscribe', { uri });
      assert.deepEqual([error?.code, error?.message], [-32042, `policy denied resources/subscribe "${uri}"`]);
    }
    const [home, { sub }] = principals.reader;
    session.token = home.token({ sub });
    assert.equal(await code(session, 'resources/read', { uri: 'a://docs/1' }), -32042, 'not a reader any more');
    assert.equal(await code(session, 'resources/subscribe', { uri: 'a://docs/1' }), -32042);
    assert.equal(await code(session, 'resources/unsubscribe', { uri: 'a://docs/1' }), -32042, 'there is none any more');
  });

  await step('a cursor is for the principal who got it', async () => {
    const admin = await Session.open(gate, { token: tokenOf(principals.admin) });
    const { nextCursor: cursor } = (await admin.request('tools/list', {})).result;
    assert.ok(cursor);
    const { error } = await reader.request('tools/list', { cursor });
    assert.deepEqual([error?.code, error?.data?.gate?.reason], [-32602, 'cursor_invalid']);
    assert.ok((await admin.request('tools/list', { cursor })).result);
  });

  await step('a cursor is not for another principal of the same rights either', async () => {
    const [root, admin] = await Promise.all(['root', 'admin'].map((sub) =>
      Session.open(gate, { token: principals.admin[0].token({ sub }) })));
    const { nextCursor: cursor } = (await admin.request('tools/list', {})).result;
    assert.equal(await code(root, 'tools/list', { cursor }), -32602);
  });

  await step('a task is for the principal who minted it', async () => {
    const mint = (session, name) => session.request('tools/call', { name, task: { ttl: 60_000 } });
    const { result, error } = await mint(reader, 'a__read_file');
    assert.ok(result, JSON.stringify(error));
    const { taskId } = result.task;
    const again = await Session.open(gate, { token: tokenOf(principals.reader) });
    const listed = async (session) => (await session.list('tasks/list', 'tasks')).items.map((task) => task.taskId);
    assert.ok((await listed(again)).includes(taskId), 'of the principal, in whatever session');
    assert.equal(await code(again, 'tasks/get', { taskId }), undefined);
    for (const who of ['admin', 'stranger', 'clerk and reader']) {
      const other = await Session.open(gate, { token: tokenOf(principals[who]) });
      for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
        assert.equal(await code(other, method, { taskId }), -32002, `${who} ${method}`);
      assert.ok(!(await listed(other)).includes(taskId), who);
    }
    assert.equal((await mint(reader, 'b__echo')).error.code, -32042);
    assert.equal((await again.request('tasks/cancel', { taskId })).result?.status, 'cancelled');
  });
}

async function defaults({ step, home, upstreams }) {
  for (const [defaultDecision, shown, judged] of [
    ['deny', 0, ['deny', undefined, 'denied']],
    ['allow', IDS.length * NAMES.length, ['allow', undefined, 'ok']],
  ])
    await step(`without rules the default decides: ${defaultDecision}`, async () => {
      const policy = { defaultDecision, rules: [] };
      const own = await Gate.start(binary, requiring([home], { upstreams, policy }), { token: home.token() });
      const session = await Session.open(own, { token: home.token() });
      assert.equal((await session.list('tools/list', 'tools')).items.length, shown);
      const [{ decision, ruleId, outcome }] = await own.eventsOf(() => session.call('a__echo'));
      assert.deepEqual([decision, ruleId, outcome], judged);
      await own.end();
    });
}

const TENANTS = [
  { id: 'acme', subjects: { claims: { org: 'acme' } }, upstreams: ['a', 'b'] },
  { id: 'beta', subjects: { groups: ['beta'] }, upstreams: ['c'] },
  { id: 'olga', subjects: { subs: ['olga'] } },
];

async function tenants({ step, home, upstreams, servers }) {
  const fence = home.token({ sub: 'fence' });
  const own = await Gate.start(binary, requiring([home], { upstreams, tenants: TENANTS }), { token: fence });
  const acme = () => home.token({ sub: 'ann', claims: { org: ['acme', 'other'] } });
  const open = (about) => Session.open(own, { token: home.token(about) });
  const session = await Session.open(own, { token: acme() });
  const shownTo = async (who) => new Set((await who.list('tools/list', 'tools')).items.map(({ name }) => name[0]));

  await step('a tenant sees its upstreams, and others none of them less', async () => {
    assert.deepEqual([...(await shownTo(session))], ['a', 'b']);
    assert.deepEqual([...(await shownTo(await open({ sub: 'bo', groups: ['beta'] })))], ['c']);
    for (const sub of ['olga', 'of no tenant']) assert.deepEqual([...(await shownTo(await open({ sub })))], IDS);
    const { items } = await session.list('resources/list', 'resources');
    assert.deepEqual(items.map(({ uri }) => uri), [...urisOf('a'), ...urisOf('b')]);
  });

  await step('nothing tells an invisible upstream from none', async () => {
    const words = async (method, about) => {
      const { error } = await session.request(method, about);
      return JSON.stringify(error).replaceAll(/c__echo|z__echo|[cz]:\/\/docs\/1/g, 'NAME');
    };
    for (const method of ['tools/call', 'prompts/get']) {
      assert.equal((await session.request(method, { name: 'c__echo' })).error.code, -32043);
      assert.equal(await words(method, { name: 'c__echo' }), await words(method, { name: 'z__echo' }));
    }
    const [ofC, ofNone] = [{ uri: 'c://docs/1' }, { uri: 'z://docs/1' }];
    assert.equal(await words('resources/read', ofC), await words('resources/read', ofNone));
    const { instructions } = session.initialized;
    assert.ok(!instructions?.includes('words of c'), instructions);
    assert.ok(instructions?.includes('words of a'), instructions);
  });

  await step('a dead upstream is missed only by those who see it', async () => {
    await servers[2].stop();
    const beta = await open({ sub: 'bo', groups: ['beta'] });
    const { result } = await session.request('tools/list', {});
    assert.ok(!JSON.stringify(result._meta ?? {}).includes('"c"'), JSON.stringify(result._meta));
    assert.equal((await beta.call('c__echo')).error.code, -32041);
    await servers[2].listen();
  });

  await step('audit lines and metrics know the tenant', async () => {
    const before = await own.metrics();
    const events = await own.eventsOf(async () => {
      for (let i = 0; i < 3; i += 1) assert.ok((await session.call('a__echo')).result);
      await session.call('c__echo');
      await (await open({ sub: 'of no tenant' })).call('a__echo');
    });
    const calls = events.filter(({ method }) => method === 'tools/call');
    assert.deepEqual(calls.map(({ tenant }) => tenant), ['acme', 'acme', 'acme', 'acme', undefined]);
    const after = await own.metrics();
    const grew = (name, labels) => (sample(after, name, labels) ?? 0) - (sample(before, name, labels) ?? 0);
    assert.equal(grew('gate_tenant_requests_total', { tenant: 'acme', outcome: 'ok' }), 3);
    assert.equal(grew('gate_tenant_requests_total', { tenant: 'acme', outcome: 'error' }), 1);
    assert.equal(grew('gate_tenant_upstream_calls_total', { tenant: 'acme' }), 3);
    assert.equal(grew('gate_tenant_upstream_calls_total', { tenant: 'beta' }), 0);
  });

  await step('a principal of two tenants is refused', async () => {
    const token = home.token({ sub: 'zoe', groups: ['beta'], claims: { org: 'acme' } });
    const events = await own.eventsOf(async () => {
      const answer = await knock(own, token);
      assert.equal(answer.status, 403, answer.body);
      const { code, data } = JSON.parse(answer.body).error;
      assert.deepEqual([code, data?.gate?.reason], [-32000, 'tenant_ambiguous']);
    });
    assert.deepEqual(events.map(({ method, outcome }) => [method, outcome]), [['http', 'denied']]);
    const later = await open({ sub: 'zoe', claims: { org: 'acme' } });
    later.token = token;
    assert.equal((await later.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')).status, 403);
  });

  await own.end();
}

await suite('policy and tenants', async ({ step, defer }) => {
  const [home, partner, ...servers] = await Promise.all([
    IdentityProvider.start(), IdentityProvider.start(),
    ...IDS.map((id) => CheckingUpstream.start({
      name: id, names: NAMES, uris: urisOf(id), templates: templatesOf(id), instructions: `words of ${id}`,
    })),
  ]);
  defer(function serversEnd() { return Promise.all([home, partner, ...servers].map((server) => server.stop())); });

  await step('the judge can judge', () => {
    const patterns = [
      ['a*', 'a', true], ['*', '', true], ['a', 'A', false], ['a.c', 'abc', false], ['x*y*z', 'x1y2z3', false], ['**', 'b', true],
    ];
    for (const [pattern, text, fits] of patterns) assert.equal(describes(pattern, text), fits, `${pattern} ${text}`);
    const pairs = [['a*', '*b', true], ['a*', 'b*', false], ['a://*/x', 'a://y/*', true], ['ab', 'a', false]];
    for (const [one, other, both] of pairs) assert.deepEqual([meet(one, other), meet(other, one)], [both, both], one);
    assert.ok(!means({}, { sub: 'x' }));
    assert.ok(means(undefined, {}));
  });

  const policy = policyOf(partner);
  const upstreams = servers.map(({ url, name }) => ({ id: name, url, namespace: name }));
  const principals = principalsOf(home, partner);
  const config = requiring([home, partner], { upstreams, policy, routing: { pageSize: 7 } });
  const gate = await Gate.start(binary, config, { threads: 2, token: home.token({ sub: 'fence' }) });
  const all = { step, gate, home, principals, policy, servers, upstreams };
  await matrix(all);
  await together(all);
  await besideCalls(all);
  await step('the gateway ends', () => gate.end());
  await defaults(all);
  await tenants(all);
});
