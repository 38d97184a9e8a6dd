// The page of gate-hooks: routes, who looks, and what is drawn where.
import { html, nothing, render } from './vendor/lit-html.js';
import { asked, onLost, onNeed, part, pauseRefreshing, refresh } from './api.js';
import { closeAsk } from './ask.js';
import { problems } from './condition.js';
import { deadPage } from './pages/dead.js';
import { deliveryPage } from './pages/delivery.js';
import { editPage, forgetForm, newPage } from './pages/form.js';
import { overview } from './pages/overview.js';
import { signInPage } from './pages/signing_in.js';
import { webhookPage } from './pages/webhook.js';
import { webhooksPage } from './pages/webhooks.js';
import { whyNot } from './pieces.js';
import { changed, onChange, param, place, readPlace } from './place.js';
import { forget, state } from './store.js';
import { count, plain, short } from './text.js';

const PAGES = [
  { page: '', word: 'Overview', draw: overview },
  { page: 'webhooks', word: 'Webhooks', draw: webhooksPage },
  { page: 'dead', word: 'Dead letters', draw: deadPage },
];
/** Where the token is, until the tab is closed. */
const KEPT = 'gate-hooks-token';
const PART = 50;

const [top, nav, main, notice] = ['top', 'nav', 'main', 'notice'].map((id) => document.getElementById(id));

/** What a place shows: its word, what draws it, and what it `needs` beside the lists. */
function here() {
  const { page, rest } = place;
  const cursor = param('cursor');
  if (page === 'webhooks' && rest[0] === 'new') return { word: 'New webhook', draw: newPage };
  if (page === 'webhooks' && rest[1] === 'edit')
    return { word: 'Change the webhook', draw: editPage, whole: true, path: `webhooks/${part(rest[0])}` };
  if (page === 'webhooks' && rest[0]) {
    const path = asked(`webhooks/${part(rest[0])}/deliveries`, { status: param('status'), limit: PART, cursor });
    return { word: 'Webhook', draw: webhookPage, path };
  }
  if (page === 'deliveries' && rest[0]) return { word: 'Delivery', draw: deliveryPage, whole: true, path: `deliveries/${part(rest[0])}` };
  const found = PAGES.find((each) => each.page === page && !rest.length);
  if (page !== 'dead' || !found) return found;
  const path = asked('webhook-deliveries/dlq', { webhook: param('webhook'), event: param('event'), limit: PART, cursor });
  return { ...found, path };
}

onNeed(() => {
  const path = here()?.path;
  return path && { key: path, path };
});

// --- who looks -----------------------------------------------------------------------------------

/** Without storage (a browser may forbid it) it lasts as long as the page. */
function keep(token) {
  try {
    if (token) sessionStorage.setItem(KEPT, token);
    else sessionStorage.removeItem(KEPT);
  } catch {
    // Then it is in memory alone.
  }
}

function kept() {
  try {
    return sessionStorage.getItem(KEPT) ?? undefined;
  } catch {
    return undefined;
  }
}

function end(note) {
  pauseRefreshing();
  forget();
  forgetForm();
  keep();
  closeAsk();
  Object.assign(state, { needsToken: true, signInNote: note });
  changed();
}

/** The token is no good, or there is none and there has to be. */
onLost((message) => end(state.token ? `${plain(message, 200)}.` : ''));

function take(token) {
  forget();
  Object.assign(state, { token, needsToken: false, signInNote: '' });
  keep(token);
  changed();
  refresh();
}

// --- what is drawn -------------------------------------------------------------------------------

function drawTop() {
  render(
    html`<a class="brand" href="#/"><img src="icon.svg" alt="" width="20" height="20" />gate-hooks</a>
      <span class="dim version">${short(state.health?.version, 20)}</span><span class="spring"></span>
      ${state.token ? html`<button type="button" class="quiet" @click=${() => end('')}>Sign out</button>` : nothing}`,
    top,
  );
}

function drawNav() {
  const found = problems(state).filter(({ level }) => level !== 'note').length;
  const numbers = { '': [found, ', things to look at: '], dead: [state.dead?.total ?? 0, ', so many: '] };
  render(
    state.needsToken
      ? nothing
      : PAGES.map(({ page, word }) => {
          const [number, words] = numbers[page] ?? [0];
          return html`<a href="#/${page}" aria-current=${page === place.page ? 'page' : nothing}
            >${word}${number ? html`<span class="badge"><span class="unseen">${words}</span>${count(number)}</span>` : nothing}</a
          >`;
        }),
    nav,
  );
}

const absent = (title, error) =>
  html`<h1 tabindex="-1">${title}</h1>
    ${whyNot(error)}
    <p><a href="#/">Overview</a></p>`;

function drawMain() {
  const at = here();
  document.title = state.needsToken ? 'Sign in – gate-hooks' : `${at?.word ?? 'Not found'} – gate-hooks`;
  if (state.needsToken) return signInPage(take);
  if (!at) return absent('There is no such page.', { message: 'Its address leads nowhere.' });
  if (!state.webhooks) {
    // Without the store there is no list, and that is what has to be said.
    if (state.trouble && state.health && at.page === '') return overview();
    if (state.trouble) return absent('The lists are not there.', state.trouble);
    return html`<h1 class="waiting" tabindex="-1">Looking at the webhooks</h1>`;
  }
  if (at.path && state.view.key !== at.path) return html`<h1 class="waiting" tabindex="-1">Looking</h1>`;
  if (at.whole && state.view.error) return absent('It is not there.', state.view.error);
  if (at.path && !state.view.data && !state.view.error) return html`<h1 class="waiting" tabindex="-1">Looking</h1>`;
  return at.draw();
}

/** The reader has followed a link, and what is there may not have come yet. */
let arrived = false;

function draw() {
  drawTop();
  drawNav();
  render(drawMain(), main);
  // Who listens hears where they have come to, once that is there.
  const heading = arrived && main.querySelector('h1:not(.waiting)');
  if (heading) {
    arrived = false;
    heading.focus();
  }
  const said = state.notice;
  render(said ? html`<p class=${said.level}>${said.text}</p>` : nothing, notice);
  // What a place needs beside the lists, if a filter or a link has made it another one.
  const path = here()?.path;
  if (path && state.view.key !== path && state.webhooks && !state.needsToken) {
    state.view = { key: path };
    refresh();
  }
}

addEventListener('hashchange', () => {
  const before = place;
  readPlace();
  const same = before.page === place.page && before.rest.join('\n') === place.rest.join('\n');
  if (!same) {
    forgetForm();
    arrived = true;
  }
  draw();
  if (same) return;
  nav.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  scrollTo(0, 0);
});

state.token = kept();
readPlace();
onChange(draw);
top.replaceChildren();
main.replaceChildren();
draw();
refresh();
