// The tasks of one server: work that goes on when its call was answered. Both dialects tell of them, each in its
// own words (session_tasks.mjs, stateless_tasks.mjs). A tool does not notice: its task is the call that it answers.
//
//   working <-> input_required -> completed | failed | cancelled
import { randomUUID } from 'node:crypto';
import { Exactly, Refusal } from './offering.mjs';

/** A member that no revision knows, of numbers that do not survive being parsed and printed. */
export const ODD_TASK = '"example.com/odd":{"big":12345678901234567890,"e":1E2,"q":99.99999999999999}';

/** What a tool may do about it: see offering.mjs. */
export class Task {
  status = 'working';
  createdAt = new Date().toISOString();
  lastUpdatedAt = this.createdAt;
  /** What its client is asked and has not answered: by key, which nothing else has for its life. */
  open = new Map();
  /** Once it is over: the tool's result, or the error instead of one. */
  result = undefined;
  error = undefined;
  #changes = [];
  #asked = 0;

  /**
   * `owner`: who may know of it; `ttl`: milliseconds; `poll`: a number as its JSON shall say it;
   * `check(requests)`: throws if its client can not be asked this.
   */
  constructor({ taskId, name, owner, ttl, poll, check = () => {} }) {
    Object.assign(this, { taskId, name, owner, ttl, poll, check });
    this.gone = new Promise((done) => (this.leave = done));
    this.finished = new Promise((done) => (this.finish = done));
  }

  get over() {
    return ['completed', 'failed', 'cancelled'].includes(this.status);
  }

  /** Resolves when anything of it is another one. */
  changed() {
    return new Promise((done) => this.#changes.push(done));
  }

  #change(members) {
    Object.assign(this, members, { lastUpdatedAt: new Date().toISOString() });
    for (const done of this.#changes.splice(0)) done();
  }

  hold() {
    return Promise.race([this.finished, this.gone]);
  }

  progress(_, __, message) {
    if (!this.over) this.#change({ statusMessage: message });
  }

  /** Log messages of a task reach nobody. */
  log() {}

  async ask(requests) {
    this.check(requests);
    const asked = Object.entries(requests).map(([name, request]) => {
      this.#asked += 1;
      const key = `${name}-${this.#asked}`;
      return new Promise((done, fail) => this.open.set(key, { request, done: (answer) => done([name, answer]), fail }));
    });
    this.#change({ status: 'input_required' });
    return Object.fromEntries(await Promise.all(asked));
  }

  /** Takes what the client says to `key`; what nobody asks, or no more, is not looked at. */
  answer(key, value) {
    this.#close(key, (question) => question.done(value));
  }

  refuse(key, error) {
    this.#close(key, (question) => question.fail(error));
  }

  #close(key, end) {
    const question = this.open.get(key);
    if (!question) return;
    this.open.delete(key);
    this.#change(this.open.size ? {} : { status: 'working' });
    end(question);
  }

  /** `{ status, result | error }`; false if it was over before. */
  end(members) {
    if (this.over) return false;
    this.open.clear();
    this.#change(members);
    this.leave();
    return true;
  }

  cancel() {
    return this.end({ status: 'cancelled' });
  }

  /** Its members without braces; `names` of those that the dialects call differently. */
  members({ ttl, poll }, status = this.status) {
    const { taskId, statusMessage, createdAt, lastUpdatedAt } = this;
    const told = JSON.stringify({ taskId, status, statusMessage, createdAt, lastUpdatedAt, [ttl]: this.ttl });
    return `${told.slice(1, -1)},"${poll}":${this.poll},${ODD_TASK}`;
  }
}

export class Tasks {
  /** By id. */
  all = new Map();
  /** What the next ones are told to say of how often they may be asked for: JSON. */
  poll = '50';
  /** The id of the next one. */
  nextId = () => `${this.name}-task-${randomUUID()}`;

  constructor(name) {
    this.name = name;
  }

  /** A task that `run(task)` works on, which may throw a Refusal. */
  begin(about, run) {
    const task = new Task({ taskId: this.nextId(), name: this.name, poll: this.poll, ...about });
    this.all.set(task.taskId, task);
    this.#work(task, run);
    return task;
  }

  async #work(task, run) {
    try {
      const result = await run(task);
      task.end({ status: 'completed', result });
    } catch (error) {
      const said = error instanceof Refusal ? error.json : { code: -32603, message: error.stack };
      task.end({ status: 'failed', error: said, statusMessage: said.message });
    }
  }

  /** That of `owner` under this id; somebody else's is as if it did not exist. */
  find(taskId, owner) {
    const task = this.all.get(taskId);
    if (!task || task.owner !== owner) throw new Refusal(-32602, 'Failed to retrieve task: Task not found');
    return task;
  }

  of(owner) {
    return [...this.all.values()].filter((task) => task.owner === owner);
  }

  /** Lets one go on that holds, or all of them. */
  finish(taskId) {
    const tasks = taskId === undefined ? [...this.all.values()] : [this.all.get(taskId)];
    for (const task of tasks) task.finish();
  }
}

/** A result as JSON; `more`: what its `_meta` says besides. */
export function resultText(result, more = {}) {
  const own = JSON.stringify(more).slice(1, -1);
  if (result instanceof Exactly) return `{${result.with(own).members}}`;
  const meta = { ...result._meta, ...more };
  return JSON.stringify(Object.keys(meta).length ? { ...result, _meta: meta } : result);
}

/** Members of `params` that a request of this method does not have, in either dialect. */
export function foreignMembers(method, params = {}) {
  const own = { 'tasks/list': ['cursor'], 'tasks/update': ['taskId', 'inputResponses'] }[method] ?? ['taskId'];
  return Object.keys(params).filter((name) => name !== '_meta' && !own.includes(name));
}
