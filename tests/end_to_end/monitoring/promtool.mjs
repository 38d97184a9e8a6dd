// What Prometheus's own tool says of the rules, the dashboard and the alerts. Needs `promtool`, of Debian's package
// `prometheus`: no part of `make test`, but of `make test-monitoring`.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { scratch } from '../../../simulations/peers/gate.mjs';
import { runToEnd } from '../../../simulations/peers/process.mjs';
import { suite } from '../support/suite.mjs';
import { cases } from './cases.mjs';
import { alertsOf, dashboard, expressionsOf, rules, rulesFile } from './files.mjs';

const folder = scratch();
/** A document of these rules in a file of its own. */
function file(name, document) {
  const place = path.join(folder, name);
  writeFileSync(place, stringify(document, { lineWidth: 0 }));
  return place;
}
async function promtool(...args) {
  const { code, out, err } = await runToEnd('promtool', args);
  return { code, said: `${out}\n${err}` };
}

/** The rules with nothing but their summaries: what is said at length is not repeated in cases. */
function summarized(every) {
  const groups = rules.groups.map((group) => ({
    ...group,
    interval: every,
    rules: group.rules.map((rule) => (rule.alert ? { ...rule, annotations: { summary: rule.annotations.summary } } : rule)),
  }));
  return file(`rules of every ${every}.yml`, { groups });
}

/** A case as promtool reads it. */
function testOf({ alert, series, every = '1m', notYet, at, fires }) {
  const { labels } = alertsOf(rules).find((rule) => rule.alert === alert);
  const expected = fires.map(({ says, ...rest }) => ({ exp_labels: { ...labels, ...rest }, exp_annotations: { summary: says } }));
  const test = {
    interval: every,
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [
      { eval_time: notYet, alertname: alert, exp_alerts: [] },
      { eval_time: at, alertname: alert, exp_alerts: expected },
    ],
  };
  return file('case.yml', {
    rule_files: [summarized(every)],
    evaluation_interval: every,
    // What is recorded comes before what is computed from it; promtool's own order is any.
    group_eval_order: rules.groups.map((group) => group.name),
    tests: [test],
  });
}

await suite('monitoring: promtool', async ({ step }) => {
  await step('the rules are rules', async () => {
    const { code, said } = await promtool('check', 'rules', rulesFile);
    assert.equal(code, 0, said);
    const count = rules.groups.flatMap((group) => group.rules).length;
    assert.match(said, new RegExp(`${count} rules found`));
  });

  await step('every expression of the dashboard is one', async () => {
    const all = expressionsOf(dashboard);
    const recorded = all.map(({ expr }, i) => ({ record: `dashboard:expression:${i}`, expr }));
    const { code, said } = await promtool('check', 'rules', file('dashboard.yml', { groups: [{ name: 'dashboard', rules: recorded }] }));
    assert.equal(code, 0, said);
    assert.match(said, new RegExp(`${all.length} rules found`));
  });

  await step('what is no expression is noticed', async () => {
    const { code } = await promtool('check', 'rules', file('bad.yml', { groups: [{ name: 'x', rules: [{ record: 'x', expr: 'sum(' }] }] }));
    assert.notEqual(code, 0);
  });

  for (const one of cases)
    await step(`${one.alert}: at ${one.at}, not at ${one.notYet}`, async () => {
      const { code, said } = await promtool('test', 'rules', testOf(one));
      assert.equal(code, 0, said);
    });

  await step('a case that expects nothing where an alert fires fails', async () => {
    const { code } = await promtool('test', 'rules', testOf({ ...cases[0], fires: [] }));
    assert.notEqual(code, 0);
  });
});
