// The token endpoint of the identity provider: client credentials (RFC 6749 §4.4), and token exchange
// (RFC 8693) for access tokens and for identity assertions. Counts and remembers what it was asked, and
// is strict: a request that the standards do not describe is refused, so that a test notices.
import { Endpoint, bodyOf } from './failures.mjs';
import { compact, decoded, isSignedBy, now } from './jws.mjs';

export const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const kind = (name) => `urn:ietf:params:oauth:token-type:${name}`;

class Refused extends Error {
  constructor(error, description, status = 400) {
    super(description);
    Object.assign(this, { error, status });
  }
}

const demand = (right, error, description, status) => {
  if (!right) throw new Refused(error, description, status);
};

/** One part of Basic credentials, which are form-encoded first (RFC 6749 §2.3.1). */
const plain = (part) => decodeURIComponent(part.replaceAll('+', ' '));

export class TokenEndpoint extends Endpoint {
  /** Client ids and their secrets. */
  clients = new Map();
  /** What was granted, in order: `{ grant, client, how, fields, token, subject? }`. */
  grants = [];
  /** The `expires_in` of answers; undefined leaves it out. */
  expiresIn = 3600;
  /** What takes part in each answer, or replaces it: `(answer) => answer`. */
  change = (answer) => answer;
  #minted = 0;

  constructor(provider) {
    super();
    this.provider = provider;
  }

  /** The tokens that were granted for this subject of a token exchange, or this client. */
  tokensOf(who) {
    return this.grants.filter(({ subject, client }) => (subject ?? client) === who).map(({ token }) => token);
  }

  async serve(request, response) {
    const body = await bodyOf(request);
    const right = () => JSON.stringify(this.change(this.#answer('never used')));
    if (this.fails(request, body, response, right)) return;
    await this.held;
    const send = (status, json) => {
      response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
      response.end(JSON.stringify(json));
    };
    try {
      send(200, this.change(this.#granted(request, body)));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      send(error.status, { error: error.error, error_description: error.message });
    }
  }

  #answer(token, more = {}) {
    return { access_token: token, token_type: 'Bearer', expires_in: this.expiresIn, ...more };
  }

  #granted(request, body) {
    demand(request.method === 'POST', 'invalid_request', 'POST only', 405);
    const type = (request.headers['content-type'] ?? '').split(';')[0].trim();
    demand(type === 'application/x-www-form-urlencoded', 'invalid_request', `content type ${type}`);
    const pairs = [...new URLSearchParams(body)];
    const fields = Object.fromEntries(pairs);
    demand(pairs.length === Object.keys(fields).length, 'invalid_request', 'a field occurs twice');
    const { client, how } = this.#authenticated(request.headers.authorization, fields);
    const grant = { grant: fields.grant_type, client, how, fields };
    if (fields.grant_type === 'client_credentials') return this.#forItself(grant);
    if (fields.grant_type === EXCHANGE) return this.#exchanged(grant);
    throw new Refused('unsupported_grant_type', `no grant ${fields.grant_type}`);
  }

  #authenticated(authorization, { client_id: id, client_secret: secret }) {
    let [client, shown, how] = [id, secret, 'post'];
    if (authorization) {
      demand(secret === undefined, 'invalid_request', 'two ways of authentication at once');
      const [, credentials] = authorization.match(/^Basic ([A-Za-z0-9+/]+=*)$/) ?? [];
      demand(credentials, 'invalid_client', 'no Basic credentials', 401);
      [client, shown] = Buffer.from(credentials, 'base64').toString().split(':').map(plain);
      how = 'basic';
    }
    const known = this.clients.has(client) && this.clients.get(client) === shown;
    demand(known, 'invalid_client', 'unknown client or wrong secret', 401);
    return { client, how };
  }

  /** A token of the provider; no two are the same. */
  #mint(claims) {
    this.#minted += 1;
    const { provider } = this;
    const times = { iat: now(), exp: now() + 3600 };
    return compact(provider.keys[0], { iss: provider.issuer, ...times, jti: `granted-${this.#minted}`, ...claims });
  }

  #forItself(grant) {
    const { scope, resource } = grant.fields;
    const token = this.#mint({ sub: grant.client, aud: resource ?? 'upstream', scope });
    this.grants.push({ ...grant, token });
    return this.#answer(token, { scope });
  }

  #exchanged(grant) {
    const { subject_token: from, subject_token_type: type, audience, scope, resource } = grant.fields;
    demand(from && type, 'invalid_request', 'subject_token and subject_token_type are required');
    demand(audience, 'invalid_request', 'audience is required here');
    const { sub, email, groups } = this.#subjectOf(from);
    if (grant.fields.requested_token_type === kind('id-jag')) {
      demand(type === kind('id_token'), 'invalid_request', 'an assertion is had for an ID token');
      const token = this.provider.assertion({ sub, aud: audience, client_id: grant.client, resource, scope, email, groups });
      this.grants.push({ ...grant, token, subject: sub });
      return { access_token: token, issued_token_type: kind('id-jag'), token_type: 'N_A', expires_in: 300 };
    }
    demand([kind('access_token'), kind('jwt')].includes(type), 'invalid_request', `subject_token_type ${type}`);
    const token = this.#mint({ sub, aud: audience, scope, act: { sub: grant.client } });
    this.grants.push({ ...grant, token, subject: sub });
    return this.#answer(token, { issued_token_type: kind('access_token'), scope });
  }

  /** The claims of a token of our own, or a refusal. */
  #subjectOf(token) {
    let header, payload;
    try {
      ({ header, payload } = decoded(token));
    } catch {
      throw new Refused('invalid_request', 'the subject token is no JWT');
    }
    const key = this.provider.keys.find(({ kid }) => kid === header.kid);
    const own = key && isSignedBy(token, key.jwk) && payload.iss === this.provider.issuer;
    demand(own && payload.exp > now(), 'invalid_grant', 'the subject token is not one of ours');
    return payload;
  }
}
