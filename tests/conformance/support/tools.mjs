// The fixture's tools: `name: { description, inputSchema, run(args, extra, session) }`, where
// `extra` is the SDK's and `session` the fixture's.
import { CreateMessageResultSchema, ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { contact, richSchema, withChoices, withDefaults } from './forms.mjs';
import { image, resource, sound, text } from './content.mjs';

const nothing = { type: 'object', properties: {} };
const takes = (name, description) => ({
  type: 'object',
  properties: { [name]: { type: 'string', description } },
  required: [name],
});

const fixed = (description, ...content) => ({
  description,
  inputSchema: nothing,
  run: () => ({ content }),
});

/** Asks on the stream of the call. */
const ask = (extra, message, requestedSchema) =>
  extra.sendRequest(
    { method: 'elicitation/create', params: { message, requestedSchema } },
    ElicitResultSchema,
  );

const asking = (description, message, schema) => ({
  description,
  inputSchema: nothing,
  async run(args, extra) {
    const { action, content } = await ask(extra, message, schema);
    return { content: [text(`${action}: ${JSON.stringify(content ?? {})}`)] };
  },
});

async function log(args, extra) {
  for (const data of ['begun', 'under way', 'done'])
    await extra.sendNotification({
      method: 'notifications/message',
      params: { level: 'info', logger: 'fixture', data },
    });
  return { content: [text('said three things')] };
}

async function progress(args, extra) {
  const progressToken = extra._meta?.progressToken;
  for (const part of progressToken === undefined ? [] : [0, 50, 100])
    await extra.sendNotification({
      method: 'notifications/progress',
      params: { progressToken, progress: part, total: 100, message: `${part} of 100` },
    });
  return { content: [text(`progress of ${JSON.stringify(progressToken)}`)] };
}

async function sample({ prompt }, extra) {
  const messages = [{ role: 'user', content: text(prompt) }];
  const { content } = await extra.sendRequest(
    { method: 'sampling/createMessage', params: { messages, maxTokens: 100 } },
    CreateMessageResultSchema,
  );
  return { content: [text(`the model says: ${content.text}`)] };
}

/**
 * SEP-1699: ends the stream of its own call and has an answer only when the client has come back
 * for it. A client that does not come back waits until it ends its session. The SDK does not let
 * one that says it is older than 2025-11-25 be sent away, and standard output has no stream to end:
 * then it says something first, so that whoever makes a stream of that shows how.
 */
async function hangUp(args, extra, session) {
  if (!extra.closeSSEStream) {
    await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'stay' } });
    return { content: [text('you never left')] };
  }
  const back = session.resumed(extra.signal);
  extra.closeSSEStream();
  await back;
  return { content: [text('you came back')] };
}

export const tools = {
  test_simple_text: fixed('one text', text('some text')),
  test_image_content: fixed('one picture', image),
  test_audio_content: fixed('one sound', sound),
  test_embedded_resource: fixed('one resource', resource('test://embedded', 'inside a result')),
  test_multiple_content_types: fixed(
    'a text, a picture and a resource',
    text('three things'),
    image,
    resource('test://mixed', '{"test":"data","value":123}', 'application/json'),
  ),
  test_tool_with_logging: { description: 'logs while it runs', inputSchema: nothing, run: log },
  test_tool_with_progress: {
    description: 'tells how far it is',
    inputSchema: nothing,
    run: progress,
  },
  test_error_handling: {
    description: 'always fails',
    inputSchema: nothing,
    run: () => ({ content: [text('this fails on purpose')], isError: true }),
  },
  test_sampling: {
    description: 'asks the model of its client',
    inputSchema: takes('prompt', 'what to ask'),
    run: sample,
  },
  test_elicitation: {
    description: 'asks the user of its client',
    inputSchema: takes('message', 'what to ask'),
    run: async ({ message }, extra) => {
      const { action, content } = await ask(extra, message, contact);
      return { content: [text(`${action}: ${JSON.stringify(content ?? {})}`)] };
    },
  },
  test_elicitation_sep1034_defaults: asking('a form with defaults', 'Is this right?', withDefaults),
  test_elicitation_sep1330_enums: asking('a form with choices', 'Which ones?', withChoices),
  test_reconnection: { description: 'ends its stream early', inputSchema: nothing, run: hangUp },
  json_schema_2020_12_tool: {
    description: 'has a rich input schema',
    inputSchema: richSchema,
    run: (args) => ({ content: [text(JSON.stringify(args))] }),
  },
};
