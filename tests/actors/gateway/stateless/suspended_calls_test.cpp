// What clients without sessions come back with, and what becomes of calls that wait for them.
#include "tests/support/asking_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

struct suspended_call : asking_stage {};

TEST_F(suspended_call, take_no_other_state) {
  const auto q = begin();
  const auto answers = R"({"q1":{"action":"accept"}})";
  auto forged = q.state;
  for (const auto at : {std::size_t{0}, q.state.size() / 2, q.state.size() - 1}) {
    forged = q.state;
    forged[at] = forged[at] == 'A' ? 'B' : 'A';
    expect_refused(retry(c, forged, answers));
  }
  for (const auto& other :
       {std::string(), std::string("x"), q.state.substr(1), q.state + "A", q.state + q.state})
    expect_refused(retry(c, other, answers));
  expect_refused(c.call("2", "a__x", R"(,"requestState":7)"));
  EXPECT_EQ(a.count("tools/call"), 1U) << "the server is not asked";
  EXPECT_EQ(a.count("response"), 0U);
  retry(q);
  EXPECT_EQ(a.count("response"), 1U) << "the right one is good all the same";
}

TEST_F(suspended_call, take_a_state_once) {
  const auto q = begin();
  const auto first = retry(q), second = retry(q);
  expect_refused(second);
  EXPECT_EQ(a.count("response"), 1U);
  result(q.at, "{}");
  w.settle();
  EXPECT_EQ(member(first, "resultType"), R"("complete")");
  expect_refused(retry(q));
}

TEST_F(suspended_call, belong_to_their_client_and_call) {
  const auto q = begin();
  const auto answers = R"({"q1":{"action":"accept"}})";
  stateless_client other(w);
  other.capabilities = able;
  other.peer = "127.0.0.2";
  expect_refused(retry(other, q.state, answers));
  expect_refused(retry(c, q.state, answers, R"(,"more":1)"));
  const auto with = R"(,"requestState":)" + json::quoted(q.state) + R"(,"inputResponses":{})";
  expect_refused(c.call("2", "a__y", with));
  expect_refused(c.request("2", "prompts/get", R"("name":"a__x")" + with));
  w.upstream("b").always("tools/call", {.open = true});
  expect_refused(c.call("2", "b__x", with));
  c.capabilities = R"({"elicitation":{}})";
  expect_refused(retry(c, q.state, answers));
  c.capabilities = able;
  EXPECT_EQ(a.count("response") + w.upstream("b").count("tools/call"), 0U);
  retry(q);
  EXPECT_EQ(a.count("response"), 1U);
}

TEST_F(suspended_call, are_not_those_of_another_call_of_the_same_client) {
  const auto one = begin(c, R"(,"n":1)"), two = begin(c, R"(,"n":2)");
  expect_refused(retry(c, two.state, "{}", R"(,"n":1)"));
  retry(c, two.state, R"({"q1":{"two":2}})", R"(,"n":2)");
  retry(c, one.state, R"({"q1":{"one":1}})", R"(,"n":1)");
  ASSERT_EQ(a.count("response"), 2U);
  EXPECT_EQ(at(a.seen("response")[0]->body, "result"), R"({"two":2})");
  EXPECT_EQ(at(a.seen("response")[1]->body, "result"), R"({"one":1})");
}

TEST(a_suspended_call, is_gone_on_with_where_it_waits_whoever_the_answer_came_to) {
  world w({.config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"}]})",
           .units = 3});
  auto& a = w.upstream("a");
  stateless_client here(w, 0), there(w, 2);
  here.capabilities = there.capabilities = R"({"elicitation":{"form":{}}})";
  a.always("tools/call", {.open = true});
  const auto asked = here.call("1", "a__x");
  const auto at_server = a.last("tools/call");
  fake_upstream::push(at_server,
                      R"({"jsonrpc":"2.0","id":9,"method":"elicitation/create",)"
                      R"("params":{"message":"m","requestedSchema":{"type":"object"}}})");
  w.advance(1s);
  const auto state = at(asked->last(), "result", "requestState");
  ASSERT_NE(state, "") << asked->last();
  const auto again = there.call(
      "2", "a__x", R"(,"inputResponses":{"q1":{"action":"accept"}},"requestState":)" + state);
  w.settle();
  EXPECT_EQ(again->moves, 1);
  EXPECT_EQ(again->unit, 0U);
  ASSERT_EQ(a.count("response"), 1U) << again->last();
  fake_upstream::push(at_server, jsonrpc::result_head(at_server->id) + R"({"content":[1.0]}})");
  w.settle();
  EXPECT_EQ(at(again->last(), "result", "content"), "[1.0]") << again->last();
  EXPECT_EQ(again->misuse, std::vector<std::string>{});
  EXPECT_EQ(w.audit("tools/call").size(), 2U) << "one a leg";
}

TEST(a_suspended_call, whose_answer_is_lost_on_its_way_has_an_end) {
  world w({.config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"}]})",
           .units = 2});
  auto& a = w.upstream("a");
  stateless_client here(w, 0), there(w, 1);
  here.capabilities = there.capabilities = R"({"elicitation":{"form":{}}})";
  a.always("tools/call", {.open = true});
  const auto asked = here.call("1", "a__x");
  asking_stage::question(a.last("tools/call"), "9");
  w.advance(1s);
  const auto state = at(asked->last(), "result", "requestState");
  const auto answer = R"(,"inputResponses":{"q1":{"action":"accept"}},"requestState":)" + state;
  ASSERT_EQ(w.audit("tools/call").size(), 1U);
  w.hold(true);
  const auto lost = there.call("2", "a__x", answer);
  lost->move = [](std::uint8_t, http_request&& request) {
    const auto gone = std::move(request);
    return true;
  };
  w.hold(false);
  w.settle();
  const auto lines = w.audit("tools/call");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(at(lines[1], "outcome"), R"("error")");
  EXPECT_EQ(at(lines[1], "name"), R"("a__x")");
  EXPECT_EQ(at(lines[1], "error"), R"("the client closed its connection")");
  EXPECT_EQ(a.count("response"), 0U);
  // The state is as good as before; and one that can not move is not told twice.
  there.call("3", "a__x", answer);
  EXPECT_EQ(a.count("response"), 1U);
  EXPECT_EQ(w.audit("tools/call").size(), 2U) << "it is under way";
}

TEST_F(suspended_call, pass_as_they_are_to_a_server_without_sessions) {
  world other{{.config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp",)"
                         R"("protocol":"2026-07-28"}]})",
               .prepare = [](fake_network& net) { net.at("a")->stateless = true; }}};
  stateless_client d{other};
  d.call("1", "x", R"(,"requestState":"its own","inputResponses":{"k":{}})");
  ASSERT_TRUE(other.upstream("a").last("tools/call"));
  EXPECT_EQ(other.upstream("a").last("tools/call")->param("requestState"), R"("its own")");
  EXPECT_EQ(other.upstream("a").last("tools/call")->param("inputResponses"), R"({"k":{}})");
}

// --- bounds, audit, crashes ----------------------------------------------------------------------

TEST_F(suspended_call, are_bounded_for_each_client) {
  for (std::size_t i = 0; i < limits::suspended_calls_each; ++i) begin();
  ASSERT_EQ(a.count("response"), 0U);
  const auto r = c.call("1", "a__x");
  ask(a.last("tools/call"), "9");
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(at(a.last("response")->body, "error", "code"), "-32603");
  w.advance(soon);
  EXPECT_EQ(r->endings, 0) << "the call goes on";
  stateless_client other(w);
  other.capabilities = able;
  other.peer = "127.0.0.2";
  begin(other);
  EXPECT_EQ(a.count("response"), 1U) << "others have their own";
}

TEST_F(suspended_call, are_audited_leg_by_leg_and_counted_once) {
  auto q = begin();
  const auto r = retry(q);
  result(q.at, R"({"_meta":{"usage":{"tokens":5}}})");
  w.settle();
  const auto lines = w.audit("tools/call");
  ASSERT_EQ(lines.size(), 2U);
  for (const auto& line : lines) {
    EXPECT_EQ(at(line, "outcome"), R"("ok")");
    EXPECT_EQ(at(line, "name"), R"("a__x")");
    EXPECT_EQ(at(line, "upstream"), R"("a")");
  }
  EXPECT_EQ(at(lines[0], "upstreamCalls"), "1");
  EXPECT_EQ(at(lines[1], "upstreamCalls"), "0");
  EXPECT_EQ(at(lines[1], "usage"), R"({"tokens":5})");
}

TEST_F(suspended_call, whose_answer_was_kept_are_counted_once) {
  auto q = begin();
  result(q.at, "{}");
  w.settle();
  retry(q);
  EXPECT_EQ(at(w.audit("tools/call").at(1), "upstreamCalls"), "0");
}

TEST_F(suspended_call, end_with_their_upstream) {
  const auto q = begin();
  w.crash_upstream(0);
  w.advance(5s);
  EXPECT_EQ(at(retry(q)->last(), "error", "code"), "-31041");
  expect_refused(retry(q));
}

TEST_F(suspended_call, end_with_the_session_that_asked) {
  const auto q = begin();
  w.crash(w.cast("bridged session").at(0));
  w.advance(1s);
  EXPECT_EQ(at(retry(q)->last(), "error", "code"), "-31041");
  expect_refused(retry(q));
  EXPECT_EQ(a.count("response"), 0U);
}

TEST_F(suspended_call, end_when_the_gateway_stops) {
  const auto q = begin();
  w.stop();
  w.settle();
  EXPECT_TRUE(q.at->abandoned);
  EXPECT_EQ(a.count("notifications/cancelled"), 1U);
}

TEST_F(suspended_call, end_with_what_the_configuration_has_no_longer) {
  const auto q = begin();
  w.reload(R"({"upstreams":[{"id":"b","url":"http://b.test/mcp","namespace":"b"}]})");
  w.advance(1s);
  EXPECT_TRUE(q.at->abandoned);
  EXPECT_EQ(at(retry(q)->last(), "error", "code"), "-31043");
}

TEST_F(suspended_call, do_not_begin_where_the_configuration_has_the_server_no_longer) {
  const auto r = c.call("1", "a__x");
  const auto at_server = a.last("tools/call");
  w.reload(R"({"upstreams":[{"id":"b","url":"http://b.test/mcp","namespace":"b"}]})");
  ask(at_server, "9");
  w.advance(soon);
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(at(a.last("response")->body, "error", "message"), R"("the upstream is gone")");
  result(at_server, "{}");
  w.settle();
  EXPECT_EQ(member(r, "resultType"), R"("complete")") << "calls in flight are finished";
}

TEST_F(suspended_call, outlast_a_reload) {
  const auto q = begin();
  w.reload(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"}],)"
           R"("policy":{"defaultDecision":"allow","rules":[]}})");
  w.advance(1s);
  retry(q);
  EXPECT_EQ(a.count("response"), 1U);
}

TEST_F(suspended_call, are_judged_anew_in_each_leg) {
  const auto q = begin();
  w.reload(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"}],)"
           R"("policy":{"defaultDecision":"deny","rules":[]}})");
  w.advance(1s);
  EXPECT_EQ(at(retry(q)->last(), "error", "code"), "-31042");
  EXPECT_EQ(a.count("response"), 0U);
}

struct suspended_call_of_short_sessions : asking_stage {
  suspended_call_of_short_sessions()
      : asking_stage({.config = R"({"server":{"sessionIdleTimeoutMs":60000},"upstreams":[)"
                                R"({"id":"a","url":"http://a.test/mcp","namespace":"a"}]})"}) {}
};

TEST_F(suspended_call_of_short_sessions, keep_what_stands_for_their_client) {
  const auto q = begin();
  w.advance(limits::bridged_idle + 10s);
  EXPECT_EQ(a.count("DELETE"), 0U);
  retry(q);
  EXPECT_EQ(a.count("response"), 1U);
}

TEST(suspended_call_and_routers, end_with_it) {
  world w;
  stateless_client c{w};
  c.capabilities = able;
  auto& a = w.upstream("a");
  a.always("tools/call", {.open = true});
  auto r = c.call("1", "a__x");
  fake_upstream::push(a.last("tools/call"),
                      jsonrpc::request("9", "elicitation/create", R"({"message":"m"})"));
  w.settle();
  w.advance(soon);
  const auto state = at(r->last(), "result", "requestState");
  ASSERT_NE(state, "");
  w.crash(w.cast("router").at(0));
  w.advance(5s);
  r = c.call("2", "a__x", R"(,"requestState":)" + state + R"(,"inputResponses":{})");
  w.settle();
  EXPECT_EQ(at(r->last(), "error", "code"), "-32602") << r->last();
  EXPECT_EQ(a.count("tools/call"), 1U);
}

struct a_budget_of_one : asking_stage {
  a_budget_of_one()
      : asking_stage({.config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp",)"
                                R"("namespace":"a","budget":{"upstreamCalls":1}},)"
                                R"({"id":"b","url":"http://b.test/mcp","namespace":"b"}]})"}) {}
};

TEST_F(a_budget_of_one, is_charged_once_for_all_legs) {
  const auto q = begin();
  const auto r = retry(q);
  result(q.at, "{}");
  w.settle();
  EXPECT_EQ(member(r, "resultType"), R"("complete")") << r->last();
  EXPECT_EQ(at(c.call("3", "a__x")->last(), "error", "code"), "-31044");
}

}  // namespace
}  // namespace gate
