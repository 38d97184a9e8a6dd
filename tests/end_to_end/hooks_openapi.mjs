// The API of gate-hooks against its own description: schemathesis (PyPI) makes requests of /openapi.json, good ones and
// bad ones, and judges each answer by it. Arguments: gate-hooks.
import assert from 'node:assert/strict';
import { Hooks, TOKEN } from '../../simulations/peers/hooks.mjs';
import { runToEnd } from '../../simulations/peers/process.mjs';
import { scratch } from '../../simulations/peers/gate.mjs';
import { WebhookReceiver } from '../../simulations/peers/webhook_receiver.mjs';
import { ofHooksPython } from './support/hooks_python.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const program = ofHooksPython('schemathesis');
/** For each call; HOOKS_EXAMPLES=500 looks longer. */
const EXAMPLES = process.env.HOOKS_EXAMPLES ?? '25';
const JUDGED = ['not_a_server_error', 'status_code_conformance', 'content_type_conformance', 'response_schema_conformance', 'negative_data_rejection', 'missing_required_header', 'ignored_auth'];

await suite('gate-hooks: its description', async ({ step, defer }) => {
  const receiver = await WebhookReceiver.start();
  const hooks = await Hooks.start(binary, { args: ['--schedule', '0', '--timeout', '1'] });
  defer(async function hooksEnd() {
    await hooks.end();
    await receiver.stop();
  });

  await step('whatever its description allows is answered as it says, and what it forbids is refused', async () => {
    const hook = await hooks.webhook(receiver.hook, { events: ['*'] });
    await hooks.event();
    await hooks.become(hook.id, 'succeeded');
    const { code, out, err } = await runToEnd(program, ['run', `${hooks.url}/openapi.json`, '--header', `Authorization: Bearer ${TOKEN}`, '--checks', JUDGED.join(','), '--max-examples', EXAMPLES,
      '--phases', 'examples,coverage,fuzzing', '--seed', '19', '--max-time', '35', '--continue-on-failure', '--rate-limit', '80/s', '--request-timeout', '30', '--exclude-path-regex', '^/console', '--no-color', '--workers', '1'], { cwd: scratch() });
    assert.equal(code, 0, `${out}\n${err}`);
    assert.equal((await hooks.health()).status, 200);
  }, 300_000);
});
