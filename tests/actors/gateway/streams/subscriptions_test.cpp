// Subscriptions, and what can happen at the same time.
#include "tests/actors/gateway/streams/updates_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr auto params = R"({"uri":"x://1"})";

struct subscriptions : ::testing::Test {
  world w{{.config = std::string(one_upstream)}};
  client c{w}, d{w};
  fake_upstream& a = w.upstream("a");
  receipt_ptr mine, theirs;

  subscriptions() {
    c.initialize();
    d.initialize();
    mine = c.get();
    theirs = d.get();
  }
  receipt_ptr subscribe(client& who) { return who.request("1", "resources/subscribe", params); }
  sight_ptr stream_of(std::string_view session) {
    for (const auto& s : a.under_way("GET"))
      if (s->session == session) return s;
    return nullptr;
  }
};

TEST_F(subscriptions, the_first_one_is_awaited) {
  a.next("resources/subscribe", reply::result("{}", 500ms));
  auto r = subscribe(c);
  w.advance(499ms);
  EXPECT_EQ(r->endings, 0);
  w.advance(1ms);
  EXPECT_EQ(at(r->last(), "result"), "{}");
}

TEST_F(subscriptions, of_two_clients_are_two_and_end_apart) {
  subscribe(c);
  const auto first = a.last("resources/subscribe")->session;
  subscribe(d);
  const auto second = a.last("resources/subscribe")->session;
  ASSERT_NE(first, second);
  c.request("2", "resources/unsubscribe", params);
  EXPECT_EQ(a.last("resources/unsubscribe")->session, first);
  fake_upstream::push(stream_of(second), updated("x://1"));
  w.settle();
  EXPECT_TRUE(mine->events().empty());
  EXPECT_EQ(theirs->events(), std::vector<std::string>{updated("x://1")});
  d.end();
  EXPECT_EQ(a.last("DELETE")->session, second) << "released with its client";
}

TEST_F(subscriptions, that_the_server_forgets_while_they_are_made_are_made_again) {
  c.call("0", "x");
  a.forget_sessions();
  auto r = subscribe(c);
  w.settle();
  EXPECT_EQ(at(r->last(), "result"), R"({"from":"a"})");
  const auto& made = a.seen("resources/subscribe");
  ASSERT_EQ(made.size(), 2U);
  EXPECT_NE(made[0]->session, made[1]->session);
  EXPECT_TRUE(stream_of(made[1]->session)) << "and it listens in the new session";
}

TEST_F(subscriptions, are_renewed_by_a_listener_without_waiting_for_a_call) {
  subscribe(c);
  const auto first = a.last("resources/subscribe")->session;
  a.forget_sessions();
  fake_upstream::close(stream_of(first));
  w.advance(10s);
  EXPECT_EQ(a.count("resources/subscribe"), 2U);
  const auto second = a.last("resources/subscribe")->session;
  EXPECT_NE(first, second);
  fake_upstream::push(stream_of(second), updated("x://1"));
  w.settle();
  EXPECT_EQ(mine->events(), std::vector<std::string>{updated("x://1")});
}

TEST_F(subscriptions, an_update_before_the_answer_is_not_lost) {
  a.next("resources/subscribe", reply::silence());
  auto r = subscribe(c);
  const auto& asked = a.last("resources/subscribe");
  fake_upstream::push(stream_of(asked->session), updated("x://1"));
  fake_upstream::answer(asked, reply::result("{}"));
  w.settle();
  EXPECT_EQ(r->endings, 1);
  EXPECT_EQ(mine->events(), std::vector<std::string>{updated("x://1")});
}

TEST_F(subscriptions, a_client_that_goes_while_one_is_made_leaves_none) {
  a.next("resources/subscribe", reply::silence());
  auto r = subscribe(c);
  const auto asked = a.last("resources/subscribe");
  c.end();
  EXPECT_EQ(r->endings, 1);
  EXPECT_TRUE(asked->abandoned);
  EXPECT_EQ(a.last("DELETE")->session, asked->session);
  w.advance(10s);
  EXPECT_EQ(a.count("resources/subscribe"), 1U);
}

TEST_F(subscriptions, one_undone_while_it_is_made_stays_undone) {
  a.next("resources/subscribe", reply::result("{}", 300ms));
  subscribe(c);
  c.request("2", "resources/unsubscribe", params);
  w.advance(1s);
  const auto session = a.last("resources/unsubscribe")->session;
  a.forget_sessions();
  fake_upstream::close(stream_of(session));
  w.advance(10s);
  EXPECT_EQ(a.count("initialize"), 2U);
  EXPECT_EQ(a.count("resources/subscribe"), 1U) << "not renewed";
}

TEST_F(subscriptions, one_answered_on_a_resumed_stream_can_be_undone) {
  a.next("resources/subscribe", reply{.primed = "e-1"});
  auto r = subscribe(c);
  w.advance(1s);
  const auto get = a.last("GET");
  fake_upstream::push(
      get, R"({"jsonrpc":"2.0","id":)" + a.last("resources/subscribe")->id + R"(,"result":{}})");
  w.settle();
  EXPECT_EQ(r->endings, 1);
  EXPECT_NE(at(c.request("2", "resources/unsubscribe", params)->last(), "result"), "");
}

TEST_F(subscriptions, that_the_server_refuses_are_not_renewed) {
  a.next("resources/subscribe", reply::error(R"({"code":-32602,"message":"no"})"));
  EXPECT_EQ(at(subscribe(c)->last(), "error", "message"), R"("no")");
  const auto first = a.last("resources/subscribe")->session;
  a.forget_sessions();
  fake_upstream::close(stream_of(first));
  w.advance(10s);
  EXPECT_EQ(a.count("resources/subscribe"), 1U);
}

TEST_F(subscriptions, outlive_the_bridged_session_that_crashed) {
  subscribe(c);
  const auto first = a.last("resources/subscribe")->session;
  subscribe(d);
  w.crash(w.cast("bridged session").at(0));
  w.advance(1s);
  ASSERT_EQ(a.count("resources/subscribe"), 3U) << "of the one that crashed only";
  const auto again = a.last("resources/subscribe");
  EXPECT_EQ(again->param("uri"), R"("x://1")");
  fake_upstream::push(stream_of(again->session), updated("x://1"));
  w.settle();
  EXPECT_EQ(mine->events(), std::vector<std::string>{updated("x://1")});
  EXPECT_TRUE(theirs->events().empty());
  EXPECT_NE(first, again->session);
}

TEST_F(subscriptions, outlive_the_upstream_that_crashed) {
  subscribe(c);
  subscribe(d);
  d.request("2", "resources/unsubscribe", params);
  w.crash_upstream(0);
  w.advance(1s);
  ASSERT_EQ(a.count("resources/subscribe"), 3U);
  fake_upstream::push(stream_of(a.last("resources/subscribe")->session), updated("x://1"));
  w.settle();
  EXPECT_EQ(mine->events(), std::vector<std::string>{updated("x://1")});
  EXPECT_TRUE(theirs->events().empty());
}

TEST_F(subscriptions, that_kill_their_session_do_so_ever_more_rarely) {
  subscribe(c);
  const auto dies = [&] {
    w.crash(w.cast("bridged session").at(0));
    w.settle();
    EXPECT_TRUE(w.cast("bridged session").empty());
  };
  dies();
  w.advance(1s);
  EXPECT_EQ(w.cast("bridged session").size(), 1U) << "soon, the first time";
  for (const auto pause : {1s, 2s, 4s, 8s, 16s, 30s, 30s}) {
    dies();
    w.advance(pause - 1s);
    EXPECT_TRUE(pause == 1s || w.cast("bridged session").empty()) << pause.count();
    w.advance(1s);
    EXPECT_EQ(w.cast("bridged session").size(), 1U) << pause.count();
  }
  EXPECT_EQ(a.count("resources/subscribe"), 9U);
  w.advance(2min);
  dies();
  w.advance(1s);
  EXPECT_EQ(w.cast("bridged session").size(), 1U) << "it had lived well";
  c.request("2", "resources/unsubscribe", params);
  const auto before = a.count("resources/subscribe");
  w.crash(w.cast("bridged session").at(0));
  w.advance(5s);
  EXPECT_EQ(a.count("resources/subscribe"), before) << "it is subscribed to nothing";
}

TEST_F(subscriptions, survive_a_moment_without_the_client) {
  subscribe(c);
  const auto session = a.last("resources/subscribe")->session;
  w.vanish(mine);
  fake_upstream::push(stream_of(session), updated("x://1"));
  w.advance(5s);
  c.more_headers = {"Last-Event-ID: 0-1"};
  auto again = c.get();
  EXPECT_EQ(again->events(), std::vector<std::string>{updated("x://1")});
}

TEST_F(subscriptions, that_ended_meanwhile_are_not_made_again) {
  subscribe(c);
  w.crash(w.cast("bridged session").at(0));
  c.end();
  w.advance(1s);
  EXPECT_EQ(a.count("resources/subscribe"), 1U);
}

}  // namespace
}  // namespace gate
