// Clients without sessions come back to another instance of the fleet than the one where their call
// waits. Each unit is an instance.
#include <algorithm>

#include "simulations/world/shared_scripts.hpp"
#include "tests/support/asking_stage.hpp"
#include "tests/support/exported_spans.hpp"

namespace gate {
namespace {

using namespace sim;

world_options fleet_with(const std::shared_ptr<fake_store>& store) {
  teach_scripts(*store, std::chrono::seconds(1'795'253'400));
  world_options o;
  o.units = 3;
  o.store = store;
  return o;
}

struct stored {
  std::shared_ptr<fake_store> store = std::make_shared<fake_store>();
};

struct handed_call : stored, asking_stage {
  handed_call() : asking_stage(fleet_with(store)) {
    for (auto* other : {&two, &three}) other->capabilities = able;
  }
  stateless_client two{w, 1}, three{w, 2};
  static constexpr auto yes = R"({"q1":{"action":"accept","content":{"a":1.0}}})";

  static void expect_down(const receipt_ptr& r, std::string_view why) {
    EXPECT_EQ(at(r->last(), "error", "code"), "-31041");
    EXPECT_EQ(at(r->last(), "error", "message"),
              R"("upstream \"a\" unavailable ()" + std::string(why) + ")\"");
  }
  std::size_t words() const {
    std::size_t n = 0;
    for (const auto& line : store->seen()) n += line.starts_with("PUBLISH ");
    return n;
  }
};

TEST_F(handed_call, goes_on_where_it_waits) {
  const auto q = begin();
  const auto r = retry(two, q.state, yes);
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(at(a.last("response")->body, "result"), R"({"action":"accept","content":{"a":1.0}})");
  EXPECT_EQ(r->endings, 0);
  result(q.at, R"({"content":[ ],"n":1.0,"_meta":{"usage":{"tokens":5}}})");
  w.settle();
  EXPECT_EQ(member(r, "resultType"), R"("complete")");
  EXPECT_EQ(member(r, "content"), "[ ]");
  EXPECT_EQ(member(r, "n"), "1.0");
  EXPECT_EQ(a.count("tools/call"), 1U);
  const auto lines = w.audit("tools/call");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(at(lines[1], "outcome"), R"("ok")");
  EXPECT_EQ(at(lines[1], "upstreamCalls"), "0");
  EXPECT_EQ(at(lines[1], "usage"), R"({"tokens":5})");
}

TEST_F(handed_call, passes_errors_as_they_are) {
  const auto q = begin();
  const auto r = retry(two, q.state, yes);
  fake_upstream::push(q.at, jsonrpc::error_head(q.at->id) + R"({"code":-7,"message":"no"}})");
  w.settle();
  EXPECT_EQ(at(r->last(), "error"), R"({"code":-7,"message":"no"})");
}

TEST_F(handed_call, asks_again_wherever_its_client_is) {
  const auto q = begin();
  const auto second = retry(two, q.state, yes);
  ask(q.at, "10");
  w.advance(soon);
  const auto more = read(second, q.at);
  EXPECT_NE(more.state, q.state);
  const auto third = retry(three, more.state, R"({"q2":{"second":2}})");
  EXPECT_EQ(a.count("response"), 2U);
  ask(q.at, "11");
  w.advance(soon);
  const auto most = read(third, q.at);
  const auto last = retry(c, most.state, R"({"q3":{"third":3}})");
  ASSERT_EQ(a.count("response"), 3U);
  EXPECT_EQ(at(a.last("response")->body, "result"), R"({"third":3})");
  result(q.at, "{}");
  w.settle();
  EXPECT_EQ(member(last, "resultType"), R"("complete")");
  expect_refused(retry(two, q.state, yes));
  expect_refused(retry(two, most.state, yes));
}

TEST_F(handed_call, asks_again_for_what_was_not_answered) {
  const auto q = begin();
  const auto r = retry(two, q.state, "{}");
  w.advance(soon);
  const auto again = read(r, q.at);
  EXPECT_EQ(a.count("response"), 0U);
  EXPECT_NE(again.requests.find("q1"), std::string::npos);
}

TEST_F(handed_call, tells_what_its_server_says_meanwhile) {
  c.more_meta = R"(,"progressToken":"mine")";
  two.more_meta = R"(,"progressToken":"other")";
  const auto q = begin();
  const auto r = retry(two, q.state, yes);
  const auto token = at(q.at->param("_meta"), "progressToken");
  fake_upstream::push(q.at, jsonrpc::request({}, "notifications/progress",
                                             R"({"progress":1.0,"progressToken":)" + token + "}"));
  w.settle();
  ASSERT_EQ(r->events().size(), 1U);
  EXPECT_EQ(at(r->events()[0], "params"), R"({"progress":1.0,"progressToken":"other"})");
}

TEST_F(handed_call, has_its_answer_at_once_if_it_is_there) {
  const auto q = begin();
  result(q.at, R"({"n":1.0})");
  w.settle();
  const auto r = retry(two, q.state, yes);
  w.settle();
  EXPECT_EQ(member(r, "n"), "1.0");
  expect_refused(retry(c, q.state, yes));
}

TEST_F(handed_call, is_cancelled_by_its_client_wherever_that_is) {
  const auto q = begin();
  const auto r = retry(two, q.state, yes);
  w.vanish(r);
  w.settle();
  EXPECT_EQ(a.count("notifications/cancelled"), 1U);
  EXPECT_TRUE(q.at->abandoned);
}

TEST_F(handed_call, is_given_to_one_attempt_only) {
  const auto q = begin();
  const auto first = retry(two, q.state, yes), second = retry(three, q.state, yes);
  expect_refused(second);
  expect_refused(retry(c, q.state, yes));
  EXPECT_EQ(a.count("response"), 1U);
  result(q.at, "{}");
  w.settle();
  EXPECT_EQ(member(first, "resultType"), R"("complete")");
}

TEST_F(handed_call, is_nobody_elses) {
  const auto q = begin();
  const auto before = words();
  two.peer = "127.0.0.2";
  expect_refused(retry(two, q.state, yes));
  two.peer = "127.0.0.1";
  expect_refused(retry(two, q.state, yes, R"(,"more":1)"));
  auto forged = q.state;
  forged.back() = forged.back() == 'A' ? 'B' : 'A';
  expect_refused(retry(two, forged, yes));
  EXPECT_EQ(words(), before) << "nobody is asked";
  retry(two, q.state, yes);
  EXPECT_EQ(a.count("response"), 1U) << "the right one is good all the same";
}

TEST_F(handed_call, is_refused_when_its_instance_is_gone) {
  const auto q = begin();
  w.crash(w.cast("router").at(0));
  expect_refused(retry(two, q.state, yes));
}

TEST_F(handed_call, is_down_when_its_instance_goes) {
  const auto q = begin();
  const auto r = retry(two, q.state, yes);
  w.crash(w.cast("router").at(0));
  w.advance(30s);
  EXPECT_EQ(r->endings, 0);
  w.advance(31s + limits::handed_call_taken);
  expect_down(r, "timed out");
}

TEST_F(handed_call, is_down_when_its_upstream_is_lost) {
  const auto q = begin();
  const auto r = retry(two, q.state, yes);
  w.crash_upstream(0);
  expect_down(r, "request failed");
}

TEST_F(handed_call, can_be_tried_again_when_a_word_was_lost) {
  const auto q = begin();
  store->hold_news(true);
  const auto r = retry(two, q.state, yes);
  store->drop_news();
  store->hold_news(false);
  w.advance(limits::handed_call_taken + 1s);
  expect_refused(r);
  retry(three, q.state, yes);
  EXPECT_EQ(a.count("response"), 1U);
}

TEST_F(handed_call, may_have_been_heard_of_though_the_store_has_not_said_so) {
  const auto q = begin();
  store->fall_silent(true);
  const auto r = retry(two, q.state, yes);
  w.advance(limits::store_operation);
  EXPECT_EQ(a.count("response"), 1U) << "it goes on";
  EXPECT_EQ(r->endings, 0) << "or its tool would run twice";
  store->speak();
  result(q.at, R"({"n":1.0})");
  w.settle();
  EXPECT_EQ(member(r, "n"), "1.0");
}

TEST_F(handed_call, ends_when_its_client_is_told_to_begin_anew) {
  const auto q = begin();
  store->hold_news(true);
  const auto r = retry(two, q.state, yes);
  ASSERT_EQ(store->held(), 1U);
  store->tell(0);
  w.settle();
  EXPECT_EQ(a.count("response"), 1U) << "it goes on";
  store->drop_news();  // and nobody hears so
  store->hold_news(false);
  w.advance(limits::handed_call_taken + 1s);
  expect_refused(r);
  EXPECT_EQ(a.count("notifications/cancelled"), 1U);
  EXPECT_TRUE(q.at->abandoned) << "or its tool would run twice";
}

TEST_F(handed_call, is_only_where_it_is_while_the_store_is_away) {
  const auto q = begin();
  store->go();
  w.settle();
  expect_refused(retry(two, q.state, yes));
  store->back();
  w.settle();
  retry(two, q.state, yes);
  EXPECT_EQ(a.count("response"), 1U);
}

TEST_F(handed_call, ends_with_the_gateway_that_has_it) {
  const auto q = begin();
  const auto r = retry(two, q.state, yes);
  w.stop();
  w.settle();
  expect_down(r, "request failed");
}

TEST_F(handed_call, has_an_answer_of_bounded_size) {
  c.more_headers = {"traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"};
  const auto q = begin();
  const auto r = retry(two, q.state, yes);
  result(q.at, R"({"x":")" + std::string(limits::fleet_word_bytes, 'x') + "\"}");
  w.settle();
  expect_down(r, "request failed");
  EXPECT_EQ(world::logged("larger than what instances hand to each other"), 1U);
  EXPECT_EQ(world::logged("traceId=4bf92f3577b34da6a3ce929d0e0e4736"), 1U);
}

// --- their spans ---------------------------------------------------------------------------------

world_options traced_fleet_with(const std::shared_ptr<fake_store>& store) {
  auto o = fleet_with(store);
  o.config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"}],
                 "tracing":{"otlpEndpoint":"http://collector.test:4318"}})";
  o.hosts = {"collector"};
  o.prepare = [](fake_network& net) {
    net.at("collector")->always("not JSON-RPC", reply::http(200));
  };
  return o;
}

struct spans_of_handed_calls : stored, asking_stage {
  spans_of_handed_calls() : spans_of_handed_calls(traced_fleet_with) {}
  explicit spans_of_handed_calls(world_options (*made)(const std::shared_ptr<fake_store>&))
      : asking_stage(made(store)) {
    for (auto* other : {&two, &three}) other->capabilities = able;
  }
  stateless_client two{w, 1}, three{w, 2};
  static constexpr auto yes = R"({"q1":{"action":"accept"}})";
  using ids = std::vector<std::string>;
  using some = std::vector<testing::decoded_span>;

  /// All of this name, once they were exported, as they ended.
  some exported(std::string_view name) {
    w.advance(limits::trace_gather + 5s);
    auto all = testing::spans_of(w.upstream("collector"));
    std::erase_if(all, [&](const auto& s) { return s.name != name; });
    return all;
  }
  static const testing::decoded_span& of_trace(const some& all, const std::string& trace) {
    const auto at = std::ranges::find(all, trace, &testing::decoded_span::trace);
    EXPECT_NE(at, all.end()) << trace;
    static const testing::decoded_span none;
    return at == all.end() ? none : *at;
  }
  /// Its client is asked here, and goes on at `two`, by a trace of its own; then its server
  /// answers.
  void go_on_at_two() {
    trace_is(c, '1');
    trace_is(two, '2');
    const auto q = begin();
    retry(two, q.state, yes);
    w.advance(1s);
    result(q.at, "{}");
    w.settle();
  }
  static void trace_is(stateless_client& who, char digit, std::string_view flags = "01") {
    who.more_headers = {"traceparent: 00-" + std::string(32, digit) + "-00f067aa0ba902b7-" +
                        std::string(flags)};
  }
};

TEST_F(spans_of_handed_calls, are_linked_to_those_of_the_instance_where_it_waits) {
  go_on_at_two();
  const auto servers = exported("tools/call"), asked = exported("upstream a");
  ASSERT_EQ(servers.size(), 2U);
  ASSERT_EQ(asked.size(), 2U);
  const auto& first = of_trace(asked, std::string(32, '1'));
  const auto& second = of_trace(asked, std::string(32, '2'));
  const auto& server = of_trace(servers, std::string(32, '2'));
  EXPECT_EQ(first["gate.suspended"], "true");
  EXPECT_EQ(first.links, ids{});
  EXPECT_EQ(second.parent, server.id);
  EXPECT_EQ(second["fold.outcome"], "ok");
  EXPECT_FALSE(second.attributes.contains("gate.suspended"));
  EXPECT_EQ(second.links, ids{first.id});
  EXPECT_EQ(server.links, ids{first.id});
}

/// Its server was asked once, by the first attempt.
struct spans_of_handed_calls_with_credentials : spans_of_handed_calls {
  spans_of_handed_calls_with_credentials() : spans_of_handed_calls(granted) {}
  static world_options granted(const std::shared_ptr<fake_store>& store) {
    auto o = traced_fleet_with(store);
    o.config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a","auth":
        {"strategy":"client-credentials","tokenEndpoint":"https://as.test/token","clientId":"me",
         "clientAuth":{"type":"client_secret_post","secretRef":"SECRET"}}}],
        "tracing":{"otlpEndpoint":"http://collector.test:4318"}})";
    o.hosts.emplace_back("as");
    o.secrets["SECRET"] = "s";
    const auto before = o.prepare;
    o.prepare = [before](fake_network& net) {
      before(net);
      net.at("as")->always("not JSON-RPC", reply::http(200, R"({"access_token":"T",
          "token_type":"Bearer","expires_in":3600})"));
    };
    return o;
  }
};

TEST_F(spans_of_handed_calls_with_credentials, tell_what_was_waited_for_where_it_was) {
  go_on_at_two();
  const auto tokens = exported("token a");
  const auto asked = exported("upstream a");
  const auto& first = of_trace(asked, std::string(32, '1'));
  EXPECT_EQ(std::ranges::count(tokens, first.id, &testing::decoded_span::parent), 1);
}

TEST_F(spans_of_handed_calls, whose_answer_is_there_already_ask_nobody) {
  trace_is(c, '1');
  trace_is(two, '2');
  const auto q = begin();
  result(q.at, "{}");
  w.settle();
  const auto r = retry(two, q.state, yes);
  w.settle();
  EXPECT_EQ(member(r, "resultType"), R"("complete")");
  const auto servers = exported("tools/call"), asked = exported("upstream a");
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(of_trace(servers, std::string(32, '2')).links, ids{asked[0].id});
}

TEST_F(spans_of_handed_calls, that_are_asked_more_are_suspended_too) {
  trace_is(c, '1');
  trace_is(two, '2');
  trace_is(three, '3');
  const auto q = begin();
  const auto second = retry(two, q.state, yes);
  ask(q.at, "10");
  w.advance(soon);
  const auto more = read(second, q.at);
  retry(three, more.state, R"({"q2":{"second":2}})");
  result(q.at, "{}");
  w.settle();
  const auto asked = exported("upstream a");
  ASSERT_EQ(asked.size(), 3U);
  const auto& first = of_trace(asked, std::string(32, '1'));
  EXPECT_EQ(of_trace(asked, std::string(32, '2'))["gate.suspended"], "true");
  const auto& last = of_trace(asked, std::string(32, '3'));
  EXPECT_FALSE(last.attributes.contains("gate.suspended"));
  EXPECT_EQ(last.links, ids{first.id}) << "what the instance knows where it waits";
}

TEST_F(spans_of_handed_calls, have_no_link_to_what_is_not_recorded) {
  trace_is(c, '1', "00");
  trace_is(two, '2');
  const auto q = begin();
  retry(two, q.state, yes);
  result(q.at, "{}");
  w.settle();
  const auto servers = exported("tools/call");
  ASSERT_EQ(servers.size(), 1U);
  EXPECT_EQ(servers[0].links, ids{});
  EXPECT_EQ(exported("upstream a").size(), 0U);
}

TEST_F(spans_of_handed_calls, which_are_not_recorded_cost_nothing) {
  trace_is(c, '1');
  trace_is(two, '2', "00");
  const auto q = begin();
  const auto r = retry(two, q.state, yes);
  result(q.at, "{}");
  w.settle();
  EXPECT_EQ(member(r, "resultType"), R"("complete")");
  EXPECT_EQ(exported("tools/call").size(), 1U);
}

}  // namespace
}  // namespace gate
