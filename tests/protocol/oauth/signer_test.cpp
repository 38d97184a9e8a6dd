#include "protocol/oauth/signer.hpp"

#include <gtest/gtest.h>
#include <openssl/err.h>

#include <boost/json.hpp>

#include "protocol/oauth/jws.hpp"
#include "protocol/oauth/object.hpp"
#include "protocol/oauth/token.hpp"
#include "simulations/peers/forge.hpp"

namespace gate::oauth {
namespace {

std::string pem(const std::string& name) {
  return key_file(name);
}

const signer& ours() {
  static const auto s = signer::from_pem(pem("p256")).value();
  return s;
}

std::string pem_flaw(std::string_view text) {
  const auto s = signer::from_pem(text);
  return s ? "" : s.error().what;
}

TEST(signer, what_it_signs_holds) {
  for (int i = 0; i < 300; ++i) {  // halves with leading zeros come by chance
    const auto payload = R"({"n":)" + std::to_string(i) + "}";
    const auto compact = ours().sign("at+jwt", payload);
    const auto text = read_jws(compact).value();
    EXPECT_EQ(text.algorithm, algorithm::es256);
    EXPECT_EQ(text.type, "at+jwt");
    EXPECT_EQ(text.kid, ours().kid());
    EXPECT_EQ(text.payload, payload);
    EXPECT_EQ(text.signature.size(), 64u);
    const auto* key = ours().keys()->find(text.kid, text.algorithm);
    ASSERT_NE(key, nullptr);
    EXPECT_TRUE(verify(text, *key));
  }
}

TEST(signer, the_header) {
  const auto compact = ours().sign("a\"b", "");
  const auto expected = R"({"alg":"ES256","kid":")" + ours().kid() + R"(","typ":"a\"b"})";
  EXPECT_EQ(compact.substr(0, compact.find('.')), plain_base64url(expected));
}

TEST(signer, the_published_set) {
  const auto set = boost::json::parse(ours().published());
  ASSERT_EQ(set.at("keys").as_array().size(), 1u);
  const auto& key = set.at("keys").at(0).as_object();
  EXPECT_EQ(key.at("kty"), "EC");
  EXPECT_EQ(key.at("crv"), "P-256");
  EXPECT_EQ(key.at("use"), "sig");
  EXPECT_EQ(key.at("alg"), "ES256");
  EXPECT_EQ(std::string(key.at("kid").as_string()), ours().kid());
  EXPECT_EQ(key.size(), 7u) << "nothing private";
  EXPECT_EQ(thumbprint("{" + public_members("p256") + "}"), ours().kid());
  EXPECT_EQ(ours().kid().size(), 43u);
  const auto read = read_key_set(ours().published()).value();
  EXPECT_EQ(EVP_PKEY_eq(read.keys().front().key.get(), test_key("p256").get()), 1);
}

TEST(signer, copies_sign_too) {
  const auto copy = ours();
  const auto compact = copy.sign("x", "{}");
  EXPECT_TRUE(verify(read_jws(compact).value(), ours().keys()->keys().front()));
}

TEST(signer, only_a_p256_key_in_pkcs8_form) {
  EXPECT_EQ(pem_flaw(pem("p384")), "the key is not on the curve P-256, which ES256 needs");
  EXPECT_EQ(pem_flaw(pem("secp256k1")), "the key is not on the curve P-256, which ES256 needs");
  EXPECT_EQ(pem_flaw(pem("rsa_2048")), "the key is not on the curve P-256, which ES256 needs");
  EXPECT_EQ(pem_flaw(pem("ed25519")), "the key is not on the curve P-256, which ES256 needs");
  EXPECT_EQ(pem_flaw(pem("sec1")),
            "the key is in SEC 1 form; convert it with `openssl pkcs8 -topk8 -nocrypt`");
  EXPECT_EQ(
      pem_flaw("-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n" +
               pem("sec1")),
      "the key is in SEC 1 form; convert it with `openssl pkcs8 -topk8 -nocrypt`");
  EXPECT_EQ(pem_flaw(pem("encrypted")), "the key is encrypted; decrypt it with `openssl pkcs8`");
  EXPECT_EQ(pem_flaw(pem("public")),
            "this is a public key or a certificate; a private key is needed");
  EXPECT_EQ(pem_flaw("-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n"),
            "the key is an RSA key; a P-256 key is needed (ES256)");
  for (const char* none : {"", "hunter2", "MIGHAgEAMBMGByqGSM49", "{}"})
    EXPECT_EQ(pem_flaw(none), "this is no private key in PKCS#8 PEM form (BEGIN PRIVATE KEY)");
}

TEST(signer, damaged_texts) {
  const auto good = pem("p256");
  EXPECT_EQ(pem_flaw("text before\n" + good + "\ntext behind\n"), "");
  auto crlf = good;
  for (auto at = crlf.find('\n'); at != crlf.npos; at = crlf.find('\n', at + 2))
    crlf.replace(at, 1, "\r\n");
  EXPECT_EQ(pem_flaw(crlf), "");
  auto flat = good;
  for (char& c : flat) c = c == '\n' ? ' ' : c;
  EXPECT_EQ(pem_flaw(flat), "the PEM block is damaged; are its line breaks still there?");
  auto escaped = good;
  for (auto at = escaped.find('\n'); at != escaped.npos; at = escaped.find('\n'))
    escaped.replace(at, 1, "\\n");
  EXPECT_EQ(pem_flaw(escaped), "the PEM block is damaged; are its line breaks still there?");
  EXPECT_NE(pem_flaw(good.substr(0, good.size() / 2)), "");
  EXPECT_NE(pem_flaw("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), "");
  EXPECT_EQ(pem_flaw(good + pem("p256_other")),
            "there is more than one PEM block; only the private key belongs there");
}

TEST(signer, a_public_key_that_is_not_its_own) {
  // The public part within a PKCS#8 text is what would be published: of another key, nobody could
  // verify anything. Both texts end in it, so they can be mixed.
  const auto der_of = [](const std::string& text) {
    std::string base64;
    for (char c : text.substr(28, text.find("-----END") - 28))
      if (c != '\n') base64 += c;
    std::string out(200, '\0');
    const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                     reinterpret_cast<const unsigned char*>(base64.data()),
                                     static_cast<int>(base64.size()));
    out.resize(static_cast<std::size_t>(size));
    return out;
  };
  const auto a = der_of(pem("p256")), b = der_of(pem("p256_other"));
  ASSERT_EQ(a.size(), 138u);
  auto mixed = a.substr(0, 73) + b.substr(73);
  std::string base64(200, '\0');
  base64.resize(static_cast<std::size_t>(
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(base64.data()),
                      reinterpret_cast<const unsigned char*>(mixed.data()), 138)));
  EXPECT_EQ(pem_flaw("-----BEGIN PRIVATE KEY-----\n" + base64 + "\n-----END PRIVATE KEY-----\n"),
            "the private key does not belong to its public key");
}

TEST(signer, errors_quote_nothing_and_leave_nothing) {
  ERR_clear_error();
  for (const char* name : {"p384", "sec1", "encrypted", "rsa_2048"}) {
    const auto text = pem(name);
    const auto line = text.substr(text.find('\n') + 1, 20);
    EXPECT_EQ(pem_flaw(text).find(line), std::string::npos);
  }
  EXPECT_EQ(pem_flaw("-----BEGIN PRIVATE KEY-----\nSECRET\n").find("SECRET"), std::string::npos);
  EXPECT_EQ(ERR_peek_error(), 0u);
}

TEST(signer, thumbprints_only_of_public_keys) {
  EXPECT_EQ(thumbprint("{}"), "");
  EXPECT_EQ(thumbprint("x"), "");
  EXPECT_EQ(thumbprint(R"({"kty":"oct","k":"AA"})"), "");
  EXPECT_EQ(thumbprint(R"({"kty":"EC","crv":"P-256","x":"AA"})"), "");
  EXPECT_EQ(thumbprint(R"({"kty":"RSA","n":1,"e":2})"), "");
}

TEST(minted_claims, all_of_them) {
  minted_claims c;
  c.issuer = "https://gate.example";
  c.audience = "https://gate.example/mcp";
  c.subject = "ada \"l\"";
  c.jti = "j";
  c.client_id = "c";
  c.email = "e@x";
  c.scope = "a b";
  c.groups = R"(["g","h"])";
  c.issued_at = wall_time(std::chrono::milliseconds(1'800'000'000'900));
  c.lifetime = std::chrono::seconds(600);
  EXPECT_EQ(to_json(c),
            R"({"iss":"https://gate.example","sub":"ada \"l\"","aud":"https://gate.example/mcp",)"
            R"("iat":1800000000,"exp":1800000600,"jti":"j","client_id":"c","email":"e@x",)"
            R"("scope":"a b","groups":["g","h"]})");
  c.client_id = c.email = c.scope = c.groups = {};
  EXPECT_EQ(to_json(c),
            R"({"iss":"https://gate.example","sub":"ada \"l\"","aud":"https://gate.example/mcp",)"
            R"("iat":1800000000,"exp":1800000600,"jti":"j"})");
}

TEST(minted_claims, no_claim_twice) {
  minted_claims c;
  c.issuer = "i";
  c.groups = R"(["g"])";
  for (const char* name :
       {"iss", "sub", "aud", "iat", "exp", "nbf", "jti", "client_id", "email", "scope", ""}) {
    c.groups_claim = name;
    EXPECT_EQ(to_json(c).find("[\"g\"]"), std::string::npos) << name;
    EXPECT_TRUE(object::read(to_json(c)).has_value());
  }
  c.groups_claim = "https://x/\"r\"";
  EXPECT_TRUE(to_json(c).ends_with(R"("https://x/\"r\"":["g"]})"));
}

TEST(minted_claims, what_is_minted_is_accepted) {
  minted_claims c;
  c.issuer = "https://gate.example";
  c.audience = "https://gate.example/mcp";
  c.subject = "ada";
  c.jti = "j";
  c.groups = R"(["g"])";
  c.issued_at = wall_time(std::chrono::seconds(1'800'000'000));
  c.lifetime = std::chrono::seconds(600);
  const auto compact = ours().sign("at+jwt", to_json(c));
  const auto t = read_token(compact).value();
  principal who;
  EXPECT_EQ(check_access_token(t, *ours().keys(), {"https://gate.example/mcp", "groups"},
                               c.issued_at, who),
            token_fault::none);
  EXPECT_EQ(who.groups, std::vector<std::string>{"g"});
  EXPECT_EQ(who.expires, c.issued_at + c.lifetime);
}

}  // namespace
}  // namespace gate::oauth
