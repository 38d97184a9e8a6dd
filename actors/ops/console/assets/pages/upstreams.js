// All upstreams, and each of them.
import { html, nothing } from '../vendor/lit-html.js';
import { query, route, stateOf, upstreamRoute } from '../condition.js';
import { summary } from '../figures.js';
import {
  STATE_WORDS,
  absent,
  breaker,
  choice,
  empty,
  facts,
  left,
  mark,
  meters,
  owner,
  param,
  searchField,
  stateWord,
  table,
} from '../parts.js';
import { state } from '../store.js';
import { count, milliseconds, name, percent, plain, plural } from '../text.js';
import { eventTable } from './activity.js';

const WORST_FIRST = { down: 0, degraded: 1, unprobed: 2, up: 3 };
const words = (each) =>
  [
    each.id,
    each.namespace,
    each.owner?.org,
    each.owner?.team,
    each.source,
    each.authStrategy,
    each.url,
    ...Object.entries(each.labels ?? {}).map((pair) => pair.join('=')),
  ]
    .join('\n')
    .toLowerCase();

const replicas = ({ endpoints }) =>
  endpoints ? `${count(endpoints.filter(({ healthy }) => healthy).length)} / ${count(endpoints.length)}` : '1';

/** Operators are told of them; nobody else has the column. */
const SESSIONS = 'Sessions';
const sessionsOf = ({ sessions }) =>
  sessions ? html`<td class="figure wide">${count(sessions.root + sessions.bridged)}</td>` : nothing;

const row = (each) =>
  html`<tr>
    <td>${stateWord(each)}</td>
    <th scope="row"><a href=${upstreamRoute(each.id)}>${name(each.id, 40)}</a></th>
    <td class="wide">
      ${each.namespace === undefined ? html`<span class="dim">none</span>` : name(each.namespace, 30)}
    </td>
    <td>${breaker(each.breaker)}</td>
    <td class="figure wide">${replicas(each)}</td>
    <td class="figure">${each.connected ? milliseconds(each.latencyMs) : html`<span class="dim">–</span>`}</td>
    ${sessionsOf(each)}
    <td class="wide one-line">${owner(each.owner)}</td>
    <td class="wide">${each.source}</td>
    <td class="wide least one-line">${each.authStrategy}</td>
    <td class="figure wide">${left(each.limits)}</td>
    <td class="figure wide">${left(each.budgets)}</td>
  </tr>`;

const heads = [
  'State',
  'Upstream',
  ['Namespace', 'wide'],
  'Breaker',
  ['Endpoints', 'figure wide'],
  ['Latency', 'figure'],
  [SESSIONS, 'figure wide'],
  ['Owner', 'wide'],
  ['Source', 'wide'],
  ['Credential', 'wide least'],
  ['Rate left', 'figure wide'],
  ['Budget left', 'figure wide'],
];

function list({ upstreams, sessions }) {
  const wanted = param('q').toLowerCase();
  const shown = upstreams
    .filter((each) => (!param('state') || stateOf(each) === param('state')) && words(each).includes(wanted))
    .sort((a, b) => WORST_FIRST[stateOf(a)] - WORST_FIRST[stateOf(b)]);
  const columns = sessions ? heads : heads.filter(([head]) => head !== SESSIONS);
  return html`<h1 tabindex="-1">Upstreams</h1>
    <p class="dim">
      ${plural(upstreams.length, 'upstream')}${sessions ? html`; ${plural(sessions.client, 'client session')}, ${plural(sessions.bridged, 'session')} with upstreams for them` : nothing}.
    </p>
    <form class="filters" @submit=${(event) => event.preventDefault()}>
      ${searchField('q', 'Search', 'name, owner, label')} ${choice('state', 'State', Object.entries(STATE_WORDS))}
    </form>
    ${shown.length ? table('Upstreams', columns, shown.map(row)) : empty('No upstream is like that.')}`;
}

function endpoints(each) {
  if (!each.endpoints) return nothing;
  return html`<section>
    <h2>Endpoints</h2>
    <ul class="plain">
      ${each.endpoints.map(
        (endpoint, i) =>
          html`<li class="state">
            ${mark(endpoint.healthy ? 'up' : 'down')}${endpoint.url ? name(endpoint.url, 200) : `endpoint ${i + 1}`}
            <span class="dim">${endpoint.healthy ? 'in rotation' : 'out of rotation'}</span>
          </li>`,
      )}
    </ul>
  </section>`;
}

function one(each) {
  const events = state.events.filter(({ upstream }) => upstream === each.id);
  const calls = summary(events);
  return html`<p class="crumb"><a href="#/upstreams">Upstreams</a></p>
    <h1 tabindex="-1">${name(each.id, 200)}</h1>
    <p class="state">
      ${stateWord(each)}${each.error ? html`<span class="bad-text">${plain(each.error, 400)}</span>` : nothing}
    </p>
    <div class="columns">
      <section>
        <h2>What it is</h2>
        ${facts([
          ['Namespace', each.namespace === undefined ? 'none: names have no prefix' : name(each.namespace, 100)],
          ['URL', each.url && name(each.url, 300)],
          ['Owner', owner(each.owner)],
          ['Contact', each.owner?.contact && name(each.owner.contact, 100)],
          [
            'Labels',
            each.labels &&
              html`${Object.entries(each.labels).map(([key, value]) => html`<span class="tag">${plain(key, 60)}=${plain(value, 60)}</span> `)}`,
          ],
          ['Source', each.source === 'discovered' ? 'discovered' : 'the configuration'],
          ['Credential', each.authStrategy],
          ['Protocol', each.protocol],
        ])}
      </section>
      <section>
        <h2>How it does</h2>
        ${facts([
          ['Circuit breaker', breaker(each.breaker)],
          [
            'Latency of the last probe',
            each.connected
              ? milliseconds(each.latencyMs)
              : each.unprobed
                ? 'not probed: its credential comes from callers'
                : 'no answer',
          ],
          [
            'Sessions with it',
            each.sessions && `${count(each.sessions.bridged)} of clients, ${count(each.sessions.root)} for lists`,
          ],
          ['Requests kept', html`<a href=${query(route('activity'), { upstream: each.id })}>${count(calls.all)}</a>`],
          ['Median, 95th percentile', `${milliseconds(calls.p50)}, ${milliseconds(calls.p95)}`],
          ['Failed', percent(calls.failed, calls.answered)],
        ])}
      </section>
    </div>
    ${endpoints(each)}
    <section>
      <h2>Limits</h2>
      ${meters(each.limits, each.budgets)}
    </section>
    <section>
      <h2>What it offers</h2>
      <p>
        <a href=${query(route('catalogue'), { upstream: each.id })}
          >Tools and prompts of ${plain(each.id, 40)} in the catalogue</a
        >
      </p>
    </section>
    <section>
      <h2>Last requests</h2>
      ${events.length ? eventTable(events.slice(-20).reverse()) : empty('None of the events that are kept is for it.')}
    </section>`;
}

export function upstreamsPage() {
  const { federation, route: at } = state;
  if (!federation) return absent();
  if (!at.rest.length) return list(federation);
  const each = federation.upstreams.find(({ id }) => id === at.rest[0]);
  return each
    ? one(each)
    : html`<p class="crumb"><a href="#/upstreams">Upstreams</a></p>
        <h1 tabindex="-1">There is no such upstream.</h1>
        <p>Nothing that you can see is called ${name(at.rest[0], 100)}.</p>`;
}
