// tools/call through the whole gateway: what goes up, what comes back.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

TEST(calls, the_happy_path_is_answered_byte_for_byte) {
  world w;
  client c(w);
  auto hello =
      c.request(R"("hi")", "initialize", R"({"protocolVersion":"2025-06-18","capabilities":{}})");
  EXPECT_EQ(
      hello->body,
      R"({"jsonrpc":"2.0","id":"hi","result":{"protocolVersion":"2025-06-18",)"
      R"("capabilities":{"completions":{},"logging":{},"prompts":{"listChanged":true},)"
      R"("resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true}},)"
      R"("serverInfo":{"name":"gate","title":"gate MCP gateway","version":")" GATE_VERSION
      R"("},"instructions":"Tools of 2 servers; names are {server}__{tool}. Servers: a b."}})");
  EXPECT_EQ(hello->content_type, "application/json");
  c.session = hello->header("mcp-session-id");
  EXPECT_EQ(c.session.size(), 34U);
  auto ready = c.notify("notifications/initialized");
  EXPECT_EQ(ready->status, 202);
  EXPECT_EQ(ready->body, "");
  EXPECT_EQ(c.request("7", "ping")->body, R"({"jsonrpc":"2.0","id":7,"result":{}})");
  EXPECT_EQ(c.list("8")->body,
            R"({"jsonrpc":"2.0","id":8,"result":{"tools":[)"
            R"({"name":"a__echo","description":"of a","inputSchema":{"type":"object"}},)"
            R"({"name":"b__echo","description":"of b","inputSchema":{"type":"object"}}]}})");
  w.upstream("b").next("tools/call", reply::result(R"({ "content": [], "n": 1e400, "n": 2 })"));
  auto call = c.call("9", "b__echo", R"("arguments":{"x":1.0})");
  EXPECT_EQ(call->status, 200);
  EXPECT_EQ(call->content_type, "application/json");
  EXPECT_EQ(call->body,
            R"({"jsonrpc":"2.0","id":9,"result":{ "content": [], "n": 1e400, "n": 2 }})");
  // The upstream got the same params, less the prefix, over a session of its own.
  auto asked = w.upstream("b").last("tools/call");
  ASSERT_TRUE(asked);
  EXPECT_EQ(at(asked->body, "params"), R"({"name":"echo","arguments":{"x":1.0}})");
  EXPECT_EQ(asked->header("mcp-protocol-version"), "2025-06-18");
  EXPECT_EQ(w.upstream("a").count("tools/call"), 0U);
  for (const auto& r : w.receipts()) {
    EXPECT_EQ(r->endings, 1);
    EXPECT_TRUE(r->misuse.empty());
  }
  ASSERT_EQ(w.audit().size(), 3U) << "ping and notifications/initialized are not audited";
  EXPECT_EQ(w.audit()[1],
            R"({"time":"2026-11-21T09:30:00.000Z","method":"tools/list","outcome":"ok",)"
            R"("latencyMs":0,"upstreamCalls":2,"itemsServed":2})");
  EXPECT_EQ(w.audit()[2],
            R"({"time":"2026-11-21T09:30:00.000Z","method":"tools/call","name":"b__echo",)"
            R"("upstream":"b","outcome":"ok","latencyMs":0,"upstreamCalls":1})");
}

TEST(calls, an_escaped_name_loses_its_prefix_too) {
  world w;
  client c(w);
  c.initialize();
  auto r = c.request("1", "tools/call", R"({"x":1,"name":"\u0061__ec\"ho" ,"y":2})");
  EXPECT_EQ(at(w.upstream("a").last("tools/call")->body, "params"),
            R"({"x":1,"name":"ec\"ho" ,"y":2})");
  EXPECT_EQ(r->status, 200);
}

TEST(calls, a_single_upstream_without_namespace_gets_names_as_they_are) {
  world w({.config = std::string(one_upstream)});
  client c(w);
  c.initialize();
  c.call("1", "a__b__c");
  EXPECT_EQ(at(w.upstream("a").last("tools/call")->body, "params"), R"({"name":"a__b__c"})");
}

TEST(calls, an_error_of_the_upstream_passes_verbatim) {
  world w;
  client c(w);
  c.initialize();
  w.upstream("a").next("tools/call",
                       reply::error(R"({"code":-32042,"message":"go \u0041way","data":[1.0]})"));
  EXPECT_EQ(
      c.call("1", "a__x")->body,
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"go \u0041way","data":[1.0]}})");
  ASSERT_EQ(w.audit("tools/call").size(), 1U);
  EXPECT_EQ(at(w.audit("tools/call")[0], "outcome"), R"("error")");
  EXPECT_EQ(at(w.audit("tools/call")[0], "error"), R"("go Away")");
  EXPECT_EQ(w.metric(R"(gate_upstream_requests_total{outcome="ok",upstream="a"})"), 1);
}

TEST(calls, a_bridged_session_is_opened_once_per_client_and_upstream) {
  world w;
  client c(w), d(w);
  c.initialize();
  d.initialize();
  EXPECT_EQ(w.upstream("a").count("initialize"), 0U) << "lazily";
  c.call("1", "a__echo");
  c.call("2", "a__echo");
  d.call("1", "a__echo");
  EXPECT_EQ(w.upstream("a").count("initialize"), 2U);
  EXPECT_EQ(w.upstream("a").count("notifications/initialized"), 2U);
  auto calls = w.upstream("a").seen("tools/call");
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0]->session, calls[1]->session);
  EXPECT_NE(calls[0]->session, calls[2]->session);
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="bridged"})"), 2);
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="client"})"), 2);
  const auto hello = w.upstream("a").seen("initialize")[0];
  EXPECT_EQ(hello->param("_meta"), "");
  EXPECT_EQ(hello->param("capabilities"), "{}");
}

TEST(calls, two_at_the_same_time_do_not_cross) {
  world w;
  client c(w);
  c.initialize();
  w.upstream("a").always("tools/call", reply::silence());
  auto one = c.call("1", "a__one");
  auto two = c.call(R"("1")", "a__two");
  auto asked = w.upstream("a").seen("tools/call");
  ASSERT_EQ(asked.size(), 2U);
  fake_upstream::answer(asked[1], reply::result(R"("second")"));
  w.settle();
  EXPECT_FALSE(one->done());
  EXPECT_EQ(two->body, R"({"jsonrpc":"2.0","id":"1","result":"second"})");
  fake_upstream::answer(asked[0], reply::result(R"("first")"));
  w.settle();
  EXPECT_EQ(one->body, R"({"jsonrpc":"2.0","id":1,"result":"first"})");
}

TEST(calls, notifications_within_a_call_are_relayed_in_order_before_its_answer) {
  world w;
  client c(w);
  c.initialize();
  const std::string p1 = R"({"jsonrpc":"2.0","method":"notifications/progress",)"
                         R"("params":{"progressToken":"t","progress":1.50}})";
  const std::string p2 =
      R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1e3}})";
  const std::string other = R"({"jsonrpc":"2.0","method":"notifications/other"})";
  w.upstream("a").always("tools/call", [&](const sight& s) {
    auto report = p1;
    report.replace(report.find(R"("t")"), 3, at(s.param("_meta"), "progressToken"));
    return reply{
        .events = {report, other, p2, R"({"jsonrpc":"2.0","id":$id,"result":{"ok":true}})"}};
  });
  auto r = c.call("5", "a__slow", R"("_meta":{"progressToken":"t"})");
  EXPECT_EQ(r->content_type, "text/event-stream");
  EXPECT_EQ(r->events(), (std::vector<std::string>{
                             p1, other, p2, R"({"jsonrpc":"2.0","id":5,"result":{"ok":true}})"}));
  EXPECT_TRUE(r->stream_ended);
  EXPECT_EQ(w.audit("tools/call").size(), 1U);
}

TEST(calls, a_call_that_takes_long_becomes_a_stream_with_keep_alives) {
  world w;
  client c(w);
  c.initialize();
  w.upstream("a").next("tools/call", reply::result("1", 40s));
  auto r = c.call("1", "a__x");
  EXPECT_FALSE(r->streaming);
  w.advance(2s);
  EXPECT_TRUE(r->streaming);
  EXPECT_EQ(r->stream, "id: 1-1\nretry: 1000\ndata: \n\n:\n\n") << "where to resume from";
  w.advance(16s);
  EXPECT_EQ(r->stream, "id: 1-1\nretry: 1000\ndata: \n\n:\n\n:\n\n");
  w.advance(30s);
  EXPECT_EQ(r->events(), std::vector<std::string>{R"({"jsonrpc":"2.0","id":1,"result":1})"});
  EXPECT_TRUE(r->stream_ended);
}

TEST(calls, a_call_without_answer_times_out_and_the_upstream_is_told) {
  world w;
  client c(w);
  c.initialize();
  w.upstream("a").next("tools/call", reply::silence());
  auto r = c.call("1", "a__x");
  auto call = w.upstream("a").last("tools/call");
  w.advance(59'999ms);
  EXPECT_FALSE(r->done());
  w.advance(1ms);
  EXPECT_EQ(r->events(), std::vector<std::string>{unavailable("1", "a", "timed out")});
  EXPECT_TRUE(call->abandoned);
  auto told = w.upstream("a").last("notifications/cancelled");
  ASSERT_TRUE(told);
  EXPECT_EQ(told->param("requestId"), call->id);
  EXPECT_EQ(told->param("reason"), R"("request timed out")");
  ASSERT_EQ(w.audit("tools/call").size(), 1U);
  EXPECT_EQ(
      w.audit("tools/call")[0],
      R"({"time":"2026-11-21T09:30:00.000Z","method":"tools/call","name":"a__x","upstream":"a",)"
      R"_("outcome":"upstream_down","error":"upstream \"a\" unavailable (timed out)",)_"
      R"("latencyMs":60000,"upstreamCalls":1})");
  // The session goes on.
  EXPECT_EQ(at(c.call("2", "a__x")->body, "id"), "2");
  EXPECT_EQ(w.upstream("a").count("initialize"), 1U);
}

TEST(calls, a_handshake_without_end_times_out_too) {
  world w;
  client c(w);
  c.initialize();
  w.upstream("a").always("initialize", reply::silence());
  auto r = c.call("1", "a__x");
  w.advance(60s);
  EXPECT_EQ(r->events(), std::vector<std::string>{unavailable("1", "a", "timed out")});
  EXPECT_TRUE(w.upstream("a").last("initialize")->abandoned);
  EXPECT_EQ(w.upstream("a").count("notifications/cancelled"), 0U)
      << "initialize must not be cancelled";
}

TEST(calls, an_initialize_answered_as_an_event_stream_is_understood) {
  world w;
  client c(w);
  c.initialize();
  w.upstream("a").sessions = false;
  w.upstream("a").next("initialize",
                       {.events = {R"({"jsonrpc":"2.0","id":$id,"result":{)"
                                   R"("protocolVersion":"2025-03-26","capabilities":{}}})"},
                        .session = "s1"});
  EXPECT_NE(at(c.call("1", "a__x")->body, "result"), "");
  EXPECT_EQ(w.upstream("a").last("tools/call")->session, "s1");
  EXPECT_EQ(w.upstream("a").last("tools/call")->header("mcp-protocol-version"), "2025-03-26");
}

TEST(calls, a_stream_that_stays_open_after_its_answer_does_not_hold_the_session) {
  world w;
  client c(w);
  c.initialize();
  w.upstream("a").next("tools/call",
                       {.events = {R"({"jsonrpc":"2.0","id":$id,"result":1})"}, .open = true});
  EXPECT_EQ(at(c.call("1", "a__x")->body, "result"), "1");
  auto left_open = w.upstream("a").last("tools/call");
  c.end();
  w.advance(70s);
  EXPECT_TRUE(left_open->abandoned) << "a server that never ends its stream costs a connection";
  EXPECT_EQ(w.cast("bridged session").size(), 0U);
  EXPECT_EQ(w.upstream("a").count("DELETE"), 1U);
}

TEST(calls, what_the_upstream_says_of_usage_is_audited) {
  world w;
  client c(w);
  c.initialize();
  w.upstream("a").next("tools/call",
                       reply::result(R"({"content":[],"_meta":{"usage":{"tokens": 12}}})"));
  c.call("1", "a__x");
  EXPECT_EQ(at(w.audit("tools/call")[0], "usage"), R"({"tokens": 12})");
}

}  // namespace
}  // namespace gate
