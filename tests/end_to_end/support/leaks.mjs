// Looks for secrets in what a program said: as they are, and in the spellings in which they travel.

/** Less of a secret than this says nothing. */
const TELLING = 12;

/** The base64 of `secret` wherever it stands in something longer: three ways, by what comes before it. */
function inBase64(secret) {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64').replace(/=+$/, '');
    // The first and last characters also depend on what stands beside it.
    return text.slice(before ? before + 1 : 0, -2);
  });
}

const asUrl = (text) => text.replaceAll('+', '-').replaceAll('/', '_');

/** Every spelling of a secret that counts as a leak. */
export function spellings(secret) {
  const base64 = inBase64(secret);
  const all = [
    secret, ...base64, ...base64.map(asUrl),
    encodeURIComponent(secret), new URLSearchParams({ x: secret }).toString().slice(2),
    JSON.stringify(secret).slice(1, -1), Buffer.from(secret).toString('hex'),
  ];
  return [...new Set(all)].filter((text) => text.length >= TELLING);
}

/** The parts of a token or a PEM that are secret in themselves. */
export const partsOf = {
  token(token) {
    const [, payload = token, signature = token] = token.split('.');
    return [payload, signature.slice(0, 24), signature.slice(-24)];
  },
  pem: (pem, jwk) => [pem, ...pem.split('\n').filter((line) => line && !line.startsWith('-----')), jwk.d],
};

/** `secrets`: `what => [texts]`; `places`: `where => text`. Says which secret was found where. */
export function leaks(secrets, places) {
  const found = [];
  for (const [what, texts] of Object.entries(secrets))
    for (const spelling of new Set(texts.flatMap(spellings)))
      for (const [where, text] of Object.entries(places)) {
        const at = text.indexOf(spelling);
        if (at >= 0) found.push(`${what} in ${where}: …${text.slice(Math.max(0, at - 80), at + 20)}…`);
      }
  return [...new Set(found)];
}
