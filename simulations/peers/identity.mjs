// What the scripts about identity share: the configuration, requests with any credential, and what a
// refusal of one must look like.
import assert from 'node:assert/strict';
import { once } from './http.mjs';
import { JSON_POST } from './mcp.mjs';

/** What tokens must name, unless a script says otherwise. Nobody resolves it. */
export const RESOURCE = 'https://gate.example.com/mcp';

/** Where its metadata are, unless `server.publicUrl` says otherwise. */
export const ORIGIN = 'https://gate.example.com';

/** A configuration that requires tokens of these providers for `RESOURCE`. */
export const requiring = (providers, config, auth = {}) => ({
  auth: { mode: 'required', resource: RESOURCE, issuers: providers.map(({ issuer }) => ({ issuer })), ...auth },
  ...config,
});

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'gate-identity', version: '1' } },
});

/** An `initialize` with this credential: a token, or headers. */
export function knock(gate, credential = {}, options = {}) {
  const headers = typeof credential === 'string' ? { Authorization: `Bearer ${credential}` } : credential;
  const path = options.path ?? gate.path;
  return once(gate.port, { path, body: INITIALIZE, ...options, headers: { ...JSON_POST, ...headers, ...options.headers } });
}

/** Where clients are told to look for metadata. */
export const metadataUrl = (base) => `${base}/.well-known/oauth-protected-resource/mcp`;

/**
 * What is wrong with this refusal of a credential, as a sentence; nothing if it is as it should be.
 * `presented`: was there a token?
 */
export function faultOf(answer, { base = ORIGIN, presented = true } = {}) {
  if (answer.status !== 401) return `status ${answer.status} ${answer.body.slice(0, 200)}`;
  const challenge = answer.headers.get('www-authenticate') ?? '';
  if (!challenge.startsWith('Bearer ')) return `challenge ${challenge}`;
  if (!challenge.includes(`resource_metadata="${metadataUrl(base)}"`)) return `challenge ${challenge}`;
  const [, error] = challenge.match(/\berror="([^"]*)"/) ?? [];
  if (error !== (presented ? 'invalid_token' : undefined)) return `error in challenge ${challenge}`;
  if (answer.headers.get('content-type') !== 'application/json') return `content type ${answer.headers.get('content-type')}`;
  let json;
  try {
    json = JSON.parse(answer.body);
  } catch {
    return `no JSON: ${answer.body}`;
  }
  if (json.jsonrpc !== '2.0' || (json.id ?? null) !== null) return `no error object without id: ${answer.body}`;
  const { code, data } = json.error ?? {};
  if (code !== -32000 || data?.gate?.reason !== 'unauthenticated') return `body ${answer.body}`;
  return undefined;
}

export const assertRefused = (answer, about) => assert.equal(faultOf(answer, about), undefined);

/** Presents each of these (`what => token`), some at a time; says which were not refused as they should be. */
export async function faultsOf(tokens, gate, about) {
  const found = [];
  const waiting = Object.entries(tokens);
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const fault = faultOf(await knock(gate, next[1]), about);
      if (fault) found.push(`${next[0]}: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  return found;
}
