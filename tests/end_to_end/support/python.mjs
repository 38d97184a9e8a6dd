// The official Python SDK of either generation, as processes: its servers, and its client in our hands.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Child } from '../../../simulations/peers/process.mjs';
import { until } from '../../../simulations/peers/waiting.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const scripts = path.join(here, '../python');
const environments = path.join(here, '../../../build/python');
const interpreter = (generation) => path.join(environments, String(generation), 'bin/python');

/** Ends the script with a clear word if the SDK is missing: a test that cannot run fails. */
export function requirePython() {
  const missing = [1, 2].filter((generation) => !existsSync(path.join(environments, String(generation), '.installed')));
  if (!missing.length) return;
  console.error('FAIL: the Python SDK of the end-to-end tests is not installed; run `make test`, or');
  console.error(`\`scripts/python-deps tests/end_to_end/python build/python\`. Missing generations: ${missing.join(', ')}`);
  process.exit(1);
}

class Python extends Child {
  constructor(generation, script, args, name) {
    super(interpreter(generation), [path.join(scripts, script), ...args], {
      name, stdin: 'pipe', env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1' },
    });
    createInterface({ input: this.process.stdout }).on('line', (line) => this.told(JSON.parse(line)));
  }
}

/** Its calls are those that it has begun, and that were cancelled. */
export class PythonServer extends Python {
  began = 0;
  cancelled = 0;

  static async start(generation, name) {
    const server = new this(generation, `server_${generation}.py`, [name], `Python server ${generation}.x ${name}`);
    const [, port] = await server.says(/^listening on (\d+)/);
    return Object.assign(server, { serverName: name, url: `http://127.0.0.1:${port}/mcp` });
  }

  told({ began, cancelled }) {
    if (began) this.began += 1;
    if (cancelled) this.cancelled += 1;
  }
}

/** An error of the client: the kind of exception, and the code if the server gave one. */
class PythonError extends Error {
  constructor({ kind, code, message }) {
    super(`${kind}: ${message}`);
    Object.assign(this, { kind, code });
  }
}

/** One process, any number of connections. */
export class PythonClient extends Python {
  orders = new Map();
  progress = new Map(); // of all orders
  connections = new Map();

  static async start(generation) {
    const client = new this(generation, 'client.py', [], `Python client ${generation}.x`);
    await client.says(/^ready/);
    return client;
  }

  told({ id, client, result, error, progress, heard, params, broken }) {
    if (id === undefined) {
      const connection = this.connections.get(client) ?? this.#early(client);
      if (broken) connection.broken.push(broken);
      else connection.heard.push({ method: heard, params });
      return;
    }
    // The second client tells of progress in a task of its own, maybe after what it led to.
    if (progress) return void this.progress.get(id).push(progress);
    const order = this.orders.get(id);
    this.orders.delete(id);
    if (error) order.fail(new PythonError(error));
    else order.done(result);
  }

  #early(client) {
    const connection = new PythonConnection(this, client);
    this.connections.set(client, connection);
    return connection;
  }

  /** What comes of it, as a promise that also has `id` and the `progress` so far. */
  order(what) {
    const id = (this.latest = (this.latest ?? 0) + 1);
    const progress = [];
    this.progress.set(id, progress);
    const promise = new Promise((done, fail) => this.orders.set(id, { done, fail, progress }));
    this.exit.then(() => this.orders.get(id)?.fail(new Error(`${this.name} ended:\n${this.log()}`)));
    this.process.stdin.write(`${JSON.stringify({ id, ...what })}\n`);
    return Object.assign(promise, { id, progress });
  }

  cancel({ id }) {
    this.process.stdin.write(`${JSON.stringify({ id, do: 'cancel' })}\n`);
  }

  async open(url, mode) {
    const { client, ...about } = await this.order({ do: 'open', url, mode });
    const connection = this.connections.get(client) ?? this.#early(client);
    return Object.assign(connection, about);
  }
}

/** `version`, `capabilities`, `server` and what it `heard`; `broken` is what it could not read. */
export class PythonConnection {
  heard = [];
  broken = [];

  constructor(client, number) {
    Object.assign(this, { client, number });
  }

  do(what, about = {}) {
    return this.client.order({ do: what, client: this.number, ...about });
  }

  call(name, args = {}) {
    return this.do('call', { name, arguments: args });
  }

  hears(method, which = () => true) {
    return until(() => this.heard.find((one) => one.method === method && which(one.params)), `the client to hear ${method}`);
  }
}
