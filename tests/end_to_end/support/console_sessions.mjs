// How many sessions there are with each upstream, as the console shows them to operators.
import assert from 'node:assert/strict';
import { Session } from '../../../simulations/peers/mcp.mjs';
import { until } from '../../../simulations/peers/waiting.mjs';
import { reportOn } from './console_front.mjs';

/** What the table of upstreams says in this column, by upstream; nothing: it has no such column. */
async function column({ page }, head) {
  const heads = await page.locator('thead th').allTextContents();
  const at = heads.findIndex((text) => text.trim() === head);
  if (at < 0) return undefined;
  return Object.fromEntries(await page.locator('tbody tr').evaluateAll(
    (rows, place) => rows.map(({ cells }) => [...cells].map((cell) => cell.textContent.trim())).map((row) => [row[1], row[place]]),
    at,
  ));
}

/** Of a report whose numbers are known. */
export async function shownSessions({ step, front, browser }) {
  await step('operators see how many sessions there are with each upstream, others no such column', async () => {
    const report = front.report;
    const { upstreams } = report;
    const view = await browser.open(`${front.origin}/console/#/upstreams`);
    await view.heading(/^Upstreams$/);
    assert.deepEqual(await column(view, 'Sessions'),
      Object.fromEntries(upstreams.map(({ id, sessions: { root, bridged } }) => [id, String(root + bridged)])));
    await view.says('42 client sessions, 97 sessions with upstreams for them');
    await view.go('#/upstreams/service-003', /service-003/);
    await view.says('51 of clients, 2 for lists');
    await view.close();

    front.report = reportOn(upstreams.map((each) => ({ ...each, sessions: undefined })), { sessions: undefined });
    const other = await browser.open(`${front.origin}/console/#/upstreams`);
    await other.heading(/^Upstreams$/);
    assert.equal(Object.keys(await column(other, 'Breaker')).length, upstreams.length);
    assert.equal(await column(other, 'Sessions'), undefined);
    await other.close();
    front.report = report;
  });
}

/**
 * Of a real gateway, with an upstream `a` that lives and one, `gone`, that does not; `view` is an operator's, and bob has
 * called `a` without a session. The view stays where it is.
 */
export async function countedSessions({ step, view, provider, port }) {
  await step('a real gateway: whoever calls an upstream in a session has one with it', async () => {
    const place = await view.page.evaluate(() => location.hash);
    await view.go('#/upstreams', /^Upstreams$/);
    const shown = async (wanted, what) => {
      await until(async () => (await column(view, 'Sessions')).a === wanted.a, what);
      assert.deepEqual(await column(view, 'Sessions'), wanted);
    };
    await shown({ a: '2', gone: '1' }, "the gateway's own with both, for lists, and what stands for bob");
    for (const sub of ['carol', 'dave', 'erin']) {
      const session = await Session.open({ port }, { token: provider.token({ sub }) });
      await session.call('a__echo', { text: 'hello' });
    }
    await shown({ a: '5', gone: '1' }, 'three sessions more');
    await view.go('#/upstreams/a', /^a$/);
    await view.says('4 of clients, 1 for lists');
    await view.go(place);
  });
}
