#include "protocol/mcp/stateless/results.hpp"

#include <gtest/gtest.h>

#include "protocol/json/scan.hpp"
#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/implementation.hpp"

namespace gate::mcp::stateless {
namespace {

std::string whole(std::string_view raw, const cache_hint* hint = nullptr) {
  const auto text = [](const std::optional<completed>& done) {
    return done ? done->lead + std::string(done->rest) : "none";
  };
  const auto found = text(complete(raw, {}, hint));
  // What was noted when it was read as a message says the same.
  const auto message = R"({"jsonrpc":"2.0","id":1,"result":)" + std::string(raw) + "}";
  if (const auto m = jsonrpc::read(message, {}, jsonrpc::sender::server)) {
    EXPECT_EQ(m->has.noted, raw.starts_with('{')) << raw;
    EXPECT_EQ(text(complete(m->result, {}, hint, m->has)), found) << raw;
  }
  return found;
}
const std::string meta =
    R"("_meta":{"io.modelcontextprotocol/serverInfo":)" + std::string(server_info) + "}";

TEST(results, are_completed_in_front_of_what_they_have) {
  EXPECT_EQ(whole(R"({"content":[ ]})"),
            R"({"resultType":"complete",)" + meta + R"(,"content":[ ]})");
  EXPECT_EQ(whole("{}"), R"({"resultType":"complete",)" + meta + "}");
  EXPECT_EQ(whole("{ }"), R"({"resultType":"complete",)" + meta + " }");
}

TEST(results, keep_what_they_say_by_themselves) {
  EXPECT_EQ(whole(R"({"_meta":{},"resultType":"complete"})"),
            R"({"_meta":{},"resultType":"complete"})");
  EXPECT_EQ(whole(R"({"_m\u0065ta":{"a":1}})"),
            R"({"resultType":"complete","_m\u0065ta":{"a":1}})");
  const cache_hint hint{std::chrono::milliseconds{5}, true};
  EXPECT_EQ(whole(R"({"ttlMs":7,"_meta":{}})", &hint),
            R"({"resultType":"complete","cacheScope":"public","ttlMs":7,"_meta":{}})");
}

TEST(results, that_may_be_cached_say_for_how_long_and_for_whom) {
  const cache_hint mine{};
  EXPECT_EQ(whole("{}", &mine),
            R"({"resultType":"complete","ttlMs":0,"cacheScope":"private",)" + meta + "}");
}

TEST(results, that_are_not_complete_are_not_passed_off_as_such) {
  for (const auto raw :
       {R"({"resultType":"input_required"})", R"({"resultType":7})", "[]", "7", "{"})
    EXPECT_EQ(whole(raw), "none") << raw;
}

TEST(results, of_lists_have_their_members_behind) {
  const auto done = complete(R"({"tools":[])", R"(,"_meta":{"x":1}})", nullptr);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->lead + std::string(done->rest), R"({"resultType":"complete","tools":[])");
  const auto plain = complete(R"({"tools":[])", "}", nullptr);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->lead, R"({"resultType":"complete",)" + meta + ",");
}

TEST(errors, are_translated_from_one_generation_to_the_other) {
  constexpr auto from = [](std::string_view code, era of, era to) {
    return translate_error(R"({"message":"m","code":)" + std::string(code) + R"(,"data":{}})", of,
                           to);
  };
  const auto is = [](std::string_view code) {
    return R"({"message":"m","code":)" + std::string(code) + R"(,"data":{}})";
  };
  using enum era;
  EXPECT_EQ(from("-32002", session, stateless), is("-32602"));
  EXPECT_EQ(from("-32002", session, era::session), "");
  EXPECT_EQ(from("-32602", session, stateless), "");
  for (const auto ours : {"-32020", "-32022"})
    for (const auto to : {session, stateless}) EXPECT_EQ(from(ours, stateless, to), is("-32603"));
  EXPECT_EQ(from("-32021", stateless, session), is("-32602"));
  EXPECT_EQ(from("-32021", stateless, stateless), "");
  EXPECT_EQ(from("-32020", session, session), "") << "of that generation it means nothing";
}

TEST(results, of_other_kinds_are_told_apart) {
  EXPECT_TRUE(is_complete(""));
  EXPECT_TRUE(is_complete(R"("complete")"));
  EXPECT_FALSE(is_complete(R"("input_required")"));
  EXPECT_FALSE(is_complete("7"));
}

TEST(notifications, carry_their_subscription) {
  constexpr auto key = R"("io.modelcontextprotocol/subscriptionId":"s")";
  const std::string k = key;
  EXPECT_EQ(of_subscription(R"({"jsonrpc":"2.0","method":"m"})", R"("s")"),
            R"({"jsonrpc":"2.0","method":"m","params":{"_meta":{)" + k + "}}}");
  EXPECT_EQ(of_subscription(R"({"method":"m","params":{}})", R"("s")"),
            R"({"method":"m","params":{"_meta":{)" + k + "}}}");
  EXPECT_EQ(of_subscription(R"({"method":"m","params":{"uri":"x"}})", R"("s")"),
            R"({"method":"m","params":{"_meta":{)" + k + R"(},"uri":"x"}})");
  EXPECT_EQ(of_subscription(R"({"method":"m","params":{"uri":"x","_meta":{"a":1}}})", R"("s")"),
            R"({"method":"m","params":{"uri":"x","_meta":{)" + k + R"(,"a":1}}})");
  EXPECT_EQ(of_subscription(R"({"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":9}}})",
                            R"("s")"),
            R"({"params":{"_meta":{)" + k + "}}}")
      << "another one's is not passed on";
}

TEST(a_subscription, is_taken_off_what_is_passed_on) {
  EXPECT_EQ(of_no_subscription(
                R"({"method":"m","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7},)"
                R"("uri":"x"}})"),
            R"({"method":"m","params":{"_meta":{},"uri":"x"}})");
  for (const auto* same : {R"({"method":"m"})", R"({"method":"m","params":{"uri":"x"}})",
                           R"({"method":"m","params":{"_meta":{"v":1.0}}})"})
    EXPECT_EQ(of_no_subscription(same), same);
}

}  // namespace
}  // namespace gate::mcp::stateless
