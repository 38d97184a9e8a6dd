// `subscriptions/listen` in front of servers that have sessions: what several streams of one caller
// cost, what they are told is honoured, and what they hear.
#include "protocol/limits.hpp"
#include "simulations/world/guarded_world.hpp"
#include "tests/actors/gateway/stateless/listener_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

// --- counted -------------------------------------------------------------------------------------

TEST_F(listener_stage, several_of_one_caller_are_one_subscription) {
  begin();
  const auto first = listen(), second = listen();
  EXPECT_EQ(honoured(first), R"(["x://1"])");
  EXPECT_EQ(honoured(second), R"(["x://1"])");
  expect_counts(1, 0);
  update(stream());
  for (const auto& [r, id] : {std::pair(first, "1"), std::pair(second, "2")}) {
    ASSERT_EQ(r->events().size(), 2U);
    EXPECT_EQ(at(r->events()[1], "params", "uri"), R"("x://1")");
    EXPECT_EQ(at(r->events()[1], "params", "_meta", listener_key), id);
  }
}

TEST_F(listener_stage, the_last_that_leaves_ends_it) {
  begin();
  const auto first = listen(R"(["x://1","x://2"])");
  const auto second = listen();
  expect_counts(2, 0);
  leave(first);
  expect_counts(2, 1);
  EXPECT_EQ(a().last("resources/unsubscribe")->param("uri"), R"("x://2")");
  update(stream());
  EXPECT_EQ(second->events().size(), 2U) << "it goes on to hear";
  const auto session = a().last("resources/subscribe")->session;
  leave(second);
  expect_counts(2, 2);
  EXPECT_EQ(a().last("resources/unsubscribe")->session, session);
  EXPECT_FALSE(stream_of(session)) << "nobody would hear it";
  listen();
  expect_counts(3, 2);
}

TEST_F(listener_stage, other_callers_have_their_own) {
  begin();
  const auto mine = listen(*one, R"(["x://1"])");
  const auto session = a().last("resources/subscribe")->session;
  const auto theirs = listen(*other, R"(["x://1"])");
  expect_counts(2, 0);
  ASSERT_NE(a().last("resources/subscribe")->session, session);
  update(stream_of(session));
  EXPECT_EQ(mine->events().size(), 2U);
  EXPECT_EQ(theirs->events().size(), 1U);
  leave(theirs);
  expect_counts(2, 1);
  update(stream_of(session));
  EXPECT_EQ(mine->events().size(), 3U);
}

TEST_F(listener_stage, principals_at_one_address_have_their_own) {
  auto o = guarded_world(guarded(a_and_b));
  o.prepare = [before = o.prepare](fake_network& net) {
    before(net);
    offer_resources(net);
  };
  it = std::make_unique<world>(std::move(o));
  meet();
  other->peer = one->peer;
  one->token = token_for("alice");
  other->token = token_for("bob");
  const auto mine = listen(*one, R"(["x://1"])");
  const auto session = a().last("resources/subscribe")->session;
  const auto theirs = listen(*other, R"(["x://1"])");
  one->token = token_for("alice", R"("jti":"another")");
  const auto again = listen(*one, R"(["x://1"])");
  expect_counts(2, 0);
  update(stream_of(session));
  EXPECT_EQ(mine->events().size(), 2U);
  EXPECT_EQ(again->events().size(), 2U) << "by another token of the same caller";
  EXPECT_EQ(theirs->events().size(), 1U);
}

TEST_F(listener_stage, what_is_said_of_a_resource_does_not_overtake) {
  begin();
  const auto first = listen();
  a().next("resources/unsubscribe", reply::result("{}", 500ms));
  leave(first);
  const auto second = listen();
  expect_counts(1, 1);
  EXPECT_EQ(honoured(second), "nothing yet");
  it->advance(500ms);
  expect_counts(2, 1);
  EXPECT_EQ(honoured(second), R"(["x://1"])");
}

TEST_F(listener_stage, one_that_leaves_before_the_answer_leaves_nothing) {
  begin();
  listen(R"([])");
  a().next("resources/subscribe", reply::result("{}", 500ms));
  const auto r = listen();
  leave(r);
  expect_counts(1, 0);
  it->advance(500ms);
  expect_counts(1, 1);
  a().forget_sessions();
  one->call("9", "x");
  EXPECT_EQ(a().count("resources/subscribe"), 1U) << "a new session is not told of it";
}

// --- what is honoured ----------------------------------------------------------------------------

TEST_F(listener_stage, what_the_server_refuses_is_not_honoured) {
  begin();
  a().always("resources/subscribe", [](const sight& s) {
    return s.param("uri") == R"("x://1")" ? reply::error(R"({"code":-32602,"message":"no"})")
                                          : reply::result("{}", 50ms);
  });
  const auto r = listen(R"(["x://1","x://2"])");
  EXPECT_EQ(honoured(r), "nothing yet");
  it->advance(50ms);
  EXPECT_EQ(honoured(r), R"(["x://2"])");
  update(stream(), "x://1");
  EXPECT_EQ(r->events().size(), 1U);
  expect_counts(2, 0);
  a().forget_sessions();
  one->call("9", "x");
  it->advance(50ms);
  EXPECT_EQ(a().count("resources/subscribe"), 3U) << "a new session is told of the other one only";
  leave(r);
  EXPECT_EQ(a().count("resources/unsubscribe"), 1U);
}

TEST_F(listener_stage, an_answer_on_a_stream_counts_as_well) {
  begin();
  a().next("resources/subscribe",
           reply{.events = {R"({"jsonrpc":"2.0","id":$id,"result":{}})"}, .open = true});
  EXPECT_EQ(honoured(listen()), R"(["x://1"])");
  a().next("resources/subscribe",
           reply{.events = {R"({"jsonrpc":"2.0","id":$id,"error":{"code":-1,"message":"n"}})"},
                 .open = true});
  EXPECT_EQ(honoured(listen(R"(["x://2"])")), "");
}

TEST_F(listener_stage, what_is_not_answered_in_time_is_not_honoured) {
  begin();
  a().next("resources/subscribe", reply::silence());
  const auto r = listen(*one, R"(["x://1","x://2"])", R"(,"toolsListChanged":true)");
  EXPECT_TRUE(r->events().empty());
  it->advance(59s);
  EXPECT_TRUE(r->events().empty());
  it->advance(2s);
  EXPECT_EQ(honoured(r), R"(["x://2"])");
  ASSERT_FALSE(r->events().empty());
  EXPECT_EQ(at(r->events()[0], "params", "notifications", "toolsListChanged"), "true");
  expect_counts(2, 1);  // it may have heard it all the same
  EXPECT_EQ(a().last("resources/unsubscribe")->param("uri"), R"("x://1")");
}

TEST_F(listener_stage, who_waits_for_the_same_gets_the_same_answer) {
  begin();
  a().next("resources/subscribe", reply::result("{}", 500ms));
  const auto first = listen(), second = listen();
  it->advance(499ms);
  EXPECT_EQ(honoured(first), "nothing yet");
  EXPECT_EQ(honoured(second), "nothing yet");
  leave(first);
  it->advance(1ms);
  EXPECT_EQ(honoured(second), R"(["x://1"])");
  expect_counts(1, 0);
}

TEST_F(listener_stage, updates_before_the_acknowledgement_follow_it) {
  begin();
  listen("[]");
  a().always("resources/subscribe", [](const sight& s) {
    return reply::result("{}", s.param("uri") == R"("x://1")" ? 0ms : 500ms);
  });
  const auto r = listen(R"(["x://1","x://2"])");
  update(stream());
  EXPECT_TRUE(r->events().empty());
  it->advance(500ms);
  ASSERT_EQ(r->events().size(), 2U);
  EXPECT_EQ(honoured(r), R"(["x://1","x://2"])");
  EXPECT_EQ(at(r->events()[1], "params", "uri"), R"("x://1")");
}

TEST_F(listener_stage, a_server_that_can_not_be_reached_honours_nothing) {
  begin();
  a().always("initialize", reply::failure(fetch_end::connect_failed));
  const auto r = listen();
  EXPECT_EQ(honoured(r), "");
  EXPECT_EQ(r->events().size(), 1U);
}

TEST_F(listener_stage, wait_for_no_upstream_that_has_crashed) {
  begin();
  one->call("9", "x");
  a().next("resources/subscribe", reply::silence());
  const auto r = listen();
  it->crash_upstream(0);
  it->advance(5s);
  EXPECT_EQ(honoured(r), R"(["x://1"])") << "its successor has asked";
  expect_counts(2, 0);
}

TEST_F(listener_stage, are_acknowledged_before_they_are_concluded) {
  begin();
  a().next("resources/subscribe", reply::silence());
  const auto r = listen(*one, R"(["x://1"])", R"(,"toolsListChanged":true)");
  it->stop();
  it->settle();
  ASSERT_EQ(r->events().size(), 2U);
  EXPECT_EQ(honoured(r), "");
  EXPECT_EQ(at(r->events()[1], "result", "resultType"), R"("complete")");
}

// --- what they outlive ---------------------------------------------------------------------------

TEST_F(listener_stage, hear_again_when_the_server_was_lost_and_is_back) {
  begin();
  const auto first = listen(), second = listen();
  it->advance(31s);
  const auto lost = stream();
  a().forget_sessions();
  fake_upstream::close(lost, fetch_end::broken);
  it->advance(10s);
  expect_counts(2, 0);
  update(stream());
  EXPECT_EQ(first->events().size(), 2U);
  EXPECT_EQ(second->events().size(), 2U);
}

TEST_F(listener_stage, find_out_that_the_session_of_their_caller_is_lost) {
  begin();
  one->call("9", "x");
  const auto session = a().last("tools/call")->session;
  a().forget_sessions();
  const auto r = listen();
  it->advance(1s);
  EXPECT_EQ(honoured(r), R"(["x://1"])");
  EXPECT_NE(a().last("resources/subscribe")->session, session);
  update(stream());
  EXPECT_EQ(r->events().size(), 2U);
}

TEST_F(listener_stage, hear_again_when_the_bridged_session_has_crashed) {
  begin();
  const auto r = listen();
  it->crash(it->cast("bridged session").at(0));
  it->advance(2s);
  expect_counts(2, 0);
  update(stream());
  EXPECT_EQ(r->events().size(), 2U);
}

TEST_F(listener_stage, keep_what_stands_for_their_caller) {
  begin();
  const auto r = listen();
  it->advance(24h);
  update(stream());
  EXPECT_EQ(r->events().size(), 2U);
  EXPECT_EQ(a().count("initialize"), 1U) << "in one session";
  leave(r);
  it->advance(24h);
  EXPECT_EQ(it->metric(R"(gate_sessions{kind="client"})"), 0);
}

TEST_F(listener_stage, lose_what_a_reload_denies_and_no_more) {
  const auto config = [](std::string_view path) {
    return R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"}],
      "policy":{"rules":[{"id":"r","allow":[{"server":"a","names":[")" +
           std::string(path) + R"("]}]}]}})";
  };
  begin(config("x://*"));
  const auto both = listen(R"(["x://1","x://2"])");
  const auto first = listen();
  EXPECT_EQ(honoured(both), R"(["x://1","x://2"])");
  it->reload(config("x://2"));
  it->settle();
  EXPECT_EQ(a().count("resources/unsubscribe"), 1U);
  EXPECT_EQ(a().last("resources/unsubscribe")->param("uri"), R"("x://1")");
  update(stream(), "x://1");
  update(stream(), "x://2");
  EXPECT_EQ(both->events().size(), 2U);
  EXPECT_EQ(first->events().size(), 1U);
}

TEST_F(listener_stage, that_come_and_go_do_not_fill_the_way_to_their_server) {
  begin();
  a().always("resources/subscribe", reply::silence());
  for (std::size_t round = 0; round < 3; ++round) {
    std::string uris = "[";
    for (std::size_t i = 0; i < limits::session_subscriptions; ++i)
      uris += std::string(i ? "," : "") + R"("x://)" + std::to_string(round) + "-" +
              std::to_string(i) + '"';
    leave(listen(uris + "]"));
  }
  EXPECT_LE(a().count("resources/subscribe"), limits::session_subscriptions);
}

TEST_F(listener_stage, that_waited_over_a_reload_have_the_rights_of_now) {
  it = std::make_unique<world>(world_options{
      .config = std::string(one_upstream), .met = false, .prepare = [](fake_network& net) {
        offer_resources(net);
        net.at("a")->next("initialize", reply::silence());
      }});
  meet();
  const auto r = listen(R"(["x://1","x://2"])");
  EXPECT_TRUE(r->events().empty()) << "nobody knows yet what the server can do";
  it->reload(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp"}],)"
             R"("policy":{"rules":[{"id":"r","allow":[{"server":"a","names":["x://2"]}]}]}})");
  it->advance(1min);
  ASSERT_FALSE(r->events().empty());
  EXPECT_EQ(honoured(r), R"(["x://2"])");
  EXPECT_EQ(a().count("resources/subscribe"), 1U);
}

TEST_F(listener_stage, follow_an_upstream_that_is_another_one_after_a_reload) {
  begin();
  const auto r = listen();
  const auto session = a().last("resources/subscribe")->session;
  it->reload(
      R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","timeouts":{"requestMs":7000}}]})");
  it->advance(2s);
  ASSERT_NE(a().last("resources/subscribe")->session, session);
  update(stream());
  EXPECT_EQ(r->events().size(), 2U);
  leave(r);
  EXPECT_EQ(a().last("resources/unsubscribe")->session, a().last("resources/subscribe")->session);
}

// --- servers without sessions --------------------------------------------------------------------

TEST_F(listener_stage, share_a_stream_of_a_server_without_sessions) {
  it = std::make_unique<world>(world_options{
      .config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","protocol":"2026-07-28"}]})",
      .prepare = [](fake_network& net) {
        offer_resources(net);
        net.at("a")->stateless = true;
      }});
  meet();
  const auto first = listen(), second = listen();
  it->advance(1s);
  EXPECT_EQ(honoured(first), R"(["x://1"])");
  EXPECT_EQ(honoured(second), R"(["x://1"])");
  const auto streams = a().under_way("subscriptions/listen");
  ASSERT_EQ(streams.size(), 1U);
  update(streams[0]);
  EXPECT_EQ(first->events().size(), 2U);
  EXPECT_EQ(second->events().size(), 2U);
  EXPECT_EQ(at(second->events()[1], "params", "_meta", listener_key), "2");
  EXPECT_TRUE(a().wrongs.empty()) << a().wrongs[0];
}

// --- lists of one's own --------------------------------------------------------------------------

TEST_F(listener_stage, hear_of_changes_in_the_lists_of_their_own_caller) {
  begin(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","listsPerClient":true}]})");
  const auto want = R"(,"toolsListChanged":true)";
  const auto mine = listen(*one, "[]", want);
  const auto also = listen(*one, "[]", want);
  const auto deaf = listen(*one, "[]");
  const auto theirs = listen(*other, "[]", want);
  one->request("7", "tools/list");
  const auto session = a().last("tools/list")->session;
  other->request("7", "tools/list");
  ASSERT_NE(a().last("tools/list")->session, session);
  ASSERT_TRUE(stream_of(session)) << "the caller's session listens";
  fake_upstream::push(stream_of(session), tools_have_changed);
  it->advance(1s);
  for (const auto& r : {mine, also}) {
    ASSERT_EQ(r->events().size(), 2U);
    EXPECT_EQ(at(r->events()[1], "method"), R"("notifications/tools/list_changed")");
  }
  EXPECT_EQ(at(also->events()[1], "params", "_meta", listener_key), "2");
  EXPECT_EQ(deaf->events().size(), 1U);
  EXPECT_EQ(theirs->events().size(), 1U);
  const auto before = a().count("tools/list");
  one->request("8", "tools/list");
  EXPECT_EQ(a().count("tools/list"), before + 1);
  other->request("8", "tools/list");
  EXPECT_EQ(a().count("tools/list"), before + 1);
  EXPECT_EQ(a().count("initialize"), 2U) << "a session for each caller, and none beside";
}

TEST_F(listener_stage, hear_once_that_a_reload_gives_their_caller_lists_of_its_own) {
  const auto config = [](std::string_view more) {
    return R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"})" +
           std::string(more) + "]}";
  };
  begin(config({}));
  it->add_host("c");
  const auto want = R"(,"toolsListChanged":true)";
  const auto mine = listen(*one, "[]", want);
  const auto also = listen(*one, "[]", want);
  const auto theirs = listen(*other, "[]", want);
  it->reload(
      config(R"(,{"id":"c","url":"http://c.test/mcp","namespace":"c","listsPerClient":true})"));
  it->advance(15s);
  for (const auto& r : {mine, also, theirs}) {
    EXPECT_EQ(r->events().size(), 2U) << "the acknowledgement and one notification";
    EXPECT_EQ(at(r->last(), "method"), R"("notifications/tools/list_changed")");
  }
  it->reload(config({}));
  it->advance(15s);
  for (const auto& r : {mine, also, theirs}) EXPECT_EQ(r->events().size(), 3U);
}

TEST_F(listener_stage, hear_of_such_changes_that_are_said_beside_a_call) {
  begin(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","listsPerClient":true}]})");
  one->request("7", "tools/list");
  const auto r = listen(*one, "[]", R"(,"toolsListChanged":true)");
  a().next("tools/call", reply{.events = {tools_have_changed}, .open = true});
  one->call("8", "x");
  it->advance(1s);
  EXPECT_EQ(r->events().size(), 2U);
}

}  // namespace
}  // namespace gate
