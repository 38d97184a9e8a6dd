// gate-stdio as a process, and a look at the processes below it.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { once } from './http.mjs';
import { Child } from './process.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));

/** The command of a stdio server that has no dependencies: see there what it does when it is told to. */
export const odd = [process.execPath, path.join(here, 'odd_server.mjs')];

export class Shim extends Child {
  path = '/mcp';

  /** Starts `binary` in front of `command` and waits until it listens. */
  static async start(binary, command, { args = [], env = {} } = {}) {
    const shim = new this(binary, ['--port', '0', ...args, '--', ...command], {
      name: 'gate-stdio',
      env: { ...process.env, ...env },
    });
    const [, url, port] = await shim.says(/listening on (http:\/\/[^\s"]*:(\d+)\/mcp)/, 30_000);
    return Object.assign(shim, { url, port: Number(port) });
  }

  /** `{ status, stats }` of /health. */
  async health() {
    const answer = await once(this.port, { method: 'GET', path: '/health' });
    return { code: answer.status, ...JSON.parse(answer.body) };
  }
}

function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, parent, group, session] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const name = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'));
    return { pid: Number(pid), name, state, parent: Number(parent), group: Number(group), session: Number(session) };
  } catch {
    return null; // it has ended meanwhile
  }
}

/** Every process below `pid`, zombies included. */
export function below(pid) {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(statOf).filter(Boolean);
  const found = new Map([[pid, null]]);
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const one of all) if (found.has(one.parent) && !found.has(one.pid)) found.set(one.pid, one);
  }
  found.delete(pid);
  return [...found.values()];
}

/** Of these processes, those that still are. A number that was given away since is another process. */
export const left = (processes) =>
  processes.filter((was) => {
    const is = statOf(was.pid);
    return is && is.name === was.name && is.group === was.group;
  });
