#include "actors/router/departures.hpp"

#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

struct an_upstream_that_goes : sim::router_stage {
  sessions::session_ptr s = open();
  void drop_b() {
    reload(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"}]})");
  }
};

TEST_F(an_upstream_that_goes, is_left_at_once_when_nobody_waits) {
  drop_b();
  EXPECT_EQ(doors.departed, std::vector<std::size_t>{1});
  it.on_timer(timer::upkeep);
  EXPECT_EQ(doors.departed.size(), 1U) << "told once";
}

TEST_F(an_upstream_that_goes, is_kept_for_calls_that_may_be_for_it) {
  post(s->id, R"({"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t"}})");
  ASSERT_EQ(doors.ledger.size(), 1U);
  drop_b();
  EXPECT_TRUE(doors.departed.empty());
  tasks_found f;
  f.findings.push_back({tasks::verdict::own, {"b", 0, s->key}});
  it.tasks.on_found(doors.ledger[0].first, f);
  ASSERT_EQ(doors.calls.size(), 1U) << "by the configuration that the call came under";
  EXPECT_EQ(doors.calls[0].first, 1U);
  it.on_timer(timer::upkeep);
  EXPECT_EQ(doors.departed, std::vector<std::size_t>{1}) << "what it works for is its own business";
}

}  // namespace
}  // namespace gate::routing
