#!/usr/bin/python3
"""verify_tokens.py MINT_TOKENS KEY.pem: another library must take what our signer makes."""
import json
import subprocess
import sys

from jwcrypto import jwk, jws
from jwcrypto.common import base64url_decode

count = 500  # enough for signatures whose halves begin with zeros
lines = subprocess.check_output([sys.argv[1], sys.argv[2], str(count)], text=True).splitlines()
published = jwk.JWKSet.from_json(lines[0])
own = jwk.JWK.from_pem(open(sys.argv[2], "rb").read())
key = published.get_key(own.thumbprint())
assert key is not None, "the kid is not the thumbprint"
assert not key.has_private, "the key set tells the private key"
assert len(lines) == count + 1
zeros = 0
for i, line in enumerate(lines[1:]):
    token = jws.JWS()
    token.deserialize(line)
    token.verify(key)
    assert token.jose_header == {"alg": "ES256", "kid": own.thumbprint(), "typ": "at+jwt"}
    assert json.loads(token.payload) == {
        "iss": "https://gate.example",
        "sub": 'ada "l" \u00e9\U0001f511',
        "aud": "https://gate.example/mcp",
        "iat": 1800000000,
        "exp": 1800000600,
        "jti": str(i),
        "groups": ["g"],
    }, token.payload
    raw = base64url_decode(line.rsplit(".", 1)[1])
    zeros += raw[0] == 0 or raw[32] == 0
    try:
        jws.JWS().deserialize(line[:-10] + ("A" if line[-10] != "A" else "B") + line[-9:], key)
    except jws.InvalidJWSSignature:
        continue
    raise AssertionError("a forged signature holds")
print(f"{count} tokens hold, {zeros} of them with a leading zero")
