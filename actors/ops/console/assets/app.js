// The page: routes, who looks, and what is drawn where. It reads only: it has no request that changes anything.
import { html, nothing, render } from './vendor/lit-html.js';
import './chart.js';
import { readHint, watchActivity, watchFederation } from './api.js';
import { problems } from './condition.js';
import { openJump } from './jump.js';
import { activityPage } from './pages/activity.js';
import { cataloguePage } from './pages/catalogue.js';
import { limitsPage } from './pages/limits.js';
import { mapPage } from './pages/map.js';
import { overview } from './pages/overview.js';
import { signInPage } from './pages/signing_in.js';
import { upstreamsPage } from './pages/upstreams.js';
import { readPlace } from './place.js';
import { finishSignIn } from './sign_in.js';
import { changed, forget, onChange, state } from './store.js';
import { count, plain, short } from './text.js';

const PAGES = [
  { page: '', word: 'Overview', draw: overview },
  { page: 'upstreams', word: 'Upstreams', draw: upstreamsPage },
  { page: 'map', word: 'Map', draw: mapPage },
  { page: 'catalogue', word: 'Catalogue', draw: () => cataloguePage(lost) },
  { page: 'activity', word: 'Activity', draw: activityPage },
  { page: 'limits', word: 'Limits and policy', draw: limitsPage },
];
const [top, nav, main] = ['top', 'nav', 'main'].map((id) => document.getElementById(id));

/** What is under way for the present viewer. */
let watching = new AbortController();

function watch() {
  watching.abort();
  watching = new AbortController();
  watchFederation(watching.signal, lost);
  watchActivity(watching.signal, lost);
}

/** The token is no good (any more). */
function lost(message) {
  if (needsSignIn()) return;
  watching.abort();
  const had = state.token !== undefined;
  forget();
  state.signInNote = had ? message : '';
  state.needsToken = true;
  changed();
}

function take(token) {
  forget();
  Object.assign(state, { token, signInNote: '', needsToken: false });
  watch();
  changed();
}

function leave() {
  watching.abort();
  forget();
  Object.assign(state, { signInNote: '', needsToken: true });
  changed();
}

// --- where the reader is -------------------------------------------------------------------------

function goOn() {
  const before = state.route;
  readPlace();
  draw();
  const same = before.page === state.route.page && before.rest.join('\n') === state.route.rest.join('\n');
  if (same) return;
  nav.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  const within = state.route.page === 'catalogue' && before.page === 'catalogue' && document.getElementById('selected');
  (within || main.querySelector('h1'))?.focus({ preventScroll: Boolean(within) });
  if (!within) scrollTo(0, 0);
}

// --- what is drawn -------------------------------------------------------------------------------

const needsSignIn = () => state.needsToken && !state.token;

function drawTop() {
  const viewer = state.federation?.viewer;
  render(
    html`<a class="brand" href="#/"><img src="icon.svg" alt="" width="20" height="20" />gate</a>
      <span class="dim version">${short(state.federation?.version, 20)}</span
      ><span class="spring"></span>
      ${needsSignIn() ? nothing : html`<button type="button" class="quiet" aria-keyshortcuts="Control+K" @click=${openJump}>Jump to <kbd>Ctrl K</kbd></button>`}
      ${
        state.token
          ? html`<span class="viewer dim"><bdi>${plain(viewer?.principal ?? '', 40)}</bdi></span
              ><button type="button" class="quiet" @click=${leave}>Sign out</button>`
          : nothing
      }`,
    top,
  );
}

function drawNav() {
  const found = state.federation
    ? problems(state.federation, state.events).filter(({ level }) => level !== 'note').length
    : 0;
  const badges = {
    '': found
      ? html`<span class="badge"><span class="unseen">, things to look at: </span>${count(found)}</span>`
      : nothing,
  };
  render(
    needsSignIn()
      ? nothing
      : PAGES.map(
          ({ page, word }) =>
            html`<a href="#/${page}" aria-current=${page === state.route.page ? 'page' : nothing}
              >${word}${badges[page]}</a
            >`,
        ),
    nav,
  );
}

/** A first report, and the events beside it, come together: nothing moves when the second of them arrives. */
const isWaiting = () => !state.trouble && (!state.federation || (state.stream === 'loading' && !state.events.length));

function drawMain() {
  const here = PAGES.find(({ page }) => page === state.route.page);
  document.title = needsSignIn()
    ? 'Sign in – gate'
    : `${state.route.rest.at(-1) ? `${plain(state.route.rest.at(-1), 60)} – ` : ''}${here?.word ?? 'Not found'} – gate`;
  if (needsSignIn()) return signInPage(take);
  if (!here)
    return html`<h1 tabindex="-1">There is no such page.</h1>
      <p><a href="#/">Overview</a></p>`;
  if (isWaiting()) return html`<h1 class="waiting" tabindex="-1">Looking at the federation</h1>`;
  return here.draw();
}

function draw() {
  drawTop();
  drawNav();
  render(drawMain(), main);
}

addEventListener('hashchange', goOn);
addEventListener('keydown', (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === 'k' && !needsSignIn()) {
    event.preventDefault();
    openJump();
  }
});

async function begin() {
  readPlace();
  onChange(draw);
  try {
    await readHint();
  } catch (error) {
    state.trouble = {
      status: error.status,
      message: error.status ? error.message : 'The gateway does not answer.',
      since: new Date(),
    };
  }
  try {
    const token = await finishSignIn();
    readPlace();
    if (token) return take(token);
  } catch (error) {
    readPlace();
    state.signInNote = `Signing in did not work: ${error.message}.`;
    state.needsToken = true;
  }
  if (state.hint?.authRequired) state.needsToken = true;
  else watch();
  return changed();
}

top.replaceChildren();
main.replaceChildren();
draw();
begin();
