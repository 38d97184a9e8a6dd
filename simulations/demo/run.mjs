// What an operator sees while upstreams fail and the configuration changes: a gateway in front of three
// MCP servers, clients that call the third all the time, and meanwhile one server that is killed, one
// that hangs, two reloads, and both healed. Prints log lines, /health and metrics as they come, and at
// the end what became of the calls to the third server; exit code 1 if a single one failed.
//
//   node simulations/demo/run.mjs [path of gate]      build/release/bin/gate unless given
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Gate } from '../peers/gate.mjs';
import { Session } from '../peers/mcp.mjs';
import { Traffic } from '../peers/traffic.mjs';
import { Upstream } from '../peers/upstream.mjs';
import { sleep, until } from '../peers/waiting.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const binary = path.resolve(process.argv[2] ?? path.join(root, 'build/release/bin/gate'));

const GUARDS = { timeouts: { requestMs: 500 }, circuitBreaker: { failureThreshold: 3, halfOpenAfterMs: 2000 } };
const CLIENTS = 8;
const REFUSED = /circuit open/;
const METRICS = /^gate_(upstream_breaker_state|upstream_requests_total|sessions|requests_total\{method="tools\/call")/;

/** The log comes over a pipe, a moment late: lines are put in the order of their times. */
const PIPE_MS = 100;
const lines = [];
let gate, read = 0;

const print = (kind, text) => lines.push(`${new Date().toISOString()} ${kind.padEnd(7)} ${text}`);

/** All that happened until now. */
async function flush() {
  await sleep(PIPE_MS);
  const log = (gate?.err ?? []).slice(read);
  read += log.length;
  lines.push(...log.map((line) => line.replace(' ', ' log     ')));
  const timeOf = (line) => line.split(' ', 1)[0];
  for (const line of lines.splice(0).sort((one, other) => timeOf(one).localeCompare(timeOf(other)))) console.log(line);
}

async function chapter(text) {
  await flush();
  console.log(`\n# ${text}`);
}

const entry = (id, upstream, more = {}) => ({ id, url: upstream.url, namespace: id, ...GUARDS, ...more });

async function health() {
  const { status, json } = await gate.health();
  const each = json.upstreams.map(({ id, breaker, connected, error }) =>
    `${id}: ${connected ? 'connected' : `not connected (${error})`}, circuit ${breaker}`);
  print('health', `HTTP ${status} ${json.status}; ${each.join('; ')}`);
}

async function metrics() {
  for (const [key, value] of await gate.metrics())
    if (METRICS.test(key) && (value !== 0 || key.includes('breaker_state'))) print('metrics', `${key} ${value}`);
}

/** What a client gets, on one line. */
async function call(session, name) {
  const began = performance.now();
  const { result, error } = await session.call(name, { text: 'hello' });
  const text = result ? result.content[0].text : `${error.code} ${error.message}`;
  print('client', `${name} -> ${text} (${Math.round(performance.now() - began)} ms)`);
  return text;
}

async function list(session) {
  const { result } = await session.request('tools/list', {});
  const missing = result._meta?.['gate/partialFailure']?.failedUpstreams;
  print('client', `tools/list -> ${result.tools.map(({ name }) => name).join(' ')}${missing ? `; missing: ${missing}` : ''}`);
}

const untilRefused = (session, name) => until(async () => REFUSED.test(await call(session, name)), 'the circuit to open');

async function untilServed(session, name) {
  await until(async () => {
    const text = await call(session, name);
    if (text.startsWith('echo')) return true;
    await sleep(500);
    return false;
  }, 'the call to work');
}

const [notes, search, tickets, mail, mail2] = await Promise.all(Array.from({ length: 5 }, () => Upstream.start()));
const three = [entry('notes', notes), entry('search', search), entry('tickets', tickets)];

await chapter('three servers behind a gateway; eight clients call the third one all the time');
gate = await Gate.start(binary, { upstreams: three });
const session = await Session.open(gate);
const traffic = await Traffic.start(gate, { name: 'tickets__echo', expected: (text) => `echo: ${text}`, clients: CLIENTS });
await call(session, 'notes__echo');
await call(session, 'search__echo');
await list(session);
await health();

await chapter('notes is killed');
await notes.stop();
await untilRefused(session, 'notes__echo');
await health();

await chapter('search hangs');
search.on('tools/call', () => {});
await untilRefused(session, 'search__echo');
await health();
await metrics();

await chapter('a reload adds a fourth server (SIGHUP)');
await gate.reload({ upstreams: [...three, entry('mail', mail)] });
await call(session, 'mail__echo');
await list(session);

await chapter('a reload changes it, while a call over the old one runs');
let held;
mail.on('tools/call', (request) => (held = request));
const running = call(session, 'mail__echo');
await until(() => held, 'the call at the server');
await gate.reload({ upstreams: [...three, entry('mail', mail2, { labels: { moved: 'yes' } })] });
await call(session, 'mail__echo');
held.text('echo: from the old server, which is no longer in the configuration');
await running;
await until(() => mail.sessions.size === 0, 'the sessions with the old server to end');
print('server', 'the old mail server: all sessions with it were ended');

await chapter('both are healed');
await notes.listen();
search.restore();
await untilServed(session, 'notes__echo');
await untilServed(session, 'search__echo');
await list(session);
await health();
await metrics();

await traffic.more(CLIENTS);
await traffic.stop();
await chapter('the end');
await gate.end();
await flush();
for (const failure of traffic.failures) console.log(`failed: ${failure}`);
console.log(`\ncalls to the third: ${traffic.calls}, failed: ${traffic.failed}, slowest: ${traffic.slowest.toFixed(1)} ms`);
process.exit(traffic.failed ? 1 : 0);
