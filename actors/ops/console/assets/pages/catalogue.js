// What this viewer may see through the MCP path, and why not what is not there.
import { html, nothing } from '../vendor/lit-html.js';
import { explain } from '../api.js';
import { query, route, upstreamRoute } from '../condition.js';
import { summary } from '../figures.js';
import { KINDS, readCatalogue } from '../mcp.js';
import { breaker, choice, empty, facts, mark, meters, param, searchField, table } from '../parts.js';
import { changed, state } from '../store.js';
import { count, lines, listed, milliseconds, name, oneLine, percent, plain, plural, time } from '../text.js';

const ROWS = 300;
/** Explanations that are remembered; each costs a request. */
const EXPLAINED_AT_MOST = 100;

const askedAs = Object.fromEntries(KINDS.map(({ kind, asked }) => [kind, asked]));
export const itemRoute = ({ kind, id }) => route('catalogue', kind, id);

/** The answer for one request, asked for once; undefined while it is under way. */
export function explanation(method, subject, fresh = false) {
  const key = `${method}\n${subject}`;
  if (fresh) state.explained.delete(key);
  if (!state.explained.has(key)) {
    if (state.explained.size >= EXPLAINED_AT_MOST) state.explained.clear();
    const entry = {};
    state.explained.set(key, entry);
    explain(method, subject)
      .then(
        (answer) => Object.assign(entry, { answer }),
        (error) => Object.assign(entry, { failed: error.message }),
      )
      .then(changed);
  }
  return state.explained.get(key);
}

const REASONS = {
  unknown_name: 'Nothing that you can see has this name',
  policy_denied: 'Policy denies it to you',
  rate_limited: 'A rate limit has no room',
  upstream_down: 'Its upstream is down',
  budget_exhausted: 'A budget is used up',
  method_unknown: 'There is no such method',
  resource_unknown: 'No upstream lists this resource',
};

export function verdict({ answer, failed }) {
  if (failed) return html`<p class="state">${mark('bad')}${plain(failed, 300)}</p>`;
  if (!answer) return html`<p class="dim">Asking…</p>`;
  const why = REASONS[answer.reason] ?? answer.reason;
  return html`<p class="state verdict">
      ${mark(answer.reason ? 'bad' : 'good')}<strong
        >${answer.reason ? `It would be refused. ${plain(why, 100)}.` : 'It would be sent.'}</strong
      >
    </p>
    ${answer.message ? html`<p class="dim">${plain(answer.message, 400)}</p>` : nothing}
    <div class="columns">
      ${facts([
        [
          'Upstream',
          answer.upstream && html`<a href=${upstreamRoute(answer.upstream)}>${name(answer.upstream, 60)}</a>`,
        ],
        ['Circuit breaker', answer.breaker && breaker(answer.breaker)],
        ['Policy', { allow: 'allows it', deny: 'denies it', none: 'does not judge it' }[answer.decision]],
        ['Rule', answer.decision === 'none' ? undefined : answer.ruleId ? name(answer.ruleId, 100) : 'the default'],
        ['Tenant', answer.tenant && name(answer.tenant, 60)],
      ])}
      ${meters(answer.limits, answer.budgets)}
    </div>`;
}

const typeOf = (schema) => {
  if (schema === true) return 'anything';
  if (!schema || typeof schema !== 'object') return '';
  if (Array.isArray(schema.enum))
    return schema.enum
      .slice(0, 12)
      .map((each) => JSON.stringify(each))
      .join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === 'array') return `${typeOf(schema.items) || 'anything'}[]`;
  if (schema.type) return [schema.type].flat().join(' | ');
  const some = schema.anyOf ?? schema.oneOf;
  return Array.isArray(some) ? some.slice(0, 6).map(typeOf).join(' | ') : (schema.$ref ?? '');
};

function schemaTable(schema, title) {
  const members = Object.entries(schema?.properties ?? {});
  if (!members.length) return nothing;
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return html`<h3>${title}</h3>
    ${table(
      title,
      ['Name', 'Type', 'Description'],
      members.slice(0, 200).map(
        ([key, member]) =>
          html`<tr>
            <th scope="row">
              ${name(key, 80)}${required.has(key) ? html` <span class="tag">required</span>` : nothing}
            </th>
            <td class="code">${name(typeOf(member), 160)}</td>
            <td class="prose">${lines(member?.description, 600)}</td>
          </tr>`,
      ),
    )}`;
}

const HINTS = {
  readOnlyHint: 'only reads',
  destructiveHint: 'may destroy',
  idempotentHint: 'may be repeated',
  openWorldHint: 'reaches the outside',
};

function about({ kind, item }) {
  if (kind === 'prompt') {
    const members = (Array.isArray(item.arguments) ? item.arguments : []).filter(
      (each) => each && typeof each === 'object',
    );
    return schemaTable(
      {
        properties: Object.fromEntries(
          members.map((each) => [String(each.name), { type: 'string', description: each.description }]),
        ),
        required: members.filter((each) => each.required).map((each) => String(each.name)),
      },
      'Arguments',
    );
  }
  if (kind === 'tool')
    return html`${schemaTable(item.inputSchema, 'Arguments')}${schemaTable(item.outputSchema, 'Result')}`;
  return facts([
    ['Media type', item.mimeType && name(item.mimeType, 100)],
    ['Size', Number.isFinite(item.size) ? `${count(item.size)} bytes` : undefined],
  ]);
}

function one(entry) {
  const { kind, id, item } = entry;
  const method = askedAs[kind];
  const asked = method ? explanation(method, id) : undefined;
  const calls = summary(state.events.filter((event) => event.name === id));
  const hints = Object.entries(HINTS).filter(([key]) => item.annotations?.[key] === true);
  const upstream = entry.upstream ?? asked?.answer?.upstream;
  return html`<section class="panel detail" aria-label="Selected">
    <h2 id="selected" tabindex="-1">${name(item.title ?? id, 200)}</h2>
    <p class="dim">
      ${kind}${item.title ? html` ${name(id, 300)}` : nothing}${upstream ? html` of <a href=${upstreamRoute(upstream)}>${name(upstream, 60)}</a>` : nothing}
      ${hints.map(([, word]) => html` <span class="tag">${word}</span>`)}
    </p>
    ${item.description ? html`<p class="prose">${lines(item.description, 4000)}</p>` : nothing} ${about(entry)}
    ${
      calls.all
        ? html`<h3>Lately</h3>
            ${facts([
              ['Requests', html`<a href=${query(route('activity'), { name: id })}>${count(calls.all)}</a>`],
              ['Median, 95th percentile', `${milliseconds(calls.p50)}, ${milliseconds(calls.p95)}`],
              ['Failed', percent(calls.failed, calls.answered)],
            ])}`
        : nothing
    }
    <details>
      <summary>As it was listed</summary>
      <pre>${lines(JSON.stringify(item, null, 2))}</pre>
    </details>
    ${
      asked
        ? html`<h3>
              If you asked now
              <button
                type="button"
                class="quiet"
                @click=${() => {
                  explanation(method, id, true);
                  changed();
                }}
              >
                Look again
              </button>
            </h3>
            ${verdict(asked)}`
        : nothing
    }
  </section>`;
}

const row = (entry, selected) =>
  html`<li>
    <a href=${withFilters(entry)} aria-current=${selected ? 'true' : nothing}>
      <span class="kind">${entry.kind}</span
      ><span class="what"
        >${name(entry.id, 100)}<span class="dim line"
          >${oneLine([entry.item.title, entry.item.description].filter(Boolean).join(': '), 160)}</span
        ></span
      ></a
    >
  </li>`;

function withFilters(entry) {
  const kept = Object.fromEntries(
    ['q', 'kind', 'upstream'].map((key) => [key, param(key)]).filter(([, value]) => value),
  );
  return Object.keys(kept).length ? query(itemRoute(entry), kept) : itemRoute(entry);
}

/** Nothing is listed under it: is that the viewer's rights, or a mistake? */
function hidden(wanted) {
  const tried = wanted.includes('://') ? 'resources/read' : 'tools/call';
  return html`<p class="empty">
    Nothing that you can see is like <q>${plain(wanted, 80)}</q>.
    <a href=${query(route('limits'), { method: tried, name: wanted })}>Why can I not call it?</a>
  </p>`;
}

export function cataloguePage(lost) {
  const { catalogue } = state;
  if (!catalogue.loadedAt && !catalogue.loading) readCatalogue(lost);
  const again = html`<button type="button" ?disabled=${catalogue.loading} @click=${() => readCatalogue(lost)}>
    Read again
  </button>`;
  if (!catalogue.loadedAt)
    return html`<h1 tabindex="-1">Catalogue</h1>
      <div class="bar">${again}<span class="dim">Reading the lists through MCP</span></div>`;
  const wanted = param('q').trim().toLowerCase();
  const [kind, upstream] = [param('kind'), param('upstream')];
  const [selectedKind, selectedId] = state.route.rest;
  const shown = catalogue.items.filter(
    (each) =>
      (!kind || each.kind === kind) &&
      (!upstream || each.upstream === upstream) &&
      wanted.split(/\s+/).every((word) => each.searched.includes(word)),
  );
  const selected = catalogue.items.find((each) => each.kind === selectedKind && each.id === selectedId);
  const counts = KINDS.map(({ kind: each }) => [each, catalogue.items.filter((item) => item.kind === each).length]);
  const upstreams = [
    ...new Set(
      catalogue.items
        .map((each) => each.upstream)
        .filter(Boolean)
        .concat(upstream || []),
    ),
  ].sort();
  return html`<h1 tabindex="-1">Catalogue</h1>
    <div class="bar">
      ${again}<span class="dim"
        >${counts.filter(([, n]) => n).map(([each, n], i) => `${i ? ', ' : ''}${plural(n, each)}`)} as you see them
        through MCP, of ${time(catalogue.loadedAt)}</span
      >
    </div>
    ${catalogue.failed.length ? html`<p class="state">${mark('warn')}<span>Without what ${listed(catalogue.failed, 5)} would list: there was no answer.</span></p>` : nothing}
    ${catalogue.errors.map((error) => html`<p class="state">${mark('bad')}${plain(error, 300)}</p>`)}
    <form class="filters" @submit=${(event) => event.preventDefault()}>
      ${searchField('q', 'Search', 'name, title, description')}
      ${choice(
        'kind',
        'Kind',
        KINDS.map((each) => each.kind),
      )}${choice('upstream', 'Upstream', upstreams)}
    </form>
    <div class="split ${selectedId === undefined ? '' : 'chosen'}">
      <div class="list-side">
        ${
          shown.length
            ? html`<ul class="rows" aria-label="Catalogue">
                ${shown.slice(0, ROWS).map((each) => row(each, each === selected))}
              </ul>`
            : wanted
              ? hidden(param('q').trim())
              : empty('There is nothing that you can see.')
        }
        ${shown.length > ROWS ? html`<p class="dim">${count(shown.length - ROWS)} more: search for less.</p>` : nothing}
      </div>
      ${
        selected
          ? one(selected)
          : selectedId !== undefined
            ? html`<section class="panel detail">
                <h2>Not in your lists</h2>
                <p>${name(selectedId, 200)}</p>
                ${
                  askedAs[selectedKind]
                    ? html`<h3>If you asked for it</h3>
                        ${verdict(explanation(askedAs[selectedKind], selectedId))}`
                    : nothing
                }
              </section>`
            : html`<section class="panel detail none dim">
                <p>Choose something to see its schema, whose it is, and whether you may call it.</p>
              </section>`
      }
    </div>`;
}
