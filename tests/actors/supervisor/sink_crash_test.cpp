// What becomes of the audit trail when one of those that it passes crashes.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

struct sink_crash : ::testing::Test {
  world w;
  client c{w};
  fake_upstream& a = w.upstream("a");
  sink_crash() { c.initialize(); }

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& line : w.audit("tools/call")) out.push_back(at(line, "name"));
    return out;
  }
};

using list = std::vector<std::string>;

TEST_F(sink_crash, what_comes_meanwhile_is_written_afterwards_and_in_order) {
  c.call("1", "a__1");
  const auto audit = w.cast("audit").at(0);
  w.crash(w.cast("sink").at(0));
  c.call("2", "a__2");
  c.call("3", "a__3");
  EXPECT_EQ(names(), list{R"("a__1")"});
  w.advance(99ms);
  EXPECT_EQ(names().size(), 1U);
  w.advance(1ms);
  c.call("4", "a__4");
  EXPECT_EQ(names(), (list{R"("a__1")", R"("a__2")", R"("a__3")", R"("a__4")"}));
  EXPECT_EQ(w.cast("audit"), std::vector{audit}) << "AUDIT has not died of it";
  EXPECT_EQ(w.logged("SINK crashed and is restarted; what it was handed is lost, and what comes "
                     "meanwhile is kept. sink=stdout reason="),
            1U);
  EXPECT_EQ(w.metric(R"(gate_audit_dropped_total{reason="overflow",sink="stdout"})"), 0);
}

TEST_F(sink_crash, the_pause_grows) {
  w.crash(w.cast("sink").at(0));
  w.advance(100ms);
  w.crash(w.cast("sink").at(0));
  w.advance(199ms);
  EXPECT_TRUE(w.cast("sink").empty());
  w.advance(1ms);
  EXPECT_EQ(w.cast("sink").size(), 1U);
}

TEST_F(sink_crash, of_audit_leaves_the_sink_alone) {
  const auto sink = w.cast("sink");
  w.crash(w.cast("audit").at(0));
  w.advance(100ms);
  EXPECT_EQ(w.cast("sink"), sink);
  c.call("1", "a__1");
  EXPECT_EQ(names(), list{R"("a__1")"});
}

TEST_F(sink_crash, of_both_is_mended_whoever_comes_first) {
  w.crash(w.cast("audit").at(0));
  w.advance(50ms);
  w.crash(w.cast("sink").at(0));
  w.advance(50ms);
  c.call("1", "a__1");
  EXPECT_EQ(names(), list{});
  w.advance(50ms);
  EXPECT_EQ(names(), list{R"("a__1")"});
}

TEST_F(sink_crash, at_the_end_costs_no_line) {
  a.next("tools/call", reply::result("1", 5s));
  c.call("1", "a__1");
  w.stop();
  w.crash(w.cast("sink").at(0));
  w.advance(5s);
  EXPECT_TRUE(w.stopped());
  EXPECT_EQ(names(), list{R"("a__1")"});
  EXPECT_EQ(w.flushes(), 1U);
}

TEST_F(sink_crash, right_before_the_last_words_is_mended_without_a_pause) {
  a.next("tools/call", reply::result("1", 5s));
  c.call("1", "a__1");
  w.stop();
  w.advance(4'950ms);
  w.crash(w.cast("sink").at(0));
  w.advance(50ms);
  EXPECT_TRUE(w.stopped());
  EXPECT_EQ(names(), list{R"("a__1")"});
  EXPECT_EQ(w.flushes(), 1U);
}

TEST_F(sink_crash, of_audit_right_before_the_last_words_flushes_all_the_same) {
  a.next("tools/call", reply::result("1", 5s));
  c.call("1", "a__1");
  w.stop();
  w.advance(4'950ms);
  w.crash(w.cast("audit").at(0));
  w.advance(50ms);
  EXPECT_TRUE(w.stopped());
  EXPECT_EQ(w.flushes(), 1U);
}

/// Each sink has its own bound, also while it is down.
TEST(sinks, no_more_is_kept_for_a_webhook_that_crashed_than_it_would_keep) {
  constexpr std::string_view config = R"({
    "upstreams": [{"id": "a", "namespace": "a", "url": "http://a.test/mcp"}],
    "audit": {"sinks": [{"type": "stdout"},
                        {"type": "webhook", "url": "https://hooks.test/events"}]}})";
  world w({.config = std::string(config), .hosts = {"hooks"}});
  auto& hooks = w.upstream("hooks");
  hooks.always("not JSON-RPC", reply::http(204));
  client c(w);
  c.initialize();
  w.advance(1s);
  const auto before = hooks.seen().size();
  w.crash(w.cast("sink").at(1));
  for (std::size_t i = 0; i < limits::outbox_items + 3; ++i) c.call(std::to_string(i + 1), "a__x");
  EXPECT_EQ(w.metric(R"(gate_audit_dropped_total{reason="overflow",sink="webhook"})"), 3);
  EXPECT_EQ(w.metric(R"(gate_audit_dropped_total{reason="overflow",sink="stdout"})"), 0);
  EXPECT_EQ(w.audit("tools/call").size(), limits::outbox_items + 3);
  w.advance(5s);
  EXPECT_EQ(hooks.seen().size() - before,
            (limits::outbox_items + limits::outbox_batch - 1) / limits::outbox_batch);
  EXPECT_EQ(w.metric(R"(gate_audit_dropped_total{reason="overflow",sink="webhook"})"), 3);
}

TEST(sinks, there_is_none_where_nothing_is_audited) {
  world w({.audit = false});
  EXPECT_TRUE(w.cast("sink").empty());
  EXPECT_TRUE(w.cast("audit").empty());
  w.stop();
  EXPECT_TRUE(w.stopped());
}

}  // namespace
}  // namespace gate
