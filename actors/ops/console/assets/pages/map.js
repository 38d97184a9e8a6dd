// The federation as a picture: callers, the gateway, and the upstreams by whose they are.
import { html, nothing, svg } from '../vendor/lit-html.js';
import { route, stateOf, statesOf, upstreamRoute } from '../condition.js';
import { STATE_WORDS, absent, mark } from '../parts.js';
import { state } from '../store.js';
import { count, milliseconds, plain, plural } from '../text.js';

const [ROW, TOP, HEAD, GAP] = [28, 16, 26, 14];
const [LEFT, CALLERS, GATE, GATE_WIDTH, RIGHT, WIDTH] = [12, 150, 280, 170, 590, 980];
const TILE = 22;
/** More upstreams than this are tiles. */
const NAMED_AT_MOST = 40;
const TILES_A_ROW = Math.floor((WIDTH - RIGHT - 24) / TILE);

const ownerOf = (each) => [each.owner?.org, each.owner?.team].filter(Boolean).join(' / ');

function groupsOf(upstreams) {
  const groups = new Map();
  for (const each of upstreams) {
    const key = ownerOf(each) || (each.source === 'discovered' ? 'discovered, without owner' : 'without owner');
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(each);
  }
  const sorted = [...groups].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
  // Five hundred owners with one upstream each are no picture.
  if (sorted.length <= 30) return sorted;
  return [...sorted.slice(0, 29), [`${count(sorted.length - 29)} other owners`, sorted.slice(29).flatMap(([, those]) => those)]];
}

const reached = (each) => each.connected && each.latencyMs !== undefined;
/** What is written of it, in that order, and in words what its colour says. */
const said = (each, most = 60) => `${plain(each.id, most)} ${reached(each) ? `${milliseconds(each.latencyMs)}, ` : ''}${STATE_WORDS[stateOf(each)]}`;
/** Of many together: down if all are, degraded if some are not well. */
function together(upstreams) {
  const { down, degraded } = statesOf(upstreams);
  if (down === upstreams.length) return 'down';
  return down || degraded ? 'degraded' : 'up';
}

const edge = (y, middle, tone, busy) => {
  const from = GATE + GATE_WIDTH;
  const bend = (from + RIGHT) / 2;
  return svg`<path class="edge ${tone}" stroke-width=${(1 + 1.4 * Math.log10(1 + busy)).toFixed(2)} d="M${from} ${middle}C${bend} ${middle} ${bend} ${y} ${RIGHT} ${y}"/>`;
};

function named(each, y) {
  const endpoints = (each.endpoints ?? []).slice(0, 10);
  return svg`<a href=${upstreamRoute(each.id)} aria-label=${said(each, 26)}><rect class="node ${stateOf(each)}" x=${RIGHT} y=${y} width=${WIDTH - RIGHT - 12} height=${ROW - 4} rx="4"/>
    <g class="mark ${stateOf(each)}" transform="translate(${RIGHT + 10} ${y + 6})">${SHAPE[stateOf(each)]}</g>
    <text x=${RIGHT + 30} y=${y + 16} class="id">${plain(each.id, 26)}</text>
    ${endpoints.map((endpoint, i) => svg`<circle class="endpoint ${endpoint.healthy ? 'up' : 'down'}" cx=${WIDTH - 100 - 11 * i} cy=${y + 12} r="3.5"/>`)}
    <text x=${WIDTH - 22} y=${y + 16} class="dim end">${reached(each) ? milliseconds(each.latencyMs) : STATE_WORDS[stateOf(each)]}</text></a>`;
}

const SHAPE = { up: svg`<circle cx="6" cy="6" r="4.5"/>`, degraded: svg`<path d="M6 1 11.4 11H.6z"/>`, down: svg`<path d="M1.5 1.5h9v9h-9z"/>`,
  unprobed: svg`<circle class="ring" cx="6" cy="6" r="3.7"/>` };

const tile = (each, x, y) => svg`<a href=${upstreamRoute(each.id)} aria-label=${said(each)}><title>${said(each)}</title>
  <rect class="tile ${stateOf(each)}" x=${x} y=${y} width=${TILE - 4} height=${TILE - 4} rx="3"/>
  <g class="mark ${stateOf(each)}" transform="translate(${x + 3} ${y + 3})">${SHAPE[stateOf(each)]}</g></a>`;

function layout(upstreams) {
  const groups = groupsOf(upstreams);
  const tiled = upstreams.length > NAMED_AT_MOST;
  let y = TOP;
  const out = [];
  for (const [title, those] of groups) {
    const rows = tiled ? Math.ceil(those.length / TILES_A_ROW) * TILE : those.length * ROW;
    out.push({ title, those, top: y, first: y + HEAD, height: HEAD + rows });
    y += HEAD + rows + GAP;
  }
  return { groups: out, tiled, height: Math.max(y, 260) };
}

function box(x, width, middle, height, title, rows) {
  const top = middle - height / 2;
  return svg`<rect class="box" x=${x} y=${top} width=${width} height=${height} rx="6"/>
    <text x=${x + 14} y=${top + 24} class="title">${title}</text>
    ${rows.map((row, i) => svg`<text x=${x + 14} y=${top + 46 + 18 * i} class="dim">${row}</text>`)}`;
}

export function mapPage() {
  const { federation, events } = state;
  if (!federation) return absent();
  const { groups, tiled, height } = layout(federation.upstreams);
  const middle = Math.min(height / 2, 320);
  const busy = new Map();
  for (const { upstream } of events) if (upstream) busy.set(upstream, (busy.get(upstream) ?? 0) + 1);
  const callers = new Set(events.map(({ principal, issuer }) => (principal ? `${issuer}\n${principal}` : ''))).size;
  const edges = groups.flatMap(({ those, top, first }) => (tiled
    ? [edge(top + 12, middle, together(those), those.reduce((sum, { id }) => sum + (busy.get(id) ?? 0), 0))]
    : those.map((each, i) => edge(first + i * ROW + 12, middle, stateOf(each), busy.get(each.id) ?? 0))));
  return html`<h1 tabindex="-1">Map</h1>
    <p class="dim legend-line">${['up', 'degraded', 'down', 'unprobed'].map((each) => html`<span class="state">${mark(each)}${STATE_WORDS[each]}</span>`)}
      <span>Lines are wider where more of the last ${plural(events.length, 'request')} went.</span></p>
    <div class="scroll map" role="region" aria-label="Map of the federation" tabindex="0">
    <svg viewBox="0 0 ${WIDTH} ${height}" width=${WIDTH} height=${height} role="group" aria-label="Callers, gateway and upstreams">
      <path class="edge up" stroke-width="2" d="M${LEFT + CALLERS} ${middle}H${GATE}"/>${edges}
      ${box(LEFT, CALLERS, middle, 84, 'Callers', [federation.auth.mode === 'required' ? 'with a token' : 'anybody', plural(callers, 'principal') + ' lately'])}
      ${box(GATE, GATE_WIDTH, middle, 138, `gate ${plain(federation.version, 12)}`, [
        federation.policy.configured ? `${plural(federation.policy.rules, 'rule')}, else ${federation.policy.defaultDecision}` : 'no policy',
        federation.limits.requestsPerMinute ? `${count(federation.limits.requestsPerMinute)} requests a min` : 'no rate limit',
        federation.sharedState === 'none' ? 'one instance' : `shared state: ${federation.sharedState}`,
        federation.sessions ? plural(federation.sessions.client, 'client session') : federation.auth.mode === 'required' ? 'identity: token' : 'no identity',
        `audit: ${federation.auditSinks.map((each) => plain(each, 10)).join(', ') || 'none'}`])}
      ${groups.map(({ title, those, top, first }) => svg`<text x=${RIGHT} y=${top + 16} class="title">${plain(title, 34)}<tspan class="dim" dx="8">${tiled ? count(those.length) : ''}</tspan></text>
        ${those.map((each, i) => (tiled ? tile(each, RIGHT + (i % TILES_A_ROW) * TILE, first + Math.floor(i / TILES_A_ROW) * TILE) : named(each, first + i * ROW)))}`)}
    </svg></div>
    ${federation.upstreams.length ? nothing : html`<p class="dim">There is no upstream that you can see. <a href=${route('limits')}>What you may call</a></p>`}`;
}
