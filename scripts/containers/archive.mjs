#!/usr/bin/env node
// scripts/containers/archive.mjs FOLDER TAG...: makes the unpacked docker archive in FOLDER say nothing of when and by which container
// it was made, and gives it the names TAG: the same content, the same bytes. Prints the image's id.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const [, , folder, ...tags] = process.argv;
const file = (name) => path.join(folder, name);
const read = (name) => JSON.parse(readFileSync(file(name), 'utf8'));

const [{ Config: old, Layers: layers }] = read('manifest.json');
const { architecture, os, created, config, rootfs, history } = read(old);
delete config.Hostname; // the number of the container that it was made in
const text = JSON.stringify({ architecture, os, created, config, rootfs, history: history.map((one) => ({ ...one, created_by: 'scripts/image' })) });
const id = createHash('sha256').update(text).digest('hex');
// What is left beside are folders of an older format, which no `load` needs.
for (const name of readdirSync(folder)) if (!layers.includes(name)) rmSync(file(name), { recursive: true });
writeFileSync(file(`${id}.json`), text);
writeFileSync(file('manifest.json'), JSON.stringify([{ Config: `${id}.json`, RepoTags: tags, Layers: layers }]));
process.stdout.write(`sha256:${id}\n`);
