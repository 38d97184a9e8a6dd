// The official conformance suites with the gateway and without:
// `node run.mjs <gate> <gate-stdio> [<suite>…]`. A server suite meets our fixture directly, through a
// passthrough gateway, through a gateway that federates it with another, and the same fixture over
// standard input and output through gate-stdio, without a gateway and with one; a client suite's
// servers meet the official client directly and through a passthrough gateway. Each check must come
// out as it does directly. Those of 2026-07-28 are the same over HTTP, with fixtures and a client of
// their own: one fixture on the official SDK, and one by hand for the extension for tasks.
import assert from 'node:assert/strict';
import { gateBinary, suite } from '../end_to_end/support/suite.mjs';
import { complaints, differences, totals } from './support/checks.mjs';
import { requireSuites, runClientScenario, runServerSuite } from './support/conformance.mjs';
import { directly, inEachMode } from './support/modes.mjs';

const SERVER_SUITES = ['server-0.1.16', 'server-2025-11-25'];
const CLIENT_SUITES = ['client-0.1.16', 'client-2025-11-25'];

/**
 * Where the gateway or gate-stdio still differ from a direct connection; in all modes, or only in
 * `modes`. An entry that nothing needs any more fails the test as well: delete it.
 */
const knownDifferences = [
  {
    suites: SERVER_SUITES,
    scenario: 'server-sse-multiple-streams',
    checks: ['server-sse-streams-functional'],
    why: 'it looks at the streams of lists; the gateway answers lists itself, gate-stdio at once, both as JSON',
  },
  {
    suites: ['server-2025-11-25'],
    scenario: 'server-sse-polling',
    checks: ['server-sse-disconnect-resume'],
    why: 'the gateway comes back to the upstream itself, and keeps the stream of its client open, as gate-stdio does',
  },
];

/** What a suite has against our fixture too, without any gateway. */
const knownComplaints = [
  {
    suites: ['server-0.1.16'],
    scenario: 'server-sse-polling',
    checks: ['server-sse-priming-event', 'server-sse-retry-field'],
    why: 'this suite says 2025-03-26 in the header of its call, and then the SDK sends neither',
  },
];

const clientNames = [
  'initialize',
  'tools_call',
  'elicitation-sep1034-client-defaults',
  'sse-retry',
  'auth/client-credentials-basic',
];

const statelessNames = [
  'tools_call',
  'request-metadata',
  'http-standard-headers',
  'http-custom-headers',
  'http-invalid-tool-headers',
  'sep-2322-client-request-state',
  'json-schema-ref-no-deref',
  'json-schema-2020-12-preservation',
];

/**
 * Of an extension, which belongs to no version: the suite runs them with all others, and does not score them. The
 * official SDK does not have it, so they meet a fixture of their own.
 */
const TASKS = /^tasks-/;

/** `version` is that of the npm alias, `size` the number of scenarios: none may go missing. */
const suites = {
  'server-0.1.16': { version: '0.1', args: ['--suite', 'all'], size: 32 },
  'server-2025-11-25': { version: '0.2', args: ['--requirements', '2025-11-25'], size: 33 },
  // As the next one without a gateway: what the fixture itself is worth.
  'fixture-2026-07-28': {
    version: '0.2', args: ['--requirements', '2026-07-28'], size: 40, without: TASKS, alone: true,
  },
  'server-2026-07-28': {
    version: '0.2', args: ['--requirements', '2026-07-28'], size: 40, without: TASKS, generation: 'stateless',
  },
  'tasks-2026-07-28': {
    version: '0.2', args: ['--requirements', '2026-07-28'], size: 10, only: TASKS, generation: 'tasks',
  },
  'client-0.1.16': { version: '0.1', args: [], names: clientNames, size: 5 },
  'client-2025-11-25': {
    version: '0.2',
    // An extension belongs to no version of the specification: it must be forced.
    args: ['--spec-version', '2025-11-25', '--force'],
    names: [...clientNames, 'json-schema-2020-12-preservation'],
    size: 6,
  },
  'client-2026-07-28': {
    version: '0.2',
    args: ['--spec-version', '2026-07-28'],
    names: statelessNames,
    size: statelessNames.length,
    generation: 'stateless',
  },
};

const binary = gateBinary();
const [, , , shimBinary, ...named] = process.argv;
const chosen = named.length ? named : Object.keys(suites);
assert.ok(shimBinary, 'usage: node run.mjs <gate> <gate-stdio> [<suite>…]');
requireSuites();
for (const name of chosen) assert.ok(suites[name], `no suite ${name}: ${Object.keys(suites)}`);

/** One after the other: one of them measures times. */
async function clientScenarios(settings, gate) {
  const found = new Map();
  for (const name of settings.names)
    found.set(name, await runClientScenario(settings, name, gate));
  return found;
}

/** `mode => scenario => checks`. */
async function allRuns(settings) {
  const { generation, alone, names } = settings;
  if (alone) return directly((url) => runServerSuite(settings, url));
  if (!names) return inEachMode({ gate: binary, shim: shimBinary, generation }, (url) => runServerSuite(settings, url));
  const direct = await clientScenarios(settings);
  return { direct, passthrough: await clientScenarios(settings, binary) };
}

function printTable(runs) {
  for (const [mode, scenarios] of Object.entries(runs)) {
    const { passed, failed, warnings } = totals(scenarios);
    const counts = `${passed} passed, ${failed} failed, ${warnings} warnings`;
    console.log(`        ${mode.padEnd(12)} ${scenarios.size} scenarios: ${counts}`);
  }
}

function note(word, { said, why }) {
  console.log(`        ${word}: ${said}${why ? `: ${why.split('\n')[0]}` : ''}`);
}

/** `found` may hold what a line of `known` says of the suite `name` in `mode`, and nothing else. */
function assertOnly(found, known, name, mode = 'direct') {
  const lines = known.filter(({ suites: of, modes }) => of.includes(name) && (modes?.includes(mode) ?? true));
  const holds = (line, item) => line.scenario === item.scenario && line.checks.includes(item.check);
  const isKnown = (item) => lines.some((line) => holds(line, item));
  for (const item of found) note(isKnown(item) ? 'known' : 'NEW', item);
  const unknown = found.filter((item) => !isKnown(item));
  const stale = lines.filter((line) => !found.some((item) => holds(line, item)));
  const faults = [
    ...unknown.map(({ said, why }) => `${said}\n${why ?? ''}`),
    ...stale.map(({ scenario }) => `the entry about ${scenario} is not needed any more: delete it`),
  ];
  if (faults.length) assert.fail(faults.join('\n'));
}

function assertSame(direct, scenarios, name, mode) {
  const found = differences(direct, scenarios);
  for (const item of found.filter(({ better }) => better)) note('better', item);
  assertOnly(found.filter(({ better }) => !better), knownDifferences, name, mode);
}

await suite('conformance', async ({ step }) => {
  for (const name of chosen) {
    const settings = suites[name];
    const runs = await step(`${name}: runs`, () => allRuns(settings), 600_000);
    if (!runs) continue;
    printTable(runs);
    const { direct, ...others } = runs;
    await step(`${name}: direct is well`, () => {
      assert.equal(direct.size, settings.size, 'the number of scenarios');
      assertOnly(complaints(direct), knownComplaints, name);
    });
    for (const [mode, scenarios] of Object.entries(others))
      await step(`${name}: ${mode} equals direct`, () => assertSame(direct, scenarios, name, mode));
  }
});
