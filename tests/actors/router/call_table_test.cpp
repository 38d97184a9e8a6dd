#include "actors/router/call_table.hpp"

#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

struct a_call_table : sim::router_stage {
  sessions::session_ptr s = open();
  call_table& table = it.shared().calls;
};

constexpr auto call_a =
    R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a__x"}})";

TEST_F(a_call_table, knows_whom_an_upstream_works_for) {
  post(s->id, call_a);
  ASSERT_EQ(doors.calls.size(), 1U);
  const auto number = doors.calls.back().second.call;
  EXPECT_EQ(table.load(0), 1U);
  EXPECT_EQ(table.load(1), 0U);
  EXPECT_EQ(s->find_call("1"), number);
  EXPECT_EQ(table.count(pipeline::partner::upstream), 1U);
  answer("{}");
  EXPECT_EQ(table.load(0), 0U);
  EXPECT_FALSE(s->find_call("1"));
  EXPECT_EQ(table.find(number), nullptr);
}

TEST_F(a_call_table, gives_a_call_back_once) {
  const auto r = post(s->id, call_a);
  const auto number = doors.calls.back().second.call;
  EXPECT_FALSE(table.take<pipeline::stage::rate_limit>(number)) << "it has come further";
  auto c = table.end(number);
  ASSERT_TRUE(c);
  EXPECT_EQ(table.load(0), 0U);
  EXPECT_EQ(table.end(number), nullptr);
  EXPECT_FALSE(table.take<pipeline::stage::guard>(number));
  c.reset();
  EXPECT_NE(r->body.find("dropped"), std::string::npos) << "its client is told";
}

TEST_F(a_call_table, weighs_subscriptions_that_are_being_made) {
  // A resource that a lists.
  post(s->id, R"({"jsonrpc":"2.0","id":1,"method":"resources/list"})");
  for (auto& [upstream, wanted] : doors.take<fetch_list>())
    list(upstream, wanted, {upstream == 0 ? "u:1" : "u:2"});
  post(s->id, R"({"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"u:1"}})");
  ASSERT_EQ(doors.calls.size(), 1U);
  EXPECT_EQ(s->subscribing.size(), 1U);
  answer("{}");
  EXPECT_TRUE(s->subscribing.empty());
  EXPECT_TRUE(s->subscriptions.contains("u:1"));
}

}  // namespace
}  // namespace gate::routing
