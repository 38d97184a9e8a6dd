// Pieces that several pages are made of.
import { html, nothing, svg } from './vendor/lit-html.js';
import { isUsedUp, share, stateOf } from './condition.js';
import { kindOf } from './figures.js';
import { changed, state } from './store.js';
import { count, milliseconds, moment, name, percent, plain } from './text.js';

const SHAPES = {
  up: svg`<circle cx="6" cy="6" r="4.5"/>`,
  degraded: svg`<path d="M6 1 11.4 11H.6z"/>`,
  down: svg`<path d="M1.5 1.5h9v9h-9z"/>`,
  unprobed: svg`<circle cx="6" cy="6" r="3.7" fill="none" stroke="currentColor" stroke-width="1.6"/>`,
};
export const STATE_WORDS = { up: 'up', degraded: 'degraded', down: 'down', unprobed: 'not probed' };
const AS_STATE = {
  ok: 'up',
  good: 'up',
  warn: 'degraded',
  failed: 'down',
  bad: 'down',
  refused: 'degraded',
  note: 'unprobed',
};

/** A state is told by shape, colour and word. */
export const mark = (what) => {
  const known = SHAPES[what] ? what : (AS_STATE[what] ?? 'unprobed');
  return html`<svg class="mark ${known}" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
    ${SHAPES[known]}
  </svg>`;
};

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

/** Terms and what is said of them; pairs without a value are left out. */
export const facts = (pairs) =>
  html`<dl class="facts">
    ${pairs
      .filter(([, value]) => value !== undefined && value !== '' && value !== nothing)
      .map(
        ([term, value]) =>
          html`<div>
            <dt>${term}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
  </dl>`;

/** A table that scrolls within itself, by keyboard too. */
export const table = (label, heads, rows, kind = '') =>
  html` <div class="scroll ${kind}" role="region" aria-label=${label} tabindex="0">
    <table>
      <thead>
        <tr>
          ${heads.map((head) =>
            Array.isArray(head)
              ? html`<th scope="col" class=${head[1]}>${head[0]}</th>`
              : html`<th scope="col">${head}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;

export const empty = (text) => html`<p class="empty">${text}</p>`;

/** The parameters of the route with others; empty ones go. */
export function withParams(members) {
  const params = new URLSearchParams(state.route.params);
  for (const [key, value] of Object.entries(members)) {
    if (value) params.set(key, value);
    else params.delete(key);
  }
  const path = `#/${[state.route.page, ...state.route.rest.map(encodeURIComponent)].join('/')}`;
  return params.size ? `${path}?${params}` : path;
}

/** Filters are part of the address, but no steps of the history. */
export function setParams(members) {
  history.replaceState(null, '', withParams(members));
  const at = location.hash.indexOf('?');
  state.route = { ...state.route, params: new URLSearchParams(at < 0 ? '' : location.hash.slice(at + 1)) };
  changed();
}

export const param = (key) => state.route.params.get(key) ?? '';

export const searchField = (key, label, hint) =>
  html`<label class="field"
    ><span>${label}</span>
    <input
      type="search"
      .value=${param(key)}
      placeholder=${hint ?? ''}
      autocomplete="off"
      spellcheck="false"
      @input=${(event) => setParams({ [key]: event.target.value })}
  /></label>`;

export const choice = (key, label, options, all = 'all') =>
  html`<label class="field"
    ><span>${label}</span>
    <select .value=${param(key)} @change=${(event) => setParams({ [key]: event.target.value })}>
      <option value="" ?selected=${!param(key)}>${all}</option>
      ${options.map((option) => {
        const [value, word] = Array.isArray(option) ? option : [option, plain(option, 60)];
        return html`<option value=${value} ?selected=${param(key) === value}>${word}</option>`;
      })}
    </select></label
  >`;

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
