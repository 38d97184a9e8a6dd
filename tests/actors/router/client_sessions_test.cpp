#include "actors/router/client_sessions.hpp"

#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

struct client_sessions_of_a_unit : sim::router_stage {
  sessions::session_ptr s = open();

  void call(int id, const std::string& tool) {
    post(s->id, R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                    R"(,"method":"tools/call","params":{"name":")" + tool + "\"}}");
  }
};

TEST_F(client_sessions_of_a_unit, end_at_the_upstreams_that_they_used) {
  call(1, "a__x");
  answer("{}");
  const auto r = arrive(verb::del, {"Mcp-Session-Id: " + s->id});
  EXPECT_EQ(r->status, 204);
  const auto ended = doors.take<client_ended>();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].first, 0U);
  EXPECT_EQ(ended[0].second.client, s->key);
  EXPECT_EQ(post(s->id, R"({"jsonrpc":"2.0","id":1,"method":"ping"})")->status, 404);
}

TEST_F(client_sessions_of_a_unit, tell_upstreams_of_a_level) {
  call(1, "a__x");
  doors.take<profile_changed>();
  const auto r = post(
      s->id, R"({"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"error"}})");
  EXPECT_EQ(r->status, 200);
  const auto told = doors.take<profile_changed>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].second.profile->log_level, R"("error")");
}

TEST_F(client_sessions_of_a_unit, pass_a_cancellation_on) {
  call(1, "a__x");
  const auto number = doors.calls.back().second.call;
  const auto r = post(s->id, R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                             R"("params":{"requestId":1,"reason":"enough"}})");
  EXPECT_EQ(r->status, 202);
  const auto told = doors.take<cancel_call>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].second.call, number);
  EXPECT_EQ(told[0].second.reason, R"("enough")");
  EXPECT_EQ(it.shared().calls.find(number), nullptr);
}

TEST_F(client_sessions_of_a_unit, expire_a_few_at_a_time) {
  for (std::size_t n = 0; n < limits::session_ends_at_once; ++n) open();
  ASSERT_EQ(it.shared().sessions.size(), limits::session_ends_at_once + 1);
  pass(it.shared().snapshot->doc.server.session_idle_timeout);
  it.on_timer(timer::upkeep);
  EXPECT_EQ(it.shared().sessions.size(), 1U);
  EXPECT_EQ(doors.timer(timer::expiring),
            std::chrono::milliseconds(limits::session_ends_pause).count());
  it.on_timer(timer::expiring);
  EXPECT_EQ(it.shared().sessions.size(), 0U);
}

TEST_F(client_sessions_of_a_unit, release_root_sessions_of_a_kind_that_is_gone) {
  auto able = open(R"({"sampling":{}})");
  const auto kind = able->lists_as;
  ASSERT_NE(kind, 0U);
  arrive(verb::del, {"Mcp-Session-Id: " + able->id});
  pass(limits::bridged_idle);
  it.on_timer(timer::upkeep);
  pass(limits::bridged_idle);
  it.on_timer(timer::upkeep);
  const auto released = doors.take<release_root>();
  ASSERT_EQ(released.size(), 2U);
  EXPECT_EQ(released[0].second.as, kind);
}

}  // namespace
}  // namespace gate::routing
