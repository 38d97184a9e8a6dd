// docs/migration.md: its documents are documents, and what it says of files and options of others' users holds.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { scratch } from '../../simulations/peers/gate.mjs';
import { runToEnd } from '../../simulations/peers/process.mjs';
import { suite } from './support/suite.mjs';

const [, , gate, gateUp, gateStdio] = process.argv;
if (!gateStdio) {
  console.error(`usage: node ${process.argv[1]} <gate> <gate-up> <gate-stdio>`);
  process.exit(2);
}
const page = readFileSync(path.join(path.dirname(fileURLToPath(import.meta.url)), '../../docs/migration.md'), 'utf8');
const folder = scratch();
function file(name, content) {
  writeFileSync(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return path.join(folder, name);
}

await suite('coming from others', async ({ step }) => {
  await step('every document on the page is valid', async () => {
    const documents = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text]) => text);
    assert.equal(documents.length, 2);
    for (const [i, text] of documents.entries()) {
      const { code, out, err } = await runToEnd(gate, ['--validate', '--config', file(`${i}.json`, text)]);
      assert.deepEqual([code, out.trim()], [0, 'config OK'], err);
    }
  });

  await step('a field of another program is named, with the nearest', async () => {
    const { code, err } = await runToEnd(gate, ['--validate', '--config', file('x.json', { upstreams: [{ id: 'a', url: 'http://a/', cacheTtl: 5 }] })]);
    assert.equal(code, 1);
    assert.match(err, /cacheTtl\b.*cacheTtlMs/);
  });

  await step('gate-up takes a file of named servers as mcp-proxy does', async () => {
    const server = { timeout: 60, transportType: 'stdio', command: 'uvx', args: ['mcp-server-fetch'] };
    const out = path.join(folder, 'written');
    const named = file('servers.json', { mcpServers: { fetch: { ...server, enabled: true }, off: { ...server, enabled: false }, not: { ...server, disabled: true },
      github: { ...server, env: { TOKEN: 'x' }, headerToEnv: { Authorization: 'TOKEN' } } } });
    const { code, err } = await runToEnd(gateUp, ['--write', out, named]);
    assert.equal(code, 0, err);
    const { upstreams } = JSON.parse(readFileSync(path.join(out, 'gate.json'), 'utf8'));
    assert.deepEqual(upstreams.map(({ id, namespace }) => [id, namespace]), [['fetch', 'fetch'], ['github', 'github']]);
    assert.match(readFileSync(path.join(out, 'gate-stdio-github.env'), 'utf8'), /^TOKEN=/m);
  });

  await step('every option that the page names is one', async () => {
    const helps = { gate: (await runToEnd(gate, ['--help'])).out, 'gate-stdio': (await runToEnd(gateStdio, ['--help'])).out, 'gate-up': (await runToEnd(gateUp, ['--help'])).out };
    const here = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| There')).map((line) => line.split(' | ').at(-1));
    const named = new Set(here.flatMap((cell) => [...cell.matchAll(/`(--[a-z-]+)/g)].map(([, option]) => option)));
    assert.ok(named.size >= 5, [...named].join(' '));
    for (const option of named) assert.ok(Object.values(helps).some((help) => help.includes(`${option} `)), option);
    // Commands in blocks, as they stand there.
    for (const [, program, options] of page.matchAll(/^(gate-stdio|gate-up) (.*)$/gm))
      for (const [option] of options.split(' -- ')[0].matchAll(/--[a-z-]+/g)) assert.ok(helps[program].includes(`${option} `), `${program} ${option}`);
  });
});
