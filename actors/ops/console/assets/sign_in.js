// Signing in: by a token that is pasted, or by the authorization code grant with PKCE (RFC 7636) at the issuer that
// /api/auth-hint names. The token lives in memory only. What has to survive the way to the issuer and back, which is
// no secret of the viewer's, is in sessionStorage until then.
import { state } from './store.js';

const KEPT = 'gate-console-sign-in';

const encoded = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
const random = () => encoded(crypto.getRandomValues(new Uint8Array(32)));
/** Where the issuer sends browsers back to: this page, without anything behind it. */
const here = () => new URL('.', document.baseURI).href;

async function json(url, options = {}) {
  let response;
  try {
    response = await fetch(url, { credentials: 'omit', cache: 'no-store', redirect: 'error', ...options });
  } catch {
    throw new Error(
      `${new URL(url).origin} can not be asked: it does not answer, or does not let this page read its answers (CORS)`,
    );
  }
  const body = await response.json().catch(() => ({}));
  if (!response.ok)
    throw new Error(body.error_description ?? body.error ?? `${new URL(url).pathname}: HTTP ${response.status}`);
  return body;
}

/** RFC 8414 §3, and OpenID Connect Discovery for those who have only that. */
async function metadataOf(issuer) {
  const { origin, pathname } = new URL(issuer);
  const path = pathname === '/' ? '' : pathname;
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
  ];
  let first;
  for (const place of places) {
    try {
      const metadata = await json(place);
      if (metadata.issuer !== issuer) throw new Error(`${new URL(place).pathname} speaks of another issuer`);
      return metadata;
    } catch (error) {
      first ??= error;
    }
  }
  throw first;
}

/** Only what a browser may be sent to, or what this page may ask: never a script, and nothing less safe than the issuer. */
function checked(url, what, issuer, origin) {
  const { protocol } = URL.canParse(url ?? '') ? new URL(url) : {};
  if (protocol !== 'https:' && protocol !== new URL(issuer).protocol) throw new Error(`the issuer names no ${what}`);
  if (origin && new URL(url).origin !== origin) {
    throw new Error(
      `the ${what} is at ${new URL(url).origin}, and this page may ask ${origin} only; paste a token instead`,
    );
  }
  return url;
}

/** Leaves for the issuer. */
export async function beginSignIn() {
  if (!crypto.subtle)
    throw new Error('browsers have what it needs over https and on loopback only; paste a token instead');
  const { issuer, clientId, scopes } = state.hint.oauth;
  const metadata = await metadataOf(issuer);
  const authorize = new URL(checked(metadata.authorization_endpoint, 'authorization endpoint', issuer));
  const tokenEndpoint = checked(metadata.token_endpoint, 'token endpoint', issuer, new URL(issuer).origin);
  const kept = { verifier: random(), state: random(), issuer, tokenEndpoint, clientId, back: location.hash };
  const challenge = encoded(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(kept.verifier)));
  const ask = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: here(),
    state: kept.state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(scopes?.length && { scope: scopes.join(' ') }),
    ...(state.hint.resource && { resource: state.hint.resource }),
  };
  for (const [key, value] of Object.entries(ask)) authorize.searchParams.set(key, value);
  sessionStorage.setItem(KEPT, JSON.stringify(kept));
  location.assign(authorize);
}

/**
 * If the issuer has just sent the browser back: takes what it brought out of the address, and returns a token.
 * Undefined: nobody comes from there. Throws if what comes is no good.
 */
export async function finishSignIn() {
  const came = new URLSearchParams(location.search);
  if (!came.has('state') || !(came.has('code') || came.has('error'))) return undefined;
  const text = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  const kept = text ? JSON.parse(text) : {};
  history.replaceState(null, '', here() + (kept.back ?? ''));
  if (came.get('state') !== kept.state) throw new Error('this answer belongs to no sign-in of this tab');
  if (came.has('iss') && came.get('iss') !== kept.issuer) throw new Error('another issuer has answered');
  if (came.has('error')) throw new Error(came.get('error_description') ?? came.get('error'));
  const answer = await json(kept.tokenEndpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: came.get('code'),
      redirect_uri: here(),
      client_id: kept.clientId,
      code_verifier: kept.verifier,
      ...(state.hint?.resource && { resource: state.hint.resource }),
    }),
  });
  if (typeof answer.access_token !== 'string' || !answer.access_token)
    throw new Error('the issuer gave no access token');
  return answer.access_token;
}
