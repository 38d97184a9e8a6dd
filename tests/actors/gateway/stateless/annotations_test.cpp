// Tools whose annotations (`x-mcp-header`) are wrong; headers for servers that repeat arguments;
// and lists that are older than the server.
#include "tests/actors/gateway/stateless/annotated_servers.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

using annotations = annotated_stage;

// --- tools that no client may use ----------------------------------------------------------------

TEST_F(annotations, tools_of_a_stateless_server_with_wrong_ones_are_left_out) {
  s.initialize();
  const auto tools = std::string(R"([{"name":"a__x")") + std::string(annotated).substr(11) +
                     R"(,{"name":"a__plain"},{"name":"b__x")" + std::string(annotated).substr(11) +
                     R"(,{"name":"b__wrong")" + std::string(wrongly).substr(15) +
                     R"(,{"name":"b__plain"}])";
  EXPECT_EQ(at(c.request("1", "tools/list")->last(), "result", "tools"), tools);
  EXPECT_EQ(at(s.list("1")->last(), "result", "tools"), tools) << "for both generations";
  EXPECT_EQ(w.logged("x-mcp-header annotations are not valid"), 1U);
  EXPECT_EQ(w.logged("first=a__wrong"), 1U);
  fake_upstream::push(a.under_way("subscriptions/listen").at(0),
                      jsonrpc::request({}, "notifications/tools/list_changed"));
  w.advance(2s);
  c.request("2", "tools/list");
  EXPECT_EQ(w.logged("x-mcp-header annotations are not valid"), 1U) << "told once";
}

// --- headers for servers -------------------------------------------------------------------------

TEST_F(annotations, servers_without_sessions_are_sent_them_whoever_calls) {
  s.initialize();
  s.list("1");
  const std::string arguments = R"({"region":"\u00e4\r\nEvil: 1","count":70e-1})";
  s.request("2", "tools/call", R"({"name":"a__x","arguments":)" + arguments + "}");
  const auto first = a.last("tools/call");
  call("a__x", arguments, {"Mcp-Param-Region: =?base64?w6QNCkV2aWw6IDE=?=", "Mcp-Param-Count: 7"});
  const auto second = a.last("tools/call");
  ASSERT_NE(first, second);
  for (const auto& seen : {first, second}) {
    EXPECT_EQ(seen->header("mcp-param-region"), "=?base64?w6QNCkV2aWw6IDE=?=");
    EXPECT_EQ(seen->header("mcp-param-count"), "7");
    EXPECT_EQ(seen->header("evil"), "");
  }
  s.call("3", "a__x");
  EXPECT_EQ(a.last("tools/call")->header("mcp-param-region"), "") << "no argument, no header";
  s.request("4", "tools/call", R"({"name":"b__x","arguments":)" + arguments + "}");
  EXPECT_EQ(b.last("tools/call")->header("mcp-param-count"), "") << "nothing to one with sessions";
  EXPECT_EQ(a.wrongs, std::vector<std::string>{});
}

/// A server that wants to be told the region, and lists so.
void wants_region(fake_upstream& a) {
  a.always("tools/call", [](const sight& seen) {
    return seen.header("mcp-param-region").empty()
               ? reply{.status = 400, .body = mismatch}
               : reply::result(R"({"resultType":"complete","content":[]})");
  });
}

TEST_F(annotations, a_call_by_an_old_list_is_made_once_more_by_a_new_one) {
  s.initialize();
  wants_region(a);
  const auto arguments = R"({"name":"a__x","arguments":{"region":"eu"}})";
  auto r = s.request("1", "tools/call", arguments);
  EXPECT_EQ(at(r->last(), "result", "content"), "[]") << r->last();
  EXPECT_EQ(a.count("tools/call"), 2U);
  EXPECT_EQ(a.count("tools/list"), 1U);
  ASSERT_EQ(w.audit("tools/call").size(), 1U);
  EXPECT_EQ(at(w.audit("tools/call")[0], "upstreamCalls"), "2");
  s.request("2", "tools/call", arguments);
  EXPECT_EQ(a.count("tools/call"), 3U) << "what was learnt is known";
  EXPECT_EQ(a.count("tools/list"), 1U);
}

TEST_F(annotations, an_old_list_is_renewed_page_by_page) {
  a.page_size = 1;
  s.initialize();
  wants_region(a);
  a.tools = {R"({"name":"plain"})", wrongly, annotated};
  auto r = s.request("1", "tools/call", R"({"name":"a__x","arguments":{"region":"eu"}})");
  EXPECT_EQ(at(r->last(), "result", "content"), "[]") << r->last();
  EXPECT_EQ(a.count("tools/list"), 3U);
}

TEST_F(annotations, what_clients_were_listed_is_doubted_with_it) {
  s.initialize();
  a.tools = {R"({"name":"x"})"};
  s.list("1");
  a.tools = {annotated};
  wants_region(a);
  s.request("2", "tools/call", R"({"name":"a__x","arguments":{"region":"eu"}})");
  w.settle();
  s.list("3");
  w.settle();
  EXPECT_NE(s.list("4")->last().find(R"({"name":"a__x","inputSchema")"), std::string::npos);
}

TEST_F(annotations, a_call_that_is_refused_once_more_has_failed) {
  s.initialize();
  a.always("tools/call", {.status = 400, .body = mismatch});
  auto r = s.call("1", "a__x");
  EXPECT_EQ(code(r), "-32603");
  EXPECT_EQ(at(r->last(), "error", "message"), R"("other headers")");
  EXPECT_EQ(a.count("tools/call"), 2U);
  EXPECT_EQ(code(call("a__x", "{}")), "-32603");
  EXPECT_EQ(a.count("tools/call"), 4U);
  EXPECT_EQ(w.audit("tools/call").size(), 2U);
}

TEST_F(annotations, a_list_that_can_not_be_renewed_leaves_the_first_answer) {
  s.initialize();
  a.always("tools/call", {.status = 400, .body = mismatch});
  for (const auto& bad : {reply::error(R"({"code":-32603,"message":"m"})"), reply::result("{}")}) {
    a.always("tools/list", bad);
    const auto before = a.count("tools/call");
    auto r = s.call("1", "a__x");
    EXPECT_EQ(code(r), "-32603");
    EXPECT_EQ(at(r->last(), "error", "message"), R"("other headers")");
    EXPECT_EQ(a.count("tools/call"), before + 1);
  }
}

TEST_F(annotations, who_cancels_meanwhile_gives_up_the_list) {
  s.initialize();
  a.always("tools/call", {.status = 400, .body = mismatch});
  a.always("tools/list", reply::silence());
  s.call("1", "a__x");
  const auto list = a.last("tools/list");
  ASSERT_TRUE(list);
  s.cancel("1");
  EXPECT_TRUE(list->abandoned);
  EXPECT_EQ(a.count("tools/call"), 1U);
}

TEST(annotations_and_budgets, a_call_that_is_made_once_more_is_charged_once) {
  auto o = annotated_servers(R"(,"budget":{"upstreamCalls":3})");
  world w(o);
  auto& a = w.upstream("a");
  wants_region(a);
  client s(w);
  s.initialize();
  const auto call = R"({"name":"a__x","arguments":{"region":"eu"}})";
  for (const auto id : {"1", "2", "3"})
    EXPECT_EQ(at(s.request(id, "tools/call", call)->last(), "error"), "");
  EXPECT_EQ(a.count("tools/call"), 4U);
  EXPECT_EQ(at(s.request("4", "tools/call", call)->last(), "error", "code"), "-32044");
}

TEST(annotations_and_budgets, what_was_sent_first_is_charged_whatever_comes_then) {
  world w(annotated_servers(R"(,"budget":{"upstreamCalls":1})"));
  auto& a = w.upstream("a");
  a.next("tools/call", {.status = 400, .body = mismatch});
  a.next("tools/call", reply::failure(fetch_end::connect_failed));
  client s(w);
  s.initialize();
  EXPECT_EQ(at(s.call("1", "a__x")->last(), "error", "code"), "-32041");
  EXPECT_EQ(a.count("tools/call"), 2U);
  EXPECT_EQ(at(w.audit("tools/call")[0], "upstreamCalls"), "1");
  EXPECT_EQ(at(s.call("2", "a__x")->last(), "error", "code"), "-32044");
}

}  // namespace
}  // namespace gate
