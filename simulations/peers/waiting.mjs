// Waiting for what other processes do: for events, never for a time that is hoped to be enough.
import assert from 'node:assert/strict';

/** Generous on purpose: who uses this waits for events, this only ends what would never end. */
export const PATIENCE_MS = 60_000;

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Resolves as `promise` does, or fails saying what was waited for. */
export async function within(promise, what, ms = PATIENCE_MS) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`waited ${ms} ms in vain for ${what}`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asks `probe` until it says something true, and returns that. */
export async function until(probe, what, ms = PATIENCE_MS) {
  const end = Date.now() + ms;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (Date.now() > end) assert.fail(`waited ${ms} ms in vain for ${what}`);
    await sleep(20);
  }
}
