// The console page in a real browser: every page of it in light, dark and on a phone, for eyes, keyboards and readers;
// whoever signs in; what is down, what is much, and names made to hurt. The page comes from a real gateway; what it
// shows, from a front whose state the test chooses. Pictures of all of it are kept in the build folder, in console/.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { CheckingUpstream } from '../../simulations/peers/checking_upstream.mjs';
import { Gate } from '../../simulations/peers/gate.mjs';
import { once } from '../../simulations/peers/http.mjs';
import { SigningInProvider } from '../../simulations/peers/signing_in_provider.mjs';
import { StatelessClient } from '../../simulations/peers/stateless_client.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { Browser, packaged, requireBrowser } from './support/browser.mjs';
import { cores } from './support/console_cores.mjs';
import { ConsoleFront, HOSTILE, eventOf, reportOn, toolOf, upstreamOf } from './support/console_front.mjs';
import { countedSessions, shownSessions } from './support/console_sessions.mjs';
import { gateBinary, suite } from './support/suite.mjs';

requireBrowser();
const binary = gateBinary();
const SENT_AT_MOST = 120_000;
/** Held with GATE_TIMING only, as `make bench` sets it: it depends on the machine, and on what else runs there. */
const FIRST_CONTENT_MS = 300;
const LOADS = 5;

/** Of files that are others' work: the package, the file in it, and the SHA-256 of its bytes. */
const VENDORED = [
  ['vendor/lit-html.js', 'lit-html', 'lit-html.js', 'b878e7f95dec8a9b6e9b217faca6b6a11bad82ebc44c0caa77419ed83edd81f2'],
  ['vendor/lit-html.LICENSE.txt', 'lit-html', 'LICENSE', '2b66f9390afde29edfe4314daff93f01fb182e1178053e228120178987e5db75'],
  ['vendor/uPlot.iife.min.js', 'uplot', 'dist/uPlot.iife.min.js', '19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f'],
  ['vendor/uPlot.min.css', 'uplot', 'dist/uPlot.min.css', 'df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04'],
  ['vendor/uPlot.LICENSE.txt', 'uplot', 'LICENSE', '8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd'],
];
const VERSIONS = { 'lit-html': '3.3.3', uplot: '1.6.32' };

/** What each page is called, and where it is, in a federation as `fill` makes it. */
const PAGES = [
  ['overview', '#/', /upstreams? (is|are)|answer/],
  ['upstreams', '#/upstreams', /^Upstreams$/],
  ['upstream', '#/upstreams/service-003', /service-003/],
  ['map', '#/map', /^Map$/],
  ['catalogue', '#/catalogue', /^Catalogue$/],
  ['tool', '#/catalogue/tool/s1__search', /^Catalogue$/],
  ['activity', '#/activity', /^Activity$/],
  ['event', '#/activity?seq=1795598400000044', /^Activity$/],
  ['limits', '#/limits?method=tools%2Fcall&name=s1__search', /^Limits and policy$/],
];

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

const fetched = (gate, file, headers = {}) => once(gate.port, { method: 'GET', path: `/console/${file}`, headers });

function fill(front, count, events = 60) {
  const upstreams = Array.from({ length: count }, (_, i) => upstreamOf(i));
  front.report = reportOn(upstreams);
  front.events = Array.from({ length: events }, (_, i) => eventOf(i, upstreams));
  front.lists = {
    tools: upstreams.flatMap((each) => ['search', 'read_file', 'create_issue'].map((tool) => toolOf(each, tool))),
    prompts: [{ name: 's1__summary', description: 'Sums up.', arguments: [{ name: 'topic', required: true, description: 'What about.' }] }],
    resources: [{ uri: 'file:///handbook.md', name: 'handbook.md', mimeType: 'text/markdown', size: 4711 }],
    resourceTemplates: [{ uriTemplate: 'file:///{path}', name: 'files' }],
  };
  front.explain = (method, name) => ({ method, name, upstream: 'service-001', decision: 'allow', ruleId: 'readers', tenant: 'acme', breaker: 'closed', ...front.report.usage });
}

async function files({ step, gate }) {
  await step('the libraries are those of their npm packages, byte for byte, and of the versions that are named', async () => {
    for (const [file, name, inside, hash] of VENDORED) {
      const { version } = JSON.parse(packaged(name, 'package.json'));
      assert.equal(version, VERSIONS[name]);
      const bytes = packaged(name, inside);
      assert.equal(sha256(bytes), hash, `${name}/${inside}`);
      assert.equal((await fetched(gate, file)).body, bytes.toString(), file);
    }
  });

  await step('its files come with headers that keep a browser to them', async () => {
    const page = await fetched(gate, '');
    assert.equal(page.status, 200);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy');
    assert.match(policy, /^default-src 'self'; /);
    assert.doesNotMatch(policy, /unsafe|\*|data:/);
    assert.equal(page.headers.get('x-frame-options'), 'DENY');
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff');
    const folder = await once(gate.port, { method: 'GET', path: '/console' });
    assert.deepEqual([folder.status, folder.headers.get('location')], [308, 'console/']);
    for (const file of ['x', 'vendor/', '../console/', 'index.html/x']) assert.equal((await fetched(gate, file)).status, 404, file);
    assert.equal((await once(gate.port, { method: 'POST', path: '/console/', body: 'x' })).status, 405);
  });

  await step('they are sent packed, and not again', async () => {
    const plain = await fetched(gate, 'app.js');
    assert.equal(plain.headers.get('content-encoding'), undefined);
    const packed = await fetch(`http://127.0.0.1:${gate.port}/console/app.js`);
    assert.equal(packed.headers.get('content-encoding'), 'gzip');
    assert.equal(await packed.text(), plain.body);
    const again = await fetched(gate, 'app.js', { 'If-None-Match': plain.headers.get('etag') });
    assert.deepEqual([again.status, again.body, again.headers.get('content-length')], [304, '', undefined]);
  });

  await step('without server.console there is nothing', async () => {
    const closed = await Gate.start(binary, { upstreams: [{ id: 'a', url: 'http://127.0.0.1:9/mcp' }], server: { introspection: { enabled: true } } });
    for (const each of ['/console', '/console/', '/console/app.js'])
      assert.equal((await once(closed.port, { method: 'GET', path: each })).status, 404, each);
    await closed.end();
  });
}

/** Every page of a federation, looked at in each way. */
async function pages({ step, front, browser }) {
  const ways = [
    ['light', {}],
    ['dark', { dark: true }],
    ['phone', { width: 390, height: 844 }],
  ];
  for (const [way, look] of ways) {
    await step(`every page is calm, accessible and fits: ${way}`, async () => {
      const view = await browser.open(`${front.origin}/console/`, look);
      await view.heading();
      await view.assertCalm(front.origin);
      for (const [name, hash, heading] of PAGES) {
        await view.go(hash, heading);
        if (name === 'tool' || name === 'limits') await view.says('It would be sent.');
        await view.picture(`${name}-${way}`);
        await view.assertFits(name);
        await view.assertAccessible(`${name} (${way})`);
        await view.assertCalm(front.origin);
      }
      await view.close();
    });
  }

  await step('it takes little to load, and shows something at once', async () => {
    const view = await browser.open('about:blank');
    const network = await view.context.newCDPSession(view.page);
    await network.send('Network.enable');
    let bytes = 0;
    const urls = new Map();
    network.on('Network.requestWillBeSent', ({ requestId, request }) => urls.set(requestId, request.url));
    network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (urls.get(requestId)?.includes('/console/')) bytes += encodedDataLength;
    });
    await view.page.goto(`${front.origin}/console/`);
    await view.heading();
    console.log(`        ${bytes} bytes, first content after ${await view.firstContent()} ms, through a proxy`);
    assert.ok(bytes > 30_000 && bytes <= SENT_AT_MOST, `${bytes} bytes`);
    await view.close();
  });

  await step('the first page says what is wrong, and leads there', async () => {
    const view = await browser.open(`${front.origin}/console/`);
    assert.equal(await view.heading(), '1 of 12 upstreams is down, 1 is degraded.');
    await view.page.getByRole('link', { name: /service-003 does not answer: connect failed/ }).click();
    await view.heading(/service-003/);
    assert.match(view.page.url(), /#\/upstreams\/service-003$/);
    await view.page.goBack();
    await view.heading(/is down/);
    await view.close();
  });

  await step('the keyboard reaches everything: skip link, Ctrl K, arrows, Enter, Escape', async () => {
    const view = await browser.open(`${front.origin}/console/#/catalogue`);
    await view.says('s0__search');
    const { keyboard } = view.page;
    await keyboard.press('Tab');
    assert.equal(await view.page.evaluate(() => document.activeElement.textContent), 'Skip to content');
    await keyboard.press('Control+k');
    await keyboard.type('service-00');
    await view.picture('jump-light');
    await view.assertAccessible('the list of places');
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    assert.equal(await view.heading(/service/), 'service-001');
    assert.equal(await view.page.evaluate(() => document.activeElement.tagName), 'H1', 'who listens hears where they are');
    await keyboard.press('Control+k');
    await keyboard.press('Escape');
    assert.equal(await view.page.locator('dialog[open]').count(), 0);
    await keyboard.press('Tab');
    assert.notEqual(await view.page.evaluate(() => document.activeElement.tagName), 'BODY');
    await view.close();
  });

  await step('the catalogue is searched; what is not in it is explained', async () => {
    const view = await browser.open(`${front.origin}/console/#/catalogue?q=s3__+read`);
    await view.says('s3__read_file');
    assert.equal(await view.page.locator('.rows li').count(), 1, 'a deep link holds the search');
    await view.page.getByLabel('Search').fill('s3__hidden');
    front.explain = (method, name) => ({ method, name, decision: 'deny', ruleId: 'no-hidden', limits: [], budgets: [], reason: 'policy_denied', message: 'denied by policy' });
    await view.page.getByRole('link', { name: 'Why can I not call it?' }).click();
    await view.says('It would be refused. Policy denies it to you.');
    await view.says('no-hidden');
    await view.assertCalm(front.origin);
    await view.close();
  });

  await step('activity is live, filtered by the address, and stands still if asked to', async () => {
    const view = await browser.open(`${front.origin}/console/#/activity?outcome=error`);
    await view.heading(/Activity/);
    await until(() => front.streams > 0, 'the stream');
    const rows = view.page.locator('.events tbody tr');
    const before = await rows.count();
    front.happen({ ...eventOf(60, front.report.upstreams), outcome: 'error', error: 'the first new one' });
    front.happen({ ...eventOf(61, front.report.upstreams), outcome: 'ok', error: 'never shown' });
    await view.says('the first new one');
    assert.equal(await rows.count(), before + 1);
    await view.page.getByRole('button', { name: 'Hold still' }).click();
    front.happen({ ...eventOf(62, front.report.upstreams), outcome: 'error', error: 'the second new one' });
    await view.says('still, 1 more');
    assert.equal(await rows.count(), before + 1);
    await view.page.getByRole('button', { name: 'Go on' }).click();
    await view.says('the second new one');
    front.endStreams();
    await until(() => front.streams > 0, 'the page to come again');
    await view.close();
  });
}

async function signingIn({ step, front, browser, provider }) {
  front.hint = { authRequired: true, mcpPath: '/v1/mcp', resource: 'https://gate.example.com/tools/mcp', oauth: { issuer: provider.issuer, clientId: provider.clientId, scopes: ['openid'] } };
  front.token = 'good.token';
  const refused = /status of 401/;
  const storages = (view) => view.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));

  await step('a pasted token: none is asked for without, a bad one is said to be bad, a good one enters', async () => {
    front.asked = [];
    const view = await browser.open(`${front.origin}/console/#/upstreams`, { expected: refused });
    await view.heading(/Sign in/);
    assert.deepEqual(front.asked, ['GET /api/auth-hint'], 'nothing else is asked before');
    await view.picture('sign-in-light');
    await view.assertAccessible('signing in');
    const paste = async (text) => {
      await view.page.getByLabel('Token').fill(text);
      await view.page.getByRole('button', { name: 'Use this token' }).click();
    };
    await paste('wrong.token');
    await view.says('the token is not good here');
    await paste('ungültig');
    await view.says('That is no token');
    await paste('  Bearer good.token ');
    await view.heading(/^Upstreams$/);
    assert.doesNotMatch(await storages(view), /good\.token/);
    assert.doesNotMatch(view.page.url(), /good/);
    front.endStreams('token_expired');
    await view.heading(/Sign in/);
    await view.says('The token has expired.');
    assert.equal(await view.page.getByText('service-003').count(), 0, 'nothing stays of what was seen');
    await view.assertCalm(front.origin);
    await view.close();
  });

  await step('authorization code with PKCE: to the issuer and back to where one was', async () => {
    const view = await browser.open(`${front.origin}/console/#/limits`, { expected: refused, dark: true });
    await view.heading(/Sign in/);
    await view.picture('sign-in-dark');
    front.token = undefined;
    front.goodTokens = (token) => token?.split('.').length === 3;
    await view.page.getByRole('button', { name: /Sign in at/ }).click();
    await view.heading(/^Limits and policy$/);
    assert.equal(view.page.url(), `${front.origin}/console/#/limits`, 'no code stays in the address');
    const [asked] = provider.authorizations.slice(-1);
    assert.equal(asked.scope, 'openid');
    assert.equal(asked.resource, 'https://gate.example.com/tools/mcp');
    assert.equal(await storages(view), '[{},{},""]');
    await view.page.getByRole('button', { name: 'Sign out' }).click();
    await view.heading(/Sign in/);
    assert.deepEqual(view.faults, []);
    await view.close();
  });

  await step('who watched for the last viewer says nothing to the next one', async () => {
    front.failing.set('/api/activity', 429);
    const view = await browser.open(`${front.origin}/console/`, { expected: /status of 429/ });
    await view.heading(/Sign in/);
    const said = await view.page.evaluate(async () => {
      const [{ watchActivity }, { state }] = await Promise.all([import('./api.js'), import('./store.js')]);
      const watching = new AbortController();
      watchActivity(watching.signal, () => {});
      // It waits before it comes again.
      while (!state.streamNote) await new Promise((resolve) => { setTimeout(resolve, 10); });
      state.stream = 'of the next viewer';
      watching.abort();
      await new Promise((resolve) => { setTimeout(resolve, 50); });
      return state.stream;
    });
    assert.equal(said, 'of the next viewer');
    front.failing.clear();
    await view.close();
  });

  await step('an issuer that refuses, and an answer that nobody asked for', async () => {
    provider.refuses = 'access_denied';
    const view = await browser.open(`${front.origin}/console/`, { expected: refused });
    await view.page.getByRole('button', { name: /Sign in at/ }).click();
    await view.says('Signing in did not work: access_denied.');
    await view.page.goto(`${front.origin}/console/?code=stolen&state=forged`);
    await view.says('this answer belongs to no sign-in of this tab');
    assert.doesNotMatch(view.page.url(), /stolen/);
    await view.close();
    provider.refuses = undefined;
  });

  await step('whoever may not see the federation is told so, and sees the catalogue', async () => {
    front.hint = { authRequired: false, mcpPath: '/v1/mcp' };
    front.goodTokens = undefined;
    front.failing.set('/api/federation', 403);
    const view = await browser.open(`${front.origin}/console/`, { expected: /status of 403/ });
    await view.heading(/not shown to you/);
    await view.page.getByRole('navigation').getByRole('link', { name: 'Catalogue' }).click();
    await view.says('s0__search');
    front.failing.clear();
    await view.close();
  });
}

async function trouble({ step, front, browser }) {
  await step('five hundred upstreams are legible, and found', async () => {
    fill(front, 500, 1000);
    const view = await browser.open(`${front.origin}/console/`);
    await view.heading(/24 of 500 upstreams are down, 59 are degraded/);
    await view.picture('overview-500');
    await view.go('#/map', /^Map$/);
    await view.picture('map-500');
    await view.go('#/upstreams', /^Upstreams$/);
    assert.equal(await view.page.locator('tbody tr').count(), 500);
    await view.assertCalm(front.origin);
    await view.page.getByLabel('Search').fill('payments');
    await view.page.getByLabel('State').selectOption('down');
    await until(async () => (await view.page.locator('tbody tr').count()) < 20, 'the filter');
    await view.picture('upstreams-500');
    await view.assertAccessible('five hundred upstreams');
    await view.go('#/catalogue', /^Catalogue$/);
    await view.says('1,500 tools');
    await view.page.getByLabel('Search').fill('s499__');
    await view.says('s499__search');
    await view.close();
  });

  await step('names made to hurt do nothing, and push nothing aside', async () => {
    const names = Object.values(HOSTILE);
    const upstreams = names.map((text, i) => upstreamOf(i, { id: text, namespace: text, error: text, url: `javascript:${text}`, connected: i > 3, owner: { org: text, team: text, contact: text }, labels: { [text]: text } }));
    front.report = reportOn(upstreams, { viewer: { operator: true, principal: HOSTILE.turning, tenant: HOSTILE.markup }, version: HOSTILE.markup });
    front.events = names.flatMap((text, i) => [0, 1].map((n) => ({ ...eventOf(2 * i + n, upstreams), principal: text, name: text, method: text, error: text, outcome: n ? 'error' : text, ruleId: text, usage: { [text]: text } })));
    const schema = { type: 'object', properties: Object.fromEntries(names.map((text) => [text, { type: text, description: text, enum: [text] }])), required: 'no list' };
    front.lists = {
      tools: names.map((text) => ({ name: text, title: text, description: text, inputSchema: schema, annotations: text })),
      prompts: [{ name: HOSTILE.quotes, arguments: 'no list' }, { name: 7 }], resources: names.map((uri) => ({ uri, name: uri, mimeType: uri, size: uri })), resourceTemplates: [{}],
    };
    front.explain = () => ({ decision: HOSTILE.markup, reason: HOSTILE.markup, message: HOSTILE.long, upstream: HOSTILE.path, ruleId: HOSTILE.turning, limits: [], budgets: [] });
    for (const look of [{}, { width: 390, height: 844, dark: true }]) {
      const view = await browser.open(`${front.origin}/console/`, look);
      const way = look.width ? 'phone' : 'light';
      for (const [name, hash] of [['overview', '#/'], ['upstreams', '#/upstreams'], ['map', '#/map'], ['catalogue', '#/catalogue'], ['activity', '#/activity'], ['limits', '#/limits'],
        ...names.filter((_, i) => way === 'light' || i > 5).map((text, i) => [`upstream-${i}`, `#/upstreams/${encodeURIComponent(text)}`]),
        ...names.slice(0, 4).map((text, i) => [`tool-${i}`, `#/catalogue/tool/${encodeURIComponent(text)}`]),
        ['nowhere', '#/%E0%A4%A/<script>']]) {
        await view.go(hash);
        await view.assertFits(`${name} with hostile names`);
        await view.assertCalm(front.origin);
        if (/^(overview|upstreams|catalogue|activity|map|upstream-2|tool-0)$/.test(name)) await view.picture(`hostile-${name}-${way}`);
        assert.doesNotMatch(await view.page.title(), /^stolen/);
      }
      assert.equal(await view.page.locator('main img, main script, main iframe, [onerror], [onload], a[href^="javascript"]').count(), 0);
      if (way === 'light') await view.assertAccessible('hostile names');
      await view.assertCalm(front.origin);
      await view.close();
    }
  });

  await step('a gateway that goes away is said to be away, and noticed when it is back', async () => {
    fill(front, 3);
    const view = await browser.open(`${front.origin}/console/`, { expected: /Failed to load resource/, clock: true });
    await view.heading(/answer/);
    front.failing.set('/api/federation', 503);
    await view.page.clock.fastForward(10_000);
    await view.heading(/The gateway gives no report now/);
    await view.picture('away-light');
    front.failing.set('/api/federation', 'gone');
    await view.page.clock.fastForward(10_000);
    await view.heading(/The gateway does not answer/);
    front.failing.clear();
    await view.page.clock.fastForward(10_000);
    await view.heading(/All 3 upstreams answer/);
    await view.close();
  });
}

/** Nothing in between: a gateway with policy, groups, one upstream that lives and one that does not. */
async function together({ step, browser, provider, port }) {
  const gate = { origin: `http://127.0.0.1:${port}` };
  const view = await browser.open(`${gate.origin}/console/#/`, { expected: /status of (401|403)/ });
  provider.redirectUri = `${gate.origin}/console/`;
  provider.viewer = { sub: 'alice', groups: ['operators'] };

  await step('a real gateway: first content', async () => {
    const times = [];
    // Each in a window that has nothing of it yet. What the machine did meanwhile is in all but the best of them.
    for (let i = 0; i < LOADS; i += 1) {
      const fresh = await browser.open(`${gate.origin}/console/#/`, { expected: /status of 401/ });
      await fresh.heading(/Sign in/);
      times.push(await fresh.firstContent());
      await fresh.close();
    }
    const best = Math.min(...times);
    console.log(`        after ${best} ms, the best of ${times.join(', ')}`);
    assert.ok(best > 0, 'the browser tells when');
    if (process.env.GATE_TIMING) assert.ok(best <= FIRST_CONTENT_MS, `${best} ms`);
  });

  await step('a real gateway: sign in at the issuer, and see what is wrong', async () => {
    await view.heading(/Sign in/);
    await view.page.getByRole('button', { name: /Sign in at/ }).click();
    await view.heading(/^1 of 2 upstreams is down/);
    await view.page.getByRole('link', { name: /gone does not answer|gone are refused/ }).click();
    await view.heading(/gone/);
    await view.assertCalm(gate.origin, provider.origin);
    await view.picture('real-upstream');
  });

  await step('a real gateway: the catalogue is what the viewer sees; what is hidden is explained', async () => {
    await view.go('#/catalogue', /^Catalogue$/);
    await view.says('a__echo');
    assert.equal(await view.page.getByText('a__secret').count(), 0);
    await view.says('Without what gone would list');
    await view.page.getByRole('link', { name: 'tool a__echo' }).click();
    await view.says('It would be sent.');
    await view.picture('real-catalogue');
    await view.go('#/limits?method=tools%2Fcall&name=a__secret', /^Limits/);
    await view.says('It would be refused. Policy denies it to you.');
    await view.picture('real-limits');
    await view.go('#/map', /^Map$/);
    await view.picture('real-map');
  });

  await step('a real gateway: what others call is seen while it happens', async () => {
    await view.go('#/activity?principal=bob', /^Activity$/);
    await view.says('live');
    const bob = new StatelessClient({ port }, { token: provider.token({ sub: 'bob' }) });
    await bob.call('a__echo', { text: 'hello' });
    await bob.call('a__secret', { text: 'hello' });
    await view.page.locator('.events').getByText('a__echo').waitFor();
    await view.page.locator('.events').getByText('denied').first().waitFor();
    await view.picture('real-activity');
    await view.assertCalm(gate.origin, provider.origin);
  });

  await countedSessions({ step, view, provider, port });

  await step('a real gateway: who is in no group sees the own activity, and no upstream', async () => {
    await view.page.getByRole('button', { name: 'Sign out' }).click();
    await view.page.getByLabel('Token').fill(provider.token({ sub: 'bob' }));
    await view.page.getByRole('button', { name: 'Use this token' }).click();
    await view.heading(/^Activity$/);
    await view.page.locator('.events').getByText('a__echo').waitFor();
    assert.equal(await view.page.locator('.events').getByText('alice').count(), 0);
    await view.go('#/', /not shown to you/);
    await view.page.getByRole('button', { name: 'Sign out' }).click();
    await view.heading(/Sign in/);
  });
  await view.close();
}

await suite('console', async ({ step, defer }) => {
  const gateConfig = (provider) => ({
    upstreams: [{ id: 'a', url: 'http://127.0.0.1:9/mcp' }],
    auth: { mode: 'required', resource: provider.audience, issuers: [{ issuer: provider.issuer }] },
    server: { introspection: { enabled: true }, console: { enabled: true, oauth: { clientId: 'gate-console', issuer: provider.issuer } } },
  });
  const provider = await SigningInProvider.start();
  defer(() => provider.stop());
  const gate = await Gate.start(binary, gateConfig(provider));
  defer(function gateway() { return gate.end(); });
  const front = await ConsoleFront.start(gate);
  defer(() => front.stop());
  provider.redirectUri = `${front.origin}/console/`;
  const browser = await Browser.start(path.join(path.dirname(binary), '../console'));
  defer(function chromium() { return browser.stop(); });
  fill(front, 12);
  const all = { step, gate, front, browser, provider };
  await files(all);
  await cores(all);
  await pages(all);
  await shownSessions(all);
  fill(front, 12);
  await signingIn(all);
  await trouble(all);

  const upstream = await CheckingUpstream.start({ names: ['echo', 'secret'] });
  defer(() => upstream.stop());
  const real = await Gate.start(binary, {
    upstreams: [{ id: 'a', url: upstream.url, namespace: 'a' }, { id: 'gone', url: 'http://127.0.0.1:9/mcp', namespace: 'gone' }],
    auth: { mode: 'required', resource: provider.audience, issuers: [{ issuer: provider.issuer }] },
    policy: { defaultDecision: 'deny', rules: [{ id: 'echo-only', allow: [{ server: 'a', names: ['echo'] }, { server: 'gone' }] }] },
    server: { introspection: { enabled: true, groups: ['operators'] }, console: { enabled: true, oauth: { clientId: provider.clientId } } },
  });
  defer(function realGateway() { return real.end(); });
  await together({ ...all, port: real.port });
});
