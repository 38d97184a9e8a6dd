// scripts/containers: the Dockerfile and compose.yaml as Docker's own libraries read them (tests/images/judge), against each other and
// against the images of `make image`; and what compose.yaml starts, started here: both stdio servers by their own command lines, the
// gateway with its own document. Arguments: the folder of the programs, the judge, the folder of the images.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { Gate, scratch } from '../../simulations/peers/gate.mjs';
import { Session } from '../../simulations/peers/mcp.mjs';
import { Child } from '../../simulations/peers/process.mjs';
import { suite } from '../end_to_end/support/suite.mjs';

const [, , bin, judge, images] = process.argv;
if (!images) {
  console.error(`usage: node ${process.argv[1]} <folder of programs> <judge> <folder of images>`);
  process.exit(2);
}
const NAMES = ['gate', 'gate-discovery', 'gate-hooks'];
const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const here = path.join(root, 'scripts/containers');
const text = (name) => readFileSync(path.join(here, name), 'utf8');
const TOKENS = { STDIO_TOKEN: 'a-token-of-stdio-servers', HOOKS_TOKEN: 'a-token-of-hooks', GRAFANA_PASSWORD: 'a-password' };
const told = (what, file, env = {}) => JSON.parse(execFileSync(judge, [what, path.join(here, file)], { encoding: 'utf8', env: { ...process.env, ...env } }));

const dockerfile = told('dockerfile', 'Dockerfile');
const { services, volumes } = told('compose', 'compose.yaml', TOKENS);
const document = JSON.parse(text('gate.json'));

/** The settings of an image, from the archive that `make image` made. */
function configOf(name) {
  const read = (file) => JSON.parse(execFileSync('tar', ['-xOf', path.join(images, `${name}.tar`), file], { encoding: 'utf8' }));
  return read(read('manifest.json')[0].Config).config;
}
const layerOf = (name) => JSON.parse(execFileSync('tar', ['-xOf', path.join(images, `${name}.tar`), 'manifest.json'], { encoding: 'utf8' }))[0].Layers[0];

/** Those of a stage of the Dockerfile, as an image would have them. */
function settingsOf(name) {
  const { Commands: commands } = dockerfile.Stages.find((stage) => stage.Name === name);
  const of = (word) => commands.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  return { user: of('USER')[0], env: (of('ENV')[0] ?? '').split(' '), ports: of('EXPOSE'), entrypoint: JSON.parse(of('ENTRYPOINT')[0]), cmd: of('CMD').map((one) => JSON.parse(one))[0],
    healthcheck: of('HEALTHCHECK')[0], workdir: of('WORKDIR')[0], volume: of('VOLUME')[0] };
}
const seconds = (nanoseconds) => `${nanoseconds / 1e9}s`;

await suite('containers', async ({ step, defer }) => {
  await step('the Dockerfile is one that its linter has nothing to say about', () => {
    assert.deepEqual(dockerfile.Warnings, []);
    assert.deepEqual(dockerfile.Stages.map(({ Name }) => Name), ['build', ...NAMES, 'stdio']);
    const { status } = spawnSync(judge, ['dockerfile', path.join(here, 'gate.json')]);
    assert.notEqual(status, 0, 'what is none is noticed');
  });

  for (const name of NAMES)
    await step(`${name}: the Dockerfile's image is set up as that of make image`, () => {
      const config = configOf(name);
      const settings = settingsOf(name);
      assert.equal(settings.user, config.User);
      assert.deepEqual(settings.env.sort(), config.Env.sort());
      assert.deepEqual(settings.ports.map((port) => `${port}/tcp`), Object.keys(config.ExposedPorts ?? {}));
      assert.deepEqual([settings.entrypoint, settings.cmd], [config.Entrypoint, config.Cmd ?? undefined]);
      assert.deepEqual([settings.workdir ?? '', settings.volume], [config.WorkingDir, Object.keys(config.Volumes ?? {})[0]]);
      const { Test: test, Interval, Timeout, StartPeriod, Retries } = config.Healthcheck ?? {};
      assert.equal(settings.healthcheck, test && `--interval=${seconds(Interval)} --timeout=${seconds(Timeout)} --start-period=${seconds(StartPeriod)} --retries=${Retries} CMD ${
        JSON.stringify(test.slice(1)).replaceAll('","', '", "')}`);
    });

  for (const name of NAMES)
    await step(`${name}: built by the Dockerfile of what its first stage makes, it has the same files`, () => {
      const folder = scratch();
      const buildah = (...args) => execFileSync('buildah', ['--root', path.join(folder, 'storage'), '--runroot', path.join(folder, 'run'), '--storage-driver', 'vfs', ...args],
        { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
      // In the place of the stage that compiles: what it would leave, from the image of the same.
      const made = path.join(folder, 'build/images', name);
      mkdirSync(made, { recursive: true, mode: 0o755 });
      const layer = execFileSync('tar', ['-xOf', path.join(images, `${name}.tar`), layerOf(name)], { maxBuffer: 1 << 28 });
      execFileSync('tar', ['-C', made, '--same-owner', '-xpf', '-'], { input: layer });
      buildah('bud', '--isolation', 'chroot', '--format', 'docker', '--build-context', `build=${path.join(folder, 'build')}`, '--target', name,
        '-f', path.join(here, 'Dockerfile'), '-t', name, root);
      const container = buildah('from', name);
      const built = buildah('mount', container);
      const files = (place) => execFileSync('find', ['.', '-mindepth', '1', '-printf', '%M %U %G %y%s %l %p\n'], { cwd: place, encoding: 'utf8' })
        .replaceAll(/ d\d+ /g, ' d ').trim().split('\n').sort();
      assert.deepEqual(files(built), files(made));
      buildah('umount', container);
    });

  await step('the stages copy from folders that the first one makes', () => {
    const [build, ...others] = dockerfile.Stages;
    const made = build.Commands.join('\n');
    for (const { Commands: commands } of others)
      for (const line of commands.filter((one) => one.startsWith('COPY --from=build'))) {
        const [, from] = line.match(/ (\/\S+) \S+$/);
        const [, folder] = from.match(/^(\/images\/(?:gate-discovery|gate-hooks|gate)(?=\/)|\/src\/build\/packages)/);
        assert.ok(made.includes(` ${folder}`) || (folder === '/src/build/packages' && made.includes('make package')), line);
      }
    assert.ok(existsSync(path.join(here, 'root')) && /^package:/m.test(readFileSync(path.join(root, 'Makefile'), 'utf8')));
  });

  await step('the file of tokens that compose.yaml has made is in no commit and in no image', () => {
    assert.match(text('compose.yaml'), />\.env$/m);
    const lines = (file) => readFileSync(file, 'utf8').split('\n');
    assert.ok(lines(path.join(root, '.gitignore')).includes('.env'));
    assert.ok(lines(path.join(here, 'Dockerfile.dockerignore')).includes('**/.env'));
  });

  await step('without its tokens nothing starts', () => {
    const { status, stderr } = spawnSync(judge, ['compose', path.join(here, 'compose.yaml')], { encoding: 'utf8', env: { PATH: process.env.PATH } });
    assert.equal(status, 1);
    for (const name of Object.keys(TOKENS)) assert.match(stderr, new RegExp(`required variable ${name} is missing`));
  });

  await step('what is mounted is there, what is built is a stage, what is kept is a volume, what is published is this machine\'s', () => {
    for (const [name, { build, volumes: mounts = [], ports = [] }] of Object.entries(services)) {
      if (build) {
        assert.ok(dockerfile.Stages.some(({ Name }) => Name === build.target), name);
        assert.equal(path.join(build.context, build.dockerfile), path.join(here, 'Dockerfile'));
      }
      for (const { type, source, read_only: fixed } of mounts) {
        if (type !== 'bind') assert.ok(source in volumes, `${name}: ${source}`);
        else assert.ok(existsSync(source) && fixed, `${name}: ${source}`);
      }
      for (const port of ports) assert.equal(port.host_ip, '127.0.0.1', name);
    }
    for (const name of ['gate', 'everything', 'memory', 'hooks']) {
      const service = services[name];
      assert.deepEqual([service.read_only, service.cap_drop, service.security_opt], [true, ['ALL'], ['no-new-privileges:true']], name);
    }
  });

  await step('the document is valid, and names services at their ports, with secrets that the gateway has', () => {
    const { status, stderr } = spawnSync(path.join(bin, 'gate'), ['--validate', '--config', path.join(here, 'gate.json')], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    for (const { url, auth } of document.upstreams) {
      const { hostname, port, pathname } = new URL(url);
      assert.deepEqual([services[hostname].build.target, port, pathname], ['stdio', settingsOf('stdio').ports[0], '/mcp']);
      assert.ok(services.gate.environment[auth.secretRef]);
      assert.equal(services.gate.environment[auth.secretRef], services[hostname].environment.STDIO_TOKEN);
    }
    const collector = new URL(document.tracing.otlpEndpoint);
    const { receivers, service, exporters, processors } = parse(text('collector.yml'));
    assert.equal(receivers.otlp.protocols.http.endpoint, `0.0.0.0:${collector.port}`);
    assert.ok(services[collector.hostname]);
    assert.deepEqual(service.pipelines.traces, { receivers: ['otlp'], processors: Object.keys(processors), exporters: Object.keys(exporters) });
    assert.equal(new URL(services.gate.environment.REDIS_URL).hostname, 'redis');
  });

  await step('Prometheus scrapes services at their ports, and gate by a name that it allows; Grafana asks Prometheus', () => {
    const { scrape_configs: jobs } = parse(readFileSync(path.join(root, 'scripts/monitoring/prometheus.yml'), 'utf8'));
    const targets = { gate: 'gate', 'gate-stdio': 'stdio', 'gate-hooks': 'gate-hooks' };
    for (const { job_name: job, static_configs: configs } of jobs)
      for (const target of configs.flatMap((one) => one.targets)) {
        const [host, port] = target.split(':');
        assert.equal(services[host].build.target, targets[job], target);
        assert.deepEqual([port], settingsOf(targets[job]).ports, target);
        if (job === 'gate') assert.ok(document.server.allowedHosts.includes(host), host);
      }
    const { datasources: [source] } = parse(text('grafana/datasources.yml'));
    assert.equal(new URL(source.url).hostname, 'prometheus');
    const { providers: [provider] } = parse(text('grafana/dashboards.yml'));
    assert.ok(services.grafana.volumes.some(({ target, source: from }) => path.dirname(target) === provider.options.path && from.endsWith('scripts/monitoring/dashboard.json')));
  });

  await step('its stdio servers, by their own command lines, behind the gateway with its own document', async () => {
    const programs = path.join(root, 'tests/end_to_end/node_modules/.bin');
    const servers = {};
    for (const { id } of document.upstreams) {
      const { entrypoint, command, environment } = services[id];
      const [program, ...options] = entrypoint ?? settingsOf('stdio').entrypoint;
      assert.equal(program, 'gate-stdio');
      const files = scratch();
      const own = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value.replace('/tmp', files)]));
      servers[id] = new Child(path.join(bin, program), ['--port', '0', ...options, ...command], { name: id, env: { PATH: `${programs}:${process.env.PATH}`, ...own } });
      defer(() => servers[id].stop());
      servers[id].port = (await servers[id].says(/listening on http:\/\/[^:]*:(\d+)/))[1];
    }
    const config = structuredClone(document);
    for (const upstream of config.upstreams) upstream.url = `http://127.0.0.1:${servers[upstream.id].port}/mcp`;
    const gate = await Gate.start(path.join(bin, 'gate'), config, { env: { STDIO_TOKEN: TOKENS.STDIO_TOKEN } });
    defer(() => gate.stop());
    const session = await Session.open(gate);
    const { result } = await session.call('everything__echo', { message: 'hello' });
    assert.match(result.content[0].text, /hello/);
    const { result: kept, error } = await session.call('memory__create_entities', { entities: [{ name: 'gate', entityType: 'program', observations: ['keeps'] }] });
    assert.ok(kept && !kept.isError, JSON.stringify(kept ?? error));
    const { result: found } = await session.call('memory__read_graph', {});
    assert.match(found.content[0].text, /keeps/);
    // The image's health check of such a server.
    const check = settingsOf('stdio').healthcheck.match(/CMD (.*)$/)[1];
    const [node, ...args] = JSON.parse(check);
    const asked = (port) => spawnSync(node, args.map((one) => one.replace('8091', port)), { encoding: 'utf8' }).status;
    assert.deepEqual([asked(servers.memory.port), asked('1')], [0, 1]);
  });
});
