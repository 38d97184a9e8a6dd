// Signed tokens by hand, on node:crypto alone: keys of every family that issuers use, their JWKs, and
// compact JWS made of exactly the bytes that a test wants, wrong ones included. Shares no code with
// what it tests; `identity_provider.mjs` compares it with a second implementation.
import { createHash, createPublicKey, generateKeyPairSync, randomUUID, sign, verify } from 'node:crypto';

/** By `alg`: how a key for it is made, and how it signs. */
const ALGORITHMS = {
  RS256: { type: 'rsa', options: { modulusLength: 2048 }, hash: 'sha256' },
  RS384: { type: 'rsa', options: { modulusLength: 2048 }, hash: 'sha384' },
  RS512: { type: 'rsa', options: { modulusLength: 2048 }, hash: 'sha512' },
  ES256: { type: 'ec', options: { namedCurve: 'P-256' }, hash: 'sha256' },
  ES384: { type: 'ec', options: { namedCurve: 'P-384' }, hash: 'sha384' },
  ES512: { type: 'ec', options: { namedCurve: 'P-521' }, hash: 'sha512' },
  EdDSA: { type: 'ed25519', options: {}, hash: null },
};

export const algorithms = Object.keys(ALGORITHMS);

/** base64url without padding, of text or bytes. */
export const b64 = (content) => Buffer.from(content).toString('base64url');

/** The seconds since 1970, as JWTs count them. */
export const now = () => Math.floor(Date.now() / 1000);

export class Key {
  /** A new one for `alg`. */
  static make(alg, kid = `${alg}-${randomUUID()}`) {
    const { type, options } = ALGORITHMS[alg];
    return Object.assign(new Key(), { alg, kid, ...generateKeyPairSync(type, options) });
  }

  /** As it stands in a key set. */
  get jwk() {
    return { ...this.publicKey.export({ format: 'jwk' }), kid: this.kid, alg: this.alg, use: 'sig' };
  }

  get publicPem() {
    return this.publicKey.export({ type: 'spki', format: 'pem' });
  }

  get privatePem() {
    return this.privateKey.export({ type: 'pkcs8', format: 'pem' });
  }

  /** The name of RFC 7638: a hash of the members that make the key, in the order of the alphabet. */
  get thumbprint() {
    const { kid, alg, use, ...own } = this.jwk;
    const members = Object.fromEntries(Object.entries(own).sort(([a], [b]) => (a < b ? -1 : 1)));
    return createHash('sha256').update(JSON.stringify(members)).digest('base64url');
  }

  /** The signature of these bytes; ECDSA's as two numbers side by side, as RFC 7518 wants it. */
  sign(bytes, { hash = ALGORITHMS[this.alg].hash, dsaEncoding = 'ieee-p1363', ...more } = {}) {
    return sign(hash, Buffer.from(bytes), { key: this.privateKey, dsaEncoding, ...more });
  }

  verifies(bytes, signature) {
    const { hash } = ALGORITHMS[this.alg];
    return verify(hash, Buffer.from(bytes), { key: this.publicKey, dsaEncoding: 'ieee-p1363' }, signature);
  }
}

const text = (part) => (typeof part === 'string' ? part : JSON.stringify(part));

/** What is signed: header and payload, each an object or its exact text. */
export const signingInput = (header, payload) => `${b64(text(header))}.${b64(text(payload))}`;

/** The compact JWS of `payload` by `key`. `header` adds members, or replaces those of the key. */
export function compact(key, payload, header = {}) {
  const whole = typeof header === 'string' ? header : { alg: key.alg, kid: key.kid, typ: 'JWT', ...header };
  const input = signingInput(whole, payload);
  return `${input}.${key.sign(input).toString('base64url')}`;
}

/** Header and payload of a compact JWS, unchecked. */
export function decoded(token) {
  const [header, payload] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  return { header: JSON.parse(header), payload: JSON.parse(payload) };
}

/** Is this compact JWS signed by the key of this JWK? */
export function isSignedBy(token, jwk) {
  const key = Object.assign(new Key(), { alg: jwk.alg, publicKey: createPublicKey({ key: jwk, format: 'jwk' }) });
  const end = token.lastIndexOf('.');
  return key.verifies(token.slice(0, end), Buffer.from(token.slice(end + 1), 'base64url'));
}
