// Tasks of a server with sessions, as MCP 2025-11-25 has them in its core: the client says that a call shall be one,
// only the session that made it knows of it, and what it asks comes where its result is waited for.
import { Refusal } from './offering.mjs';
import { KEYS } from './stateless_rules.mjs';
import { Tasks, foreignMembers, resultText } from './tasks.mjs';

/** Where it says which task something is of. */
export const RELATED = 'io.modelcontextprotocol/related-task';
/** What a server declares that has them. */
export const TASK_CAPABILITIES = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

const REVISION = '2025-11-25';
const NAMES = { ttl: 'ttl', poll: 'pollInterval' };
const METHODS = ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'];
const TTL_MS = 30_000;

/** Here a tool's result that is no good one is the task's failure, too. */
const statusOf = ({ status, result }) => (status === 'completed' && result.isError ? 'failed' : status);
const told = (task) => `{${task.members(NAMES, statusOf(task))}}`;

export class SessionTasks extends Tasks {
  constructor(name, offering) {
    super(name);
    this.offering = offering;
  }

  /** What a request in a session of `version` has that it should not have. */
  *faults({ method, params = {} }, version) {
    const isTask = method.startsWith('tasks/');
    const { task } = params;
    if (!isTask && method !== 'tools/call') return;
    for (const key of [KEYS.version, KEYS.capabilities, KEYS.client, KEYS.logLevel])
      if (params._meta && key in params._meta) yield `${key} in a session`;
    if (version !== REVISION && (isTask || task !== undefined)) yield `tasks in a session of ${version}`;
    if (isTask) {
      if (!METHODS.includes(method)) yield `${method} is no method here`;
      for (const member of foreignMembers(method, params)) yield `params.${member} of ${method}`;
      return;
    }
    if (task === undefined) return;
    if (typeof task !== 'object' || task === null) return yield 'params.task is no object';
    for (const member of Object.keys(task)) if (member !== 'ttl') yield `params.task.${member}`;
    if ('ttl' in task && !Number.isFinite(task.ttl)) yield 'params.task.ttl is no number';
    if (!this.offering.taskSupport(params.name)) yield `${params.name} is called as a task, and is none`;
  }

  /** Answers the call if it is of tasks, or becomes one; `work`: its Work. */
  async answers(call, work) {
    const { method, params, session } = call;
    if (METHODS.includes(method)) {
      await this.#tell(call, work);
      return true;
    }
    if (method.startsWith('tasks/')) throw new Refusal(-32601, 'Method not found');
    if (method !== 'tools/call' || !Object.hasOwn(this.offering.tools, params.name)) return false;
    const support = this.offering.taskSupport(params.name);
    if (support === 'required' && !params.task) throw new Refusal(-32601, `${params.name} has to be a task`);
    if (!params.task) return false;
    if (!support) throw new Refusal(-32601, `${params.name} can not be a task`);
    const task = this.begin({ owner: session, ttl: params.task.ttl ?? TTL_MS },
      (itself) => this.offering.answer('tools/call', params, itself));
    work.end(`"result":{"task":${told(task)}}`);
    return true;
  }

  async #tell({ method, params = {}, session }, work) {
    if (method === 'tasks/list') {
      if (params.cursor !== undefined) throw new Refusal(-32602, 'there is no other page');
      return work.end(`"result":{"tasks":[${this.of(session).map(told).join()}]}`);
    }
    const task = this.find(params.taskId, session);
    if (method === 'tasks/result') return this.#wait(task, work);
    if (method === 'tasks/cancel' && !task.cancel()) throw new Refusal(-32602, `Cannot cancel task: it is ${task.status}`);
    return work.end(`"result":${told(task)}`);
  }

  /** Until it is over its client is asked, here, what it wants to know. */
  async #wait(task, work) {
    const related = { [RELATED]: { taskId: task.taskId } };
    const asked = new Set();
    while (!task.over) {
      for (const [key, { request }] of task.open) {
        if (asked.has(key)) continue;
        asked.add(key);
        const params = { ...request.params, _meta: related };
        work.request({ ...request, params }).then((answer) => task.answer(key, answer), (error) => task.refuse(key, error));
      }
      await Promise.race([task.changed(), work.gone]);
      if (work.left) return;
    }
    if (task.status === 'cancelled') throw new Refusal(-32603, 'the task was cancelled');
    if (task.error) return work.end(`"error":${JSON.stringify(task.error)}`);
    return work.end(`"result":${resultText(task.result, related)}`);
  }
}
