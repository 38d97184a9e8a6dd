// gate-hooks and where its PostgreSQL is: what is wrong with it is said at the start, in a sentence that helps and has no
// password in it; TLS is as the address wants it. Arguments: gate-hooks.
import assert from 'node:assert/strict';
import path from 'node:path';
import { scratch } from '../../simulations/peers/gate.mjs';
import { Hooks } from '../../simulations/peers/hooks.mjs';
import { PASSWORD, Postgres } from '../../simulations/peers/postgres.mjs';
import { runToEnd } from '../../simulations/peers/process.mjs';
import { authority, freePort } from '../../simulations/peers/redis.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
const WRONG = 'wr0ng/p@ss';

/** It does not start with this address, and says why. */
async function refused(store, words) {
  const { code, err, out } = await runToEnd(binary, ['--store', store, '--port', '0']);
  assert.equal(code, 1, `${code}: ${err}`);
  for (const pattern of words) assert.match(err, pattern);
  const said = err + out;
  for (const secret of [PASSWORD, WRONG]) for (const form of [secret, encodeURIComponent(secret)]) assert.ok(!said.includes(form), said);
  const sentences = err.split('\n').filter((line) => line.startsWith('gate-hooks: '));
  assert.equal(sentences.length, 1, err);
  console.log(`        ${sentences[0]}`);
}

/** It starts with this address, and keeps something there. */
async function accepted(store) {
  const hooks = await Hooks.start(binary, { file: store });
  await hooks.webhook('http://127.0.0.1:9/', { events: ['*'] });
  assert.equal((await hooks.health()).status, 200);
  await hooks.end();
}

async function addresses({ step }, server) {
  const store = await server.newDatabase('hooks');
  await step('a wrong password, none, and another user', async () => {
    await refused(server.url('hooks', { password: WRONG }), [/PostgreSQL at .*hooks/, /password authentication failed/, /check user and password/]);
    await refused(server.url('hooks', { password: '' }), [/PostgreSQL at .*hooks/, /no password/]);
    await refused(server.url('hooks', { password: WRONG }).replace('locked', 'nobody_here'), [/nobody_here/]);
  });

  await step('no server: at a port, at a socket, by a name', async () => {
    const port = await freePort();
    await refused(`postgres://locked:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/hooks`, [new RegExp(`PostgreSQL at 127\\.0\\.0\\.1:${port}/hooks`), /away/, /refused/]);
    await refused(`postgres://locked@/hooks?host=${encodeURIComponent(path.join(scratch(), 'none'))}`, [/away/, /No such file/]);
    await refused('postgres://locked@no-such-host.invalid/hooks', [/no-such-host\.invalid/]);
  });

  await step('no such database, and an address that is none', async () => {
    await refused(server.url('no_such'), [/no_such/, /does not exist/]);
    await refused(`postgres://locked:${WRONG}@127.0.0.1:${server.port}/hooks`, [/the address of the database/, /percent-encoded/]);
  });

  await step('one that may not make tables is told what it lacks', async () => {
    await server.tell('CREATE DATABASE others');
    await refused(server.url('others'), [/permission denied/, /needs more rights/]);
  });

  await step('by its socket, and by its port', async () => {
    await accepted(store);
    await accepted(server.url('hooks', { host: '127.0.0.1' }));
  });
}

async function secure({ step }, plain) {
  const { ca, signed: [tls] } = authority(['IP:127.0.0.1']);
  const { ca: other } = authority([]);
  const at = (server, more, host = '127.0.0.1') => server.url('hooks', { host, more });

  await step('a server without TLS, though the address wants it', async () => {
    for (const more of [{ sslmode: 'require' }, { sslmode: 'verify-ca', sslrootcert: ca }])
      await refused(at(plain, more), [/PostgreSQL at 127\.0\.0\.1/, /server does not support SSL, but SSL was required/]);
  });

  const server = await Postgres.start({ tls });
  await server.newDatabase('hooks');
  await step('with TLS: without a look at the certificate, and with one', async () => {
    for (const more of [{ sslmode: 'require' }, { sslmode: 'verify-ca', sslrootcert: ca }, { sslmode: 'verify-full', sslrootcert: ca }]) {
      const hooks = await Hooks.start(binary, { file: at(server, more) });
      const ways = await server.tell("SELECT DISTINCT s.ssl FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE application_name = 'gate-hooks'");
      assert.equal(ways, 't', JSON.stringify(more));
      assert.equal((await hooks.health()).status, 200);
      await hooks.end();
    }
    await accepted(at(server, { sslmode: 'verify-full', sslrootcert: ca }));
  });

  await step('a certificate of somebody else, for another name, or no authority to judge it by', async () => {
    await refused(at(server, { sslmode: 'verify-ca', sslrootcert: other }), [/certificate verify failed/]);
    await refused(at(server, { sslmode: 'verify-full', sslrootcert: ca }, 'localhost'), [/does not match host name|localhost/]);
    const missing = path.join(scratch(), 'none.pem');
    await refused(at(server, { sslmode: 'verify-ca', sslrootcert: missing }), [/root certificate file/, /none\.pem/]);
  });
}

await suite('gate-hooks: the address of its PostgreSQL', async ({ step }) => {
  const server = await Postgres.start();
  await addresses({ step }, server);
  await secure({ step }, server);
});
