// What upstreams say to a client outside of its calls: its own stream, subscriptions, roots.
#include "tests/support/world.hpp"

namespace gate {
namespace {

using namespace testing;
using namespace std::chrono_literals;

constexpr auto updated =
    R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://1"}})";
constexpr auto message =
    R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1.0}})";

struct listening : ::testing::Test {
  world w;
  client c{w}, d{w};
  fake_upstream& a = w.upstream("a");

  listening() {
    a.resources = {R"({"uri":"x://1","name":"n"})"};
    c.initialize();
    d.initialize();
  }
  receipt_ptr subscribe(client& who, std::string_view method = "resources/subscribe") {
    return who.request("\"s\"", method, R"({"uri":"x://1"})");
  }
  /// The bridged session's own stream of whoever called last.
  sight_ptr stream_of(std::string_view session) {
    for (const auto& s : a.under_way("GET"))
      if (s->session == session) return s;
    return nullptr;
  }
};

TEST_F(listening, upstreams_are_listened_to_while_the_client_listens) {
  c.call("1", "a__x");
  const auto session = a.last("tools/call")->session;
  EXPECT_FALSE(stream_of(session)) << "nobody would hear it";
  auto mine = c.get();
  auto theirs = d.get();
  w.settle();
  ASSERT_TRUE(stream_of(session));
  fake_upstream::push(stream_of(session), message);
  w.settle();
  EXPECT_EQ(mine->events(), std::vector<std::string>{message});
  EXPECT_TRUE(theirs->events().empty());
  auto heard = stream_of(session);
  w.vanish(mine);
  EXPECT_TRUE(heard->abandoned);
}

TEST_F(listening, a_session_that_opens_later_listens_too) {
  c.get();
  c.call("1", "a__x");
  EXPECT_TRUE(stream_of(a.last("tools/call")->session));
}

TEST_F(listening, updates_reach_the_subscriber_only) {
  auto mine = c.get();
  auto theirs = d.get();
  d.call("1", "a__x");
  auto r = subscribe(c);
  EXPECT_NE(at(r->body, "result"), "");
  EXPECT_EQ(at(w.audit("resources/subscribe")[0], "name"), R"("x://1")");
  auto s = stream_of(a.last("resources/subscribe")->session);
  ASSERT_TRUE(s);
  fake_upstream::push(s, updated);
  w.settle();
  EXPECT_EQ(mine->events(), std::vector<std::string>{updated});
  EXPECT_TRUE(theirs->events().empty());
}

TEST_F(listening, subscriptions_survive_a_restart_of_the_server_and_idleness) {
  c.get();
  subscribe(c);
  w.advance(31s);
  auto s = stream_of(a.last("resources/subscribe")->session);
  a.forget_sessions();
  fake_upstream::close(s, fetch_end::broken);
  w.advance(10s);
  EXPECT_EQ(a.count("resources/subscribe"), 2U);
  EXPECT_EQ(a.last("resources/subscribe")->param("uri"), R"("x://1")");
  w.advance(20min);
  EXPECT_EQ(w.cast("bridged session").size(), 1U);
  c.end();
  EXPECT_TRUE(w.cast("bridged session").empty()) << "released with their client";
}

TEST_F(listening, what_was_unsubscribed_is_not_renewed) {
  subscribe(c);
  subscribe(c, "resources/unsubscribe");
  a.forget_sessions();
  c.call("1", "a__x");
  EXPECT_EQ(a.count("resources/subscribe"), 1U);
}

TEST_F(listening, a_refused_subscription_is_none) {
  a.next("resources/subscribe", reply::error(R"({"code":-1,"message":"no"})"));
  subscribe(c);
  a.forget_sessions();
  c.call("1", "a__x");
  EXPECT_EQ(a.count("resources/subscribe"), 1U);
}

TEST_F(listening, questions_of_no_call_go_out_on_the_clients_stream) {
  auto mine = c.get();
  c.call("1", "a__x");
  auto s = stream_of(a.last("tools/call")->session);
  fake_upstream::push(s, R"({"jsonrpc":"2.0","id":"r","method":"roots/list"})");
  w.settle();
  ASSERT_EQ(mine->events().size(), 1U);
  EXPECT_EQ(mine->events()[0], R"({"jsonrpc":"2.0","id":1,"method":"roots/list"})");
  c.post(R"({"jsonrpc":"2.0","id":1,"result":{"roots":[]}})");
  EXPECT_EQ(a.last("response")->body, R"({"jsonrpc":"2.0","id":"r","result":{"roots":[]}})");
}

TEST_F(listening, changed_roots_are_told_to_all_that_know_the_client) {
  c.call("1", "a__x");
  d.call("1", "a__x");
  EXPECT_EQ(c.notify("notifications/roots/list_changed")->status, 202);
  ASSERT_EQ(a.count("notifications/roots/list_changed"), 1U);
  EXPECT_EQ(a.last("notifications/roots/list_changed")->session, a.seen("tools/call")[0]->session);
}

TEST_F(listening, a_changed_list_heard_on_a_bridged_session_counts) {
  auto mine = c.get();
  c.call("1", "a__x");
  c.list("2");
  fake_upstream::push(stream_of(a.last("tools/call")->session),
                      R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  w.advance(200ms);
  EXPECT_EQ(mine->events().size(), 1U);
  c.list("3");
  EXPECT_EQ(a.count("tools/list"), 2U);
}

}  // namespace
}  // namespace gate
