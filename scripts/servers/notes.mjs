// notes.mjs FOLDER: an MCP server without sessions (2026-07-28) that keeps notes, a Markdown file each, in a
// folder. `make run` puts it behind gate, from beside its packages. It listens on this machine only, on a
// port that the kernel chooses and it prints, and serves no page of a browser.
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import {
  McpServer, ResourceNotFoundError, ResourceTemplate, createMcpHandler, fromJsonSchema,
} from '@modelcontextprotocol/server';

const [, , folder] = process.argv;
if (!folder) {
  console.error('usage: node notes.mjs FOLDER');
  process.exit(2);
}

// A name is part of a path and of a URI: it needs no escape in either, and leads nowhere else.
const name = { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,63}$', description: 'small letters, digits and hyphens' };
const text = { type: 'string', maxLength: 100_000 };
const takes = (properties) => fromJsonSchema({ type: 'object', properties, required: Object.keys(properties) });
const say = (words) => ({ content: [{ type: 'text', text: words }] });

const isName = new RegExp(name.pattern);
const uriOf = (note) => `note://${note}`;
const fileOf = (note) => path.join(folder, `${note}.md`);
const names = async () => (await readdir(folder)).filter((file) => file.endsWith('.md'))
  .map((file) => file.slice(0, -'.md'.length)).filter((note) => isName.test(note)).sort();

/** The text of a note; undefined if there is none of this name. */
async function read(note) {
  if (!isName.test(note)) return undefined;
  return readFile(fileOf(note), 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
}

async function write({ name: note, text: words }) {
  const known = (await read(note)) !== undefined;
  await writeFile(fileOf(note), words);
  if (known) handler.notify.resourceUpdated(uriOf(note));
  else handler.notify.resourcesChanged();
  return say(`${known ? 'replaced' : 'wrote'} ${uriOf(note)}`);
}

async function find({ words }) {
  const all = await Promise.all((await names()).map(async (note) => [note, await read(note)]));
  const wanted = words.toLowerCase();
  const found = all.filter(([note, content]) => `${note}\n${content}`.toLowerCase().includes(wanted));
  return say(found.map(([note]) => uriOf(note)).join('\n') || `no note has "${words}"`);
}

/** One serves each request: there is nothing to remember between them but the files. */
function notes() {
  const server = new McpServer({ name: 'notes', version: '1' }, {
    capabilities: { resources: { listChanged: true, subscribe: true } },
    instructions: 'Notes in Markdown: write_note keeps one, find_notes finds some, each is a resource.',
  });
  server.registerTool('write_note', {
    description: 'Writes a note, or replaces the one of this name', inputSchema: takes({ name, text }),
    annotations: { idempotentHint: true },
  }, write);
  server.registerTool('find_notes', {
    description: 'Finds the notes that have these words in their name or text', inputSchema: takes({ words: text }),
    annotations: { readOnlyHint: true },
  }, find);
  const mimeType = 'text/markdown';
  const list = async () => ({ resources: (await names()).map((note) => ({ uri: uriOf(note), name: note, mimeType })) });
  server.registerResource('note', new ResourceTemplate(uriOf('{name}'), { list }), { mimeType }, async (uri, { name: note }) => {
    const content = await read(note);
    if (content === undefined) throw new ResourceNotFoundError(uri.href);
    return { contents: [{ uri: uri.href, mimeType, text: content }] };
  });
  server.registerPrompt('summarize', { description: 'Asks for the gist of a note', argsSchema: takes({ name }) }, async ({ name: note }) => {
    const words = `Summarize this note in three sentences:\n\n${(await read(note)) ?? 'There is none of this name.'}`;
    return { messages: [{ role: 'user', content: { type: 'text', text: words } }] };
  });
  return server;
}

await mkdir(folder, { recursive: true });
const handler = createMcpHandler(notes, { legacy: 'reject' });
const serve = toNodeHandler(handler);
const [goodHost, goodOrigin] = [localhostHostValidation(), localhostOriginValidation()];
const listener = http.createServer((request, response) => {
  if (goodHost(request, response) && goodOrigin(request, response)) serve(request, response);
});
listener.listen(0, '127.0.0.1', () => console.error(`listening on http://127.0.0.1:${listener.address().port}/mcp`));

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    await handler.close();
    listener.close(() => process.exit(0));
    listener.closeAllConnections();
  });
