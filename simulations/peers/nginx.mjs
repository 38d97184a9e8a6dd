// nginx before the instances of a fleet, without stickiness: with the configuration that users are given
// (config/examples/fleet), but for the addresses.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { scratch } from './gate.mjs';
import { Child } from './process.mjs';
import { freePort } from './redis.mjs';
import { until } from './waiting.mjs';

const example = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../config/examples/fleet/nginx.conf');

/** Every line of `text` that matches is one for each of `values`; that there is one is part of the example. */
function each(text, pattern, values, line) {
  const found = text.split('\n').filter((one) => pattern.test(one));
  if (!found.length) throw new Error(`the example has no line ${pattern}`);
  const [first, ...more] = found;
  return text.split('\n').filter((one) => !more.includes(one)).map((one) => (one === first ? values.map(line).join('\n') : one)).join('\n');
}

export class Nginx extends Child {
  /** `behind`: anything with a `port`. */
  static async start(behind) {
    const folder = scratch();
    const port = await freePort();
    mkdirSync(path.join(folder, 'temp'));
    let text = readFileSync(example, 'utf8');
    text = each(text, /^ +server 127/, behind, (one) => `    server 127.0.0.1:${one.port} max_fails=1 fail_timeout=1s;`);
    text = each(text, /^ +listen /, [port], (one) => `    listen 127.0.0.1:${one};`);
    writeFileSync(path.join(folder, 'nginx.conf'), text);
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
    const args = ['-p', `${folder}/`, '-c', 'nginx.conf', '-e', 'stderr', '-g', 'daemon off;'];
    const nginx = Object.assign(new this('nginx', args, { name: 'nginx', env }), { port, url: `http://127.0.0.1:${port}/mcp` });
    const up = () => fetch(`http://127.0.0.1:${port}/health`).then(({ ok }) => ok, () => false);
    await until(async () => nginx.ended || (await up()), 'nginx to answer');
    if (nginx.ended) throw new Error(`nginx ended: ${nginx.ended.error ?? nginx.log()}`);
    return nginx;
  }
}
