// Making a webhook, and changing one.
import { html, nothing } from '../vendor/lit-html.js';
import { Refused, call, part, refresh, say } from '../api.js';
import { showSecret } from '../ask.js';
import { EVENTS, eventsOf, titleOf, webhookRoute } from '../pieces.js';
import { changed, place, route } from '../place.js';
import { state } from '../store.js';
import { name, plain } from '../text.js';

/** What the form says; `of`: the webhook that it began with, or nothing. */
let form = { of: undefined, sending: false, wrong: undefined };

/** A form for another webhook is another form. */
function begin(of) {
  if (form.of !== of) form = { of, sending: false, wrong: undefined };
}

export const forgetForm = () => (form = { of: undefined, sending: false, wrong: undefined });

const FIELDS = { '/url': 'url', '/secret': 'secret', '/description': 'description', '/event': 'events', '/events': 'events' };
const wrongAt = (field) =>
  form.wrong && FIELDS[(form.wrong.details?.pointer ?? '').replace(/^(\/events)\/.*$/, '$1')] === field ? form.wrong.message : '';

function saidOf(elements, hook) {
  const chosen = elements.all.checked ? ['*'] : EVENTS.filter((each) => elements[each].checked);
  const events = chosen.length === 1 && chosen[0] !== '*' ? { event: chosen[0] } : { events: chosen };
  const description = elements.description.value.trim();
  const secret = elements.secret?.value.trim();
  return {
    url: elements.url.value.trim(),
    ...events,
    ...((description || hook) && { description }),
    ...(secret && { secret }),
  };
}

async function send(target, hook) {
  const said = saidOf(target.elements, hook);
  if (!hook) return call('POST', 'webhooks', said);
  return call('PATCH', `webhooks/${part(hook.id)}`, said);
}

const submit = (hook) => async (event) => {
  event.preventDefault();
  if (form.sending) return;
  Object.assign(form, { sending: true, wrong: undefined });
  changed();
  try {
    const made = await send(event.target, hook);
    forgetForm();
    await refresh();
    location.hash = webhookRoute(made.id);
    say(`${titleOf(made)} is ${hook ? 'changed' : 'made'}.`);
    if (made.secret) {
      await showSecret(
        made.secret,
        'The secret of this webhook',
        'Its receiver verifies by it who sends. It is shown now and never again; whoever has lost it rotates it.',
      );
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    Object.assign(form, { sending: false, wrong: error });
    changed();
    if (error.status === 401) refresh();
    requestAnimationFrame(() => document.querySelector('[aria-invalid="true"], #form-wrong')?.focus());
  }
};

const problem = (field) =>
  wrongAt(field) ? html`<span class="bad-text" id="wrong-${field}">${plain(wrongAt(field), 300)}</span>` : nothing;

const text = (field, label, more) =>
  html`<label class="field"
    ><span>${label}</span>
    <input
      name=${field}
      type=${more.type ?? 'text'}
      .value=${more.value ?? ''}
      ?required=${more.required}
      maxlength=${more.longest}
      placeholder=${more.hint ?? ''}
      autocomplete="off"
      spellcheck="false"
      aria-invalid=${wrongAt(field) ? 'true' : nothing}
      aria-describedby=${wrongAt(field) ? `wrong-${field}` : nothing}
    />${problem(field)}${more.note ? html`<span class="hint">${more.note}</span>` : nothing}</label
  >`;

function eventsField(hook) {
  const chosen = hook ? eventsOf(hook) : [];
  const follow = ({ target }) => {
    for (const each of target.form.querySelectorAll('.one-event')) {
      each.disabled = target.checked;
      if (target.checked) each.checked = true;
    }
  };
  const all = chosen.includes('*');
  return html`<fieldset aria-describedby=${wrongAt('events') ? 'wrong-events' : nothing}>
    <legend>Events</legend>
    <label class="check"><input type="checkbox" name="all" ?checked=${all} @change=${follow} />All</label>
    ${EVENTS.map(
      (each) =>
        html`<label class="check"
          ><input type="checkbox" class="one-event" name=${each} ?checked=${all || chosen.includes(each)} ?disabled=${all} />${each}</label
        >`,
    )}
    ${problem('events')}
  </fieldset>`;
}

function formOf(hook) {
  begin(hook?.id);
  const elsewhere = form.wrong && !['url', 'secret', 'description', 'events'].some(wrongAt);
  return html`<form class="form" @submit=${submit(hook)} novalidate>
    ${elsewhere ? html`<p class="bad-text" id="form-wrong" role="alert" tabindex="-1">${plain(form.wrong.message, 300)}</p>` : nothing}
    ${text('url', 'URL', { value: hook?.url, required: true, longest: 2048, hint: 'https://example.com/hooks', note: 'https, and a host of the public internet.' })}
    ${eventsField(hook)}
    ${text('description', 'Description', { value: hook?.description, longest: 500, note: 'What you call it. May be empty.' })}
    ${
      hook
        ? nothing
        : text('secret', 'Secret', { type: 'password', longest: 256, note: '16 characters or more, or whsec_ and a key in base64. Without one, one is made.' })
    }
    <p class="bar">
      <button class="primary" ?disabled=${form.sending}>${hook ? 'Save' : 'Create'}</button>
      <a class="button" href=${hook ? webhookRoute(hook.id) : route('webhooks')}>Cancel</a>
    </p>
  </form>`;
}

export const newPage = () =>
  html`<p class="crumb"><a href="#/webhooks">Webhooks</a></p>
    <h1 tabindex="-1">New webhook</h1>
    ${formOf()}`;

export function editPage() {
  const hook = state.view.data;
  return html`<p class="crumb"><a href=${webhookRoute(place.rest[0])}>${name(titleOf(hook), 80)}</a></p>
    <h1 tabindex="-1">Change the webhook</h1>
    ${formOf(hook)}`;
}
