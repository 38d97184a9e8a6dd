// What a run of a suite found, and how two runs differ.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** A suite saves each scenario's checks in a folder `[server-]{scenario}-{time}`. */
const FOLDER = /^(.+?)-\d{4}-\d\d-\d\dT[\d-]+Z$/;

/** Scenarios with a slash in their names are saved in a folder of this one. */
const GROUPS = ['auth'];

/** `scenario => [{ id, status, errorMessage? }]` of what a suite saved under `folder`. */
export function savedChecks(folder, prefix = '') {
  const scenarios = new Map();
  const names = readdirSync(folder).flatMap((name) =>
    GROUPS.includes(name) ? readdirSync(path.join(folder, name)).map((inner) => `${name}/${inner}`) : name,
  );
  for (const name of names) {
    const scenario = name.match(FOLDER)?.[1].slice(prefix.length);
    if (!scenario) throw new Error(`not the results of a scenario: ${name}`);
    const checks = readFileSync(path.join(folder, name, 'checks.json'), 'utf8');
    scenarios.set(scenario, JSON.parse(checks));
  }
  return scenarios;
}

/** Made for each request, and a gateway makes other requests than a client: once is enough. */
const PER_REQUEST = ['valid-bearer-token', 'sep-2243-client-includes-standard-headers'];

/** `id => statuses` of the checks that judge something; the others only say what happened. */
function verdicts(checks = []) {
  const byId = new Map();
  for (const { id, status } of checks) byId.set(id, [...(byId.get(id) ?? []), status].sort());
  for (const id of PER_REQUEST) if (byId.has(id)) byId.set(id, [...new Set(byId.get(id))]);
  return byId;
}

const judges = (statuses) => statuses?.some((status) => status !== 'INFO') ?? false;
const shown = (statuses) => statuses?.join(' ') ?? 'missing';

/**
 * The checks on which `there` (with the gateway) differs from `here` (without): `{ scenario, check,
 * said, why, better }`. `better`: a success where there was none.
 */
export function differences(here, there) {
  const found = [];
  for (const scenario of new Set([...here.keys(), ...there.keys()])) {
    const [a, b] = [verdicts(here.get(scenario)), verdicts(there.get(scenario))];
    for (const check of new Set([...a.keys(), ...b.keys()])) {
      const [before, after] = [a.get(check), b.get(check)];
      if (shown(before) === shown(after) || !(judges(before) || judges(after))) continue;
      const said = `${scenario}: ${check} is ${shown(after)}, ${shown(before)} directly`;
      const why = there.get(scenario)?.find(({ id }) => id === check)?.errorMessage;
      const better = after?.[0] === 'SUCCESS' && !before?.includes('SUCCESS');
      found.push({ scenario, check, said, why, better });
    }
  }
  return found;
}

/** The checks of one run that did not go well: `{ scenario, check, said, why }`. */
export function complaints(scenarios) {
  return [...scenarios].flatMap(([scenario, checks]) =>
    checks
      .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
      .map(({ id, status, errorMessage }) => ({
        scenario,
        check: id,
        said: `${scenario}: ${id} is ${status}`,
        why: errorMessage,
      })),
  );
}

/** How many checks of a run came out how: `{ passed, failed, warnings }`. */
export function totals(scenarios) {
  const all = [...scenarios.values()].flat();
  const count = (wanted) => all.filter(({ status }) => status === wanted).length;
  return { passed: count('SUCCESS'), failed: count('FAILURE'), warnings: count('WARNING') };
}
