#!/usr/bin/env node
// scripts/containers/sbom.mjs ROOT NAME VERSION: prints what is in the file system ROOT of the image NAME as a CycloneDX 1.5
// document: the Debian packages that its files come from, what the program was compiled with and has in it, and of each version,
// licences and where it comes from.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const [, , root, name, version] = process.argv;
const sources = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const run = (command, ...args) => execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Headers that are compiled into the programs: Debian packages that none of their files tells of. */
const COMPILED_IN = ['libboost1.81-dev', 'libcaf-dev'];
/** What pages of the programs are made of: npm packages, whose versions end-to-end tests pin and compare. */
const IN_PAGES = { gate: ['uplot', 'lit-html'], 'gate-discovery': [], 'gate-hooks': ['lit-html'] };
const LICENCE_OF_PAGES = { uplot: 'MIT', 'lit-html': 'BSD-3-Clause' };

/** Debian's short names that SPDX has another one for; of what stands in neither, the name is told as it is. */
const SPDX = {
  'Apache-2.0': 'Apache-2.0', 'BSL-1.0': 'BSL-1.0', BSL: 'BSL-1.0', Expat: 'MIT', MIT: 'MIT', 'BSD-3-clause': 'BSD-3-Clause', 'BSD-3-Clause': 'BSD-3-Clause',
  'BSD-2-clause': 'BSD-2-Clause', ISC: 'ISC', Zlib: 'Zlib', zlib: 'Zlib', 'GPL-1': 'GPL-1.0-only', 'GPL-1+': 'GPL-1.0-or-later', 'GPL-2': 'GPL-2.0-only',
  'GPL-2+': 'GPL-2.0-or-later', 'GPL-2.0+': 'GPL-2.0-or-later', 'GPL-3': 'GPL-3.0-only', 'GPL-3+': 'GPL-3.0-or-later', 'LGPL-2': 'LGPL-2.0-only', 'LGPL-2+': 'LGPL-2.0-or-later',
  'LGPL-2.1': 'LGPL-2.1-only', 'LGPL-2.1+': 'LGPL-2.1-or-later', 'LGPL-3': 'LGPL-3.0-only', 'LGPL-3+': 'LGPL-3.0-or-later', 'MPL-2.0': 'MPL-2.0', PostgreSQL: 'PostgreSQL',
};

function filesOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) return filesOf(place);
    return entry.isFile() ? [place] : [];
  });
}

/** The package that a file of the image comes from; undefined if it is ours. Packages from before /usr was merged say /lib. */
function ownerOf(file) {
  for (const one of [file, file.replace(/^\/usr\/(lib|lib64)\//, '/$1/')]) {
    try {
      return run('dpkg-query', '-S', one).split('\n')[0].split(': ')[0].split(':')[0];
    } catch {
      // no package has it under this name
    }
  }
  return undefined;
}

/** What ca-certificates makes when it is installed belongs to no package's list. */
const MADE_BY = new Map([['/etc/ssl/certs/ca-certificates.crt', 'ca-certificates']]);
/** Written by scripts/image. */
const OURS = [/^\/usr\/bin\/gate/, /^\/etc\/(passwd|group|nsswitch\.conf)$/, /^\/usr\/share\/doc\/gate\//];

function licencesOf(debian) {
  let text;
  try {
    text = readFileSync(`/usr/share/doc/${debian}/copyright`, 'utf8');
  } catch {
    return []; // a machine without documentation
  }
  if (!/^Format:.*copyright-format/m.test(text)) return [{ license: { name: `as in /usr/share/doc/${debian}/copyright` } }];
  const names = new Set([...text.matchAll(/^License: *([^\n]+)$/gm)].flatMap(([, line]) => line.split(/ (?:and|or) |, */)).map((one) => one.trim()).filter(Boolean));
  return [...names].sort().map((one) => ({ license: SPDX[one] ? { id: SPDX[one] } : { name: one } }));
}

function debianComponent(debian, files, how) {
  const format = '${Version}\t${Architecture}\t${source:Package}\t${source:Version}\t${Homepage}\t${Maintainer}\n';
  const [found, architecture, source, sourceVersion, homepage, maintainer] = run('dpkg-query', '-W', '-f', format, debian).split('\n')[0].split('\t');
  const distribution = readFileSync('/etc/os-release', 'utf8').match(/^VERSION_ID="?([^"\n]+)/m)[1];
  const encoded = (text) => encodeURIComponent(text);
  const purl = `pkg:deb/debian/${encoded(debian)}@${encoded(found)}?arch=${architecture}&distro=debian-${distribution}`;
  return {
    'bom-ref': purl,
    type: 'library',
    supplier: { name: maintainer },
    name: debian,
    version: found,
    licenses: licencesOf(debian),
    purl,
    ...(homepage && { externalReferences: [{ type: 'website', url: homepage }] }),
    properties: [
      { name: 'gate:debian:source', value: `${source} ${sourceVersion}` },
      { name: 'gate:how', value: how },
      ...files.sort().map((file) => ({ name: 'gate:file', value: file })),
    ],
  };
}

function pageComponent(npm) {
  const pinned = JSON.parse(readFileSync(path.join(sources, 'tests/end_to_end/package.json'), 'utf8')).dependencies[npm];
  const purl = `pkg:npm/${npm}@${pinned}`;
  return {
    'bom-ref': purl, type: 'library', name: npm, version: pinned, licenses: [{ license: { id: LICENCE_OF_PAGES[npm] } }], purl,
    properties: [{ name: 'gate:how', value: 'part of the page at /console/' }],
  };
}

const byPackage = new Map();
for (const place of filesOf(root).sort()) {
  const file = place.slice(root.length);
  if (OURS.some((pattern) => pattern.test(file))) continue;
  const owner = MADE_BY.get(file) ?? ownerOf(file);
  if (!owner) throw new Error(`sbom: no package has ${file}`);
  byPackage.set(owner, [...(byPackage.get(owner) ?? []), file]);
}

const program = readFileSync(path.join(root, 'usr/bin', name));
const digest = createHash('sha256').update(program).digest('hex');
const main = {
  'bom-ref': `pkg:generic/${name}@${version}`, type: 'container', name, version, purl: `pkg:generic/${name}@${version}`,
  licenses: [{ license: { id: 'Apache-2.0' } }], hashes: [{ alg: 'SHA-256', content: digest }],
};
const components = [
  ...[...byPackage].map(([debian, files]) => debianComponent(debian, files, 'files of it are in the image')),
  ...COMPILED_IN.map((debian) => debianComponent(debian, [], 'headers of it are compiled into the program')),
  ...IN_PAGES[name].map(pageComponent),
].sort((a, b) => (a.purl < b.purl ? -1 : 1));

// The same content, the same number.
const id = createHash('sha256').update(JSON.stringify([main, components])).digest('hex');
const uuid = `${id.slice(0, 8)}-${id.slice(8, 12)}-5${id.slice(13, 16)}-a${id.slice(17, 20)}-${id.slice(20, 32)}`;
process.stdout.write(`${JSON.stringify({
  $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  serialNumber: `urn:uuid:${uuid}`,
  version: 1,
  metadata: { timestamp: new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000).toISOString(), component: main },
  components,
  dependencies: [{ ref: main['bom-ref'], dependsOn: components.map((one) => one['bom-ref']) }, ...components.map((one) => ({ ref: one['bom-ref'], dependsOn: [] }))],
}, null, 1)}\n`);
