// One delivery: what became of it, in full.
import { html, nothing } from '../vendor/lit-html.js';
import { act, call, part } from '../api.js';
import { empty, facts, table } from '../common.js';
import { answerOf, attemptRow, button, idName, statusWord, titleOf, webhookRoute, when } from '../pieces.js';
import { state, webhookOf } from '../store.js';
import { count, name, plain } from '../text.js';

const HEADS = [['Attempt', 'figure'], 'At', ['Took', 'figure'], 'Answer', 'Error'];
const again = (each) => act(`retry ${each.id}`, () => call('POST', `deliveries/${part(each.id)}/retry`), 'The delivery is due now.');

export function deliveryPage() {
  const each = state.view.data;
  const hook = webhookOf(each.webhook_id);
  const log = each.attempt_log ?? [];
  return html`<p class="crumb"><a href=${webhookRoute(each.webhook_id)}>${name(titleOf(hook), 80)}</a></p>
    <h1 tabindex="-1">Delivery of ${plain(each.event_type, 40)}</h1>
    <p class="state">${statusWord(each.status)}</p>
    ${each.status === 'succeeded' || each.status === 'delivering' ? nothing : html`<div class="tools">${button(`retry ${each.id}`, 'Deliver now', () => again(each), 'primary')}</div>`}
    ${facts([
      ['Delivery', idName(each.id)],
      ['Event', idName(each.event_id)],
      ['Accepted', when(each.created_at)],
      ['Attempts', count(each.attempts)],
      ['Next attempt', each.next_attempt_at && when(each.next_attempt_at)],
      ['Finished', each.finished_at && when(each.finished_at)],
    ])}
    <section>
      <h2>Last answer</h2>
      ${each.error || each.response_code !== undefined ? answerOf(each) : empty('There has been none yet.')}
    </section>
    <section>
      <h2>Attempts</h2>
      ${log.length ? table('Attempts', HEADS, log.map(attemptRow)) : empty('None has been made yet.')}
      ${each.attempts > log.length && log.length ? html`<p class="dim">The last ${count(log.length)} are kept.</p>` : nothing}
    </section>`;
}
