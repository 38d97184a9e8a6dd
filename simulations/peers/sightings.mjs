// A receiver of webhooks that sees which process each delivery comes from, when its answer was given, and which; and keeps
// that of one process waiting. Its answers are good, but for the first one of each fourth delivery; at `broken` none is.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { until } from './waiting.mjs';
import { WebhookReceiver } from './webhook_receiver.mjs';

const hex = (port) => port.toString(16).toUpperCase().padStart(4, '0');

/** The inode of the other end of a connection of this machine. */
function inodeOf({ remotePort, localPort }) {
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n').map((line) => line.trim().split(/\s+/));
  const ours = ([, from, to]) => from?.endsWith(`:${hex(remotePort)}`) && to?.endsWith(`:${hex(localPort)}`);
  return lines.find(ours)?.[9];
}

function has(pid, inode) {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`;
      } catch {
        return false; // closed meanwhile
      }
    });
  } catch {
    return false; // it is gone
  }
}

export class Sightings extends WebhookReceiver {
  /** In the order in which they came: `{ delivery, attempt, event, broken, by, began, ended?, status? }`. */
  attempts = [];
  /** Events with a good answer. */
  done = new Set();
  #seen = new Set();
  #owners = new WeakMap();
  #holding = undefined;
  #held = [];
  /** Steps of what is seen: began and ended are such. */
  #step = 0;

  /** `of`: gives the processes that may call. `alwaysGood`: so are its answers. */
  static async start({ of, alwaysGood = false }) {
    const sightings = await super.start({ of, alwaysGood });
    sightings.server.on('connection', (socket) => sightings.#owner(socket));
    sightings.answer = (request, response) => sightings.#take(request, response);
    return sightings;
  }

  get broken() {
    return this.url.replace('/mcp', '/broken');
  }

  /** Of this process answers wait from now on; resolves with the attempts, once so many do. */
  async holdBack(pid, count) {
    this.#holding = pid;
    const waiting = () => this.#held.filter(({ response }) => !response.destroyed);
    return until(() => waiting().length >= count && waiting().map(({ seen }) => seen), `${count} attempts of process ${pid}`);
  }

  /** Answers the first so many that wait; or all, and who comes then does not wait. */
  letGo(count = Infinity) {
    if (count === Infinity) this.#holding = undefined;
    for (const { seen, response } of this.#held.splice(0, Math.min(count, this.#held.length))) this.#end(seen, response);
  }

  /** Another process has made an attempt of this delivery later, and was answered. */
  isDoneByOthers({ delivery, by, began }) {
    return this.attempts.some((each) => each.delivery === delivery && each.by !== by && each.began > began && each.status);
  }

  /** Undefined: a process that has ended meanwhile. */
  #owner(socket) {
    if (!this.#owners.has(socket)) {
      const inode = inodeOf(socket);
      this.#owners.set(socket, inode && this.of().find((pid) => has(pid, inode)));
    }
    return this.#owners.get(socket);
  }

  #take(request, response) {
    const { headers, url, socket } = request;
    const seen = {
      delivery: headers['x-gate-delivery'], attempt: Number(headers['x-gate-attempt']), event: headers['webhook-id'],
      broken: url.startsWith('/broken'), by: this.#owner(socket), began: (this.#step += 1),
    };
    this.attempts.push(seen);
    response.on('close', () => (seen.ended ??= this.#step += 1));
    if (seen.by === this.#holding && this.#holding) this.#held.push({ seen, response });
    else this.#end(seen, response);
  }

  /** Some fail the first time they come, so that there are attempts that follow. */
  #end(seen, response) {
    const fails = !this.alwaysGood && !this.#seen.has(seen.delivery) && seen.delivery.charCodeAt(29) % 4 === 0;
    this.#seen.add(seen.delivery);
    const status = seen.broken || fails ? 500 : 204;
    response.on('finish', () => {
      Object.assign(seen, { status, ended: (this.#step += 1) });
      if (status === 204) this.done.add(seen.event);
    });
    response.writeHead(status).end();
  }
}
