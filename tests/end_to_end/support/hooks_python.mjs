// What judges gate-hooks in Python: the library that receivers use, and what asks an API all that its description allows.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runToEnd } from '../../../simulations/peers/process.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const environment = path.join(here, '../../../build/python/hooks');

/** The path of a program of that environment; ends the script with a clear word if it is missing. */
export function ofHooksPython(program) {
  if (!existsSync(path.join(environment, '.installed'))) {
    console.error('FAIL: the Python packages of the tests of gate-hooks are not installed; run `make test`, or');
    console.error('`scripts/python-deps tests/end_to_end/python build/python`');
    process.exit(1);
  }
  return path.join(environment, 'bin', program);
}

/** What PyPI's `standardwebhooks` says of a delivery: `{ good }`, its JSON, or `{ bad }`, why not. */
export async function standardWebhooksOfPython(delivery) {
  const { code, out, err } = await runToEnd(ofHooksPython('python'), [path.join(here, '../python/standard_webhook.py'), JSON.stringify(delivery)]);
  if (code) throw new Error(err);
  return JSON.parse(out);
}
