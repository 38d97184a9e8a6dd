// Tasks of a peer as clients of both generations see them: what the steps of either (session_task_exchange.mjs,
// stateless_task_exchange.mjs) have in common.
import assert from 'node:assert/strict';
import { TASKS } from '../../../simulations/peers/stateless_rules.mjs';
import { until } from '../../../simulations/peers/waiting.mjs';

export const ELICITATION = { elicitation: { form: {} } };
/** What a stateless client declares that takes tasks, and can be asked. */
export const TAKES_TASKS = { ...ELICITATION, extensions: { [TASKS]: {} } };

/** To the question of tools that ask, and what comes of it. */
export const ADA = { action: 'accept', content: { name: 'Ada' } };
export const FOR_ADA = 'done for Ada';
/** The task that nobody ever had. */
export const NOBODYS = 'task-of-nobody';

/** The text holds these parts byte for byte. */
export function assertHolds(text, ...parts) {
  for (const part of parts) assert.ok(text.includes(part), `${part} is not in ${text.slice(0, 2000)}`);
}

/** Asks until the task is `status`: the answer that says so. `get(taskId)` asks once. */
export const became = (get, taskId, status) => until(async () => {
  const answered = await get(taskId);
  assert.ok(answered.result, JSON.stringify(answered.error));
  return answered.result.status === status && answered;
}, `the task to be ${status}`);

/** Calls a tool that holds, by `call()`, and has the server let it go on: its answer. */
export async function released(server, call) {
  const before = server.holding;
  const answer = call();
  await until(() => server.holding > before, 'the call to hold');
  server.release();
  return answer;
}
