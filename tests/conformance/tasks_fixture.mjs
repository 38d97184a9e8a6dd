// The upstream of the conformance tests of the extension `io.modelcontextprotocol/tasks`, which the official SDK
// does not have: the strict server of the end-to-end tests with everything that the suite calls.
// `node tasks_fixture.mjs [--decoy]` prints the port that it got; a decoy has the same names, and fails whatever
// is asked of it.
import { setTimeout as pause } from 'node:timers/promises';
import { Refusal, text } from '../../simulations/peers/offering.mjs';
import { StatelessUpstream } from '../../simulations/peers/stateless_upstream.mjs';

const decoy = process.argv.includes('--decoy');
const scheme = decoy ? 'decoy' : 'test';

const say = (words, more = {}) => ({ content: [text(words)], ...more });
const takes = (properties = {}) => ({ type: 'object', properties });
const word = { type: 'string' };
const sure = (message) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { ...takes({ confirm: { type: 'boolean' } }), required: ['confirm'] } },
});

const who = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Who are you?', requestedSchema: { ...takes({ name: word }), required: ['name'] } },
};

const tools = {
  test_simple_text: { inputSchema: takes(), run: () => say('This is a simple text response for testing.') },
  greet: { inputSchema: takes({ name: word }), run: ({ name }) => say(`Hello, ${name}!`) },
  slow_compute: {
    task: 'optional',
    inputSchema: takes({ seconds: { type: 'number' }, label: word }),
    async run({ seconds = 0, label = 'computation' }) {
      await pause(seconds * 1000);
      return say(`${label} took ${seconds} seconds`);
    },
  },
  failing_job: {
    task: 'required',
    inputSchema: takes(),
    async run() {
      await pause(1000);
      return say('the job failed', { isError: true });
    },
  },
  protocol_error_job: {
    task: 'optional',
    inputSchema: takes(),
    run() {
      throw new Refusal(-32603, 'the job broke');
    },
  },
  confirm_delete: {
    task: 'optional',
    inputSchema: takes({ filename: word }),
    async run({ filename }, call) {
      const { confirm } = await call.ask({ confirm: sure(`Delete ${filename}?`) });
      return say(confirm.content?.confirm ? `deleted ${filename}` : `kept ${filename}`);
    },
  },
  multi_input: {
    task: 'optional',
    inputSchema: takes(),
    async run(_, call) {
      const { one, two } = await call.ask({ one: sure('One?'), two: sure('Two?') });
      return say(`${one.action} and ${two.action}`);
    },
  },
  test_tool_with_task: {
    task: 'required',
    inputSchema: takes(),
    first: (call) => call.ask({ user_name: who }),
    run: (_, { told }) => say(`Hello, ${told.user_name.content?.name}!`),
  },
};

const fails = (table) =>
  Object.fromEntries(Object.entries(table).map(([name, tool]) => [name, {
    ...tool,
    run() {
      throw new Refusal(-32603, 'this belongs to the other upstream');
    },
  }]));

const upstream = await StatelessUpstream.start({ name: scheme, tasks: true });
upstream.offering.tools = decoy ? fails(tools) : tools;
upstream.offering.resources = { [`${scheme}://static-text`]: { mimeType: 'text/plain', text: scheme } };
console.error(`listening on 127.0.0.1:${upstream.port}`);
