// Crashes, and the end of the process.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

struct supervision : ::testing::Test {
  world w;
  client c{w};
  fake_upstream& a = w.upstream("a");
  fake_upstream& b = w.upstream("b");
  supervision() { c.initialize(); }
};

TEST_F(supervision, an_upstream_that_crashes_takes_only_its_own_calls_with_it) {
  a.always("tools/call", reply::silence());
  b.next("tools/call", reply::result("\"b\"", 5s));
  std::vector<receipt_ptr> lost;
  for (int i = 0; i < 100; ++i) lost.push_back(c.call(std::to_string(i), "a__x"));
  auto other = c.call("\"b\"", "b__x");
  w.crash_upstream(0);
  for (std::size_t i = 0; i < lost.size(); ++i)
    EXPECT_EQ(lost[i]->body, unavailable(std::to_string(i), "a", "request failed"));
  EXPECT_FALSE(other->done());
  w.advance(5s);
  EXPECT_EQ(other->last(), R"({"jsonrpc":"2.0","id":"b","result":"b"})");
  EXPECT_EQ(w.audit("tools/call").size(), 101U);
  for (const auto& r : w.receipts()) EXPECT_EQ(r->endings, 1);
}

TEST_F(supervision, an_upstream_is_restarted_after_a_pause_that_grows) {
  w.crash_upstream(0);
  EXPECT_EQ(c.call("1", "a__x")->body, unavailable("1", "a", "connect failed"));
  w.advance(99ms);
  EXPECT_EQ(c.call("2", "a__x")->body, unavailable("2", "a", "connect failed"));
  w.advance(1ms);
  EXPECT_NE(at(c.call("3", "a__x")->body, "result"), "");
  w.crash(w.cast("upstream").at(1));
  w.advance(100ms);
  EXPECT_EQ(c.call("4", "a__x")->body, unavailable("4", "a", "connect failed"));
  w.advance(100ms);
  EXPECT_NE(at(c.call("5", "a__x")->body, "result"), "");
  EXPECT_EQ(w.logged("UPSTREAM crashed and is restarted."), 2U);
}

TEST_F(supervision, lists_go_on_without_the_one_that_crashed) {
  a.tools = {R"({"name":"1"})"};
  a.next("tools/list", reply::silence());
  auto r = c.list("1");
  EXPECT_FALSE(r->done());
  w.crash_upstream(0);
  EXPECT_EQ(at(r->body, "result", "_meta", "gate/partialFailure", "failedUpstreams"), R"(["a"])");
  w.advance(2s);
  EXPECT_NE(c.list("2")->body.find("a__1"), std::string::npos);
}

TEST_F(supervision, a_bridged_session_that_dies_answers_its_clients_calls_only) {
  client d(w);
  d.initialize();
  a.always("tools/call", reply::silence());
  auto mine = c.call("1", "a__x");
  auto theirs = d.call("1", "a__x");
  w.crash(w.cast("bridged session").at(0));
  EXPECT_EQ(mine->body, unavailable("1", "a", "request failed"));
  EXPECT_FALSE(theirs->done());
  a.behave("tools/call");
  EXPECT_NE(at(c.call("2", "a__x")->body, "result"), "");
}

TEST_F(supervision, a_root_session_that_dies_is_replaced) {
  c.list("1");
  w.crash(w.cast("root session").at(0));
  w.advance(31s);
  c.list("2");
  EXPECT_EQ(a.count("initialize"), 2U);
}

TEST_F(supervision, a_router_that_crashes_answers_nothing_twice_and_is_replaced) {
  a.always("tools/call", reply::silence());
  auto r = c.call("1", "a__x");
  auto stream = c.get();
  w.crash(w.cast("router").at(0));
  EXPECT_EQ(at(r->body, "error", "code"), "-32603");
  EXPECT_EQ(r->endings, 1);
  EXPECT_TRUE(stream->stream_ended) << "or its client would wait for what nobody tells";
  ASSERT_EQ(w.audit("tools/call").size(), 1U);
  EXPECT_EQ(at(w.audit("tools/call")[0], "error"), R"("the call was dropped")");
  w.advance(1s);
  EXPECT_EQ(w.ingress().routers.size(), 2U) << "INGRESS got the new one";
  EXPECT_EQ(c.request("2", "ping")->status, 404) << "its sessions are lost";
  c.session.clear();
  c.initialize();
  a.behave("tools/call");
  EXPECT_NE(at(c.call("3", "a__x")->body, "result"), "");
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="client"})"), 1);
}

TEST_F(supervision, an_audit_that_crashes_is_replaced) {
  c.call("1", "a__x");
  w.crash(w.cast("audit").at(0));
  w.advance(1s);
  c.call("2", "a__x");
  EXPECT_EQ(w.audit("tools/call").size(), 2U);
}

// --- the end -------------------------------------------------------------------------------------

TEST_F(supervision, an_idle_gateway_stops_at_once) {
  c.call("1", "a__x");
  c.list("2");
  auto stream = c.get();
  w.stop();
  EXPECT_TRUE(w.stopped());
  EXPECT_TRUE(stream->stream_ended);
  EXPECT_EQ(a.count("DELETE"), 2U) << "root and bridged";
  EXPECT_EQ(w.flushes(), 1U);
}

TEST_F(supervision, calls_in_flight_are_finished_first) {
  a.next("tools/call", reply::result("1", 9s));
  auto r = c.call("1", "a__x");
  w.stop();
  w.advance(8s);
  EXPECT_FALSE(w.stopped());
  w.advance(1s);
  EXPECT_EQ(at(r->last(), "result"), "1");
  EXPECT_TRUE(w.stopped());
  EXPECT_EQ(w.audit("tools/call").size(), 1U);
}

TEST_F(supervision, a_stream_ends_with_the_last_call_of_its_session) {
  client idle(w);
  idle.initialize();
  auto nobodys = idle.get();
  auto stream = c.get();
  a.next("tools/call", reply::result("1", 5s));
  a.next("tools/call", reply::result("2", 9s));
  auto one = c.call("1", "a__x");
  auto two = c.call("2", "a__x");
  w.stop();
  EXPECT_TRUE(nobodys->stream_ended);
  EXPECT_FALSE(stream->stream_ended);
  w.advance(4s);
  const auto session = a.last("tools/call")->session;
  for (const auto& s : a.under_way("GET"))
    if (s->session == session)
      fake_upstream::push(s, R"({"jsonrpc":"2.0","id":"r","method":"acme/ask"})");
  w.settle();
  ASSERT_EQ(stream->events().size(), 1U) << "what its calls need can still be asked";
  w.advance(1s);
  EXPECT_FALSE(stream->stream_ended) << "one call is left";
  w.advance(4s);
  EXPECT_EQ(at(one->last(), "result"), "1");
  EXPECT_EQ(at(two->last(), "result"), "2");
  EXPECT_TRUE(stream->stream_ended);
  EXPECT_TRUE(w.stopped());
}

TEST_F(supervision, a_stream_that_opens_too_late_ends_at_once) {
  client other(w);
  other.initialize();
  a.next("tools/call", reply::result("1", 5s));
  c.call("1", "a__x");
  w.stop();
  EXPECT_TRUE(other.get()->stream_ended);
  auto mine = c.get();
  EXPECT_FALSE(mine->stream_ended);
  w.advance(5s);
  EXPECT_TRUE(mine->stream_ended);
  EXPECT_TRUE(w.stopped());
}

TEST_F(supervision, a_stream_ends_with_the_drain_at_the_latest) {
  a.always("tools/call", reply::silence());
  auto stream = c.get();
  c.call("1", "a__x");
  w.stop();
  w.advance(9'999ms);
  EXPECT_FALSE(stream->stream_ended);
  w.advance(1ms);
  EXPECT_TRUE(stream->stream_ended);
  EXPECT_TRUE(w.stopped());
}

TEST_F(supervision, what_still_runs_after_the_drain_is_refused_and_audited) {
  a.always("tools/call", reply::silence());
  auto r = c.call("1", "a__x");
  w.stop();
  w.advance(9'500ms);
  auto late = c.call("2", "a__x");
  w.advance(499ms);
  EXPECT_FALSE(r->done());
  w.advance(1ms);
  EXPECT_EQ(at(r->last(), "error", "message"), R"("the gateway is stopping")");
  EXPECT_EQ(late->status, 503);
  EXPECT_EQ(at(late->body, "error", "message"), R"("the gateway is stopping")");
  EXPECT_TRUE(a.last("tools/call")->abandoned);
  EXPECT_TRUE(w.stopped());
  EXPECT_EQ(w.audit("tools/call").size(), 2U);
}

TEST_F(supervision, an_upstream_that_hangs_does_not_hold_the_end_up) {
  c.call("1", "a__x");
  a.always("DELETE", reply::silence());
  w.stop();
  EXPECT_FALSE(w.stopped());
  w.advance(2s);
  EXPECT_TRUE(w.stopped());
}

TEST_F(supervision, nothing_is_restarted_any_more) {
  a.always("tools/call", reply::silence());
  c.call("1", "a__x");
  w.stop();
  w.crash(w.cast("upstream").at(0));
  w.advance(15s);
  EXPECT_TRUE(w.stopped());
  EXPECT_EQ(w.audit("tools/call").size(), 1U);
}

TEST(supervision_of_two_units, every_event_is_flushed) {
  world w({.units = 2});
  client c(w, 0), d(w, 1);
  c.initialize();
  d.initialize();
  w.upstream("a").always("tools/call", reply::silence());
  for (int i = 0; i < 5; ++i) {
    c.call(std::to_string(i), "a__x");
    d.call(std::to_string(i), "a__x");
  }
  w.shuffle(7);
  w.stop();
  w.advance(20s);
  EXPECT_TRUE(w.stopped());
  EXPECT_EQ(w.audit("tools/call").size(), 10U);
}

TEST_F(supervision, no_reload_begins_while_it_stops) {
  a.next("tools/call", reply::result("1", 5s));
  auto r = c.call("1", "a__x");
  w.stop();
  w.write_config(R"({"upstreams":[{"id":"b","url":"http://b.test/mcp"}]})");
  w.hang_up();
  w.advance(1s);
  EXPECT_EQ(w.logged("The configuration was reloaded."), 0U);
  EXPECT_EQ(w.logged("the gateway is stopping"), 1U);
  EXPECT_EQ(a.count("DELETE"), 0U);
  w.advance(4s);
  EXPECT_EQ(at(r->last(), "result"), "1");
  EXPECT_TRUE(w.stopped());
}

TEST_F(supervision, a_reload_that_is_judged_when_it_stops_is_not_taken_over) {
  a.next("tools/call", reply::result("1", 5s));
  auto r = c.call("1", "a__x");
  w.write_config(R"({"upstreams":[{"id":"b","url":"http://b.test/mcp"}]})");
  w.hold(true);
  w.hang_up();
  w.stop();
  w.hold(false);
  w.settle();
  w.advance(5s);
  EXPECT_EQ(w.logged("The configuration was reloaded."), 0U);
  EXPECT_EQ(at(r->last(), "result"), "1");
  EXPECT_TRUE(w.stopped());
}

}  // namespace
}  // namespace gate
