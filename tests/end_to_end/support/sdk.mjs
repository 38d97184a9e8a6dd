// The official TypeScript client, as the scripts use it.
import assert from 'node:assert/strict';
import { requirePackages } from './everything.mjs';

requirePackages();
const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');

/**
 * A transport, and the status of every answer that it gets, and who gave it, if a load balancer says so.
 * `token()` is asked for every request.
 */
export function transportTo(url, { token } = {}) {
  const statuses = [];
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: async (target, init) => {
      const headers = new Headers(init?.headers);
      if (token) headers.set('Authorization', `Bearer ${token()}`);
      const answer = await fetch(target, { ...init, headers });
      statuses.push({ method: init?.method ?? 'GET', status: answer.status, by: answer.headers.get('x-served-by') });
      return answer;
    },
  });
  return { transport, statuses };
}

export const textOf = (result) => result.content.filter((c) => c.type === 'text').map((c) => c.text).join('\n');

/** The code of the error that `promise` ends with. */
export async function codeOf(promise) {
  try {
    await promise;
  } catch (error) {
    return error.code;
  }
  return assert.fail('an error was expected');
}
