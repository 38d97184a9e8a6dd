// Whom gate-hooks does not call: addresses of this machine and of inner networks, however they are written, refused when a
// webhook is made or never connected to. A listener on this machine proves it. Arguments: gate-hooks.
import assert from 'node:assert/strict';
import net from 'node:net';
import { Hooks } from '../../simulations/peers/hooks.mjs';
import { WebhookReceiver } from '../../simulations/peers/webhook_receiver.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();

/** Hosts, as they stand in URLs; `PORT` is that of the listener. */
const HOSTS = [
  // This machine.
  '127.0.0.1', '127.0.0.2', '127.255.255.254', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.0.0.1', '0x7f.1', '017700000001', '0177.0.0.1', '0177.0.0.01',
  '127.0.0.1.', '0', '0.0.0.0', '0.0.0.1', '00.00.00.00', '[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]',
  'localhost', 'localhost.', 'LOCALHOST', 'LocalHost', 'localhost.localdomain', 'a.localhost', 'ip6-localhost', 'ip6-loopback',
  // The same in another coat.
  '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[::7f00:1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2002:7f00:0001::1]',
  '[2001:0:7f00:1::]', '[::ffff:0:127.0.0.1]', '[::1%25lo]', '[::1%lo]', '[fe80::1%25eth0]', '[fe80::1]',
  // Inner networks, and what answers about the machine in clouds.
  '10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.1.255', '100.64.0.1', '100.127.255.255', '169.254.169.254', '169.254.0.1',
  '[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[64:ff9b::a9fe:a9fe]', '[2002:a9fe:a9fe::]', '[fd00:ec2::254]', '[fc00::1]', '[fd12:3456:789a::1]', '[fec0::1]',
  '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', 'metadata', 'metadata.google.internal', 'router.local', 'nas.home.arpa', 'intranet',
  // Nobody's, everybody's, and for documentation.
  '192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255', '192.88.99.1', '[2001:db8::1]', '[ff02::1]', '[100::1]',
  // Names and writings that are no host.
  'user@127.0.0.1', 'user:password@localhost', 'example.com@127.0.0.1', '127.0.0.1#@example.com', '127.0.0.1%2f@example.com', 'example.com\\@127.0.0.1', '%31%32%37.0.0.1', '127%2e0%2e0%2e1',
  '\u2488\u2487\u2486.0.0.1', '\uff11\uff12\uff17.0.0.1', '127\u30020\u30020\u30021', 'loc\u00adalhost', '\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3', '127.0.0.1\t', ' 127.0.0.1', '127.0.0.1\u0000.example.com', '[127.0.0.1]', '1.2.3', '256.256.256.256', '127.0.0.1.example', '999999999999', '',
];

/** What they lead to on this machine, on both loopbacks; whoever comes is counted. */
async function listeners() {
  const come = [];
  const servers = [];
  let port = 0;
  for (const host of ['127.0.0.1', '::1']) {
    const server = net.createServer((socket) => {
      come.push(`${socket.remoteAddress} at ${host}`);
      socket.on('error', () => {});
      socket.end('HTTP/1.1 204 No Content\r\n\r\n');
    });
    const open = await new Promise((done) => {
      server.once('error', () => done(false)); // no IPv6 on this machine
      server.listen(port, host, () => done(true));
    });
    if (!open) continue;
    port = server.address().port;
    servers.push(server);
  }
  return { come, port, stop: () => Promise.all(servers.map((server) => new Promise((done) => server.close(done)))) };
}

await suite('gate-hooks: whom it does not call', async ({ step, defer }) => {
  const trap = await listeners();
  defer(function trapEnds() { return trap.stop(); });
  const hooks = await Hooks.start(binary, { development: false, args: ['--schedule', '0', '--timeout', '2'] });
  defer(function hooksEnd() { return hooks.end(); });

  assert.ok(HOSTS.length >= 60);
  await step(`${HOSTS.length} hosts are refused when a webhook is made, or its attempts reach nobody`, async () => {
    const made = [];
    const wrong = [];
    for (const host of HOSTS) {
      const answer = await hooks.ask('POST', '/webhooks', { url: `https://${host}:${trap.port}/hook`, events: ['*'] });
      if (answer.status === 201) made.push({ host, ...answer.json });
      else if (answer.status !== 400 || answer.json.details?.pointer !== '/url') wrong.push(`${host}: ${answer.status} ${answer.text}`);
    }
    assert.deepEqual(wrong, []);
    for (const { id, host } of made) {
      const { success } = await hooks.wants(200, 'POST', `/webhooks/${id}/test`);
      assert.equal(success, false, host);
    }
    if (made.length) {
      await hooks.event();
      for (const { id } of made) await hooks.become(id, 'dead');
    }
    console.log(`        ${HOSTS.length - made.length} refused at once, ${made.length} when they were to be connected to: ${made.map(({ host }) => host).join(' ')}`);
    assert.deepEqual(trap.come, []);
  });

  await step('other schemes are refused as well', async () => {
    for (const url of [`http://127.0.0.1:${trap.port}/`, 'http://example.com/', 'gopher://127.0.0.1/', 'file:///etc/passwd', 'ws://example.com/', '//127.0.0.1/', 'https:127.0.0.1', 'https:///127.0.0.1', 'javascript:alert(1)', 'data:,x']) {
      const refused = await hooks.wants(400, 'POST', '/webhooks', { url, event: 'deploy.success' });
      assert.equal(refused.details.pointer, '/url', url);
    }
  });

  await step('a webhook cannot be changed to such a URL', async () => {
    const hook = await hooks.webhook('https://hooks.example.com/', { enabled: false });
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', 'localhost', '169.254.169.254'])
      await hooks.wants(400, 'PATCH', `/webhooks/${hook.id}`, { url: `https://${host}/` });
    assert.equal((await hooks.wants(200, 'GET', `/webhooks/${hook.id}`)).url, 'https://hooks.example.com/');
  });

  await step('a webhook of a store that was made for development is not called without the switch', async () => {
    const receiver = await WebhookReceiver.start();
    const before = await Hooks.start(binary, { args: ['--schedule', '0,0'] });
    const hook = await before.webhook(receiver.hook, { events: ['*'] });
    await before.end();
    const after = await Hooks.start(binary, { file: before.file, development: false, args: ['--schedule', '0,0'] });
    assert.equal((await after.wants(200, 'POST', `/webhooks/${hook.id}/test`)).success, false);
    await after.event();
    const [dead] = await after.become(hook.id, 'dead');
    assert.ok(dead.error.length > 5, dead.error);
    assert.equal(receiver.requests, 0);
    await after.end();
    await receiver.stop();
  });

  await step('a redirect to this machine is not followed', async () => {
    const lure = await WebhookReceiver.start();
    lure.says(302, { Location: `http://127.0.0.1:${trap.port}/` });
    const loose = await Hooks.start(binary, { args: ['--schedule', '0'] });
    const hook = await loose.webhook(lure.hook, { events: ['*'] });
    await loose.event();
    const [dead] = await loose.become(hook.id, 'dead');
    assert.equal(dead.response_code, 302);
    assert.deepEqual(trap.come, []);
    await loose.end();
    await lure.stop();
  });

  await step('--allow-hosts names all that may be called', async () => {
    const strict = await Hooks.start(binary, { development: false, args: ['--allow-hosts', 'hooks.example.com,*.example.org'] });
    for (const [host, status] of [['hooks.example.com', 201], ['a.example.org', 201], ['a.b.example.org', 201], ['example.org', 400], ['example.com', 400], ['hooks.example.com.evil.com', 400], ['evilexample.org', 400]])
      await strict.wants(status, 'POST', '/webhooks', { url: `https://${host}/`, event: 'deploy.success', enabled: false });
    await strict.end();
  });
});
