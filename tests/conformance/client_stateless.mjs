// The client of the suite's client scenarios of 2026-07-28: the second generation of the official one, straight
// to the suite's server, or through a gateway of its own: `node client_stateless.mjs [<gate binary>] <url>`,
// the scenario's name in MCP_CONFORMANCE_SCENARIO, what it has to know for it in MCP_CONFORMANCE_CONTEXT.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { throughGate } from './support/through_gate.mjs';

/** Less than the patience of the suite, so that it is the client who says what it waited for. */
const PATIENCE = { timeout: 15_000 };
const VERSION = '2026-07-28';

const url = process.argv.at(-1);
const binary = process.argv.length > 3 ? process.argv[2] : undefined;

const call = (client, name, args = {}) => client.callTool({ name, arguments: args }, PATIENCE);

/** Every tool that the client shows, with an argument for each that is required. */
async function callAll(client) {
  for (const { name, inputSchema } of (await client.listTools()).tools)
    await call(client, name, Object.fromEntries((inputSchema.required ?? []).map((key) => [key, 'value'])));
}

const scenarios = {
  tools_call: async (client) => {
    await client.listTools();
    await call(client, 'add_numbers', { a: 5, b: 3 });
  },
  'request-metadata': (client) => client.listTools(),
  'http-standard-headers': async (client) => {
    await callAll(client);
    for (const { uri } of (await client.listResources()).resources) await client.readResource({ uri });
    for (const { name } of (await client.listPrompts()).prompts) await client.getPrompt({ name });
  },
  'http-custom-headers': async (client) => {
    await client.listTools();
    const { toolCalls } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT);
    for (const { name, arguments: args } of toolCalls) await call(client, name, args);
  },
  'http-invalid-tool-headers': callAll,
  // The calls run side by side: none may get the state of another. One answers without saying of what kind
  // the answer is; this client may take offence at that, and has then asked nobody again.
  'sep-2322-client-request-state': async (client) => {
    const { tools } = await client.listTools();
    await Promise.all(tools.map(({ name }) => call(client, name).catch((error) => {
      if (!/resultType/.test(error.message)) throw error;
    })));
  },
  'json-schema-ref-no-deref': (client) => client.listTools(),
  // Sends back the schema that it was shown.
  'json-schema-2020-12-preservation': async (client) => {
    const { tools } = await client.listTools();
    const { inputSchema } = tools.find(({ name }) => name === 'json_schema_2020_12_tool');
    await call(client, 'json_schema_echo', { schema: inputSchema });
  },
};

function answering(client) {
  client.setRequestHandler('elicitation/create', ({ params }) => {
    const fields = Object.entries(params.requestedSchema?.properties ?? {});
    return { action: 'accept', content: Object.fromEntries(fields.map(([name, { type }]) => [name, type === 'boolean' ? true : 'value'])) };
  });
  client.setRequestHandler('sampling/createMessage', () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'words' } }));
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///work' }] }));
}

async function play(target) {
  const client = new Client({ name: 'gate-conformance', version: '1' }, {
    capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} }, versionNegotiation: { mode: { pin: VERSION } },
  });
  answering(client);
  await client.connect(new StreamableHTTPClientTransport(new URL(target)));
  try {
    await scenarios[process.env.MCP_CONFORMANCE_SCENARIO](client);
  } finally {
    await client.close();
  }
}

await (binary
  ? throughGate(binary, { upstreams: [{ id: 'suite', url, protocol: VERSION }] }, {}, play)
  : play(url));
process.exit(0);
