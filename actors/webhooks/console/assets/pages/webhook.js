// One webhook: what it is, what can be done with it, and its deliveries.
import { html, nothing } from '../vendor/lit-html.js';
import { act, call, part } from '../api.js';
import { confirmed, showSecret } from '../ask.js';
import { choice, empty, facts, mark, table } from '../common.js';
import { STATUSES, button, deliveryRoute, enabledSwitch, eventsText, idName, pager, reasonOf, statusWord, titleOf, when, whyNot } from '../pieces.js';
import { param, place, query, route } from '../place.js';
import { state, webhookOf } from '../store.js';
import { count, name, plain } from '../text.js';
import { stateWord } from './webhooks.js';

const test = (hook) =>
  act(`test ${hook.id}`, async () => {
    state.tested.set(hook.id, await call('POST', `webhooks/${part(hook.id)}/test`));
  });

async function rotate(hook) {
  const sure = await confirmed(
    'Rotate the secret?',
    `From now on ${titleOf(hook)} is signed with a new secret. The present one signs as well for 24 hours.`,
    'Rotate',
  );
  if (!sure) return;
  const out = await act(`rotate ${hook.id}`, () => call('POST', `webhooks/${part(hook.id)}/rotate`));
  if (out?.secret)
    await showSecret(out.secret, 'The new secret', 'It is shown now and never again. The one before it signs as well for 24 hours.');
}

async function remove(hook) {
  const sure = await confirmed(
    'Delete the webhook?',
    `${titleOf(hook)} gets no more events, and its deliveries and dead letters are deleted with it.`,
    'Delete',
  );
  if (!sure) return;
  const out = await act(`delete ${hook.id}`, () => call('DELETE', `webhooks/${part(hook.id)}`), `${titleOf(hook)} is deleted.`);
  if (out) location.hash = route('webhooks');
}

function testResult(hook) {
  const out = state.tested.get(hook.id);
  if (!out) return nothing;
  const words = out.success || out.status ? `HTTP ${plain(out.status, 5)} ${plain(out.status_text, 60)}` : plain(out.error, 500);
  return html`<p class="tried state">
    ${mark(out.success ? 'up' : 'down')}<span>The test ${out.success ? 'was answered' : 'has failed'}: <bdi>${words}</bdi></span>
  </p>`;
}

const row = (each) =>
  html`<tr>
    <td>${statusWord(each.status)}</td>
    <th scope="row"><a href=${deliveryRoute(each.id)}>${plain(each.event_type, 40)}</a></th>
    <td class="figure">${count(each.attempts)}</td>
    <td>${each.response_code === undefined ? (each.error ? plain(each.error, 60) : html`<span class="dim">–</span>`) : `HTTP ${plain(each.response_code, 5)}`}</td>
    <td class="wide one-line">${when(each.created_at)}</td>
    <td class="wide one-line">${each.next_attempt_at ? when(each.next_attempt_at) : html`<span class="dim">–</span>`}</td>
    <td class="wide">${idName(each.event_id)}</td>
  </tr>`;
const HEADS = ['Status', 'Event', ['Attempts', 'figure'], 'Answer', ['Accepted', 'wide'], ['Next attempt', 'wide'], ['Event id', 'wide']];

function deliveries() {
  const { data, error } = state.view;
  return html`<section>
    <h2>Deliveries</h2>
    <form class="filters" @submit=${(event) => event.preventDefault()}>${choice('status', 'Status', STATUSES)}</form>
    ${error ? whyNot(error) : nothing}
    ${data ? (data.deliveries.length ? table('Deliveries', HEADS, data.deliveries.map(row)) : empty(param('status') ? 'None of them is so.' : 'Nothing has been sent to it yet.')) : nothing}
    ${data ? pager(data.next) : nothing}
  </section>`;
}

export function webhookPage() {
  const hook = webhookOf(place.rest[0]);
  const crumb = html`<p class="crumb"><a href="#/webhooks">Webhooks</a></p>`;
  if (!hook)
    return html`${crumb}
      <h1 tabindex="-1">There is no such webhook.</h1>
      <p>Nothing of this organization is called ${name(place.rest[0], 100)}.</p>`;
  return html`${crumb}
    <div class="title-line"><h1 tabindex="-1">${name(titleOf(hook), 80)}</h1>${enabledSwitch(hook)}</div>
    <p class="state">
      ${stateWord(hook)}${hook.enabled ? nothing : html`<span class=${hook.disabled_reason === 'manual' ? 'dim' : 'bad-text'}>${reasonOf(hook)}</span>`}
    </p>
    <div class="tools">
      ${button(`test ${hook.id}`, 'Send a test', () => test(hook), 'primary')}
      <a class="button" href=${route('webhooks', hook.id, 'edit')}>Edit</a>
      ${button(`rotate ${hook.id}`, 'Rotate secret', () => rotate(hook))} ${button(`delete ${hook.id}`, 'Delete', () => remove(hook))}
    </div>
    <div role="status">${testResult(hook)}</div>
    ${facts([
      ['URL', name(hook.url, 300)],
      ['Events', eventsText(hook)],
      ['Id', idName(hook.id)],
      ['Secret', hook.secret_hint ? html`ends in <code>${plain(hook.secret_hint, 8)}</code>` : 'none: deliveries are not signed'],
      ['Deliveries', `${count(hook.stats?.succeeded)} succeeded, ${count(hook.stats?.failed)} were given up`],
      ['Made, changed', html`${when(hook.created_at)}, ${when(hook.updated_at)}`],
      ['Dead letters', html`<a href=${query(route('dead'), { webhook: hook.id })}>those of this webhook</a>`],
    ])}
    ${deliveries()}`;
}
