#include "protocol/oauth/client_assertion.hpp"

#include <gtest/gtest.h>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/oauth/token.hpp"
#include "simulations/peers/forge.hpp"

namespace gate::oauth {
namespace {

using std::chrono::seconds;

constexpr wall_time moment{seconds{1'795'253'400}};
constexpr client_assertion_claims our_claims{"me", "https://as.test/token", "abc", moment};

TEST(client_assertion, is_signed_and_says_who_for_whom_and_until_when) {
  const auto text = make_client_assertion(key_file("p256"), "", our_claims);
  ASSERT_TRUE(text) << text.error().what;
  // Our own reader, with the key as its owner publishes it.
  const auto read = read_token(*text).value();
  EXPECT_EQ(read.algorithm, algorithm::es256);
  const auto published = read_key_set(jwk_set({jwk("p256", R"("use":"sig")")})).value();
  auto unnamed = read;
  unnamed.kid.clear();
  EXPECT_EQ(check_signature(unnamed, published), token_fault::none);
  const auto other = read_key_set(jwk_set({jwk("p256_other")})).value();
  EXPECT_EQ(check_signature(unnamed, other), token_fault::signature);
  EXPECT_EQ(check_times(read, moment), token_fault::none);
  EXPECT_EQ(check_times(read, moment + limits::client_assertion + limits::token_leeway),
            token_fault::expired);
  EXPECT_EQ(read.issuer, "me");
  EXPECT_EQ(read.subject, "me");
  EXPECT_EQ(read.audience, std::vector<std::string>{"https://as.test/token"});
  EXPECT_EQ(json::member(read.claims, "jti"), R"("abc")");
  EXPECT_EQ(read.type, "jwt");
}

TEST(client_assertion, names_its_key) {
  const auto pem = key_file("p256");
  EXPECT_EQ(read_token(*make_client_assertion(pem, "key \"7\"", our_claims))->kid, "key \"7\"");
  EXPECT_EQ(read_token(*make_client_assertion(pem, "", our_claims))->kid.size(), 43U);
}

TEST(client_assertion, needs_a_key_and_quotes_none) {
  for (auto bad : {std::string("hunter2"), key_file("rsa_2048"), std::string{}}) {
    const auto made = make_client_assertion(bad, "", our_claims);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().what.find("hunter2"), std::string::npos);
  }
}

}  // namespace
}  // namespace gate::oauth
