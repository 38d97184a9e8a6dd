// The receivers of docs/webhooks.md, as they stand there, against the program: each takes what is well signed and refuses
// what is not. Arguments: gate-hooks; perhaps Go, for the one that wants a compiler (make test-receivers).
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { scratch } from '../../simulations/peers/gate.mjs';
import { Hooks } from '../../simulations/peers/hooks.mjs';
import { Child } from '../../simulations/peers/process.mjs';
import { until, within } from '../../simulations/peers/waiting.mjs';
import { WebhookReceiver } from '../../simulations/peers/webhook_receiver.mjs';
import { ofHooksPython } from './support/hooks_python.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const binary = gateBinary();
const BUILD_MS = 300_000;
const page = readFileSync(path.join(here, '../../docs/webhooks.md'), 'utf8');

/** The only block of that language on the page. */
function block(language) {
  const found = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, text]) => text);
  assert.equal(found.length, 1, language);
  return found[0];
}

const portOf = async () => {
  const taken = await WebhookReceiver.start();
  await taken.stop();
  return taken.port;
};

/** Writes the block to a file, and says how it is started. */
const LANGUAGES = {
  Python: async () => {
    const file = path.join(scratch(), 'receiver.py');
    writeFileSync(file, block('python'));
    return [ofHooksPython('python'), [file]];
  },
  // Started from here, where its package is.
  Node: async () => [process.execPath, ['--input-type=module', '-e', block('js')]],
  Go: async () => {
    const folder = scratch();
    writeFileSync(path.join(folder, 'main.go'), block('go'));
    writeFileSync(path.join(folder, 'go.mod'), 'module receiver\n\ngo 1.19\n');
    // The first time it compiles its library, too.
    const made = new Child('go', ['build', '-o', 'receiver', '.'], { cwd: folder, env: { ...process.env, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' } });
    const { code } = await within(made.exit, 'Go to compile', BUILD_MS);
    assert.equal(code, 0, made.log());
    return [path.join(folder, 'receiver'), []];
  },
};

const wanted = process.argv[3] ? [process.argv[3]] : ['Python', 'Node'];

await suite('gate-hooks: receivers of its page', async ({ step, defer }) => {
  const hooks = await Hooks.start(binary, { args: ['--schedule', '0,0'] });
  defer(function hooksEnd() { return hooks.end(); });

  for (const language of wanted) {
    const prepare = LANGUAGES[language];
    await step(`${language}: what is signed is taken, what is not is refused`, async () => {
      const [command, args] = await prepare();
      const port = await portOf();
      const hook = await hooks.webhook(`http://127.0.0.1:${port}/in`, { events: ['*'] });
      const receiver = new Child(command, args, { name: `receiver in ${language}`, cwd: here, env: { ...process.env, WEBHOOK_SECRET: hook.secret, PORT: String(port) } });
      await until(async () => receiver.ended || (await hooks.wants(200, 'POST', `/webhooks/${hook.id}/test`)).success, 'the receiver to answer');
      assert.ok(!receiver.ended, receiver.log());
      const { id } = await hooks.event('rollback.success', { text: 'äöü 🚀' });
      await hooks.become(hook.id, 'succeeded');
      await until(() => receiver.out.includes(`${id} rollback.success`), 'the receiver to print it');
      const forged = await fetch(`http://127.0.0.1:${port}/in`, {
        method: 'POST', body: '{"type":"deploy.success","data":1}',
        headers: { 'webhook-id': 'evt_1', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)), 'webhook-signature': 'v1,AAAA', 'x-gate-signature': '00' },
      });
      assert.equal(forged.status, 401);
      await hooks.wants(200, 'POST', `/webhooks/${hook.id}/rotate`, { secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` });
      // The secret before it signs as well, as Standard Webhooks has it; X-Gate-Signature is of the new one alone.
      const { success } = await hooks.wants(200, 'POST', `/webhooks/${hook.id}/test`);
      assert.equal(success, language !== 'Go');
      await hooks.wants(204, 'DELETE', `/webhooks/${hook.id}`);
      await receiver.stop('SIGTERM');
    }, 2 * BUILD_MS);
  }
});
