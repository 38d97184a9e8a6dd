// An identity provider of our own: a key set that can change and fail, tokens and identity assertions
// of any content, a token endpoint, and the metadata by which clients find it. It can be asked how often
// it was asked.
import { randomUUID } from 'node:crypto';
import { Endpoint, LoopbackServer, bodyOf } from './failures.mjs';
import { Key, compact, now } from './jws.mjs';
import { TokenEndpoint } from './token_endpoint.mjs';

/** More than anybody should take from a key set. */
const FAR_TOO_MANY = 10_000;

export class IdentityProvider extends LoopbackServer {
  /** Those of the key set, in order. */
  keys = [];
  keySet = new Endpoint();
  grants = new TokenEndpoint(this);
  /** Where tokens go unless a test says otherwise. */
  audience = 'https://gate.example.com/mcp';

  /** `algs`: of its keys, one each, the first of them the usual one. */
  static async start({ algs = ['ES256'], ...settings } = {}) {
    const provider = Object.assign(new IdentityProvider(), settings);
    await provider.listen();
    provider.issuer = provider.origin;
    for (const alg of algs) provider.addKey(alg);
    return provider;
  }

  addKey(alg, kid) {
    const key = Key.make(alg, kid);
    this.keys.push(key);
    return key;
  }

  removeKey(key) {
    this.keys = this.keys.filter((other) => other !== key);
  }

  /** The one for `alg`. */
  keyFor(alg) {
    return this.keys.find((key) => key.alg === alg);
  }

  /** A key set of so many keys that nobody may parse, or keep, them all. */
  listTooMany() {
    const { jwk } = this.keys[0];
    this.padding = Array.from({ length: FAR_TOO_MANY }, (_, i) => ({ ...jwk, kid: `padding-${i}` }));
  }

  get keySetText() {
    return JSON.stringify({ keys: [...(this.padding ?? []), ...this.keys.map(({ jwk }) => jwk)] });
  }

  get metadata() {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.origin}/authorize`,
      token_endpoint: `${this.origin}/token`,
      jwks_uri: `${this.origin}/.well-known/jwks.json`,
      response_types_supported: ['code'],
    };
  }

  async serve(request, response) {
    const { pathname } = new URL(request.url, this.origin);
    const json = (text) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(text);
    if (pathname === '/token') return this.grants.serve(request, response);
    if (pathname === '/.well-known/oauth-authorization-server') return json(JSON.stringify(this.metadata));
    if (pathname !== '/.well-known/jwks.json') return response.writeHead(404).end();
    const body = await bodyOf(request);
    if (this.keySet.fails(request, body, response, () => this.keySetText)) return undefined;
    await this.keySet.held;
    return json(this.keySetText);
  }

  /** The claims of an access token; `claims` adds, replaces, and removes with undefined. */
  claimsOf({ sub = 'alice', aud = this.audience, groups, lifetime = 3600, claims = {} } = {}) {
    const iat = now();
    return { iss: this.issuer, sub, aud, iat, exp: iat + lifetime, jti: randomUUID(), groups, ...claims };
  }

  /** An access token: `{ sub, aud, groups, lifetime, claims, alg, key, header }`, all of them optional. */
  token({ alg, key = alg ? this.keyFor(alg) : this.keys[0], header, ...about } = {}) {
    return compact(key, this.claimsOf(about), header);
  }

  /** What a client of an enterprise shows to get an assertion here. */
  idToken({ sub = 'alice', client = 'desktop', ...claims } = {}) {
    return this.token({ sub, aud: client, claims });
  }

  /**
   * An identity assertion: its claims, of which undefined removes one, `header` and `key`. It lives
   * for five minutes and is used once.
   */
  assertion({ header = {}, key = this.keys[0], ...claims } = {}) {
    const iat = now();
    const usual = { iss: this.issuer, sub: 'alice', client_id: 'desktop', jti: randomUUID(), iat, exp: iat + 300 };
    return compact(key, { ...usual, aud: this.audience, ...claims }, { typ: 'oauth-id-jag+jwt', ...header });
  }
}
