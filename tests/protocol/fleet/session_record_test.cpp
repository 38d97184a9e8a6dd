#include "protocol/fleet/session_record.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"

namespace gate::fleet {
namespace {

session_record a_session() {
  session_record r;
  r.owner.fill(7);
  r.version = "2025-11-25";
  r.capabilities = R"({"roots":{}})";
  return r;
}
subscription a_subscription() {
  return {"file:///a", "a"};
}
bridge a_bridge() {
  return {"http://a.test:80/mcp", "its-own-name", "2025-06-18", 511};
}
session_word a_word() {
  return {session_word::kind::said, 3, "gate:{session:x}", "a", R"({"jsonrpc":"2.0"})"};
}

TEST(session_records, come_back_as_they_were) {
  EXPECT_EQ(read_session(encode(a_session())), a_session());
  EXPECT_EQ(read_subscription(encode(a_subscription())), a_subscription());
  EXPECT_EQ(read_bridge(encode(a_bridge())), a_bridge());
  EXPECT_EQ(read_word(encode(a_word())), a_word());
  session_record plain;
  plain.version = "2024-11-05";
  plain.capabilities = "{}";
  EXPECT_EQ(read_session(encode(plain)), plain);
}

TEST(session_records, are_whole_or_none) {
  const auto check = [](const std::string& bytes, auto read) {
    for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_FALSE(read(bytes.substr(0, i))) << i;
    EXPECT_FALSE(read(bytes + '\0'));
  };
  check(encode(a_session()), read_session);
  check(encode(a_subscription()), read_subscription);
  check(encode(a_bridge()), read_bridge);
  check(encode(a_word()), read_word);
}

TEST(session_records, are_not_taken_for_each_other) {
  EXPECT_FALSE(read_session(encode(a_bridge())));
  EXPECT_FALSE(read_bridge(encode(a_word())));
  EXPECT_FALSE(read_word(encode(a_session())));
  EXPECT_FALSE(read_session(encode(a_subscription())));
  EXPECT_FALSE(read_subscription(encode(a_session())));
}

TEST(session_records, have_no_more_than_a_session_may_have) {
  auto long_one = a_subscription();
  long_one.uri.assign(limits::session_subscription_bytes, 'u');
  EXPECT_TRUE(read_subscription(encode(long_one)));
  long_one.uri += 'u';
  EXPECT_FALSE(read_subscription(encode(long_one)));
  auto able = a_session();
  able.capabilities = '{' + std::string(limits::client_info_bytes, ' ') + '}';
  EXPECT_FALSE(read_session(encode(able)));
}

TEST(session_records, say_nothing_that_can_not_be) {
  auto r = a_session();
  r.version = "2026-07-28";
  EXPECT_FALSE(read_session(encode(r))) << "it has no sessions";
  r = a_session();
  r.capabilities = "[]";
  EXPECT_FALSE(read_session(encode(r)));
  r.capabilities = "{";
  EXPECT_FALSE(read_session(encode(r)));
  EXPECT_FALSE(read_subscription(encode(subscription{"", "a"})));
  EXPECT_TRUE(is_log_level(R"("info")"));
  for (const auto* odd : {R"("loud")", "info", ""}) EXPECT_FALSE(is_log_level(odd)) << odd;
  auto b = a_bridge();
  b.session = "two\r\nlines";
  EXPECT_FALSE(read_bridge(encode(b)));
  b.session.clear();
  EXPECT_FALSE(read_bridge(encode(b)));
  b = a_bridge();
  b.version = "1";
  EXPECT_FALSE(read_bridge(encode(b)));
}

}  // namespace
}  // namespace gate::fleet
