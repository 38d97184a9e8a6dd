// What is allowed, to whom, and how much of it is left.
import { html, nothing } from '../vendor/lit-html.js';
import { share, upstreamRoute } from '../condition.js';
import { absent, choice, empty, facts, left, mark, meters, param, searchField, setParams, table } from '../parts.js';
import { changed, state } from '../store.js';
import { count, moment, name, plain, plural } from '../text.js';
import { explanation, verdict } from './catalogue.js';

const METHODS = [
  'tools/call',
  'prompts/get',
  'resources/read',
  'resources/subscribe',
  'tools/list',
  'prompts/list',
  'resources/list',
  'logging/setLevel',
  'initialize',
];

/** The question that was sent; typing asks nothing. */
let asked;

function question() {
  const method = param('method') || 'tools/call';
  const subject = param('name');
  if (asked === undefined && subject) asked = `${method}\n${subject}`;
  const current = asked === `${method}\n${subject}`;
  const ask = (event) => {
    event.preventDefault();
    asked = `${method}\n${subject}`;
    explanation(method, subject, true);
    changed();
  };
  const answer = current ? explanation(method, subject) : undefined;
  const shown = html`<section>
    <h2>May I?</h2>
    <p class="dim">
      Asks the gateway what would become of a request of yours. Nothing is sent, and nothing is charged.
    </p>
    <form class="filters" @submit=${ask}>
      <label class="field"
        ><span>Method</span
        ><select @change=${(event) => setParams({ method: event.target.value })}>
          ${METHODS.map((each) => html`<option ?selected=${each === method}>${each}</option>`)}
        </select></label
      >
      ${searchField('name', 'Name or URI', 'namespace__tool')}<button class="primary end">Ask</button>
    </form>
    ${answer ? verdict(answer) : nothing}
  </section>`;
  return { shown, pending: answer && !answer.answer && !answer.failed };
}

const OUTCOMES = {
  applied: ['good', 'applied'],
  unchanged: ['good', 'unchanged'],
  rejected: ['warn', 'rejected'],
  error: ['warn', 'failed'],
};

function shape(federation) {
  const { auth, policy, limits, tracing, discovery, routing, upstreamCounts } = federation;
  const [level, word] = OUTCOMES[discovery?.lastOutcome] ?? ['note', 'not asked yet'];
  return html`<div class="columns">
    <section>
      <h2>Who may call what</h2>
      ${facts([
        [
          'Authentication',
          auth.mode === 'required'
            ? `required; ${plural(auth.issuers, 'issuer')}${auth.enterprise ? ', tokens for enterprise assertions' : ''}`
            : 'off',
        ],
        [
          'Policy',
          policy.configured
            ? `${plural(policy.rules, 'rule')}; otherwise ${policy.defaultDecision}`
            : 'none: everything is allowed',
        ],
        [
          'Tenant',
          federation.tenant &&
            html`${name(federation.tenant.id, 60)}${federation.tenant.upstreams ? html`, with ${plural(federation.tenant.upstreams.length, 'upstream')}` : nothing}`,
        ],
        ['Largest request', limits.maxBodyBytes && `${count(limits.maxBodyBytes)} bytes`],
        [
          'Names',
          routing.passthrough
            ? 'as the only upstream has them'
            : html`namespace <code>${plain(routing.namespaceSeparator, 20)}</code> name`,
        ],
        ['MCP path', name(routing.mcpPath, 100)],
      ])}
    </section>
    <section>
      <h2>What is kept and told</h2>
      ${facts([
        [
          'Audit',
          federation.auditSinks.length ? federation.auditSinks.map((each) => plain(each, 20)).join(', ') : 'nowhere',
        ],
        [
          'Traces',
          tracing.enabled
            ? `on, ${100 * (tracing.sampleRatio ?? 1)} % of new ones, as ${plain(tracing.serviceName, 60)}`
            : 'off',
        ],
        [
          'Shared state',
          {
            none: 'none: one instance',
            ok: html`<span class="state">${mark('good')}there</span>`,
            away: html`<span class="state">${mark('warn')}away</span>`,
          }[federation.sharedState],
        ],
        ['Upstreams', `${count(upstreamCounts.static)} configured, ${count(upstreamCounts.discovered)} discovered`],
        [
          'Discovery',
          discovery
            ? html`<span class="state"
                >${mark(level)}${word}${discovery.lastSyncAt ? ` at ${moment(discovery.lastSyncAt)}` : ''}</span
              >`
            : 'off',
        ],
        ['Discovery said', discovery?.error && plain(discovery.error, 400)],
        ['Version', plain(federation.version, 40)],
      ])}
    </section>
  </div>`;
}

const tightness = (each) => Math.max(0, ...[...(each.limits ?? []), ...(each.budgets ?? [])].map(share));

function perUpstream(upstreams) {
  const limited = upstreams
    .filter((each) => each.limits?.length || each.budgets?.length)
    .sort((a, b) => tightness(b) - tightness(a));
  if (!limited.length) return empty('No upstream has a limit of its own.');
  return table(
    'Limits of upstreams',
    [
      'Upstream',
      ['Rate left', 'figure'],
      ['Requests a minute', 'figure wide'],
      ['Budget left', 'figure'],
      ['Budget', 'figure wide'],
    ],
    limited.slice(0, 200).map(
      (each) =>
        html`<tr>
          <th scope="row"><a href=${upstreamRoute(each.id)}>${name(each.id, 40)}</a></th>
          <td class="figure">${left(each.limits)}</td>
          <td class="figure wide">${each.limits?.[0] ? count(each.limits[0].limit) : '–'}</td>
          <td class="figure">${left(each.budgets)}</td>
          <td class="figure wide">
            ${each.budgets?.[0] ? `${count(each.budgets[0].limit)} a ${each.budgets[0].period}` : '–'}
          </td>
        </tr>`,
    ),
  );
}

export function limitsPage() {
  const { federation } = state;
  if (!federation) return html`${absent()}${state.trouble?.status === 403 ? question().shown : nothing}`;
  const ask = question();
  // What is below moves once only, when the answer to a question is there that came with the address.
  if (ask.pending)
    return html`<h1 tabindex="-1">Limits and policy</h1>
      ${ask.shown}`;
  return html`<h1 tabindex="-1">Limits and policy</h1>
    ${ask.shown}
    <div class="columns">
      <section>
        <h2>The gateway, and you</h2>
        ${meters(federation.usage.limits, federation.usage.budgets)}
      </section>
      ${
        federation.tenant
          ? html`<section>
              <h2>Tenant ${name(federation.tenant.id, 60)}</h2>
              ${meters(federation.tenant.limits, federation.tenant.budgets)}
              ${federation.tenant.upstreams ? html`<p class="dim">Its upstreams: ${federation.tenant.upstreams.slice(0, 60).map((id) => html`<a href=${upstreamRoute(id)}>${name(id, 40)}</a> `)}</p>` : nothing}
            </section>`
          : nothing
      }
    </div>
    <section>
      <h2>Upstreams</h2>
      ${perUpstream(federation.upstreams)}
    </section>
    ${shape(federation)}`;
}
