// Child processes: their output as lines one can wait for, and an end by process id.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { until, within } from './waiting.mjs';

const SANITIZER = /AddressSanitizer|LeakSanitizer|ThreadSanitizer|runtime error:|UndefinedBehavior/;

/** What runs must not outlive the script, however that ends. */
const running = new Set();
/** What sanitizers said in processes that have ended. */
const complained = [];
process.on('exit', () => {
  for (const child of running) child.signal('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

export class Child {
  /** Lines of the two streams so far. */
  out = [];
  err = [];
  /** `{ code, signal }` once the process is gone and its output was read. */
  ended = null;

  constructor(command, args, options = {}) {
    this.name = options.name ?? command;
    this.process = spawn(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: [options.stdin ?? 'ignore', 'pipe', 'pipe'],
    });
    createInterface({ input: this.process.stdout }).on('line', (line) => this.out.push(line));
    createInterface({ input: this.process.stderr }).on('line', (line) => this.err.push(line));
    running.add(this);
    this.exit = new Promise((done) => {
      const end = (how) => {
        running.delete(this);
        complained.push(...this.report());
        done((this.ended = how));
      };
      this.process.on('error', (error) => end({ code: -1, signal: null, error }));
      this.process.on('close', (code, signal) => end({ code, signal }));
    });
  }

  /** The first line of standard error that matches; fails at once if the process ends without it. */
  async says(pattern, ms) {
    const find = () => this.err.map((line) => line.match(pattern)).find(Boolean);
    await until(() => find() || this.ended, `${this.name} to say ${pattern}`, ms);
    const match = find();
    if (!match) throw new Error(`${this.name} ended before it said ${pattern}:\n${this.log()}`);
    return match;
  }

  /** The last lines of what it said, for messages. */
  log(lines = 30) {
    const tail = [...this.err.slice(-lines), ...this.out.slice(-5)].join('\n');
    return `${JSON.stringify(this.ended ?? 'running')}\n${tail}`;
  }

  signal(name) {
    if (!this.ended) this.process.kill(name);
  }

  /** Sends `signal` and returns how it ended; kills it if it does not. */
  async stop(signal = 'SIGTERM', ms = 30_000) {
    this.signal(signal);
    try {
      return await within(this.exit, `${this.name} to end after ${signal}`, ms);
    } catch (error) {
      this.signal('SIGKILL');
      await this.exit;
      throw new Error(`${error.message}\n${this.log()}`);
    }
  }

  /** Lines in which a sanitizer complained. */
  complaints() {
    return [...this.err, ...this.out].filter((line) => SANITIZER.test(line));
  }

  /** The first complaint with what follows it, as one text; nothing if there is none. */
  report(lines = 100) {
    const all = [...this.err, ...this.out];
    const at = all.findIndex((line) => SANITIZER.test(line));
    return at < 0 ? [] : [[`${this.name}:`, ...all.slice(at, at + lines)].join('\n')];
  }
}

/** What sanitizers said in any process so far: most processes are ended without a look at that. */
export const reports = () => [...complained, ...[...running].flatMap((child) => child.report())];

/** Runs a command to its end: `{ code, out, err }`, the streams as text. */
export async function runToEnd(command, args, options = {}) {
  const child = new Child(command, args, options);
  const { code, signal, error } = await within(child.exit, `${command} ${args.join(' ')} to end`);
  if (error) throw error;
  return { code, signal, out: child.out.join('\n'), err: child.err.join('\n'), child };
}

/** The memory that a process has in use. */
export function residentKiB(pid) {
  return Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmRSS:\s+(\d+)/m)[1]);
}
