// The client of the suites' client scenarios: the official one, straight to the suite's server, or
// through a gateway of its own: `node client.mjs [<gate binary>] <url>`, the scenario's name in
// MCP_CONFORMANCE_SCENARIO, and what it has to know for it in MCP_CONFORMANCE_CONTEXT.
import { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { discoverOAuthServerInfo } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { throughGate } from './support/through_gate.mjs';

/** Less than the patience of the suites, so that it is the client who says what it waited for. */
const PATIENCE = { timeout: 15_000 };

const url = process.argv.at(-1);
const binary = process.argv.length > 3 ? process.argv[2] : undefined;

/** What the suite tells clients beside the address, as JSON. */
const context = () => JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT);

async function connected(target, { capabilities = {}, prepare = () => {}, authProvider }) {
  const client = new Client({ name: 'gate-conformance', version: '1' }, { capabilities });
  prepare(client);
  const transport = new StreamableHTTPClientTransport(new URL(target), { authProvider });
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
  // Directly the client gets the token; behind the gateway it needs none, and the gateway gets it.
  'auth/client-credentials-basic': {
    credential: () => {
      const { client_id: clientId, client_secret: clientSecret } = context();
      return new ClientCredentialsProvider({ clientId, clientSecret });
    },
    upstream: clientCredentials,
    run: (client) => call(client, 'test-tool'),
  },
};

const SECRET = 'GATE_CONFORMANCE_SECRET';

/** The gateway as such a client. It is told where tokens are had; an operator looks that up once. */
async function clientCredentials() {
  const { client_id: clientId, client_secret: secret } = context();
  const { authorizationServerMetadata, resourceMetadata } = await discoverOAuthServerInfo(url);
  const auth = {
    strategy: 'client-credentials',
    tokenEndpoint: authorizationServerMetadata.token_endpoint,
    clientId,
    clientAuth: { type: 'client_secret_basic', secretRef: SECRET },
    resource: resourceMetadata.resource,
  };
  return { auth, env: { [SECRET]: secret } };
}

const scenario = scenarios[process.env.MCP_CONFORMANCE_SCENARIO];

async function play(target, authProvider) {
  const { client, close } = await connected(target, { ...scenario, authProvider });
  try {
    await scenario.run(client);
  } finally {
    await close();
  }
}

async function withGate() {
  const { auth, env } = (await scenario.upstream?.()) ?? {};
  await throughGate(binary, { upstreams: [{ id: 'suite', url, auth }] }, { env }, play);
}

await (binary ? withGate() : play(url, scenario.credential?.()));
process.exit(0);
