// The frame of every end-to-end script: named steps, one after the other, each with a generous bound;
// a failed step does not hide the ones after it; what was started is ended, whatever happened, and no
// sanitizer may have complained in it.
import { reports } from '../../../simulations/peers/process.mjs';
import { PATIENCE_MS, within } from '../../../simulations/peers/waiting.mjs';

const STEP_MS = 2 * PATIENCE_MS;

function report(name, began, error) {
  const ms = Math.round(performance.now() - began);
  if (!error) return console.log(`  ok    ${name} (${ms} ms)`);
  console.log(`  FAIL  ${name} (${ms} ms)`);
  console.log(String(error.stack ?? error).replace(/^/gm, '        '));
}

/**
 * Runs `body({ step, defer })` and ends the process: 0 if every step passed. `defer(fn)` registers
 * something to end at the close, last started first. With `ONLY=word` in the environment only steps
 * whose name contains the word run.
 */
export async function suite(title, body) {
  const failed = [];
  const cleanups = [];
  let passed = 0;
  const attempt = async (name, fn, ms = STEP_MS) => {
    const began = performance.now();
    try {
      const value = await within(Promise.resolve().then(fn), `the end of "${name}"`, ms);
      passed += 1;
      report(name, began);
      return value;
    } catch (error) {
      failed.push(name);
      report(name, began, error);
      return undefined;
    }
  };
  const step = (name, fn, ms = STEP_MS) => {
    if (process.env.ONLY && !name.includes(process.env.ONLY)) return undefined;
    return attempt(name, fn, ms);
  };
  const defer = (fn) => cleanups.push(fn);

  console.log(title);
  try {
    await body({ step, defer });
  } catch (error) {
    failed.push('the script itself');
    report('the script itself', performance.now(), error);
  }
  for (const cleanup of cleanups.reverse()) await attempt(`end: ${cleanup.name || 'cleanup'}`, cleanup);
  for (const text of reports()) {
    failed.push('a sanitizer complained');
    console.log(text);
  }
  console.log(`${title}: ${passed} passed, ${failed.length} failed`);
  for (const name of failed) console.log(`  failed: ${name}`);
  process.exit(failed.length || !passed ? 1 : 0);
}

/** The gateway under test: the first argument of every script. */
export function gateBinary() {
  const binary = process.argv[2];
  if (!binary) {
    console.error(`usage: node ${process.argv[1]} <gate binary>`);
    process.exit(2);
  }
  return binary;
}
