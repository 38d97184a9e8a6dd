// What `make image` makes, judged by what is in the archives: the list of parts against the CycloneDX schema and against the files;
// the programs as a container runs them, from the image's own settings: its user, a root that nothing can be written to, and
// nothing else of this machine but the network. Needs to be root. Arguments: the folder of the images, and one of the same made once
// more.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { Validation, Spec } from '@cyclonedx/cyclonedx-library';
import { scratch } from '../../simulations/peers/gate.mjs';
import { Cluster } from '../../simulations/peers/cluster.mjs';
import { once } from '../../simulations/peers/http.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { Child } from '../../simulations/peers/process.mjs';
import { authority } from '../../simulations/peers/redis.mjs';
import { Upstream } from '../../simulations/peers/upstream.mjs';
import { until } from '../../simulations/peers/waiting.mjs';
import { suite } from '../end_to_end/support/suite.mjs';

const [, , folder, again] = process.argv;
if (!again) {
  console.error(`usage: node ${process.argv[1]} <folder of images> <folder of the same, made again>`);
  process.exit(2);
}
const digest = (bytes) => createHash('sha256').update(bytes).digest('hex');
const tar = (...args) => execFileSync('tar', args, { encoding: 'utf8', maxBuffer: 1 << 28 });

/** An image as its archive has it: `config`, and its files in `root`, as their owners have them. */
function unpacked(name) {
  const archive = path.join(folder, `${name}.tar`);
  const to = scratch();
  tar('-C', to, '-xf', archive);
  const [manifest] = JSON.parse(readFileSync(path.join(to, 'manifest.json'), 'utf8'));
  const text = readFileSync(path.join(to, manifest.Config));
  const { config, rootfs } = JSON.parse(text);
  const layer = path.join(to, manifest.Layers[0]);
  const root = path.join(to, 'root');
  mkdirSync(root, { mode: 0o755 });
  tar('-C', root, '--same-owner', '--numeric-owner', '-xpf', layer);
  return { name, archive, manifest, id: digest(text), config, rootfs, layer, root };
}

/** What stands for the engine: the image's root, read-only, with /proc, as the image's user; `files` are put over some of its own. */
function running(image, args, { env = {}, files = {}, writable = [] } = {}) {
  const [entry] = image.config.Entrypoint;
  for (const inside of Object.keys(files)) {
    mkdirSync(path.join(image.root, path.dirname(inside)), { recursive: true });
    writeFileSync(path.join(image.root, inside), '', { flag: 'a' });
  }
  const mounts = [
    'mount --bind "$ROOT" "$ROOT"', 'mount -t proc proc "$ROOT/proc"',
    ...Object.entries(files).map(([inside, outside]) => `mount --bind "${outside}" "$ROOT${inside}"`),
    ...writable.map((place) => `mount -t tmpfs -o mode=700,uid=65532,gid=65532 tmpfs "$ROOT${place}"`),
    'mount -o remount,ro,bind "$ROOT"',
  ];
  const own = Object.fromEntries(image.config.Env.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]));
  const words = Object.entries({ ...own, ...env }).map(([key, value]) => `${key}=${value}`);
  // `env` of this machine is not within: the environment is made before.
  const script = `set -e; mkdir -p "$ROOT/proc"; ${mounts.join('; ')}; cd "$ROOT"; root=$ROOT; exec env -i "\${@:2:$1}" ${
    '/usr/sbin/chroot'} --userspec=${image.config.User} --groups= "$root" "${entry}" "\${@:$(($1 + 2))}"`;
  return new Child('unshare', ['--mount', 'bash', '-c', script, 'bash', String(words.length), ...words, ...args], {
    name: image.name, env: { ...process.env, ROOT: image.root },
  });
}

async function ended(child) {
  const { code } = await child.exit;
  return { code, said: [...child.out, ...child.err].join('\n') };
}

/** Files of an image, with their modes: `{ mode, owner, size, name }`. */
const listed = (image) => tar('--numeric-owner', '-tvf', image.layer).trim().split('\n').map((line) => {
  const [, mode, owner, size, name] = line.match(/^(\S+)\s+(\S+)\s+(\d+) \S+ \S+ (.*)$/);
  return { mode, owner, size: Number(size), name };
});

async function everyImage(step, image, bom) {
  const { name, config } = image;

  await step(`${name}: made again, it is the same, byte by byte`, () => {
    for (const file of [`${name}.tar`, `${name}.cdx.json`])
      assert.equal(digest(readFileSync(path.join(folder, file))), digest(readFileSync(path.join(again, file))), file);
  });

  await step(`${name}: the archive is one image, whose digests are those of its parts`, () => {
    assert.equal(image.manifest.Config, `${image.id}.json`);
    assert.deepEqual(image.rootfs.diff_ids, [`sha256:${digest(readFileSync(image.layer))}`]);
    assert.deepEqual(image.manifest.RepoTags, [`${name}:${config.Labels['org.opencontainers.image.version']}`, `${name}:latest`]);
  });

  await step(`${name}: it runs as nobody in particular, and says nothing of the machine that made it`, () => {
    assert.equal(config.User, '65532:65532');
    assert.deepEqual(config.Entrypoint, [`/usr/bin/${name}`]);
    assert.equal(config.Hostname, undefined);
    const all = listed(image);
    assert.deepEqual(all.filter(({ mode }) => /s|t/.test(mode.slice(1))), [], 'no file is set-user-id');
    assert.deepEqual(all.filter(({ mode }) => mode[0] !== 'l' && mode[8] === 'w'), [], 'nobody else may write');
    assert.deepEqual(all.filter(({ name: file, owner }) => owner !== '0/0' && !file.startsWith('var/lib/gate-hooks')), []);
    assert.deepEqual(all.filter(({ name: file }) => /(^|\/)(sh|bash|dash|busybox|apt|dpkg)$/.test(file)), [], 'no shell');
  });

  await step(`${name}: all libraries that it asks for are within`, () => {
    const { status, stdout } = spawnSync('chroot', [image.root, '/usr/lib64/ld-linux-x86-64.so.2', '--list', `/usr/bin/${name}`], { encoding: 'utf8' });
    assert.equal(status, 0);
    assert.doesNotMatch(stdout, /not found/);
  });

  await step(`${name}: its list of parts is CycloneDX 1.5`, async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot5);
    const text = readFileSync(path.join(folder, `${name}.cdx.json`), 'utf8');
    assert.equal(await validator.validate(text), null);
    assert.notEqual(await validator.validate(text.replace('"bomFormat": "CycloneDX"', '"bomFormat": "other"')), null, 'a wrong one is noticed');
    assert.equal(readFileSync(path.join(image.root, 'usr/share/doc/gate/sbom.cdx.json'), 'utf8'), text, 'the same is in the image');
  });

  await step(`${name}: every file of others is in that list, once, with version, licence and where it comes from`, () => {
    const told = bom.components.flatMap(({ properties }) => properties.filter(({ name: one }) => one === 'gate:file').map(({ value }) => value)).sort();
    const ours = new RegExp(`^/(usr/bin/${name}|etc/passwd|etc/group|etc/nsswitch.conf|usr/share/doc/gate/.*)$`);
    const there = listed(image).filter(({ mode }) => mode[0] === '-').map(({ name: file }) => `/${file.replace(/^\.?\//, '')}`).filter((file) => !ours.test(file)).sort();
    assert.deepEqual(told, there);
    for (const { name: part, version, licenses, purl } of bom.components) {
      assert.ok(version && licenses.length > 0, part);
      assert.match(purl, /^pkg:(deb\/debian|npm)\/[a-z0-9.%+-]+@[^?]+/i, part);
    }
    for (const part of ['libc6', 'libssl3', 'ca-certificates', 'libcaf-dev', ...(name === 'gate-discovery' ? [] : ['lit-html'])]) assert.ok(bom.components.some(({ name: one }) => one === part), part);
    assert.equal(bom.metadata.component.hashes[0].content, digest(readFileSync(path.join(image.root, 'usr/bin', name))));
  });

  await step(`${name}: --version and --help`, async () => {
    const version = await ended(running(image, ['--version']));
    assert.deepEqual([version.code, version.said], [0, `${name} ${config.Labels['org.opencontainers.image.version']}`]);
    const help = await ended(running(image, ['--help']));
    assert.equal(help.code, 0);
    // What the image gives it to start with are options that it has.
    for (const option of (config.Cmd ?? []).filter((word) => word.startsWith('--'))) assert.ok(help.said.includes(option), option);
  });
}

/** An https server in front of an upstream, with a certificate that only `ca` answers for. */
async function secured(upstream, { cert, key }) {
  const server = https.createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (request, response) => upstream.server.emit('request', request, response));
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
}

await suite('images', async ({ step, defer }) => {
  const all = ['gate', 'gate-discovery', 'gate-hooks'].map(unpacked);
  const [gate, discovery, hooks] = all;
  for (const image of all) await everyImage(step, image, JSON.parse(readFileSync(path.join(folder, `${image.name}.cdx.json`), 'utf8')));

  const upstream = await Upstream.start();
  defer(() => upstream.stop());
  const { ca, signed: [certificate] } = authority(['DNS:localhost,IP:127.0.0.1']);
  const tls = await secured(upstream, certificate);
  defer(() => tls.close());
  const config = JSON.stringify({
    upstreams: [
      { id: 'plain', namespace: 'plain', url: upstream.url },
      { id: 'named', namespace: 'named', url: `http://a-service:${upstream.port}/mcp` },
      { id: 'tls', namespace: 'tls', url: `https://127.0.0.1:${tls.address().port}/mcp` },
    ],
  });
  const [, listensTo] = gate.config.Cmd;

  await step('gate: what its document is missing is said', async () => {
    const { code, said } = await ended(running(gate, gate.config.Cmd));
    assert.equal(code, 1);
    assert.match(said, /\/etc\/gate\/gate\.json/);
  });

  await step('gate: as its user, on a root that is read-only, it answers calls, also of an upstream with TLS, and one by name', async () => {
    const hosts = path.join(scratch(), 'hosts');
    writeFileSync(hosts, '127.0.0.1 a-service\n');
    const files = { '/etc/ssl/certs/ca-certificates.crt': ca, '/etc/hosts': hosts };
    const child = running(gate, ['--host', listensTo, '--port', '0'], { env: { GATE_CONFIG: config }, files });
    defer(() => child.stop());
    const [, port] = await child.says(/listening on http:\/\/[^:]*:(\d+)/);
    const status = readFileSync(`/proc/${child.process.pid}/status`, 'utf8');
    assert.match(status, /^Uid:\t65532\t65532\t65532\t65532$/m);
    assert.match(status, /^Groups:\t *$/m);
    assert.match(status, /^CapEff:\t0+$/m);
    const session = await Session.open({ port: Number(port) });
    for (const name of ['plain__echo', 'tls__echo', 'named__echo']) {
      const { result, error } = await session.call(name, { text: 'from within' });
      assert.ok(result, JSON.stringify(error));
    }
    const metrics = await once(Number(port), { method: 'GET', path: '/metrics' });
    assert.match(metrics.body, /^process_open_fds \d+$/m);

    // The health check of the image, by its own words, but for the port.
    const [kind, ...check] = gate.config.Healthcheck.Test;
    assert.deepEqual([kind, check], ['CMD', ['/usr/bin/gate', '--healthcheck']]);
    assert.equal((await ended(running(gate, [...check.slice(1), '--port', port]))).code, 0);
    const { code, signal } = await child.stop(gate.config.StopSignal);
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, child.log());
    assert.equal((await ended(running(gate, [...check.slice(1), '--port', port]))).code, 1);
  });

  await step('gate: the document as a file that is mounted where the image says', async () => {
    const file = path.join(scratch(), 'gate.json');
    writeFileSync(file, config, { mode: 0o644 });
    const child = running(gate, ['--host', listensTo, '--port', '0'], { files: { '/etc/gate/gate.json': file } });
    await child.says(/listening on/);
    assert.equal((await child.stop()).code, 0);
  });

  await step('gate-discovery: as its user, beside the gateway that asks it, with a token and an API server', async () => {
    const cluster = await Cluster.start();
    defer(() => cluster.stop());
    cluster.apply('notes', { enabled: 'true' });
    const token = path.join(scratch(), 'token');
    writeFileSync(token, cluster.token, { mode: 0o644 });
    const place = '/var/run/secrets/kubernetes.io/serviceaccount/token';
    const child = running(discovery, ['--api-server', cluster.url, '--token-file', place, '--port', '0'], { files: { [place]: token } });
    defer(() => child.stop());
    const [, port] = await child.says(/listening on http:\/\/127\.0\.0\.1:(\d+)/);
    const status = readFileSync(`/proc/${child.process.pid}/status`, 'utf8');
    assert.match(status, /^Uid:\t65532\t65532\t65532\t65532$/m);
    assert.match(status, /^CapEff:\t0+$/m);
    const told = await until(async () => {
      const { status: code, body } = await once(Number(port), { method: 'GET', path: '/' });
      return code === 200 && JSON.parse(body);
    }, 'the document');
    assert.deepEqual(told.upstreams.map(({ id }) => id), ['tools--notes']);
    const [kind, ...check] = discovery.config.Healthcheck.Test;
    assert.deepEqual([kind, check], ['CMD', ['/usr/bin/gate-discovery', '--healthcheck']]);
    assert.equal((await ended(running(discovery, [...check.slice(1), '--port', port]))).code, 0);
    assert.deepEqual([discovery.config.Cmd ?? null, discovery.config.ExposedPorts], [null, undefined], 'it is nobody\'s but its pod\'s');
    const { code, signal } = await child.stop(discovery.config.StopSignal);
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, child.log());
    assert.equal((await ended(running(discovery, [...check.slice(1), '--port', port]))).code, 1);
  });

  await step('gate-hooks: as its user, with nothing to write to but its volume', async () => {
    assert.deepEqual(hooks.config.Volumes, { '/var/lib/gate-hooks': {} });
    assert.equal(hooks.config.WorkingDir, '/var/lib/gate-hooks');
    const args = ['--store', 'sqlite:/var/lib/gate-hooks/gate-hooks.db', '--host', '0.0.0.0', '--bearer-env', 'HOOKS_TOKEN', '--port', '0'];
    const child = running(hooks, args, { env: { HOOKS_TOKEN: 'a-token-of-the-tests-1' }, writable: ['/var/lib/gate-hooks'] });
    const [, port] = await child.says(/listening on http:\/\/[^:]*:(\d+)/);
    const answer = await fetch(`http://127.0.0.1:${port}/webhooks`, {
      method: 'POST', headers: { Authorization: 'Bearer a-token-of-the-tests-1', 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: 'https://hooks.example.com/x', event: 'deploy.success' }),
    });
    assert.equal(answer.status, 201);
    assert.equal((await child.stop()).code, 0);
    const refused = await ended(running(hooks, args, { env: { HOOKS_TOKEN: 'x'.repeat(20) } }));
    assert.equal(refused.code, 1, 'without its volume it says so');
  });

  await step('they are small', () => {
    const sizes = Object.fromEntries(all.map((image) => [image.name, listed(image).reduce((sum, { size }) => sum + size, 0)]));
    console.log(`        ${JSON.stringify(sizes)}`);
    assert.ok(sizes.gate < 40 << 20 && sizes['gate-discovery'] < 40 << 20 && sizes['gate-hooks'] < 48 << 20);
    assert.ok(readdirSync(folder).length >= 6);
  });
});
