// The federation as a picture: callers, the gateway, and the upstreams by whose they are. In a wide window from left to
// right, in a narrow one from top to bottom.
import { html, nothing, svg } from '../vendor/lit-html.js';
import { route, stateOf, statesOf, upstreamRoute } from '../condition.js';
import { STATE_WORDS, absent, mark } from '../parts.js';
import { changed, state } from '../store.js';
import { count, milliseconds, plural, short } from '../text.js';

const [ROW, HEAD, GAP, TILE] = [28, 26, 14, 22];
const CALLERS = { width: 150, height: 84 };
const GATE = { width: 176, height: 138 };
/** `right`: where upstreams begin; `top`: the first of them; `letters`: of a name. */
const WIDE = { width: 980, right: 590, top: 16, letters: 26 };
const NARROW = { width: 352, right: 34, top: 172, letters: 22 };
/** More upstreams than this are tiles. */
const NAMED_AT_MOST = 40;
/** Five hundred owners with one upstream each are no picture. */
const GROUPS_AT_MOST = 30;

const narrow = matchMedia('(max-width: 760px)');
narrow.addEventListener('change', changed);

const ownerOf = (each) => [each.owner?.org, each.owner?.team].filter(Boolean).join(' / ');

function groupsOf(upstreams) {
  const groups = new Map();
  for (const each of upstreams) {
    const key = ownerOf(each) || (each.source === 'discovered' ? 'discovered, without owner' : 'without owner');
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(each);
  }
  const sorted = [...groups].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
  if (sorted.length <= GROUPS_AT_MOST) return sorted;
  const rest = sorted.slice(GROUPS_AT_MOST - 1);
  return [
    ...sorted.slice(0, GROUPS_AT_MOST - 1),
    [`${count(rest.length)} other owners`, rest.flatMap(([, those]) => those)],
  ];
}

const reached = (each) => each.connected && each.latencyMs !== undefined;
const tail = (each) => (reached(each) ? milliseconds(each.latencyMs) : STATE_WORDS[stateOf(each)]);
/** What is written of it, in that order, and in words what its colour says. */
const said = (each, most = 60) =>
  `${short(each.id, most)} ${reached(each) ? `${tail(each)}, ` : ''}${STATE_WORDS[stateOf(each)]}`;

/** Of many together: down if all are, degraded if some are not well. */
function together(upstreams) {
  const { down, degraded } = statesOf(upstreams);
  if (down === upstreams.length) return 'down';
  return down || degraded ? 'degraded' : 'up';
}

const SHAPE = {
  up: svg`<circle cx="6" cy="6" r="4.5"/>`,
  degraded: svg`<path d="M6 1 11.4 11H.6z"/>`,
  down: svg`<path d="M1.5 1.5h9v9h-9z"/>`,
  unprobed: svg`<circle class="ring" cx="6" cy="6" r="3.7"/>`,
};
const shape = (each, x, y) =>
  svg`<g class="mark ${stateOf(each)}" transform="translate(${x} ${y})">${SHAPE[stateOf(each)]}</g>`;

function named(each, y, { right, width, letters }) {
  const endpoints = (each.endpoints ?? []).slice(0, 8);
  return svg`<a href=${upstreamRoute(each.id)} aria-label=${said(each, letters)}>
    <rect class="node ${stateOf(each)}" x=${right} y=${y} width=${width - right - 12} height=${ROW - 4} rx="4"/>${shape(each, right + 10, y + 6)}
    <text x=${right + 30} y=${y + 16} class="id">${short(each.id, letters)}</text>
    ${endpoints.map((endpoint, i) => svg`<circle class="endpoint ${endpoint.healthy ? 'up' : 'down'}" cx=${width - 92 - 9 * i} cy=${y + 12} r="3"/>`)}
    <text x=${width - 22} y=${y + 16} class="dim end">${tail(each)}</text></a>`;
}

const tile = (each, x, y) => svg`<a href=${upstreamRoute(each.id)} aria-label=${said(each)}><title>${said(each)}</title>
  <rect class="tile ${stateOf(each)}" x=${x} y=${y} width=${TILE - 4} height=${TILE - 4} rx="3"/>${shape(each, x + 3, y + 3)}</a>`;

function layout(upstreams, form) {
  const tiled = upstreams.length > NAMED_AT_MOST;
  const columns = Math.floor((form.width - form.right - 12) / TILE);
  let y = form.top;
  const groups = groupsOf(upstreams).map(([title, those]) => {
    const group = { title, those, top: y };
    y += HEAD + (tiled ? Math.ceil(those.length / columns) * TILE : those.length * ROW) + GAP;
    return group;
  });
  return { groups, tiled, columns, height: Math.max(y, form.top + 220) };
}

/** From the gateway to a place at this height. */
function edge(y, tone, busy, form, from) {
  const bend = (from.x + form.right) / 2;
  const way =
    form === WIDE
      ? `M${from.x} ${from.y}C${bend} ${from.y} ${bend} ${y} ${form.right} ${y}`
      : `M${from.x} ${from.y}V${y - 8}Q${from.x} ${y} ${from.x + 8} ${y}H${form.right}`;
  return svg`<path class="edge ${tone}" stroke-width=${(1 + 1.4 * Math.log10(1 + busy)).toFixed(2)} d=${way}/>`;
}

const box = (
  x,
  y,
  { width, height },
  title,
  rows,
) => svg`<rect class="box" x=${x} y=${y} width=${width} height=${height} rx="6"/>
  <text x=${x + 14} y=${y + 24} class="title">${title}</text>${rows.map((row, i) => svg`<text x=${x + 14} y=${y + 46 + 18 * i} class="dim">${row}</text>`)}`;

const whatItDoes = ({ policy, limits, sharedState, sessions, auditSinks }) => [
  policy.configured ? `${plural(policy.rules, 'rule')}, else ${policy.defaultDecision}` : 'no policy',
  limits.requestsPerMinute ? `${count(limits.requestsPerMinute)} requests a min` : 'no rate limit',
  sharedState === 'none' ? 'one instance' : `shared state: ${sharedState}`,
  ...(sessions ? [plural(sessions.client, 'client session')] : []),
  `audit: ${short(auditSinks.join(', ') || 'none', 20)}`,
];

export function mapPage() {
  const { federation, events } = state;
  if (!federation) return absent();
  const form = narrow.matches ? NARROW : WIDE;
  const { groups, tiled, columns, height } = layout(federation.upstreams, form);
  const middle = Math.min(height / 2, 320);
  const gate = form === WIDE ? { x: 280, y: middle - GATE.height / 2 } : { x: 164, y: 12 };
  const callers = form === WIDE ? { x: 12, y: middle - CALLERS.height / 2 } : { x: 2, y: 12 };
  const from = form === WIDE ? { x: gate.x + GATE.width, y: middle } : { x: 14, y: form.top - 22 };
  const busy = new Map();
  for (const { upstream } of events) if (upstream) busy.set(upstream, (busy.get(upstream) ?? 0) + 1);
  const principals = new Set(events.map(({ principal, issuer }) => (principal ? `${issuer}\n${principal}` : ''))).size;
  const edges = groups.flatMap(({ those, top }) =>
    tiled
      ? [
          edge(
            top + 12,
            together(those),
            those.reduce((sum, { id }) => sum + (busy.get(id) ?? 0), 0),
            form,
            from,
          ),
        ]
      : those.map((each, i) => edge(top + HEAD + i * ROW + 12, stateOf(each), busy.get(each.id) ?? 0, form, from)),
  );
  const first =
    form === WIDE
      ? `M${callers.x + CALLERS.width} ${middle}H${gate.x}`
      : `M${callers.x + CALLERS.width} ${54}H${gate.x}`;
  return html`<h1 tabindex="-1">Map</h1>
    <p class="dim legend-line">
      ${['up', 'degraded', 'down', 'unprobed'].map((each) => html`<span class="state">${mark(each)}${STATE_WORDS[each]}</span>`)}
      <span>Lines are wider where more of the last ${plural(events.length, 'request')} went.</span>
    </p>
    <div class="scroll map" role="region" aria-label="Map of the federation" tabindex="0">
      <svg
        viewBox="0 0 ${form.width} ${height}"
        width=${form.width}
        height=${height}
        role="group"
        aria-label="Callers, gateway and upstreams"
      >
        <path class="edge up" stroke-width="2" d=${first} />
        ${form === WIDE ? nothing : svg`<path class="edge up" stroke-width="2" d="M${gate.x + 20} ${gate.y + GATE.height}V${from.y - 8}Q${gate.x + 20} ${from.y} ${gate.x + 12} ${from.y}H${from.x}"/>`}${edges}
        ${box(callers.x, callers.y, CALLERS, 'Callers', [federation.auth.mode === 'required' ? 'with a token' : 'anybody', `${plural(principals, 'principal')} lately`])}
        ${box(gate.x, gate.y, GATE, `gate ${short(federation.version, 12)}`, whatItDoes(federation))}
        ${groups.map(
          ({
            title,
            those,
            top,
          }) => svg`<text x=${form.right} y=${top + 16} class="title">${short(title, form.letters + 12)}<tspan class="dim" dx="8">${tiled ? count(those.length) : ''}</tspan></text>
        ${those.map((each, i) => (tiled ? tile(each, form.right + (i % columns) * TILE, top + HEAD + Math.floor(i / columns) * TILE) : named(each, top + HEAD + i * ROW, form)))}`,
        )}
      </svg>
    </div>
    ${federation.upstreams.length ? nothing : html`<p class="dim">There is no upstream that you can see. <a href=${route('limits')}>What you may call</a></p>`}`;
}
