// Documents drawn from a seed: who may do what, how often, and how much, for the upstreams, groups and
// tools of a recording. The same seed gives the same document.

/** A sequence of numbers in [0, 1) (mulberry32). */
export function drawer(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = state;
    x = Math.imul(x ^ (x >>> 15), x | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (n) => Math.floor(next() * n);
  const one = (list) => list[below(list.length)];
  const chance = (p) => next() < p;
  return {
    below, one, chance,
    between: (least, most) => least + below(most - least + 1),
    some: (list, p = 0.5) => list.filter(() => chance(p)),
    /** At least one of them. */
    few: (list, p = 0.4) => {
      const found = list.filter(() => chance(p));
      return found.length ? found : [one(list)];
    },
  };
}

const PATTERNS = ['*', 'read_*', '*_file', 'echo', 'r*d*', '*e*', 'list_users', 'write_*', 'Read_*', 'x*'];
const METHODS = ['tools/call', 'prompts/get'];

function subjects(draw, { subs, groups, issuers, claims }) {
  const out = {};
  if (draw.chance(0.6)) out.groups = draw.few(groups);
  if (draw.chance(0.3)) out.subs = draw.few(subs, 0.3);
  if (draw.chance(0.15)) out.issuers = [draw.one(issuers)];
  if (draw.chance(0.2)) out.claims = draw.one(claims);
  return out;
}

function grant(draw, ids) {
  const out = { server: draw.chance(0.3) ? '*' : draw.one(ids) };
  if (draw.chance(0.4)) out.methods = draw.few(METHODS);
  if (draw.chance(0.7)) out.names = draw.few(PATTERNS, 0.25);
  return out;
}

function policy(draw, ids, people) {
  const rules = Array.from({ length: draw.between(0, 6) }, (_, i) => ({
    id: `rule-${i}`,
    ...(!draw.chance(0.15) && { subjects: subjects(draw, people) }),
    allow: Array.from({ length: draw.between(1, 3) }, () => grant(draw, ids)),
  }));
  return { ...(draw.chance(0.5) && { defaultDecision: draw.one(['allow', 'deny']) }), rules };
}

const budget = (draw, most) => ({
  ...(draw.chance(0.8) && { period: draw.one(['hour', 'hour', 'day', 'month']) }), upstreamCalls: draw.between(1, most),
});

/** Of one document each tenant has selectors of another kind: some principals belong to two. */
function tenants(draw, ids, { groups, claims, subs }) {
  const kinds = [
    ...groups.map((group) => ({ groups: [group] })), ...claims.map((claim) => ({ claims: claim })),
    ...subs.map((sub) => ({ subs: [sub] })),
  ];
  const chosen = new Set(Array.from({ length: draw.between(1, 4) }, () => draw.one(kinds)));
  return [...chosen].map((who, i) => ({
    id: `tenant-${i}`,
    subjects: who,
    ...(draw.chance(0.5) && { upstreams: draw.few(ids, 0.6) }),
    ...(draw.chance(0.5) && { rateLimit: { requestsPerMinute: draw.one([0, draw.between(5, 100)]) } }),
    ...(draw.chance(0.5) && { budget: budget(draw, 120) }),
  }));
}

/** `base` with other policy, tenants, limits, budgets; `people`: whom they may be about. */
export function drawnDocument(seed, base, people) {
  const draw = drawer(seed);
  const { policy: _policy, tenants: _tenants, ...rest } = base;
  const { rateLimit: _limit, budget: _budget, ...server } = base.server ?? {};
  const ids = base.upstreams.map(({ id }) => id);
  const upstreams = base.upstreams.filter(() => !draw.chance(0.06)).map(({ rateLimit, budget: spent, ...one }) => ({
    ...one,
    ...(draw.chance(0.08) && { namespace: 'elsewhere' + one.id }),
    ...(draw.chance(0.3) && { rateLimit: { requestsPerMinute: draw.one([0, draw.between(5, 150)]) } }),
    ...(draw.chance(0.3) && { budget: budget(draw, 150) }),
  }));
  const here = upstreams.map(({ id }) => id);
  if (!here.length) return drawnDocument(seed + 1_000_003, base, people);
  return {
    ...rest,
    server: {
      ...server,
      ...(draw.chance(0.6) && { rateLimit: { requestsPerMinute: draw.one([0, draw.between(50, 500)]), perPrincipalPerMinute: draw.one([0, draw.between(10, 120)]) } }),
      ...(draw.chance(0.4) && { budget: budget(draw, 400) }),
    },
    upstreams,
    ...(draw.chance(0.75) && { policy: policy(draw, here, people) }),
    ...(draw.chance(0.7) && { tenants: tenants(draw, here, people) }),
  };
}
