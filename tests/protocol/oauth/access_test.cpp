// check_access_token (protocol/oauth/token): what is asked of an access token, and in which order.
#include <gtest/gtest.h>

#include "protocol/oauth/signer.hpp"
#include "protocol/oauth/token.hpp"
#include "simulations/peers/forge.hpp"

namespace gate::oauth {
namespace {

using std::chrono::seconds;

constexpr std::int64_t now = 1'800'000'000;
constexpr std::string_view us = "https://gate.example/mcp";

wall_time at(std::int64_t second) {
  return wall_time(seconds(second));
}

const key_set& keys() {
  static const auto set =
      read_key_set(jwk_set({jwk("p256"), jwk("rsa_2048"), jwk("ed25519")})).value();
  return set;
}

struct outcome {
  token_fault fault;
  principal who;
};

outcome check(const std::string& compact, std::int64_t when = now,
              const access_rules& rules = {us, "groups"}) {
  outcome out{};
  const auto t = read_token(compact);
  EXPECT_TRUE(t.has_value()) << (t ? "" : t.error().what);
  if (t) out.fault = check_access_token(*t, keys(), rules, at(when), out.who);
  return out;
}

/// Good but for what `more` says.
std::string payload(const std::string& more) {
  return R"({"iss":"https://idp.example","sub":"ada","aud":"https://gate.example/mcp","exp":)" +
         std::to_string(now + 100) + more + '}';
}

std::string signed_with_p256(const std::string& payload) {
  return token_of(payload, "ES256", "p256");
}

TEST(access, a_good_token_makes_a_principal) {
  const auto claims = payload(R"(,"groups":["a","b"],"x":{"y":1})");
  const auto out = check(signed_with_p256(claims));
  EXPECT_EQ(out.fault, token_fault::none);
  EXPECT_EQ(out.who.issuer, "https://idp.example");
  EXPECT_EQ(out.who.subject, "ada");
  EXPECT_EQ(out.who.groups, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(out.who.claims, claims);
  EXPECT_EQ(out.who.expires, at(now + 100));
  EXPECT_EQ(out.who.key, principal_key("https://idp.example", "ada"));
}

TEST(access, every_algorithm) {
  const auto all = read_key_set(jwk_set({jwk("p256"), jwk("p384"), jwk("p521"), jwk("rsa_2048"),
                                         jwk("ed25519")}))
                       .value();
  for (const auto& [alg, key] :
       std::initializer_list<std::pair<const char*, const char*>>{{"RS256", "rsa_2048"},
                                                                  {"RS384", "rsa_2048"},
                                                                  {"RS512", "rsa_2048"},
                                                                  {"ES256", "p256"},
                                                                  {"ES384", "p384"},
                                                                  {"ES512", "p521"},
                                                                  {"EdDSA", "ed25519"}}) {
    const auto compact = token_of(payload(""), alg, key);
    const auto t = read_token(compact).value();
    principal who;
    EXPECT_EQ(check_access_token(t, all, {us, ""}, at(now), who), token_fault::none) << alg;
    EXPECT_EQ(who.subject, "ada");
  }
}

TEST(access, what_our_signer_mints) {
  const auto s = signer::from_pem(key_file("p256")).value();
  const auto compact = s.sign("at+jwt", payload(""));
  const auto t = read_token(compact).value();
  EXPECT_EQ(t.type, "at+jwt");
  EXPECT_EQ(t.kid, s.kid());
  principal who;
  EXPECT_EQ(check_access_token(t, *s.keys(), {us, ""}, at(now), who), token_fault::none);
}

TEST(access, the_key_is_looked_for_first) {
  // Nothing else about these tokens is right either.
  const std::string wrong = R"({"aud":"x"})";
  EXPECT_EQ(check(token_of(R"({"alg":"ES256","kid":"other"})", wrong, "ES256", "p256")).fault,
            token_fault::unknown_key);
  EXPECT_EQ(check(token_of(R"({"alg":"ES384"})", wrong, "ES384", "p384")).fault,
            token_fault::unknown_key)
      << "no name, and no key that fits";
  EXPECT_EQ(check(token_of(R"({"alg":"ES256","kid":"rsa_2048"})", wrong, "ES256", "p256")).fault,
            token_fault::signature)
      << "the key is known, but of another kind: no newer set will help";
  EXPECT_EQ(check(token_of(R"({"alg":"ES256","kid":""})", payload(""), "ES256", "p256")).fault,
            token_fault::none)
      << "no name, and one key that fits";
}

TEST(access, the_order_of_the_checks) {
  const auto late = std::to_string(now - 1000);
  EXPECT_EQ(check(token_of(R"({"alg":"ES256","kid":"p256","typ":"oauth-id-jag+jwt"})",
                           R"({"aud":"x","exp":)" + late + "}", "ES256", "p256_other"))
                .fault,
            token_fault::signature);
  EXPECT_EQ(check(token_of(R"({"alg":"ES256","kid":"p256","typ":"application/OAuth-ID-JAG+jwt"})",
                           R"({"aud":"x","exp":)" + late + "}", "ES256", "p256"))
                .fault,
            token_fault::type);
  EXPECT_EQ(check(signed_with_p256(R"({"aud":"x","exp":)" + late + "}")).fault,
            token_fault::audience);
  EXPECT_EQ(
      check(signed_with_p256(R"({"aud":"https://gate.example/mcp","exp":)" + late + "}")).fault,
      token_fault::subject);
  EXPECT_EQ(check(signed_with_p256(R"({"sub":"","aud":"https://gate.example/mcp"})")).fault,
            token_fault::subject);
  EXPECT_EQ(check(signed_with_p256(R"({"sub":"a","aud":"https://gate.example/mcp"})")).fault,
            token_fault::no_expiry);
}

TEST(access, the_audience_is_compared_byte_for_byte) {
  const auto with_audience = [](const std::string& aud) {
    return check(signed_with_p256(R"({"sub":"ada","exp":)" + std::to_string(now) + R"(,"aud":)" +
                                  aud + "}"))
        .fault;
  };
  for (const char* good :
       {R"("https://gate.example/mcp")", R"(["https://gate.example/mcp"])",
        R"(["x","https://gate.example/mcp","y"])", R"("https:\/\/gate.example\/mcp")"})
    EXPECT_EQ(with_audience(good), token_fault::none) << good;
  for (const char* bad :
       {R"("https://gate.example/mcp/")", R"("https://gate.example/")", R"("https://gate.example")",
        R"("https://GATE.example/mcp")", R"("https://gate.example:443/mcp")", R"("")", "[]",
        R"("https://gate.example/mcp ")", R"("https://gate.example/mcp x")", R"(["x"])",
        R"("https://gate.example/mcp\u0000")", R"("*")", R"("http://gate.example/mcp")"})
    EXPECT_EQ(with_audience(bad), token_fault::audience) << bad;
}

TEST(access, times_to_the_second) {
  const auto fault = [](const std::string& times, std::int64_t when) {
    return check(signed_with_p256(R"({"sub":"a","aud":"https://gate.example/mcp",)" + times + "}"),
                 when)
        .fault;
  };
  constexpr std::int64_t leeway = 30;
  EXPECT_EQ(fault(R"("exp":1000)", 1000 + leeway - 1), token_fault::none);
  EXPECT_EQ(fault(R"("exp":1000)", 1000 + leeway), token_fault::expired);
  EXPECT_EQ(fault(R"("exp":1000.9)", 1000 + leeway), token_fault::expired);
  EXPECT_EQ(fault(R"("exp":1e3)", 1000 + leeway - 1), token_fault::none);
  EXPECT_EQ(fault(R"("exp":9000,"nbf":1000)", 1000 - leeway - 1), token_fault::not_yet);
  EXPECT_EQ(fault(R"("exp":9000,"nbf":1000)", 1000 - leeway), token_fault::none);
  EXPECT_EQ(fault(R"("exp":9000,"iat":1000)", 1000 - leeway - 1), token_fault::not_yet);
  EXPECT_EQ(fault(R"("exp":9000,"iat":1000)", 1000 - leeway), token_fault::none);
  EXPECT_EQ(fault(R"("exp":-1)", 1000), token_fault::expired);
  EXPECT_EQ(fault(R"("exp":0)", 1000), token_fault::expired);
  EXPECT_EQ(fault(R"("exp":-253402300799)", 1000), token_fault::expired);
  EXPECT_EQ(fault(R"("exp":253402300799,"nbf":-253402300799,"iat":-5)", 1000), token_fault::none);
  EXPECT_EQ(fault(R"("exp":253402300799,"nbf":253402300799)", 1000), token_fault::not_yet);
}

TEST(access, parts_of_a_second) {
  const auto compact =
      signed_with_p256(R"({"sub":"a","aud":"https://gate.example/mcp","exp":1000,"nbf":900})");
  const auto t = read_token(compact).value();
  principal who;
  const access_rules rules{us, ""};
  using std::chrono::milliseconds;
  EXPECT_EQ(check_access_token(t, keys(), rules, at(1029) + milliseconds(999), who),
            token_fault::none);
  EXPECT_EQ(check_access_token(t, keys(), rules, at(1030), who), token_fault::expired);
  EXPECT_EQ(check_access_token(t, keys(), rules, at(870) - milliseconds(1), who),
            token_fault::not_yet);
  EXPECT_EQ(check_access_token(t, keys(), rules, at(870), who), token_fault::none);
}

TEST(access, expiry_without_leeway_and_within_the_clock) {
  const auto far =
      check(signed_with_p256(R"({"sub":"a","aud":"https://gate.example/mcp","exp":253402300799})"));
  EXPECT_EQ(far.fault, token_fault::none);
  EXPECT_GT(far.who.expires, at(now));
}

TEST(access, groups_only_of_a_list_of_strings) {
  const auto groups = [](const std::string& value, std::string_view claim = "groups") {
    auto out = check(signed_with_p256(payload(R"(,"groups":)" + value)), now, {us, claim});
    EXPECT_EQ(out.fault, token_fault::none) << "groups never make a token bad";
    return out.who.groups;
  };
  using list = std::vector<std::string>;
  EXPECT_EQ(groups(R"(["a","b"])"), (list{"a", "b"}));
  EXPECT_EQ(groups(R"(["\u0061 b"])"), list{"a b"});
  EXPECT_EQ(groups("[]"), list{});
  for (const char* none :
       {R"("admin")", R"("admin user")", "1", "null", "true", "{}", R"({"admin":true})",
        R"(["a",1])", R"(["a",null])", R"(["a",["b"]])", R"(["\ud800"])"})
    EXPECT_EQ(groups(none), list{}) << none;
  EXPECT_EQ(groups(R"(["a"])", ""), list{});
  EXPECT_EQ(groups(R"(["a"])", "roles"), list{});
  EXPECT_EQ(groups(R"(["a"])", "sub"), list{}) << "a string";
}

TEST(access, groups_of_any_claim) {
  const auto out =
      check(signed_with_p256(
                payload(R"(,"https://idp.example/r\u006fles":["x"],"a.b":["y"],"a":{"b":["z"]})")),
            now, {us, "https://idp.example/roles"});
  EXPECT_EQ(out.who.groups, std::vector<std::string>{"x"});
  EXPECT_EQ(check(signed_with_p256(payload(R"(,"a.b":["y"],"a":{"b":["z"]})")), now, {us, "a.b"})
                .who.groups,
            std::vector<std::string>{"y"})
      << "a name, not a path";
}

TEST(access, who_is_not_touched_by_a_bad_token) {
  principal who;
  who.subject = "before";
  const auto compact = signed_with_p256(R"({"sub":"after","aud":"https://gate.example/mcp"})");
  const auto t = read_token(compact).value();
  EXPECT_EQ(check_access_token(t, keys(), {us, ""}, at(now), who), token_fault::no_expiry);
  EXPECT_EQ(who.subject, "before");
}

}  // namespace
}  // namespace gate::oauth
