// The tools and prompts of the stateless fixture: `name: { description, inputSchema, run(args, call) }`.
// `call` has `progressToken`, `notify`, `log`, `capabilities` (of the client), `answers` (to what was asked
// before), `state` (what the client brought back; checked), `ask(requests, state)`, which makes the result
// that asks, `changed(list)`, and `refuse`, which throws.
import { contact, richSchema } from './forms.mjs';
import { image, prompts as plainPrompts, resource, sound, text } from './content.mjs';

const nothing = { type: 'object', properties: {} };
const fixed = (description, ...content) => ({ description, inputSchema: nothing, run: () => ({ content }) });
const tool = (description, run, inputSchema = nothing) => ({ description, inputSchema, run });
const say = (words) => ({ content: [text(words)] });

const form = (message, name, type = 'string') => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties: { [name]: { type } }, required: [name] } },
});
const model = (words, maxTokens) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: text(words) }], maxTokens },
});
const roots = { method: 'roots/list', params: {} };

/** The answer to a form, if it has the field; else undefined: it is asked again. */
const filled = (answer, name) => (answer?.action === 'accept' ? answer.content?.[name] : undefined);

async function log(_, call) {
  for (const data of ['begun', 'under way', 'done']) await call.log('info', data);
  return say('said three things');
}

async function progress(_, call) {
  for (const part of call.progressToken === undefined ? [] : [0, 50, 100])
    await call.notify('notifications/progress', {
      progressToken: call.progressToken, progress: part, total: 100, message: `${part} of 100`,
    });
  return say(`progress of ${JSON.stringify(call.progressToken)}`);
}

const rounds = (_, call) => {
  const { step1, step2 } = call.answers;
  if (call.state?.round === 2 && filled(step2, 'color')) return say(`${call.state.name} likes ${step2.content.color}`);
  const name = filled(step1, 'name');
  if (call.state?.round === 1 && name)
    return call.ask({ step2: form('Step 2: What is your favorite color?', 'color') }, { round: 2, name });
  return call.ask({ step1: form('Step 1: What is your name?', 'name') }, { round: 1 });
};

const confirmed = (words) => (_, call) =>
  (call.state && filled(call.answers.confirm, 'ok') !== undefined
    ? say(words)
    : call.ask({ confirm: form('Please confirm', 'ok', 'boolean') }, { asked: true }));

export const tools = {
  test_simple_text: fixed('one text', text('some text')),
  test_image_content: fixed('one picture', image),
  test_audio_content: fixed('one sound', sound),
  test_embedded_resource: fixed('one resource', resource('test://embedded', 'inside a result')),
  test_multiple_content_types: fixed(
    'a text, a picture and a resource', text('three things'), image,
    resource('test://mixed', '{"test":"data","value":123}', 'application/json'),
  ),
  test_tool_with_logging: tool('logs while it runs', log),
  test_logging_tool: tool('logs while it runs', log),
  test_tool_with_progress: tool('tells how far it is', progress),
  test_error_handling: tool('always fails', () => ({ content: [text('this fails on purpose')], isError: true })),
  json_schema_2020_12_tool: tool('has a rich input schema', (args) => say(JSON.stringify(args)), richSchema),
  test_mirrored_arguments: tool('has arguments that headers repeat', (args) => say(JSON.stringify(args)), {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' }, count: { type: 'integer', 'x-mcp-header': 'Count' }, plain: { type: 'string' },
    },
    required: ['region'],
  }),
  test_missing_capability: tool('needs a model', (_, call) => {
    if (!call.capabilities.sampling) call.refuse({ sampling: {} });
    return say('there is a model');
  }),
  test_streaming_elicitation: tool('says something and then asks', async (_, call) => {
    if (filled(call.answers.user, 'username')) return say('thank you');
    await call.log('info', 'about to ask');
    return call.ask({ user: { method: 'elicitation/create', params: { mode: 'form', message: 'Who are you?', requestedSchema: contact } } });
  }),
  test_trigger_tool_change: tool('says that tools changed', (_, call) => {
    call.changed('tools');
    return say('tools changed');
  }),
  test_trigger_prompt_change: tool('says that prompts changed', (_, call) => {
    call.changed('prompts');
    return say('prompts changed');
  }),
  test_input_required_result_elicitation: tool('asks the user', (_, call) => {
    const name = filled(call.answers.user_name, 'name');
    return name ? say(`Hello, ${name}!`) : call.ask({ user_name: form('What is your name?', 'name') });
  }),
  test_input_required_result_sampling: tool('asks the model', (_, call) => {
    const said = call.answers.capital_question?.content;
    return said ? say(said.text) : call.ask({ capital_question: model('What is the capital of France?', 100) });
  }),
  test_input_required_result_list_roots: tool('asks for the roots', (_, call) => {
    const found = call.answers.client_roots?.roots;
    return found ? say(found.map(({ uri }) => uri).join()) : call.ask({ client_roots: roots });
  }),
  test_input_required_result_request_state: tool('remembers by a state', confirmed('state-ok')),
  test_input_required_result_tampered_state: tool('knows its states', confirmed('the state is mine')),
  test_input_required_result_multi_round: tool('asks twice', rounds),
  test_input_required_result_multiple_inputs: tool('asks everybody at once', (_, call) => {
    const { user_name: user, greeting, client_roots: found } = call.answers;
    if (call.state && filled(user, 'name') && greeting?.content && found?.roots)
      return say(`${greeting.content.text} ${user.content.name}, ${found.roots.length} roots`);
    return call.ask({
      user_name: form('What is your name?', 'name'), greeting: model('Generate a greeting', 50), client_roots: roots,
    }, { asked: true });
  }),
  test_input_required_result_capabilities: tool('asks for what the client can do', (_, call) => {
    if (Object.keys(call.answers).length) return say('answered');
    const all = { elicitation: form('What is your name?', 'name'), sampling: model('Say something', 50), roots };
    const able = Object.entries(all).filter(([name]) => call.capabilities[name]);
    return able.length ? call.ask(Object.fromEntries(able)) : say('nothing to ask');
  }),
};

export const prompts = {
  ...plainPrompts,
  test_input_required_result_prompt: {
    description: 'asks for its context',
    get(_, call) {
      const context = filled(call.answers.user_context, 'context');
      if (!context) return call.ask({ user_context: form('What context should the prompt use?', 'context') });
      return { messages: [{ role: 'user', content: text(`in the context of ${context}`) }] };
    },
  },
};
