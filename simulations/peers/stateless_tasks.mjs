// The extension io.modelcontextprotocol/tasks of a server of 2026-07-28: whoever declares it is told of a task
// where the server has one, and asks for it by name; nobody else hears of it.
import { Exactly, Refusal } from './offering.mjs';
import { CODES, TASKS } from './stateless_rules.mjs';
import { Tasks, foreignMembers, resultText } from './tasks.mjs';

const NAMES = { ttl: 'ttlMs', poll: 'pollIntervalMs' };
const TTL_MS = 60_000;

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const declares = ({ capabilities }) => isObject(capabilities.extensions?.[TASKS]);

const required = {
  code: CODES.missingCapability,
  message: `${TASKS} is needed for this`,
  data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
};

/** What the status of a task brings with it, as members of their own. */
const DETAILS = {
  input_required: ({ open }) =>
    `,"inputRequests":${JSON.stringify(Object.fromEntries([...open].map(([key, { request }]) => [key, request])))}`,
  completed: ({ result }) => `,"result":${resultText(result)}`,
  failed: ({ error }) => `,"error":${JSON.stringify(error)}`,
};

export class StatelessTasks extends Tasks {
  constructor(name, offering) {
    super(name);
    this.offering = offering;
  }

  /** What `call` is refused for before it is looked at; undefined if for nothing. */
  refusal(call) {
    if (!call.method.startsWith('tasks/') || declares(call)) return undefined;
    return { status: 400, ...required };
  }

  /** What of its parameters belongs to sessions, or to nobody. */
  *faults({ method, params }) {
    if (method === 'tools/call' && 'task' in params) yield 'params.task belongs to sessions';
    if (!method.startsWith('tasks/')) return;
    for (const member of foreignMembers(method, params)) yield `params.${member} of ${method}`;
    if (typeof params.taskId !== 'string') yield 'params.taskId is no text';
    if (method === 'tasks/update' && !isObject(params.inputResponses)) yield 'params.inputResponses is no object';
  }

  /** Answers the call if it is of tasks, or becomes one; `mayAsk(requests)` throws if its client can not be asked. */
  async answers(call, mayAsk) {
    if (call.method.startsWith('tasks/')) return this.#tell(call);
    const support = call.method === 'tools/call' && this.offering.taskSupport(call.params.name);
    if (support === 'required' && !declares(call)) throw new Refusal(required.code, required.message, required.data);
    if (!support || !declares(call)) return false;
    // What it wants to know before it becomes one is asked by results, as ever.
    const told = await this.offering.tools[call.params.name].first?.(call);
    const task = this.begin({ ttl: TTL_MS, check: mayAsk }, (work) => {
      work.told = told;
      return this.offering.answer('tools/call', call.params, work);
    });
    call.result(new Exactly(task.members(NAMES)), 'task');
    return true;
  }

  #tell(call) {
    const { taskId, inputResponses } = call.params;
    const task = this.find(taskId);
    if (call.method === 'tasks/get') {
      call.result(new Exactly(task.members(NAMES) + (DETAILS[task.status]?.(task) ?? '')));
      return true;
    }
    if (call.method === 'tasks/cancel') task.cancel();
    else {
      if (!isObject(inputResponses)) throw new Refusal(CODES.invalidParams, 'inputResponses is no object');
      for (const [key, value] of Object.entries(inputResponses)) task.answer(key, value);
    }
    call.result({});
    return true;
  }
}
