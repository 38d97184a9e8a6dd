// Headers of stateless clients that repeat arguments (`Mcp-Param-*`): compared with what they
// repeat.
#include "tests/actors/gateway/stateless/annotated_servers.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

using repeated_arguments = annotated_stage;

// --- headers of clients --------------------------------------------------------------------------

TEST_F(repeated_arguments, headers_of_clients_say_what_the_arguments_say) {
  c.request("1", "tools/list");
  const auto asked = [&] { return a.count("tools/call") + b.count("tools/call"); };
  for (const std::string name : {"a__x", "b__x"}) {
    const auto before = asked(), lists = a.count("tools/list") + b.count("tools/list");
    for (const auto& wrong : {std::vector<std::string>{},
                              {"Mcp-Param-Region: us"},
                              {"Mcp-Param-Region: =?base64?!?="},
                              {"Mcp-Param-Region: eu", "Mcp-Param-Count: 1"}}) {
      const auto events = w.audit().size();
      auto r = call(name, R"({"region":"eu"})", wrong);
      EXPECT_EQ(r->status, 400) << r->body;
      EXPECT_EQ(code(r), "-32020");
      EXPECT_EQ(at(r->body, "id"), "1");
      EXPECT_EQ(at(r->body, "error", "data", "gate", "reason"), R"("header_mismatch")");
      ASSERT_EQ(w.audit().size(), events + 1);
      EXPECT_EQ(at(w.audit().back(), "outcome"), R"("error")");
      EXPECT_EQ(at(w.audit().back(), "name"), '"' + name + '"');
    }
    EXPECT_EQ(asked(), before) << "nobody was asked";
    EXPECT_EQ(call(name, R"({"region":"eu","count":7})",
                   {"mcp-param-region: eu", "Mcp-Param-Count: 7.0", "Mcp-Param-Other: x"})
                  ->status,
              200);
    EXPECT_EQ(call(name, "{}")->status, 200);
    EXPECT_EQ(asked(), before + 2);
    EXPECT_EQ(a.count("tools/list") + b.count("tools/list"), lists) << "and no list for it";
  }
  EXPECT_EQ(call("a__plain", R"({"region":"eu"})", {"Mcp-Param-Region: us"})->status, 200);
}

TEST_F(repeated_arguments, headers_are_worth_a_list_and_calls_without_are_not) {
  EXPECT_EQ(call("b__x", R"({"region":"eu"})")->status, 200);
  EXPECT_EQ(b.count("tools/list"), 0U) << "its client has seen no schema";
  EXPECT_EQ(code(call("b__x", R"({"region":"eu"})", {"Mcp-Param-Region: us"})), "-32020");
  EXPECT_EQ(b.count("tools/list"), 1U);
  EXPECT_EQ(a.count("tools/list"), 0U) << "nobody else's list matters";
  EXPECT_EQ(b.count("tools/call"), 1U);
  EXPECT_EQ(call("b__x", R"({"region":"eu"})", {"Mcp-Param-Region: eu"})->status, 200);
}

TEST_F(repeated_arguments, a_call_waits_for_the_list_and_is_forgotten_nowhere) {
  b.always("tools/list", reply::silence());
  auto r = call("b__x", R"({"region":"eu"})", {"Mcp-Param-Region: us"});
  EXPECT_EQ(r->status, 0);
  EXPECT_EQ(b.count("tools/call"), 0U);
  fake_upstream::answer(b.last("tools/list"),
                        reply::result(R"({"tools":[)" + std::string(annotated) + "]}"));
  w.settle();
  EXPECT_EQ(code(r), "-32020");
  EXPECT_EQ(b.count("tools/call"), 0U);
}

TEST_F(repeated_arguments, a_list_that_does_not_come_keeps_no_call) {
  b.always("tools/list", reply::error(R"({"code":-32603,"message":"m"})"));
  EXPECT_EQ(call("b__x", R"({"region":"eu"})", {"Mcp-Param-Region: us"})->status, 200);
  EXPECT_EQ(b.count("tools/call"), 1U);
  world other(annotated_servers());
  auto& silent = other.upstream("b");
  silent.always("tools/list", reply::silence());
  stateless_client d(other);
  d.more_headers = {"Mcp-Param-Region: us"};
  auto late = d.call("1", "b__x");
  other.advance(limits::list_deadline);
  EXPECT_EQ(late->status, 200) << late->body;
  EXPECT_EQ(silent.count("tools/call"), 1U);
}

TEST_F(repeated_arguments, who_leaves_while_the_list_is_fetched_has_called_nobody) {
  b.always("tools/list", reply::silence());
  auto r = call("b__x", R"({"region":"eu"})", {"Mcp-Param-Region: us"});
  w.vanish(r);
  w.settle();
  fake_upstream::answer(b.last("tools/list"),
                        reply::result(R"({"tools":[)" + std::string(annotated) + "]}"));
  w.settle();
  EXPECT_EQ(b.count("tools/call"), 0U);
  EXPECT_EQ(w.audit("tools/call").size(), 1U);
}

TEST_F(repeated_arguments, an_upstream_that_crashes_meanwhile_answers_no_call) {
  b.always("tools/list", reply::silence());
  auto r = call("b__x", R"({"region":"eu"})", {"Mcp-Param-Region: us"});
  w.crash_upstream(1);
  w.settle();
  EXPECT_EQ(code(r), "-31041") << r->body;
  EXPECT_EQ(w.audit("tools/call").size(), 1U);
}

TEST_F(repeated_arguments, a_list_that_dies_with_its_session_is_fetched_again) {
  b.always("tools/list", reply::silence());
  auto r = call("b__x", R"({"region":"eu"})", {"Mcp-Param-Region: us"});
  auto good = call("b__x", R"({"region":"eu"})", {"Mcp-Param-Region: eu"});
  EXPECT_EQ(b.count("tools/list"), 1U);
  w.crash(w.cast("root session").back());
  w.settle();
  EXPECT_EQ(b.count("tools/list"), 2U);
  EXPECT_EQ(r->endings + good->endings, 0);
  EXPECT_EQ(b.count("tools/call"), 0U);
  fake_upstream::answer(b.last("tools/list"),
                        reply::result(R"({"tools":[)" + std::string(annotated) + "]}"));
  w.settle();
  EXPECT_EQ(code(r), "-32020") << "it was not sent without a look";
  EXPECT_EQ(code(good), "");
  EXPECT_EQ(b.count("tools/call"), 1U);
  EXPECT_EQ(at(w.audit("tools/call")[0], "upstreamCalls"), "2") << "it was asked for a list twice";
}

TEST_F(repeated_arguments, a_list_that_kills_its_sessions_is_fetched_once_more_only) {
  b.always("tools/list", reply::silence());
  auto r = call("b__x", R"({"region":"eu"})", {"Mcp-Param-Region: us"});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(r->endings, 0);
    w.crash(w.cast("root session").back());
    w.settle();
  }
  EXPECT_EQ(b.count("tools/list"), 2U);
  EXPECT_EQ(r->status, 200) << "as one whose list does not come";
  EXPECT_EQ(b.count("tools/call"), 1U);
}

TEST_F(repeated_arguments, a_list_that_is_begun_again_is_not_waited_for_any_longer) {
  b.always("tools/list", reply::silence());
  auto r = call("b__x", R"({"region":"eu"})", {"Mcp-Param-Region: us"});
  w.advance(limits::list_deadline - 1s);
  w.crash(w.cast("root session").back());
  w.settle();
  EXPECT_EQ(r->endings, 0);
  w.advance(1s);
  EXPECT_EQ(r->status, 200);
  EXPECT_EQ(b.count("tools/call"), 1U);
}

TEST(lists_of_a_callers_own, that_die_with_its_session_are_fetched_again) {
  world w{{.config = R"({"upstreams":[{"id":"b","url":"http://b.test/mcp","namespace":"b",)"
                     R"("listsPerClient":true}]})",
           .prepare = [](fake_network& net) { net.at("b")->tools = {annotated}; }}};
  auto& b = w.upstream("b");
  stateless_client c(w);
  c.more_headers = {"Mcp-Param-Region: us"};
  b.always("tools/list", reply::silence());
  const auto call = [&] {
    return c.request("1", "tools/call", R"("name":"b__x","arguments":{"region":"eu"})");
  };
  const auto r = call(), other = call();
  EXPECT_EQ(b.count("tools/list"), 1U);
  w.crash(w.cast("bridged session").at(0));
  w.settle();
  EXPECT_EQ(r->endings + other->endings, 0);
  ASSERT_EQ(b.count("tools/list"), 2U);
  fake_upstream::answer(b.last("tools/list"),
                        reply::result(R"({"tools":[)" + std::string(annotated) + "]}"));
  w.settle();
  for (const auto& one : {r, other}) EXPECT_EQ(at(one->last(), "error", "code"), "-32020");
  EXPECT_EQ(b.count("tools/call"), 0U);
}

TEST(resources_of_a_callers_own, are_looked_for_again_when_the_session_dies) {
  world w{{.config = R"({"upstreams":[{"id":"b","url":"http://b.test/mcp","namespace":"b",)"
                     R"("listsPerClient":true}]})",
           .prepare = [](fake_network& net) {
             net.at("b")->resources = {R"({"uri":"x://1","name":"n"})"};
           }}};
  auto& b = w.upstream("b");
  stateless_client c(w);
  b.next("resources/list", reply::silence());
  const auto r = c.request("1", "resources/read", R"("uri":"x://1")");
  EXPECT_EQ(b.count("resources/list"), 1U);
  w.crash(w.cast("bridged session").at(0));
  w.settle();
  EXPECT_EQ(b.count("resources/list"), 2U);
  EXPECT_EQ(at(r->last(), "result", "from"), R"("b")") << r->last();
}

TEST_F(repeated_arguments, a_reload_meanwhile_lets_the_call_go_on) {
  b.always("tools/list", reply::silence());
  auto r = call("b__x", R"({"region":"eu"})", {"Mcp-Param-Region: us"});
  w.reload(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"}]})");
  w.settle();
  EXPECT_EQ(r->status, 200) << "it has been judged by what held when it came";
  EXPECT_EQ(b.count("tools/call"), 1U);
}

TEST_F(repeated_arguments, clients_with_sessions_repeat_nothing) {
  s.initialize();
  s.list("1");
  s.more_headers = {"Mcp-Param-Region: us"};
  for (const auto name : {"a__x", "b__x"}) {
    auto r = s.request("2", "tools/call",
                       R"({"name":")" + std::string(name) + R"(","arguments":{"region":"eu"}})");
    EXPECT_EQ(at(r->last(), "error"), "") << r->last();
  }
}

}  // namespace
}  // namespace gate
