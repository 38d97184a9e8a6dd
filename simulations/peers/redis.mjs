// A real Redis server as a process: on a socket in a folder of its own, on a port, or with TLS; with
// users; ended by its process id. And a client of a few words for what tests tell it.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { scratch } from './gate.mjs';
import { Child } from './process.mjs';
import { until, within } from './waiting.mjs';

/** A port that nobody listens on, a moment ago. */
export async function freePort() {
  const server = net.createServer();
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

/** A certificate authority and what it signs, as files: `ca`, and for each name `{ cert, key }`. */
export function authority(names) {
  const folder = scratch();
  const file = (name) => path.join(folder, name);
  const openssl = (...args) => {
    const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ${args.join(' ')}: ${stderr}`);
  };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', file('ca.key'), '-out', file('ca.pem'), '-days', '2', '-subj', '/CN=gate test authority');
  const signed = (name, index) => {
    const made = { cert: file(`${index}.pem`), key: file(`${index}.key`) };
    openssl('req', '-x509', ...key, '-keyout', made.key, '-out', made.cert, '-days', '2', '-subj', '/CN=store',
      '-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-addext', `subjectAltName=${name}`,
      '-addext', 'basicConstraints=critical,CA:FALSE');
    return made;
  };
  return { ca: file('ca.pem'), signed: names.map(signed) };
}

const pages = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../docs/fleet.md');

/** What a user of the store has to be allowed, as the page for operators has it: the words of ACL SETUSER. */
export function rights() {
  return readFileSync(pages, 'utf8').match(/^ACL SETUSER gate on >PASSWORD (.+)$/m)[1].split(' ');
}

export class Redis extends Child {
  /** `tls` is what `authority` signed; `more` are further lines of its configuration, as arguments. */
  static async start({ port = undefined, tls = undefined, more = [] } = {}) {
    const folder = scratch();
    const socket = path.join(folder, 'r.sock');
    port ??= await freePort();
    const secure = tls
      ? ['--port', '0', '--tls-port', String(port), '--tls-cert-file', tls.cert, '--tls-key-file', tls.key,
        '--tls-ca-cert-file', tls.cert, '--tls-auth-clients', 'no']
      : ['--port', String(port)];
    const args = ['--bind', '127.0.0.1', ...secure, '--unixsocket', socket, '--save', '', '--appendonly', 'no',
      '--dir', folder, '--daemonize', 'no', ...more];
    const redis = new this('redis-server', args, { name: 'redis-server' });
    Object.assign(redis, { port, socket, folder, arguments: { port, tls, more } });
    const up = async () => redis.ended || (await redis.answers());
    await until(up, 'redis-server to answer');
    if (redis.ended) throw new Error(`redis-server ended: ${redis.ended.error ?? redis.log()}`);
    return redis;
  }

  /** Another one in the place of this one, which has ended: without its data. */
  again() {
    return Redis.start(this.arguments);
  }

  get url() {
    return `${this.arguments.tls ? 'rediss' : 'redis'}://127.0.0.1:${this.port}`;
  }

  async answers() {
    try {
      await this.tell('PING');
      return true;
    } catch {
      return false;
    }
  }

  /** Sends one command over its socket in the file system; the reply, as it came. */
  async tell(...words) {
    const connection = net.connect(this.socket);
    try {
      const reply = new Promise((done, fail) => {
        let text = '';
        const complete = () => {
          const end = text.indexOf('\r\n');
          if (end < 0) return false;
          const length = text[0] === '$' ? Number(text.slice(1, end)) : -1;
          return length < 0 || text.length >= end + 4 + length;
        };
        connection.on('data', (bytes) => {
          text += bytes;
          if (complete()) done(text.trimEnd());
        });
        connection.on('error', fail);
        connection.on('close', () => fail(new Error('closed')));
      });
      connection.write(`*${words.length}\r\n${words.map((w) => `$${Buffer.byteLength(w)}\r\n${w}\r\n`).join('')}`);
      return await within(reply, `redis to answer ${words[0]}`, 5000);
    } finally {
      connection.destroy();
    }
  }

  /** How many keys there are that match `pattern`. */
  async count(pattern) {
    return Number((await this.tell('EVAL', `return #redis.call('KEYS', '${pattern}')`, '0')).slice(1));
  }

  pause() {
    this.signal('SIGSTOP');
  }

  resume() {
    this.signal('SIGCONT');
  }

  async end() {
    this.resume();
    await this.stop('SIGTERM');
  }
}
