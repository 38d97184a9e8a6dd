// Tasks of clients without sessions, minted in a session that one instance of a fleet has with the
// server, and asked for at another. Each unit is an instance.
#include "simulations/world/shared_scripts.hpp"
#include "simulations/world/stateless_client.hpp"
#include "tests/actors/support/a_fleet.hpp"
#include "tests/support/exported_spans.hpp"
#include "tests/support/task_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

const std::string servers = R"({"upstreams":[
  {"id":"b","url":"http://b.test/mcp","namespace":"b"},
  {"id":"s","url":"http://s.test/mcp","namespace":"s","protocol":"2026-07-28"}])";

struct tasks_elsewhere : ::testing::Test {
  std::shared_ptr<fake_store> store = a_fleet::taught();
  world w;
  static world_options scene(const std::shared_ptr<fake_store>& store, const std::string& more,
                             const std::string& upstreams) {
    auto o = fleet_of(store, 3, upstreams + more + "}");
    o.met = false;
    o.secrets["SECRET"] = "s";
    const bool traced = more.find("collector") != more.npos;
    if (traced) o.hosts = {"collector", "as"};
    o.prepare = [traced](fake_network& net) {
      if (traced) net.at("collector")->always("not JSON-RPC", reply::http(200));
      if (traced)
        net.at("as")->always("not JSON-RPC", reply::http(200, R"({"access_token":"T",
            "token_type":"Bearer","expires_in":3600})"));
      auto& b = *net.at("b");
      b.version = "2025-11-25";
      b.capabilities = R"({"tools":{},"logging":{},)"
                       R"("tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}})";
      b.tools = {R"({"name":"y","execution":{"taskSupport":"required"}})"};
      auto& s = *net.at("s");
      s.stateless = true;
      s.capabilities = R"({"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}})";
      s.tools = {R"({"name":"x"})"};
    };
    return o;
  }
  fake_upstream& b = w.upstream("b");
  stateless_client one{w, 0}, two{w, 1};

  explicit tasks_elsewhere(const std::string& more = {}, const std::string& upstreams = servers)
      : w(scene(store, more, upstreams)) {
    one.capabilities = two.capabilities = extension;
    b.always("tasks/get", [this](const sight& s) {
      // As servers do that bind tasks to the session that minted them.
      if (s.session != b.last("tools/call")->session) return reply::error(not_there);
      return reply::result(R"({"taskId":"t","status":"working","x":1.0})");
    });
  }
  receipt_ptr mint() {
    b.next("tools/call",
           reply::result(R"({"task":{"taskId":"t","status":"working","ttl":60000}})"));
    auto r = one.call("1", "b__y");
    EXPECT_EQ(at(r->last(), "result", "taskId"), R"("t")") << r->body;
    return r;
  }
  static receipt_ptr ask(stateless_client& who, std::string_view method = "tasks/get",
                         std::string_view more = {}) {
    return who.request("9", method, R"("taskId":"t")" + std::string(more));
  }
  std::string outcome(std::string_view method) const {
    return at(w.audit(method).back(), "outcome") + at(w.audit(method).back(), "upstreamCalls");
  }
};

TEST_F(tasks_elsewhere, are_asked_for_in_the_session_that_minted_them) {
  mint();
  const auto r = ask(two);
  EXPECT_EQ(member(r, "x"), "1.0") << r->body;
  EXPECT_EQ(member(r, "resultType"), R"("complete")");
  ASSERT_EQ(b.count("tasks/get"), 1U);
  EXPECT_EQ(b.last("tasks/get")->unit, 0U);
  EXPECT_EQ(outcome("tasks/get"), R"("ok"1)");
  EXPECT_EQ(w.audit("tasks/get").size(), 1U) << "where its client is";
  ask(one);
  EXPECT_EQ(b.count("tasks/get"), 2U);
}

TEST_F(tasks_elsewhere, are_cancelled_and_their_errors_passed_on) {
  mint();
  b.next("tasks/cancel", reply::result(R"({"taskId":"t","status":"cancelled"})"));
  EXPECT_EQ(member(ask(two, "tasks/cancel"), "resultType"), R"("complete")");
  EXPECT_EQ(b.last("tasks/cancel")->session, b.last("tools/call")->session);
  b.next("tasks/get", reply::error(R"({"code":-7,"message":"no"})"));
  EXPECT_EQ(at(ask(two)->last(), "error", "code"), "-7");
}

TEST_F(tasks_elsewhere, say_what_their_end_was) {
  mint();
  b.next("tasks/get", reply::result(R"({"taskId":"t","status":"completed"})"));
  b.next("tasks/result", reply::result(R"({"content":[],"n":1e0})"));
  const auto r = ask(two);
  EXPECT_EQ(at(r->last(), "result", "result", "n"), "1e0") << r->body;
  EXPECT_EQ(outcome("tasks/get"), R"("ok"2)") << "the server was asked twice";
}

TEST_F(tasks_elsewhere, are_nobody_elses) {
  mint();
  two.peer = "127.0.0.9";
  const auto r = ask(two);
  EXPECT_EQ(at(r->last(), "error", "code"), "") << "of callers without tokens all are one owner";
  EXPECT_EQ(b.last("tasks/get")->session, b.last("tools/call")->session);
}

TEST_F(tasks_elsewhere, are_asked_for_here_when_that_instance_is_gone) {
  mint();
  w.crash(w.cast("router").at(0));
  const auto r = ask(two);
  w.settle();
  EXPECT_EQ(r->endings, 1) << "at once";
  ASSERT_EQ(b.count("tasks/get"), 1U);
  EXPECT_EQ(b.last("tasks/get")->unit, 1U);
  EXPECT_EQ(at(r->last(), "error", "code"), "-32602") << "the server's own word";
  EXPECT_EQ(outcome("tasks/get"), R"("error"1)");
}

TEST_F(tasks_elsewhere, are_asked_for_here_when_that_instance_says_nothing) {
  mint();
  store->hold_news(true);
  const auto r = ask(two);
  EXPECT_EQ(b.count("tasks/get"), 0U);
  w.advance(limits::handed_call_taken + 1s);
  EXPECT_EQ(r->endings, 1);
  EXPECT_EQ(b.last("tasks/get")->unit, 1U);
  EXPECT_EQ(outcome("tasks/get"), R"("error"1)") << "the server was asked once";
}

TEST_F(tasks_elsewhere, are_asked_for_here_when_their_session_has_ended) {
  mint();
  w.advance(3h);
  const auto r = ask(two);
  w.settle();
  EXPECT_EQ(r->endings, 1);
  EXPECT_EQ(b.last("tasks/get")->unit, 1U);
}

TEST_F(tasks_elsewhere, are_given_up_when_their_client_leaves) {
  mint();
  b.next("tasks/get", reply::silence());
  const auto r = ask(two);
  ASSERT_EQ(b.under_way("tasks/get").size(), 1U);
  w.vanish(r);
  w.settle();
  EXPECT_EQ(b.under_way("tasks/get").size(), 0U);
}

TEST_F(tasks_elsewhere, are_waited_for_as_long_as_their_server_reports) {
  mint();
  b.next("tasks/get", reply{.open = true});
  two.more_meta = R"(,"progressToken":7)";
  const auto r = ask(two);
  const auto work = b.last("tasks/get");
  ASSERT_TRUE(work) << r->body;
  const auto token = at(work->body, "params", "_meta", "progressToken");
  for (int n = 1; n < 5; ++n) {
    w.advance(25s);
    fake_upstream::push(work, R"({"jsonrpc":"2.0","method":"notifications/progress","params":)"
                              R"({"progressToken":)" +
                                  token + R"(,"progress":)" + std::to_string(n) + "}}");
    w.settle();
    EXPECT_EQ(r->endings, 0) << n;
  }
  fake_upstream::push(work,
                      jsonrpc::result_head(work->id) + R"({"taskId":"t","status":"working"}})");
  w.settle();
  EXPECT_NE(at(r->last(), "result"), "") << r->stream << r->body;
}

TEST_F(tasks_elsewhere, are_down_when_their_upstream_is_lost) {
  mint();
  b.next("tasks/get", reply::silence());
  const auto r = ask(two);
  w.crash_upstream(0);
  w.settle();
  EXPECT_EQ(at(r->last(), "error", "code"), "-31041") << r->body;
}

TEST_F(tasks_elsewhere, are_down_when_the_root_session_dies_that_they_are_asked_for_over) {
  mint();
  w.advance(limits::bridged_idle + 1min);  // nothing stands for the client there any more
  b.next("tasks/get", reply::silence());
  const auto r = ask(two);
  ASSERT_EQ(b.under_way("tasks/get").size(), 1U) << r->body;
  ASSERT_EQ(b.last("tasks/get")->unit, 0U);
  ASSERT_EQ(r->endings, 0);
  for (const auto& session : w.cast("root session")) w.crash(session);
  w.settle();
  ASSERT_EQ(r->endings, 1);
  EXPECT_EQ(at(r->last(), "error", "code"), "-31041") << "as where it was minted: " << r->body;
  EXPECT_EQ(outcome("tasks/get"), R"("upstream_down"1)");
}

TEST_F(tasks_elsewhere, are_as_far_as_where_they_were_minted_when_the_root_session_dies) {
  mint();
  w.advance(limits::bridged_idle + 1min);
  b.next("tasks/get", reply::silence());
  const auto r = ask(one);
  ASSERT_EQ(b.under_way("tasks/get").size(), 1U) << r->body;
  for (const auto& session : w.cast("root session")) w.crash(session);
  w.settle();
  EXPECT_EQ(at(r->last(), "error", "code"), "-31041") << r->body;
  EXPECT_EQ(outcome("tasks/get"), R"("upstream_down"1)");
}

struct short_lived_tasks_elsewhere : tasks_elsewhere {
  short_lived_tasks_elsewhere() : tasks_elsewhere(R"(,"server":{"sessionIdleTimeoutMs":5000})") {}
};

TEST_F(short_lived_tasks_elsewhere, keep_the_session_that_they_are_asked_for_in) {
  mint();
  b.next("tasks/get", reply{.open = true});
  const auto r = ask(two);
  const auto work = b.last("tasks/get");
  ASSERT_EQ(work->unit, 0U);
  w.advance(20s);
  ASSERT_EQ(r->endings, 0);
  EXPECT_FALSE(work->abandoned);
  fake_upstream::push(work,
                      jsonrpc::result_head(work->id) + R"({"taskId":"t","status":"working"}})");
  w.settle();
  EXPECT_NE(at(r->last(), "result"), "") << r->stream << r->body;
  w.advance(20s);
  ask(two);
  EXPECT_EQ(b.last("tasks/get")->unit, 1U) << "it has ended, now that it may";
}

TEST_F(tasks_elsewhere, carry_the_trace_of_their_client) {
  mint();
  const std::string mine = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
  for (auto* who : {&one, &two}) {
    who->more_headers = {"traceparent: " + mine, "tracestate: v=1", "baggage: k=v"};
    ask(*who);
    const auto asked = b.last("tasks/get");
    EXPECT_EQ(asked->unit, 0U);
    EXPECT_EQ(asked->header("traceparent"), mine);
    EXPECT_EQ(asked->header("tracestate"), "v=1");
    EXPECT_EQ(asked->header("baggage"), "k=v");
  }
}

TEST_F(tasks_elsewhere, have_answers_of_bounded_size_and_the_log_names_their_trace) {
  mint();
  b.next("tasks/get", reply::result(R"({"taskId":"t","status":"working","x":")" +
                                    std::string(limits::fleet_word_bytes, 'x') + "\"}"));
  two.more_headers = {"traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"};
  EXPECT_EQ(at(ask(two)->last(), "error", "code"), "-31041");
  EXPECT_EQ(world::logged("larger than what instances hand to each other"), 1U);
  EXPECT_EQ(world::logged("traceId=4bf92f3577b34da6a3ce929d0e0e4736"), 1U);
}

TEST_F(tasks_elsewhere, say_how_much_their_client_wants_to_hear) {
  mint();
  EXPECT_EQ(b.count("logging/setLevel"), 0U);
  two.more_meta = R"(,"io.modelcontextprotocol/logLevel":"info")";
  b.next("tasks/get", reply{.open = true});
  const auto r = ask(two);
  ASSERT_EQ(b.count("logging/setLevel"), 1U);
  EXPECT_EQ(b.last("logging/setLevel")->session, b.last("tools/call")->session);
  EXPECT_EQ(b.last("logging/setLevel")->param("level"), R"("info")");
  const auto work = b.last("tasks/get");
  const auto log = [&](std::string_view level) {
    fake_upstream::push(work, R"({"jsonrpc":"2.0","method":"notifications/message","params":)"
                              R"({"level":")" +
                                  std::string(level) + R"(","data":1}})");
    w.settle();
  };
  log("debug");
  log("warning");
  ASSERT_EQ(r->events().size(), 1U) << r->stream << r->body;
  EXPECT_EQ(at(r->events().at(0), "params", "level"), R"("warning")");
  two.more_meta = R"(,"io.modelcontextprotocol/logLevel":"error")";
  ask(two);
  EXPECT_EQ(b.count("logging/setLevel"), 1U) << "somebody wants more";
}

struct traced_tasks_elsewhere : tasks_elsewhere {
  explicit traced_tasks_elsewhere(const std::string& upstreams = servers)
      : tasks_elsewhere(R"(,"tracing":{"otlpEndpoint":"http://collector.test:4318"})", upstreams) {}
  fake_upstream& collector = w.upstream("collector");
  /// Of this trace, once they were exported.
  std::vector<testing::decoded_span> exported(std::string_view name, const std::string& trace) {
    w.advance(limits::trace_gather + 1s);
    auto all = testing::spans_of(collector);
    std::erase_if(all, [&](const auto& s) { return s.name != name || s.trace != trace; });
    return all;
  }
  static constexpr auto trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const std::string mine = "00-" + std::string(trace) + "-00f067aa0ba902b7-01";
};

TEST_F(traced_tasks_elsewhere, are_asked_for_within_the_span_of_their_request) {
  mint();
  two.more_headers = {"tracestate: v=1"};
  two.more_meta = R"(,"traceparent":")" + mine + '"';
  ask(two);
  const auto servers = exported("tasks/get", trace), clients = exported("upstream b", trace);
  ASSERT_EQ(servers.size(), 1U);
  ASSERT_EQ(clients.size(), 1U);
  EXPECT_EQ(clients.at(0).parent, servers.at(0).id);
  EXPECT_EQ(clients.at(0)["fold.outcome"], "ok");
  const auto asked = b.last("tasks/get");
  const auto ours = "00-" + std::string(trace) + "-" + clients.at(0).id + "-01";
  EXPECT_EQ(asked->unit, 0U);
  EXPECT_EQ(asked->header("traceparent"), ours);
  EXPECT_EQ(at(asked->param("_meta"), "traceparent"), '"' + ours + '"') << asked->body;
}

/// `b` takes those with a token only.
struct granted_tasks_elsewhere : traced_tasks_elsewhere {
  granted_tasks_elsewhere()
      : traced_tasks_elsewhere(R"({"upstreams":[
    {"id":"b","url":"http://b.test/mcp","namespace":"b","auth":
      {"strategy":"client-credentials","tokenEndpoint":"https://as.test/token","clientId":"me",
       "clientAuth":{"type":"client_secret_post","secretRef":"SECRET"}}},
    {"id":"s","url":"http://s.test/mcp","namespace":"s","protocol":"2026-07-28"}])") {}
};

TEST_F(granted_tasks_elsewhere, tell_what_was_waited_for_where_it_was) {
  mint();
  two.more_headers = {"traceparent: " + mine};
  b.next("tasks/get", reply::http(401));
  EXPECT_EQ(member(ask(two), "x"), "1.0");
  const auto clients = exported("upstream b", trace), tokens = exported("token b", trace);
  ASSERT_EQ(clients.size(), 1U);
  ASSERT_EQ(tokens.size(), 1U);
  EXPECT_EQ(tokens.at(0).parent, clients.at(0).id);
  EXPECT_EQ(tokens.at(0)["fold.outcome"], "ok");
}

TEST_F(traced_tasks_elsewhere, end_their_span_with_what_became_of_them) {
  mint();
  two.more_headers = {"traceparent: " + mine};
  b.next("tasks/get", reply::silence());
  ask(two);
  w.crash_upstream(0);
  w.settle();
  const auto spans = exported("upstream b", trace);
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans.at(0)["fold.outcome"], "error");
}

TEST_F(traced_tasks_elsewhere, have_no_span_of_what_nobody_took) {
  mint();
  store->hold_news(true);
  two.more_headers = {"traceparent: " + mine};
  ask(two);
  w.advance(limits::handed_call_taken + 1s);
  ASSERT_EQ(b.count("tasks/get"), 1U);
  EXPECT_EQ(exported("upstream b", trace).size(), 1U);
}

TEST_F(traced_tasks_elsewhere, have_one_span_for_each_request_that_a_server_got) {
  mint();
  w.crash(w.cast("router").at(0));
  two.more_headers = {"traceparent: " + mine};
  ask(two);
  w.settle();
  ASSERT_EQ(b.count("tasks/get"), 1U);
  const auto spans = exported("upstream b", trace);
  ASSERT_EQ(spans.size(), 1U) << "what that instance did not hear was not asked";
  EXPECT_EQ(b.last("tasks/get")->header("traceparent"),
            "00-" + std::string(trace) + "-" + spans.at(0).id + "-01");
}

TEST_F(tasks_elsewhere, of_servers_without_sessions_are_asked_for_anywhere) {
  auto& s = w.upstream("s");
  s.next("tools/call", reply::result(R"({"resultType":"task","taskId":"t","status":"working",)"
                                     R"("ttlMs":60000,"pollIntervalMs":500})"));
  one.call("1", "s__x");
  s.always("tasks/get", reply::result(R"({"resultType":"complete","taskId":"t","y":1})"));
  EXPECT_EQ(member(ask(two), "y"), "1");
  EXPECT_EQ(s.last("tasks/get")->unit, 1U);
}

}  // namespace
}  // namespace gate
