// A real PostgreSQL as a process: its data and its socket in a folder of its own, on a port of this machine too, with TLS
// if one wants it; ended by its process id. It runs as somebody who is not root, which it refuses to be.
import { chmodSync, chownSync, copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { scratch } from './gate.mjs';
import { Child, runToEnd } from './process.mjs';
import { freePort } from './redis.mjs';

const program = (name) => path.join(process.env.GATE_POSTGRES_PROGRAMS ?? '/usr/lib/postgresql/15/bin', name);

/** What makes a command somebody else's, who ends when its parent does; and whose files are to be. */
async function somebody() {
  if (process.getuid() !== 0) return { words: ['setpriv', '--pdeathsig', 'QUIT'], give: () => {} };
  const { out } = await runToEnd('id', ['-u', 'postgres']);
  const { out: group } = await runToEnd('id', ['-g', 'postgres']);
  return {
    words: ['setpriv', '--reuid', out, '--regid', group, '--clear-groups', '--pdeathsig', 'QUIT'],
    give: (file) => chownSync(file, Number(out), Number(group)),
  };
}

/** A user whom it knows by a password, which has in it what has to be written as something else in an address. */
export const USER = 'locked';
export const PASSWORD = 'a p@ss/word:%&?#';

export class Postgres extends Child {
  /** `tls`: what `authority` signed, as `{ cert, key }`; it may be used then, and need not. */
  static async start({ tls = undefined } = {}) {
    const [folder, who, port] = [scratch(), await somebody(), await freePort()];
    const data = path.join(folder, 'data');
    who.give(folder);
    const made = await this.#run(who, 'initdb', '-D', data, '-E', 'UTF8', '--locale=C', '--no-sync', '-A', 'trust', '-U', 'gate');
    if (made.code !== 0) throw new Error(`initdb: ${made.err}`);
    writeFileSync(path.join(data, 'pg_hba.conf'), `local all ${USER} scram-sha-256\nlocal all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n`);
    if (tls) {
      for (const [from, to] of [[tls.cert, 'server.crt'], [tls.key, 'server.key']]) {
        copyFileSync(from, path.join(data, to));
        chmodSync(path.join(data, to), 0o600);
        who.give(path.join(data, to));
      }
    }
    const postgres = await this.#serve({ folder, data, who, port, tls });
    await postgres.tell(`CREATE ROLE ${USER} LOGIN PASSWORD '${PASSWORD}'`);
    return postgres;
  }

  static #run(who, name, ...args) {
    const [command, ...words] = [...who.words, program(name), ...args];
    return runToEnd(command, words, { cwd: '/' });
  }

  static async #serve(settings) {
    const { folder, data, who, port, tls } = settings;
    const [command, ...words] = [...who.words, program('postgres'), '-D', data, '-k', folder, '-c', 'listen_addresses=127.0.0.1',
      '-p', String(port), '-c', 'max_connections=60', '-c', 'shared_buffers=32MB', ...(tls ? ['-c', 'ssl=on'] : [])];
    const postgres = new this(command, words, { name: 'postgres', cwd: '/' });
    Object.assign(postgres, { settings, folder, port });
    await postgres.says(/ready to accept connections/);
    return postgres;
  }

  /** The same data again, in the place of this one, which has ended. */
  again() {
    return Postgres.#serve(this.settings);
  }

  /** By its socket; its children would outlive it, were it killed. */
  signal(name) {
    super.signal(name === 'SIGKILL' ? 'SIGQUIT' : name);
  }

  /** Rows of a statement as text, columns separated by `|`. */
  async tell(sql, database = 'postgres') {
    const { code, out, err } = await runToEnd(program('psql'),
      ['-X', '-h', this.folder, '-p', String(this.port), '-U', 'gate', '-d', database, '-v', 'ON_ERROR_STOP=1', '-Atc', sql]);
    if (code !== 0) throw new Error(`${sql}: ${err}`);
    return out;
  }

  /** The address of an empty database, which belongs to `USER`. */
  async newDatabase(name) {
    await this.tell(`CREATE DATABASE ${name} OWNER ${USER}`);
    return this.url(name);
  }

  /** By its socket, or at `host` by its port; `more` is what an address has behind its question mark. */
  url(database, { password = PASSWORD, host = undefined, more = {} } = {}) {
    const query = Object.entries({ ...(!host && { host: this.folder, port: this.port }), ...more })
      .map(([word, value]) => `${word}=${encodeURIComponent(value)}`).join('&');
    return `postgres://${USER}:${encodeURIComponent(password)}@${host ? `${host}:${this.port}` : ''}/${database}?${query}`;
  }
}
