// The condition of the federation: one sentence, and what is wrong, the worst first. Pure.
import { byName, summary } from './figures.js';
import { query, route } from './place.js';
import { count, listed, milliseconds, moment, percent, plain, plural } from './text.js';

/** From this share on a limit or budget is nearly used up. */
const NEARLY = 0.9;
/** So many calls of one tool, and such a share of them failed, are worth a line. */
const ENOUGH_CALLS = 10;
const TOO_MANY_FAIL = 0.2;
/** More upstreams with the same complaint than this share one line. */
const SEPARATE = 6;

export { query, route };
export const upstreamRoute = (id) => route('upstreams', id);

/** `up`, `degraded`, `down`, or `unprobed`: nobody can ask it. */
export function stateOf(upstream) {
  if (upstream.breaker === 'open') return 'down';
  if (!upstream.connected && !upstream.unprobed) return 'down';
  const out = (upstream.endpoints ?? []).filter((endpoint) => !endpoint.healthy).length;
  if (upstream.breaker === 'half-open' || out) return 'degraded';
  return upstream.unprobed ? 'unprobed' : 'up';
}

export function statesOf(upstreams) {
  const out = { up: 0, degraded: 0, down: 0, unprobed: 0 };
  for (const upstream of upstreams) out[stateOf(upstream)] += 1;
  return out;
}

export const share = ({ used, limit }) => (limit > 0 ? Math.min(1, used / limit) : 1);
export const isUsedUp = (entry) => 'retryAfterMs' in entry || entry.used >= entry.limit;

/** All limits and budgets of a report: `{ entry, whose, href }`; `whose` in the possessive. */
export function usesOf(federation) {
  const of = (holder, whose, href) =>
    [...(holder?.limits ?? []), ...(holder?.budgets ?? [])].map((entry) => ({ entry, whose, href }));
  const here = route('limits');
  const words = { server: 'The gateway\u2019s', principal: 'Your' };
  return [
    ...of(federation.usage, '', here).map((use) => ({ ...use, whose: words[use.entry.scope] ?? use.entry.scope })),
    ...of(federation.tenant, `Tenant ${plain(federation.tenant?.id, 40)}\u2019s`, here),
    ...federation.upstreams.flatMap((upstream) =>
      of(upstream, `${plain(upstream.id, 40)}\u2019s`, upstreamRoute(upstream.id)),
    ),
  ];
}

/** One line for each of a few, one for all of many. */
function eachOrAll(upstreams, state, line, together) {
  if (upstreams.length <= SEPARATE)
    return upstreams.map((each) => ({ text: line(each), href: upstreamRoute(each.id) }));
  const text = `${count(upstreams.length)} ${together}: ${listed(
    upstreams.map(({ id }) => id),
    5,
  )}`;
  return [{ text, href: query(route('upstreams'), { state }) }];
}

const BUDGETS = { hour: 'hourly', day: 'daily', month: 'monthly' };
const why = (upstream) => (upstream.error ? `: ${plain(upstream.error, 160)}` : '');

function problemsOfUpstreams(upstreams) {
  const open = upstreams.filter(({ breaker }) => breaker === 'open');
  const silent = upstreams.filter((each) => each.breaker !== 'open' && stateOf(each) === 'down');
  const tried = upstreams.filter((each) => each.breaker === 'half-open' && stateOf(each) !== 'down');
  const partly = upstreams.filter((each) => stateOf(each) === 'degraded' && each.breaker !== 'half-open');
  const out = ({ endpoints }) => endpoints.filter(({ healthy }) => !healthy).length;
  const bad = [
    ...eachOrAll(
      silent,
      'down',
      (each) => `${plain(each.id, 40)} does not answer${why(each)}`,
      'upstreams do not answer',
    ),
    ...eachOrAll(
      open,
      'down',
      (each) => `Calls to ${plain(each.id, 40)} are refused: its circuit breaker is open${why(each)}`,
      'circuit breakers are open',
    ),
  ];
  const warn = [
    ...eachOrAll(
      tried,
      'degraded',
      (each) => `${plain(each.id, 40)} is being tried again: its circuit breaker is half-open`,
      'circuit breakers are half-open',
    ),
    ...eachOrAll(
      partly,
      'degraded',
      (each) =>
        `${out(each)} of ${plural(each.endpoints.length, 'endpoint')} of ${plain(each.id, 40)} ${out(each) === 1 ? 'is' : 'are'} out of rotation`,
      'upstreams have endpoints out of rotation',
    ),
  ];
  return { bad, warn };
}

function problemsOfUse(federation) {
  const bad = [];
  const warn = [];
  const all = usesOf(federation);
  const tight = all.filter(({ entry }) => isUsedUp(entry) || share(entry) >= NEARLY);
  const ofUpstreams = tight.filter(({ entry }) => entry.scope === 'upstream');
  const many = ofUpstreams.length > SEPARATE;
  if (many) {
    warn.push({
      text: `${plural(ofUpstreams.length, 'limit')} of upstreams are used up, or nearly: ${listed(
        ofUpstreams.map(({ whose }) => whose.replace(/\u2019s$/, '')),
        5,
      )}`,
      href: route('limits'),
    });
  }
  for (const { entry, whose, href } of many ? tight.filter((use) => !ofUpstreams.includes(use)) : tight) {
    const what = entry.period ? `${BUDGETS[entry.period] ?? plain(entry.period, 20)} budget` : 'rate limit';
    const used = `${count(entry.used)} of ${count(entry.limit)}`;
    if (isUsedUp(entry)) {
      const back = entry.retryAfterMs
        ? `room in ${milliseconds(entry.retryAfterMs)}`
        : entry.resetsAt
          ? `until ${moment(entry.resetsAt)}`
          : '';
      (entry.period ? bad : warn).push({ text: `${whose} ${what} is used up (${used})${back && `, ${back}`}`, href });
    } else {
      warn.push({ text: `${whose} ${what} is ${percent(entry.used, entry.limit)} used (${used})`, href });
    }
  }
  return { bad, warn };
}

function problemsOfCalls(events) {
  const tools = byName(events).filter(
    (tool) => tool.answered >= ENOUGH_CALLS && tool.failed / tool.answered >= TOO_MANY_FAIL,
  );
  return tools.slice(0, SEPARATE).map((tool) => ({
    text: `${count(tool.failed)} of the last ${count(tool.answered)} requests for ${plain(tool.name, 60)} failed`,
    href: query(route('activity'), { name: tool.name }),
  }));
}

function notesOf(federation, events) {
  const out = [];
  const outside = events.filter(({ outcome }) => outcome === 'unauthenticated').length;
  if (outside) {
    out.push({
      text: `${plural(outside, 'request')} came without a good token`,
      href: query(route('activity'), { outcome: 'unauthenticated' }),
    });
  }
  if (federation.auth.mode !== 'required') {
    out.push({
      text: 'Authentication is off: whoever reaches this port may call everything and sees this page',
      href: route('limits'),
    });
  }
  if (!federation.auditSinks?.length) out.push({ text: 'Nothing is written to an audit trail', href: route('limits') });
  return out;
}

/** `[{ level: 'bad' | 'warn' | 'note', text, href }]`. */
export function problems(federation, events = []) {
  const upstreams = problemsOfUpstreams(federation.upstreams);
  const use = problemsOfUse(federation);
  const other = [];
  if (federation.sharedState === 'away') {
    other.push({
      text: 'The shared store is away: this instance decides by itself what the fleet should share',
      href: route('limits'),
    });
  }
  const { discovery } = federation;
  if (discovery?.lastOutcome === 'rejected' || discovery?.lastOutcome === 'error') {
    const cause = discovery.error ? `: ${plain(discovery.error, 160)}` : '';
    other.push({
      text: `The last poll of discovery was of no use (${discovery.lastOutcome})${cause}`,
      href: route('limits'),
    });
  }
  const as = (level) => (problem) => ({ level, ...problem });
  return [
    ...[...upstreams.bad, ...use.bad].map(as('bad')),
    ...[...upstreams.warn, ...other, ...use.warn, ...problemsOfCalls(events)].map(as('warn')),
    ...notesOf(federation, events).map(as('note')),
  ];
}

/** `{ level: 'good' | 'warn' | 'bad', text }`. */
export function sentence(federation, found) {
  const all = federation.upstreams.length;
  const { down, degraded } = statesOf(federation.upstreams);
  if (!all) return { level: 'warn', text: 'There is no upstream that you can see.' };
  const serious = found.filter(({ level }) => level !== 'note').length;
  if (down === all) {
    return { level: 'bad', text: all === 1 ? 'The only upstream is down.' : `All ${count(all)} upstreams are down.` };
  }
  const parts = [];
  if (down) parts.push(`${count(down)} of ${plural(all, 'upstream')} ${down === 1 ? 'is' : 'are'} down`);
  if (degraded) {
    const whole = down ? count(degraded) : `${count(degraded)} of ${plural(all, 'upstream')}`;
    parts.push(`${whole} ${degraded === 1 ? 'is' : 'are'} degraded`);
  }
  if (parts.length) return { level: down ? 'bad' : 'warn', text: `${parts.join(', ')}.` };
  const well = all === 1 ? 'The upstream answers' : `All ${count(all)} upstreams answer`;
  if (!serious) return { level: 'good', text: `${well}.` };
  const level = found.some((each) => each.level === 'bad') ? 'bad' : 'warn';
  return { level, text: `${well}; ${serious === 1 ? 'one thing needs' : `${count(serious)} things need`} attention.` };
}

/** The figures of the first page. */
export const traffic = (events) => summary(events);
