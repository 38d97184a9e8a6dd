// The API of gate-hooks, as everybody has it (/openapi.json), and what is asked again and again.
import { changed, place } from './place.js';
import { state } from './store.js';

/** While somebody looks, so often; after a failure sooner, so that it is noticed when all is well again. */
const AGAIN_MS = 10_000;
const SOONER_MS = 3000;
const PAGE = 100;
/** Webhooks beyond so many pages are not shown. */
const PAGES_AT_MOST = 10;

export class Refused extends Error {
  constructor(status, { error, code, details, hint } = {}) {
    super(error ?? `HTTP ${status}`);
    Object.assign(this, { status, code, details, hint });
  }
}

/** The page may stand below a path of a reverse proxy; everything is named from where it is. */
const address = (path) => new URL(`../${path}`, document.baseURI);

async function send(method, path, body) {
  try {
    return await fetch(address(path), {
      method,
      headers: {
        Accept: 'application/json',
        ...(state.token && { Authorization: `Bearer ${state.token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    });
  } catch {
    throw new Refused(0, { error: 'The service does not answer.' });
  }
}

const json = (response) => response.json().catch(() => ({}));

/** What it answers, or nothing (204); throws `Refused`. */
export async function call(method, path, body) {
  const response = await send(method, path, body);
  if (!response.ok) throw new Refused(response.status, await json(response));
  return response.status === 204 ? undefined : response.json();
}

export const get = (path) => call('GET', path);
export const part = encodeURIComponent;

/** `path?…` of the members that are not empty. */
export function asked(path, members) {
  const params = new URLSearchParams(Object.entries(members).filter(([, value]) => value));
  return params.size ? `${path}?${params}` : path;
}

/** It says what is wrong with a status of its own, and that is no failure here. */
async function readHealth() {
  const response = await send('GET', 'health');
  const health = await json(response);
  if (response.status !== 200 && response.status !== 503) throw new Refused(response.status, health);
  state.health = health;
}

async function readWebhooks() {
  const all = [];
  let cursor;
  for (let pages = 0; pages < PAGES_AT_MOST; pages += 1) {
    const { webhooks, next } = await get(asked('webhooks', { limit: PAGE, cursor }));
    all.push(...webhooks);
    cursor = next;
    if (!next) break;
  }
  Object.assign(state, { webhooks: all, moreWebhooks: Boolean(cursor) });
}

async function readDead() {
  state.dead = await get('webhook-deliveries/dlq/stats');
}

/** `{ key, path }` of what a place needs beside the lists; set by the page. */
let needed = () => undefined;
export const onNeed = (fn) => (needed = fn);

async function readView() {
  const need = needed();
  if (!need) {
    state.view = { key: '' };
    return;
  }
  if (state.view.key !== need.key) state.view = { key: need.key };
  try {
    const data = await get(need.path);
    // Who reads has gone elsewhere meanwhile.
    if (state.view.key === need.key) state.view = { key: need.key, data };
  } catch (error) {
    if (error.status === 401 || error.status === 0) throw error;
    if (state.view.key === need.key) state.view = { key: need.key, error };
  }
}

let timer;
let round = 0;
let lost = () => {};
export const onLost = (fn) => (lost = fn);

function plan(ms) {
  clearTimeout(timer);
  timer = setTimeout(() => (document.hidden ? plan(ms) : refresh()), ms);
}

/** Asks for all of it; of several that overlap the last one counts. */
export async function refresh() {
  round += 1;
  const own = round;
  let wait = AGAIN_MS;
  try {
    const all = await Promise.allSettled([readHealth(), readWebhooks(), readDead(), readView()]);
    const [failed] = all.filter(({ status }) => status === 'rejected').map(({ reason }) => reason);
    if (failed) throw all.find(({ reason }) => reason?.status === 401)?.reason ?? failed;
    state.trouble = undefined;
  } catch (error) {
    if (own !== round) return;
    if (error.status === 401) {
      pauseRefreshing();
      lost(error.message);
      return;
    }
    if (!(error instanceof Refused)) throw error;
    state.trouble = { status: error.status, message: error.message, since: state.trouble?.since ?? new Date() };
    wait = SOONER_MS;
  }
  if (own !== round) return;
  changed();
  plan(wait);
}

export function pauseRefreshing() {
  round += 1;
  clearTimeout(timer);
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden && !state.needsToken) refresh();
});

/** Does something once, however often it is asked for meanwhile; says what came of it, and looks again. */
export async function act(key, fn, said) {
  if (state.busy.has(key)) return undefined;
  state.busy.add(key);
  changed();
  let out;
  try {
    out = (await fn()) ?? true;
    if (said) say(typeof said === 'function' ? said(out) : said);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.status === 401) {
      pauseRefreshing();
      lost(error.message);
      return undefined;
    }
    say(`${error.message}${/[.!?]$/.test(error.message) ? '' : '.'}${error.hint ? ` ${error.hint}` : ''}`, 'bad');
  } finally {
    state.busy.delete(key);
    changed();
  }
  await refresh();
  return out;
}

let hush;
export function say(text, level = 'good') {
  state.notice = { text, level };
  clearTimeout(hush);
  hush = setTimeout(() => {
    state.notice = undefined;
    changed();
  }, 12_000);
  changed();
}

/** The cursor of a list is part of the place. */
export const cursor = () => place.params.get('cursor') ?? '';
