// The endpoints beside MCP: the report, the hint, explanations, and audit events while they happen.
import { addEvents, changed, state } from './store.js';

/** A report this often: each counts in the viewer's own rate limit. */
const REPORT_EVERY_MS = 10_000;
/** After a failure sooner, so that it is noticed when all is well again. */
const REPORT_AGAIN_MS = 3000;
const AGAIN_AFTER_MS = 2000;
const AGAIN_AT_MOST_MS = 60_000;
const EVENTS_AT_ONCE = 1000;

export class Refused extends Error {
  constructor(status, message, retryAfterMs) {
    super(message);
    Object.assign(this, { status, retryAfterMs });
  }
}

/** The page may stand below a path of a reverse proxy; everything is named from where it is. */
export const address = (path) => new URL(`../${path}`, document.baseURI);

export const credentials = () => (state.token ? { Authorization: `Bearer ${state.token}` } : {});

export async function refusalOf(response) {
  let message = `HTTP ${response.status}`;
  try {
    const body = await response.json();
    const said = typeof body.error === 'string' ? body.error : body.error?.message;
    if (said) message = said;
  } catch {
    // Not JSON: the status has to do.
  }
  const wait = Number(response.headers.get('retry-after'));
  return new Refused(response.status, message, wait > 0 ? wait * 1000 : undefined);
}

function open(path, { headers = {}, ...rest } = {}) {
  return fetch(address(path), {
    headers: { Accept: 'application/json', ...credentials(), ...headers },
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    ...rest,
  });
}

async function get(path, options) {
  const response = await open(path, options);
  if (!response.ok) throw await refusalOf(response);
  return response.json();
}

/** For whoever has no token yet. */
export async function readHint() {
  state.hint = await get('api/auth-hint');
  changed();
}

export async function explain(method, name) {
  const asked = { method, ...(name !== undefined && name !== '' && { name }) };
  return get(`api/explain?${new URLSearchParams(asked)}`);
}

const visible = () =>
  new Promise((resolve) => {
    if (!document.hidden) return resolve();
    const look = () => {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', look);
      resolve();
    };
    return document.addEventListener('visibilitychange', look);
  });

/** Resolves after `ms`, or at once when `signal` is aborted. */
const pause = (ms, signal) =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });

/** What a failure means; `lost()` is told when the token is no good. False: there is no sense in coming again. */
function note(error, lost) {
  if (error.status === 401) {
    lost(error.message);
    return false;
  }
  const message = error instanceof Refused ? error.message : 'The gateway does not answer.';
  state.trouble = { status: error.status, message, since: state.trouble?.since ?? new Date() };
  changed();
  return error.status !== 403 && error.status !== 404;
}

/** Asks for the report again and again, while the page is looked at. */
export async function watchFederation(signal, lost) {
  while (!signal.aborted) {
    let wait = REPORT_EVERY_MS;
    try {
      const report = await get('api/federation', { signal });
      if (signal.aborted) return;
      Object.assign(state, { federation: report, trouble: undefined, fetchedAt: new Date() });
      changed();
    } catch (error) {
      if (signal.aborted || !note(error, lost)) return;
      wait = Math.max(REPORT_AGAIN_MS, error.retryAfterMs ?? 0);
    }
    await pause(wait, signal);
    await visible();
  }
}

/** Pieces of an event stream to events: `{ event, data, id }`. */
export function streamReader(deliver) {
  let text = '';
  return (piece) => {
    text += piece;
    for (;;) {
      const end = text.search(/\r?\n\r?\n/);
      if (end < 0) return;
      const block = text.slice(0, end);
      text = text.slice(end).replace(/^\r?\n\r?\n/, '');
      const out = { event: 'message', data: '' };
      for (const line of block.split(/\r?\n/)) {
        const [, key, value] = line.match(/^([^:]+):? ?(.*)$/) ?? [];
        if (key === 'data') out.data += (out.data && '\n') + value;
        else if (key === 'event' || key === 'id') out[key] = value;
      }
      if (out.data) deliver(out);
    }
  };
}

/** All that is kept; returns where the stream begins. */
async function readPast(signal) {
  let { events, next } = await get(`api/activity?limit=${EVENTS_AT_ONCE}`, { signal });
  signal.throwIfAborted();
  addEvents(events);
  for (let rounds = 0; events.length && rounds < 8; rounds += 1) {
    ({ events, next } = await get(`api/activity?since=${next}&limit=${EVENTS_AT_ONCE}`, { signal }));
    signal.throwIfAborted();
    addEvents(events);
  }
  return next;
}

/** Reads one stream to its end; returns where to go on, and why it ended. */
async function readStream(since, signal) {
  const response = await open(`api/activity?since=${since}`, { headers: { Accept: 'text/event-stream' }, signal });
  if (!response.ok) throw await refusalOf(response);
  state.stream = 'live';
  state.streamNote = '';
  changed();
  const out = { since, reason: '' };
  let fresh = [];
  const read = streamReader(({ event, data, id }) => {
    if (id) out.since = id;
    const said = JSON.parse(data);
    if (event === 'audit') fresh.push(said);
    if (event === 'missed') state.missed += said.count;
    if (event === 'end') out.reason = said.reason;
  });
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return out;
    read(decoder.decode(value, { stream: true }));
    if (fresh.length) addEvents(fresh);
    fresh = [];
  }
}

/** The events that are kept, then those that happen. */
export async function watchActivity(signal, lost) {
  let since;
  let failures = 0;
  while (!signal.aborted) {
    try {
      since ??= await readPast(signal);
      const end = await readStream(since, signal);
      since = end.since;
      failures = 0;
      if (end.reason === 'token_expired') return lost('The token has expired.');
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error.status === 401) return lost(error.message);
      failures += 1;
      state.streamNote = error instanceof Refused ? error.message : 'The gateway does not answer.';
      if (error.status === 403 || error.status === 404) {
        state.stream = 'off';
        changed();
        return undefined;
      }
      await pause(error.retryAfterMs ?? 0, signal);
    }
    // What the state says then is of the next viewer.
    if (signal.aborted) return undefined;
    state.stream = 'waiting';
    changed();
    await pause(Math.min(AGAIN_AFTER_MS * 2 ** failures, AGAIN_AT_MOST_MS), signal);
    await visible();
  }
  return undefined;
}
