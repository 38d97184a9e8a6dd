// What is wrong, the worst first, and the state of it all in a sentence. Pure.
import { reasonOf, span, titleOf, webhookRoute } from './pieces.js';
import { query, route } from './place.js';
import { count, plain, plural } from './text.js';

/** What is due and has not been taken for so long is late: each receiver has a queue of its own, and none is this slow. */
const LATE_SECONDS = 300;
/** More webhooks with the same complaint than this share one line. */
const SEPARATE = 6;

export const lateSeconds = (health, now = Date.now()) =>
  health?.oldest_due_at ? Math.max(0, (now - Date.parse(health.oldest_due_at)) / 1000) : 0;

function disabledOnes(webhooks) {
  const out = webhooks.filter(({ enabled, disabled_reason: reason }) => !enabled && reason !== 'manual');
  if (out.length > SEPARATE)
    return [{ level: 'bad', text: `${count(out.length)} webhooks are disabled by what their receivers did`, href: query(route('webhooks'), { state: 'off' }) }];
  return out.map((hook) => ({ level: 'bad', text: `${titleOf(hook)} gets nothing: ${reasonOf(hook)}`, href: webhookRoute(hook.id) }));
}

function failingOnes(webhooks) {
  const out = webhooks.filter(({ enabled, stats }) => enabled && stats?.last_at && !(stats.last_status >= 200 && stats.last_status < 300));
  if (out.length > SEPARATE)
    return [{ level: 'warn', text: `The last attempt of ${count(out.length)} webhooks has failed`, href: query(route('webhooks'), { state: 'failing' }) }];
  return out.map((hook) => ({
    level: 'warn',
    text: `The last attempt to reach ${titleOf(hook)} has failed${hook.stats.last_status ? ` (HTTP ${plain(hook.stats.last_status, 5)})` : ''}`,
    href: webhookRoute(hook.id),
  }));
}

/** `[{ level: 'bad' | 'warn' | 'note', text, href }]`. */
export function problems({ health, webhooks = [], dead, trouble }) {
  const out = [];
  if (trouble && !trouble.status) out.push({ level: 'bad', text: trouble.message, href: route('') });
  if (health && health.store !== 'ok')
    out.push({ level: 'bad', text: 'The store does not answer: events are refused, and nothing is delivered', href: route('') });
  if (dead?.total)
    out.push({
      level: 'bad',
      text: `${plural(dead.total, 'delivery is a dead letter', 'deliveries are dead letters')}${dead.oldest_at ? `, the oldest for ${span((Date.now() - Date.parse(dead.oldest_at)) / 1000)}` : ''}`,
      href: route('dead'),
    });
  out.push(...disabledOnes(webhooks));
  const late = lateSeconds(health);
  if (late >= LATE_SECONDS) out.push({ level: 'warn', text: `A delivery has been due for ${span(late)}`, href: route('webhooks') });
  out.push(...failingOnes(webhooks));
  if (health?.dev_loopback)
    out.push({ level: 'note', text: 'Development: http, and receivers on this machine, are allowed', href: route('webhooks') });
  const off = webhooks.filter(({ disabled_reason: reason }) => reason === 'manual').length;
  if (off) out.push({ level: 'note', text: `${plural(off, 'webhook is', 'webhooks are')} switched off`, href: query(route('webhooks'), { state: 'off' }) });
  return out;
}

/** `{ level: 'good' | 'warn' | 'bad', text }`. */
export function sentence({ health, webhooks = [] }, found) {
  if (health && health.store !== 'ok') return { level: 'bad', text: 'The store does not answer.' };
  const serious = found.filter(({ level }) => level !== 'note');
  if (serious.length) {
    const level = serious.some((each) => each.level === 'bad') ? 'bad' : 'warn';
    return { level, text: `${serious.length === 1 ? 'One thing needs' : `${count(serious.length)} things need`} attention.` };
  }
  if (!webhooks.length) return { level: 'good', text: 'There is no webhook yet.' };
  return { level: 'good', text: 'Everything is delivered, or waits for its turn.' };
}
