#!/usr/bin/env node
// scripts/monitoring/dashboard.mjs: prints scripts/monitoring/dashboard.json, the Grafana dashboard (9.0 and later). It is
// made of the table below, which is what one reads and changes; a test compares the two.
//
// A panel is [title, width of 24, unit, what it says, [question, legend]...]. `value` at the front makes it a number instead of
// lines. What stands in `$name` are the dashboard's variables.
const own = 'job=~"$job", instance=~"$instance"';
const to = `${own}, upstream=~"$upstream"`;
const quantile = (q, metric, by, where = own) => `histogram_quantile(${q}, sum by (${by}, le) (rate(${metric}_bucket{${where}}[$__rate_interval])))`;
const rate = (metric, by, where = own) => `sum by (${by}) (rate(${metric}{${where}}[$__rate_interval]))`;
const share = (part, whole) => `${part} / ${whole}`;

const rows = [
  ['Traffic', [
    ['value', 'Requests a second', 4, 'reqps', 'Of MCP, all methods.', [`sum(rate(gate_requests_total{${own}}[$__rate_interval]))`, '']],
    ['value', 'Answered', 4, 'percentunit', 'Requests that got an answer from their upstream or a refusal that is meant: all but `upstream_down`, over the time that is shown.',
      [`1 - sum(increase(gate_requests_total{${own}, outcome="upstream_down"}[$__range])) / sum(increase(gate_requests_total{${own}}[$__range]))`, '']],
    ['value', 'Instances', 4, 'short', 'Instances that are scraped, by version.', [`count by (version) (gate_build_info{${own}})`, '{{version}}']],
    ['value', 'Sessions', 4, 'short', 'Of clients.', [`sum(gate_sessions{${own}, kind="client"})`, '']],
    ['value', 'Circuits that are not closed', 4, 'short', 'Upstreams of which some instance does not close the circuit.', [`count(max by (upstream) (gate_upstream_breaker_state{${to}}) > 0) or vector(0)`, '']],
    ['value', 'Alerts', 4, 'short', 'That fire.', ['count(ALERTS{alertname=~"Gate.+", alertstate="firing"}) or vector(0)', '']],
    ['Requests by method', 12, 'reqps', 'Of MCP.', [rate('gate_requests_total', 'method'), '{{method}}']],
    ['Requests by instance', 12, 'reqps', 'Whether the load is spread.', [rate('gate_requests_total', 'instance'), '{{instance}}']],
  ]],
  ['Errors', [
    ['Requests that were not answered as asked', 12, 'reqps', '`error`: what clients or tools did wrong, mostly. `upstream_down`: the upstream gave no answer. `denied`: policy. `rate_limited`, `budget_exhausted`: limits.',
      [rate('gate_requests_total', 'outcome', `${own}, outcome!="ok"`), '{{outcome}}']],
    ['Refused before MCP', 12, 'reqps', 'Foreign hosts, bad tokens, bodies that are too large, limits.', [rate('gate_http_rejections_total', 'reason'), '{{reason}}']],
    ['Share of calls that find their upstream down', 12, 'percentunit', 'What the alerts about availability are computed from; the objective is 0.5 %.',
      ['job:gate_unavailable:ratio_rate5m{job=~"$job"}', '{{job}}, 5 min'], ['job:gate_unavailable:ratio_rate1h{job=~"$job"}', '{{job}}, 1 h'],
      ['job:gate_unavailable:ratio_rate6h{job=~"$job"}', '{{job}}, 6 h']],
    ['Errors by method', 12, 'reqps', 'Outcome `error`.', [rate('gate_requests_total', 'method', `${own}, outcome="error"`), '{{method}}']],
  ]],
  ['Latency', [
    ['Requests, from end to end', 8, 's', 'All methods.', ...[0.5, 0.95, 0.99].map((q) => [quantile(q, 'gate_request_duration_seconds', 'job'), `p${q * 100}`])],
    ['99th percentile by method', 8, 's', 'From end to end.', [quantile(0.99, 'gate_request_duration_seconds', 'method'), '{{method}}']],
    ['99th percentile by upstream', 8, 's', 'What upstreams take, without the gateway.', [quantile(0.99, 'gate_upstream_request_duration_seconds', 'upstream', to), '{{upstream}}']],
    ['Upstream calls of one request', 8, 'short', '99th percentile: lists ask several upstreams.', [quantile(0.99, 'gate_request_upstream_calls', 'job'), '{{job}}']],
    ['Lists that were here', 8, 'percentunit', 'Lists that were served without asking an upstream.', [share(rate('gate_list_cache_total', 'job', `${own}, outcome="hit"`), rate('gate_list_cache_total', 'job')), '{{job}}']],
    ['How late timers are', 8, 's', 'Whatever comes waits so long for its thread (99th percentile).', [quantile(0.99, 'gate_event_loop_delay_seconds', 'instance'), '{{instance}}']],
  ]],
  ['Upstreams', [
    ['Calls by upstream', 8, 'reqps', 'Lists count once a page.', [rate('gate_upstream_requests_total', 'upstream', to), '{{upstream}}']],
    ['Calls that failed', 8, 'reqps', 'Not sent, broken, late, or not even tried.', [rate('gate_upstream_requests_total', 'upstream, outcome', `${to}, outcome!="ok"`), '{{upstream}} {{outcome}}']],
    ['Sessions with upstreams', 8, 'short', '`root`: for lists; `bridged`: for the calls of one client each.', [`sum by (upstream, kind) (gate_upstream_sessions{${to}})`, '{{upstream}} {{kind}}']],
    ['Circuits', 8, 'short', '0 closed, 1 half-open, 2 open; the worst of all instances.', [`max by (upstream) (gate_upstream_breaker_state{${to}})`, '{{upstream}}']],
    ['Circuits that opened', 8, 'short', 'In an hour.', [`sum by (upstream) (increase(gate_upstream_breaker_transitions_total{${to}, to="open"}[1h]))`, '{{upstream}}']],
    ['Replicas in rotation', 8, 'percentunit', 'Of upstreams with several endpoints.', [`avg by (upstream, endpoint) (gate_upstream_endpoint_healthy{${to}})`, '{{upstream}} {{endpoint}}']],
  ]],
  ['Sessions and streams', [
    ['Sessions', 8, 'short', 'Of clients, and theirs with upstreams.', [`sum by (kind) (gate_sessions{${own}})`, '{{kind}}']],
    ['Event streams', 8, 'short', 'Of sessions, of answers, of viewers.', [`sum by (kind) (gate_streams{${own}})`, '{{kind}}']],
    ['Sessions that came from other instances', 8, 'short', 'Adopted, or why not. With a shared store only.', [rate('gate_sessions_adopted_total', 'outcome'), '{{outcome}}']],
  ]],
  ['Limits, budgets, policy, tenants', [
    ['Denied by policy', 8, 'reqps', 'By method; the audit events say whom, and by which rule.', [rate('gate_requests_total', 'method', `${own}, outcome="denied"`), '{{method}}']],
    ['Limited', 8, 'reqps', 'By the limits of all, tenants and principals; of upstreams; of the token endpoint.',
      [`sum(rate(gate_http_rejections_total{${own}, reason=~"rate_limited|oauth_token_rate_limited"}[$__rate_interval]))`, 'before MCP'],
      [`sum(rate(gate_upstream_requests_total{${to}, outcome="rate_limited"}[$__rate_interval]))`, 'by upstreams']],
    ['Beyond a budget', 8, 'reqps', 'Requests that a budget refused; and checks that each instance made for itself, since the store was away.',
      [`sum(rate(gate_requests_total{${own}, outcome="budget_exhausted"}[$__rate_interval]))`, 'refused'],
      [`sum(rate(gate_budget_degraded_total{${own}}[$__rate_interval]))`, 'degraded']],
    ['Requests of tenants', 8, 'reqps', 'By tenant and outcome.', [rate('gate_tenant_requests_total', 'tenant, outcome'), '{{tenant}} {{outcome}}']],
    ['Upstream calls of tenants', 8, 'reqps', 'What their budgets are charged.', [rate('gate_tenant_upstream_calls_total', 'tenant'), '{{tenant}}']],
    ['Principals of several tenants', 8, 'reqps', 'Requests that are refused for that.', [rate('gate_tenant_ambiguous_total', 'job'), '{{job}}']],
  ]],
  ['Identity and credentials', [
    ['Refused for their token', 8, 'reqps', 'Requests without a token, or with one that is not believed.', [rate('gate_http_rejections_total', 'job', `${own}, reason="unauthenticated"`), '{{job}}']],
    ['Key sets', 8, 'short', 'Fetches of issuers’ signing keys, in an hour.', [`sum by (issuer, outcome) (increase(gate_key_set_fetches_total{${own}}[1h]))`, '{{issuer}} {{outcome}}']],
    ['Token endpoint', 8, 'reqps', 'Requests to the gateway’s own.', [rate('gate_token_requests_total', 'outcome'), '{{outcome}}']],
    ['Credentials for upstreams', 24, 'reqps', 'Token requests.', [rate('gate_credential_fetches_total', 'upstream, outcome', to), '{{upstream}} {{outcome}}']],
  ]],
  ['Documents', [
    ['Reloads', 8, 'short', 'Of the operator’s document, in an hour. `rejected`: there is something wrong with it; `error`: nobody could judge it.',
      [`sum by (outcome) (increase(gate_config_reloads_total{${own}}[1h]))`, '{{outcome}}']],
    ['Instances with an earlier document', 8, 'short', 'Their last reload was not applied.', [`sum(gate_config_outdated{${own}})`, '']],
    ['Polls of the discovery source', 8, 'short', 'In an hour. `rejected`: a document that can not be taken over; `error`: the source could not be asked.',
      [`sum by (outcome) (increase(gate_discovery_syncs_total{${own}}[1h]))`, '{{outcome}}']],
  ]],
  ['The store of the fleet', [
    ['Store', 6, 'short', '1 there, 0 away.', [`gate_store_up{${own}}`, '{{instance}}']],
    ['Operations', 6, 'ops', 'By kind.', [rate('gate_store_operations_total', 'op'), '{{op}}']],
    ['Operations that failed', 6, 'ops', 'By what became of them.', [rate('gate_store_operations_total', 'outcome', `${own}, outcome!="ok"`), '{{outcome}}']],
    ['Time of an operation', 6, 's', '99th percentile.', [quantile(0.99, 'gate_store_duration_seconds', 'instance'), '{{instance}}']],
  ]],
  ['Audit and traces', [
    ['Audit events lost', 12, 'short', 'In an hour.', [`sum by (sink, reason) (increase(gate_audit_dropped_total{${own}}[1h]))`, '{{sink}} {{reason}}']],
    ['Spans lost', 12, 'short', 'In an hour.', [`sum by (reason) (increase(gate_trace_dropped_total{${own}}[1h]))`, '{{reason}}']],
  ]],
  ['Processes', [
    ['CPU', 6, 'short', 'Cores in use.', [`rate(process_cpu_seconds_total{${own}}[$__rate_interval])`, '{{job}} {{instance}}']],
    ['Resident memory', 6, 'bytes', '', [`process_resident_memory_bytes{${own}}`, '{{job}} {{instance}}']],
    ['Open files', 6, 'percentunit', 'Of the limit.', [`process_open_fds{${own}} / process_max_fds{${own}}`, '{{job}} {{instance}}']],
    ['Up since', 6, 's', '', [`time() - process_start_time_seconds{${own}}`, '{{job}} {{instance}}']],
  ]],
  ['gate-stdio', [
    ['Sessions', 6, 'percentunit', 'Of those that there may be.', ['gate_stdio_sessions / gate_stdio_max_sessions', '{{instance}}']],
    ['Processes started', 6, 'short', 'In an hour.', ['sum by (instance) (increase(gate_stdio_spawned_total[1h]))', '{{instance}}']],
    ['Trouble', 6, 'short', 'In an hour: could not be started; ended before their session; sessions refused, since there were enough.',
      ['sum by (instance) (increase(gate_stdio_spawn_errors_total[1h]))', '{{instance}} not started'],
      ['sum by (instance) (increase(gate_stdio_child_failures_total[1h]))', '{{instance}} ended early'],
      ['sum by (instance) (increase(gate_stdio_rejected_total[1h]))', '{{instance}} refused']],
    ['Lines that are no messages', 6, 'short', 'In an hour.', ['sum by (instance, stream) (increase(gate_stdio_lines_dropped_total[1h]))', '{{instance}} {{stream}}']],
  ]],
  ['gate-discovery', [
    ['Services', 6, 'short', 'Upstreams of the document.', ['gate_kubernetes_upstreams', '{{instance}}']],
    ['Services that are left out', 6, 'short', 'The log says why, of each.', ['sum by (instance, reason) (gate_kubernetes_left_out)', '{{instance}} {{reason}}']],
    ['Out of touch', 6, 's', 'For how long nothing has been known of the cluster; 0: a watch tells what happens.', ['gate_kubernetes_out_of_touch_seconds', '{{instance}}']],
    ['Document', 6, 'bytes', '0: there is none yet.', ['gate_kubernetes_document_bytes', '{{instance}}']],
    ['Lists and watches', 24, 'short', 'In an hour, by how they ended; a watch is ended after four minutes.',
      ['sum by (outcome) (increase(gate_kubernetes_lists_total[1h]))', 'list {{outcome}}'],
      ['sum by (outcome) (increase(gate_kubernetes_watches_total[1h]))', 'watch {{outcome}}']],
  ]],
  ['gate-hooks', [
    ['Events', 6, 'short', 'A second, by type.', ['sum by (type) (rate(gate_hooks_events_total[$__rate_interval]))', '{{type}}']],
    ['Attempts', 6, 'short', 'A second, by what became of them.', ['sum by (outcome) (rate(gate_hooks_attempts_total[$__rate_interval]))', '{{outcome}}']],
    ['Time of an attempt', 6, 's', '', ['histogram_quantile(0.5, sum by (le) (rate(gate_hooks_attempt_seconds_bucket[$__rate_interval])))', 'p50'],
      ['histogram_quantile(0.99, sum by (le) (rate(gate_hooks_attempt_seconds_bucket[$__rate_interval])))', 'p99']],
    ['Deliveries', 6, 'short', 'By status; `dead` is the dead-letter queue.', ['max by (job, status) (gate_hooks_queue)', '{{status}}']],
    ['The oldest that is due', 12, 's', '0: none is late.', ['max by (job) (gate_hooks_oldest_pending_seconds)', '{{job}}']],
    ['Webhooks', 12, 'short', 'Enabled or not.', ['max by (job) (gate_hooks_webhooks)', '{{job}}']],
  ]],
];

const source = { type: 'prometheus', uid: '${datasource}' };
let ids = 0;

function panelOf(described, at) {
  const number = described[0] === 'value';
  const [title, width, unit, description, ...questions] = number ? described.slice(1) : described;
  ids += 1;
  const targets = questions.map(([expr, legendFormat], i) => ({
    datasource: source, expr, legendFormat: legendFormat || '__auto', refId: String.fromCharCode(65 + i), ...(number && { instant: true }),
  }));
  return {
    id: ids,
    type: number ? 'stat' : 'timeseries',
    title,
    description,
    datasource: source,
    gridPos: { ...at, w: width, h: number ? 4 : 8 },
    fieldConfig: { defaults: { unit, min: 0, ...(number ? {} : { custom: { fillOpacity: 10, showPoints: 'never' } }) }, overrides: [] },
    options: number
      ? { reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false }, textMode: 'auto', colorMode: 'none' }
      : { legend: { displayMode: 'list', placement: 'bottom', showLegend: true }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets,
    transparent: false,
    transformations: [],
    repeatDirection: 'h',
  };
}

/** Panels one after the other, wrapped at 24. */
function laidOut() {
  const panels = [];
  let y = 0;
  for (const [title, described] of rows) {
    ids += 1;
    panels.push({ id: ids, type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: 24, h: 1 }, panels: [] });
    y += 1;
    let [x, tallest] = [0, 0];
    for (const one of described) {
      const panel = panelOf(one, { x, y });
      if (x + panel.gridPos.w > 24) {
        [x, y, tallest] = [0, y + tallest, 0];
        Object.assign(panel.gridPos, { x, y });
      }
      panels.push(panel);
      x += panel.gridPos.w;
      tallest = Math.max(tallest, panel.gridPos.h);
    }
    y += tallest;
  }
  return panels;
}

const variable = (name, query) => ({
  name, type: 'query', datasource: source, definition: query, query: { query, refId: name }, refresh: 2, sort: 1,
  includeAll: true, allValue: '.+', multi: true, current: { selected: true, text: ['All'], value: ['$__all'] },
});

const dashboard = {
  title: 'gate',
  uid: 'gate-overview',
  description: 'The gateway, its stdio servers, its webhooks and what it discovers in a cluster. Metrics: docs/metrics.md; what to do: docs/operations.md, Incidents.',
  tags: ['gate', 'mcp'],
  schemaVersion: 36,
  version: 1,
  style: 'dark',
  editable: true,
  graphTooltip: 1,
  timezone: 'browser',
  time: { from: 'now-3h', to: 'now' },
  refresh: '30s',
  links: [],
  annotations: { list: [] },
  templating: {
    list: [
      { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus', refresh: 1, includeAll: false, multi: false, current: {} },
      variable('job', 'label_values(gate_build_info, job)'),
      variable('instance', 'label_values(gate_build_info{job=~"$job"}, instance)'),
      variable('upstream', 'label_values(gate_upstream_requests_total{job=~"$job"}, upstream)'),
    ],
  },
  panels: laidOut(),
};
process.stdout.write(`${JSON.stringify(dashboard, null, 1)}\n`);
