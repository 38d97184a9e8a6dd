// `make call-path`: which functions of gate a call runs through, by callgrind, written as the script by which the
// linker lays them beside one another (scripts/cmake/call_path.ld). For release builds of GNU ld; a name that is gone is no
// error, a function that is new lies elsewhere until this has run again.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { scratch } from '../peers/gate.mjs';
import { Connection } from '../peers/http.mjs';
import { Session } from '../peers/mcp.mjs';
import { runToEnd } from '../peers/process.mjs';
import { StatelessClient } from '../peers/stateless_client.mjs';
import { Contestants } from './contestants.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const TIMES = 320;
/** Longer names are cut: what begins alike is of the same template, and as welcome. */
const NAME = 160;

/** Instructions of each function of the program itself, by its linker's name. */
export function ownFunctions(dump, program) {
  const names = new Map(), objects = new Map(), own = new Map();
  let name, object, ofCallee = false;
  for (const line of dump.split('\n')) {
    const known = line.match(/^(c?ob|c?fn)=\((\d+)\)(?: (.*))?$/);
    if (known) {
      const [, what, number, text] = known;
      const table = what.endsWith('ob') ? objects : names;
      if (text) table.set(number, text);
      if (what === 'ob') object = objects.get(number);
      if (what === 'fn') name = names.get(number).replace(/'\d+$/, '');
      continue;
    }
    if (line.startsWith('calls=')) ofCallee = true;
    const cost = line.match(/^[+\-*\d]+ (\d+)$/);
    if (!cost) continue;
    if (!ofCallee && object?.endsWith(program) && name?.startsWith('_Z'))
      own.set(name, (own.get(name) ?? 0) + Number(cost[1]));
    ofCallee = false;
  }
  return own;
}

/** Of a gateway under callgrind: what it runs through in `TIMES` calls of one kind, once it knows them. */
class Watched {
  #gates = [];

  constructor(contestants) {
    this.contestants = contestants;
  }

  async startGate(start, upstreams, config, more) {
    const out = path.join(scratch(), 'callgrind.out');
    const within = ['valgrind', '--tool=callgrind', '--demangle=no', `--callgrind-out-file=${out}`];
    const gate = await start(upstreams, config, within, more);
    this.#gates.push({ gate, out, dumps: 0 });
    return gate;
  }

  async functions(gate, call) {
    const watched = this.#gates.find((w) => w.gate === gate);
    const dump = async () => {
      const { code, err } = await runToEnd('callgrind_control', ['--dump', String(gate.process.pid)]);
      if (code !== 0) throw new Error(`callgrind_control failed: ${err}`);
      watched.dumps += 1;
    };
    const calls = async () => {
      for (let i = 0; i < TIMES; i += 1) {
        const { result } = await call(i);
        if (!result) throw new Error('a watched call has failed');
      }
    };
    await calls();
    await dump();
    await calls();
    await dump();
    const own = ownFunctions(readFileSync(`${watched.out}.${watched.dumps}`, 'utf8'), path.basename(this.contestants.gate));
    return [...own].filter(([, cost]) => cost >= TIMES / 2).sort(([, a], [, b]) => b - a).map(([name]) => name);
  }
}

const all = new Contestants({ root, folder: scratch(), gate: path.resolve(process.env.BENCH_GATE ?? path.join(root, 'build/release/bin/bench_gate_unsorted')) });
const watched = new Watched(all);
const start = all.startGate.bind(all);
all.startGate = (upstreams, config, _, more) => watched.startGate(start, upstreams, config, more);
try {
  // In this order they lie: what every call runs through first.
  const found = new Set();
  const note = (names) => names.forEach((name) => found.add(name));
  const { gates, tokens } = await all.forCallers(8);
  for (const gate of [gates.open, gates.ruled]) {
    const connection = await Connection.open(gate.port);
    const sessions = [];
    for (const token of tokens) sessions.push(await Session.open(gate, { connection, token: gate === gates.open ? undefined : token }));
    note(await watched.functions(gate, (i) => sessions[i % sessions.length].call('up__tool_1', { text: 'hello' })));
    connection.close();
  }
  const generations = await all.forGenerations();
  const client = new StatelessClient(generations.gate);
  note(await watched.functions(generations.gate, () => client.call('new__tool_1', { text: 'hello' })));
  const [port] = await all.startUpstreams(1, 20);
  const upstream = { id: 'up', url: `http://127.0.0.1:${port}/mcp`, namespace: 'up' };
  const recorded = await all.startGate([upstream], {}, [], ['--record', path.join(scratch(), 'traffic.jsonl')]);
  const session = await Session.open(recorded);
  note(await watched.functions(recorded, () => session.call('up__tool_1', { text: 'hello' })));
  const lines = [...found].map((name) => `    *(.text.${name.length > NAME ? `${name.slice(0, NAME)}*` : name})`);
  const file = path.join(root, 'scripts/cmake/call_path.ld');
  writeFileSync(file, [
    '/* What a call runs through, side by side: a processor that wakes for one call finds it in a tenth of the pages.',
    '   Written by `make call-path`. */',
    'SECTIONS', '{', '  .text.call_path :', '  {', ...new Set(lines), '  }', '}', 'INSERT BEFORE .text;', '',
  ].join('\n'));
  console.log(`${found.size} functions, in ${path.relative(process.cwd(), file)}`);
} finally {
  await all.end();
}
