// The shared store, with a real redis-server: what is used at one gateway is used at all of them, by
// whatever way they reach it; how a start fails without it; and what becomes of calls when it stops,
// dies, forgets, is full, or is something else altogether.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import net from 'node:net';
import path from 'node:path';
import { Gate, sample } from '../../simulations/peers/gate.mjs';
import { once } from '../../simulations/peers/http.mjs';
import { IdentityProvider } from '../../simulations/peers/identity_provider.mjs';
import { Key } from '../../simulations/peers/jws.mjs';
import { Child } from '../../simulations/peers/process.mjs';
import { Redis, authority, freePort, rights } from '../../simulations/peers/redis.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { gateBinary, suite } from './support/suite.mjs';

const binary = gateBinary();
/** Beside the gateway, unless it is named. */
const doorProgram = process.argv[3] ?? path.join(path.dirname(binary), 'store_door');
const BASE = 'http://127.0.0.1:1';
const SIGNING_KEY = 'GATE_TEST_SIGNING_KEY';
const PASSWORD = 'pass%/@:word';
const WRITTEN = encodeURIComponent(PASSWORD);
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

const config = (idp, redisUrl) => ({
  upstreams: [{ id: 'a', url: 'http://127.0.0.1:9/mcp' }],
  server: { publicUrl: BASE, introspection: { enabled: true }, ...(redisUrl && { redisUrl }) },
  auth: {
    mode: 'required',
    resource: `${BASE}/mcp`,
    issuers: [{ issuer: idp.issuer, mode: 'exchange' }],
    ema: { idpIssuer: idp.issuer, signingKeyRef: SIGNING_KEY, tokenRateLimitPerMinute: 10_000 },
  },
});

const started = [];
/** What anybody can ask a gateway that has a store. */
const shown = [];
async function bodiesOf(gate, token) {
  const headers = { Authorization: `Bearer ${token}` };
  const paths = ['/health', '/metrics', '/api/federation', '/api/auth-hint'];
  const answers = await Promise.all(paths.map((path) => once(gate.port, { method: 'GET', path, headers })));
  assert.deepEqual(answers.map(({ status }) => status), [503, 200, 200, 200]); // no server is there
  return answers.map((answer) => answer.body);
}
/** A gateway with this store: by its environment, or by its document. */
async function startGate(idp, key, { url, document, env = {}, threads = 1 } = {}) {
  const gate = await Gate.start(binary, config(idp, document), {
    threads, env: { [SIGNING_KEY]: key.privatePem, ...(url ? { REDIS_URL: url } : {}), ...env },
  });
  started.push(gate);
  return gate;
}

/** The status of an answer to an assertion, and how long it took. */
async function redeem(gate, assertion) {
  const began = performance.now();
  const fields = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
  const { status, body } = await once(gate.port, { path: '/oauth/token', body: new URLSearchParams(fields).toString(), headers: FORM });
  return { status, ms: performance.now() - began, token: JSON.parse(body).access_token };
}

const statusOf = async (gate, assertion) => (await redeem(gate, assertion)).status;
const stateOf = async (gate) => (await gate.health()).json.sharedState;
const comes = (gate, state) => until(async () => (await stateOf(gate)) === state, `sharedState ${state}`);
const count = async (gate, op, outcome) =>
  sample(await gate.metrics(), 'gate_store_operations_total', { op, outcome }) ?? 0;

/** Whether the store knows that the assertion with this id was used. */
async function isKnown(redis, idp, jti) {
  const digest = createHash('sha256').update(`jti:${idp.issuer}\n${jti}`).digest('hex');
  return (await redis.tell('GET', `gate:{once:${digest}}`)).endsWith('1');
}

const AWAY = /^The shared store is away/;
const BACK = /^The shared store has returned/;
const ALONE = /^The shared store does not answer/;

/** Two gateways of one fleet: what the first one takes, the second one does not. A token that both know. */
async function takenOnce(idp, one, two) {
  const assertion = idp.assertion({ aud: BASE });
  const { status, token } = await redeem(one, assertion);
  assert.deepEqual([status, await statusOf(two, assertion)], [200, 400]);
  assert.equal(await statusOf(one, assertion), 400);
  const other = idp.assertion({ aud: BASE });
  const both = await Promise.all([one, two, one, two].map((gate) => statusOf(gate, other)));
  assert.deepEqual(both.sort(), [200, 400, 400, 400], 'at the same time');
  return token;
}

async function ways({ step, idp, key, ca }) {
  const pair = async (a, b = a) => {
    const gates = [await startGate(idp, key, a), await startGate(idp, key, b)];
    const token = await takenOnce(idp, ...gates);
    assert.deepEqual([await stateOf(gates[0]), await stateOf(gates[1])], ['ok', 'ok']);
    for (const gate of gates) shown.push(...await bodiesOf(gate, token));
    for (const gate of gates) await gate.end();
  };

  await step('without a store each gateway has its own memory, and says nothing of a store', async () => {
    const gates = [await startGate(idp, key), await startGate(idp, key)];
    const assertion = idp.assertion({ aud: BASE });
    assert.deepEqual([await statusOf(gates[0], assertion), await statusOf(gates[1], assertion)], [200, 200]);
    assert.equal(await statusOf(gates[0], assertion), 400);
    assert.equal(await stateOf(gates[0]), undefined);
    assert.equal(sample(await gates[0].metrics(), 'gate_store_up'), undefined);
    for (const gate of gates) await gate.end();
  });

  await step('over TCP, by the document and by the environment, on one thread and on several', async () => {
    const redis = await Redis.start();
    await pair({ document: `${redis.url}/0` }, { url: redis.url, threads: 2 });
    assert.equal(await redis.count('gate:{once:*'), 2, 'one for each assertion');
    await redis.end();
  });

  // transport/store/local_wire
  await step('over a socket in the file system, and in another database', async () => {
    const redis = await Redis.start();
    await pair({ url: `unix://${redis.socket}` });
    await pair({ url: `redis://localhost:${redis.port}/7` });
    assert.match(await redis.tell('INFO', 'keyspace'), /db0:keys=5,expires=3[^]*db7:keys=5,expires=3/);
    await redis.end();
  });

  await step('over TLS, by name and by address', async () => {
    const redis = await Redis.start({ tls: ca.signed[0] });
    const env = { SSL_CERT_FILE: ca.ca };
    await pair({ url: `rediss://localhost:${redis.port}`, env }, { url: redis.url, env });
    await redis.end();
  });

  await step('with a password, and with a user who may do what docs/fleet.md says', async () => {
    const redis = await Redis.start();
    await redis.tell('ACL', 'SETUSER', 'gate', 'on', `>${PASSWORD}`, ...rights());
    await redis.tell('CONFIG', 'SET', 'requirepass', PASSWORD);
    await pair({ url: `redis://gate:${WRITTEN}@127.0.0.1:${redis.port}` }, { url: `redis://:${WRITTEN}@127.0.0.1:${redis.port}` });
    await pair({ url: `unix://gate:${WRITTEN}@${redis.socket}` });
    await redis.stop('SIGKILL');
  });

  await step('a server that knows no HELLO is spoken to in RESP2', async () => {
    const redis = await Redis.start({ more: ['--rename-command', 'HELLO', ''] });
    await pair({ url: redis.url });
    await redis.end();
  });
}

/** A server that says one thing to whoever comes, or nothing. */
async function oddServer(says) {
  const sockets = new Set();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', () => says && socket.write(says));
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `redis://:${WRITTEN}@127.0.0.1:${server.address().port}`,
    place: `127.0.0.1:${server.address().port}`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((closed) => server.close(closed));
    },
  };
}

async function starts({ step, idp, key, ca }) {
  /** What a start says that has to fail. */
  const refused = async (url, place, pattern, env = {}) => {
    const began = performance.now();
    await assert.rejects(startGate(idp, key, { url, env }), (error) => {
      assert.match(error.message, /"code":1/);
      const lines = error.message.split('\n').slice(2).filter(Boolean);
      assert.equal(lines.length, 1, error.message);
      assert.match(lines[0], pattern);
      assert.ok(lines[0].includes(place), `${lines[0]} does not name ${place}`);
      for (const secret of [PASSWORD, WRITTEN, 'wrong-one']) assert.ok(!error.message.includes(secret), error.message);
      return true;
    });
    return performance.now() - began;
  };

  await step('a start without the store fails, and says what to do', async () => {
    const port = await freePort();
    await refused(`redis://:${WRITTEN}@127.0.0.1:${port}`, `127.0.0.1:${port}`, /refused/);
    await refused(`unix://:${WRITTEN}@/nonexistent/r.sock`, '/nonexistent/r.sock', /No such file/);
    // With name servers that can not be reached it takes them longer than a start waits.
    await refused(`redis://:${WRITTEN}@no-such-host.invalid`, 'no-such-host.invalid:6379', /no address/, {
      RES_OPTIONS: 'timeout:1 attempts:1',
    });
    await refused(`http://:${WRITTEN}@h`, 'REDIS_URL', /redis:\/\/, rediss:\/\/ or unix:\/\//);
    await refused(`redis://:${WRITTEN}%@h`, 'REDIS_URL', /percent sign/);
  });

  await step('a password in the document is refused by its place', async () => {
    const child = startGate(idp, key, { document: `redis://:${WRITTEN}@h` });
    await assert.rejects(child, (error) => {
      assert.match(error.message, /\/server\/redisUrl: must not carry credentials.*REDIS_URL/);
      assert.ok(!error.message.includes(WRITTEN));
      return true;
    });
  });

  await step('a store that refuses: no password, a wrong one, no such database, a replica', async () => {
    const redis = await Redis.start({ more: ['--requirepass', PASSWORD] });
    const place = `127.0.0.1:${redis.port}`;
    await refused(`redis://${place}`, place, /wants a password/);
    await refused(`redis://:wrong-one@${place}`, place, /refuses the user name or the password/);
    await refused(`redis://nobody:${WRITTEN}@${place}`, place, /refuses the user name or the password/);
    await refused(`redis://:${WRITTEN}@${place}/99`, place, /no such database/);
    await redis.stop('SIGKILL');
    const replica = await Redis.start({ more: ['--replicaof', '127.0.0.1', '1'] });
    await refused(replica.url, `127.0.0.1:${replica.port}`, /is a replica/);
    await replica.end();
    const old = await Redis.start({ more: ['--requirepass', PASSWORD, '--rename-command', 'HELLO', ''] });
    await refused(`redis://:wrong-one@127.0.0.1:${old.port}`, `127.0.0.1:${old.port}`, /refuses the user name or the password/);
    await old.stop('SIGKILL');
  });

  await step('a server that is no store: garbage, HTTP, an echo of the password, silence', async () => {
    const garbage = ['\0\x01\x02', 'HTTP/1.1 400 Bad Request\r\n\r\n', '+OK\r\n+OK\r\n', '*1\r\n+OK\r\n', '$-5\r\n'];
    for (const says of garbage) {
      const odd = await oddServer(says);
      await refused(odd.url, odd.place, /no Redis server/);
      await odd.close();
    }
    const echo = await oddServer(`-ERR unknown command 'AUTH', with args ${PASSWORD}\r\n`);
    await refused(echo.url, echo.place, /refuses the user name or the password/);
    await echo.close();
    const silent = await oddServer('');
    const ms = await refused(silent.url, silent.place, /no answer within 5000 ms/);
    assert.ok(ms >= 4900, `${ms} ms`);
    await silent.close();
  });

  await step('TLS: another name, an unknown authority, none at all', async () => {
    const redis = await Redis.start({ tls: ca.signed[1] });
    const place = `localhost:${redis.port}`;
    await refused(`rediss://${place}`, place, /certificate|hostname/i, { SSL_CERT_FILE: ca.ca });
    await refused(`rediss://${place}`, place, /certificate/i);
    await refused(`redis://${place}`, place, /rediss:/);
    await redis.end();
    const plain = await Redis.start();
    await refused(`rediss://127.0.0.1:${plain.port}`, `127.0.0.1:${plain.port}`, /speak TLS/);
    await plain.end();
  });
}

async function outages({ step, idp, key }) {
  await step('a store that stops: calls wait half a second, then nobody waits; it returns, and learns what was used', async () => {
    const redis = await Redis.start();
    const gate = await startGate(idp, key, { url: redis.url });
    const other = await startGate(idp, key, { url: redis.url, threads: 2 });
    const before = idp.assertion({ aud: BASE });
    assert.equal(await statusOf(gate, before), 200);
    redis.pause();
    const meanwhile = idp.assertion({ aud: BASE, jti: 'meanwhile' });
    const first = await redeem(gate, meanwhile);
    assert.equal(first.status, 200, 'its own memory decides');
    assert.ok(first.ms >= 400 && first.ms < 5000, `${first.ms} ms`); // half a second, on a machine that is busy
    assert.equal(await statusOf(gate, meanwhile), 400, 'and remembers');
    await Promise.all([1, 2, 3].map(() => redeem(gate, idp.assertion({ aud: BASE }))));
    await comes(gate, 'away');
    const answers = [];
    for (let i = 0; i < 20; i += 1) answers.push(await redeem(gate, idp.assertion({ aud: BASE })));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal(await statusOf(gate, before), 400, 'what it had heard it knows');
    assert.equal((await gate.health()).status, 503, 'of the upstream that is not there, as ever');
    assert.equal(sample(await gate.metrics(), 'gate_store_up'), 0);
    await comes(other, 'away'); // nobody asks it anything: it has found out by itself
    redis.resume();
    await comes(gate, 'ok');
    await comes(other, 'ok');
    await until(() => isKnown(redis, idp, 'meanwhile'), 'the store to be told what was used');
    assert.equal(await statusOf(other, meanwhile), 400);
    assert.equal(sample(await gate.metrics(), 'gate_store_up'), 1);
    assert.ok((await count(gate, 'once', 'timeout')) >= 1);
    assert.ok((await count(gate, 'once', 'away')) >= 20);
    await gate.told(AWAY, 1);
    await gate.told(BACK, 1);
    await gate.told(ALONE, 1);
    await other.told(AWAY, 1);
    await other.told(BACK, 1);
    for (const g of [gate, other]) await g.end();
    await redis.end();
  });

  await step('a store that is killed and starts anew, empty', async () => {
    let redis = await Redis.start();
    const gate = await startGate(idp, key, { url: redis.url });
    const other = await startGate(idp, key, { url: redis.url });
    const before = idp.assertion({ aud: BASE });
    assert.equal(await statusOf(gate, before), 200);
    await redis.stop('SIGKILL');
    await comes(gate, 'away');
    assert.equal(await statusOf(gate, idp.assertion({ aud: BASE })), 200);
    assert.deepEqual([await count(gate, 'once', 'timeout'), await count(gate, 'once', 'away')], [0, 1], 'nobody waits');
    redis = await redis.again();
    await comes(gate, 'ok');
    await comes(other, 'ok');
    assert.equal(await statusOf(gate, before), 400, 'it knows what it took');
    await takenOnce(idp, gate, other);
    for (const g of [gate, other]) await g.end();
    await redis.end();
  });

  await step('a store without memory refuses, and is there', async () => {
    const redis = await Redis.start();
    const gate = await startGate(idp, key, { url: redis.url });
    await redis.tell('CONFIG', 'SET', 'maxmemory', '1');
    const assertion = idp.assertion({ aud: BASE, jti: 'full' });
    assert.deepEqual([await statusOf(gate, assertion), await statusOf(gate, assertion)], [200, 400]);
    assert.equal(await statusOf(gate, idp.assertion({ aud: BASE })), 200);
    assert.equal(await stateOf(gate), 'ok');
    assert.equal(await count(gate, 'once', 'oom'), 2);
    const [said] = await gate.told(/^The shared store refuses what it is asked/, 1);
    assert.match(said.msg, /oom/);
    await redis.tell('CONFIG', 'SET', 'maxmemory', '0');
    const other = await startGate(idp, key, { url: redis.url });
    await takenOnce(idp, gate, other);
    await until(() => isKnown(redis, idp, 'full'), 'the store to be told what was used');
    assert.equal(await statusOf(other, assertion), 400);
    for (const g of [gate, other]) await g.end();
    await redis.end();
  });

  await step('a store that loads its data refuses, and is there', async () => {
    // It looks at its clients after each key that it loads.
    const more = ['--enable-debug-command', 'yes', '--loading-process-events-interval-bytes', '1024', '--rdbcompression', 'no'];
    const redis = await Redis.start({ more });
    const gate = await startGate(idp, key, { url: redis.url });
    const before = idp.assertion({ aud: BASE });
    assert.equal(await statusOf(gate, before), 200);
    // Some hundred keys, of which each takes a while: until then it answers with nothing but that.
    await redis.tell('EVAL', "for i = 1, 400 do redis.call('SET', 'fill' .. i, string.rep('x', 2000)) end", '0');
    await redis.tell('CONFIG', 'SET', 'key-load-delay', '10000');
    const reload = redis.tell('DEBUG', 'RELOAD');
    await until(async () => (await redis.tell('GET', 'nothing')).startsWith('-LOADING'), 'the store to load');
    const meanwhile = idp.assertion({ aud: BASE, jti: 'loading' });
    const first = await redeem(gate, meanwhile);
    assert.equal(first.status, 200, 'its own memory decides');
    assert.equal(await statusOf(gate, meanwhile), 400, 'and remembers');
    assert.equal(await statusOf(gate, before), 400);
    assert.ok((await count(gate, 'once', 'loading')) >= 1);
    assert.equal(await stateOf(gate), 'ok');
    await reload;
    const other = await startGate(idp, key, { url: redis.url });
    await takenOnce(idp, gate, other);
    await until(() => isKnown(redis, idp, 'loading'), 'the store to be told what was used');
    for (const g of [gate, other]) await g.end();
    await redis.end();
  });

  await step('a primary that becomes a replica is away, and has returned when it is one again', async () => {
    const redis = await Redis.start();
    const gate = await startGate(idp, key, { url: redis.url });
    // Answers come in order: with this one, all that was asked at the start is answered.
    assert.equal(await statusOf(gate, idp.assertion({ aud: BASE })), 200);
    await redis.tell('REPLICAOF', '127.0.0.1', '1');
    assert.equal(await statusOf(gate, idp.assertion({ aud: BASE })), 200);
    await comes(gate, 'away');
    await redis.tell('REPLICAOF', 'NO', 'ONE');
    await comes(gate, 'ok');
    assert.equal(await count(gate, 'limit', 'readonly'), 1);
    await gate.end();
    await redis.end();
  });

  await step('a connection that begins to speak nonsense is given up', async () => {
    const redis = await Redis.start();
    const through = new Set();
    let spoil = false;
    const front = net.createServer((inner) => {
      const outer = net.connect(redis.port, '127.0.0.1');
      through.add(inner).add(outer);
      for (const socket of [inner, outer]) socket.on('error', () => {});
      inner.on('data', (bytes) => (spoil ? inner.write('nonsense\r\n') : outer.write(bytes)));
      outer.on('data', (bytes) => inner.write(bytes));
      inner.on('close', () => outer.destroy());
      outer.on('close', () => inner.destroy());
    });
    await new Promise((listening) => front.listen(0, '127.0.0.1', listening));
    const gate = await startGate(idp, key, { url: `redis://127.0.0.1:${front.address().port}` });
    // Answers come in order: with this one, all that was asked at the start is answered, too.
    assert.equal(await statusOf(gate, idp.assertion({ aud: BASE })), 200);
    spoil = true;
    assert.equal(await statusOf(gate, idp.assertion({ aud: BASE })), 200);
    await comes(gate, 'away');
    spoil = false;
    await comes(gate, 'ok');
    assert.equal(await count(gate, 'limit', 'lost'), 1);
    await gate.end();
    for (const socket of through) socket.destroy();
    await new Promise((closed) => front.close(closed));
    await redis.end();
  });
}

/** The door of the store by hand (store_door.cpp): what it is told to do, and what it says. */
class Door extends Child {
  #read = 0;

  static async start(url) {
    const door = new Door(doorProgram, [url], { name: 'store_door', stdin: 'pipe' });
    await door.hears('started');
    return door;
  }

  /** The next line that it says is this. */
  async hears(...lines) {
    for (const line of lines) {
      await until(() => this.out.length > this.#read || this.ended, `store_door to say ${line}`);
      assert.equal(this.out[this.#read], line, this.log());
      this.#read += 1;
    }
  }

  async tell(line, ...answers) {
    this.process.stdin.write(`${line}\n`);
    await this.hears(...answers);
  }

  async end() {
    this.process.stdin.end();
    assert.equal((await this.exit).code, 0, this.log());
  }
}

async function doors({ step }) {
  for (const [name, more] of [['RESP3', []], ['RESP2', ['--rename-command', 'HELLO', '']]]) {
    await step(`scripts that the store has forgotten are sent again (${name})`, async () => {
      const redis = await Redis.start({ more });
      const door = await Door.start(redis.url);
      const gives = "told ok ['{k}' 'v']";
      await door.tell('script {k} v', gives);
      await door.tell('script {k} v', gives);
      await redis.tell('SCRIPT', 'FLUSH');
      await door.tell('script {k} v', gives);
      const stats = await redis.tell('INFO', 'commandstats');
      const calls = (command) => Number(stats.match(new RegExp(`cmdstat_${command}:calls=(\\d+)`))?.[1]);
      assert.deepEqual([calls('evalsha'), calls('eval')], [2, 2], 'as a whole first, then by its digest, unless it is unknown');
      await door.end();
      await redis.end();
    });

    await step(`what is published is heard by all who listen, also after the store has died (${name})`, async () => {
      let redis = await Redis.start({ more });
      const one = await Door.start(redis.url);
      const two = await Door.start(`unix://${redis.socket}`);
      await one.tell('listen news other', 'here');
      await two.tell('listen news', 'here');
      await two.tell('publish news 1', 'heard news 1');
      await one.hears('heard news 1');
      await one.tell('publish other 2', 'heard other 2');
      await one.tell('ask SET k v', "told ok 'OK'");
      await one.tell('ask GET k', "told ok 'v'");
      const { port } = redis;
      await redis.stop('SIGKILL');
      await one.hears('away');
      await one.tell('ask GET k', 'told away');
      redis = await Redis.start({ port, more });
      await one.hears('here');
      await one.tell('ask GET k', 'told ok null');
      await one.tell('publish news 3', 'heard news 3');
      await one.tell('publish other 4', 'heard other 4');
      await two.hears('away'); // its socket was in the folder of the one that died
      await one.end();
      await two.end();
      await redis.end();
    });
  }
}

await suite('the shared store', async ({ step, defer }) => {
  const idp = await IdentityProvider.start();
  defer(() => idp.stop());
  idp.audience = BASE;
  const key = Key.make('ES256');
  const ca = authority(['DNS:localhost,IP:127.0.0.1', 'DNS:elsewhere.example']);
  await ways({ step, idp, key, ca });
  await starts({ step, idp, key, ca });
  await outages({ step, idp, key });
  await doors({ step });

  await step('no password stands in anything that was said', () => {
    assert.ok(started.length > 10);
    assert.ok(shown.length > 10);
    for (const line of [...shown, ...started.flatMap((gate) => [...gate.err, ...gate.out])])
      for (const secret of [PASSWORD, WRITTEN]) assert.ok(!line.includes(secret), line);
  });
});
