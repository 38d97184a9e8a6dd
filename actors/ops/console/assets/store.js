// What the page knows.
import { changed, place } from './place.js';

export { changed, onChange } from './place.js';

/** Events beyond so many are forgotten, the oldest first. */
export const EVENTS_KEPT = 2000;

export const state = {
  /** Where the reader is. */
  get route() {
    return place;
  },
  /** What /api/auth-hint says; undefined: not known yet. */
  hint: undefined,
  /** In memory only: it ends with the page. */
  token: undefined,
  /** A sentence for whoever has to sign in (again). */
  signInNote: '',
  federation: undefined,
  /** `{ status, message, since }`: why the last report did not come. */
  trouble: undefined,
  fetchedAt: undefined,
  events: [],
  /** `loading`, `live`, `paused`, `waiting`, or `off`. */
  stream: 'loading',
  streamNote: '',
  missed: 0,
  /** Events as they were when the reader wanted them to stand still. */
  held: undefined,
  catalogue: { items: [], failed: [], errors: [], loading: false, loadedAt: undefined },
  /** Answers of /api/explain, by method and name. */
  explained: new Map(),
};

export function addEvents(fresh) {
  state.events = [...state.events, ...fresh].slice(-EVENTS_KEPT);
  changed();
}

/** Forgets what one viewer has seen, before the next one looks. */
export function forget() {
  Object.assign(state, {
    token: undefined,
    federation: undefined,
    trouble: undefined,
    fetchedAt: undefined,
    events: [],
    missed: 0,
    held: undefined,
    stream: 'loading',
    streamNote: '',
    catalogue: { items: [], failed: [], errors: [], loading: false, loadedAt: undefined },
    explained: new Map(),
  });
}
