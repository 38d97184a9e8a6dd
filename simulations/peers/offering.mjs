// What the peers of both generations offer, so that a test can compare them: tools, prompts, resources,
// a template, completion. A tool is `{ inputSchema, outputSchema?, only?, run(args, call) }`; `call` has
// `name` (of the server), `progress(done, total, message)`, `log(level, data)`, `ask(requests)`, which
// resolves with the answers by key, `gone`, a promise for the end of interest in it, and `hold()`, which
// resolves when the test calls the server's `release()`, or nobody is interested any more. One that becomes
// a task may have `first(call)` besides, which is called before: what that resolves with is `told` of its call.
import { LEVELS } from './stateless_rules.mjs';

/** A result in exactly these words (the members, without braces); `meta`: those of its `_meta`. */
export class Exactly {
  #own;
  #meta;

  constructor(members, meta = '') {
    this.#own = members;
    this.#meta = meta;
  }

  get members() {
    return this.#meta ? `${this.#own},"_meta":{${this.#meta}}` : this.#own;
  }

  /** The same with more members in its `_meta`. */
  with(meta) {
    return new Exactly(this.#own, [meta, this.#meta].filter(Boolean).join());
  }
}

/** An error that a tool, prompt or resource ends with. */
export class Refusal extends Error {
  constructor(code, message, data) {
    super(message);
    Object.assign(this, { code, data });
  }

  get json() {
    return { code: this.code, message: this.message, ...(this.data !== undefined && { data: this.data }) };
  }
}

export const text = (words) => ({ type: 'text', text: words });
const say = (words) => ({ content: [text(words)] });
const takes = (properties, required = []) => ({ type: 'object', properties, required });
const nothing = takes({});
const word = { type: 'string' };

/** Numbers, escapes and members that do not survive being parsed and printed. */
export const ODD_MEMBERS =
  '"content":[{"type":"text","text":"\\u00e4\\u2603 \\/","x":1.0}],"structuredContent":{"big":12345678901234567890,"e":1E2,"q":99.99999999999999},"z":-0';
/** The same in `_meta`, where others may have members too. */
export const ODD_META = '"example.com/kept":{"a":[1.50]}';

const form = (message, name) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: takes({ [name]: word }, [name]) },
});
export const sampling = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: text('say something') }], maxTokens: 10 },
};
const roots = { method: 'roots/list', params: {} };

export const toolTable = {
  echo: { inputSchema: takes({ text: word }), run: ({ text: what }, { name }) => say(`${name}: ${what}`) },
  exact: { inputSchema: nothing, run: () => new Exactly(ODD_MEMBERS, ODD_META) },
  progress: {
    inputSchema: takes({ steps: { type: 'integer' } }),
    run({ steps = 3 }, call) {
      for (let i = 1; i <= steps; i += 1) call.progress(i, steps, `step ${i}`);
      return say(`${steps} steps`);
    },
  },
  log: {
    inputSchema: nothing,
    run(_, call) {
      for (const level of LEVELS) call.log(level, `at ${level}`);
      return say('logged');
    },
  },
  slow: {
    inputSchema: takes({ text: word }),
    async run({ text: what }, call) {
      call.progress(1, 2, 'holding');
      await call.hold();
      return say(`held ${what}`);
    },
  },
  fails: { inputSchema: nothing, run: () => ({ ...say('it went wrong'), isError: true }) },
  refuses: {
    inputSchema: takes({ code: { type: 'integer' } }),
    run({ code = 4711 }) {
      throw new Refusal(code, 'refused on purpose', { why: [1, 'ä'] });
    },
  },
  typed: {
    inputSchema: nothing,
    outputSchema: takes({ sum: { type: 'integer' } }, ['sum']),
    run: () => ({ ...say('{"sum":3}'), structuredContent: { sum: 3 } }),
  },
  ask_once: {
    inputSchema: nothing,
    async run(_, call) {
      const { who } = await call.ask({ who: form('Who are you?', 'name') });
      return say(`${who.action} ${JSON.stringify(who.content ?? null)}`);
    },
  },
  ask_twice: {
    inputSchema: nothing,
    async run(_, call) {
      const { first } = await call.ask({ first: form('First?', 'a') });
      const { second } = await call.ask({ second: form('Second?', 'b') });
      return say(`${first.content?.a} ${second.content?.b}`);
    },
  },
  ask_together: {
    inputSchema: nothing,
    async run(_, call) {
      const { who, what } = await call.ask({ who: form('Who?', 'name'), what: sampling });
      return say(`${who.content?.name}: ${what.content.text}`);
    },
  },
  sample: {
    inputSchema: nothing,
    run: async (_, call) => say(`the model says ${(await call.ask({ it: sampling })).it.content.text}`),
  },
  roots: {
    inputSchema: nothing,
    run: async (_, call) => say((await call.ask({ it: roots })).it.roots.map(({ uri }) => uri).join()),
  },
  come_back: { only: 'stateless', inputSchema: nothing, run: async (_, call) => say(`after ${await call.pause()}`) },
  listing: {
    only: 'stateless',
    inputSchema: nothing,
    outputSchema: { type: 'array', items: { $ref: '#/$defs/item' }, $defs: { item: { type: 'number' } } },
    run: () => new Exactly('"content":[],"structuredContent":[1,2.50]'),
  },
  region: {
    inputSchema: takes({
      region: { type: 'string', 'x-mcp-header': 'Region' },
      count: { type: 'integer', 'x-mcp-header': 'Count' },
      sure: { type: 'boolean', 'x-mcp-header': 'Sure' },
      inner: takes({ deep: { type: 'string', 'x-mcp-header': 'Deep' } }),
      plain: word,
    }),
    run: (args) => say(JSON.stringify(args)),
  },
};

/** What a task ends with that is told to: a result that is no good one, an error; else the odd result. */
const ends = {
  failed: () => ({ ...say('the job went wrong'), isError: true }),
  error() {
    throw new Refusal(4711, 'the job ended', { why: [1, 'ä'] });
  },
};
const job = {
  inputSchema: takes({ steps: { type: 'integer' }, ends: { enum: ['completed', 'failed', 'error'] } }),
  async run({ steps = 0, ends: how }, call) {
    for (let i = 1; i <= steps; i += 1) call.progress(i, steps, `step ${i}`);
    await call.hold();
    return ends[how]?.() ?? new Exactly(ODD_MEMBERS, ODD_META);
  },
};
const jobAsking = {
  inputSchema: nothing,
  async run(_, call) {
    const { who } = await call.ask({ who: form('For whom?', 'name') });
    return say(`done for ${who.content?.name ?? who.action}`);
  },
};

/**
 * What may be, or has to be, a task; offered on request only. `job` works until the test calls the server's
 * `finish(taskId)` or `release()`.
 */
export const taskTable = {
  job: { task: 'optional', ...job },
  job_only: { task: 'required', ...job },
  job_asking: { task: 'optional', ...jobAsking },
  job_asking_only: { task: 'required', ...jobAsking },
};

/** What a client must not show, and a server must not have; offered on request only. */
export const wronglyAnnotated = {
  inputSchema: takes({ list: { type: 'array', items: { type: 'string', 'x-mcp-header': 'Item' } } }),
  run: () => say('never'),
};

export const promptTable = {
  greet: {
    arguments: [{ name: 'who', required: true }],
    run: ({ who }) => ({ messages: [{ role: 'user', content: text(`greet ${who}`) }] }),
  },
  greet_asked: {
    async run(_, call) {
      const { who } = await call.ask({ who: form('Whom?', 'name') });
      return { messages: [{ role: 'user', content: text(`greet ${who.content?.name}`) }] };
    },
  },
};

const missing = (generation, uri) =>
  new Refusal(generation === 'stateless' ? -32602 : -32002, 'Resource not found', { uri });

/** `{ name, generation }` of a server to all it offers, `tasks` or not; its URIs have its name as their scheme. */
export class Offering {
  constructor(name, generation, { tasks = false } = {}) {
    Object.assign(this, { name, generation });
    const all = { ...toolTable, ...(tasks && taskTable) };
    this.tools = Object.fromEntries(Object.entries(all).filter(([, { only }]) => !only || only === generation));
    this.prompts = { ...promptTable };
    this.resources = {
      [this.uri('docs/1')]: { mimeType: 'text/plain', text: `${name}: the first` },
      [this.uri('docs/2')]: { mimeType: 'application/octet-stream', blob: 'AAEC/w==' },
    };
    this.templates = [{ uriTemplate: this.uri('items/{id}'), name: 'items', mimeType: 'text/plain' }];
  }

  uri = (path) => `${this.name}://${path}`;

  /** The items of a list, by the member that holds them; all on one page. */
  list(method, { cursor } = {}) {
    if (method.endsWith('/list') && cursor !== undefined) throw new Refusal(-32602, 'there is no other page');
    const support = (task) => task && this.generation === 'session' && { execution: { taskSupport: task } };
    const named = (table) =>
      Object.entries(table).map(([name, { run, only, task, first, ...shown }]) => ({ name, ...shown, ...support(task) }));
    switch (method) {
      case 'tools/list': return { tools: named(this.tools) };
      case 'prompts/list': return { prompts: named(this.prompts) };
      case 'resources/list':
        return { resources: Object.entries(this.resources).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })) };
      case 'resources/templates/list': return { resourceTemplates: this.templates };
      default: return undefined;
    }
  }

  /** The result of anything else that is offered; undefined if it is no method of these. */
  answer(method, params, call) {
    switch (method) {
      case 'tools/call': return this.#named(this.tools, params.name).run(params.arguments ?? {}, call);
      case 'prompts/get': return this.#named(this.prompts, params.name).run(params.arguments ?? {}, call);
      case 'resources/read': return this.#read(params.uri, call);
      case 'completion/complete': return this.#complete(params);
      default: return undefined;
    }
  }

  /** Is the tool a task of its own? `optional`, `required`, or undefined. */
  taskSupport(name) {
    return Object.hasOwn(this.tools, name) ? this.tools[name].task : undefined;
  }

  #named(table, name) {
    if (!Object.hasOwn(table, name)) throw new Refusal(-32602, `there is no ${name}`);
    return table[name];
  }

  async #read(uri, call) {
    const id = uri.startsWith(this.uri('items/')) && uri.slice(this.uri('items/').length);
    if (id === 'asked') {
      const { which } = await call.ask({ which: form('Which?', 'item') });
      return { contents: [{ uri, mimeType: 'text/plain', text: `${this.name}: ${which.content?.item}` }] };
    }
    if (id) return { contents: [{ uri, mimeType: 'text/plain', text: `${this.name}: item ${id}` }] };
    if (!Object.hasOwn(this.resources, uri)) throw missing(this.generation, uri);
    return { contents: [{ uri, ...this.resources[uri] }] };
  }

  #complete({ ref, argument }) {
    if (ref.type === 'ref/prompt') this.#named(this.prompts, ref.name);
    else if (!this.templates.some(({ uriTemplate }) => uriTemplate === ref.uri)) throw new Refusal(-32602, 'no such template');
    const values = ['one', 'two'].map((end) => `${argument.value}-${end}`);
    return { completion: { values, total: 2, hasMore: false } };
  }
}
