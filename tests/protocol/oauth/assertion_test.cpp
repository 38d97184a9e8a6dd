#include "protocol/oauth/assertion.hpp"

#include <gtest/gtest.h>

#include <map>

#include "protocol/limits.hpp"
#include "simulations/peers/forge.hpp"

namespace gate::oauth {
namespace {

constexpr std::int64_t today = 1'800'000'000;
constexpr assertion_rules rules{"https://idp.example", "https://gate.example",
                                "https://gate.example/mcp", "client-1"};

using members = std::map<std::string, std::string>;

/// A good assertion's claims; `change` sets members, an empty value removes one.
std::string claims(const members& change = {}) {
  members all{{"iss", R"("https://idp.example")"},
              {"sub", R"("ada")"},
              {"aud", R"("https://gate.example")"},
              {"client_id", R"("client-1")"},
              {"jti", R"("id-1")"},
              {"iat", std::to_string(today - 5)},
              {"exp", std::to_string(today + 300)}};
  for (const auto& [name, value] : change) all[name] = value;
  std::string out;
  for (const auto& [name, value] : all)
    if (!value.empty()) out += (out.empty() ? "{\"" : ",\"") + name + "\":" + value;
  return out + "}";
}

std::string sealed(const std::string& claims, const std::string& key = "p256",
                   const std::string& typ = "oauth-id-jag+jwt") {
  return token_of(R"({"alg":"ES256","kid":"p256","typ":")" + typ + R"("})", claims, "ES256", key);
}

struct judgement {
  result<assertion> said;
  bool needs_key;
};

judgement check_text(const std::string& compact, const assertion_rules& r = rules,
                     std::string_view groups = "groups", std::int64_t when = today) {
  static const auto keys = read_key_set(jwk_set({jwk("p256"), jwk("p384")})).value();
  const auto t = read_token(compact).value();
  judgement out{problem{}, true};
  out.said =
      check_assertion(t, keys, r, groups, wall_time(std::chrono::seconds(when)), out.needs_key);
  return out;
}

/// What is wrong with it; empty if nothing is.
std::string why(const members& change, const assertion_rules& r = rules) {
  const auto out = check_text(sealed(claims(change)), r);
  EXPECT_FALSE(out.needs_key);
  return out.said ? "" : out.said.error().what;
}

TEST(assertion, a_good_one) {
  const auto out = check_text(sealed(claims({{"scope", R"("a b")"},
                                             {"email", R"("ada@example.com")"},
                                             {"groups", R"([ "x", "y" ])"},
                                             {"resource", R"("https://gate.example/mcp")"},
                                             {"act", R"({"sub":"agent"})"}})));
  ASSERT_TRUE(out.said.has_value()) << out.said.error().what;
  EXPECT_FALSE(out.needs_key);
  EXPECT_EQ(out.said->subject, "ada");
  EXPECT_EQ(out.said->client_id, "client-1");
  EXPECT_EQ(out.said->jti, "id-1");
  EXPECT_EQ(out.said->scope, "a b");
  EXPECT_EQ(out.said->email, "ada@example.com");
  EXPECT_EQ(out.said->groups, R"([ "x", "y" ])");
  EXPECT_EQ(out.said->expires, wall_time(std::chrono::seconds(today + 300)));
}

TEST(assertion, a_short_one) {
  const auto out = check_text(sealed(claims()));
  ASSERT_TRUE(out.said.has_value()) << out.said.error().what;
  EXPECT_EQ(out.said->scope + out.said->email + out.said->groups, "");
}

TEST(assertion, the_order_of_the_checks) {
  // Each text has all the faults that come after its own.
  members wrong{{"iss", R"("x")"}, {"aud", R"("x")"},      {"sub", ""},  {"client_id", ""},
                {"cnf", "{}"},     {"resource", R"("x")"}, {"exp", "1"}, {"jti", ""}};
  EXPECT_EQ(check_text(sealed(claims(wrong), "p256_other", "jwt")).said.error().what,
            "the assertion's typ is not oauth-id-jag+jwt");
  EXPECT_EQ(check_text(sealed(claims(wrong), "p256_other")).said.error().what,
            "the assertion's issuer is not trusted");
  wrong.erase("iss");
  EXPECT_EQ(check_text(sealed(claims(wrong), "p256_other")).said.error().what,
            "the assertion's signature is not valid");
  for (const auto& [member, sentence] : std::initializer_list<std::pair<const char*, const char*>>{
           {"aud", "the assertion is for another audience"},
           {"sub", "the assertion names no subject"},
           {"client_id", "the assertion has no client_id"},
           {"resource", "the assertion is for another resource"},
           {"cnf", "the assertion is bound to a key, which is not supported"},
           {"exp", "the assertion has expired"},
           {"jti", "the assertion has no jti, or one that is too long"}}) {
    EXPECT_EQ(why(wrong), sentence);
    wrong.erase(member);
  }
  EXPECT_EQ(why(wrong), "");
}

TEST(assertion, types) {
  for (const char* typ : {"oauth-id-jag+jwt", "OAUTH-ID-JAG+JWT", "application/oauth-id-jag+jwt"})
    EXPECT_TRUE(check_text(sealed(claims(), "p256", typ)).said.has_value()) << typ;
  for (const char* typ : {"", "jwt", "at+jwt", "id-jag+jwt", "oauth-id-jag", "oauth-id-jag+jwt "})
    EXPECT_FALSE(check_text(sealed(claims(), "p256", typ)).said.has_value()) << typ;
  EXPECT_FALSE(check_text(token_of(claims(), "ES256", "p256")).said.has_value()) << "no typ";
}

TEST(assertion, a_missing_key_is_told_apart) {
  const auto with_kid = [](const std::string& kid, const std::string& alg = "ES256",
                           const std::string& key = "p256") {
    return token_of(R"({"alg":")" + alg + R"(","kid":")" + kid + R"(","typ":"oauth-id-jag+jwt"})",
                    claims(), alg, key);
  };
  auto out = check_text(with_kid("other"));
  EXPECT_TRUE(out.needs_key);
  EXPECT_EQ(out.said.error().what,
            "the assertion is signed with a key that its issuer does not publish");
  out = check_text(with_kid("p384"));
  EXPECT_FALSE(out.needs_key) << "known, and of another kind";
  EXPECT_FALSE(out.said.has_value());
  EXPECT_FALSE(check_text(sealed(claims({{"iss", R"("x")"}}))).needs_key)
      << "nothing is fetched for issuers that are not trusted";
}

TEST(assertion, issuers_are_compared_byte_for_byte) {
  for (const char* iss : {R"("https://idp.example/")", R"("https://IDP.example")", R"("")",
                          R"("http://idp.example")"})
    EXPECT_EQ(why({{"iss", iss}}), "the assertion's issuer is not trusted") << iss;
  EXPECT_EQ(why({{"iss", ""}}), "the assertion's issuer is not trusted") << "none";
}

TEST(assertion, exactly_one_audience) {
  for (const char* good :
       {R"("https://gate.example")", R"("https://gate.example/")", R"(["https://gate.example/"])",
        R"("https://gate.example/mcp")", R"(["https://gate.example/mcp"])"})
    EXPECT_EQ(why({{"aud", good}}), "") << good;
  for (const char* bad : {R"("https://gate.example//")", R"("https://gate.example/mcp/")",
                          R"("https://gate.example/x")", R"("https://GATE.example")",
                          R"("https://gate.example ")", R"("")", R"("/")"})
    EXPECT_EQ(why({{"aud", bad}}), "the assertion is for another audience") << bad;
  for (const char* count : {"[]", R"(["https://gate.example","https://gate.example"])",
                            R"(["https://gate.example","https://other.example"])"})
    EXPECT_EQ(why({{"aud", count}}), "the assertion does not have exactly one audience") << count;
  EXPECT_EQ(why({{"aud", ""}}), "the assertion does not have exactly one audience");
}

TEST(assertion, subjects) {
  EXPECT_EQ(why({{"sub", ""}}), "the assertion names no subject");
  EXPECT_EQ(why({{"sub", R"("")"}}), "the assertion names no subject");
}

TEST(assertion, clients) {
  for (const char* none : {"", "\"\"", "1", "null", R"(["client-1"])"})
    EXPECT_EQ(why({{"client_id", none}}), "the assertion has no client_id") << none;
  EXPECT_EQ(why({{"client_id", R"("client-2")"}}), "the assertion is for another client");
  auto any = rules;
  any.client_id = {};
  const auto out = check_text(sealed(claims({{"client_id", R"("client-2")"}})), any);
  ASSERT_TRUE(out.said.has_value());
  EXPECT_EQ(out.said->client_id, "client-2") << "the request named none";
}

TEST(assertion, resources) {
  for (const char* good : {"", R"("https://gate.example/mcp")", R"(["https://gate.example/mcp"])",
                           R"(["https://gate.example/mcp","https://gate.example/mcp"])"})
    EXPECT_EQ(why({{"resource", good}}), "") << good;
  for (const char* bad :
       {R"("https://gate.example/mcp/")", R"("https://gate.example")", R"("")", "[]", "1", "null",
        R"(["https://gate.example/mcp","https://other.example"])",
        R"(["https://gate.example/mcp",1])", "{}"})
    EXPECT_EQ(why({{"resource", bad}}), "the assertion is for another resource") << bad;
}

TEST(assertion, key_bindings_are_refused) {
  for (const char* cnf : {R"({"jkt":"x"})", "{}", "null", "\"\""})
    EXPECT_EQ(why({{"cnf", cnf}}), "the assertion is bound to a key, which is not supported")
        << cnf;
}

TEST(assertion, dates) {
  const auto dates = [](std::int64_t iat, std::int64_t exp, const members& more = {}) {
    members change{{"iat", std::to_string(iat)}, {"exp", std::to_string(exp)}};
    change.insert(more.begin(), more.end());
    return why(change);
  };
  constexpr std::int64_t life = limits::assertion_life.count();
  EXPECT_EQ(why({{"exp", ""}}), "the assertion lacks exp or iat");
  EXPECT_EQ(why({{"iat", ""}}), "the assertion lacks exp or iat");
  EXPECT_EQ(dates(today - 100, today - 29), "");
  EXPECT_EQ(dates(today - 100, today - 30), "the assertion has expired");
  EXPECT_EQ(dates(today + 30, today + 60), "");
  EXPECT_EQ(dates(today + 31, today + 60), "the assertion is not valid yet");
  EXPECT_EQ(dates(today, today + 60, {{"nbf", std::to_string(today + 31)}}),
            "the assertion is not valid yet");
  EXPECT_EQ(dates(today, today + 60, {{"nbf", std::to_string(today + 30)}}), "");
  EXPECT_EQ(dates(today, today + life), "");
  EXPECT_EQ(dates(today, today + life + 1), "the assertion lives too long");
  EXPECT_EQ(dates(today - 10, today - 10 + life), "");
  EXPECT_EQ(dates(today - 10, today + life), "the assertion lives too long");
  EXPECT_EQ(dates(today + 30, today + 30 + life), "the assertion lives too long")
      << "its clock may be ahead, but its id is kept by ours";
  EXPECT_EQ(dates(0, 253402300799), "the assertion lives too long");
}

TEST(assertion, ids) {
  for (const char* none : {"", "\"\"", "1", "null", "[]", R"("\ud800")"})
    EXPECT_EQ(why({{"jti", none}}), "the assertion has no jti, or one that is too long") << none;
  EXPECT_EQ(why({{"jti", '"' + std::string(limits::jti_bytes, 'j') + '"'}}), "");
  EXPECT_EQ(why({{"jti", '"' + std::string(limits::jti_bytes + 1, 'j') + '"'}}),
            "the assertion has no jti, or one that is too long");
}

TEST(assertion, scope_and_email_are_strings) {
  for (const char* name : {"scope", "email"})
    for (const char* value : {"1", "null", R"(["a"])", "{}"})
      EXPECT_EQ(why({{name, value}}), "the assertion's scope or email is not a string");
}

TEST(assertion, groups_only_of_a_list_of_strings) {
  const auto groups = [](const std::string& value, std::string_view claim = "groups") {
    const auto out = check_text(sealed(claims({{"groups", value}})), rules, claim);
    EXPECT_TRUE(out.said.has_value());
    return out.said->groups;
  };
  EXPECT_EQ(groups(R"(["a"])"), R"(["a"])");
  EXPECT_EQ(groups("[]"), "[]");
  for (const char* none : {"\"admin\"", "1", "null", R"(["a",1])", R"({"a":1})"})
    EXPECT_EQ(groups(none), "") << none;
  EXPECT_EQ(groups(R"(["a"])", "roles"), "");
  EXPECT_EQ(groups(R"(["a"])", ""), "");
}

}  // namespace
}  // namespace gate::oauth
