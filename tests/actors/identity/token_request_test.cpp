#include "actors/identity/token_request.hpp"

#include <gtest/gtest.h>

namespace gate::identity {
namespace {

constexpr std::string_view form = "application/x-www-form-urlencoded";
const std::string good =
    "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=a.b.c";

std::string refusal(std::string_view body, std::string_view type = form,
                    std::string_view authorization = {}) {
  auto r = read_token_request(body, type, authorization);
  if (r) return "none";
  const auto& how = row(r.error().why);
  return std::to_string(how.http_status) + ' ' + std::string(how.error);
}

TEST(a_token_request, is_read) {
  auto r = read_token_request(good + "&client_id=me&scope=x+y", form, {});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->assertion, "a.b.c");
  EXPECT_EQ(r->client_id, "me");
  EXPECT_EQ(r->scope, "x y");
}

TEST(a_token_request, may_name_its_client_in_the_header) {
  auto r = read_token_request(good, form, "Basic bWU6c2VjcmV0");
  ASSERT_TRUE(r);
  EXPECT_EQ(r->client_id, "me");
  EXPECT_EQ(refusal(good + "&client_id=you", form, "Basic bWU6c2VjcmV0"), "401 invalid_client");
  EXPECT_EQ(refusal(good, form, "Basic !"), "401 invalid_client");
}

TEST(a_token_request, is_refused_with_the_codes_of_rfc_6749) {
  EXPECT_EQ(refusal(good, "application/json"), "400 invalid_request");
  EXPECT_EQ(refusal(good, ""), "400 invalid_request");
  EXPECT_EQ(refusal("assertion=a"), "400 invalid_request");
  EXPECT_EQ(refusal(""), "400 invalid_request");
  EXPECT_EQ(refusal(good.substr(0, good.find('&'))), "400 invalid_request");
  EXPECT_EQ(refusal(good + "&assertion=d"), "400 invalid_request");
  EXPECT_EQ(refusal("grant_type=password&assertion=a"), "400 unsupported_grant_type");
  EXPECT_EQ(refusal(good + "&x=%zz"), "400 invalid_request");
}

TEST(a_scope, is_never_more_than_the_assertion_grants) {
  std::string granted;
  EXPECT_TRUE(grant_scope("", "a b", granted));
  EXPECT_EQ(granted, "a b");
  EXPECT_TRUE(grant_scope("b", "a b", granted));
  EXPECT_EQ(granted, "b");
  EXPECT_FALSE(grant_scope("a c", "a b", granted));
  EXPECT_FALSE(grant_scope("a", "", granted));
  EXPECT_FALSE(grant_scope("ab", "a b", granted));
  EXPECT_TRUE(grant_scope("", "", granted));
  EXPECT_EQ(granted, "");
}

TEST(a_token_answer, has_the_members_of_rfc_6749) {
  EXPECT_EQ(token_body("t", std::chrono::seconds{600}, ""),
            R"({"access_token":"t","token_type":"Bearer","expires_in":600})");
  EXPECT_EQ(token_body("t", std::chrono::seconds{1}, "a b"),
            R"({"access_token":"t","token_type":"Bearer","expires_in":1,"scope":"a b"})");
}

}  // namespace
}  // namespace gate::identity
