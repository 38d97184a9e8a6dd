// Calls that their client no longer wants.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

TEST(cancel, the_client_cancels_and_the_upstream_is_told_its_own_id) {
  world w;
  client c(w);
  c.initialize();
  w.upstream("a").always("tools/call", reply::silence());
  auto r = c.call(R"("mine")", "a__x");
  auto call = w.upstream("a").last("tools/call");
  auto no = c.notify("notifications/cancelled", R"({"requestId":"mine","reason":"b\u006fred"})");
  EXPECT_EQ(no->status, 202);
  EXPECT_EQ(r->status, 202);
  EXPECT_EQ(r->body, "");
  EXPECT_TRUE(call->abandoned);
  auto told = w.upstream("a").last("notifications/cancelled");
  ASSERT_TRUE(told);
  EXPECT_EQ(told->param("requestId"), call->id);
  EXPECT_EQ(told->param("reason"), R"("b\u006fred")");
  EXPECT_EQ(told->session, call->session);
  // An answer that was on its way already is dropped.
  call->abandoned = false;
  fake_upstream::answer(call, reply::result("1"));
  w.settle();
  EXPECT_EQ(r->endings, 1);
  ASSERT_EQ(w.audit("tools/call").size(), 1U);
  EXPECT_EQ(at(w.audit("tools/call")[0], "error"), R"("cancelled by the client")");
}

TEST(cancel, a_cancelled_stream_just_ends) {
  world w;
  client c(w);
  c.initialize();
  const std::string said = R"({"jsonrpc":"2.0","method":"notifications/message","params":{}})";
  w.upstream("a").next("tools/call", {.events = {said}, .open = true});
  auto r = c.call("1", "a__x");
  c.cancel("1");
  EXPECT_EQ(r->events(), std::vector<std::string>{said});
  EXPECT_TRUE(r->stream_ended);
  EXPECT_EQ(w.audit("tools/call").size(), 1U);
}

TEST(cancel, cancelling_while_the_handshake_runs_sends_nothing) {
  world w;
  client c(w);
  c.initialize();
  w.upstream("a").next("initialize", reply::silence());
  auto r = c.call("1", "a__x");
  c.cancel("1");
  EXPECT_EQ(r->status, 202);
  w.advance(61s);
  EXPECT_EQ(w.upstream("a").count("tools/call"), 0U);
  EXPECT_EQ(w.upstream("a").count("notifications/cancelled"), 0U);
  EXPECT_EQ(w.audit("tools/call").size(), 1U);
}

TEST(cancel, cancelling_what_is_unknown_or_of_another_client_does_nothing) {
  world w;
  client c(w), d(w);
  c.initialize();
  d.initialize();
  w.upstream("a").always("tools/call", reply::silence());
  auto r = c.call("1", "a__x");
  EXPECT_EQ(d.cancel("1")->status, 202);
  EXPECT_EQ(c.cancel(R"("1")")->status, 202);
  EXPECT_EQ(c.cancel("2")->status, 202);
  EXPECT_FALSE(r->done());
  EXPECT_EQ(w.upstream("a").count("notifications/cancelled"), 0U);
}

TEST(cancel, a_client_that_vanishes_does_not_cancel) {
  world w;
  client c(w);
  c.initialize();
  w.upstream("a").next("tools/call", reply::result("1", 20s));
  auto r = c.call("1", "a__x");
  w.vanish(r);
  w.advance(20s);
  EXPECT_EQ(w.upstream("a").count("notifications/cancelled"), 0U);
  ASSERT_EQ(w.audit("tools/call").size(), 1U);
  EXPECT_EQ(at(w.audit("tools/call")[0], "outcome"), R"("ok")");
  EXPECT_TRUE(r->misuse.empty());
}

}  // namespace
}  // namespace gate
