// The console page of gate-hooks in a real browser, in front of the real program: webhooks are made, tested, switched,
// rotated and deleted in it, dead letters are retried, and texts that were made to hurt stay texts. Every page of it in
// light, dark and on a phone. Pictures are kept in the build folder, in hooks_console/. Arguments: gate-hooks.
import assert from 'node:assert/strict';
import path from 'node:path';
import { Hooks, TOKEN } from '../../simulations/peers/hooks.mjs';
import { once } from '../../simulations/peers/http.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { WebhookReceiver } from '../../simulations/peers/webhook_receiver.mjs';
import { Browser, packaged, requireBrowser } from './support/browser.mjs';
import { HOSTILE } from './support/console_front.mjs';
import { gateBinary, suite } from './support/suite.mjs';

requireBrowser();
const binary = gateBinary();
const NARROW = { width: 360, height: 780 };
const WAYS = [['light', {}], ['dark', { dark: true }], ['phone', NARROW]];

/** Signs in as people do. */
async function open(browser, hooks, look = {}, hash = '') {
  const view = await browser.open(`${hooks.url}/console/${hash}`, { expected: /status of 401|status of 400|status of 404/, ...look });
  await view.heading(/Sign in/);
  await view.page.getByLabel('Token').fill(TOKEN);
  await view.page.getByRole('button', { name: 'Use this token' }).click();
  await view.heading(/^(?!Sign in)/);
  return view;
}

const byRole = (view, role, name) => view.page.getByRole(role, { name });
const dialog = (view) => view.page.getByRole('dialog');

async function files({ step, hooks }) {
  await step('its files come with headers that keep a browser to them; the library is that of its package', async () => {
    const page = await once(hooks.port, { method: 'GET', path: '/console/' });
    assert.equal(page.status, 200);
    const policy = page.headers.get('content-security-policy');
    assert.match(policy, /^default-src 'self'; connect-src 'self'; /);
    assert.doesNotMatch(policy, /unsafe|\*|data:|http/);
    assert.doesNotMatch(page.body, /<script>|<style|style=| on[a-z]+=/, 'nothing is inline');
    const library = await once(hooks.port, { method: 'GET', path: '/console/vendor/lit-html.js' });
    assert.equal(library.body, packaged('lit-html', 'lit-html.js').toString());
    for (const file of ['x', 'jump.js', '../console/', 'index.html/x']) assert.equal((await once(hooks.port, { method: 'GET', path: `/console/${file}` })).status, 404, file);
  });
}

async function signingIn({ step, hooks, browser }) {
  await step('a token is asked for, kept for the tab alone, and gone when one signs out', async () => {
    const view = await browser.open(`${hooks.url}/console/`, { expected: /status of 401/ });
    await view.heading(/Sign in/);
    await view.assertAccessible('the way in');
    await view.picture('sign-in');
    await view.page.getByLabel('Token').fill('not-a-token-of-anybody');
    await byRole(view, 'button', 'Use this token').click();
    await view.says(/nobody's/);
    await view.page.getByLabel('Token').fill(`Bearer ${TOKEN}\n`);
    await byRole(view, 'button', 'Use this token').click();
    await view.heading(/^(?!Sign in)/);
    const stored = () => view.page.evaluate(() => [JSON.stringify(sessionStorage), JSON.stringify(localStorage), document.cookie]);
    assert.deepEqual(await stored(), [JSON.stringify({ 'gate-hooks-token': TOKEN }), '{}', '']);
    await view.page.reload();
    await view.heading(/^(?!Sign in)/);
    assert.ok(!view.page.url().includes(TOKEN));
    await byRole(view, 'button', 'Sign out').click();
    await view.heading(/Sign in/);
    assert.deepEqual(await stored(), ['{}', '{}', '']);
    await view.close();
  });
}

async function making({ step, hooks, browser, receiver }) {
  await step('a webhook is made; its secret is shown once; a test shows the answer', async () => {
    const view = await open(browser, hooks);
    await view.says('There is no webhook yet.');
    await byRole(view, 'link', 'New webhook').first().click();
    await view.heading(/New webhook/);
    assert.equal(await view.page.evaluate(() => document.activeElement.tagName), 'H1', 'who listens hears where they are');
    await view.picture('new');
    await view.assertAccessible('the form');

    await view.page.getByLabel('URL').fill('https://10.0.0.1/');
    await byRole(view, 'button', 'Create').click();
    await view.says(/field \/event/);
    await view.page.getByLabel('deploy.success').check();
    await byRole(view, 'button', 'Create').click();
    await view.says(/the host is/);
    assert.equal(await view.page.getByLabel('URL').getAttribute('aria-invalid'), 'true');
    assert.equal(await view.page.evaluate(() => document.activeElement.name), 'url', 'the field that is wrong has the focus');
    assert.equal(await view.page.getByLabel('URL').inputValue(), 'https://10.0.0.1/', 'what was typed is still there');
    await view.assertAccessible('the form with what is wrong');
    await view.picture('new-wrong');

    await view.page.getByLabel('URL').fill(receiver.hook);
    await view.page.getByLabel('Description').fill('Orders');
    await byRole(view, 'button', 'Create').click();
    await dialog(view).waitFor();
    const secret = (await view.page.getByLabel('Secret', { exact: true }).textContent()).trim();
    assert.match(secret, /^whsec_/);
    await view.assertAccessible('the secret');
    await view.picture('secret');
    receiver.verifying(secret);
    await view.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await byRole(view, 'button', 'Copy').click();
    await view.says('Copied');
    assert.equal(await view.page.evaluate(() => navigator.clipboard.readText()), secret);
    await byRole(view, 'button', 'I have it').click();
    await view.heading(/Orders/);
    await until(async () => !(await view.page.content()).includes(secret), 'it to be nowhere any more');
    await view.page.reload();
    await view.heading(/Orders/);
    await view.says(`ends in ${secret.slice(-4)}`);
    assert.ok(!(await view.page.content()).includes(secret));

    await byRole(view, 'button', 'Send a test').click();
    await view.says(/The test was answered: HTTP 204 No Content/);
    receiver.says(503);
    await byRole(view, 'button', 'Send a test').click();
    await view.says(/The test has failed: HTTP 503 Service Unavailable/);
    receiver.verifying(secret);
    await view.assertCalm(hooks.url);
    await view.close();
  });

  await step('the switch, editing and rotating are what the API then has', async () => {
    const [hook] = await hooks.all('/webhooks', 'webhooks');
    const now = () => hooks.wants(200, 'GET', `/webhooks/${hook.id}`);
    const view = await open(browser, hooks, {}, '#/webhooks');
    await view.heading(/Webhooks/);
    const toggle = byRole(view, 'switch', /Orders/);
    assert.equal(await toggle.getAttribute('aria-checked'), 'true');
    await toggle.focus();
    await view.page.keyboard.press('Space');
    await view.says('Orders is switched off.');
    assert.equal((await now()).enabled, false);
    assert.equal(await toggle.getAttribute('aria-checked'), 'false');
    await toggle.click();
    await view.says('Orders is switched on.');
    assert.equal((await now()).enabled, true);

    await byRole(view, 'link', 'Orders').click();
    await view.heading(/Orders/);
    await byRole(view, 'link', 'Edit').click();
    await view.heading(/Change/);
    await view.page.getByLabel('Description').fill('Orders and more');
    await view.page.getByLabel(/^All/).check();
    await byRole(view, 'button', 'Save').click();
    await view.heading(/Orders and more/);
    const { description, events } = await now();
    assert.deepEqual([description, events], ['Orders and more', ['*']]);

    const before = (await now()).secret_hint;
    await byRole(view, 'button', 'Rotate secret').click();
    await byRole(view, 'button', 'Cancel').click();
    assert.equal((await now()).secret_hint, before);
    await byRole(view, 'button', 'Rotate secret').click();
    await dialog(view).getByRole('button', { name: 'Rotate' }).click();
    await view.says('The new secret');
    const secret = (await view.page.getByLabel('Secret', { exact: true }).textContent()).trim();
    assert.equal((await now()).secret_hint, secret.slice(-4));
    await view.page.keyboard.press('Escape');
    receiver.verifying(secret);
    await view.assertCalm(hooks.url);
    await view.close();
  });
}

async function failing({ step, hooks, browser, receiver }) {
  await step('a failing delivery is seen with its attempts, then as a dead letter, which is retried', async () => {
    const [hook] = await hooks.all('/webhooks', 'webhooks');
    const good = receiver.answer;
    receiver.says(500, { 'Content-Type': 'text/html' }, `<h1>${HOSTILE.markup}</h1>`);
    await hooks.event('deploy.failed', { n: 1 });
    const [dead] = await hooks.become(hook.id, 'dead');
    const view = await open(browser, hooks);
    await view.heading(/attention/);
    await view.picture('wrong');
    await byRole(view, 'link', /1 delivery is a dead letter/).click();
    await view.heading(/Dead letters/);
    await view.picture('dead');
    await byRole(view, 'link', 'deploy.failed').click();
    await view.heading(/Delivery of deploy.failed/);
    await view.says('HTTP 500');
    await view.says(HOSTILE.markup);
    assert.equal(await view.page.locator('table[class] tbody tr, table tbody tr').count(), 3, 'each attempt');
    await view.assertAccessible('a delivery');
    await view.picture('delivery');

    await view.go('#/dead', /Dead letters/);
    await byRole(view, 'button', /^Retry deploy.failed/).click();
    await view.says('1 delivery was tried again: 0 succeeded, 1 failed.');
    receiver.answer = good;
    await byRole(view, 'button', /^Retry deploy.failed/).click();
    await view.says('1 delivery was tried again: 1 succeeded, 0 failed.');
    await view.says('There is none.');
    assert.equal((await hooks.delivery(dead.id)).status, 'succeeded');
    await view.assertCalm(hooks.url);
    await view.close();
  });

  await step('all of one webhook are retried, one is deleted, both after a question', async () => {
    const [hook] = await hooks.all('/webhooks', 'webhooks');
    const good = receiver.answer;
    receiver.says(500);
    await hooks.wants(202, 'POST', '/events', Array.from({ length: 3 }, (_, n) => ({ type: 'deploy.success', data: n })));
    await hooks.become(hook.id, 'dead', 3);
    const view = await open(browser, hooks, {}, '#/dead');
    await view.heading(/Dead letters/);
    await byRole(view, 'button', /^Delete deploy.success/).first().click();
    await view.assertAccessible('a question');
    await view.picture('question');
    assert.equal(await view.page.evaluate(() => document.activeElement.textContent), 'Cancel', 'what is safe has the focus');
    await dialog(view).getByRole('button', { name: 'Delete' }).click();
    await view.says('The dead letter is deleted.');
    assert.equal((await hooks.deadLetters()).length, 2);
    receiver.answer = good;
    await view.page.getByLabel('Webhook').selectOption({ label: 'Orders and more' });
    await byRole(view, 'button', 'Retry all of this webhook').click();
    await dialog(view).getByRole('button', { name: 'Retry all' }).click();
    await view.says('2 deliveries were tried again: 2 succeeded, 0 failed.');
    await until(async () => (await hooks.deadLetters()).length === 0, 'the queue to be empty');
    await view.assertCalm(hooks.url);
    await view.close();
  });

  await step('deliveries are filtered by status and come in pages', async () => {
    const [hook] = await hooks.all('/webhooks', 'webhooks');
    await hooks.wants(202, 'POST', '/events', Array.from({ length: 60 }, (_, n) => ({ type: 'usage.threshold', data: n })));
    await hooks.become(hook.id, 'succeeded', 60);
    const view = await open(browser, hooks, {}, `#/webhooks/${hook.id}`);
    await view.heading(/Orders/);
    await byRole(view, 'link', 'Older').click();
    await byRole(view, 'link', 'Newest').waitFor();
    await view.page.goBack();
    await byRole(view, 'link', 'Older').waitFor();
    await view.page.getByLabel('Status').selectOption('dead');
    await view.says('None of them is so.');
    assert.match(view.page.url(), /status=dead/);
    await view.assertCalm(hooks.url);
    await view.close();
  });
}

async function hostile({ step, hooks, browser, receiver }) {
  await step('texts that were made to hurt are text, wherever they stand', async () => {
    const good = receiver.answer;
    receiver.says(500, {}, Object.values(HOSTILE).join('\n'));
    const ids = [];
    for (const [, text] of Object.entries(HOSTILE)) {
      const made = await hooks.ask('POST', '/webhooks', { url: `${receiver.hook}?${encodeURIComponent(text).slice(0, 900)}`, events: ['rollback.success'], description: text.replace(/\u0000/g, '').slice(0, 300) });
      assert.equal(made.status, 201, made.text);
      ids.push(made.json.id);
    }
    await hooks.event('rollback.success', HOSTILE);
    for (const id of ids) await hooks.become(id, 'dead');
    const view = await open(browser, hooks, NARROW);
    for (const hash of ['#/', '#/webhooks', '#/dead', ...ids.map((id) => `#/webhooks/${id}`)]) {
      await view.go(hash, /./);
      await view.assertFits(hash);
    }
    const [{ id }] = await hooks.become(ids[0], 'dead');
    await view.go(`#/deliveries/${id}`, /Delivery/);
    await view.says(HOSTILE.markup);
    await view.assertFits('a delivery');
    await view.picture('hostile');
    assert.match(await view.page.title(), /gate-hooks$/, 'no script has run');
    assert.equal(await view.page.locator('main script, main img, main svg[onload]').count(), 0);
    await view.assertCalm(hooks.url);
    for (const each of ids) await hooks.wants(204, 'DELETE', `/webhooks/${each}`);
    receiver.answer = good;
    await view.close();
  });
}

async function looks({ step, hooks, browser, receiver }) {
  for (const [way, look] of WAYS) {
    await step(`every page is calm, accessible and fits: ${way}`, async () => {
      const hook = (await hooks.all('/webhooks', 'webhooks')).find(({ description }) => /^Orders/.test(description));
      const good = receiver.answer;
      receiver.says(500, {}, 'broken');
      await hooks.event('activation.error', { way });
      const [dead] = await hooks.become(hook.id, 'dead');
      const view = await open(browser, hooks, look);
      for (const [name, hash, heading] of [
        ['overview', '#/', /attention/], ['webhooks', '#/webhooks', /^Webhooks$/], ['webhook', `#/webhooks/${hook.id}`, /Orders/], ['new', '#/webhooks/new', /New/],
        ['edit', `#/webhooks/${hook.id}/edit`, /Change/], ['delivery', `#/deliveries/${dead.id}`, /Delivery/], ['dead', '#/dead', /Dead/],
        ['nothing', '#/nothing', /no such page/], ['none', '#/webhooks/hook_0000', /no such webhook|not there/],
      ]) {
        await view.go(hash, heading);
        await view.picture(`${name}-${way}`);
        await view.assertFits(name);
        await view.assertAccessible(`${name} (${way})`);
      }
      await view.assertCalm(hooks.url);
      await view.close();
      receiver.answer = good;
      await hooks.wants(200, 'POST', `/webhook-deliveries/dlq/${hook.id}/retry`);
    });
  }
}

async function goingAway({ step, hooks, browser }) {
  await step('what is deleted is gone; a webhook that its receiver wants no more is said first', async () => {
    const gone = await WebhookReceiver.start();
    gone.says(410);
    const hook = await hooks.webhook(gone.hook, { event: 'activation.error', description: 'Left' });
    await hooks.event('activation.error');
    await hooks.become(hook.id, 'dead');
    const view = await open(browser, hooks);
    await byRole(view, 'link', /Left gets nothing: its receiver has answered 410 Gone/).click();
    await view.heading(/Left/);
    await byRole(view, 'button', 'Delete').click();
    await dialog(view).getByRole('button', { name: 'Delete' }).click();
    await view.heading(/^Webhooks$/);
    assert.equal((await hooks.ask('GET', `/webhooks/${hook.id}`)).status, 404);
    await view.assertCalm(hooks.url);
    await view.close();
    await gone.stop();
  });

  await step('a store that does not answer is said first, and over when it is back', async () => {
    const view = await open(browser, hooks, { expected: /status of (401|503)/ });
    const away = (body) => (route) => route.fulfill({ status: 503, contentType: 'application/json', body: JSON.stringify(body) });
    const refused = away({ error: 'the store does not answer', code: 'UNAVAILABLE' });
    const places = [['**/health', away({ status: 'down', version: '0', store: 'down' })], ['**/webhooks?*', refused], ['**/dlq/stats', refused]];
    for (const [place, answer] of places) await view.page.route(place, answer);
    await view.page.reload();
    await view.heading(/The store does not answer/);
    await view.says(/events are refused, and nothing is delivered/);
    await view.assertAccessible('a store that is away');
    await view.picture('away');
    for (const [place] of places) await view.page.unroute(place);
    await view.heading(/^(?!The store)/);
    await view.assertCalm(hooks.url);
    await view.close();
  });

  await step('when the service is away the page says so', async () => {
    const own = await Hooks.start(binary);
    const view = await browser.open(`${own.url}/console/`, { expected: /./ });
    await view.heading(/Sign in/);
    await view.page.getByLabel('Token').fill(TOKEN);
    await byRole(view, 'button', 'Use this token').click();
    await view.heading(/no webhook yet/);
    await own.end();
    await view.says('The service does not answer.');
    await view.close();
  });
}

await suite('gate-hooks: console page', async ({ step, defer }) => {
  const receiver = await WebhookReceiver.start();
  const hooks = await Hooks.start(binary, { args: ['--schedule', '0,0,0'] });
  const browser = await Browser.start(path.join(path.dirname(binary), '../hooks_console'));
  defer(async function allEnd() {
    await browser.stop();
    await hooks.end();
    await receiver.stop();
  });
  const all = { step, hooks, browser, receiver };
  await files(all);
  await signingIn(all);
  await making(all);
  await failing(all);
  await hostile(all);
  await looks(all);
  await goingAway(all);
});
