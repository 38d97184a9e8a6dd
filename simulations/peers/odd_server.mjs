// A stdio MCP server that does what its tools are told, also what no server should. Tools: `echo`
// {text}; `exit` {code}; `hang`, which says so on standard error; `say` {lines, times, last, after}: raw lines to
// standard output, `after` the answer if that is true; `complain` {lines, bytes};
// `ask`: a request to the client within the call; `ask_later`: one after it; `litter` {count, detached}: leaves
// grandchildren; `environment`; `progress` {token}; `deaf`: reads no more. With DEAF in its environment it never
// answers; with STUBBORN it ignores the end of its input, and SIGTERM.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const send = (message) => process.stdout.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });

if (process.env.STUBBORN) {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1000);
}

let nextQuestion = 1;
const questions = new Map();
const ask = (method, params) =>
  new Promise((answered) => {
    const id = `question-${nextQuestion++}`;
    questions.set(id, answered);
    send({ jsonrpc: '2.0', id, method, params });
  });

const tools = {
  echo: ({ text: what }) => text(what),
  exit: ({ code }) => process.exit(code),
  hang() {
    process.stderr.write('hanging\n');
    return new Promise(() => {});
  },
  say({ lines, times = 1, last, after = false }) {
    const speak = () => {
      for (let i = 0; i < times; i += 1) lines.forEach(send);
      if (last) send(last);
    };
    if (after) setImmediate(speak);
    else speak();
    return text('said');
  },
  complain({ lines, bytes = 10 }) {
    for (let i = 0; i < lines; i += 1) process.stderr.write(`${`complaint ${i} `.padEnd(bytes, '.')}\n`);
    return text('complained');
  },
  ask: async () => text(JSON.stringify(await ask('roots/list'))),
  ask_later() {
    setTimeout(() => ask('ping'), 50);
    return text('later');
  },
  environment: () => text(JSON.stringify({ env: process.env, cwd: process.cwd() })),
  progress({ token, count = 1 }) {
    for (let i = 1; i <= count; i += 1)
      send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress: i } });
    return new Promise((done) => setTimeout(() => done(text('progressed')), 200));
  },
  litter({ count = 1 }) {
    const sleepers = `sleep 1000 & setsid sleep 1000 & (sleep 1000 &) ; setsid sh -c 'sleep 1000 </dev/null >/dev/null 2>&1 &'`;
    for (let i = 0; i < count; i += 1)
      spawn('/bin/sh', ['-c', `trap '' TERM; ${sleepers}`], { stdio: 'ignore', env: { PATH: '/usr/bin:/bin' } });
    return new Promise((done) => setTimeout(() => done(text('littered')), 300));
  },
  deaf() {
    process.stdin.pause();
    setInterval(() => {}, 1000); // with nothing to wait for it would end
    return text('deaf');
  },
};

async function answer(message) {
  const { id, method, params } = message;
  if (method === 'initialize')
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'odd', version: '1' },
    };
  if (method === 'tools/list')
    return { tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) };
  if (method === 'ping') return {};
  if (method === 'tools/call' && tools[params.name]) return tools[params.name](params.arguments ?? {}, id);
  throw new Error('method not found');
}

const input = createInterface({ input: process.stdin });
input.on('close', () => {
  if (!process.env.STUBBORN) process.exit(0);
});
input.on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method === undefined) return questions.get(message.id)?.(message.result ?? message.error);
  if (process.env.DEAF || message.id === undefined) return undefined;
  return answer(message).then(
    (result) => send({ jsonrpc: '2.0', id: message.id, result }),
    (error) => send({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: error.message } }),
  );
});
