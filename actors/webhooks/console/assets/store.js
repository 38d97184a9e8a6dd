// What the page knows.
export const state = {
  /** Kept in sessionStorage: it ends with the tab, but not with a reload. */
  token: undefined,
  needsToken: false,
  /** A sentence for whoever has to sign in (again). */
  signInNote: '',
  /** What /health says, whether all is well or not; undefined: it has not answered yet. */
  health: undefined,
  /** `undefined` until they have come. */
  webhooks: undefined,
  /** There are more than the page asks for. */
  moreWebhooks: false,
  /** What lies in the dead-letter queue. */
  dead: undefined,
  /** `{ message, since }`: why the last look was in vain. */
  trouble: undefined,
  /** What the present place needs beside that: `{ key, data, error }`. */
  view: { key: '' },
  /** What was said last, for a while. */
  notice: undefined,
  /** Keys of what is under way. */
  busy: new Set(),
  /** Answers of test calls, by webhook. */
  tested: new Map(),
};

/** Forgets what one viewer has seen, before the next one looks. */
export function forget() {
  Object.assign(state, {
    token: undefined,
    webhooks: undefined,
    moreWebhooks: false,
    dead: undefined,
    trouble: undefined,
    view: { key: '' },
    notice: undefined,
    tested: new Map(),
  });
}

export const webhookOf = (id) => state.webhooks?.find((each) => each.id === id);
