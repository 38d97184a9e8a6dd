// The client of the suites' client scenarios: the official one, straight to the suite's server, or
// through a gateway of its own: `node client.mjs [<gate binary>] <url>`, the scenario's name in
// MCP_CONFORMANCE_SCENARIO.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Gate } from '../end_to_end/support/gate.mjs';

/** Less than the patience of the suites, so that it is the client who says what it waited for. */
const PATIENCE = { timeout: 15_000 };

const url = process.argv.at(-1);
const binary = process.argv.length > 3 ? process.argv[2] : undefined;

async function connected(target, capabilities, prepare = () => {}) {
  const client = new Client({ name: 'gate-conformance', version: '1' }, { capabilities });
  prepare(client);
  const transport = new StreamableHTTPClientTransport(new URL(target));
  await client.connect(transport);
  return { client, close: () => transport.close() };
}

async function call(client, name, args = {}) {
  const { tools } = await client.listTools();
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) throw new Error(`no ${name} among ${tools.map((each) => each.name)}`);
  return client.callTool({ name, arguments: args }, undefined, PATIENCE);
}

const scenarios = {
  initialize: { run: (client) => client.listTools() },
  tools_call: { run: (client) => call(client, 'add_numbers', { a: 5, b: 3 }) },
  'sse-retry': { run: (client) => call(client, 'test_reconnection') },
  // The user agrees and fills in nothing; the client puts in the defaults that the form names.
  'elicitation-sep1034-client-defaults': {
    capabilities: { elicitation: { form: { applyDefaults: true } } },
    prepare: (client) =>
      client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: {} })),
    run: (client) => call(client, 'test_client_elicitation_defaults'),
  },
  // Sends back the schema that it was shown.
  'json-schema-2020-12-preservation': {
    async run(client) {
      const { tools } = await client.listTools();
      const { inputSchema } = tools.find(({ name }) => name === 'json_schema_2020_12_tool');
      await call(client, 'json_schema_echo', { schema: inputSchema });
    },
  },
};

async function play(target) {
  const { capabilities = {}, prepare, run } = scenarios[process.env.MCP_CONFORMANCE_SCENARIO];
  const { client, close } = await connected(target, capabilities, prepare);
  try {
    await run(client);
  } finally {
    await close();
  }
}

async function throughGate() {
  const gate = await Gate.start(binary, { upstreams: [{ id: 'suite', url }] });
  try {
    await play(gate.url);
  } catch (error) {
    console.error(gate.log());
    throw error;
  } finally {
    await gate.end();
  }
}

await (binary ? throughGate() : play(url));
process.exit(0);
