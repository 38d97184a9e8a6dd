// A client of MCP 2026-07-28, as far as lists go: the catalogue is what this viewer sees through the MCP path
// itself. Nothing else is asked of it: this page calls no tool and reads no resource.
import { Refused, address, credentials, readHint, refusalOf, streamReader } from './api.js';
import { changed, state } from './store.js';

const VERSION = '2026-07-28';
const KEY = 'io.modelcontextprotocol/';
/** Of each kind; the search finds nothing beyond. */
const ITEMS_AT_MOST = 10_000;

/** What there is to list: the request, its member, and how what it lists is asked for. */
export const KINDS = [
  { kind: 'tool', list: 'tools/list', member: 'tools', key: 'name', asked: 'tools/call' },
  { kind: 'prompt', list: 'prompts/list', member: 'prompts', key: 'name', asked: 'prompts/get' },
  { kind: 'resource', list: 'resources/list', member: 'resources', key: 'uri', asked: 'resources/read' },
  { kind: 'template', list: 'resources/templates/list', member: 'resourceTemplates', key: 'uriTemplate', asked: '' },
];

/** As the gateway says: what is public may have another path. */
async function mcpPath() {
  if (!state.hint) await readHint();
  return state.hint.mcpPath;
}

let requests = 0;

async function request(method, params) {
  const id = (requests += 1);
  const _meta = {
    [`${KEY}protocolVersion`]: VERSION,
    [`${KEY}clientCapabilities`]: {},
    [`${KEY}clientInfo`]: { name: 'gate-console', version: '1' },
  };
  const response = await fetch(address((await mcpPath()).slice(1)), {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': VERSION,
      'Mcp-Method': method,
      ...credentials(),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
  });
  let answer;
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const read = streamReader(({ data }) => {
      const message = JSON.parse(data);
      if (message.id === id) answer = message;
    });
    read(await response.text());
  } else if (response.ok) {
    answer = await response.json();
  } else {
    throw await refusalOf(response);
  }
  if (answer?.error) throw new Refused(response.status, answer.error.message);
  if (!answer?.result) throw new Refused(response.status, 'The answer has no result.');
  return answer.result;
}

/** The upstream whose namespace a name begins with; of a gateway without namespaces its only one. */
export function upstreamOf(name) {
  const { upstreams = [], routing } = state.federation ?? {};
  if (routing?.passthrough) return upstreams.find((each) => each.namespace === undefined)?.id;
  const at = name.indexOf(routing?.namespaceSeparator ?? '__');
  return at > 0 ? upstreams.find(({ namespace }) => namespace === name.slice(0, at))?.id : undefined;
}

async function listed({ kind, list, member, key }, into) {
  let cursor;
  let found = 0;
  do {
    const result = await request(list, cursor === undefined ? {} : { cursor });
    for (const item of result[member] ?? []) {
      const id = String(item[key] ?? '');
      const searched = `${id}\n${item.title ?? ''}\n${item.name ?? ''}\n${item.description ?? ''}`.toLowerCase();
      into.items.push({ kind, id, item, searched, upstream: key === 'name' ? upstreamOf(id) : undefined });
    }
    found += result[member]?.length ?? 0;
    for (const id of result._meta?.['gate/partialFailure']?.failedUpstreams ?? []) into.failed.add(id);
    cursor = result.nextCursor;
  } while (cursor !== undefined && found < ITEMS_AT_MOST);
}

/** All lists anew. What one of them lacks does not take the others. */
export async function readCatalogue(lost) {
  if (state.catalogue.loading) return;
  const viewer = state.token;
  state.catalogue = { ...state.catalogue, loading: true };
  changed();
  const into = { items: [], failed: new Set(), errors: [] };
  await Promise.all(
    KINDS.map((kind) =>
      listed(kind, into).catch((error) => {
        if (error.status === 401 && state.token === viewer) lost(error.message);
        into.errors.push(`${kind.list}: ${error instanceof Refused ? error.message : 'the gateway does not answer'}`);
      }),
    ),
  );
  // Whoever looks now may be another one.
  if (state.token !== viewer) return;
  const order = new Map(KINDS.map(({ kind }, i) => [kind, i]));
  into.items.sort((a, b) => order.get(a.kind) - order.get(b.kind));
  state.catalogue = { ...into, failed: [...into.failed], loading: false, loadedAt: new Date() };
  changed();
}
