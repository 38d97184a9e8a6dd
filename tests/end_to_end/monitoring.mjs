// What operators watch a gateway with (scripts/monitoring), against the catalogue of metrics: every name, label and value in
// rules and dashboard is there, every alert says what to do and is tested both ways. What needs Prometheus is in monitoring/.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { parse } from 'yaml';
import { readFileSync } from 'node:fs';
import { cases } from './monitoring/cases.mjs';
import { alertsOf, catalogue, dashboard, dashboardText, expressionsOf, incidents, root, rules, rulesOf } from './monitoring/files.mjs';
import { named } from './monitoring/promql.mjs';
import { suite } from './support/suite.mjs';

/** What Prometheus adds to whatever it scrapes. */
const OF_TARGETS = ['job', 'instance'];
const OF_PROMETHEUS = { up: [], ALERTS: ['alertname', 'alertstate', 'severity'] };

const metrics = catalogue();

/** What a recorded rule is of: the labels that its expression leaves. */
const recorded = new Map(rulesOf(rules).filter((rule) => rule.record).map((rule) => {
  const [, by] = rule.expr.match(/sum by \(([^)]*)\)/);
  return [rule.record, by.split(', ').filter((label) => label !== 'le')];
}));

/** The labels that a series of this name has, and the words of its last one; undefined if there is no such series. */
function seriesOf(name) {
  if (name in OF_PROMETHEUS) return { labels: [...OF_TARGETS, ...OF_PROMETHEUS[name]], values: [] };
  if (recorded.has(name)) return { labels: recorded.get(name), values: [] };
  const [, base, suffix] = name.match(/^(.*?)(_bucket|_sum|_count)?$/);
  const whole = metrics.get(name);
  if (whole) return whole.type === 'histogram' ? undefined : { ...whole, labels: [...OF_TARGETS, ...whole.labels] };
  const histogram = suffix && metrics.get(base);
  if (histogram?.type !== 'histogram') return undefined;
  return { ...histogram, labels: [...OF_TARGETS, ...histogram.labels, ...(suffix === '_bucket' ? ['le'] : [])] };
}

/** What is wrong with a matcher of a series with these labels. */
function faultOf({ label, how, value }, { labels, values }) {
  if (!labels.includes(label)) return `has no label ${label}`;
  if (label !== labels.filter((one) => one !== 'le').at(-1) || !values.length) return undefined;
  const words = how.endsWith('~') ? value.split('|') : [value];
  const strange = words.filter((word) => word !== '.+' && !values.includes(word));
  return strange.length ? `has no ${label} ${strange.join(', ')}` : undefined;
}

/** All that is wrong with the names in an expression. */
function faultsOf(expr) {
  const found = named(expr);
  const faults = [];
  const known = new Set();
  if (!found.metrics.length) faults.push('names no metric');
  for (const { name, matchers } of found.metrics) {
    const series = seriesOf(name);
    if (!series) {
      faults.push(`there is no ${name}`);
      continue;
    }
    for (const label of series.labels) known.add(label);
    for (const matcher of matchers) {
      const fault = faultOf(matcher, series);
      if (fault) faults.push(`${name} ${fault}`);
    }
  }
  for (const label of found.labels) if (!known.has(label)) faults.push(`nothing in it has a label ${label}`);
  return faults;
}

const wrong = (expressions) => expressions.map(({ panel, expr }) => ({ panel, expr, faults: faultsOf(expr) })).filter(({ faults }) => faults.length);

await suite('monitoring', async ({ step }) => {
  await step('the catalogue is read as it stands', () => {
    assert.deepEqual(metrics.get('gate_upstream_requests_total'), {
      type: 'counter', labels: ['upstream', 'outcome'], values: ['ok', 'connect_error', 'error', 'rate_limited', 'circuit_open'],
    });
    assert.deepEqual(metrics.get('gate_store_up'), { type: 'gauge', labels: [], values: [] });
    assert.ok(metrics.has('process_open_fds') && metrics.size > 50);
  });

  await step('names that are not in the catalogue are noticed', () => {
    const bad = {
      'gate_request_total': /no gate_request_total/,
      'rate(gate_request_duration_seconds[5m])': /no gate_request_duration_seconds/,
      'sum by (methods) (rate(gate_requests_total[5m]))': /label methods/,
      'gate_requests_total{upstream="a"}': /no label upstream/,
      'gate_requests_total{outcome=~"ok|down"}': /no outcome down/,
      'gate_store_up + on (instance, version) gate_build_infos': /no gate_build_infos/,
      'vector(1)': /names no metric/,
    };
    for (const [expr, what] of Object.entries(bad)) assert.match(faultsOf(expr).join('; '), what, expr);
  });

  await step('every name, label and value in the rules is in the catalogue', () => {
    assert.deepEqual(wrong(rulesOf(rules).map((rule) => ({ panel: rule.alert ?? rule.record, expr: rule.expr }))), []);
  });

  await step('every one in the dashboard is, too', () => {
    assert.deepEqual(wrong(expressionsOf(dashboard)), []);
    for (const { name, definition } of dashboard.templating.list.filter(({ type }) => type === 'query')) {
      const [, selector, label] = definition.match(/^label_values\((.*), (\w+)\)$/);
      assert.deepEqual(faultsOf(selector), [], name);
      assert.ok(seriesOf(selector.match(/^\w+/)[0]).labels.includes(label), name);
    }
  });

  await step('every metric has a place in the dashboard or the rules', () => {
    const seen = new Set([...expressionsOf(dashboard), ...rulesOf(rules)].flatMap(({ expr }) => named(expr).metrics.map(({ name }) => name.replace(/_bucket$/, ''))));
    const unseen = [...metrics.keys()].filter((name) => !seen.has(name));
    // Of no use to whoever watches: their versions say the gateway's, and memory that nobody uses.
    assert.deepEqual(unseen, ['gate_stdio_build_info', 'gate_hooks_build_info', 'gate_kubernetes_build_info', 'process_virtual_memory_bytes', 'process_threads']);
  });

  await step('the dashboard is what scripts/monitoring/dashboard.mjs makes: run that to renew it', () => {
    const made = execFileSync(process.execPath, [path.join(root, 'scripts/monitoring/dashboard.mjs')], { encoding: 'utf8' });
    assert.ok(made === dashboardText, 'node scripts/monitoring/dashboard.mjs >scripts/monitoring/dashboard.json');
  });

  await step('the dashboard: nothing overlaps, every panel says what it is about and asks the chosen source', () => {
    const panels = dashboard.panels.filter(({ type }) => type !== 'row');
    const cells = new Set();
    for (const { title, description, datasource, targets, gridPos: { x, y, w, h } } of dashboard.panels) {
      for (let i = x; i < x + w; i += 1)
        for (let j = y; j < y + h; j += 1) {
          assert.ok(i < 24 && !cells.has(`${i} ${j}`), `${title} is in the way at ${i} ${j}`);
          cells.add(`${i} ${j}`);
        }
      if (!targets) continue;
      assert.equal(typeof description, 'string');
      for (const one of [{ datasource }, ...targets]) assert.deepEqual(one.datasource, { type: 'prometheus', uid: '${datasource}' }, title);
    }
    assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
    assert.ok(panels.length > 50);
  });

  await step('every alert has a severity, says what is so, and names its row of the incident table', () => {
    const alerts = alertsOf(rules);
    for (const { alert, labels, annotations } of alerts) {
      assert.match(labels.severity, /^(critical|warning)$/, alert);
      assert.deepEqual(Object.keys(annotations), ['summary', 'description', 'runbook'], alert);
      for (const text of Object.values(annotations)) assert.ok(text.length > 10, alert);
      assert.equal(annotations.runbook, `docs/operations.md#${alert}`);
    }
    const rows = [...incidents.matchAll(/<a id="(Gate\w+)"><\/a>/g)].map(([, name]) => name);
    assert.deepEqual(rows.sort(), alerts.map(({ alert }) => alert).sort());
  });

  await step('every alert is tested both ways, and what its texts name is what it has', () => {
    for (const { alert, annotations } of alertsOf(rules)) {
      const own = cases.filter((one) => one.alert === alert);
      assert.ok(own.length > 0, `${alert} has no case`);
      for (const { fires, notYet, at } of own) {
        assert.ok(fires.length && notYet && at, alert);
        for (const [, label] of Object.values(annotations).join(' ').matchAll(/\$labels\.(\w+)/g))
          for (const labels of fires) assert.ok(label in labels, `${alert} speaks of ${label}, which it has not`);
      }
    }
    for (const { alert } of cases) assert.ok(alertsOf(rules).some((rule) => rule.alert === alert), `there is no ${alert}`);
  });

  await step('the example of a configuration has the jobs that the rules expect, with paths that are served', () => {
    const { scrape_configs: jobs, rule_files: files } = parse(readFileSync(path.join(root, 'scripts/monitoring/prometheus.yml'), 'utf8'));
    assert.deepEqual(jobs.map((job) => job.job_name), ['gate', 'gate-stdio', 'gate-hooks']);
    for (const job of jobs) assert.equal(job.metrics_path, undefined, 'all three answer at /metrics');
    assert.deepEqual(files, ['rules.yml']);
  });
});
