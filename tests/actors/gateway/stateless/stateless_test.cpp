// Clients of MCP 2026-07-28 in front of servers that have sessions.
#include "protocol/jsonrpc/message.hpp"
#include "simulations/world/stateless_client.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr std::string_view version_key = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view subscription_key = "io.modelcontextprotocol/subscriptionId";

struct stateless : ::testing::Test {
  world w;
  stateless_client c{w};
  fake_upstream& a = w.upstream("a");
  std::size_t audited = 0;

  /// Refused with this status and code, and audited once.
  void expect(const receipt_ptr& r, int status, std::string_view code) {
    EXPECT_EQ(r->status, status) << r->body;
    EXPECT_EQ(at(r->body, "error", "code"), code) << r->body;
    EXPECT_EQ(r->endings, 1);
    EXPECT_EQ(w.audit().size(), audited + 1);
    EXPECT_EQ(at(w.audit().back(), "outcome"), R"("error")") << w.audit().back();
    audited = w.audit().size();
  }
  std::string result(const receipt_ptr& r, std::string_view key) {
    return at(r->last(), "result", key);
  }
};

// --- the ladder ----------------------------------------------------------------------------------

TEST_F(stateless, what_is_no_request_of_this_generation_is_refused) {
  for (const auto method : {verb::get, verb::del}) {
    auto r = c.send(method, {}, {});
    EXPECT_EQ(r->header("allow"), "POST");
    expect(r, 405, "-32600");
  }
  c.content_type = "text/plain";
  expect(c.request("1", "tools/list"), 415, "-32600");
  c.content_type = "application/json";
  expect(c.post("{"), 400, "-32700");
  expect(c.post("[" + jsonrpc::request("1", "tools/list") + "]"), 400, "-32600");
  expect(c.post(R"({"jsonrpc":"2.0","id":1,"result":{}})"), 400, "-32600");
}

TEST_F(stateless, an_envelope_is_complete_and_says_what_the_headers_say) {
  expect(c.post(jsonrpc::request("1", "tools/list")), 400, "-32602");
  expect(c.post(jsonrpc::request("1", "initialize")), 400, "-32020");
  c.capabilities = "7";
  expect(c.request("1", "tools/list"), 400, "-32602");
  c.capabilities = "{}";
  c.more_meta = R"(,"io.modelcontextprotocol/logLevel":"loud")";
  expect(c.request("1", "tools/list"), 400, "-32602");
  c.more_meta.clear();
  for (const auto named : {"", "2025-11-25", "2027-01-01"}) {
    c.version = named;
    expect(c.request("1", "tools/list"), 400, "-32020");
  }
  for (const auto named : {"2025-11-25", "2027-01-01", "1999-01-01"}) {
    c.version = c.named_version = named;
    auto r = c.request(R"("i")", "tools/list");
    EXPECT_EQ(at(r->body, "id"), R"("i")");
    EXPECT_EQ(at(r->body, "error", "data", "supported"), R"(["2026-07-28"])");
    EXPECT_EQ(at(r->body, "error", "data", "requested"), '"' + std::string(named) + '"');
    expect(r, 400, "-32022");
  }
}

TEST_F(stateless, headers_name_method_and_name) {
  const std::string meta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                           R"("io.modelcontextprotocol/clientCapabilities":{}})";
  const auto body = jsonrpc::request("1", "tools/call", R"({"name":"a__x",)" + meta + "}");
  expect(c.post(body), 400, "-32020");
  expect(c.post(body, {"Mcp-Method: tools/list", "Mcp-Name: a__x"}), 400, "-32020");
  expect(c.post(body, {"Mcp-Method: tools/call"}), 400, "-32020");
  expect(c.post(body, {"Mcp-Method: tools/call", "Mcp-Name: a__y"}), 400, "-32020");
  EXPECT_EQ(c.post(body, {"Mcp-Method: tools/call", "Mcp-Name: =?base64?YV9feA==?="})->status, 200);
}

TEST_F(stateless, methods_of_sessions_are_not_found) {
  for (const auto method : {"initialize", "ping", "logging/setLevel", "resources/subscribe",
                            "resources/unsubscribe", "tasks/list", "tasks/result", "no/such"}) {
    auto r = c.request("1", method);
    EXPECT_EQ(at(r->body, "id"), "1");
    expect(r, 404, "-32601");
  }
}

TEST_F(stateless, sessions_do_not_know_its_methods) {
  client s(w);
  s.initialize();
  for (const auto method : {"server/discover", "subscriptions/listen"}) {
    auto r = s.request("1", method);
    EXPECT_EQ(r->status, 200);
    EXPECT_EQ(at(r->body, "error", "code"), "-32601");
  }
}

TEST_F(stateless, no_session_is_named_found_or_made) {
  c.more_headers = {"Mcp-Session-Id: whatever", "Last-Event-ID: 1"};
  auto r = c.request("1", "tools/list");
  EXPECT_EQ(r->status, 200);
  EXPECT_EQ(r->header("mcp-session-id"), "");
}

TEST_F(stateless, notifications_are_taken_and_let_be) {
  EXPECT_EQ(c.post(jsonrpc::request({}, "notifications/cancelled", R"({"requestId":1})"))->status,
            202);
  EXPECT_EQ(c.request({}, "notifications/x")->status, 202);
}

// --- answers -------------------------------------------------------------------------------------

TEST_F(stateless, servers_are_described) {
  auto r = c.request("1", "server/discover");
  EXPECT_EQ(result(r, "supportedVersions"), R"(["2026-07-28"])");
  EXPECT_EQ(result(r, "resultType"), R"("complete")");
  EXPECT_EQ(result(r, "cacheScope"), R"("public")");
  EXPECT_NE(result(r, "ttlMs"), "");
  EXPECT_EQ(at(result(r, "capabilities"), "tools", "listChanged"), "true");
  EXPECT_EQ(at(result(r, "_meta"), "io.modelcontextprotocol/serverInfo", "name"), R"("gate")");
}

TEST_F(stateless, lists_may_be_cached) {
  a.tools = {R"({"name":"x"})"};
  w.upstream("b").tools.clear();
  auto r = c.request("1", "tools/list");
  EXPECT_EQ(result(r, "resultType"), R"("complete")");
  EXPECT_EQ(result(r, "ttlMs"), "30000");
  EXPECT_EQ(result(r, "tools"), R"([{"name":"a__x"}])");
}

TEST_F(stateless, calls_pass_without_their_envelope) {
  a.next("tools/call", reply::result(R"({"content":[1.0],"x":{"y":1e0}})"));
  c.more_meta = R"(,"vendor/key":{"deep":[1.0]})";
  auto r = c.call("\"i\"", "a__x", R"(,"more":"\u0061")");
  EXPECT_EQ(at(r->last(), "id"), R"("i")");
  EXPECT_EQ(result(r, "resultType"), R"("complete")");
  EXPECT_EQ(result(r, "content"), "[1.0]");
  EXPECT_EQ(result(r, "x"), R"({"y":1e0})");
  EXPECT_EQ(result(r, "ttlMs"), "") << "calls are not cached";
  const auto seen = a.last("tools/call");
  EXPECT_EQ(seen->param("name"), R"("x")");
  EXPECT_EQ(seen->param("more"), R"("\u0061")");
  EXPECT_EQ(seen->param("_meta"), R"({"vendor/key":{"deep":[1.0]}})");
  EXPECT_EQ(seen->body.find(version_key), std::string::npos);
  EXPECT_EQ(at(w.audit().back(), "upstream"), R"("a")");
}

TEST_F(stateless, callers_share_a_session_at_the_upstream) {
  stateless_client d(w);
  a.always("tools/call", reply::silence());
  auto one = c.call("1", "a__x"), other = d.call("1", "a__x");
  ASSERT_EQ(a.count("tools/call"), 2U) << "the same id is another request";
  EXPECT_EQ(a.seen("tools/call")[0]->session, a.seen("tools/call")[1]->session);
  fake_upstream::answer(a.seen("tools/call")[1], reply::result(R"({"for":2})"));
  fake_upstream::answer(a.seen("tools/call")[0], reply::result(R"({"for":1})"));
  w.settle();
  EXPECT_EQ(result(one, "for"), "1");
  EXPECT_EQ(result(other, "for"), "2");
}

TEST_F(stateless, refusals_and_errors_have_codes_of_their_own) {
  expect(c.call("1", "no__x"), 200, "-31043");
  a.next("tools/call", reply::error(R"({"code":-32002,"message":"m","data":{"uri":"u"}})"));
  auto r = c.call("1", "a__x");
  EXPECT_EQ(at(r->body, "error", "data", "uri"), R"("u")");
  expect(r, 200, "-32602");
  a.next("tools/call", reply::failure(fetch_end::broken));
  r = c.call("1", "a__x");
  EXPECT_EQ(at(r->body, "error", "code"), "-31041") << r->body;
}

TEST_F(stateless, a_resource_that_is_not_there_is_named) {
  auto r = c.request("1", "resources/read", R"("uri":"no://where")");
  EXPECT_EQ(at(r->body, "error", "data", "uri"), R"("no://where")");
  expect(r, 200, "-32602");
}

TEST_F(stateless, what_is_not_complete_is_not_passed_off_as_such) {
  a.next("tools/call", reply::result(R"({"resultType":"input_required","inputRequests":{}})"));
  EXPECT_EQ(at(c.call("1", "a__x")->last(), "error", "code"), "-31041");
}

TEST_F(stateless, resources_are_read_for_this_caller_alone) {
  a.resources = {R"({"uri":"x://1","name":"n"})"};
  a.always("resources/read", reply::result(R"({"contents":[]})"));
  auto r = c.request("1", "resources/read", R"("uri":"x://1")");
  EXPECT_EQ(result(r, "contents"), "[]");
  EXPECT_EQ(result(r, "ttlMs"), "0");
  EXPECT_EQ(result(r, "cacheScope"), R"("private")");
}

// --- what is said meanwhile ----------------------------------------------------------------------

TEST_F(stateless, progress_and_the_log_that_was_wanted_come_with_the_call) {
  a.always("tools/call", {.open = true});
  c.more_meta = R"(,"io.modelcontextprotocol/logLevel":"warning","progressToken":"p")";
  auto r = c.call("1", "a__x");
  EXPECT_EQ(a.last("logging/setLevel")->param("level"), R"("warning")");
  const auto call = a.last("tools/call");
  const auto token = at(call->param("_meta"), "progressToken");
  const auto say = [&](std::string_view method, std::string params) {
    fake_upstream::push(call, jsonrpc::request({}, method, params));
    w.settle();
  };
  say("notifications/progress", R"({"progressToken":)" + token + R"(,"progress":1})");
  say("notifications/message", R"({"level":"error","data":1})");
  say("notifications/message", R"({"level":"info","data":2})");
  say("notifications/message", R"({"data":3})");
  say("notifications/tasks/status", R"({"taskId":"t"})");
  say("x/y", "{}");
  fake_upstream::push(call, R"({"jsonrpc":"2.0","id":)" + call->id + R"(,"result":{}})");
  w.settle();
  const auto heard = r->events();
  ASSERT_EQ(heard.size(), 4U) << r->stream;
  EXPECT_EQ(at(heard[0], "params", "progressToken"), R"("p")");
  EXPECT_EQ(at(heard[1], "params", "data"), "1");
  EXPECT_EQ(at(heard[2], "params", "data"), "3") << "it does not say how bad it is";
  EXPECT_EQ(at(heard[3], "result", "resultType"), R"("complete")");
  EXPECT_EQ(r->stream.find("\nid:"), std::string::npos) << "nobody can come back for it";
  EXPECT_NE(r->stream.find("id:"), 0U);
}

TEST_F(stateless, who_wants_no_log_gets_none) {
  a.always("tools/call", {.open = true});
  auto r = c.call("1", "a__x");
  fake_upstream::push(a.last("tools/call"),
                      jsonrpc::request({}, "notifications/message", R"({"level":"emergency"})"));
  w.settle();
  EXPECT_TRUE(r->events().empty());
}

TEST_F(stateless, servers_learn_that_nobody_can_be_asked) {
  a.always("tools/call", {.open = true});
  auto r = c.call("1", "a__x");
  EXPECT_EQ(a.last("initialize")->param("capabilities"), "{}");
  fake_upstream::push(a.last("tools/call"),
                      jsonrpc::request("9", "elicitation/create", R"({"message":"m"})"));
  w.settle();
  EXPECT_TRUE(r->events().empty());
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(at(a.last("response")->body, "error", "code"), "-32601");
}

TEST_F(stateless, requests_that_it_never_heard_of_do_not_reach_it) {
  a.always("tools/call", {.open = true});
  auto r = c.call("1", "a__x");
  fake_upstream::push(a.last("tools/call"), jsonrpc::request("9", "x/unknown", "{}"));
  w.settle();
  EXPECT_TRUE(r->events().empty());
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(at(a.last("response")->body, "error", "code"), "-32601");
}

TEST_F(stateless, callers_without_a_token_share_with_their_address_only) {
  stateless_client other(w);
  other.peer = "127.0.0.2";
  c.call("1", "a__x");
  other.call("1", "a__x");
  EXPECT_NE(a.seen("tools/call")[0]->session, a.seen("tools/call")[1]->session);
}

TEST_F(stateless, closing_cancels) {
  a.always("tools/call", reply::silence());
  auto r = c.call("1", "a__x");
  const auto call = a.last("tools/call");
  w.vanish(r);
  w.settle();
  ASSERT_TRUE(a.last("notifications/cancelled"));
  EXPECT_EQ(a.last("notifications/cancelled")->param("requestId"), call->id);
  ASSERT_EQ(w.audit("tools/call").size(), 1U);
  EXPECT_EQ(at(w.audit("tools/call")[0], "error"), R"("cancelled by the client")");
}

// --- subscriptions/listen ------------------------------------------------------------------------

struct listens : stateless {
  receipt_ptr listen(std::string_view raw_id, std::string filter) {
    auto r = c.request(raw_id, "subscriptions/listen", R"("notifications":)" + filter);
    w.settle();
    return r;
  }
  static std::string subscription(const std::string& message) {
    return at(message, "params", "_meta", subscription_key);
  }
};

TEST_F(listens, begins_with_what_is_honoured) {
  a.resources = {R"({"uri":"x://1","name":"n"})"};
  a.always("resources/subscribe", reply::result("{}"));
  c.capabilities = R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})";
  auto r = listen("\"l\"", R"({"toolsListChanged":true,"taskIds":["t"],)"
                           R"("resourceSubscriptions":["x://1","no://where"]})");
  ASSERT_EQ(r->events().size(), 1U) << r->body;
  const auto ack = r->events()[0];
  EXPECT_EQ(at(ack, "method"), R"("notifications/subscriptions/acknowledged")");
  EXPECT_EQ(at(ack, "params", "notifications", "toolsListChanged"), "true");
  EXPECT_EQ(at(ack, "params", "notifications", "taskIds"), "");
  EXPECT_EQ(subscription(ack), R"("l")");
  EXPECT_EQ(w.audit("subscriptions/listen").size(), 1U);
}

TEST_F(listens, hears_of_lists_that_it_wanted_to_hear_of) {
  c.request("1", "tools/list");
  auto tools = listen("2", R"({"toolsListChanged":true})");
  auto prompts = listen("3", R"({"promptsListChanged":true})");
  a.announce(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  w.advance(1s);
  ASSERT_EQ(tools->events().size(), 2U);
  EXPECT_EQ(at(tools->events()[1], "method"), R"("notifications/tools/list_changed")");
  EXPECT_EQ(subscription(tools->events()[1]), "2");
  EXPECT_EQ(prompts->events().size(), 1U);
}

TEST_F(listens, wrong_filters_are_refused) {
  auto r = c.request("1", "subscriptions/listen");
  EXPECT_EQ(at(r->body, "error", "code"), "-32602");
  r = c.request("1", "subscriptions/listen", R"("notifications":{"toolsListChanged":7})");
  EXPECT_EQ(at(r->body, "error", "code"), "-32602");
}

TEST(listens_before_a_server_is_met, leave_nothing_behind) {
  world w{{.met = false}};
  stateless_client c{w};
  auto& a = w.upstream("a");
  a.next("initialize", reply::silence());
  auto r = c.request("1", "subscriptions/listen", R"("notifications":{"toolsListChanged":true})");
  EXPECT_TRUE(r->events().empty());
  w.advance(30s);
  ASSERT_FALSE(r->events().empty()) << r->body;
  w.vanish(r);
  // Nothing holds what stands for its caller: it expires.
  w.advance(2h);
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="client"})"), 0);
}

TEST_F(listens, ends_with_its_stream) {
  const auto sessions = w.metric(R"(gate_sessions{kind="client"})");
  auto r = listen("1", R"({"toolsListChanged":true})");
  EXPECT_GT(w.metric(R"(gate_sessions{kind="client"})"), sessions);
  const auto open = w.metric(R"(gate_sessions{kind="client"})");
  w.vanish(r);
  w.settle();
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="client"})"), open - 1);
}

TEST_F(listens, is_concluded_when_the_gateway_stops) {
  auto r = listen("1", R"({"toolsListChanged":true})");
  w.stop();
  w.settle();
  EXPECT_TRUE(r->stream_ended);
  ASSERT_EQ(r->events().size(), 2U);
  EXPECT_EQ(at(r->events()[1], "id"), "1");
  EXPECT_EQ(at(r->events()[1], "result", "resultType"), R"("complete")");
}

TEST(listens_to_resources, that_are_updated) {
  world w{{.prepare = [](fake_network& net) {
    net.at("a")->capabilities = R"({"resources":{"subscribe":true}})";
  }}};
  stateless_client c{w};
  auto& a = w.upstream("a");
  a.resources = {R"({"uri":"x://1","name":"n"})"};
  a.always("resources/subscribe", reply::result("{}"));
  c.capabilities = R"({"roots":{},"sampling":{},"elicitation":{}})";
  auto r = c.request("7", "subscriptions/listen",
                     R"("notifications":{"resourceSubscriptions":["x://1","no://where"]})");
  w.settle();
  ASSERT_EQ(r->events().size(), 1U) << r->body;
  EXPECT_EQ(at(r->events()[0], "params", "notifications"),
            R"({"resourceSubscriptions":["x://1"]})");
  ASSERT_EQ(a.count("resources/subscribe"), 1U);
  sight_ptr stream;
  for (const auto& s : a.under_way("GET"))
    if (s->session == a.last("resources/subscribe")->session) stream = s;
  ASSERT_TRUE(stream);
  const auto say = [&](std::string_view uri) {
    fake_upstream::push(stream,
                        jsonrpc::request({}, "notifications/resources/updated",
                                         R"({"uri":")" + std::string(uri) + R"(","x":1.0})"));
    w.settle();
  };
  say("x://2");
  EXPECT_EQ(r->events().size(), 1U) << "it did not want to hear of that";
  // Nobody can be asked on such a stream, whatever can be asked within calls.
  fake_upstream::push(stream, jsonrpc::request("9", "roots/list", "{}"));
  w.settle();
  EXPECT_EQ(r->events().size(), 1U);
  EXPECT_EQ(at(a.last("response")->body, "error", "code"), "-32601");
  say("x://1");
  ASSERT_EQ(r->events().size(), 2U);
  EXPECT_EQ(at(r->events()[1], "params", "x"), "1.0");
  EXPECT_EQ(at(r->events()[1], "params", "_meta", subscription_key), "7");
  // What stands for its caller at the upstream is subscribed no more, and ends when it is idle.
  const auto session = a.last("resources/subscribe")->session;
  w.vanish(r);
  w.settle();
  ASSERT_TRUE(a.last("resources/unsubscribe"));
  EXPECT_EQ(a.last("resources/unsubscribe")->session, session);
  w.advance(301s);
  ASSERT_TRUE(a.last("DELETE"));
  EXPECT_EQ(a.last("DELETE")->session, session);
}

}  // namespace
}  // namespace gate
