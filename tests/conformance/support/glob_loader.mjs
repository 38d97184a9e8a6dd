// Loaded with `node --import` before a suite starts. The suites import `globSync` from `fs`, which
// came with Node 22, for a command that is not used here. So on an older Node their `fs` is the
// usual one and a `globSync` that finds nothing; on a newer one this does nothing.
import * as fs from 'node:fs';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const lacking = !('globSync' in fs);
const substitute = `data:text/javascript,${encodeURIComponent(
  "export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => [];",
)}`;

/** The hook itself: Node loads this file a second time, in the thread that resolves imports. */
export function resolve(specifier, context, next) {
  if (specifier === 'fs' && lacking) return { url: substitute, shortCircuit: true };
  return next(specifier, context);
}

if (isMainThread && lacking) register(import.meta.url);
