// For each alert of scripts/monitoring/rules.yml a world in which it fires, as promtool can tell it: what is scraped, a
// minute a sample unless the case says otherwise (`every`); a moment at which it does not fire yet; and one at which it does, with exactly these labels. Beside what
// is wrong there is always something that is nearly so, or well, and of which nothing is said.

/** A counter that grows by so much a minute, for `minutes`. */
const grows = (by, minutes, from = 0) => `${from}+${by}x${minutes}`;
/** A value that stays. */
const stays = (value, minutes) => `${value}+0x${minutes}`;
/** Requests of a gateway: so many a minute answered, and so many with another outcome. */
const requests = (job, answered, outcome, others, minutes) => ({
  [`gate_requests_total{job="${job}",instance="a:8080",method="tools/call",outcome="ok"}`]: grows(answered, minutes),
  [`gate_requests_total{job="${job}",instance="a:8080",method="tools/call",outcome="${outcome}"}`]: grows(others, minutes),
});
/** Samples of a day, if there is one every ten minutes. */
const SAMPLES = 24 * 6;

export const cases = [
  {
    alert: 'GateDown',
    series: {
      'up{job="gate",instance="a:8080"}': '1x10 0x10',
      'up{job="gate",instance="b:8080"}': '1x5 0 1x20',
      'up{job="postgres",instance="c:1"}': '0x20',
    },
    notYet: '12m',
    at: '14m',
    fires: [{ job: 'gate', instance: 'a:8080', says: 'gate on a:8080 can not be scraped' }],
  },
  {
    alert: 'GateRestarts',
    series: {
      'process_start_time_seconds{job="gate-stdio",instance="a:8091"}': '100x5 200x5 300x5 400x5',
      'process_start_time_seconds{job="gate",instance="b:8080"}': '100x5 200x5 300x20',
      'process_start_time_seconds{job="postgres",instance="c:1"}': '100x5 200x5 300x5 400x5',
    },
    notYet: '12m',
    at: '20m',
    fires: [{ job: 'gate-stdio', instance: 'a:8091', says: 'gate-stdio on a:8091 starts again and again' }],
  },
  {
    alert: 'GateAvailabilityBurnsFast', // 10 % of calls for an hour; beside it 1 %, nobody who asks, and 6 of 12 calls
    series: {
      'gate_requests_total{job="gate-few",instance="a:8080",method="tools/call",outcome="ok"}': '0x10 1x10 2x10 3x10 4x10 5x10 6x60',
      'gate_requests_total{job="gate-few",instance="a:8080",method="tools/call",outcome="upstream_down"}': '0x11 1x10 2x10 3x10 4x10 5x10 6x60',
      ...requests('gate', 90, 'upstream_down', 10, 120),
      ...requests('gate-two', 99, 'upstream_down', 1, 120),
      ...requests('gate-idle', 0, 'upstream_down', 0, 120),
    },
    notYet: '3m',
    at: '70m',
    fires: [{ job: 'gate', says: 'Many calls of gate find their upstream down' }],
  },
  {
    alert: 'GateAvailabilityBurnsFast', // it is over: the last five and thirty minutes are well
    series: {
      'gate_requests_total{job="gate",instance="a:8080",method="tools/call",outcome="ok"}': grows(90, 160),
      'gate_requests_total{job="gate",instance="a:8080",method="tools/call",outcome="upstream_down"}': `${grows(10, 60)} ${stays(600, 100)}`,
    },
    notYet: '110m',
    at: '50m',
    fires: [{ job: 'gate', says: 'Many calls of gate find their upstream down' }],
  },
  {
    alert: 'GateAvailabilityBurnsSlowly', // 0.8 % for three days; beside it 0.3 %, and 5 of 150 a day
    every: '10m',
    series: {
      'gate_requests_total{job="gate-few",instance="a:8080",method="tools/call",outcome="ok"}': grows(1, 4 * SAMPLES),
      'gate_requests_total{job="gate-few",instance="a:8080",method="tools/call",outcome="upstream_down"}':
        `0x21 ${Array.from({ length: 14 }, (_, i) => `${i + 1}x30`).join(' ')}`,
      ...requests('gate', 992, 'upstream_down', 8, 4 * SAMPLES),
      ...requests('gate-two', 997, 'upstream_down', 3, 4 * SAMPLES),
    },
    notYet: '20m',
    at: '3d',
    fires: [{ job: 'gate', says: 'More calls of gate than the objective allows find their upstream down' }],
  },
  {
    alert: 'GateErrorsMany', // 40 %; 20 %; and 100 % of a request an hour
    series: {
      ...requests('gate', 60, 'error', 40, 60),
      ...requests('gate-two', 80, 'error', 20, 60),
      'gate_requests_total{job="gate-idle",instance="c:8080",method="other",outcome="error"}': '0x20 1x40',
    },
    notYet: '10m',
    at: '25m',
    fires: [{ job: 'gate', says: 'A quarter of what gate is asked ends as an error' }],
  },
  {
    alert: 'GateUpstreamCircuitOpen', // open and half-open in turns; one that was closed within five minutes; and one that is half-open since nobody calls it
    series: {
      'gate_upstream_breaker_state{job="gate",instance="a:8080",upstream="notes"}': '0 2 1 2 1 2 2 1 2 2 1',
      'gate_upstream_breaker_state{job="gate",instance="b:8080",upstream="notes"}': '0x10',
      'gate_upstream_requests_total{job="gate",instance="a:8080",upstream="notes",outcome="circuit_open"}': grows(5, 10),
      'gate_upstream_breaker_state{job="gate",instance="a:8080",upstream="search"}': '0 2 2 2 0 0 2 2 2 0 0',
      'gate_upstream_requests_total{job="gate",instance="a:8080",upstream="search",outcome="circuit_open"}': grows(5, 10),
      'gate_upstream_breaker_state{job="gate",instance="a:8080",upstream="mail"}': '1x10',
      'gate_upstream_requests_total{job="gate",instance="a:8080",upstream="mail",outcome="connect_error"}': stays(5, 10),
      'gate_upstream_breaker_state{job="gate",instance="b:8080",upstream="mail"}': '0x10', // and which others call, with an error now and then
      'gate_upstream_requests_total{job="gate",instance="b:8080",upstream="mail",outcome="error"}': grows(1, 10),
    },
    notYet: '5m',
    at: '7m',
    fires: [{ job: 'gate', upstream: 'notes', says: 'The circuit of upstream notes does not close' }],
  },
  {
    alert: 'GateUpstreamCircuitOpen', // the last call was ten minutes ago: half-open is all that it can be until the next
    series: {
      'gate_upstream_breaker_state{job="gate",instance="a:8080",upstream="notes"}': '0 2x9 1x30',
      'gate_upstream_requests_total{job="gate",instance="a:8080",upstream="notes",outcome="error"}': `${grows(1, 9)} ${stays(9, 31)}`,
      'gate_upstream_requests_total{job="gate",instance="a:8080",upstream="notes",outcome="ok"}': stays(70, 40),
    },
    notYet: '25m',
    at: '8m',
    fires: [{ job: 'gate', upstream: 'notes', says: 'The circuit of upstream notes does not close' }],
  },
  {
    alert: 'GateUpstreamEndpointEjected',
    series: {
      'gate_upstream_endpoint_healthy{job="gate",instance="a:8080",upstream="notes",endpoint="http://n1/mcp"}': '0x20',
      'gate_upstream_endpoint_healthy{job="gate",instance="a:8080",upstream="notes",endpoint="http://n2/mcp"}': '0x8 1x12',
    },
    notYet: '9m',
    at: '12m',
    fires: [{ job: 'gate', instance: 'a:8080', upstream: 'notes', endpoint: 'http://n1/mcp', says: 'A replica of upstream notes is out of rotation' }],
  },
  {
    alert: 'GateUpstreamFails', // 20 %; 5 %; and one whose calls are not even tried
    series: {
      'gate_upstream_requests_total{job="gate",instance="a:8080",upstream="notes",outcome="ok"}': grows(80, 30),
      'gate_upstream_requests_total{job="gate",instance="a:8080",upstream="notes",outcome="error"}': grows(20, 30),
      'gate_upstream_requests_total{job="gate",instance="a:8080",upstream="search",outcome="ok"}': grows(95, 30),
      'gate_upstream_requests_total{job="gate",instance="a:8080",upstream="search",outcome="connect_error"}': grows(5, 30),
      'gate_upstream_requests_total{job="gate",instance="a:8080",upstream="mail",outcome="ok"}': stays(7, 30),
      'gate_upstream_requests_total{job="gate",instance="a:8080",upstream="mail",outcome="circuit_open"}': grows(95, 30),
    },
    notYet: '10m',
    at: '15m',
    fires: [{ job: 'gate', upstream: 'notes', says: 'Upstream notes fails' }],
  },
  {
    alert: 'GateCredentialMissing',
    series: {
      'gate_credential_fetches_total{job="gate",instance="a:8080",upstream="notes",outcome="error"}': grows(1, 30),
      'gate_credential_fetches_total{job="gate",instance="a:8080",upstream="notes",outcome="ok"}': stays(3, 30),
      'gate_credential_fetches_total{job="gate",instance="a:8080",upstream="mail",outcome="error"}': grows(1, 30),
      'gate_credential_fetches_total{job="gate",instance="a:8080",upstream="mail",outcome="ok"}': grows(1, 30),
    },
    notYet: '5m',
    at: '10m',
    fires: [{ job: 'gate', upstream: 'notes', says: 'No credential can be had for upstream notes' }],
  },
  {
    alert: 'GateKeySetStale',
    series: {
      'gate_key_set_fetches_total{job="gate",instance="a:8080",issuer="https://idp",outcome="error"}': '0x5 1+1x60',
      'gate_key_set_fetches_total{job="gate",instance="a:8080",issuer="https://idp",outcome="ok"}': stays(5, 60),
      'gate_key_set_fetches_total{job="gate",instance="a:8080",issuer="https://other",outcome="error"}': grows(1, 60),
      'gate_key_set_fetches_total{job="gate",instance="a:8080",issuer="https://other",outcome="ok"}': grows(1, 60),
    },
    notYet: '14m',
    at: '20m',
    fires: [{ job: 'gate', issuer: 'https://idp', says: 'The signing keys of https://idp can not be fetched' }],
  },
  {
    alert: 'GateStoreAway',
    series: {
      'gate_store_up{job="gate",instance="a:8080"}': '1x5 0x10',
      'gate_store_up{job="gate",instance="b:8080"}': '1x5 0 1x10',
    },
    notYet: '7m',
    at: '9m',
    fires: [{ job: 'gate', instance: 'a:8080', says: 'a:8080 has no shared store' }],
  },
  {
    alert: 'GateStoreFails', // 20 % without room; beside it one that is away, of which another alert tells
    series: {
      'gate_store_operations_total{job="gate",instance="a:8080",op="limit",outcome="ok"}': grows(80, 30),
      'gate_store_operations_total{job="gate",instance="a:8080",op="limit",outcome="oom"}': grows(20, 30),
      'gate_store_operations_total{job="gate-two",instance="a:8080",op="limit",outcome="ok"}': grows(10, 30),
      'gate_store_operations_total{job="gate-two",instance="a:8080",op="limit",outcome="away"}': grows(90, 30),
      'gate_store_operations_total{job="gate-three",instance="a:8080",op="limit",outcome="ok"}': grows(98, 30),
      'gate_store_operations_total{job="gate-three",instance="a:8080",op="limit",outcome="timeout"}': grows(2, 30),
    },
    notYet: '10m',
    at: '15m',
    fires: [{ job: 'gate', says: 'The shared store of gate refuses or does not answer' }],
  },
  {
    alert: 'GateSessionsNotAdopted',
    series: {
      'gate_sessions_adopted_total{job="gate",instance="a:8080",outcome="broken"}': grows(2, 30),
      'gate_sessions_adopted_total{job="gate",instance="a:8080",outcome="full"}': '0x5 4x25',
      'gate_sessions_adopted_total{job="gate",instance="a:8080",outcome="unknown"}': grows(20, 30),
    },
    notYet: '4m',
    at: '15m',
    fires: [{ job: 'gate', outcome: 'broken', says: 'Clients of gate lose their sessions when they come to another instance' }],
  },
  {
    alert: 'GateBudgetDegraded',
    series: {
      'gate_budget_degraded_total{job="gate",instance="a:8080"}': grows(1, 30),
      'gate_budget_degraded_total{job="gate-two",instance="a:8080"}': stays(9, 30),
    },
    notYet: '3m',
    at: '10m',
    fires: [{ job: 'gate', says: 'Budgets of gate are kept by each instance' }],
  },
  {
    alert: 'GateReloadRefused', // one refused and none applied since; beside it one that was mended within minutes
    series: {
      'gate_config_outdated{job="gate",instance="a:8080"}': '0x5 1x20',
      'gate_config_outdated{job="gate",instance="b:8080"}': '0x5 1 1 1 0x20',
      'gate_config_reloads_total{job="gate",instance="b:8080",outcome="rejected"}': '0x5 1x20',
    },
    notYet: '10m',
    at: '13m',
    fires: [{ job: 'gate', instance: 'a:8080', says: 'a:8080 runs an earlier document than the one that it was told to read' }],
  },
  {
    alert: 'GateReloadRefused', // for hours; until another is applied
    series: { 'gate_config_outdated{job="gate",instance="a:8080"}': '1x300 0x20' },
    notYet: '305m',
    at: '290m',
    fires: [{ job: 'gate', instance: 'a:8080', says: 'a:8080 runs an earlier document than the one that it was told to read' }],
  },
  {
    alert: 'GateDiscoveryFails',
    series: {
      'gate_discovery_syncs_total{job="gate",instance="a:8080",outcome="error"}': grows(2, 30),
      'gate_discovery_syncs_total{job="gate",instance="a:8080",outcome="unchanged"}': stays(9, 30),
      'gate_discovery_syncs_total{job="gate-two",instance="a:8080",outcome="error"}': grows(1, 30),
      'gate_discovery_syncs_total{job="gate-two",instance="a:8080",outcome="unchanged"}': grows(1, 30),
    },
    notYet: '5m',
    at: '10m',
    fires: [{ job: 'gate', says: 'The discovery source of gate can not be read' }],
  },
  {
    alert: 'GateDiscoveryRejected',
    series: {
      'gate_discovery_syncs_total{job="gate",instance="a:8080",outcome="rejected"}': grows(2, 30),
      'gate_discovery_syncs_total{job="gate-two",instance="a:8080",outcome="rejected"}': '0x2 1x28',
      'gate_discovery_syncs_total{job="gate-two",instance="a:8080",outcome="applied"}': grows(1, 30),
    },
    notYet: '9m',
    at: '20m',
    fires: [{ job: 'gate', says: 'gate refuses what its discovery source says' }],
  },
  {
    alert: 'GateAuditDropped',
    series: {
      'gate_audit_dropped_total{job="gate",instance="a:8080",sink="webhook",reason="failed"}': '0x10 3x10',
      'gate_audit_dropped_total{job="gate",instance="a:8080",sink="file",reason="failed"}': stays(40, 20),
    },
    notYet: '10m',
    at: '12m',
    fires: [{ job: 'gate', sink: 'webhook', reason: 'failed', says: 'Audit events of gate are lost' }],
  },
  {
    alert: 'GateTracesDropped', // for long; and once, after which all is well
    series: {
      'gate_trace_dropped_total{job="gate",instance="a:8080",reason="failed"}': grows(5, 60),
      'gate_trace_dropped_total{job="gate",instance="a:8080",reason="overflow"}': '0x40 50x20',
    },
    notYet: '14m',
    at: '50m',
    fires: [{ job: 'gate', reason: 'failed', says: 'Spans of gate do not reach the collector' }],
  },
  {
    alert: 'GateTenantAmbiguous',
    series: {
      'gate_tenant_ambiguous_total{job="gate",instance="a:8080"}': '0x10 1x10',
      'gate_tenant_ambiguous_total{job="gate-two",instance="a:8080"}': stays(1, 20),
    },
    notYet: '9m',
    at: '12m',
    fires: [{ job: 'gate', says: 'Somebody belongs to several tenants of gate and is refused' }],
  },
  {
    alert: 'GateThreadsBusy', // of 60 a minute a tenth waits for longer than 0.25 s; beside it none for longer than 0.05 s
    series: {
      'gate_event_loop_delay_seconds_bucket{job="gate",instance="a:8080",le="0.05"}': grows(50, 30),
      'gate_event_loop_delay_seconds_bucket{job="gate",instance="a:8080",le="0.25"}': grows(54, 30),
      'gate_event_loop_delay_seconds_bucket{job="gate",instance="a:8080",le="0.5"}': grows(60, 30),
      'gate_event_loop_delay_seconds_bucket{job="gate",instance="a:8080",le="+Inf"}': grows(60, 30),
      'gate_event_loop_delay_seconds_bucket{job="gate",instance="b:8080",le="0.05"}': grows(60, 30),
      'gate_event_loop_delay_seconds_bucket{job="gate",instance="b:8080",le="0.25"}': grows(60, 30),
      'gate_event_loop_delay_seconds_bucket{job="gate",instance="b:8080",le="+Inf"}': grows(60, 30),
    },
    notYet: '10m',
    at: '15m',
    fires: [{ job: 'gate', instance: 'a:8080', says: 'a:8080 has no time' }],
  },
  {
    alert: 'GateFilesNearLimit',
    series: {
      'process_open_fds{job="gate",instance="a:8080"}': stays(900, 20),
      'process_max_fds{job="gate",instance="a:8080"}': stays(1000, 20),
      'process_open_fds{job="gate",instance="b:8080"}': stays(790, 20),
      'process_max_fds{job="gate",instance="b:8080"}': stays(1000, 20),
      'process_open_fds{job="postgres",instance="c:1"}': stays(990, 20),
      'process_max_fds{job="postgres",instance="c:1"}': stays(1000, 20),
    },
    notYet: '4m',
    at: '6m',
    fires: [{ job: 'gate', instance: 'a:8080', says: 'gate on a:8080 runs out of open files' }],
  },
  {
    alert: 'GateMemoryNearLimit',
    series: {
      'process_resident_memory_bytes{job="gate-hooks",instance="a:8092"}': stays(1.7e9, 30),
      'process_resident_memory_bytes{job="gate",instance="b:8080"}': stays(1.5e9, 30),
      'process_resident_memory_bytes{job="postgres",instance="c:1"}': stays(9e9, 30),
    },
    notYet: '14m',
    at: '16m',
    fires: [{ job: 'gate-hooks', instance: 'a:8092', says: 'gate-hooks on a:8092 uses much memory' }],
  },
  {
    alert: 'GateStdioCanNotStart',
    series: {
      'gate_stdio_spawn_errors_total{job="gate-stdio",instance="a:8091"}': grows(1, 20),
      'gate_stdio_spawn_errors_total{job="gate-stdio",instance="b:8091"}': stays(2, 20),
    },
    notYet: '5m',
    at: '10m',
    fires: [{ job: 'gate-stdio', instance: 'a:8091', says: 'The server behind a:8091 can not be started' }],
  },
  {
    alert: 'GateStdioServerDies',
    series: {
      'gate_stdio_child_failures_total{job="gate-stdio",instance="a:8091"}': grows(1, 30),
      'gate_stdio_child_failures_total{job="gate-stdio",instance="b:8091"}': '0x5 2x25',
    },
    notYet: '2m',
    at: '15m',
    fires: [{ job: 'gate-stdio', instance: 'a:8091', says: 'The server behind a:8091 ends before its sessions do' }],
  },
  {
    alert: 'GateStdioFull', // again and again; and once
    series: {
      'gate_stdio_rejected_total{job="gate-stdio",instance="a:8091"}': grows(1, 40),
      'gate_stdio_rejected_total{job="gate-stdio",instance="b:8091"}': '0x10 5x30',
    },
    notYet: '9m',
    at: '22m',
    fires: [{ job: 'gate-stdio', instance: 'a:8091', says: 'a:8091 has no room for another session' }],
  },
  {
    alert: 'GateKubernetesNeverListed', // beside it one that took its time, and one that is cut off and has a document
    series: {
      'gate_kubernetes_document_bytes{job="gate-discovery",instance="a:8093"}': stays(0, 20),
      'gate_kubernetes_document_bytes{job="gate-discovery",instance="b:8093"}': '0x4 900x16',
      'gate_kubernetes_document_bytes{job="gate-discovery",instance="c:8093"}': stays(17, 20),
      'gate_kubernetes_out_of_touch_seconds{job="gate-discovery",instance="c:8093"}': grows(60, 20),
    },
    notYet: '4m',
    at: '6m',
    fires: [{ job: 'gate-discovery', instance: 'a:8093', says: 'a:8093 has not been able to list the Services of the cluster' }],
  },
  {
    alert: 'GateKubernetesCutOff', // beside it one that is back soon each time, and one that never had a document, of which another alert tells
    series: {
      'gate_kubernetes_out_of_touch_seconds{job="gate-discovery",instance="a:8093"}': `0x5 ${grows(60, 20)}`,
      'gate_kubernetes_document_bytes{job="gate-discovery",instance="a:8093"}': stays(900, 25),
      'gate_kubernetes_out_of_touch_seconds{job="gate-discovery",instance="b:8093"}': '0 60 120 180 240 0 60 120 180 240 0 60 120 180 240 0 60 120 180 240',
      'gate_kubernetes_document_bytes{job="gate-discovery",instance="b:8093"}': stays(900, 25),
      'gate_kubernetes_out_of_touch_seconds{job="gate-discovery",instance="c:8093"}': grows(60, 25),
      'gate_kubernetes_document_bytes{job="gate-discovery",instance="c:8093"}': stays(0, 25),
    },
    notYet: '16m',
    at: '19m',
    fires: [{ job: 'gate-discovery', instance: 'a:8093', says: 'a:8093 hears nothing of the cluster' }],
  },
  {
    alert: 'GateHooksLate', // as two instances over one store see it, which say the same
    series: {
      'gate_hooks_oldest_pending_seconds{job="gate-hooks",instance="a:8092"}': grows(60, 20),
      'gate_hooks_oldest_pending_seconds{job="gate-hooks",instance="b:8092"}': grows(60, 20),
      'gate_hooks_oldest_pending_seconds{job="gate-hooks-two",instance="a:8092"}': stays(299, 20),
    },
    notYet: '10m',
    at: '12m',
    fires: [{ job: 'gate-hooks', says: 'Deliveries of gate-hooks are late' }],
  },
  {
    alert: 'GateHooksDeadLetters', // more; as many as ever; and fewer, since somebody has tried them again
    series: {
      'gate_hooks_queue{job="gate-hooks",instance="a:8092",status="dead"}': '2x60 3x60',
      'gate_hooks_queue{job="gate-hooks-two",instance="a:8092",status="dead"}': '7x120',
      'gate_hooks_queue{job="gate-hooks-three",instance="a:8092",status="dead"}': '7x60 1x60',
      'gate_hooks_queue{job="gate-hooks",instance="a:8092",status="failed"}': grows(1, 120),
    },
    notYet: '59m',
    at: '70m',
    fires: [{ job: 'gate-hooks', says: 'gate-hooks has given deliveries up' }],
  },
  {
    alert: 'GateHooksFails',
    series: {
      'gate_hooks_attempts_total{job="gate-hooks",instance="a:8092",outcome="success"}': grows(2, 90),
      'gate_hooks_attempts_total{job="gate-hooks",instance="a:8092",outcome="timeout"}': grows(8, 90),
      'gate_hooks_attempts_total{job="gate-hooks-two",instance="a:8092",outcome="success"}': grows(6, 90),
      'gate_hooks_attempts_total{job="gate-hooks-two",instance="a:8092",outcome="gone"}': grows(4, 90),
    },
    notYet: '25m',
    at: '65m',
    fires: [{ job: 'gate-hooks', says: 'Most attempts of gate-hooks to deliver fail' }],
  },
];
