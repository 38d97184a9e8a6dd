// What follows from a list of audit events. Pure.

/** Outcomes of requests that reached what they were for, and failed there. */
const FAILED = new Set(['error', 'upstream_down']);

/** `ok`, `failed`, or `refused`: the gateway did not let it through. */
export function kindOf({ outcome }) {
  if (outcome === 'ok') return 'ok';
  return FAILED.has(outcome) ? 'failed' : 'refused';
}

/** By nearest rank; NaN of nothing. */
export function percentile(ascending, share) {
  if (!ascending.length) return NaN;
  return ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)];
}

const ascending = (numbers) => numbers.filter(Number.isFinite).sort((a, b) => a - b);

/** `{ all, ok, failed, refused, p50, p95 }`; the times are those of what was not refused. */
export function summary(events) {
  const out = { all: events.length, ok: 0, failed: 0, refused: 0 };
  for (const event of events) out[kindOf(event)] += 1;
  const times = ascending(events.filter((event) => kindOf(event) !== 'refused').map((event) => event.latencyMs));
  return { ...out, answered: out.ok + out.failed, p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
}

/** One `summary` for each thing that was asked for by name, and `{ method, name, upstream }`; the busiest first. */
export function byName(events) {
  const groups = new Map();
  for (const event of events) {
    if (!event.name) continue;
    const key = `${event.method}\n${event.name}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(event);
  }
  return [...groups.values()]
    .map((group) => ({
      ...summary(group),
      method: group[0].method,
      name: group[0].name,
      upstream: group.at(-1).upstream,
    }))
    .sort((a, b) => b.all - a.all || (a.name < b.name ? -1 : 1));
}

/** One moment alone is no line. */
const FEWEST_STEPS = 12;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400];

/**
 * The same events by time, in at most `most` steps of a round length, and a few at least: columns `x` (seconds since 1970, where a step
 * begins), `all`, `failed`, `refused`, `p50`, `p95`; and the `step`, in seconds.
 */
export function byTime(events, most = 60) {
  const dated = events.map((event) => [Date.parse(event.time) / 1000, event]).filter(([at]) => Number.isFinite(at));
  const out = { step: 1, x: [], all: [], failed: [], refused: [], p50: [], p95: [] };
  if (!dated.length) return out;
  const first = dated.reduce((least, [at]) => Math.min(least, at), Infinity);
  const last = dated.reduce((greatest, [at]) => Math.max(greatest, at), -Infinity);
  out.step = STEPS.find((step) => (last - first) / step < most - 1) ?? Math.ceil((last - first) / (most - 1));
  const begin = Math.min(Math.floor(first / out.step), Math.floor(last / out.step) - FEWEST_STEPS + 1);
  const steps = Array.from({ length: Math.floor(last / out.step) - begin + 1 }, () => []);
  for (const [at, event] of dated) steps[Math.floor(at / out.step) - begin].push(event);
  steps.forEach((group, i) => {
    const s = summary(group);
    out.x.push((begin + i) * out.step);
    for (const key of ['all', 'failed', 'refused']) out[key].push(s[key]);
    for (const key of ['p50', 'p95']) out[key].push(Number.isFinite(s[key]) ? s[key] : null);
  });
  return out;
}
