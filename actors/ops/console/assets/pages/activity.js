// What has been asked for, and is while one looks.
import { html, nothing } from '../vendor/lit-html.js';
import { upstreamRoute } from '../condition.js';
import { byName } from '../figures.js';
import { choice, empty, facts, outcome, param, searchField, setParams, table, withParams } from '../parts.js';
import { changed, state } from '../store.js';
import { count, lines, milliseconds, name, percent, plain, plural, short, time } from '../text.js';
import { charts, figures } from './overview.js';

const ROWS = 200;
const NAMES = 10;

const FILTERS = ['q', 'method', 'upstream', 'outcome', 'principal', 'name'];

function holdStill(still) {
  state.held = still ? state.events : undefined;
  changed();
}

const row = (event) =>
  html`<tr>
    <td class="figure"><a href=${withParams({ seq: event.seq })}>${time(event.time)}</a></td>
    <td>${outcome(event)}</td>
    <td class="wide">${short(event.method, 30)}</td>
    <td>${event.name ? name(event.name, 60) : html`<span class="dim">${short(event.method, 30)}</span>`}</td>
    <td class="wide">
      ${event.upstream ? html`<a href=${upstreamRoute(event.upstream)}>${name(event.upstream, 30)}</a>` : nothing}
    </td>
    <td class="wide">${event.principal ? name(event.principal, 30) : html`<span class="dim">anonymous</span>`}</td>
    <td class="figure">${milliseconds(event.latencyMs)}</td>
    <td class="wide clip">${event.error ? plain(event.error, 120) : nothing}</td>
  </tr>`;

export const eventTable = (events) =>
  table(
    'Requests',
    [
      ['Time', 'figure'],
      'Outcome',
      ['Method', 'wide'],
      'Name',
      ['Upstream', 'wide'],
      ['Principal', 'wide'],
      ['Took', 'figure'],
      ['Error', 'wide'],
    ],
    events.map(row),
    'events',
  );

function matching(events) {
  const [method, upstream, result, principal, exact] = ['method', 'upstream', 'outcome', 'principal', 'name'].map(
    param,
  );
  const wanted = param('q').toLowerCase();
  return events.filter(
    (event) =>
      (!method || event.method === method) &&
      (!upstream || event.upstream === upstream) &&
      (!result || event.outcome === result) &&
      (!principal || event.principal === principal) &&
      (!exact || event.name === exact) &&
      (!wanted || `${event.name}\n${event.error}\n${event.ruleId}\n${event.traceId}`.toLowerCase().includes(wanted)),
  );
}

const values = (events, key) => {
  const found = new Set(events.map((event) => event[key]).filter(Boolean));
  if (param(key)) found.add(param(key));
  return [...found].sort().slice(0, 500);
};

const TOLD = [
  ['time', 'Time'],
  ['outcome', 'Outcome'],
  ['method', 'Method'],
  ['name', 'Name'],
  ['upstream', 'Upstream'],
  ['principal', 'Principal'],
  ['issuer', 'Issuer'],
  ['tenant', 'Tenant'],
  ['decision', 'Policy'],
  ['ruleId', 'Rule'],
  ['error', 'Error'],
  ['upstreamCalls', 'Upstream calls'],
  ['itemsServed', 'Items served'],
  ['traceId', 'Trace'],
];

function detail(events) {
  const event = param('seq') && events.find(({ seq }) => String(seq) === param('seq'));
  if (!event) return nothing;
  return html`<section class="panel pairs" aria-label="One request">
    <h2>One request <a class="button" href=${withParams({ seq: '' })}>Close</a></h2>
    ${facts([
      ...TOLD.map(([key, word]) => [word, event[key] === undefined ? undefined : name(event[key], 2000)]),
      ['Took', milliseconds(event.latencyMs)],
      ['Usage', event.usage && html`<pre>${lines(JSON.stringify(event.usage, null, 2), 4000)}</pre>`],
    ])}
  </section>`;
}

const tools = (names) =>
  names.map(
    (tool) =>
      html`<tr>
        <th scope="row"><a href=${withParams({ name: tool.name })}>${name(tool.name, 60)}</a></th>
        <td class="wide">${short(tool.method, 30)}</td>
        <td class="figure">${count(tool.all)}</td>
        <td class="figure">${milliseconds(tool.p50)}</td>
        <td class="figure">${milliseconds(tool.p95)}</td>
        <td class="figure">
          <span class=${tool.failed / tool.answered >= 0.2 ? 'bad-text' : ''}
            >${percent(tool.failed, tool.answered)}</span
          >
        </td>
        <td class="figure wide">${count(tool.refused)}</td>
      </tr>`,
  );

const STREAM_WORDS = {
  loading: 'reading what is kept',
  live: 'live',
  waiting: 'connecting again',
  off: 'not shown to you',
};

export function activityPage() {
  const { held } = state;
  const all = held ?? state.events;
  const shown = matching(all);
  const filtered = FILTERS.some(param);
  const names = byName(shown);
  const few = param('names') ? names.slice(0, 500) : names.slice(0, NAMES);
  const behind = held
    ? state.events.length && state.events.filter(({ seq }) => seq > (held.at(-1)?.seq ?? 0)).length
    : 0;
  return html`<h1 tabindex="-1">Activity</h1>
    <div class="bar">
      <span class="state"
        ><span class="pulse ${held ? '' : state.stream}" aria-hidden="true"></span
        >${held ? `still, ${count(behind)} more` : STREAM_WORDS[state.stream]}</span
      >
      <button type="button" aria-pressed=${held ? 'true' : 'false'} @click=${() => holdStill(!held)}>
        ${held ? 'Go on' : 'Hold still'}
      </button>
      <span class="dim"
        >${state.streamNote ? `${plain(state.streamNote, 160)} ` : ''}${state.missed ? `${plural(state.missed, 'event')} came too fast to be shown. ` : ''}The
        last ${plural(all.length, 'request')} that you may see.</span
      >
    </div>
    <form class="filters" @submit=${(event) => event.preventDefault()}>
      ${searchField('q', 'Search', 'name, error, rule')}
      ${choice('method', 'Method', values(all, 'method'))}${choice('upstream', 'Upstream', values(all, 'upstream'))}
      ${choice('outcome', 'Outcome', values(all, 'outcome'))}${choice('principal', 'Principal', values(all, 'principal'))}
      ${filtered ? html`<button type="button" class="end" @click=${() => setParams(Object.fromEntries([...FILTERS, 'seq'].map((key) => [key, ''])))}>Show all</button>` : nothing}
    </form>
    ${param('name') ? html`<p class="state">Only ${name(param('name'), 100)} <a href=${withParams({ name: '' })}>show all</a></p>` : nothing}
    ${detail(all)} ${figures(shown)}${charts(shown)}
    <section>
      <h2>
        By name
        <span class="counts"
          >${names.length > few.length ? html`<a href=${withParams({ names: 'all' })}>all ${count(names.length)}</a>` : nothing}</span
        >
      </h2>
      ${
        names.length
          ? table(
              'Requests by name',
              [
                'Name',
                ['Method', 'wide'],
                ['Requests', 'figure'],
                ['Median', 'figure'],
                ['p95', 'figure'],
                ['Failed', 'figure'],
                ['Refused', 'figure wide'],
              ],
              tools(few),
            )
          : empty('Nothing was asked for by name.')
      }
    </section>
    <section>
      <h2>
        Requests
        <span class="counts dim"
          >${shown.length > ROWS ? `the last ${ROWS} of ${count(shown.length)}` : plural(shown.length, 'request')}</span
        >
      </h2>
      ${shown.length ? eventTable(shown.slice(-ROWS).reverse()) : empty(filtered ? 'No request is like that.' : 'Nothing has been asked for yet.')}
    </section>`;
}
