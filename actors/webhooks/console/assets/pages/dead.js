// The dead-letter queue: what was given up, and what can be done about it.
import { html, nothing } from '../vendor/lit-html.js';
import { act, call, part } from '../api.js';
import { confirmed } from '../ask.js';
import { choice, empty, table } from '../common.js';
import { EVENTS, button, deliveryRoute, pager, span, titleOf, webhookRoute, when, whyNot } from '../pieces.js';
import { param } from '../place.js';
import { state, webhookOf } from '../store.js';
import { count, name, plain, plural } from '../text.js';

/** What came of it, in words. */
const outcome = ({ retried = 0, succeeded = 0, failed = 0 }) =>
  `${plural(retried, 'delivery was', 'deliveries were')} tried again: ${count(succeeded)} succeeded, ${count(failed)} failed${retried > succeeded + failed ? `, ${count(retried - succeeded - failed)} are under way` : ''}.`;

const retry = (id) => act(`dead ${id}`, () => call('POST', `webhook-deliveries/dlq/${part(id)}/retry`), outcome);

async function retryAll(hook) {
  const sure = await confirmed(
    'Retry all of them?',
    `Every dead letter of ${titleOf(hook)} is sent again. What fails stays here, with its new error.`,
    'Retry all',
  );
  if (sure) await retry(hook.id);
}

async function remove(each) {
  const sure = await confirmed('Delete the dead letter?', `This ${plain(each.event_type, 40)} will never be delivered to ${titleOf(webhookOf(each.webhook_id))}.`, 'Delete');
  if (sure) await act(`dead ${each.id}`, () => call('DELETE', `webhook-deliveries/dlq/${part(each.id)}`), 'The dead letter is deleted.');
}

const row = (each) => {
  const what = `${plain(each.event_type, 40)} ${plain(each.id, 40)}`;
  return html`<tr>
    <th scope="row"><a href=${deliveryRoute(each.id)}>${plain(each.event_type, 40)}</a></th>
    <td><a href=${webhookRoute(each.webhook_id)}>${name(titleOf(webhookOf(each.webhook_id)), 60)}</a></td>
    <td class="prose">${each.error ? plain(each.error, 200) : each.response_code === undefined ? nothing : `HTTP ${plain(each.response_code, 5)}`}</td>
    <td class="figure wide">${count(each.attempts)}</td>
    <td class="wide one-line">${when(each.first_failed_at)}</td>
    <td class="one-line">${span(each.age_seconds)}</td>
    <td class="acts">
      <button type="button" aria-label="Retry ${what}" ?disabled=${state.busy.has(`dead ${each.id}`)} @click=${() => retry(each.id)}>Retry</button
      ><button type="button" aria-label="Delete ${what}" ?disabled=${state.busy.has(`dead ${each.id}`)} @click=${() => remove(each)}>Delete</button>
    </td>
  </tr>`;
};
const HEADS = ['Event', 'Webhook', 'Error', ['Attempts', 'figure wide'], ['First failed', 'wide'], 'For', html`<span class="unseen">What to do</span>`];

const AGES = { '1h': 'of the last hour', '24h': 'of the last day', '7d': 'of the last week', older: 'older' };
const figures = (dead) =>
  html`<dl class="tiles">
    ${Object.entries(AGES).map(
      ([key, word]) =>
        html`<div class="tile">
          <dt>${word}</dt>
          <dd>${count(dead.by_age?.[key] ?? 0)}</dd>
        </div>`,
    )}
  </dl>`;

export function deadPage() {
  const { data, error } = state.view;
  const hook = webhookOf(param('webhook'));
  const hooks = state.webhooks.map((each) => [each.id, titleOf(each)]);
  return html`<h1 tabindex="-1">Dead letters</h1>
    <p class="dim">What no attempt has delivered. It is kept for a while, and can be tried again.</p>
    ${state.dead ? figures(state.dead) : nothing}
    <form class="filters" @submit=${(event) => event.preventDefault()}>
      ${choice('webhook', 'Webhook', hooks)} ${choice('event', 'Event', EVENTS)}
      ${hook ? html`<span class="end">${button(`dead ${hook.id}`, 'Retry all of this webhook', () => retryAll(hook))}</span>` : nothing}
    </form>
    ${error ? whyNot(error) : nothing}
    ${data ? (data.entries.length ? table('Dead letters', HEADS, data.entries.map(row)) : empty(param('webhook') || param('event') ? 'None of them is so.' : 'There is none.')) : nothing}
    ${data ? pager(data.next) : nothing}`;
}
