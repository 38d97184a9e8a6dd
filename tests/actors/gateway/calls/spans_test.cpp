// Spans of calls, lists and what upstreams are asked for them, as a collector gets them.
#include <algorithm>

#include "protocol/jsonrpc/message.hpp"
#include "simulations/world/guarded_world.hpp"
#include "simulations/world/stateless_client.hpp"
#include "tests/support/exported_spans.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;
using testing::decoded_span;

const std::string trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string recorded = "00-" + trace_id + "-00f067aa0ba902b7-01";
const std::string unsampled = "00-" + trace_id + "-00f067aa0ba902b7-00";

std::string document(std::string_view more = {}, std::string_view tracing = {}) {
  return R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a")" +
         std::string(more) + R"(},{"id":"b","url":"http://b.test/mcp","namespace":"b"}],
    "tracing":{"otlpEndpoint":"http://collector.test:4318")" +
         std::string(tracing) + "}}";
}

world_options traced(std::string config) {
  return {.config = std::move(config), .hosts = {"collector"}, .prepare = [](fake_network& net) {
            net.at("collector")->always("not JSON-RPC", reply::http(200));
          }};
}

std::vector<decoded_span> named(const std::vector<decoded_span>& all, std::string_view name) {
  std::vector<decoded_span> out;
  for (const auto& s : all)
    if (s.name == name) out.push_back(s);
  return out;
}

struct spans_stage {
  explicit spans_stage(world_options o) : w(std::move(o)) {}
  world w;
  fake_upstream& a = w.upstream("a");
  fake_upstream& collector = w.upstream("collector");

  /// All, once they were exported.
  std::vector<decoded_span> exported() {
    w.advance(limits::trace_gather + 1s);
    return testing::spans_of(collector);
  }
  std::vector<decoded_span> exported(std::string_view name) { return named(exported(), name); }
  /// The only one of this name.
  decoded_span only(std::string_view name) {
    const auto found = exported(name);
    EXPECT_EQ(found.size(), 1U) << name;
    return found.empty() ? decoded_span{} : found.front();
  }
};

struct spans : ::testing::Test, spans_stage {
  client c{w};
  spans() : spans_stage(traced(document())) { c.initialize(); }
};

/// `traceparent` of this span, recorded.
std::string parent_of(const decoded_span& s) {
  return "00-" + s.trace + "-" + s.id + "-01";
}

TEST_F(spans, of_a_call_hang_on_each_other_and_on_nothing_else_if_it_begins_here) {
  c.call("7", "a__x");
  const auto all = exported();
  const auto server = named(all, "tools/call").at(0), upstream = named(all, "upstream a").at(0);
  EXPECT_EQ(server.kind, 2U);
  EXPECT_EQ(server.parent, "");
  EXPECT_EQ(server["mcp.method"], "tools/call");
  EXPECT_EQ(server["mcp.name"], "a__x");
  EXPECT_EQ(server["fold.upstream"], "a");
  EXPECT_EQ(server["fold.outcome"], "ok");
  EXPECT_EQ(server["jsonrpc.request.id"], "7");
  EXPECT_EQ(server["mcp.protocol.version"], "2025-11-25");
  EXPECT_EQ(server["mcp.session.id"].size(), 16U);
  EXPECT_EQ(c.session.find(server["mcp.session.id"]), std::string::npos);
  EXPECT_FALSE(server.attributes.contains("enduser.id")) << "nobody knows who it was";
  EXPECT_EQ(upstream.kind, 3U);
  EXPECT_EQ(upstream.trace, server.trace);
  EXPECT_EQ(upstream.parent, server.id);
  EXPECT_EQ(upstream["fold.outcome"], "ok");
  EXPECT_EQ(a.last("tools/call")->header("traceparent"), parent_of(upstream));
  EXPECT_EQ(at(w.audit("tools/call").at(0), "traceId"), '"' + server.trace + '"');
  EXPECT_EQ(named(all, "initialize").size(), 1U) << "each request has one";
}

TEST_F(spans, go_on_with_the_trace_that_the_client_names) {
  c.more_headers = {"traceparent: " + recorded, "tracestate: v=1", "baggage: k=v"};
  c.call("1", "a__x");
  const auto all = exported();
  const auto server = named(all, "tools/call").at(0), upstream = named(all, "upstream a").at(0);
  EXPECT_EQ(server.trace, trace_id);
  EXPECT_EQ(server.parent, "00f067aa0ba902b7");
  EXPECT_EQ(server.state, "v=1");
  EXPECT_EQ(server.flags, 0x301U);
  EXPECT_EQ(upstream.flags, 0x101U);
  const auto asked = a.last("tools/call");
  EXPECT_EQ(asked->header("traceparent"), parent_of(upstream));
  EXPECT_EQ(asked->header("tracestate"), "v=1");
  EXPECT_EQ(asked->header("baggage"), "k=v");
}

TEST_F(spans, of_params_are_named_to_the_server_in_params_too) {
  const std::string mine = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  c.more_headers = {"traceparent: " + recorded};
  for (const auto& more :
       {R"("_meta":{"progressToken":"t","traceparent":")" + mine + R"(","x":1},"z":[1.0])",
        R"("arguments":{"y":2},"_meta":{"traceparent":")" + mine + R"(","progressToken":3})"}) {
    c.call("1", "a__x", more);
    const auto all = exported();
    const auto server = named(all, "tools/call").back(), upstream = named(all, "upstream a").back();
    EXPECT_EQ(server.trace, "0af7651916cd43dd8448eb211c80319c");
    EXPECT_EQ(server.links, std::vector<std::string>{"00f067aa0ba902b7"}) << "the header's";
    const auto asked = a.last("tools/call");
    EXPECT_EQ(asked->header("traceparent"), parent_of(upstream));
    EXPECT_EQ(at(asked->body, "params", "_meta", "traceparent"), '"' + parent_of(upstream) + '"');
    EXPECT_NE(at(asked->body, "params", "_meta", "progressToken"), "");
    EXPECT_EQ(at(asked->body, "params", "name"), R"("x")");
  }
  EXPECT_EQ(at(a.seen("tools/call")[0]->body, "params", "z"), "[1.0]");
  EXPECT_EQ(at(a.seen("tools/call")[1]->body, "params", "arguments"), R"({"y":2})");
}

TEST_F(spans, are_not_made_of_what_the_client_does_not_record) {
  c.more_headers = {"traceparent: " + unsampled};
  c.call("1", "a__x");
  EXPECT_EQ(exported("tools/call").size(), 0U);
  EXPECT_EQ(a.last("tools/call")->header("traceparent"), unsampled) << "it passes";
  EXPECT_EQ(at(w.audit("tools/call").at(0), "traceId"), '"' + trace_id + '"');
}

TEST_F(spans, of_refusals_say_which) {
  c.call("1", "nobody__x");
  const auto server = only("tools/call");
  EXPECT_EQ(server["error.type"], "-32043");
  EXPECT_EQ(server["rpc.response.status_code"], "-32043");
  EXPECT_EQ(server["fold.outcome"], "error");
  EXPECT_EQ(server.status, 2U);
  EXPECT_EQ(exported("upstream a").size(), 0U);
  c.request("2", "made/up");
  EXPECT_EQ(only("other")["mcp.method"], "made/up");
}

TEST_F(spans, of_errors_of_servers_say_theirs_and_their_guards_nothing) {
  a.next("tools/call", reply::error(R"({"code":-32602,"message":"no such tool"})"));
  c.call("1", "a__x");
  auto all = exported();
  EXPECT_EQ(named(all, "tools/call").at(0)["error.type"], "-32602");
  EXPECT_EQ(named(all, "tools/call").at(0).why, "no such tool");
  auto upstream = named(all, "upstream a").at(0);
  EXPECT_EQ(upstream["fold.outcome"], "ok");
  EXPECT_EQ(upstream["error.type"], "-32602");
  EXPECT_EQ(upstream.status, 2U);
  a.next("tools/call", reply::result(R"({"content":[],"isError":true})"));
  c.call("2", "a__x");
  all = exported();
  EXPECT_EQ(named(all, "tools/call").at(1)["error.type"], "tool_error");
  EXPECT_EQ(named(all, "tools/call").at(1)["fold.outcome"], "ok") << "it was answered";
  EXPECT_EQ(named(all, "upstream a").at(1)["error.type"], "tool_error");
}

TEST_F(spans, of_servers_that_give_no_answer_are_errors) {
  a.next("tools/call", reply::failure(fetch_end::broken));
  c.call("1", "a__x");
  const auto all = exported();
  EXPECT_EQ(named(all, "upstream a").at(0)["fold.outcome"], "error");
  EXPECT_EQ(named(all, "upstream a").at(0)["error.type"], "request failed");
  EXPECT_EQ(named(all, "tools/call").at(0)["error.type"], "-32041");
  EXPECT_EQ(named(all, "tools/call").at(0)["fold.outcome"], "upstream_down");
}

TEST_F(spans, of_calls_that_are_cancelled_end_then) {
  a.always("tools/call", reply::silence());
  c.call("1", "a__x");
  w.advance(2s);
  c.cancel("1");
  const auto all = exported();
  const auto server = named(all, "tools/call").at(0), upstream = named(all, "upstream a").at(0);
  EXPECT_EQ(upstream["error.type"], "cancelled");
  EXPECT_EQ(server["error.type"], "error");
  EXPECT_EQ(server.end - server.start, 2'000'000'000U);
}

TEST_F(spans, of_a_list_are_one_for_each_upstream) {
  c.more_headers = {"traceparent: " + recorded};
  w.upstream("b").next("tools/list", reply::result(R"({"tools":[]})", 300ms));
  c.list("1");
  w.advance(300ms);
  const auto all = exported();
  const auto server = named(all, "tools/list").at(0);
  EXPECT_EQ(server["fold.outcome"], "ok");
  for (const auto* id : {"a", "b"}) {
    const auto upstream = named(all, "upstream " + std::string(id)).at(0);
    EXPECT_EQ(upstream.parent, server.id);
    EXPECT_EQ(upstream["mcp.method.name"], "tools/list");
    EXPECT_EQ(w.upstream(id).last("tools/list")->header("traceparent"), parent_of(upstream));
  }
  const auto slow = named(all, "upstream b").at(0);
  EXPECT_EQ(slow.end - slow.start, 300'000'000U);
  c.list("2");  // it is kept: nobody is asked
  EXPECT_EQ(exported("upstream a").size(), 1U);
  EXPECT_EQ(exported("tools/list").size(), 2U);
}

TEST_F(spans, of_lists_end_though_the_list_went_without) {
  w.upstream("b").always("tools/list", reply::silence());
  c.list("1");
  w.advance(limits::list_deadline);
  EXPECT_EQ(exported("tools/list").size(), 1U);
  EXPECT_EQ(exported("upstream b").size(), 0U) << "it may still answer";
  w.crash_upstream(1);
  const auto lost = only("upstream b");
  EXPECT_EQ(lost["error.type"], "lost");
  EXPECT_EQ(lost["fold.outcome"], "error");
}

TEST_F(spans, of_tasks_are_one_for_each_upstream) {
  a.tasks = {R"({"taskId":"t1"})"};
  c.request("1", "tasks/list");
  c.request("2", "tasks/get", R"({"taskId":"nobody's"})");
  const auto all = exported();
  EXPECT_EQ(named(all, "tasks/list").size(), 1U);
  std::size_t lists = 0, looks = 0;
  for (const auto& s : named(all, "upstream a")) {
    lists += s["mcp.method.name"] == "tasks/list";
    looks += s["mcp.method.name"] == "tasks/get";
    EXPECT_NE(s.parent, "");
  }
  EXPECT_EQ(lists, 1U);
  EXPECT_EQ(looks, 1U);
  EXPECT_EQ(named(all, "tasks/get").at(0).status, 2U);
}

TEST_F(spans, survive_the_crash_of_whoever_exports_them_but_for_those_that_it_had) {
  c.call("1", "a__x");
  w.advance(1s);  // they are handed on
  w.crash(w.cast("traces").at(0));
  const auto had = w.metric(R"(gate_trace_dropped_total{reason="failed"})");
  EXPECT_GE(had, 3) << "initialize, the call, and its upstream";
  EXPECT_EQ(w.logged("TRACES crashed and is restarted; the spans that it held are lost."), 1U);
  c.call("2", "a__x");
  const auto all = exported("tools/call");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0]["jsonrpc.request.id"], "2");
  EXPECT_EQ(w.metric(R"(gate_trace_dropped_total{reason="failed"})"), had);
}

TEST_F(spans, are_exported_at_the_end) {
  a.next("tools/call", reply::result("1", 5s));
  c.call("1", "a__x");
  w.stop();
  w.advance(5s);
  EXPECT_TRUE(w.stopped());
  EXPECT_EQ(named(testing::spans_of(collector), "tools/call").size(), 1U);
}

TEST_F(spans, hold_up_the_end_for_three_seconds_at_most) {
  collector.always("not JSON-RPC", reply::silence());
  c.call("1", "a__x");
  w.stop();
  w.advance(limits::trace_flush - 1ms);
  EXPECT_FALSE(w.stopped());
  w.advance(1ms);
  EXPECT_TRUE(w.stopped());
}

TEST_F(spans, do_not_hold_up_the_end_if_whoever_exports_them_crashes) {
  collector.always("not JSON-RPC", reply::silence());
  c.call("1", "a__x");
  w.stop();
  w.advance(limits::goodbye);
  ASSERT_FALSE(w.stopped());
  w.crash(w.cast("traces").at(0));
  EXPECT_TRUE(w.stopped());
}

// --- of other configurations ---------------------------------------------------------------------

TEST(no_spans, are_made_of_what_is_not_sampled_but_the_trace_is_named) {
  spans_stage it(traced(document({}, R"(,"sampleRatio":0)")));
  client c(it.w);
  c.initialize();
  c.call("1", "a__x");
  const auto named_to_it = it.a.last("tools/call")->header("traceparent");
  EXPECT_EQ(named_to_it.size(), 55U);
  EXPECT_TRUE(named_to_it.ends_with("-00")) << named_to_it;
  EXPECT_EQ(at(it.w.audit("tools/call").at(0), "traceId"), '"' + named_to_it.substr(3, 32) + '"');
  EXPECT_EQ(it.exported().size(), 0U);
  c.more_headers = {"traceparent: " + recorded};
  c.call("2", "a__x");
  EXPECT_EQ(it.exported("tools/call").size(), 1U) << "its client records it";
}

TEST(no_spans, are_made_without_tracing) {
  world w;
  client c(w);
  c.initialize();
  c.more_headers = {"traceparent: " + recorded};
  c.call("1", "a__x");
  EXPECT_TRUE(w.cast("traces").empty());
  EXPECT_EQ(w.metric(R"(gate_trace_dropped_total{reason="failed"})"), -1);
  EXPECT_EQ(at(w.audit("tools/call").at(0), "traceId"), '"' + trace_id + '"');
  EXPECT_EQ(at(w.audit("initialize").at(0), "traceId"), "");
}

TEST(guard_spans, say_that_a_circuit_is_open) {
  spans_stage it(traced(document(R"(,"circuitBreaker":{"failureThreshold":1})")));
  client c(it.w);
  c.initialize();
  c.call("1", "a__x");
  it.a.next("tools/call", reply::failure(fetch_end::broken));
  c.call("2", "a__x");
  c.call("3", "a__x");
  std::vector<std::string> outcomes;
  for (const auto& s : it.exported("upstream a")) outcomes.push_back(s["fold.outcome"]);
  EXPECT_EQ(outcomes, (std::vector<std::string>{"ok", "error", "circuit_open"}));
}

TEST(guard_spans, say_that_a_limit_is_used_up) {
  spans_stage it(traced(document(R"(,"rateLimit":{"requestsPerMinute":1})")));
  client c(it.w);
  c.initialize();
  c.call("1", "a__x");
  c.call("2", "a__x");
  const auto all = it.exported("upstream a");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1]["fold.outcome"], "rate_limited");
  EXPECT_EQ(all[1]["error.type"], "rate_limited");
  EXPECT_EQ(it.a.count("tools/call"), 1U);
}

world_options guarded_and_traced(std::string_view upstreams, std::string_view tracing) {
  auto o = guarded_world(guarded(upstreams, R"("policy":{"rules":[{"id":"all","allow":
      [{"server":"*","names":["*"]}]}],"defaultDecision":"deny"},"tracing":{"otlpEndpoint":"http://collector.test")" +
                                                std::string(tracing) + "}"));
  o.hosts.emplace_back("collector");
  o.hosts.emplace_back("as");
  o.secrets["SECRET"] = "s";
  const auto before = o.prepare;
  o.prepare = [before](fake_network& net) {
    if (before) before(net);
    net.at("collector")->always("not JSON-RPC", reply::http(200));
    net.at("as")->always("not JSON-RPC", reply::http(200, R"({"access_token":"T",
        "token_type":"Bearer","expires_in":3600})"));
    net.at("as")->next("not JSON-RPC", {.after = 250ms, .body = R"({"access_token":"T",
        "token_type":"Bearer","expires_in":3600})"});
  };
  return o;
}

TEST(spans_of_callers, name_them_unless_that_is_not_wanted) {
  for (const bool wanted : {true, false}) {
    spans_stage it(guarded_and_traced(a_and_b, wanted ? "" : R"(,"recordPrincipal":false)"));
    client c(it.w);
    c.token = token_for("alice");
    c.initialize();
    c.call("1", "a__x");
    const auto s = it.only("tools/call");
    EXPECT_EQ(s["enduser.id"], wanted ? "alice" : "");
    EXPECT_EQ(s["fold.policy.decision"], "allow");
    EXPECT_EQ(s["fold.policy.rule"], "all");
  }
}

TEST(spans_of_tokens, are_part_of_the_request_that_waited) {
  spans_stage it(guarded_and_traced(R"([{"id":"a","url":"http://a.test/mcp","namespace":"a","auth":
      {"strategy":"client-credentials","tokenEndpoint":"https://as.test/token","clientId":"me",
       "clientAuth":{"type":"client_secret_post","secretRef":"SECRET"}}},
      {"id":"b","url":"http://b.test/mcp","namespace":"b"}])",
                                    ""));
  client c(it.w);
  c.token = token_for("alice");
  c.initialize();
  const auto r = c.call("1", "a__x");
  it.w.advance(250ms);
  EXPECT_EQ(at(r->last(), "error"), "") << r->last();
  c.call("2", "a__x");
  const auto all = it.exported();
  const auto tokens = named(all, "token a");
  ASSERT_GE(tokens.size(), 1U);
  for (const auto& s : tokens) {
    EXPECT_EQ(s["fold.outcome"], "ok");
    EXPECT_EQ(std::ranges::count(all, s.parent, &decoded_span::id), 1) << "an upstream's";
  }
  EXPECT_EQ(named(all, "upstream a").size(), 2U);
}

struct spans_of_attempts : ::testing::Test, spans_stage {
  stateless_client c{w};
  spans_of_attempts() : spans_stage(traced(document())) {
    c.capabilities = R"({"elicitation":{"form":{}}})";
    a.always("tools/call", {.open = true});
  }
};

TEST_F(spans_of_attempts, are_linked) {
  const auto asked = c.call("1", "a__x");
  const auto at_server = a.last("tools/call");
  fake_upstream::push(at_server,
                      R"({"jsonrpc":"2.0","id":9,"method":"elicitation/create",)"
                      R"("params":{"message":"m","requestedSchema":{"type":"object"}}})");
  w.advance(1s);
  const auto state = at(asked->last(), "result", "requestState");
  ASSERT_NE(state, "") << asked->last();
  const auto again = c.call(
      "2", "a__x", R"(,"inputResponses":{"q1":{"action":"accept"}},"requestState":)" + state);
  w.advance(1s);
  fake_upstream::push(at_server, jsonrpc::result_head(at_server->id) + R"({"content":[1.0]}})");
  w.settle();
  EXPECT_EQ(at(again->last(), "result", "content"), "[1.0]") << again->last();
  const auto all = exported();
  const auto servers = named(all, "tools/call"), upstreams = named(all, "upstream a");
  ASSERT_EQ(servers.size(), 2U);
  ASSERT_EQ(upstreams.size(), 2U);
  EXPECT_EQ(servers[0]["mcp.protocol.version"], "2026-07-28");
  EXPECT_FALSE(servers[0].attributes.contains("mcp.session.id"));
  EXPECT_EQ(upstreams[0]["gate.suspended"], "true");
  EXPECT_EQ(upstreams[0]["fold.outcome"], "ok");
  EXPECT_EQ(upstreams[1].parent, servers[1].id);
  EXPECT_EQ(upstreams[1].links, std::vector<std::string>{upstreams[0].id});
  EXPECT_EQ(servers[1].links, std::vector<std::string>{upstreams[0].id});
  EXPECT_NE(servers[0].trace, servers[1].trace) << "its client names none";
  EXPECT_FALSE(upstreams[1].attributes.contains("gate.suspended"));
}

TEST(spans_to_stateless_servers, are_named_in_meta_whoever_began_the_trace) {
  for (const bool tracing : {true, false}) {
    auto o = tracing ? traced(document(R"(,"protocol":"2026-07-28")")) : world_options{};
    if (!tracing)
      o.config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a",
                     "protocol":"2026-07-28"}]})";
    o.met = false;
    const auto before = o.prepare;
    o.prepare = [before](fake_network& net) {
      if (before) before(net);
      net.at("a")->stateless = true;
    };
    world w(std::move(o));
    client c(w);
    c.initialize();
    c.more_headers = {"traceparent: " + recorded, R"(tracestate: v="1)"};
    c.call("1", "a__x");
    const auto asked = w.upstream("a").last("tools/call");
    ASSERT_TRUE(asked);
    const auto said = asked->header("traceparent");
    EXPECT_EQ(said == recorded, !tracing) << said;
    EXPECT_EQ(at(asked->param("_meta"), "traceparent"), '"' + said + '"');
    EXPECT_EQ(at(asked->param("_meta"), "tracestate"), R"("v=\"1")");
    c.list("2");
    const auto listed = w.upstream("a").last("tools/list");
    EXPECT_EQ(at(listed->param("_meta"), "traceparent"), '"' + listed->header("traceparent") + '"');
    EXPECT_EQ(w.upstream("a").wrongs, std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace gate
