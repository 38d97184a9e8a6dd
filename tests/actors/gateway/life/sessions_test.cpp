// Client sessions and the bridged sessions behind them: streams, idleness, the end.
#include "tests/support/one_client.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr std::string_view short_lived = R"({"server":{"sessionIdleTimeoutMs":60000},"upstreams":[
  {"id":"a","url":"http://a.test/mcp","timeouts":{"requestMs":600000}}]})";

/// Of a client that has opened one.
struct one_session : ::testing::Test, one_client {};

TEST(sessions, negotiate_the_revision) {
  world w;
  for (auto [asked, given] : {std::pair{"2024-11-05", "2024-11-05"},
                              {"2025-03-26", "2025-03-26"},
                              {"2025-06-18", "2025-06-18"},
                              {"2025-11-25", "2025-11-25"},
                              {"2020-01-01", "2025-11-25"},
                              {"", "2025-11-25"}}) {
    client c(w);
    auto r = c.request("1", "initialize",
                       R"({"capabilities":{},"protocolVersion":")" + std::string(asked) + "\"}");
    EXPECT_EQ(at(r->body, "result", "protocolVersion"), '"' + std::string(given) + '"');
  }
}

TEST_F(one_session, end_with_delete_and_are_unknown_then) {
  auto stream = c.get();
  c.call("1", "a__x");
  auto bridged = w.upstream("a").last("tools/call")->session;
  EXPECT_EQ(c.end()->status, 204);
  EXPECT_TRUE(stream->stream_ended);
  EXPECT_EQ(w.upstream("a").last("DELETE")->session, bridged) << "ended upstream at once";
  EXPECT_EQ(c.call("2", "a__x")->status, 404);
  EXPECT_EQ(c.end()->status, 404);
  EXPECT_EQ(c.get()->status, 404);
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="client"})"), 0);
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="bridged"})"), 0);
}

TEST_F(one_session, that_end_cancel_their_calls) {
  w.upstream("a").always("tools/call", reply::silence());
  auto r = c.call("1", "a__x");
  c.end();
  EXPECT_EQ(r->endings, 1);
  EXPECT_TRUE(w.upstream("a").last("tools/call")->abandoned);
  EXPECT_EQ(w.upstream("a").last("notifications/cancelled")->param("requestId"),
            w.upstream("a").last("tools/call")->id);
  EXPECT_EQ(w.upstream("a").count("DELETE"), 1U);
  ASSERT_EQ(w.audit("tools/call").size(), 1U);
  EXPECT_EQ(at(w.audit("tools/call")[0], "upstreamCalls"), "1");
  EXPECT_TRUE(w.cast("bridged session").empty());
}

TEST_F(one_session, that_end_while_their_bridge_opens_leave_nothing_behind) {
  a.sessions = false;
  a.next("initialize", reply::silence());
  c.call("1", "a__x");
  c.end();
  EXPECT_EQ(a.count("DELETE"), 0U);
  fake_upstream::answer(a.last("initialize"),
                        {.body = R"({"jsonrpc":"2.0","id":$id,"result":{)"
                                 R"("protocolVersion":"2025-06-18","capabilities":{}}})",
                         .session = "late"});
  w.settle();
  ASSERT_EQ(a.count("DELETE"), 1U);
  EXPECT_EQ(a.last("DELETE")->session, "late");
  EXPECT_TRUE(w.cast("bridged session").empty());
}

TEST(sessions, expire_when_nobody_uses_them) {
  world w({.config = std::string(short_lived)});
  client c(w), d(w);
  c.initialize();
  d.initialize();
  w.advance(50s);
  d.request("1", "ping");
  w.advance(30s);
  EXPECT_EQ(c.request("1", "ping")->status, 404);
  EXPECT_EQ(d.request("1", "ping")->status, 200);
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="client"})"), 1);
}

TEST(sessions, never_expire_under_a_running_call) {
  world w({.config = std::string(short_lived)});
  client c(w);
  c.initialize();
  w.upstream("a").next("tools/call", reply::result("1", 590s));
  auto r = c.call("1", "x");
  w.advance(590s);
  EXPECT_EQ(r->events(), std::vector<std::string>{R"({"jsonrpc":"2.0","id":1,"result":1})"});
  EXPECT_EQ(c.request("1", "ping")->status, 200);
  w.advance(90s);
  EXPECT_EQ(c.request("1", "ping")->status, 404);
}

TEST(sessions, do_not_expire_while_their_stream_is_open) {
  world w({.config = std::string(short_lived)});
  client c(w);
  c.initialize();
  auto stream = c.get();
  w.advance(10min);
  EXPECT_EQ(c.request("1", "ping")->status, 200);
  w.vanish(stream);
  w.advance(90s);
  EXPECT_EQ(c.request("1", "ping")->status, 404);
}

TEST_F(one_session, bridged_ones_close_after_five_idle_minutes_and_open_again) {
  c.call("1", "a__x");
  w.advance(4min + 59s);
  EXPECT_EQ(a.count("DELETE"), 0U);
  c.call("2", "a__x");
  w.advance(4min + 59s);
  EXPECT_EQ(a.count("DELETE"), 0U) << "the second call counted";
  w.advance(1s);
  EXPECT_EQ(a.count("DELETE"), 1U);
  EXPECT_TRUE(w.cast("bridged session").empty());
  EXPECT_NE(at(c.call("3", "a__x")->body, "result"), "");
  EXPECT_EQ(a.count("initialize"), 2U);
}

TEST(sessions, bridged_ones_of_clients_that_listen_close_too_and_open_again) {
  world w({.config = std::string(one_upstream)});
  client c(w);
  c.initialize();
  auto& a = w.upstream("a");
  auto stream = c.get();
  c.call("1", "x");
  const auto push = [&](const std::string& text) {
    for (const auto& s : a.under_way("GET"))
      if (s->session == a.last("tools/call")->session) fake_upstream::push(s, text);
    w.settle();
  };
  w.advance(4min + 59s);
  push(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}})");
  w.advance(4min + 59s);
  EXPECT_EQ(a.count("DELETE"), 0U) << "what was said to the client counted";
  push(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  w.advance(1s);
  EXPECT_EQ(a.count("DELETE"), 1U) << "a ping did not";
  EXPECT_FALSE(stream->done()) << "the client notices nothing";
  EXPECT_NE(at(c.call("3", "x")->body, "result"), "");
  EXPECT_EQ(a.count("initialize"), 2U);
  push(R"({"jsonrpc":"2.0","id":"q","method":"acme/ask"})");
  EXPECT_EQ(stream->events().size(), 2U);
}

TEST(sessions, bridged_ones_with_something_of_their_clients_own_stay) {
  world w({.config = std::string(one_upstream)});
  client asked(w), own(w), shared(w);
  auto& a = w.upstream("a");
  std::map<client*, std::string> sessions;
  asked.capabilities = R"({"elicitation":{}})";
  for (auto* c : {&asked, &own, &shared}) {
    c->initialize();
    c->get();
    c->list("0");
    c->call("1", "x");
    sessions[c] = a.last("tools/call")->session;
  }
  const auto push = [&](const std::string& session, std::string text) {
    for (const auto& s : a.under_way("GET"))
      if (s->session == session) fake_upstream::push(s, text);
    w.settle();
  };
  constexpr auto changed = R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";
  w.advance(2s);  // what is said as soon as a session is open is said to each
  push(sessions[&own], changed);
  w.advance(10s);
  a.announce(changed);  // to all, the root session among them
  w.advance(4min);
  push(sessions[&asked], R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}})");
  w.advance(2min);
  ASSERT_EQ(a.count("DELETE"), 1U);
  EXPECT_EQ(a.last("DELETE")->session, sessions[&shared]);
  w.advance(7min);
  EXPECT_EQ(a.count("DELETE"), 1U) << "a human may take so long";
  w.advance(10min);
  ASSERT_EQ(a.count("DELETE"), 2U);
  EXPECT_EQ(a.last("DELETE")->session, sessions[&asked]);
}

TEST(sessions, bridged_ones_never_close_under_a_running_call) {
  world w({.config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp",
    "timeouts":{"requestMs":900000}}]})"});
  client c(w);
  c.initialize();
  auto& a = w.upstream("a");
  a.next("tools/call", reply::result("1", 899s));
  auto r = c.call("1", "x");
  w.advance(899s);
  EXPECT_EQ(a.count("DELETE"), 0U);
  EXPECT_TRUE(r->stream_ended);
  w.advance(6min);
  EXPECT_EQ(a.count("DELETE"), 1U);
}

TEST(sessions, have_one_stream_and_keep_it_alive) {
  world w({.config = R"({"server":{"keepAliveMs":5000},"upstreams":[
    {"id":"a","url":"http://a.test/mcp"}]})"});
  client c(w);
  c.initialize();
  auto first = c.get();
  EXPECT_EQ(first->status, 200);
  EXPECT_EQ(first->stream, ":\n\nid: 0-1\nretry: 1000\ndata: \n\n")
      << "a byte at once, so that the head is not held back";
  auto second = c.get();
  EXPECT_TRUE(first->stream_ended);
  w.advance(16s);
  EXPECT_EQ(second->stream, ":\n\nid: 0-2\nretry: 1000\ndata: \n\n:\n\n:\n\n:\n\n");
}

TEST_F(one_session, of_others_are_not_to_be_guessed) {
  auto mine = c.session;
  for (const std::string& id : {mine.substr(1), mine + "0", std::string(34, '0'),
                                std::string("../../etc"), std::string(5000, 'x')}) {
    c.session = id;
    EXPECT_EQ(c.request("1", "ping")->status, 404) << id;
  }
}

}  // namespace
}  // namespace gate
