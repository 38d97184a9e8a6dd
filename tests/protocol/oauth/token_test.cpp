// What read_token makes of claims; access_test.cpp has the checks.
#include "protocol/oauth/token.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"
#include "simulations/peers/forge.hpp"

namespace gate::oauth {
namespace {

/// Signatures play no part here, so one that is none does.
std::string with_claims(std::string_view claims) {
  return plain_base64url(R"({"alg":"ES256"})") + '.' + plain_base64url(claims) + ".AAAA";
}

std::string token_flaw(std::string_view claims) {
  const auto t = read_token(with_claims(claims));
  return t ? "" : t.error().what;
}

unverified_token read(std::string_view claims) {
  const auto compact = with_claims(claims);
  auto t = read_token(compact).value();
  t.signed_part = {};
  return t;
}

TEST(token, claims_are_kept_as_they_are) {
  const std::string claims = "\n{ \"iss\":\"i\",\"x\":1.50,\"y\":{\"z\":[1,1e5]},\"\\u0061\":1 }\t";
  EXPECT_EQ(read(claims).claims, claims);
  EXPECT_TRUE(read(claims).payload.empty()) << "moved, not copied";
}

TEST(token, a_token_may_say_little) {
  const auto t = read("{}");
  EXPECT_TRUE(t.issuer.empty());
  EXPECT_TRUE(t.subject.empty());
  EXPECT_TRUE(t.audience.empty());
  EXPECT_FALSE(t.expires || t.not_before || t.issued_at);
}

TEST(token, claims_are_an_object_without_doubt) {
  for (const char* claims : {"", "[]", "1", "\"x\"", "null", "{", R"({"a":1}{})",
                             "{\"a\":\"\xff\"}", "foo", R"({"iss":"a",})"})
    EXPECT_NE(token_flaw(claims), "") << claims;
  for (const char* claims :
       {R"({"sub":"a","sub":"a"})", R"({"sub":"a","s\u0075b":"b"})", R"({"x":1,"y":2,"x":1})",
        R"({"exp":1,"e\u0078p":9999999999})", R"({"aud":"a","aud":["b"]})"})
    EXPECT_EQ(token_flaw(claims), "the token's payload has a member twice") << claims;
  EXPECT_EQ(token_flaw(R"({"a":{"b":1,"b":2}})"), "") << "deeper, claims are passed on";
}

TEST(token, issuer_and_subject_are_strings) {
  EXPECT_EQ(read(R"({"iss":"https:\/\/idp","sub":"\u0061"})").issuer, "https://idp");
  EXPECT_EQ(read(R"({"sub":"\u0061\u0000b"})").subject, std::string("a\0b", 3));
  for (const char* name : {"iss", "sub"})
    for (const char* value : {"1", "null", "true", "[]", R"(["a"])", "{}", R"("\ud800")"})
      EXPECT_EQ(token_flaw(std::string("{\"") + name + "\":" + value + "}"),
                "the token's iss or sub is not a string");
}

TEST(token, an_audience_is_a_string_or_a_list_of_some) {
  using list = std::vector<std::string>;
  EXPECT_EQ(read(R"({"aud":"a"})").audience, list{"a"});
  EXPECT_EQ(read(R"({"aud":["a"]})").audience, list{"a"});
  EXPECT_EQ(read(R"({"aud":["a","b"]})").audience, (list{"a", "b"}));
  EXPECT_EQ(read(R"({"aud":[]})").audience, list{});
  EXPECT_EQ(read(R"({"aud":""})").audience, list{""});
  for (const char* value : {"1", "null", "{}", R"(["a",1])", R"([["a"]])", "true", R"(["a",null])"})
    EXPECT_EQ(token_flaw(std::string(R"({"aud":)") + value + "}"),
              "the token's aud is neither a string nor a short list of strings");
  const auto many = [](std::size_t n) {
    std::string out = R"({"aud":["x")";
    while (--n) out += ",\"x\"";
    return out + "]}";
  };
  EXPECT_EQ(read(many(limits::token_audiences)).audience.size(), limits::token_audiences);
  EXPECT_NE(token_flaw(many(limits::token_audiences + 1)), "");
}

TEST(token, dates_are_numbers) {
  const auto expires = [](const std::string& value) {
    return read(R"({"exp":)" + value + "}").expires;
  };
  EXPECT_EQ(expires("0"), 0);
  EXPECT_EQ(expires("1800000000"), 1800000000);
  EXPECT_EQ(expires("1800000000.999"), 1800000000);
  EXPECT_EQ(expires("1.8e9"), 1800000000);
  EXPECT_EQ(expires("-1"), -1);
  EXPECT_EQ(expires("-1.5"), -1);
  EXPECT_EQ(expires("253402300799"), 253402300799) << "the last second of the year 9999";
  for (const char* name : {"exp", "nbf", "iat"})
    for (const char* value :
         {"\"1800000000\"", "null", "true", "[]", "{}", "1e400", "-1e400", "253402300800", "1e300",
          "1800000000000", "-253402300800", "99999999999999999999999999"})
      EXPECT_EQ(token_flaw(std::string("{\"") + name + "\":" + value + "}"),
                "the token's exp, nbf or iat is not a date")
          << name << value;
  const auto t = read(R"({"exp":3,"nbf":1,"iat":2})");
  EXPECT_EQ(t.expires, 3);
  EXPECT_EQ(t.not_before, 1);
  EXPECT_EQ(t.issued_at, 2);
}

TEST(token, dates_beyond_the_clock_are_its_end) {
  EXPECT_EQ(to_wall_time(1800000000).time_since_epoch(), std::chrono::seconds(1800000000));
  EXPECT_EQ(to_wall_time(253402300799).time_since_epoch(), std::chrono::seconds(9'000'000'000));
  EXPECT_LT(to_wall_time(-253402300799), wall_time{});
  // Room to add a day without overflow.
  EXPECT_GT(to_wall_time(253402300799) + std::chrono::hours(24), to_wall_time(253402300799));
}

TEST(token, what_a_jws_refuses_a_token_does) {
  EXPECT_FALSE(read_token("").has_value());
  EXPECT_FALSE(read_token("a.b").has_value());
  EXPECT_FALSE(read_token(std::string(limits::token_bytes + 1, 'A')).has_value());
  const auto none = plain_base64url(R"({"alg":"none"})") + '.' + plain_base64url("{}") + '.';
  EXPECT_EQ(read_token(none).error().what, "the token's algorithm is not accepted");
}

TEST(token, errors_quote_nothing) {
  for (const char* claims : {R"({"sub":1,"x":"SECRET"})", R"({"exp":"SECRET"})",
                             R"({"SECRET":1,"SECRET":1})", R"({"aud":{"SECRET":1}})", "SECRET"}) {
    EXPECT_NE(token_flaw(claims), "");
    EXPECT_EQ(token_flaw(claims).find("SECRET"), std::string::npos);
  }
}

TEST(token, each_fault_has_a_sentence) {
  std::string last = "no";
  for (auto f : {token_fault::none, token_fault::unknown_key, token_fault::signature,
                 token_fault::type, token_fault::audience, token_fault::subject,
                 token_fault::expired, token_fault::not_yet, token_fault::no_expiry}) {
    EXPECT_TRUE(describe(f).starts_with("the token")) << describe(f);
    EXPECT_NE(describe(f), last);
    last = describe(f);
  }
}

}  // namespace
}  // namespace gate::oauth
