#include "actors/upstream/credential_slot.hpp"

#include <gtest/gtest.h>

namespace gate::upstream {
namespace {

using namespace std::chrono_literals;
using enum config::auth_strategy;
using judged = credential_slot::verdict;
constexpr credential_slot::time_point noon{12h};

identity::caller_ptr with_token(std::string token) {
  auto c = std::make_shared<identity::caller>();
  c->token = std::move(token);
  return c;
}

TEST(a_credential_slot, is_good_without_a_line_where_none_is_wanted) {
  credential_slot it(none);
  EXPECT_TRUE(it.good(noon));
  EXPECT_FALSE(it.ends());
  EXPECT_TRUE(it.line().empty());
  EXPECT_FALSE(it.refused_by(401)) << "it is not about who asks";
  EXPECT_EQ(it.shown(401, 0), judged::as_it_was);
}

TEST(a_credential_slot, is_not_good_before_it_has_a_line_nor_after_its_end) {
  for (const auto how : {fixed, passthrough, client_credentials, token_exchange}) {
    credential_slot it(how);
    EXPECT_FALSE(it.good(noon));
    it.take("Authorization: x\r\n", noon + 1s);
    EXPECT_TRUE(it.good(noon));
    EXPECT_FALSE(it.good(noon + 1s));
    EXPECT_EQ(it.number(), 1u);
    EXPECT_TRUE(it.refused_by(401));
    EXPECT_TRUE(it.refused_by(403));
    EXPECT_FALSE(it.refused_by(404));
  }
}

TEST(a_credential_slot, passes_the_callers_token_on_and_each_new_one) {
  credential_slot it(passthrough);
  EXPECT_FALSE(it.meet(nullptr));
  EXPECT_FALSE(it.meet(with_token(""))) << "as if it had not come";
  EXPECT_TRUE(it.meet(with_token("one")));
  EXPECT_EQ(it.line(), "Authorization: Bearer one\r\n");
  EXPECT_FALSE(it.meet(with_token("one")));
  EXPECT_TRUE(it.meet(with_token("two")));
  EXPECT_EQ(it.number(), 2u);
  EXPECT_TRUE(it.good(noon));
}

TEST(a_credential_slot, only_remembers_the_caller_where_tokens_are_granted) {
  credential_slot it(token_exchange);
  const auto c = with_token("one");
  EXPECT_FALSE(it.meet(c));
  EXPECT_EQ(it.caller(), c);
  EXPECT_FALSE(it.good(noon));
}

TEST(a_credential_slot, knows_whether_another_line_can_be_had_for_one_that_was_refused) {
  credential_slot it(client_credentials);
  it.take("Authorization: x\r\n", noon + 1s);
  EXPECT_EQ(it.shown(403, 1), judged::as_it_was);
  EXPECT_EQ(it.shown(401, 1), judged::spent);
  EXPECT_FALSE(it.good(noon));
  it.take("Authorization: y\r\n", noon + 1s);
  EXPECT_EQ(it.shown(401, 1), judged::newer);
  EXPECT_TRUE(it.good(noon));
  credential_slot by_config(fixed);
  by_config.take("Authorization: x\r\n", credential_slot::never);
  EXPECT_EQ(by_config.shown(401, 1), judged::as_it_was) << "there is no other";
}

TEST(a_credential_slot, finds_itself_in_what_others_say) {
  credential_slot it(fixed);
  EXPECT_FALSE(it.quoted_in("secret"));
  it.take("Authorization: Bearer secret\r\n", credential_slot::never);
  EXPECT_TRUE(it.quoted_in("the token secret is bad"));
  EXPECT_TRUE(it.quoted_in("Bearer secret"));
  EXPECT_FALSE(it.quoted_in("the token is bad"));
  it.take("X-Key: abc\r\n", credential_slot::never);
  EXPECT_TRUE(it.quoted_in("abc"));
}

TEST(a_credential_slot, asks_once) {
  credential_slot it(client_credentials);
  EXPECT_FALSE(it.asked());
  it.ask(true);
  EXPECT_TRUE(it.asked());
  EXPECT_TRUE(it.answered());
  EXPECT_FALSE(it.answered());
}

TEST(a_fixed_credential, is_written_as_the_document_says) {
  config::upstream_auth a;
  EXPECT_EQ(fixed_credential(a, "x"), "Authorization: Bearer x\r\n");
  a.scheme = "Basic";
  EXPECT_EQ(fixed_credential(a, "x"), "Authorization: Basic x\r\n");
  a.scheme.reset();
  a.header = "X-Key";
  EXPECT_EQ(fixed_credential(a, "x"), "X-Key: x\r\n");
  for (const auto* bad : {"", "a\nb", "\xc3\xa4"}) EXPECT_FALSE(fixed_credential(a, bad));
}

}  // namespace
}  // namespace gate::upstream
