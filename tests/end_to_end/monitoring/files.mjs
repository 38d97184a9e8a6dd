// What operators are given, as tests read it: the rules, the dashboard, and the tables of the metrics' page, which
// `protocol_tests` compares with protocol/metrics.hpp.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const text = (name) => readFileSync(path.join(root, name), 'utf8');

export const rulesFile = path.join(root, 'scripts/monitoring/rules.yml');
export const rules = parse(text('scripts/monitoring/rules.yml'));
export const dashboardText = text('scripts/monitoring/dashboard.json');
export const dashboard = JSON.parse(dashboardText);
export const incidents = text('docs/operations.md');

export const rulesOf = (document) => document.groups.flatMap((group) => group.rules);
export const alertsOf = (document) => rulesOf(document).filter((rule) => rule.alert);

/** What stands for anything: a variable of the dashboard, or an interval that Grafana fills in. */
const filled = (expr) =>
  expr.replaceAll('$__rate_interval', '1m').replaceAll('$__range', '1h').replaceAll(/\$\{?(job|instance|upstream)\}?/g, '.+');

/** `{ panel, expr }` of each question that a dashboard asks, rows that are folded included. */
export function expressionsOf({ panels }) {
  return panels.flatMap((panel) => [
    ...(panel.targets ?? []).map(({ expr }) => ({ panel: panel.title, expr: filled(expr) })),
    ...expressionsOf({ panels: panel.panels ?? [] }),
  ]);
}

/** The catalogue: name -> `{ type, labels, values }`; `values` are those of the last label, if they are the gateway's words. */
export function catalogue() {
  const page = text('docs/metrics.md');
  const table = page.slice(page.indexOf('<!-- generated: metrics -->'), page.indexOf('<!-- end -->'));
  const words = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word);
  const found = new Map();
  for (const [, name, type, cell] of table.matchAll(/^\| `([^`]+)` \| (\w+) \| (.*?) \| [^|]*\|$/gm)) {
    const [labels, values = ''] = cell.split(': ');
    found.set(name, { type, labels: words(labels), values: words(values) });
  }
  for (const [, name] of page.slice(page.indexOf('## The process')).matchAll(/`(process_\w+)`/g))
    found.set(name, { type: name.endsWith('_total') ? 'counter' : 'gauge', labels: [], values: [] });
  return found;
}
