// tools/call through the whole gateway: what goes up, what comes back, what is refused on the way.
#include "tests/support/world.hpp"

namespace gate {
namespace {

using namespace testing;
using namespace std::chrono_literals;

std::string down(std::string_view id, std::string_view upstream, std::string_view why) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) +
         R"(,"error":{"code":-32041,"message":"upstream \")" + std::string(upstream) +
         R"(\" unavailable ()" + std::string(why) +
         R"()","data":{"gate":{"reason":"upstream_down","upstream":")" + std::string(upstream) +
         R"("}}}})";
}

TEST(calls, the_happy_path_is_answered_byte_for_byte) {
  world w;
  client c(w);
  auto hello = c.request(R"("hi")", "initialize",
                         R"({"protocolVersion":"2025-06-18","capabilities":{}})");
  EXPECT_EQ(
      hello->body,
      R"({"jsonrpc":"2.0","id":"hi","result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"gate","title":"gate MCP gateway","version":")" GATE_VERSION
      R"("},"instructions":"Tools of 2 servers; names are {server}__{tool}. Servers: a b."}})");
  EXPECT_EQ(hello->content_type, "application/json");
  c.session = hello->header("mcp-session-id");
  EXPECT_EQ(c.session.size(), 34U);
  auto ready = c.notify("notifications/initialized");
  EXPECT_EQ(ready->status, 202);
  EXPECT_EQ(ready->body, "");
  EXPECT_EQ(c.request("7", "ping")->body, R"({"jsonrpc":"2.0","id":7,"result":{}})");
  EXPECT_EQ(
      c.list("8")->body,
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

TEST(calls, progress_and_log_messages_are_relayed_in_order_before_the_answer) {
  world w;
  client c(w);
  c.initialize();
  const std::string p1 =
      R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1.50}})";
  const std::string p2 =
      R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1e3}})";
  w.upstream("a").next(
      "tools/call",
      {.events = {p1, R"({"jsonrpc":"2.0","method":"notifications/other"})", p2,
                  R"({"jsonrpc":"2.0","id":$id,"result":{"ok":true}})"}});
  auto r = c.call("5", "a__slow", R"("_meta":{"progressToken":"t"})");
  EXPECT_EQ(r->content_type, "text/event-stream");
  EXPECT_EQ(r->events(),
            (std::vector<std::string>{p1, p2, R"({"jsonrpc":"2.0","id":5,"result":{"ok":true}})"}));
  EXPECT_TRUE(r->stream_ended);
  EXPECT_EQ(w.audit("tools/call").size(), 1U);
}

TEST(calls, a_request_of_the_upstream_is_answered_without_the_client) {
  world w;
  client c(w);
  c.initialize();
  w.upstream("a").always("tools/call", reply{.open = true});
  auto r = c.call("1", "a__x");
  auto call = w.upstream("a").last("tools/call");
  fake_upstream::push(call, R"({"jsonrpc":"2.0","id":"p","method":"ping"})");
  fake_upstream::push(call, R"({"jsonrpc":"2.0","id":8,"method":"sampling/createMessage","params":{}})");
  w.settle();
  auto said = w.upstream("a").seen("response");
  ASSERT_EQ(said.size(), 2U);
  EXPECT_EQ(said[0]->body, R"({"jsonrpc":"2.0","id":"p","result":{}})");
  EXPECT_EQ(at(said[1]->body, "error", "code"), "-32601");
  EXPECT_FALSE(r->streaming);
}

TEST(calls, a_call_that_takes_long_becomes_a_stream_with_keep_alives) {
  world w;
  client c(w);
  c.initialize();
  w.upstream("a").next("tools/call", reply::result("1", 40s));
  auto r = c.call("1", "a__x");
  w.advance(14s);
  EXPECT_FALSE(r->streaming);
  w.advance(2s);
  EXPECT_TRUE(r->streaming);
  EXPECT_EQ(r->stream, ":\n\n");
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
  EXPECT_EQ(r->events(), std::vector<std::string>{down("1", "a", "timed out")});
  EXPECT_TRUE(call->abandoned);
  auto told = w.upstream("a").last("notifications/cancelled");
  ASSERT_TRUE(told);
  EXPECT_EQ(told->param("requestId"), call->id);
  EXPECT_EQ(told->param("reason"), R"("request timed out")");
  ASSERT_EQ(w.audit("tools/call").size(), 1U);
  EXPECT_EQ(
      w.audit("tools/call")[0],
      R"({"time":"2026-11-21T09:30:00.000Z","method":"tools/call","name":"a__x","upstream":"a",)"
      R"("outcome":"upstream_down","error":"upstream \"a\" unavailable (timed out)",)"
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
  EXPECT_EQ(r->events(), std::vector<std::string>{down("1", "a", "timed out")});
  EXPECT_TRUE(w.upstream("a").last("initialize")->abandoned);
  EXPECT_EQ(w.upstream("a").count("notifications/cancelled"), 0U)
      << "initialize must not be cancelled";
}

TEST(calls, the_client_cancels_and_the_upstream_is_told_its_own_id) {
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

TEST(calls, a_cancelled_stream_just_ends) {
  world w;
  client c(w);
  c.initialize();
  const std::string progress = R"({"jsonrpc":"2.0","method":"notifications/progress","params":{}})";
  w.upstream("a").next("tools/call", {.events = {progress}, .open = true});
  auto r = c.call("1", "a__x");
  c.cancel("1");
  EXPECT_EQ(r->events(), std::vector<std::string>{progress});
  EXPECT_TRUE(r->stream_ended);
  EXPECT_EQ(w.audit("tools/call").size(), 1U);
}

TEST(calls, cancelling_while_the_handshake_runs_sends_nothing) {
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

TEST(calls, cancelling_what_is_unknown_or_of_another_client_does_nothing) {
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

TEST(calls, a_client_that_vanishes_does_not_cancel) {
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

struct lost_session : ::testing::TestWithParam<reply> {};

TEST_P(lost_session, is_opened_again_and_the_request_sent_once_more) {
  world w;
  client c(w);
  c.initialize();
  auto& a = w.upstream("a");
  a.unknown_session = GetParam();
  c.call("1", "a__x");
  a.forget_sessions();
  auto r = c.call("2", "a__x");
  EXPECT_EQ(at(r->body, "id"), "2");
  EXPECT_NE(at(r->body, "result"), "") << r->body;
  EXPECT_EQ(a.count("initialize"), 2U);
  EXPECT_EQ(a.count("tools/call"), 3U);
  EXPECT_NE(a.seen("tools/call")[1]->session, a.seen("tools/call")[2]->session);
  EXPECT_EQ(w.audit("tools/call").size(), 2U);
}

TEST_P(lost_session, is_given_up_when_the_new_one_is_lost_as_well) {
  world w;
  client c(w);
  c.initialize();
  auto& a = w.upstream("a");
  a.always("tools/call", GetParam());
  auto r = c.call("1", "a__x");
  EXPECT_EQ(r->body, down("1", "a", "request failed"));
  EXPECT_EQ(a.count("tools/call"), 2U);
  EXPECT_EQ(a.count("initialize"), 2U);
  a.behave("tools/call");
  EXPECT_NE(at(c.call("2", "a__x")->body, "result"), "");
}

TEST_P(lost_session, is_opened_once_for_all_calls_in_flight) {
  world w;
  client c(w);
  c.initialize();
  auto& a = w.upstream("a");
  c.call("0", "a__x");
  for (int i = 0; i < 10; ++i) a.next("tools/call", reply::silence());
  std::vector<receipt_ptr> all;
  for (int i = 1; i <= 10; ++i) all.push_back(c.call(std::to_string(i), "a__x"));
  a.forget_sessions();
  for (auto& s : a.under_way("tools/call")) fake_upstream::answer(s, GetParam());
  w.settle();
  EXPECT_EQ(a.count("initialize"), 2U);
  for (auto& r : all) EXPECT_NE(at(r->body, "result"), "") << r->body;
}

INSTANTIATE_TEST_SUITE_P(
    calls, lost_session,
    ::testing::Values(reply::http(404), reply::http(404, "Not Found"),
                      reply::http(404, R"({"jsonrpc":"2.0","error":{"code":-32001,"message":"x"}})"),
                      reply::http(400, "Bad Request: No valid session ID provided"),
                      reply::http(400, R"({"error":"unknown SESSION"})")));

TEST(calls, a_dead_connection_is_retried_only_if_the_request_was_surely_not_processed) {
  world w;
  client c(w);
  c.initialize();
  auto& a = w.upstream("a");
  c.call("1", "a__x");
  a.next("tools/call", reply::failure(fetch_end::broken, true));
  EXPECT_NE(at(c.call("2", "a__x")->body, "result"), "");
  a.next("tools/call", reply::failure(fetch_end::broken, true));
  a.next("tools/call", reply::failure(fetch_end::broken, true));
  EXPECT_EQ(c.call("3", "a__x")->body, down("3", "a", "request failed"));
  a.next("tools/call", reply::failure(fetch_end::broken, false));
  const auto before = a.count("tools/call");
  EXPECT_EQ(c.call("4", "a__x")->body, down("4", "a", "request failed"));
  EXPECT_EQ(a.count("tools/call"), before + 1);
}

struct bad_answer {
  const char* name;
  reply what;
  const char* why;
};
struct bad_answers : ::testing::TestWithParam<bad_answer> {};

TEST_P(bad_answers, is_a_clear_error_and_the_next_call_works) {
  world w;
  client c(w);
  c.initialize();
  c.call("0", "a__x");
  w.upstream("a").next("tools/call", GetParam().what);
  auto r = c.call("1", "a__x");
  EXPECT_EQ(r->streaming ? r->events().back() : r->body, down("1", "a", GetParam().why));
  ASSERT_EQ(w.audit("tools/call").size(), 2U);
  EXPECT_EQ(at(w.audit("tools/call")[1], "outcome"), R"("upstream_down")");
  EXPECT_NE(at(c.call("2", "a__x")->body, "result"), "");
  EXPECT_EQ(w.logged("further failures are not logged"), 1U);
  EXPECT_EQ(w.logged("answers again"), 1U);
}

INSTANTIATE_TEST_SUITE_P(
    calls, bad_answers,
    ::testing::Values(
        bad_answer{"html", {.body = "<html>oops</html>"}, "request failed"},
        bad_answer{"http_500", reply::http(500, "boom"), "request failed"},
        bad_answer{"http_202", reply::http(202), "request failed"},
        bad_answer{"other_id", {.body = R"({"jsonrpc":"2.0","id":99999,"result":{}})"},
                   "request failed"},
        bad_answer{"id_as_string", {.body = R"({"jsonrpc":"2.0","id":"$id","result":{}})"},
                   "request failed"},
        bad_answer{"both", {.body = R"({"jsonrpc":"2.0","id":$id,"result":{},"error":{}})"},
                   "request failed"},
        bad_answer{"stream_without_answer",
                   {.events = {R"({"jsonrpc":"2.0","method":"notifications/other"})"}},
                   "request failed"},
        bad_answer{"stream_of_garbage", {.events = {"garbage"}}, "request failed"},
        bad_answer{"stream_broken",
                   {.end = fetch_end::broken,
                    .events = {R"({"jsonrpc":"2.0","method":"notifications/progress"})"}},
                   "request failed"},
        bad_answer{"too_large", reply::failure(fetch_end::too_large), "request failed"},
        bad_answer{"malformed", reply::failure(fetch_end::malformed), "request failed"},
        bad_answer{"redirected", reply::failure(fetch_end::redirected), "request failed"},
        bad_answer{"refused", reply::failure(fetch_end::connect_failed, true), "connect failed"},
        bad_answer{"unreachable", reply::failure(fetch_end::connect_timeout, true),
                   "connect failed"},
        bad_answer{"overloaded", reply::failure(fetch_end::overloaded, true), "connect failed"}),
    [](const auto& info) { return std::string(info.param.name); });

struct bad_handshake : ::testing::TestWithParam<reply> {};

TEST_P(bad_handshake, fails_the_call_and_the_next_one_tries_again) {
  world w;
  client c(w);
  c.initialize();
  w.upstream("a").next("initialize", GetParam());
  EXPECT_EQ(c.call("1", "a__x")->body, down("1", "a", "connect failed"));
  EXPECT_EQ(w.upstream("a").count("tools/call"), 0U);
  EXPECT_EQ(at(w.audit("tools/call")[0], "upstreamCalls"), "0");
  EXPECT_NE(at(c.call("2", "a__x")->body, "result"), "");
}

INSTANTIATE_TEST_SUITE_P(
    calls, bad_handshake,
    ::testing::Values(
        reply::failure(fetch_end::connect_failed, true),
        reply::failure(fetch_end::connect_timeout, true), reply::http(500, "x"),
        reply::http(401), reply{.body = "{}"},
        reply::error(R"({"code":-32602,"message":"no"})"),
        reply::result(R"({"protocolVersion":"1999-01-01","capabilities":{}})"),
        reply::result(R"({"capabilities":{}})"), reply::result(R"({"protocolVersion":"2025-06-18"})"),
        reply{.body = R"({"jsonrpc":"2.0","id":$id,"result":{"protocolVersion":"2025-06-18","capabilities":{}}})",
              .session = "a b\r\nX: y"}));

TEST(calls, an_initialize_answered_as_an_event_stream_is_understood) {
  world w;
  client c(w);
  c.initialize();
  w.upstream("a").sessions = false;
  w.upstream("a").next(
      "initialize",
      {.events = {R"({"jsonrpc":"2.0","id":$id,"result":{"protocolVersion":"2025-03-26","capabilities":{}}})"},
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
