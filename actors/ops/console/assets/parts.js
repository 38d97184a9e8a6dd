// Pieces that several pages are made of; those of any console are in common.js.
import { html, nothing } from './vendor/lit-html.js';
import { mark } from './common.js';
import { isUsedUp, share, stateOf } from './condition.js';
import { kindOf } from './figures.js';
import { state } from './store.js';
import { count, milliseconds, moment, name, percent, plain } from './text.js';

export { choice, empty, facts, mark, searchField, table } from './common.js';
export { param, setParams, withParams } from './place.js';
export const STATE_WORDS = { up: 'up', degraded: 'degraded', down: 'down', unprobed: 'not probed' };
export const stateWord = (upstream) => {
  const known = stateOf(upstream);
  return html`<span class="state">${mark(known)}${STATE_WORDS[known]}</span>`;
};

const BREAKER_MARKS = { closed: 'up', 'half-open': 'degraded', open: 'down' };
export const breaker = (word) => html`<span class="state">${mark(BREAKER_MARKS[word])}${word}</span>`;

const OUTCOME_WORDS = {
  rate_limited: 'rate limited',
  upstream_down: 'upstream down',
  budget_exhausted: 'budget exhausted',
};
export const outcome = (event) =>
  html`<span class="state">${mark(kindOf(event))}${OUTCOME_WORDS[event.outcome] ?? plain(event.outcome, 30)}</span>`;

/** How much of a limit or budget is used. */
export function meter(entry, label) {
  const used = share(entry);
  const tone = isUsedUp(entry) ? 'bad' : used >= 0.9 ? 'warn' : '';
  const left = Math.max(0, entry.limit - entry.used);
  return html`<div class="meter">
    <span>${label}</span>
    <span class="figure">${count(entry.used)} / ${count(entry.limit)}</span>
    <progress class=${tone} max="1" value=${used} aria-label="${plain(label, 60)}: used"></progress>
    <span class="dim"
      >${entry.retryAfterMs ? `room in ${milliseconds(entry.retryAfterMs)}` : `${count(left)} left`}</span
    >
    <span class="dim figure"
      >${entry.resetsAt ? `resets ${moment(entry.resetsAt)}` : percent(entry.used, entry.limit)}</span
    >
  </div>`;
}

const SCOPES = { server: 'Gateway', tenant: 'Tenant', principal: 'You', upstream: 'Upstream' };
export const useLabel = (entry) =>
  `${SCOPES[entry.scope] ?? plain(entry.scope, 20)}: ${entry.period ? `calls this ${entry.period}` : 'requests a minute'}`;
export const meters = (limits = [], budgets = []) =>
  limits.length + budgets.length
    ? html`<div class="meters">${[...limits, ...budgets].map((entry) => meter(entry, useLabel(entry)))}</div>`
    : html`<p class="dim">Nothing is limited here.</p>`;

/** What is left, for a table: the tightest of several. */
export function left(entries = []) {
  if (!entries.length) return html`<span class="dim">–</span>`;
  const tightest = entries.reduce((a, b) => (share(b) > share(a) ? b : a));
  const tone = isUsedUp(tightest) ? 'bad-text' : share(tightest) >= 0.9 ? 'warn-text' : '';
  return html`<span class=${tone}>${percent(Math.max(0, tightest.limit - tightest.used), tightest.limit)}</span>`;
}

export const owner = (of) =>
  of ? html`${[of.org, of.team].filter(Boolean).map((each, i) => html`${i ? ' / ' : ''}${name(each, 40)}`)}` : nothing;

/** A report was expected and has not come. */
export function absent() {
  const { trouble } = state;
  if (!trouble) return html`<h1 class="waiting" tabindex="-1">Looking at the federation</h1>`;
  if (trouble.status === 403) {
    return html`<h1 tabindex="-1">The federation is not shown to you.</h1>
      <p>${plain(trouble.message, 300)}</p>
      <p>
        The <a href="#/catalogue">catalogue</a>, your own <a href="#/activity">activity</a> and
        <a href="#/limits">what you may call</a> are.
      </p>`;
  }
  return html`<h1 tabindex="-1">The report is not there.</h1>
    <p>${plain(trouble.message, 300)}</p>
    <p class="dim">Asked for again every few seconds since ${moment(trouble.since)}.</p>`;
}
