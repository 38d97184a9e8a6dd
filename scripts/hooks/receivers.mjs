// What `make run-hooks` runs beside gate-hooks: receivers that verify who sends and fail now and then, webhooks that lead to
// them, and events of all kinds, one after the other. Prints a line for whatever happens.
//
//   node scripts/hooks/receivers.mjs URL        of gate-hooks; the token is in HOOKS_TOKEN, HOOKS_PAUSE_MS is between events
import { WebhookReceiver } from '../../simulations/peers/webhook_receiver.mjs';

const [url] = process.argv.slice(2);
const token = process.env.HOOKS_TOKEN;
const pauseMs = Number(process.env.HOOKS_PAUSE_MS ?? 2000);
const SLOW_MS = 1500;

const EVENTS = {
  'deploy.success': (n) => ({ service: 'checkout', version: `1.4.${n}`, seconds: 40 + (n % 30) }),
  'deploy.failed': (n) => ({ service: 'checkout', version: `1.4.${n}`, step: 'migrate', reason: 'exit status 1' }),
  'activation.error': (n) => ({ account: `acc_${1000 + n}`, reason: 'the certificate has expired' }),
  'rollback.success': (n) => ({ service: 'checkout', from: `1.4.${n}`, to: `1.4.${n - 1}` }),
  'usage.threshold': (n) => ({ account: `acc_${1000 + n}`, used_percent: 80 + (n % 20) }),
};

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const say = (who, text) => console.log(`${new Date().toISOString().slice(11, 23)}  ${who.padEnd(9)} ${text}`);

async function ask(method, place, body) {
  const response = await fetch(url + place, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${place}: HTTP ${response.status} ${text}`);
  return text && JSON.parse(text);
}

const end = (response, status, headers = {}) => response.writeHead(status, headers).end(status < 300 ? '' : 'not today');

/** What each receiver does with its delivery number `n`, if that is well signed: its status, or a promise of it. */
const MANNERS = {
  steady: async (n) => {
    if (n % 7 === 3) return 500;
    if (n % 7 === 5) await sleep(SLOW_MS);
    return 204;
  },
  busy: async (n) => (n % 3 ? 204 : 503),
  broken: async () => 500,
  leaving: async (n) => (n < 4 ? 204 : 410),
};

async function receiver(name, description, events) {
  let count = 0;
  const one = await WebhookReceiver.start();
  const made = await ask('POST', '/webhooks', { url: one.hook, description, ...events });
  one.verifying(made.secret, async (request, response, body) => {
    count += 1;
    const status = await MANNERS[name](count);
    const { type } = JSON.parse(body);
    say(name, `${type} ${request.headers['webhook-id']}, attempt ${request.headers['x-gate-attempt']}: signature is good, answers ${status}`);
    end(response, status, status === 503 ? { 'Retry-After': '3' } : {});
  });
  say(name, `listens on ${one.hook} (${made.id})`);
  return { ...made, name };
}

const hooks = [
  await receiver('steady', 'Steady: fails or is slow now and then', { events: ['*'] }),
  await receiver('busy', 'Busy: says Retry-After', { events: ['deploy.success', 'deploy.failed'] }),
  await receiver('broken', 'Broken: never works', { event: 'activation.error' }),
  await receiver('leaving', 'Leaving: says 410 Gone in the end', { event: 'usage.threshold' }),
];
say('receivers', 'ready');

const nameOf = new Map(hooks.map(({ id, name }) => [id, name]));
const told = new Set();

/** Tells of what has changed since: dead letters, webhooks that are disabled. */
async function look() {
  for (const { id, enabled, disabled_reason: reason } of (await ask('GET', '/webhooks')).webhooks) {
    if (enabled || told.has(id)) continue;
    told.add(id);
    say(nameOf.get(id) ?? id, `is disabled (${reason})`);
  }
  for (const { id, webhook_id: of, event_type: type, error } of (await ask('GET', '/webhook-deliveries/dlq?limit=20')).entries) {
    if (told.has(id)) continue;
    told.add(id);
    say(nameOf.get(of) ?? of, `${type} is a dead letter: ${error}`);
  }
}

for (let n = 1; ; n += 1) {
  for (const [type, data] of Object.entries(EVENTS)) {
    const { id, deliveries } = await ask('POST', '/events', { type, data: data(n) });
    say('events', `${type} ${id} is accepted, for ${deliveries} webhooks`);
    await sleep(pauseMs);
  }
  await look();
}
