// The official test server, @modelcontextprotocol/server-everything, as a process on a free port.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Child } from '../../../simulations/peers/process.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const packages = path.join(here, '../node_modules/@modelcontextprotocol');
const server = path.join(packages, 'server-everything/dist/index.js');
const loopback = path.join(here, 'loopback.mjs');

/** Ends the script with a clear word if npm packages are missing: a test that cannot run fails. */
export function requirePackages(...names) {
  const missing = ['sdk', 'server-everything', ...names].filter((name) => !existsSync(packageFile(name)));
  if (!missing.length) return;
  console.error('FAIL: npm packages of the end-to-end tests are not installed; run `make test`, or `npm ci`');
  console.error(`in tests/end_to_end. Missing of @modelcontextprotocol: ${missing.join(', ')}`);
  process.exit(1);
}

/** The path of a file in one of the official packages, or of its folder. */
export function packageFile(name, file = '') {
  return path.join(packages, name, file);
}

export async function startEverything(name = 'server-everything') {
  requirePackages();
  const child = new Child(
    process.execPath,
    ['--import', pathToFileURL(loopback).href, server, 'streamableHttp'],
    { name, env: { PATH: process.env.PATH, PORT: '0' } },
  );
  const [, port] = await child.says(/^listening on 127\.0\.0\.1:(\d+)/);
  child.port = Number(port);
  child.url = `http://127.0.0.1:${port}/mcp`;
  return child;
}
