// Tokens that must not be believed, each wrong in one way only, and odd ones that must be. For a
// provider with keys for RS256, ES256 and ES384, at least.
import { createHmac } from 'node:crypto';
import { Key, b64, compact, now, signingInput } from '../../../simulations/peers/jws.mjs';

/** The last characters of a base64url text with bits set that belong to no byte. */
function withSpareBits(text) {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return text.slice(0, -1) + alphabet[alphabet.indexOf(text.at(-1)) | 1];
}

/** So many characters as no bytes are spelled with. */
const impossible = (text) => text.padEnd(text.length + ((5 - (text.length % 4)) % 4), 'A');

/** A good token whose signature is spelled with `+` and `/`. */
function inTheOtherAlphabet(provider) {
  for (;;) {
    const token = provider.token({ alg: 'ES256' });
    const end = token.lastIndexOf('.');
    const spelled = token.slice(end).replaceAll('-', '+').replaceAll('_', '/');
    if (!token.endsWith(spelled)) return token.slice(0, end) + spelled;
  }
}

const hmac = (input, secret) => createHmac('sha256', secret).update(input).digest('base64url');

/** What one can do to the signature: of a good token, of other keys, of other algorithms. */
function signatures(provider) {
  const [rsa, ec, ec384] = ['RS256', 'ES256', 'ES384'].map((alg) => provider.keyFor(alg));
  const claims = provider.claimsOf();
  const good = compact(ec, claims);
  const [header, payload, signature] = good.split('.');
  const signed = `${header}.${payload}`;
  const input = (more) => signingInput({ typ: 'JWT', ...more }, claims);
  const by = (key, more, how) => {
    const text = input(more);
    return `${text}.${key.sign(text, how).toString('base64url')}`;
  };
  const asSecret = (secret, kid = rsa.kid) => {
    const text = input({ alg: 'HS256', kid });
    return `${text}.${hmac(text, secret)}`;
  };
  const bytes = Buffer.from(signature, 'base64url');
  const flipped = Buffer.from(bytes);
  flipped[40] ^= 1;
  const longer = Buffer.concat([bytes, Buffer.alloc(1)]);
  const stranger = Key.make('ES256', ec.kid);
  return {
    'algorithm none': `${input({ alg: 'none', kid: ec.kid })}.`,
    'algorithm nOnE': `${input({ alg: 'nOnE', kid: ec.kid })}.`,
    'algorithm none with a signature': `${input({ alg: 'none', kid: ec.kid })}.${signature}`,
    'no algorithm': by(ec, { kid: ec.kid, alg: undefined }),
    'an algorithm that is no text': by(ec, { kid: ec.kid, alg: ['ES256'] }),
    'HS256 with the RSA key\'s PEM as secret': asSecret(rsa.publicPem),
    'HS256 with that PEM without its last line break': asSecret(rsa.publicPem.trimEnd()),
    'HS256 with the JWK as secret': asSecret(JSON.stringify(rsa.jwk)),
    'HS256 with the modulus as secret': asSecret(Buffer.from(rsa.jwk.n, 'base64url')),
    'HS256 with the EC key\'s PEM as secret': asSecret(ec.publicPem, ec.kid),
    'HS256 with an empty secret': asSecret(''),
    'ES256 of a P-384 key': by(ec384, { alg: 'ES256', kid: ec384.kid }, { hash: 'sha256' }),
    'ES384 of a P-256 key': by(ec, { alg: 'ES384', kid: ec.kid }, { hash: 'sha384' }),
    'RS256 said, signed by an EC key': by(ec, { alg: 'RS256', kid: ec.kid }),
    'ES256 said, signed by an RSA key': by(rsa, { alg: 'ES256', kid: rsa.kid }),
    'RS512 by a key for RS256': by(rsa, { alg: 'RS512', kid: rsa.kid }, { hash: 'sha512' }),
    'an algorithm of small letters': by(ec, { alg: 'es256', kid: ec.kid }),
    'no signature': `${signed}.`,
    'a flipped bit': `${signed}.${b64(flipped)}`,
    'a signature of zeros': `${signed}.${b64(Buffer.alloc(64))}`,
    'half a signature': `${signed}.${signature.slice(0, 43)}`,
    'a signature and a byte more': `${signed}.${b64(longer)}`,
    'a signature in DER': by(ec, { alg: 'ES256', kid: ec.kid }, { dsaEncoding: 'der' }),
    'the signature of another token': `${signed}.${compact(ec, provider.claimsOf({ sub: 'bob' })).split('.')[2]}`,
    'another payload under a good signature': `${header}.${b64(JSON.stringify({ ...claims, sub: 'root' }))}.${signature}`,
    'another header over a good signature': `${input({ alg: 'ES256', kid: ec.kid, x: 1 })}.${signature}`,
    'a stranger\'s key under a known name': compact(stranger, claims),
    'a name that no key has': compact(ec, claims, { kid: 'nobody' }),
    'a name that is no text': compact(ec, claims, { kid: 1 }),
    'an empty name': compact(stranger, claims, { kid: '' }),
  };
}

/** Spellings that a lenient reader would take. */
function spellings(provider) {
  const key = provider.keyFor('ES256');
  const good = provider.token({ alg: 'ES256' });
  const [header, payload, signature] = good.split('.');
  const raw = (text) => compact(key, text);
  const claims = JSON.stringify(provider.claimsOf()).slice(1, -1);
  const head = (text) => compact(key, provider.claimsOf(), text);
  const signed = (text) => `${text}.${key.sign(text).toString('base64url')}`;
  return {
    'no token but a word': 'token',
    'three dots': '...',
    'two parts': `${header}.${payload}`,
    'four parts': `${good}.${signature}`,
    'five parts': `${good}.${signature}.${signature}`,
    padding: `${header}.${payload}.${signature}==`,
    'padding inside': signed(`${header}.${payload}=`),
    'the alphabet of base64': inTheOtherAlphabet(provider),
    'spare bits in the signature': `${header}.${payload}.${withSpareBits(signature)}`,
    'a payload of an impossible length': signed(`${header}.${impossible(payload)}`),
    'a payload that is no JSON': raw(`{${claims}`),
    'a payload with something after it': raw(`{${claims}} {}`),
    'a payload that is a list': raw(`[{${claims}}]`),
    'a payload that is a text': raw(JSON.stringify(claims)),
    'an empty payload': raw(''),
    'a payload with a byte order mark': raw(`\ufeff{${claims}}`),
    'a payload of 5,000 levels': raw(`{${claims},"deep":${'['.repeat(5000)}${']'.repeat(5000)}}`),
    'a subject twice': raw(`{${claims},"sub":"root"}`),
    'a subject twice, once with an escape': raw(`{${claims},"s\\u0075b":"root"}`),
    'an expiry twice': raw(`{${claims},"exp":${now() + 9999}}`),
    'groups twice': raw(`{${claims},"groups":["a"],"groups":["b"]}`),
    'an algorithm twice': head(`{"alg":"none","alg":"ES256","kid":"${key.kid}"}`),
    'an algorithm twice, once with an escape': head(`{"alg":"ES256","\\u0061lg":"none","kid":"${key.kid}"}`),
    'a header that is no object': head(`["ES256"]`),
    'an extension that must be understood': head({ crit: ['b64'], b64: true }),
    'an unknown extension that must be understood': head({ crit: ['x'], x: 1 }),
    'an empty list of extensions': head({ crit: [] }),
    'a payload that is not encoded': head({ b64: false }),
    '20,000 characters': provider.token({ alg: 'ES256', claims: { padding: 'x'.repeat(15_000) } }),
    '50,000 characters': provider.token({ alg: 'ES256', claims: { padding: 'x'.repeat(37_000) } }),
  };
}

/** Signed as they should be, but saying the wrong thing. */
function contents(provider) {
  const claims = (more) => provider.token({ alg: 'ES256', claims: more });
  const { audience, issuer } = provider;
  return {
    expired: claims({ exp: now() - 60, iat: now() - 120 }),
    'expired long ago': claims({ exp: 1, iat: 0 }),
    'no expiry': claims({ exp: undefined }),
    'an expiry of null': claims({ exp: null }),
    'an expiry in quotes': claims({ exp: String(now() + 60) }),
    'an expiry that is a list': claims({ exp: [now() + 60] }),
    'a negative expiry': claims({ exp: -now() }),
    'not valid yet': claims({ nbf: now() + 90 }),
    'not valid yet, in quotes': claims({ nbf: String(now() + 90) }),
    'issued in the future': claims({ iat: now() + 90 }),
    'no subject': claims({ sub: undefined }),
    'an empty subject': claims({ sub: '' }),
    'a subject of null': claims({ sub: null }),
    'a subject that is a number': claims({ sub: 7 }),
    'a subject that is a list': claims({ sub: ['alice'] }),
    'no audience': claims({ aud: undefined }),
    'another audience': claims({ aud: 'https://other.example.com/mcp' }),
    'a list of other audiences': claims({ aud: ['https://other.example.com', 'upstream'] }),
    'an empty list of audiences': claims({ aud: [] }),
    'an audience with a slash more': claims({ aud: `${audience}/` }),
    'an audience in other letters': claims({ aud: audience.toUpperCase() }),
    'the beginning of the audience': claims({ aud: audience.slice(0, -1) }),
    'an audience that is an object': claims({ aud: { [audience]: audience } }),
    'no issuer': claims({ iss: undefined }),
    'an unknown issuer': claims({ iss: 'https://idp.example.com' }),
    'an issuer with a slash more': claims({ iss: `${issuer}/` }),
    'an issuer that is a list': claims({ iss: [issuer] }),
    'an empty issuer': claims({ iss: '' }),
  };
}

/** By what is wrong with it, every token that must be refused. */
export const hostileTokens = (provider) => ({ ...signatures(provider), ...spellings(provider), ...contents(provider) });

/**
 * Tokens that bring their own key, or say where it is: at `trap`, where nobody may ask. By what they
 * do, all to be refused.
 */
export function tokensWithKeys(provider, trap) {
  const own = Key.make('ES256', provider.keyFor('ES256').kid);
  trap.answer = JSON.stringify({ keys: [own.jwk] });
  const brings = (header) => compact(own, provider.claimsOf(), header);
  return {
    'its own key': brings({ jwk: own.jwk }),
    'its own key set\'s address': brings({ jku: `${trap.origin}/keys` }),
    'its own certificate\'s address': brings({ x5u: `${trap.origin}/cert` }),
    'its own certificate': brings({ x5c: [own.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')] }),
    'a name that is an address': brings({ kid: `${trap.origin}/keys` }),
    'a name that is a path': brings({ kid: '../../../../../dev/null' }),
    'an issuer that is its own': compact(own, provider.claimsOf({ claims: { iss: trap.origin } })),
  };
}

/** Odd tokens that are in order all the same, by what is odd. `trap` is named, and may not be asked. */
export function oddTokens(provider, trap) {
  const key = provider.keyFor('ES256');
  const claims = (more, header) => provider.token({ alg: 'ES256', claims: more, header });
  const spaced = JSON.stringify(provider.claimsOf(), null, 2);
  return {
    'a list of audiences with ours': claims({ aud: ['https://other.example.com', provider.audience] }),
    'an expiry with a fraction': compact(key, JSON.stringify(provider.claimsOf()).replace(/"exp":(\d+)/, '"exp":$1.75')),
    'just expired, within the leeway': claims({ exp: now() - 5 }),
    'valid from just now on, within the leeway': claims({ nbf: now() + 10, iat: now() + 10 }),
    'no time of issue': claims({ iat: undefined }),
    'another type': claims({}, { typ: 'at+jwt' }),
    'no name of its key': claims({}, { kid: undefined }),
    'no type': claims({}, { typ: undefined }),
    'unknown claims of every kind': claims({ a: null, b: [1, { c: 1.5e300 }], 'd"é😀': { e: true } }),
    'addresses of keys that are not used': claims({}, { jku: `${trap.origin}/keys`, x5u: `${trap.origin}/cert` }),
    'blanks and escapes in the payload': compact(key, spaced.replace('"sub"', '"\\u0073ub"')),
    '15,000 characters': claims({ padding: 'x'.repeat(10_800) }),
  };
}
