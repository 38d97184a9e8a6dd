#include "protocol/oauth/jws.hpp"

#include <gtest/gtest.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>

#include "protocol/limits.hpp"
#include "simulations/peers/forge.hpp"

namespace gate::oauth {
namespace {

struct pairing {
  const char* alg;
  const char* key;
};
constexpr std::initializer_list<pairing> pairings{
    {"RS256", "rsa_2048"}, {"RS384", "rsa_2048"}, {"RS512", "rsa_2048"}, {"ES256", "p256"},
    {"ES384", "p384"},     {"ES512", "p521"},     {"EdDSA", "ed25519"}};

std::string headed(std::string_view header, std::string_view payload = "{}") {
  return token_of(header, payload, "ES256", "p256");
}

std::string jws_flaw(std::string_view compact) {
  const auto text = read_jws(compact);
  return text ? "" : text.error().what;
}

verification_key key_of(const std::string& name, const std::string& more = {}) {
  return read_key_set(jwk_set({jwk(name, more)})).value().keys().front();
}

/// The order of the key's curve.
std::string order_of(const std::string& key, std::size_t size) {
  BIGNUM* n = nullptr;
  EXPECT_EQ(EVP_PKEY_get_bn_param(test_key(key).get(), OSSL_PKEY_PARAM_EC_ORDER, &n), 1);
  std::string out(size, '\0');
  EXPECT_GT(BN_bn2binpad(n, reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(size)),
            0);
  BN_free(n);
  return out;
}

bool holds(std::string_view compact, const verification_key& key) {
  const auto text = read_jws(compact);
  return text && verify(*text, key);
}

TEST(jws, the_parts) {
  const std::string header = R"({"alg":"ES256","kid":"p256","typ":"JWT","x":1})";
  const auto compact = headed(header, "any bytes \xff");
  const auto text = read_jws(compact).value();
  EXPECT_EQ(text.algorithm, algorithm::es256);
  EXPECT_EQ(text.kid, "p256");
  EXPECT_EQ(text.type, "jwt");
  EXPECT_EQ(text.payload, "any bytes \xff");
  EXPECT_EQ(text.signed_part, compact.substr(0, compact.rfind('.')));
  EXPECT_EQ(text.signature.size(), 64u);
}

TEST(jws, other_algorithms_are_refused) {
  for (const char* alg :
       {"none",     "None",   "NONE",   "nOnE",   "HS256",   "HS384",  "HS512",       "PS256",
        "PS384",    "PS512",  "ES256K", "RS1",    "RS256 ",  " RS256", "rs256",       "Rs256",
        "RS256\\n", "EdDSA ", "eddsa",  "EDDSA",  "Ed25519", "Ed448",  "ES521",       "ES224",
        "RSA-OAEP", "",       "dir",    "A128KW", "RS25",    "RS2566", "RS256\\u0000"}) {
    const auto header = std::string(R"({"alg":")") + alg + R"("})";
    EXPECT_EQ(jws_flaw(headed(header)), "the token's algorithm is not accepted") << alg;
  }
  for (const char* alg : {"1", "null", "true", R"(["RS256"])", R"({"RS256":1})"})
    EXPECT_EQ(jws_flaw(headed(std::string(R"({"alg":)") + alg + "}")),
              "the token's algorithm is not accepted");
  EXPECT_EQ(jws_flaw(headed("{}")), "the token's algorithm is not accepted");
  EXPECT_EQ(jws_flaw(headed(R"({"ALG":"ES256"})")), "the token's algorithm is not accepted");
  EXPECT_EQ(jws_flaw(headed(R"({"a\u006cg":"E\u0053256"})")), "")
      << "the same text, spelled otherwise";
}

TEST(jws, exactly_three_parts) {
  const auto good = headed(R"({"alg":"ES256"})");
  const auto first = good.find('.'), last = good.rfind('.');
  for (const auto& text :
       {std::string(), std::string("."), std::string("..."), good.substr(0, last),
        good.substr(first + 1), good + ".", good + ".e30", "." + good, good + ".." + good,
        good.substr(0, last) + "." + good.substr(last)})
    EXPECT_EQ(jws_flaw(text), "the token does not have three parts") << text;
  EXPECT_FALSE(read_jws("..").has_value());
  EXPECT_FALSE(read_jws(good.substr(first)).has_value()) << "no header";
  EXPECT_FALSE(read_jws(R"({"payload":"e30","protected":"e30","signature":"AA"})").has_value());
  const auto unsigned_text = good.substr(0, last + 1);
  EXPECT_FALSE(holds(unsigned_text, key_of("p256")));
}

TEST(jws, strict_base64url) {
  const auto good = headed(R"({"alg":"ES256","x":1})", "{\"a\":12}");
  ASSERT_TRUE(read_jws(good).has_value());
  const auto first = good.find('.'), last = good.rfind('.');
  for (std::size_t end : {first, last, good.size()})
    for (const char* more : {"=", "==", "\n", " ", "\t", "%3D", "+", "/", "A", "\xc3\xa9"}) {
      auto text = good;
      text.insert(end, more);
      if (holds(text, key_of("p256"))) ADD_FAILURE() << end << more;
    }
  EXPECT_EQ(jws_flaw(" " + good), "the token is not base64url");
  EXPECT_EQ(jws_flaw(good + "\n"), "the token is not base64url");
  EXPECT_EQ(jws_flaw(good + std::string(1, '\0')), "the token is not base64url");
}

TEST(jws, the_header_is_an_object_without_doubt) {
  for (const char* header :
       {"", "[]", "1", "\"ES256\"", "null", R"({"alg":"ES256")", R"({"alg":"ES256"}})",
        R"({"alg":"ES256"}{})", R"({"alg":"ES256",})", R"({alg:"ES256"})",
        "{\"alg\":\"ES256\"}\xff", "{\"alg\":\"ES256\",\"x\":\"\xff\"}", R"({"alg":"ES256"} x)",
        "\xef\xbb\xbf{\"alg\":\"ES256\"}"})
    EXPECT_FALSE(read_jws(headed(header)).has_value()) << header;
  for (const char* header :
       {R"({"alg":"ES256","alg":"ES256"})", R"({"alg":"none","alg":"ES256"})",
        R"({"alg":"ES256","\u0061lg":"none"})", R"({"alg":"ES256","x":1,"y":2,"x":1})",
        R"({"alg":"ES256","kid":"a","k\u0069d":"b"})", R"({"alg":"ES256","":1,"":2})",
        R"({"alg":"ES256","\u00e9":1,"é":2})", R"({"alg":"ES256","\/":1,"/":2})",
        R"({"alg":"ES256","\ud83d\udd11":1,"🔑":2})"})
    EXPECT_EQ(jws_flaw(headed(header)), "the token's header has a member twice") << header;
  EXPECT_EQ(jws_flaw(headed(R"( {"alg" : "ES256" , "x":{"a":1,"a":2}} )")), "")
      << "deeper is not read";
  const auto deep = [](int depth) {
    return R"({"alg":"ES256","x":)" + std::string(depth, '[') + std::string(depth, ']') + '}';
  };
  EXPECT_EQ(jws_flaw(headed(deep(limits::json_depth - 1))), "");
  EXPECT_FALSE(read_jws(headed(deep(limits::json_depth))).has_value());
}

TEST(jws, extensions_that_must_be_understood_are_refused) {
  for (const char* header :
       {R"({"alg":"ES256","crit":["exp"],"exp":1})", R"({"alg":"ES256","crit":[]})",
        R"({"alg":"ES256","crit":null})", R"({"alg":"ES256","cr\u0069t":["b64"],"b64":false})",
        R"({"alg":"ES256","b64":true})", R"({"alg":"ES256","b64":false})"})
    EXPECT_EQ(jws_flaw(headed(header)), "the token needs an extension that is not supported")
        << header;
}

TEST(jws, keys_that_the_text_brings_are_ignored) {
  const auto own = R"(,"jwk":)" + jwk("p256_other") + R"(,"jku":"https://evil.example/keys")" +
                   R"(,"x5u":"https://evil.example/x","x5c":["AAAA"],"x5t":"AA"})";
  const auto compact = token_of(R"({"alg":"ES256")" + own, "{}", "ES256", "p256_other");
  EXPECT_FALSE(holds(compact, key_of("p256"))) << "signed by the key that it brings";
  EXPECT_TRUE(holds(headed(R"({"alg":"ES256")" + own), key_of("p256")));
}

TEST(jws, the_kid_is_a_string_of_some_length) {
  for (const char* kid : {"1", "null", "true", "[]", "{}", R"(["a"])"})
    EXPECT_EQ(jws_flaw(headed(std::string(R"({"alg":"ES256","kid":)") + kid + "}")),
              "the token's kid is not a string, or is too long");
  const auto named = [](const std::string& kid) {
    return headed(R"({"alg":"ES256","kid":")" + kid + R"("})");
  };
  EXPECT_EQ(read_jws(named(std::string(limits::key_name_bytes, 'k'))).value().kid.size(),
            limits::key_name_bytes);
  EXPECT_FALSE(read_jws(named(std::string(limits::key_name_bytes + 1, 'k'))).has_value());
  EXPECT_EQ(read_jws(named("a\\u0062c")).value().kid, "abc");
  EXPECT_FALSE(read_jws(named("\\ud800")).has_value()) << "no text";
  EXPECT_EQ(read_jws(named("")).value().kid, "");
  EXPECT_EQ(read_jws(headed(R"({"alg":"ES256"})")).value().kid, "");
}

TEST(jws, the_type_is_compared_without_case_and_tree) {
  const auto typed = [](const std::string& typ) {
    return read_jws(headed(R"({"alg":"ES256","typ":)" + typ + "}"));
  };
  EXPECT_EQ(typed(R"("JWT")").value().type, "jwt");
  EXPECT_EQ(typed(R"("at+JWT")").value().type, "at+jwt");
  EXPECT_EQ(typed(R"("application/at+jwt")").value().type, "at+jwt");
  EXPECT_EQ(typed(R"("APPLICATION/OAuth-ID-JAG+JWT")").value().type, "oauth-id-jag+jwt");
  EXPECT_EQ(typed(R"("application/application/x")").value().type, "application/x");
  EXPECT_EQ(typed(R"("text/x")").value().type, "text/x");
  EXPECT_FALSE(typed("1").has_value());
  EXPECT_FALSE(typed("null").has_value());
}

TEST(jws, the_length_has_a_bound) {
  const auto part = plain_base64url(R"({"alg":"ES256"})") + ".";
  const auto of = [&](std::size_t size) {
    return part + std::string(size - part.size() - 5, 'A') + ".AAAA";
  };
  EXPECT_TRUE(read_jws(of(limits::token_bytes)).has_value());
  EXPECT_EQ(jws_flaw(of(limits::token_bytes + 4)), "the token is too long");
  EXPECT_EQ(jws_flaw(std::string(10'000'000, '.')), "the token is too long");
}

TEST(jws, every_algorithm_wants_its_own_kind_of_key) {
  for (const auto& [alg, signing] : pairings) {
    const auto compact = token_of("{}", alg, signing);
    for (const char* other : {"rsa_2048", "p256", "p256_other", "p384", "p521", "ed25519"}) {
      EXPECT_EQ(holds(compact, key_of(other)), std::string(other) == signing) << alg << other;
    }
  }
}

TEST(jws, the_header_can_not_choose_another_algorithm) {
  // The signature is of the true algorithm, the header names another: of the same key, and of
  // others. Swapping the digest of an RSA key is the only one where key and length would fit.
  for (const auto& [alg, key] : pairings)
    for (const auto& [claimed, unused] : pairings) {
      const auto header = std::string(R"({"alg":")") + claimed + R"("})";
      const auto compact = token_of(header, "{}", alg, key);
      EXPECT_EQ(holds(compact, key_of(key)), std::string(alg) == claimed) << alg << claimed;
    }
}

TEST(jws, a_public_key_is_no_secret_to_authenticate_with) {
  // The classic: HMAC with the public key's text. There is no HMAC here at all.
  const auto text =
      plain_base64url(R"({"alg":"HS256","kid":"rsa_2048"})") + '.' + plain_base64url("{}");
  EXPECT_FALSE(read_jws(text + '.' + plain_base64url(std::string(32, 'x'))).has_value());
}

TEST(jws, a_key_that_names_its_algorithm_is_for_that_alone) {
  const auto only_384 = key_of("rsa_2048", R"("alg":"RS384")");
  EXPECT_FALSE(holds(token_of("{}", "RS256", "rsa_2048"), only_384));
  EXPECT_TRUE(holds(token_of("{}", "RS384", "rsa_2048"), only_384));
  EXPECT_FALSE(holds(token_of("{}", "RS512", "rsa_2048"), only_384));
}

TEST(jws, pss_keys_and_signatures_are_refused) {
  verification_key pss{"", {}, test_key("rsa_pss")};
  EXPECT_FALSE(fits(pss, algorithm::rs256));
  const auto as_rs256 = token_of(R"({"alg":"RS256"})", "{}", "PS256", "rsa_2048");
  EXPECT_FALSE(holds(as_rs256, key_of("rsa_2048"))) << "PSS padding under the name of RS256";
}

TEST(jws, signatures_have_exactly_one_length) {
  for (const auto& [alg, key] : pairings) {
    const auto compact = token_of("{}", alg, key);
    auto text = read_jws(compact).value();
    const auto good = text.signature;
    ASSERT_TRUE(verify(text, key_of(key))) << alg;
    for (const auto& other :
         {std::string(), good.substr(1), good.substr(0, good.size() - 1), good + '\0', '\0' + good,
          good + good, good.substr(0, good.size() / 2), std::string(1, '\0')}) {
      text.signature = other;
      EXPECT_FALSE(verify(text, key_of(key))) << alg << other.size();
    }
    for (std::size_t bit = 0; bit < good.size() * 8; bit += 5) {
      text.signature = good;
      text.signature[bit / 8] = static_cast<char>(text.signature[bit / 8] ^ (1 << bit % 8));
      EXPECT_FALSE(verify(text, key_of(key))) << alg << bit;
    }
  }
}

TEST(jws, ecdsa_numbers_out_of_range) {
  for (const auto& [alg, key] :
       std::initializer_list<pairing>{{"ES256", "p256"}, {"ES384", "p384"}, {"ES512", "p521"}}) {
    const auto compact = token_of("{}", alg, key);
    auto text = read_jws(compact).value();
    const auto size = text.signature.size() / 2;
    const auto n = order_of(key, size);
    const auto r = text.signature.substr(0, size), s = text.signature.substr(size);
    const std::string zero(size, '\0'), most(size, '\xff');
    auto one = zero;
    one.back() = 1;
    for (const auto& a : {r, zero, one, n, most})
      for (const auto& b : {s, zero, one, n, most}) {
        text.signature = a + b;
        EXPECT_EQ(verify(text, key_of(key)), a == r && b == s) << alg;
      }
    text.signature = s + r;
    EXPECT_FALSE(verify(text, key_of(key)));
  }
}

TEST(jws, der_signatures_are_refused) {
  // What OpenSSL itself makes: a library that takes both spellings gives each token a twin.
  const auto compact = token_of("{}", "ES256", "p256");
  const auto text = compact.substr(0, compact.rfind('.'));
  const std::shared_ptr<EVP_MD_CTX> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::string der(80, '\0');
  std::size_t size = der.size();
  EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, test_key("p256").get());
  ASSERT_EQ(EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(der.data()), &size,
                           reinterpret_cast<const unsigned char*>(text.data()), text.size()),
            1);
  der.resize(size);
  EXPECT_FALSE(holds(text + '.' + plain_base64url(der), key_of("p256")));
}

TEST(jws, nothing_stays_in_the_error_queue) {
  ERR_clear_error();
  for (const auto& [alg, key] : pairings) {
    auto compact = token_of("{}", alg, key);
    auto text = read_jws(compact).value();
    text.signature[3] ^= 1;
    EXPECT_FALSE(verify(text, key_of(key)));
    text.signature.assign(text.signature.size(), '\xff');
    EXPECT_FALSE(verify(text, key_of(key)));
  }
  EXPECT_EQ(ERR_peek_error(), 0u);
  // What was there before stays.
  ERR_raise(ERR_LIB_USER, 7);
  auto compact = token_of("{}", "RS256", "rsa_2048");
  auto text = read_jws(compact).value();
  text.signature.assign(text.signature.size(), '\xff');
  EXPECT_FALSE(verify(text, key_of("rsa_2048")));
  EXPECT_EQ(ERR_GET_REASON(ERR_get_error()), 7);
  EXPECT_EQ(ERR_get_error(), 0u);
}

TEST(jws, errors_quote_nothing) {
  for (const auto& text :
       {headed(R"({"alg":"SECRET"})"), headed(R"({"alg":"ES256","kid":7,"x":"SECRET"})"),
        headed(R"({"SECRET":1,"SECRET":2})"), std::string("SECRET.SECRET"),
        std::string("SECRET!.e30.AA"), headed("SECRET")})
    EXPECT_EQ(jws_flaw(text).find("SECRET"), std::string::npos) << jws_flaw(text);
}

}  // namespace
}  // namespace gate::oauth
