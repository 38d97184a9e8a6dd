// The modules of the console page that are pure, by enumeration; in the browser, since they bring its library.
import assert from 'node:assert/strict';
import { at, eventOf, reportOn, upstreamOf } from './console_front.mjs';

export async function cores({ step, front, browser }) {
  const view = await browser.open(`${front.origin}/console/`);
  await view.heading();
  /** What a module of the page makes of this. */
  const make = (file, name, ...values) => view.page.evaluate(
    async ([from, what, given]) => (await import(from))[what](...given), [`${front.origin}/console/${file}`, name, values]);
  const up = (i, more) => upstreamOf(i, { breaker: 'closed', connected: true, endpoints: undefined, limits: [], budgets: [], error: undefined, ...more });
  const calm = (upstreams, more) => reportOn(upstreams, { usage: { limits: [], budgets: [] }, tenant: undefined, ...more });
  const down = { connected: false, error: 'refused' };

  await step('the sentence, by all that a federation can be', async () => {
    const open = { breaker: 'open', connected: false };
    const half = { breaker: 'half-open' };
    const unprobed = { connected: false, unprobed: true };
    const partly = { endpoints: [{ healthy: true }, { healthy: false }] };
    for (const [states, level, text] of [
      [[], 'warn', 'There is no upstream that you can see.'],
      [[{}], 'good', 'The upstream answers.'],
      [[{}, {}, unprobed], 'good', 'All 3 upstreams answer.'],
      [[down], 'bad', 'The only upstream is down.'],
      [[down, open], 'bad', 'All 2 upstreams are down.'],
      [[down, {}], 'bad', '1 of 2 upstreams is down.'],
      [[open, down, {}], 'bad', '2 of 3 upstreams are down.'],
      [[{ ...unprobed, breaker: 'open' }, {}], 'bad', '1 of 2 upstreams is down.'],
      [[half, {}], 'warn', '1 of 2 upstreams is degraded.'],
      [[partly, half, {}], 'warn', '2 of 3 upstreams are degraded.'],
      [[down, half, partly, {}], 'bad', '1 of 4 upstreams is down, 2 are degraded.'],
    ]) {
      const federation = calm(states.map((more, i) => up(i, more)));
      const found = await make('condition.js', 'problems', federation);
      assert.deepEqual(await make('condition.js', 'sentence', federation, found), { level, text });
      assert.equal(found.length, states.filter((each) => each !== unprobed && Object.keys(each).length).length, text);
    }
  });

  await step('what is wrong beside upstreams: limits, budgets, the store, discovery, failing tools, open doors', async () => {
    const entry = (scope, used, more) => ({ scope, limit: 100, used, ...more });
    const usage = (...limits) => ({ usage: { limits, budgets: [] } });
    const failing = Array.from({ length: 10 }, (_, i) => ({ ...eventOf(i + 1, [up(0)]), method: 'tools/call', name: 's0__x', outcome: i < 2 ? 'error' : 'ok' }));
    for (const [more, events, level, text] of [
      [usage(entry('server', 89)), [], undefined],
      [usage(entry('server', 90)), [], 'warn', /^The gateway’s rate limit is 90 % used/],
      [usage(entry('principal', 100)), [], 'warn', /^Your rate limit is used up/],
      [usage(entry('principal', 42, { retryAfterMs: 1500 })), [], 'warn', /used up \(42 of 100\), room in 1.5 s$/],
      [{ usage: { limits: [], budgets: [entry('server', 100, { period: 'day' })] } }, [], 'bad', /^The gateway’s daily budget is used up/],
      [{ sharedState: 'away' }, [], 'warn', /^The shared store is away/],
      [{ discovery: { lastOutcome: 'rejected', error: 'no id' } }, [], 'warn', /\(rejected\): no id$/],
      [{ discovery: { lastOutcome: 'unchanged' } }, [], undefined],
      [{ auth: { mode: 'disabled', issuers: 0, enterprise: false } }, [], 'note', /^Authentication is off/],
      [{ auditSinks: [] }, [], 'note', /audit trail/],
      [{}, failing, 'warn', /^2 of the last 10 requests for s0__x failed$/],
      [{}, failing.slice(1), undefined],
      [{}, [{ ...eventOf(1, []), outcome: 'unauthenticated' }], 'note', /^1 request came without a good token$/],
    ]) {
      const found = await make('condition.js', 'problems', calm([up(0)], more), events);
      assert.deepEqual(found.map((each) => each.level), level ? [level] : [], JSON.stringify([more, found]));
      if (text) assert.match(found[0].text, text);
    }
    const tight = Array.from({ length: 40 }, (_, i) => up(i, { limits: [entry('upstream', 99)] }));
    assert.equal((await make('condition.js', 'problems', calm(tight))).length, 1, 'many alike share a line');
    assert.equal((await make('condition.js', 'problems', calm(tight.map((each) => ({ ...each, ...down }))))).length, 2);
  });

  await step('figures: percentiles by rank, steps of round lengths, nothing of nothing', async () => {
    for (const [values, share, wanted] of [[[1, 2, 3, 4], 0.5, 2], [[1, 2, 3, 4], 0.95, 4], [[7], 0.5, 7], [[1, 2, 3, 4, 5], 0.5, 3]])
      assert.equal(await make('figures.js', 'percentile', values, share), wanted);
    assert.ok(Number.isNaN(await make('figures.js', 'percentile', [], 0.5)));
    assert.deepEqual((await make('figures.js', 'byTime', [])).x, []);
    for (const [seconds, step] of [[0, 1], [50, 1], [100, 2], [3000, 60], [86_400, 1800]]) {
      const times = await make('figures.js', 'byTime', [{ ...eventOf(1, []), time: at(0) }, { ...eventOf(2, []), time: at(seconds) }, { time: 'never' }]);
      assert.equal(times.step, step, `${seconds} s`);
      assert.ok(times.x.length >= 12 && times.x.length <= 60, `${times.x.length} steps`);
      assert.equal(times.all.reduce((a, b) => a + b), 2);
    }
  });
  await view.close();
}
