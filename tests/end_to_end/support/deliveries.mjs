// What may be said of deliveries once all are over, by what receivers saw and what each instance tells: none lost, none
// made twice but by whoever was disturbed, none by two at once.
import assert from 'node:assert/strict';

function groups(all, keyOf) {
  const out = new Map();
  for (const each of all) {
    const key = keyOf(each);
    if (out.has(key)) out.get(key).push(each);
    else out.set(key, [each]);
  }
  return [...out.values()];
}

const told = (some) => JSON.stringify(some.slice(0, 5), null, 1);

/** The same attempt of the same delivery, seen more than once: of whom, and how often, `load` says. */
function judgeTwice(attempts, { disturbed, mayBeTwice }) {
  const twice = groups(attempts, ({ delivery, attempt }) => `${delivery} ${attempt}`).filter((some) => some.length > 1);
  // Of who is undefined nothing is left: it was killed.
  const excused = (some) => some.some(({ by }) => (by === undefined ? disturbed.length > 0 : disturbed.includes(by)));
  const wrong = twice.filter((some) => !excused(some));
  assert.deepEqual(wrong, [], `${wrong.length} were made twice by those that nobody disturbed: ${told(wrong)}`);
  const repeated = twice.reduce((sum, some) => sum + some.length - 1, 0);
  assert.ok(repeated <= mayBeTwice, `${repeated} were made twice: ${told(twice)}`);
  return twice;
}

/** Of one delivery attempts follow each other. */
function judgeAtOnce(attempts, twice) {
  const excused = new Set(twice.map(([{ delivery }]) => delivery));
  for (const some of groups(attempts, ({ delivery }) => delivery)) {
    if (excused.has(some[0].delivery)) continue;
    some.forEach(({ began }, n) => assert.ok(n === 0 || some[n - 1].ended < began, `two at once: ${told(some)}`));
  }
  return excused;
}

/** After a good answer none follows, unless that came too late. */
async function judgeAfter(attempts, excused, hooks) {
  for (const some of groups(attempts, ({ delivery }) => delivery)) {
    const good = some.findIndex(({ status }) => status === 204);
    if (good < 0 || good === some.length - 1 || excused.has(some[0].delivery)) continue;
    const { attempt_log: log } = await hooks.delivery(some[0].delivery);
    const entry = log[some[good].attempt - 1];
    assert.match(entry?.error ?? '', /time|answer/, `after a good answer: ${told(some)} ${JSON.stringify(log)}`);
  }
}

/** Of what a receiver saw, each with its end: deliveries that were made twice, as they may be. */
export async function judgeAttempts(attempts, load, hooks) {
  const twice = judgeTwice(attempts, load);
  await judgeAfter(attempts, judgeAtOnce(attempts, twice), hooks);
  return twice;
}

export async function judge({ sightings, load, hook, broken, instances }) {
  const { attempts } = sightings;
  assert.ok(attempts.every(({ ended }) => ended), 'all is over');
  const twice = await judgeAttempts(attempts, load, instances[0]);
  const lists = await Promise.all(instances.map((each) => each.deliveriesOf(hook.id)));
  for (const list of lists) assert.deepEqual(list, lists[0], 'all instances tell the same');
  const [list] = lists;
  const byEvent = new Map(list.map((each) => [each.event_id, each]));
  assert.equal(byEvent.size, list.length, 'one delivery of each event');
  const lost = [...load.accepted].filter((id) => !byEvent.has(id));
  assert.deepEqual(lost, [], `${lost.length} of ${load.accepted.size} are lost`);
  for (const { status, event_id: id } of list) {
    assert.ok(status === 'succeeded' || status === 'dead', `${id} is ${status}`);
    if (status === 'succeeded') assert.ok(sightings.done.has(id), `${id} was delivered`);
  }
  const dead = await instances.at(-1).deliveriesOf(broken.id);
  assert.ok(dead.every(({ status, attempts: n }) => status === 'dead' && n === 3), told(dead.filter(({ status }) => status !== 'dead')));
  assert.equal(new Set(dead.map(({ event_id: id }) => id)).size, dead.length, 'one delivery of each event');
  const letters = (await instances[0].deadLetters()).filter(({ webhook_id: of }) => of === broken.id);
  assert.deepEqual(new Set(letters.map(({ id }) => id)), new Set(dead.map(({ id }) => id)), 'each is a dead letter');
  return { twice: twice.length };
}
