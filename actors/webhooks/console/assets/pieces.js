// Pieces that several pages of gate-hooks are made of.
import { html, nothing } from './vendor/lit-html.js';
import { act, call, part } from './api.js';
import { mark } from './common.js';
import { place, route, withParams } from './place.js';
import { state } from './store.js';
import { count, lines, milliseconds, name, plain } from './text.js';

export const EVENTS = ['deploy.success', 'deploy.failed', 'activation.error', 'rollback.success', 'usage.threshold'];
export const STATUSES = ['pending', 'delivering', 'succeeded', 'failed', 'dead'];

const STATUS_MARKS = { pending: 'unprobed', delivering: 'unprobed', succeeded: 'up', failed: 'degraded', dead: 'down' };
const STATUS_WORDS = { failed: 'failed, again later', dead: 'dead letter' };
export const statusWord = (status) =>
  html`<span class="state">${mark(STATUS_MARKS[status])}${STATUS_WORDS[status] ?? plain(status, 20)}</span>`;

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });
const near = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** A moment in the reader's own time; the whole of it, in UTC, is in its title. */
export function when(text) {
  const at = new Date(text ?? NaN);
  if (Number.isNaN(at.getTime())) return html`<span class="dim">–</span>`;
  return html`<time datetime=${at.toISOString()} title="${day.format(at)} UTC">${near.format(at)}</time>`;
}

/** How long something took, or is ago. */
export function span(seconds) {
  if (!Number.isFinite(seconds)) return '–';
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return seconds < 48 * 3600 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

export const eventsOf = (hook) => (hook.event ? [hook.event] : (hook.events ?? []));
export const eventsText = (hook) => {
  const all = eventsOf(hook);
  return all.includes('*') ? 'all events' : all.map((each) => plain(each, 40)).join(', ');
};

/** What people call it: what they have described it by, or where it leads. */
export function titleOf(hook) {
  if (!hook) return 'a webhook';
  if (hook.description) return plain(hook.description, 80);
  try {
    const { host, pathname } = new URL(hook.url);
    return plain(host + (pathname === '/' ? '' : pathname), 80);
  } catch {
    return plain(hook.url, 80);
  }
}

const REASONS = {
  manual: 'switched off',
  gone: 'its receiver has answered 410 Gone',
  failing: 'nothing but failures for five days',
};
export const reasonOf = (hook) => REASONS[hook.disabled_reason] ?? plain(hook.disabled_reason ?? 'switched off', 40);

export const webhookRoute = (id) => route('webhooks', id);
export const deliveryRoute = (id) => route('deliveries', id);

export const button = (key, word, click, more = '') =>
  html`<button type="button" class=${more} ?disabled=${state.busy.has(key)} @click=${click}>${word}</button>`;

/** A webhook is on or off. */
export function enabledSwitch(hook) {
  const key = `enabled ${hook.id}`;
  const toggle = () =>
    act(
      key,
      async () => {
        const now = await call('PATCH', `webhooks/${part(hook.id)}`, { enabled: !hook.enabled });
        state.webhooks = state.webhooks?.map((each) => (each.id === now.id ? now : each));
        return now;
      },
      ({ enabled }) => `${titleOf(hook)} is switched ${enabled ? 'on' : 'off'}.`,
    );
  return html`<button
    type="button"
    class="switch"
    role="switch"
    aria-checked=${hook.enabled ? 'true' : 'false'}
    aria-label="${titleOf(hook)}: deliver"
    ?disabled=${state.busy.has(key)}
    @click=${toggle}
  >
    <span class="knob" aria-hidden="true"></span><span class="word" aria-hidden="true">${hook.enabled ? 'on' : 'off'}</span>
  </button>`;
}

/** Links to the other pages of a list. */
export const pager = (next) =>
  place.params.get('cursor') || next
    ? html`<p class="bar pager">
        ${place.params.get('cursor') ? html`<a class="button" href=${withParams({ cursor: '' })}>Newest</a>` : nothing}
        ${next ? html`<a class="button" href=${withParams({ cursor: next })}>Older</a>` : nothing}
      </p>`
    : nothing;

/** Why a list or a thing is not there. */
export const whyNot = (error) =>
  html`<p class="bad-text">${plain(error.message, 300)}${error.hint ? html` <span class="dim">${plain(error.hint, 200)}</span>` : nothing}</p>`;

/** What a receiver has answered; text, whatever it is. */
export const answerOf = ({ response_code: code, response_body: body, error }) => html`
  ${error ? html`<p class="bad-text">${plain(error, 600)}</p>` : nothing}
  ${
    code === undefined
      ? nothing
      : html`<p class="dim">HTTP ${plain(code, 5)}${body ? html`, ${count(body.length)} characters are kept` : ', with an empty body'}</p>
          ${body ? html`<pre class="body" tabindex="0" role="region" aria-label="What the receiver answered">${lines(body, 5000)}</pre>` : nothing}`
  }
`;

export const attemptRow = (attempt, i) =>
  html`<tr>
    <th scope="row" class="figure">${i + 1}</th>
    <td class="one-line">${when(attempt.at)}</td>
    <td class="figure">${milliseconds(attempt.duration_ms)}</td>
    <td>${attempt.code === undefined ? html`<span class="dim">no answer</span>` : `HTTP ${plain(attempt.code, 5)}`}</td>
    <td class="prose">${attempt.error ? plain(attempt.error, 600) : nothing}</td>
  </tr>`;

export const idName = (id) => html`<span class="id">${name(id, 140)}</span>`;
