// What no client and no server should say of tasks: texts of JSON.
const TIMES = '"createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z"';
const LONG = 'x'.repeat(2 * 1024 * 1024);
const said = JSON.stringify;

/** The members of a task of either generation, so far. */
export const working = (taskId, status = 'working') =>
  `"taskId":${said(taskId)},"status":"${status}",${TIMES},"ttl":60000,"ttlMs":60000`;

/** `[what, the member taskId]`; undefined: there is none. */
export const badIds = [
  ['nothing', undefined], ['a number', '7'], ['null', 'null'], ['true', 'true'], ['an object', '{"taskId":"x"}'], ['a list', '["x"]'],
  ['an empty text', '""'], ['a NUL', '"\\u0000"'], ['a line break', '"a\\r\\nX-Injected: 1"'], ['half a character', '"\\ud800"'],
  ['ten thousand characters', said('x'.repeat(10_000))], ['two of them', '"a","taskId":"b"'],
];

/** What `inputResponses` is not. */
export const badResponses = [undefined, null, 7, 'x', [], [{}]];

/** What `params.task` is not, or should not be; each gets an answer, whatever it is. */
export const badWishes = [
  'null', '7', '"x"', '[]', 'true', '{"ttl":-1}', '{"ttl":1e300}', '{"ttl":"60000"}', '{"ttl":null}', '{"ttl":0.5}', '{"ttl":{}}',
  '{"ttl":99999999999999999999}', '{"unknown":1}', '{"ttl":1,"ttl":2}', '{}',
];

const about = (members) => `"status":"working",${TIMES},${members}`;

/** `[what, members]` of a result whose `resultType` is task. */
export const badTasksOfStateless = [
  ['without an id', about('"ttlMs":1000')],
  ['whose id is a number', about('"taskId":7,"ttlMs":1000')],
  ['whose id is null', about('"taskId":null,"ttlMs":1000')],
  ['whose id is empty', about('"taskId":"","ttlMs":1000')],
  ['whose id is an object', about('"taskId":{"taskId":"x"},"ttlMs":1000')],
  ['whose id has control characters', about('"taskId":"a\\r\\nX: 1\\u0000","ttlMs":1000')],
  ['whose id has two megabytes', about(`"taskId":"${LONG}","ttlMs":1000`)],
  ['with two ids', about('"taskId":"a","taskId":"b","ttlMs":1000')],
  ['that is kept for ever and longer', about('"taskId":"w-1","ttlMs":1e300')],
  ['that is kept for 2^64 milliseconds', about('"taskId":"w-2","ttlMs":18446744073709551616')],
  ['that is kept for less than no time', about('"taskId":"w-3","ttlMs":-1')],
  ['that is kept for a text', about('"taskId":"w-4","ttlMs":"long"')],
  ['of no known status', `"taskId":"w-5","status":"thinking",${TIMES},"ttlMs":1000`],
  ['whose status is a number', `"taskId":"w-6","status":7,${TIMES},"ttlMs":1000`],
  ['with nothing but an id', '"taskId":"w-7"'],
  ['with nothing at all', '"content":[]'],
  ['that is one of sessions', `"task":{"taskId":"w-8",${about('"ttl":1000')}}`],
  ['that has one of sessions, too', about('"taskId":"w-9","ttlMs":1000,"task":{"taskId":7}')],
  ['that asks at once', about('"taskId":"w-10","ttlMs":1000,"inputRequests":{"a":{"method":"elicitation/create","params":{}}}')],
];

/** `[what, result]` of a call that was to become a task. */
export const badTasksOfSessions = [
  ['a task without members', '{"task":{}}'], ['a task that is null', '{"task":null}'], ['a task that is a list', '{"task":[]}'],
  ['a task that is a text', '{"task":"old-task"}'], ['no task', '{}'],
  ['a task whose id is a number', `{"task":{"taskId":7,${about('"ttl":1000')}}}`],
  ['a task whose id is empty', `{"task":{"taskId":"",${about('"ttl":1000')}}}`],
  ['a task whose id has two megabytes', `{"task":{"taskId":"${LONG}",${about('"ttl":1000')}}}`],
  ['a task that is kept for ever and longer', `{"task":{"taskId":"s-1",${about('"ttl":1e300')}}}`],
  ['a task that is kept for a text', `{"task":{"taskId":"s-2",${about('"ttl":"long"')}}}`],
  ['a task without a status', `{"task":{"taskId":"s-3",${TIMES},"ttl":1}}`],
  ['a flat task', `{"resultType":"task","taskId":"s-4",${about('"ttlMs":1000')}}`],
  ['a result of another kind', '{"resultType":"surprise","content":[]}'],
];

/** `[what, members(taskId)]` of an answer to `tasks/get`. */
export const badAnswers = [
  ['nothing', () => '"nothing":0'],
  ['another task', () => working('somebody-elses')],
  ['no id', () => `"status":"working",${TIMES},"ttlMs":1000`],
  ['no status', (id) => `"taskId":${said(id)},${TIMES}`],
  ['a status that nobody knows', (id) => working(id, 'thinking')],
  ['completed, without a result', (id) => working(id, 'completed')],
  ['completed, and its result is null', (id) => `${working(id, 'completed')},"result":null`],
  ['completed, and its result is a text', (id) => `${working(id, 'completed')},"result":"done"`],
  ['completed, and its result is a list', (id) => `${working(id, 'completed')},"result":[1]`],
  ['completed, and its result wants input', (id) => `${working(id, 'completed')},"result":{"resultType":"input_required","inputRequests":{}}`],
  ['failed, without an error', (id) => working(id, 'failed')],
  ['failed, and its error is a text', (id) => `${working(id, 'failed')},"error":"broken"`],
  ['failed, and its error has no code', (id) => `${working(id, 'failed')},"error":{"message":"broken"}`],
  ['asking, without a question', (id) => working(id, 'input_required')],
  ['asking a list', (id) => `${working(id, 'input_required')},"inputRequests":[]`],
  ['asking a text', (id) => `${working(id, 'input_required')},"inputRequests":"who?"`],
  ['asking nothing', (id) => `${working(id, 'input_required')},"inputRequests":{}`],
  ['asking what nobody answers', (id) => `${working(id, 'input_required')},"inputRequests":{"a":7,"b":{},"c":{"method":"tools/call","params":{}}}`],
  ['asking for what was not declared', (id) =>
    `${working(id, 'input_required')},"inputRequests":{"a":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}}`],
];

/** `[what, member]`: what stands where the result of a task should. */
export const badResults = [
  ['null', '"result":null'], ['a number', '"result":7'], ['a text', '"result":"done"'], ['a list', '"result":[]'],
  ['an object without content', '"result":{}'], ['what wants input', '"result":{"resultType":"input_required","inputRequests":{}}'],
  ['a task', `"result":{"task":{"taskId":"t",${TIMES}}}`], ['an error without a code', '"error":{"message":"broken"}'],
  ['an error that is a text', '"error":"broken"'], ['both', '"result":{},"error":{"code":1,"message":"x"}'], ['neither', '"other":1'],
];

/** `[pollIntervalMs, is it then asked for within a minute?]` */
export const polls = [
  ['0', true], ['-1', true], ['-1e30', true], ['0.0001', true], ['1', true], ['null', true], ['"often"', true], ['"0"', true], ['[]', true],
  ['{}', true], ['true', true], ['1e30', false], ['1e400', false], ['99999999999999999999', false],
];
