#!/usr/bin/python3
"""Writes jwcrypto_tokens.json: tokens that another library made, of the keys in simulations/peers/keys/.

Needs Debian's python3-jwcrypto, so it runs on Debian's interpreter. ECDSA signatures differ
from run to run; what they must mean does not.
"""
import json
import pathlib

from jwcrypto import jwk, jws
from jwcrypto.common import base64url_decode, json_encode

here = pathlib.Path(__file__).parent
names = ["rsa_2048", "p256", "p384", "p521", "ed25519"]
keys = {n: jwk.JWK.from_pem((here.parents[3] / "simulations/peers/keys" / f"{n}.pem").read_bytes()) for n in names}
secret = jwk.JWK(kty="oct", k="A" * 86)
everything = jws.default_allowed_algs + ["EdDSA"]


def token(alg, key, payload, **header):
    t = jws.JWS(payload)
    t.allowed_algs = everything
    t.add_signature(key, None, json_encode({"alg": alg, **header}), None)
    return t.serialize(compact=True)


claims = {
    "iss": "https://idp.example",
    "sub": "ada\u00e9\U0001f511",
    "aud": ["https://other.example", "https://gate.example/mcp"],
    "exp": 1800000100,
    "iat": 1800000000,
    "nbf": 1800000000,
    "groups": ["staff", "caf\u00e9"],
}
plain = json.dumps(claims)
utf8 = json.dumps(claims, ensure_ascii=False)
pretty = json.dumps(claims, indent=2)
good = []
for alg, name in [
    ("RS256", "rsa_2048"), ("RS384", "rsa_2048"), ("RS512", "rsa_2048"), ("ES256", "p256"),
    ("ES384", "p384"), ("ES512", "p521"), ("EdDSA", "ed25519"),
]:
    for i, payload in enumerate([plain, utf8, pretty]):
        good.append({"name": f"{alg} {i}", "alg": alg, "payload": payload,
                     "token": token(alg, keys[name], payload, kid=name, typ="at+jwt")})
# Signatures whose halves begin with zeros are where conversions go wrong: some of these.
zeros = []
while len(zeros) < 12:
    t = token("ES256", keys["p256"], plain, kid="p256")
    raw = base64url_decode(t.rsplit(".", 1)[1])
    if raw[0] == 0 or raw[32] == 0:
        zeros.append(t)
refused = [
    {"name": f"{alg} with a secret", "token": token(alg, secret, plain, kid="p256")}
    for alg in ["HS256", "HS384", "HS512"]
] + [
    {"name": alg, "token": token(alg, keys["rsa_2048"], plain, kid="rsa_2048")}
    for alg in ["PS256", "PS384", "PS512"]
]
out = {
    "source": "made by make_tokens.py with python3-jwcrypto",
    "key_set": {"keys": [{**json.loads(k.export_public()), "kid": n} for n, k in keys.items()]},
    "thumbprints": {n: k.thumbprint() for n, k in keys.items()},
    "good": good,
    "zeros_es256": zeros,
    "refused": refused,
}
(here / "jwcrypto_tokens.json").write_text(json.dumps(out, indent=1) + "\n")
