// The identity provider as browsers meet it: an authorization endpoint that knows one public client and one viewer, and
// codes that are good once, for who can show the verifier (RFC 6749 §4.1, RFC 7636). Strict: what the standards do not
// describe is refused, so that a test notices. Its answers may be read by one other origin.
import { createHash, randomUUID } from 'node:crypto';
import { bodyOf } from './failures.mjs';
import { IdentityProvider } from './identity_provider.mjs';

export class SigningInProvider extends IdentityProvider {
  clientId = 'gate-console';
  /** The address that codes are sent to. */
  redirectUri = undefined;
  /** Who signs in, as `token()` takes it. */
  viewer = { sub: 'alice' };
  /** In place of a code: an error. */
  refuses = undefined;
  /** The parameters of each request to the authorization endpoint. */
  authorizations = [];
  #codes = new Map();

  /** `redirectUri` has to be known before anybody signs in. */
  static async start({ redirectUri, ...settings } = {}) {
    const provider = Object.assign(new SigningInProvider(), settings, { redirectUri });
    await provider.listen();
    provider.issuer = provider.origin;
    provider.addKey('ES256');
    return provider;
  }

  get metadata() {
    return { ...super.metadata, code_challenge_methods_supported: ['S256'], authorization_response_iss_parameter_supported: true };
  }

  async serve(request, response) {
    const url = new URL(request.url, this.origin);
    if (url.pathname === '/authorize') return this.#authorize(url.searchParams, response);
    if (this.redirectUri) response.setHeader('Access-Control-Allow-Origin', new URL(this.redirectUri).origin);
    if (url.pathname === '/token') return this.#redeem(request, response);
    return super.serve(request, response);
  }

  #authorize(asked, response) {
    const given = Object.fromEntries(asked);
    this.authorizations.push(given);
    const right = given.response_type === 'code' && given.client_id === this.clientId && given.redirect_uri === this.redirectUri
      && given.code_challenge_method === 'S256' && /^[\w-]{43}$/.test(given.code_challenge ?? '') && given.state;
    if (!right) return response.writeHead(400, { 'Content-Type': 'text/plain' }).end('no such client, or no PKCE');
    const code = randomUUID();
    this.#codes.set(code, given);
    const back = new URL(this.redirectUri);
    const answer = this.refuses ? { error: this.refuses } : { code };
    for (const [key, value] of Object.entries({ ...answer, state: given.state, iss: this.issuer })) back.searchParams.set(key, value);
    return response.writeHead(302, { Location: back.href }).end();
  }

  async #redeem(request, response) {
    const fields = Object.fromEntries(new URLSearchParams(await bodyOf(request)));
    const given = this.#codes.get(fields.code);
    this.#codes.delete(fields.code);
    const challenge = createHash('sha256').update(fields.code_verifier ?? '').digest('base64url');
    const right = given && fields.grant_type === 'authorization_code' && fields.client_id === given.client_id
      && fields.redirect_uri === given.redirect_uri && challenge === given.code_challenge && fields.resource === given.resource;
    const answer = right ? { access_token: this.token(this.viewer), token_type: 'Bearer', expires_in: 3600 } : { error: 'invalid_grant' };
    response.writeHead(right ? 200 : 400, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
    response.end(JSON.stringify(answer));
  }
}
