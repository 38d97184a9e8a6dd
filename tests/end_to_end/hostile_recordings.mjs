// Recordings from anywhere, given to `gate-sim`: cut at every byte, edited, doubled, shuffled, endless, of
// another version, no recordings at all; and files that can not be written. Each is told by its line with exit
// code 2, in little time and memory, and nothing of it reaches the terminal as it is.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Gate, scratch } from '../../simulations/peers/gate.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { Child } from '../../simulations/peers/process.mjs';
import { Upstream } from '../../simulations/peers/upstream.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { suite } from './support/suite.mjs';

const [, , binary, sim] = process.argv;
/** With a sanitizer it takes addresses without end, keeps what was freed for a while, and is slower. */
const sanitized = readFileSync(sim).includes('__asan_init');
/** Of what is no recording, no more than this is held: a line may have 192 MiB. */
const MOST_KIB = (sanitized ? 4 : 1) * 512 * 1024;
const MOST_MS = (sanitized ? 4 : 1) * 20_000;

/** `{ code, signal, out, err, kib }` of a command; killed when it takes too long. */
function sees(args, { stdout } = {}) {
  return new Promise((done) => {
    const began = performance.now();
    const child = spawn('/bin/sh', ['-c', `${sanitized ? '' : 'ulimit -v 8000000 2>/dev/null; '}exec "$0" "$@"`, sim, ...args], { stdio: ['ignore', stdout ?? 'pipe', 'pipe'] });
    const said = { out: '', err: '', kib: 0 };
    const look = setInterval(() => {
      try {
        const [, kib] = readFileSync(`/proc/${child.pid}/status`, 'utf8').match(/VmHWM:\s+(\d+)/) ?? [];
        said.kib = Math.max(said.kib, Number(kib ?? 0));
      } catch { /* it has ended */ }
    }, 20);
    const late = setTimeout(() => child.kill('SIGKILL'), MOST_MS);
    child.stdout?.on('data', (bytes) => { said.out += bytes; });
    child.stderr.on('data', (bytes) => { said.err += bytes; });
    child.on('close', (code, signal) => {
      clearInterval(look);
      clearTimeout(late);
      done({ code, signal, ms: performance.now() - began, ...said });
    });
  });
}

/** It is refused, as it should be, by every command that reads recordings. */
async function refused(file, pattern, commands = ['show', 'json', 'export', 'replay']) {
  for (const command of commands) {
    const har = path.join(scratch(), 'out.har');
    const args = {
      show: ['show', file], json: ['show', file, '--json'], export: ['export', file, '--har', har], replay: ['replay', file, '--json'],
    }[command];
    const { code, signal, err, kib } = await sees(args);
    assert.deepEqual([code, signal], [2, null], `${command} ${file}: ${err}`);
    assert.match(err, pattern, `${command} ${file}`);
    assert.ok(err.length < 2000, `${command}: ${err.length} bytes of complaint`);
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(err, /[\x00-\x09\x0b-\x1f\x7f\u0080-\u009f\u202e]/, `${command}: not for a terminal`);
    assert.ok(kib < MOST_KIB, `${command}: ${kib} KiB`);
    assert.ok(!existsSync(har), 'what was not written whole is not there');
  }
}

async function recorded() {
  const up = await Upstream.start();
  const file = path.join(scratch(), 'traffic.jsonl');
  const gate = await Gate.start(binary, { upstreams: [{ id: 'a', url: up.url, namespace: 'a' }] }, { args: ['--record', file] });
  const session = await Session.open(gate);
  await session.call('a__echo', { text: 'x' });
  await session.end();
  await gate.end();
  await up.stop();
  return file;
}

await suite('hostile recordings', async ({ step }) => {
  const whole = await recorded();
  const bytes = readFileSync(whole);
  const lines = bytes.toString().trimEnd().split('\n');
  const folder = scratch();
  let number = 0;
  const file = (text) => {
    number += 1;
    const name = path.join(folder, `r${number}.jsonl`);
    writeFileSync(name, Array.isArray(text) ? `${text.join('\n')}\n` : text);
    return name;
  };
  /** With line `at` (from 1) as `change` makes it. */
  const edited = (at, change) => file(lines.map((line, i) => (i + 1 === at ? change(line) : line)));
  const atLine = (n) => new RegExp(`: line ${n}: `);
  const indexOf = (words) => lines.findIndex((line) => line.includes(words)) + 1;

  await step('it is a good one', async () => {
    assert.equal((await sees(['replay', whole])).code, 0);
  });

  await step(`cut off at each of its ${bytes.length} bytes, or nearly: never more than a complaint`, async () => {
    const first = lines[0].length;
    const cuts = Array.from({ length: bytes.length }, (_, i) => i).filter((at) => at < 40 || at % 37 === 0 || Math.abs(at - first) < 4 || bytes.length - at < 20);
    for (const at of cuts) {
      const name = file(bytes.subarray(0, at));
      for (const command of at % 5 ? ['show'] : ['show', 'replay']) {
        const { code, signal, err } = await sees([command, name]);
        const wanted = at < first ? [2] : command === 'show' ? [0] : [0, 1];
        assert.ok(signal === null && wanted.includes(code), `${command}, cut at ${at}: ${code} ${signal} ${err}`);
        if (code !== 2 && at < bytes.length - 1) assert.match(err, /cut off|no last line/, `cut at ${at}`);
      }
    }
  }, 300_000);

  await step('what is none', async () => {
    await refused(file(''), /is empty/);
    await refused(file('\n\n'), atLine(1));
    await refused(file(Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7919) % 256))), atLine(1));
    await refused(file('\u001b[31m\u009b31m\u202e not one\n'), atLine(1));
    await refused(folder, /is a directory/);
    await refused('/nonexistent/one', /can not be opened/);
    await refused('/dev/null', /is empty/);
    if (process.getuid() !== 0) {
      const closed = file(bytes);
      chmodSync(closed, 0);
      await refused(closed, /can not be opened: Permission denied/);
    }
  });

  await step('what does not end: a device, and a first line of 10 GB', async () => {
    await refused('/dev/zero', /line 1: is longer than/);
    const sparse = file('');
    truncateSync(sparse, 10 * 1024 ** 3);
    await refused(sparse, /line 1: is longer than/, ['show', 'replay']);
    const head = file('{"gate_recording":1,"version":"');
    truncateSync(head, 10 * 1024 ** 3);
    await refused(head, /line 1: is longer than/, ['export']);
  }, 120_000);

  await step('a pipe is as good as a file', async () => {
    const fifo = path.join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const reading = sees(['show', fifo]);
    // By a process of its own: to open a pipe waits for who reads it.
    const writing = new Child('/bin/sh', ['-c', 'exec cat "$0" >"$1"', whole, fifo], { name: 'who writes' });
    assert.equal((await reading).code, 0);
    await writing.stop();
  });

  await step('first lines', async () => {
    const first = (change) => edited(1, change);
    const member = (name, value) => (line) => JSON.stringify({ ...JSON.parse(line), [name]: value });
    for (const [change, pattern] of [
      [member('gate_recording', 2), /format 2/], [member('gate_recording', '1'), /format/], [member('started', 'now'), /`started`/],
      [member('units', 0), /`units`/], [member('units', 65), /`units`/], [member('units', 1e9), /`units`/],
      [member('clock', 60_000_000), /`clock`/], [member('config', []), /`config`/], [member('more', 1), /`more`/],
      [(line) => `${line}\n${line}`, /line 2/], [(line) => `\ufeff${line}`, /line 1/], [(line) => line.slice(1), /line 1/],
    ]) await refused(first(change), pattern);
    await refused(first(member('config', { upstreams: 7 })), /\/upstreams/, ['replay']);
  });

  await step('lines that are doubled, missing, behind the end, or in another order', async () => {
    const answer = indexOf('"e":"answer"');
    await refused(edited(answer, (line) => `${line}\n${line}`), atLine(answer + 1));
    await refused(edited(indexOf('"e":"request"'), (line) => `${line}\n${line}`), /began at line/);
    const withoutRequests = lines.filter((line) => !line.includes('"e":"request"'));
    await refused(file(withoutRequests), /no line before it begins/);
    await refused(file([lines[0], ...lines.slice(1).reverse()]), atLine(3));
    await refused(file([...lines, lines[5]]), atLine(lines.length + 1));
    await refused(edited(7, (line) => `\n${line}`), atLine(7));
    await refused(file(lines.slice(1)), atLine(1));
  });

  await step('members that mean nothing', async () => {
    const at = indexOf('"e":"answer"');
    const withMember = (words) => edited(at, (line) => line.slice(0, -1) + words + '}');
    const replaced = (from, to) => edited(at, (line) => line.replace(from, to));
    const bad = [
      withMember(',"zzz":1'), withMember(',"t":1'), withMember(`,"x":${'['.repeat(100_000)}${']'.repeat(100_000)}`), withMember(',"e":"\u202e"'),
      replaced(/"t":\d+/, '"t":-1'), replaced(/"t":\d+/, '"t":1.5'), replaced(/"t":\d+/, '"t":1e3'), replaced(/"t":\d+/, '"t":99999999999999999999'),
      replaced(/"u":\d+/, '"u":1'), replaced(/"n":\d+/, '"n":18446744073709551615'), replaced('"answer"', '"riddle"'),
      replaced(/"status":\d+/, '"status":99999'), replaced(/"body":"(?:\\.|[^"\\])*"/, '"body64":"!!"'), replaced(/"body":"/, '"body":"\u0000'),
      edited(at, () => '['.repeat(1_000_000)), edited(at, () => '"e"'), edited(at, (line) => `${line}\0`),
    ];
    for (const one of bad) await refused(one, atLine(at));
    const raw = Buffer.from(`${lines.join('\n')}\n`);
    const spoilt = Buffer.from(raw);
    spoilt[raw.indexOf('"e":"answer"') + 6] = 0xff;
    await refused(file(spoilt), atLine(at));
  });

  await step('a time that goes back', async () => {
    const at = indexOf('"e":"answer"');
    await refused(edited(at, (line) => line.replace(/"t":\d+/, '"t":0')), atLine(at));
    const audit = indexOf('"e":"audit"');
    await refused(edited(audit, (line) => line.replace(/"t":\d+/, '"t":0')), atLine(audit));
  });

  await step('what is for a request that there was not', async () => {
    for (const words of ['"e":"audit"', '"e":"fetch"']) {
      const at = lines.findIndex((line) => line.includes(words) && line.includes('"request":')) + 1;
      assert.ok(at > 0, words);
      await refused(edited(at, (line) => line.replace(/"request":\d+/, '"request":4711')), atLine(at));
    }
  });

  await step('files that can not be written', async () => {
    const har = (to) => sees(['export', whole, '--har', to]);
    for (const to of [folder, '/nonexistent/x.har', '/proc/x.har', file('there')]) {
      const { code, err } = await har(to);
      assert.equal(code, 2, err);
      assert.match(err, /can not be made/);
    }
    assert.equal(readFileSync(path.join(folder, `r${number}.jsonl`), 'utf8'), 'there');
    const full = openSync('/dev/full', 'w');
    for (const args of [['show', whole], ['show', whole, '--json'], ['show', '--schema'], ['replay', whole], ['replay', whole, '--json'], ['scenarios'], ['plants'], ['--help'], ['export', whole, '--har', path.join(folder, 'good.har')]]) {
      const { code, err } = await sees(args, { stdout: full });
      assert.deepEqual([args, code], [args, 2], err);
      assert.equal(err.match(/standard output can not be written/g)?.length, 1, err);
    }
    closeSync(full);
  });

  await step('a file that is followed becomes shorter, or is gone', async () => {
    const growing = file(lines.slice(0, 12));
    const follower = new Child(sim, ['show', growing, '--follow'], { name: 'follower' });
    await until(() => follower.out.length > 1, 'something to be shown');
    truncateSync(growing, 100);
    const { code } = await follower.exit;
    assert.equal(code, 2);
    assert.match(follower.err.join('\n'), /has become shorter/);
    const other = file(lines.slice(0, 12));
    const more = new Child(sim, ['show', other, '--follow'], { name: 'follower' });
    await until(() => more.out.length > 1, 'something to be shown');
    appendFileSync(other, `${lines.slice(12).join('\n')}\n`);
    assert.equal((await more.exit).code, 0, 'the recording ends');
  });

  await step('options', async () => {
    mkdirSync(path.join(folder, 'empty'));
    for (const args of [
      [], ['sho'], ['show'], ['show', whole, whole], ['show', whole, '--jsn'], ['export', whole], ['export'], ['export', whole, '--har'],
      ['replay'], ['replay', whole, '--config'], ['replay', whole, '--config', '/nonexistent'], ['replay', whole, '--config', folder],
      ['replay', whole, '--config', whole], ['replay', whole, '--against', 'ftp://x'], ['replay', whole, '--against', 'http://127.0.0.1:1/path'],
      ['replay', whole, '--against', 'http://127.0.0.1:1'], ['replay', whole, '--speed', '0'], ['replay', whole, '--speed', '2'],
      ['replay', whole, '--most', '-1'], ['replay', whole, '--most', 'x'], ['replay', whole, '--bearer-env', 'X'],
      ['replay', whole, '--against', 'http://127.0.0.1:1', '--bearer-env', 'a secret'], ['replay', whole, '--against', 'http://127.0.0.1:1', '--config', 'x'],
      ['run', 'no-such-scenario'], ['run', '--seeds', '0'], ['run', '--seeds', '1e9'], ['run', '--plant', 'none'], ['scenarios', 'x', 'y', 'z'],
    ]) {
      const { code, signal, err } = await sees(args);
      assert.deepEqual([args, code, signal], [args, 2, null], err);
      assert.match(err, /^(gate-sim: |[^ ]*: \/|[^ ]*: line )/, args.join(' '));
      assert.ok(!err.includes('a secret'), 'what may be a token is not repeated');
    }
  });
});
