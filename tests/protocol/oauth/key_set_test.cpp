#include "protocol/oauth/key_set.hpp"

#include <gtest/gtest.h>
#include <openssl/err.h>

#include "protocol/limits.hpp"
#include "simulations/peers/forge.hpp"

namespace gate::oauth {
namespace {

/// How many of these keys are of use; a set without any is an error.
std::size_t useful(std::initializer_list<std::string> jwks) {
  const auto set = read_key_set(jwk_set(jwks));
  return set ? set->keys().size() : 0;
}

/// The public members of a test key, one of them replaced.
std::string replaced(const std::string& key, const std::string& member, const std::string& value) {
  auto text = "{" + public_members(key) + "}";
  const auto at = text.find("\"" + member + "\":") + member.size() + 3;
  text.replace(at, text.find_first_of(",}", at) - at, value);
  return text;
}

std::string rsa_with(const std::string& n, const std::string& e) {
  return R"({"kty":"RSA","n":")" + plain_base64url(n) + R"(","e":")" + plain_base64url(e) + "\"}";
}

/// An odd number of exactly so many bits.
std::string modulus(int bits) {
  std::string out(static_cast<std::size_t>((bits + 7) / 8), '\x5b');
  const int top = (bits - 1) % 8;
  out.front() = static_cast<char>(1 << top | (out.front() & ((1 << top) - 1)));
  return out;
}

TEST(key_set, algorithms_by_their_names) {
  for (const char* name : {"RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "EdDSA"}) {
    const auto a = find_algorithm(name);
    ASSERT_TRUE(a.has_value());
    EXPECT_EQ(to_string(*a), name);
  }
  for (const char* name : {"", "none", "HS256", "PS256", "RS256 ", "es256", "ES256K", "Ed25519"})
    EXPECT_FALSE(find_algorithm(name).has_value());
}

TEST(key_set, the_kinds_of_keys) {
  const auto set = read_key_set(jwk_set({jwk("rsa_2048"), jwk("p256"), jwk("p384"), jwk("p521"),
                                         jwk("ed25519")}))
                       .value();
  ASSERT_EQ(set.keys().size(), 5u);
  const auto fitting = [&](std::size_t i) {
    std::string out;
    for (auto a : {algorithm::rs256, algorithm::rs384, algorithm::rs512, algorithm::es256,
                   algorithm::es384, algorithm::es512, algorithm::eddsa})
      if (fits(set.keys()[i], a)) out += std::string(to_string(a)) + ' ';
    return out;
  };
  EXPECT_EQ(fitting(0), "RS256 RS384 RS512 ");
  EXPECT_EQ(fitting(1), "ES256 ");
  EXPECT_EQ(fitting(2), "ES384 ");
  EXPECT_EQ(fitting(3), "ES512 ");
  EXPECT_EQ(fitting(4), "EdDSA ");
  EXPECT_FALSE(fits(verification_key{}, algorithm::rs256));
}

TEST(key_set, the_same_key_as_openssl_reads) {
  const auto set = read_key_set(jwk_set({jwk("rsa_2048"), jwk("p256"), jwk("p384"), jwk("p521"),
                                         jwk("ed25519")}))
                       .value();
  for (const auto& k : set.keys())
    EXPECT_EQ(EVP_PKEY_eq(k.key.get(), test_key(k.kid).get()), 1) << k.kid;
}

TEST(key_set, texts_that_are_no_set) {
  for (const char* text : {"", "<!DOCTYPE html><html><body>Sign in</body></html>", "[]", "null",
                           "{}", "1", R"({"keys":{}})", R"({"keys":null})", R"({"keys":"x"})",
                           R"({"Keys":[]})", R"({"kty":"RSA"})", R"({"error":"not_found"})",
                           R"({"keys":[)", R"({"keys":[]}x)", R"({"keys":[1,]})"})
    EXPECT_FALSE(read_key_set(text).has_value()) << text;
  EXPECT_FALSE(read_key_set(R"({"keys":[],"keys":[)" + jwk("p256") + "]}").has_value());
  EXPECT_FALSE(read_key_set(R"({"keys":[)" + jwk("p256") + R"(],"k\u0065ys":[]})").has_value());
  EXPECT_TRUE(read_key_set(R"({"x":1,"keys":[)" + jwk("p256") + R"(],"y":{}})").has_value());
}

TEST(key_set, one_without_a_key_of_use_is_a_set) {
  for (const auto& text : {std::string(R"({"keys":[]})"), jwk_set({jwk("p256", R"("use":"enc")")}),
                           jwk_set({jwk("rsa_2048", R"("alg":"PS256")")})}) {
    const auto set = read_key_set(text);
    ASSERT_TRUE(set.has_value()) << text;
    EXPECT_TRUE(set->keys().empty());
    EXPECT_EQ(set->find("p256", algorithm::es256), nullptr);
  }
}

TEST(key_set, holds_a_key_whatever_it_is_called) {
  const auto set = read_key_set(jwk_set({jwk("rsa_2048"), jwk("p256"), jwk("ed25519")})).value();
  for (const auto* name : {"rsa_2048", "p256", "ed25519"})
    EXPECT_TRUE(set.holds(*test_key(name))) << name;
  for (const auto* name : {"p256_other", "p384"}) EXPECT_FALSE(set.holds(*test_key(name))) << name;
}

TEST(key_set, holds_all_keys_of_another_in_any_order) {
  const auto of = [](const std::vector<std::string>& names) {
    std::string all;
    for (const auto& n : names) all += (all.empty() ? "" : ",") + jwk(n);
    return read_key_set(R"({"keys":[)" + all + "]}").value();
  };
  const auto set = of({"rsa_2048", "p256"});
  EXPECT_TRUE(set.holds_all(set));
  EXPECT_TRUE(of({"p256", "ed25519", "rsa_2048"}).holds_all(set));
  EXPECT_TRUE(set.holds_all(of({})));
  EXPECT_FALSE(set.holds_all(of({"p256", "ed25519"})));
  EXPECT_FALSE(of({}).holds_all(set));
}

TEST(key_set, the_number_of_keys_has_a_bound) {
  const auto of = [](std::size_t count) {
    std::string out = R"({"keys":[)" + jwk("ed25519");
    for (std::size_t i = 1; i < count; ++i) out += R"(,{"kty":"none"})";
    return out + "]}";
  };
  EXPECT_TRUE(read_key_set(of(limits::key_set_keys)).has_value());
  EXPECT_EQ(read_key_set(of(limits::key_set_keys + 1)).error().what,
            "the key set has more than 1000 keys");
  EXPECT_FALSE(read_key_set(of(10'000)).has_value());
}

TEST(key_set, useless_keys_do_not_spoil_the_others) {
  const auto good = jwk("p256");
  for (const std::string useless :
       {R"({"kty":"oct","k":"AAAA"})", R"({"kty":"EC"})", "{}", "1", "null", "\"x\"", "[]",
        R"({"kty":1})", R"({"kty":"RSA","n":1,"e":2})", R"({"kty":"AKP","pub":"AA"})",
        R"({"kty":"EC","kty":"EC"})"}) {
    const auto set = read_key_set(jwk_set({useless, good, useless}));
    ASSERT_TRUE(set.has_value()) << useless;
    EXPECT_EQ(set->keys().size(), 1u) << useless;
  }
  EXPECT_EQ(useful({jwk("secp256k1")}), 0u);
  EXPECT_EQ(useful({jwk("ed448")}), 0u);
  EXPECT_EQ(useful({replaced("ed25519", "crv", "\"X25519\"")}), 0u);
}

TEST(key_set, members_that_say_what_a_key_is_for) {
  const auto with = [](const std::string& more) { return useful({jwk("p256", more)}); };
  EXPECT_EQ(with(R"("use":"sig")"), 1u);
  EXPECT_EQ(with(R"("key_ops":["verify"])"), 1u);
  EXPECT_EQ(with(R"("key_ops":["sign","verify"],"use":"sig")"), 1u);
  EXPECT_EQ(with(R"("alg":"ES256")"), 1u);
  EXPECT_EQ(with(R"("x5c":["AAAA"],"x5t":"AA","nbf":1)"), 1u);
  for (const char* more : {R"("use":"enc")",
                           R"("use":"SIG")",
                           R"("use":1)",
                           R"("use":null)",
                           R"("use":["sig"])",
                           R"("key_ops":[])",
                           R"("key_ops":["sign"])",
                           R"("key_ops":"verify")",
                           R"("key_ops":["verify",1])",
                           R"("use":"enc","key_ops":["verify"])",
                           R"("use":"sig","key_ops":["encrypt"])",
                           R"("alg":"ES384")",
                           R"("alg":"RS256")",
                           R"("alg":"HS256")",
                           R"("alg":"ECDH-ES")",
                           R"("alg":"none")",
                           R"("alg":1)",
                           R"("alg":null)",
                           R"("alg":"es256")",
                           R"("alg":"")"})
    EXPECT_EQ(with(more), 0u) << more;
}

TEST(key_set, a_member_twice_spoils_the_key) {
  EXPECT_EQ(useful({jwk("p256", R"("kid":"again")")}), 0u);
  EXPECT_EQ(useful({jwk("p256", R"("use":"sig","\u0075se":"enc")")}), 0u);
  EXPECT_EQ(useful({jwk("p256", R"("y":"AA")")}), 0u);
  EXPECT_EQ(useful({jwk("p256", R"("unknown":1,"unknown":1)"), jwk("p384")}), 1u);
}

TEST(key_set, published_secrets_prove_nothing) {
  for (const char* member : {"d", "p", "q", "dp", "dq", "qi", "oth", "k", "\\u0064"}) {
    EXPECT_EQ(useful({jwk("rsa_2048", std::string("\"") + member + R"(":"AQAB")")}), 0u) << member;
    EXPECT_EQ(useful({jwk("p256", std::string("\"") + member + R"(":null)")}), 0u) << member;
  }
}

TEST(key_set, names) {
  const auto kid_of = [](const std::string& kid) {
    const auto set =
        read_key_set(R"({"keys":[{"kid":)" + kid + "," + public_members("p256") + "}]}");
    return set && !set->keys().empty() ? set->keys().front().kid : "refused";
  };
  EXPECT_EQ(kid_of("\"\""), "");
  EXPECT_EQ(kid_of(R"("a\u0062")"), "ab");
  EXPECT_EQ(kid_of("1"), "refused");
  EXPECT_EQ(kid_of("null"), "refused");
  EXPECT_EQ(kid_of('"' + std::string(limits::key_name_bytes, 'k') + '"').size(),
            limits::key_name_bytes);
  EXPECT_EQ(kid_of('"' + std::string(limits::key_name_bytes + 1, 'k') + '"'), "refused");
  EXPECT_TRUE(read_key_set(jwk_set({"{" + public_members("p256") + "}"}))
                  .value()
                  .keys()
                  .front()
                  .kid.empty());
}

TEST(key_set, rsa_sizes) {
  const std::string e("\x01\x00\x01", 3);
  for (int bits : {2048, 2049, 3072, 4096, 8191, 8192})
    EXPECT_EQ(useful({rsa_with(modulus(bits), e)}), 1u) << bits;
  for (int bits : {8, 512, 1024, 2040, 2047, 8193, 8200, 16384})
    EXPECT_EQ(useful({rsa_with(modulus(bits), e)}), 0u) << bits;
  EXPECT_EQ(useful({jwk("rsa_1024")}), 0u);
  EXPECT_EQ(useful({rsa_with('\0' + modulus(2048), e)}), 1u) << "a needless zero, seen in the wild";
  EXPECT_EQ(useful({rsa_with(std::string(1, '\0') + modulus(2047), e)}), 0u);
}

TEST(key_set, rsa_numbers) {
  const auto n = modulus(2048);
  for (const auto& e : {std::string("\x03"), std::string("\x11"), std::string("\x01\x00\x01", 3),
                        std::string("\0\x01\x00\x01", 4), std::string(8, '\xff')})
    EXPECT_EQ(useful({rsa_with(n, e)}), 1u);
  for (const auto& e : {std::string(), std::string("\0", 1), std::string("\x01"),
                        std::string("\0\x01", 2), std::string("\x02"), std::string("\x01\x00", 2),
                        std::string("\x01\0\0\0\0\0\0\0\x01", 9), std::string(256, '\xff')})
    EXPECT_EQ(useful({rsa_with(n, e)}), 0u);
  auto even = n;
  even.back() = '\x10';
  EXPECT_EQ(useful({rsa_with(even, "\x03")}), 0u);
  EXPECT_EQ(useful({rsa_with(std::string(256, '\0'), "\x03")}), 0u);
}

TEST(key_set, members_are_strict_base64url) {
  for (const auto& [key, member] : std::initializer_list<std::pair<const char*, const char*>>{
           {"rsa_2048", "n"}, {"rsa_2048", "e"}, {"p256", "x"}, {"p256", "y"}, {"ed25519", "x"}})
    for (const char* value : {"\"\"", "1", "null", "\"====\"", "\"A\"", "\"AQAB=\"", "\"AQ AB\"",
                              "\"AQAB\\n\"", "[\"AQAB\"]", "\"+/AA\"", "\"AR\""})
      EXPECT_EQ(useful({replaced(key, member, value)}), 0u) << key << member << value;
}

TEST(key_set, ec_points) {
  const auto point = [](const char* crv, const std::string& x, const std::string& y) {
    return useful({std::string(R"({"kty":"EC","crv":")") + crv + R"(","x":")" + plain_base64url(x) +
                   R"(","y":")" + plain_base64url(y) + "\"}"});
  };
  for (const auto& [crv, size] : std::initializer_list<std::pair<const char*, std::size_t>>{
           {"P-256", 32}, {"P-384", 48}, {"P-521", 66}}) {
    EXPECT_EQ(point(crv, std::string(size, '\0'), std::string(size, '\0')), 0u) << "not on it";
    EXPECT_EQ(point(crv, std::string(size, '\xff'), std::string(size, '\xff')), 0u) << "too large";
    EXPECT_EQ(point(crv, std::string(size, '\1'), std::string(size, '\1')), 0u);
    EXPECT_EQ(point(crv, "", ""), 0u);
    EXPECT_EQ(point(crv, "\0", "\0"), 0u) << "the point at infinity";
  }
  EXPECT_EQ(useful({replaced("p256", "crv", "\"P-384\"")}), 0u);
  EXPECT_EQ(useful({replaced("p384", "crv", "\"P-256\"")}), 0u);
  EXPECT_EQ(useful({replaced("p256", "crv", "\"secp256k1\"")}), 0u);
  EXPECT_EQ(useful({replaced("p256", "crv", "\"p-256\"")}), 0u);
  EXPECT_EQ(useful({replaced("p256", "crv", "\"prime256v1\"")}), 0u);
  EXPECT_EQ(useful({replaced("p256", "crv", "1")}), 0u);
  EXPECT_EQ(useful({replaced("p256", "kty", "\"RSA\"")}), 0u);
  EXPECT_EQ(useful({replaced("p256", "kty", "\"ec\"")}), 0u);
}

TEST(key_set, ec_coordinates_have_exact_lengths_and_stay_below_the_field) {
  // This point has an x with a leading zero byte; and x + p names the same point, if nobody looks.
  const std::string y_of_zero_x =
      "\x66\x48\x5c\x78\x0e\x2f\x83\xd7\x24\x33\xbd\x5d\x84\xa0\x6b\xb6\x54\x1c\x2a\xf3\x1d\xae\x87"
      "\x17\x28\xbf\x85\x6a\x17\x4f\x93\xf4";
  const std::string p(
      "\xff\xff\xff\xff\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff"
      "\xff\xff\xff\xff\xff",
      32);
  const auto key = [&](const std::string& x) {
    return R"({"kty":"EC","crv":"P-256","x":")" + plain_base64url(x) + R"(","y":")" +
           plain_base64url(y_of_zero_x) + "\"}";
  };
  EXPECT_EQ(useful({key(std::string(32, '\0'))}), 1u) << "x is 0, on the curve";
  EXPECT_EQ(useful({key(p)}), 0u) << "x is p: the same residue";
  EXPECT_EQ(useful({key(std::string(31, '\0'))}), 0u);
  EXPECT_EQ(useful({key(std::string(33, '\0'))}), 0u);
  EXPECT_EQ(useful({key(std::string(1, '\0'))}), 0u);
}

TEST(key_set, ed25519_keys_have_32_bytes) {
  const auto of = [](std::size_t size) {
    return useful({R"({"kty":"OKP","crv":"Ed25519","x":")" +
                   plain_base64url(std::string(size, '\x5a')) + "\"}"});
  };
  EXPECT_EQ(of(32), 1u);
  for (std::size_t size : {0, 1, 31, 33, 57, 64}) EXPECT_EQ(of(size), 0u) << size;
}

TEST(key_set, a_key_is_found_by_its_name) {
  const auto set = read_key_set(jwk_set({jwk("rsa_2048"), jwk("p256"), jwk("p384")})).value();
  EXPECT_EQ(set.find("p256", algorithm::es256), &set.keys()[1]);
  EXPECT_EQ(set.find("p256", algorithm::es384), nullptr);
  EXPECT_EQ(set.find("p256", algorithm::rs256), nullptr);
  EXPECT_EQ(set.find("P256", algorithm::es256), nullptr);
  EXPECT_EQ(set.find("other", algorithm::es256), nullptr);
  EXPECT_TRUE(set.knows("p256"));
  EXPECT_FALSE(set.knows("other"));
  EXPECT_FALSE(set.knows(""));
}

TEST(key_set, of_several_with_one_name_the_first_that_fits) {
  const auto named = [](const std::string& key) {
    return R"({"kid":"same",)" + public_members(key) + "}";
  };
  const auto set =
      read_key_set(jwk_set({named("p384"), named("p256"), named("p256_other")})).value();
  EXPECT_EQ(set.find("same", algorithm::es384), &set.keys()[0]);
  EXPECT_EQ(set.find("same", algorithm::es256), &set.keys()[1]);
  EXPECT_EQ(set.find("same", algorithm::rs256), nullptr);
  EXPECT_TRUE(set.knows("same"));
}

TEST(key_set, without_a_name_only_the_one_that_fits) {
  const auto set = read_key_set(jwk_set({jwk("rsa_2048"), jwk("p256"), jwk("p256_other"),
                                         jwk("p384", R"("alg":"ES384")")}))
                       .value();
  EXPECT_EQ(set.find("", algorithm::rs256), &set.keys()[0]);
  EXPECT_EQ(set.find("", algorithm::es384), &set.keys()[3]);
  EXPECT_EQ(set.find("", algorithm::es256), nullptr) << "two fit";
  EXPECT_EQ(set.find("", algorithm::eddsa), nullptr) << "none fits";
}

TEST(key_set, nothing_stays_in_the_error_queue) {
  ERR_clear_error();
  (void)useful({replaced("p256", "crv", "\"P-384\"")});
  (void)useful({R"({"kty":"EC","crv":"P-256","x":")" + plain_base64url(std::string(32, '\1')) +
                R"(","y":")" + plain_base64url(std::string(32, '\1')) + "\"}"});
  EXPECT_EQ(ERR_peek_error(), 0u);
}

}  // namespace
}  // namespace gate::oauth
