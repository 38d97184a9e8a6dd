// All webhooks.
import { html, nothing } from '../vendor/lit-html.js';
import { choice, empty, mark, searchField, table } from '../common.js';
import { enabledSwitch, eventsText, titleOf, webhookRoute, when } from '../pieces.js';
import { param, route } from '../place.js';
import { state } from '../store.js';
import { count, name, plain, plural } from '../text.js';

const failed = ({ stats }) => stats?.last_at && !(stats.last_status >= 200 && stats.last_status < 300);

export function stateOf(hook) {
  if (!hook.enabled) return hook.disabled_reason === 'manual' ? 'off' : 'disabled';
  if (!hook.stats?.last_at) return 'new';
  return failed(hook) ? 'failing' : 'well';
}
const MARKS = { off: 'unprobed', disabled: 'down', new: 'unprobed', failing: 'degraded', well: 'up' };
const WORDS = { off: 'off', disabled: 'disabled', new: 'not used yet', failing: 'last attempt failed', well: 'well' };
export const stateWord = (hook) => {
  const known = stateOf(hook);
  return html`<span class="state">${mark(MARKS[known])}${WORDS[known]}</span>`;
};

const lastOf = ({ stats }) =>
  stats?.last_at
    ? html`${stats.last_status ? `HTTP ${plain(stats.last_status, 5)}` : 'no answer'}, ${when(stats.last_at)}`
    : html`<span class="dim">–</span>`;

const row = (hook) =>
  html`<tr>
    <td>${enabledSwitch(hook)}</td>
    <th scope="row"><a href=${webhookRoute(hook.id)}>${name(titleOf(hook), 80)}</a></th>
    <td>${stateWord(hook)}</td>
    <td class="wide code">${eventsText(hook)}</td>
    <td class="wide code">${name(hook.url, 80)}</td>
    <td class="figure wide">${count(hook.stats?.succeeded)}</td>
    <td class="figure wide">${count(hook.stats?.failed)}</td>
    <td class="wide one-line">${lastOf(hook)}</td>
  </tr>`;

const HEADS = [
  'Deliver',
  'Webhook',
  'State',
  ['Events', 'wide'],
  ['URL', 'wide'],
  ['Succeeded', 'figure wide'],
  ['Given up', 'figure wide'],
  ['Last attempt', 'wide'],
];
export const webhookTable = (hooks) => table('Webhooks', HEADS, hooks.map(row));

const STATES = [
  ['off', 'off or disabled'],
  ['failing', 'last attempt failed'],
  ['well', 'well'],
];
const fits = (hook) => {
  const [words, wanted, known] = [param('q').toLowerCase(), param('state'), stateOf(hook)];
  if (wanted && wanted !== known && !(wanted === 'off' && known === 'disabled')) return false;
  return [hook.id, hook.url, hook.description, eventsText(hook)].join('\n').toLowerCase().includes(words);
};

export function webhooksPage() {
  const shown = state.webhooks.filter(fits);
  return html`<div class="title-line">
      <h1 tabindex="-1">Webhooks</h1>
      <a class="button" href=${route('webhooks', 'new')}>New webhook</a>
    </div>
    <p class="dim">
      ${plural(state.webhooks.length, 'webhook')}${state.moreWebhooks ? ', and more than this page shows' : nothing}.
    </p>
    <form class="filters" @submit=${(event) => event.preventDefault()}>
      ${searchField('q', 'Search', 'URL, description, event, id')} ${choice('state', 'State', STATES)}
    </form>
    ${shown.length ? webhookTable(shown) : empty(state.webhooks.length ? 'No webhook is like that.' : 'There is no webhook yet.')}`;
}
