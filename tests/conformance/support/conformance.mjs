// The official suites as processes, and the upstreams that the server suites meet.
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { scratch } from '../../../simulations/peers/gate.mjs';
import { Child } from '../../../simulations/peers/process.mjs';
import { within } from '../../../simulations/peers/waiting.mjs';
import { savedChecks } from './checks.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const loader = pathToFileURL(path.join(here, 'glob_loader.mjs')).href;
const fixture = path.join(here, '../fixture.mjs');
const statelessFixture = path.join(here, '../stateless_fixture.mjs');
const tasksFixture = path.join(here, '../tasks_fixture.mjs');
const clients = { session: 'client.mjs', stateless: 'client_stateless.mjs' };
const entry = (version) => path.join(here, `../node_modules/conformance-${version}/dist/index.js`);

/** A whole suite on a slow machine with sanitizers; only ends what would never end. */
const PATIENCE_MS = 300_000;

/** Ends the script with a clear word without the npm packages: a test that cannot run fails. */
export function requireSuites() {
  if (['0.1', '0.2'].every((version) => existsSync(entry(version)))) return;
  console.error('FAIL: the npm packages of the conformance tests are not installed;');
  console.error('run `make test`, or `npm ci` in tests/conformance');
  process.exit(1);
}

/** The same server as a command that speaks standard input and output. */
export const stdioFixture = [process.execPath, fixture, '--stdio'];

export const startFixture = (...args) => started(fixture, args);

/** The one of MCP 2026-07-28. */
export const startStatelessFixture = (...args) => started(statelessFixture, args);

/** The one of its extension for tasks. */
export const startTasksFixture = (...args) => started(tasksFixture, args);

async function started(script, args) {
  const child = new Child(process.execPath, [script, ...args], { name: `fixture ${args}` });
  const [, port] = await child.says(/^listening on 127\.0\.0\.1:(\d+)/);
  child.url = `http://127.0.0.1:${port}/mcp`;
  return child;
}

/** Each run saves what it finds in a folder of its own. */
const folders = scratch();
let runs = 0;

async function run(version, args) {
  runs += 1;
  const folder = path.join(folders, String(runs));
  mkdirSync(folder);
  const child = new Child(
    process.execPath,
    ['--import', loader, entry(version), ...args, '-o', folder],
    { name: `suite ${version}` },
  );
  const { code } = await within(child.exit, `${child.name} ${args[0]} to end`, PATIENCE_MS);
  return { code, folder, child };
}

/** Runs a server suite against `url`: `scenario => checks`; only those count whose names are like `only`, and not those like `without`. */
export async function runServerSuite({ version, args, only, without }, url) {
  const { folder, child } = await run(version, ['server', '--url', url, ...args]);
  const scenarios = savedChecks(folder, 'server-');
  const counts = (name) => (only?.test(name) ?? true) && !without?.test(name);
  for (const name of [...scenarios.keys()]) if (!counts(name)) scenarios.delete(name);
  if (!scenarios.size) throw new Error(`the suite ran no scenario:\n${child.log()}`);
  return scenarios;
}

/** In front of the command: a suite that loses patience ends the client and not its shell. */
const IN_PLACE = 'exec ';
const quoted = (word) => `"${word}"`;

/**
 * Runs one client scenario: the suite's server, our client, and between them the gateway if `gate`
 * is given. How the suite ended is a check of its own: it says whether the client did its part.
 */
export async function runClientScenario({ version, args, generation = 'session' }, scenario, gate) {
  const client = path.join(here, '..', clients[generation]);
  const words = [process.execPath, client, ...(gate ? [path.resolve(gate)] : [])];
  const command = IN_PLACE + words.map(quoted).join(' ');
  const own = ['client', '--scenario', scenario, '--command', command, ...args];
  const { code, folder, child } = await run(version, own);
  const checks = savedChecks(folder).get(scenario);
  if (!checks?.length) throw new Error(`${scenario} checked nothing:\n${child.log()}`);
  const status = code === 0 ? 'SUCCESS' : 'FAILURE';
  const errorMessage = code === 0 ? undefined : `exit code ${code}\n${child.log(60)}`;
  return [...checks, { id: 'client-ends-well', status, errorMessage }];
}
