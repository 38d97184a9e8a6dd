// What upstreams say to a client outside of its calls: its own stream, subscriptions, roots.
#include "tests/actors/gateway/streams/updates_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

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
  w.advance(29s);
  EXPECT_FALSE(heard->abandoned) << "it is likely to come back";
  w.advance(2s);
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
  fake_upstream::push(s, updated("x://1"));
  w.settle();
  EXPECT_EQ(mine->events(), std::vector<std::string>{updated("x://1")});
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
  fake_upstream::push(s, R"({"jsonrpc":"2.0","id":"r","method":"vendor/ask"})");
  w.settle();
  ASSERT_EQ(mine->events().size(), 1U);
  EXPECT_EQ(mine->events()[0], R"({"jsonrpc":"2.0","id":1,"method":"vendor/ask"})");
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

TEST_F(listening, a_question_of_no_call_outlives_the_clients_other_requests) {
  auto mine = c.get();
  c.call("1", "a__x");
  fake_upstream::push(stream_of(a.last("tools/call")->session),
                      R"({"jsonrpc":"2.0","id":"r","method":"vendor/ask"})");
  w.settle();
  c.request("2", "ping");
  c.list("3");
  c.post(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(a.count("response"), 1U);
}

TEST_F(listening, an_answer_never_reaches_a_later_session_that_uses_the_same_id) {
  auto mine = c.get();
  c.call("1", "a__x");
  w.advance(31s);
  auto s = stream_of(a.last("tools/call")->session);
  fake_upstream::push(s, R"({"jsonrpc":"2.0","id":0,"method":"vendor/ask","params":{}})");
  w.settle();
  a.forget_sessions();
  fake_upstream::close(s, fetch_end::broken);
  w.advance(1s);
  auto next = a.under_way("GET").back();
  fake_upstream::push(next, R"({"jsonrpc":"2.0","id":0,"method":"vendor/ask","params":{"b":1}})");
  w.settle();
  ASSERT_EQ(mine->events().size(), 2U);
  c.post(R"({"jsonrpc":"2.0","id":1,"result":{"for":"the first"}})");
  EXPECT_EQ(a.count("response"), 0U);
  c.post(R"({"jsonrpc":"2.0","id":2,"result":{"for":"the second"}})");
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(at(a.last("response")->body, "result"), R"({"for":"the second"})");
}

TEST_F(listening, what_a_new_session_is_told_may_be_refused) {
  subscribe(c);
  c.request("2", "logging/setLevel", R"({"level":"info"})");
  c.get();
  a.always("resources/subscribe", reply::http(404));
  a.always("logging/setLevel", reply::http(404));
  a.forget_sessions();
  c.call("3", "a__x");
  w.advance(1min);
  EXPECT_LE(a.count("initialize"), 4U);
}

TEST_F(listening, questions_that_nobody_answers_do_not_silence_other_upstreams_nor_last_for_ever) {
  auto mine = c.get();
  c.call("1", "a__x");
  auto ask = [&](int n) {
    fake_upstream::push(
        stream_of(a.last("tools/call")->session),
        R"({"jsonrpc":"2.0","id":)" + std::to_string(n) + R"(,"method":"vendor/ask"})");
    w.settle();
  };
  for (int n = 0; n < 65; ++n) ask(n);
  EXPECT_EQ(a.count("response"), 1U) << "one too many";
  auto& b = w.upstream("b");
  b.always("tools/call", reply{.open = true});
  auto other = c.call("2", "b__x");
  fake_upstream::push(b.last("tools/call"), R"({"jsonrpc":"2.0","id":1,"method":"vendor/ask"})");
  w.settle();
  EXPECT_EQ(other->events().size(), 1U);
  w.advance(10min);
  ask(100);
  EXPECT_EQ(a.count("response"), 65U) << "the old ones were answered in the client's place";
  EXPECT_NE(mine->events().back().find("vendor/ask"), std::string::npos);
}

TEST_F(listening, a_session_that_could_not_be_opened_again_is_tried_again) {
  c.get();
  subscribe(c);
  w.advance(31s);
  auto s = stream_of(a.last("resources/subscribe")->session);
  a.forget_sessions();
  a.next("initialize", reply::http(503));
  a.next("initialize", reply::http(503));
  fake_upstream::close(s, fetch_end::broken);
  w.advance(20s);
  EXPECT_EQ(a.count("resources/subscribe"), 2U);
}

TEST_F(listening, an_outage_is_no_storm_however_many_calls_fail_in_it) {
  c.call("1", "a__x");
  c.get();
  a.always("initialize", reply::failure(fetch_end::connect_failed));
  a.forget_sessions();
  for (int i = 0; i < 60; ++i) c.call(std::to_string(i + 2), "a__x");
  w.advance(35s);
  const auto before = a.count("initialize");
  w.advance(60s);
  EXPECT_LE(a.count("initialize") - before, 3U);
}

TEST_F(listening, changes_reach_a_client_that_never_listed) {
  auto mine = c.get();
  c.call("1", "a__x");
  fake_upstream::push(stream_of(a.last("tools/call")->session),
                      R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  w.advance(200ms);
  EXPECT_EQ(mine->events().size(), 1U);
}

}  // namespace
}  // namespace gate
