// What clients without sessions are told of results, lists and methods, of servers of both
// generations: each word once, and none that their generation does not know.
#include <gtest/gtest.h>

#include "simulations/world/guarded_world.hpp"
#include "simulations/world/stateless_client.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

std::size_t times(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

/// One server alone, of either generation; with a policy or without.
world_options alone(bool stateless, bool policy) {
  std::string config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","protocol":"auto"}])";
  if (policy) config += R"(,"policy":{"rules":[{"id":"all","allow":[{"server":"*"}]}]})";
  return {.config = config + "}",
          .prepare = [stateless](fake_network& net) { net.at("a")->stateless = stateless; }};
}

TEST(a_list, says_each_word_once_and_what_holds_here) {
  struct row {
    bool stateless, policy;
    std::string_view says, ttl, scope;
  };
  constexpr std::string_view hint =
      R"("resultType":"complete","ttlMs":7,"cacheScope":"public","_meta":{"v":1.0},"x":2.0,)";
  for (const auto& [stateless, policy, says, ttl, scope] : {
           row{true, false, hint, "7", R"("public")"},
           row{true, true, hint, "7", R"("private")"},
           row{true, false, R"("resultType":"complete",)", "30000", R"("private")"},
           row{true, false, R"("ttlMs":99999999,"cacheScope":"public",)", "30000", R"("public")"},
           row{false, false, R"("_meta":{"v":1.0},"x":2.0,)", "30000", R"("private")"},
           row{false, true, "", "30000", R"("private")"},
       }) {
    world w(alone(stateless, policy));
    w.upstream("a").always("tools/list",
                           reply::result("{" + std::string(says) + R"("tools":[{"name":"x"}]})"));
    stateless_client c(w);
    const auto r = c.request("1", "tools/list");
    const auto body = r->last();
    EXPECT_EQ(at(body, "result", "ttlMs"), ttl) << body;
    EXPECT_EQ(at(body, "result", "cacheScope"), scope) << body;
    EXPECT_EQ(at(body, "result", "tools"), R"([{"name":"x"}])");
    for (const auto* word : {R"("resultType")", R"("ttlMs")", R"("cacheScope")", R"("_meta")"})
      EXPECT_EQ(times(body, word), 1U) << word << " in " << body;
    const bool more = says.find("\"x\"") != says.npos;
    EXPECT_EQ(at(body, "result", "x"), more ? "2.0" : "") << body;
    EXPECT_EQ(at(body, "result", "_meta", "v"), more ? "1.0" : "") << body;
    client s(w);
    s.initialize();
    const auto told = s.list("2")->body;
    EXPECT_EQ(times(told, "ttlMs") + times(told, "cacheScope") + times(told, "resultType"), 0U);
  }
}

TEST(a_merged_list, holds_as_the_least_of_its_parts) {
  world w({.config = R"({"upstreams":[
    {"id":"a","url":"http://a.test/mcp","namespace":"a","protocol":"2026-07-28"},
    {"id":"b","url":"http://b.test/mcp","namespace":"b","protocol":"2026-07-28"}]})",
           .prepare = [](fake_network& net) {
             for (const auto* id : {"a", "b"}) net.at(id)->stateless = true;
             net.at("a")->always("tools/list",
                                 reply::result(R"({"resultType":"complete","ttlMs":)"
                                               R"(9,"cacheScope":"public","tools":[]})"));
             net.at("b")->always("tools/list",
                                 reply::result(R"({"resultType":"complete","ttlMs":)"
                                               R"(0,"cacheScope":"private","tools":[]})"));
           }});
  stateless_client c(w);
  const auto body = c.request("1", "tools/list")->last();
  EXPECT_EQ(at(body, "result", "ttlMs"), "0");
  EXPECT_EQ(at(body, "result", "cacheScope"), R"("private")");
}

TEST(a_merged_list, whose_time_counts_down_is_no_other_list) {
  int left = 25'000;
  world w({.config = R"({"upstreams":[
    {"id":"a","url":"http://a.test/mcp","namespace":"a","protocol":"2026-07-28"}]})",
           .prepare = [&](fake_network& net) {
             net.at("a")->stateless = true;
             net.at("a")->always("tools/list", [&](const sight&) {
               return reply::result(R"({"resultType":"complete","ttlMs":)" +
                                    std::to_string(left -= 1000) +
                                    R"(,"cacheScope":"public","tools":[{"name":"x"}]})");
             });
           }});
  stateless_client c(w);
  client s(w);
  s.initialize();
  const auto own = s.get();
  s.list("1");
  for (int i = 1; i < 5; ++i) {
    const auto body = c.request("1", "tools/list")->last();
    EXPECT_EQ(at(body, "result", "ttlMs"), std::to_string(left)) << body;
    w.advance(31s);
    c.request("2", "tools/list");  // an old one may be served while it is fetched again
  }
  EXPECT_TRUE(own->events().empty()) << own->stream;
}

TEST(what_servers_are, is_not_to_be_kept_while_one_was_not_heard) {
  world w({.met = false, .prepare = [](fake_network& net) {
             net.at("b")->always("initialize", reply::failure(fetch_end::connect_failed));
           }});
  stateless_client c(w);
  auto r = c.request("1", "server/discover");
  EXPECT_EQ(at(r->last(), "result", "ttlMs"), "0") << r->last();
  EXPECT_EQ(at(r->last(), "result", "cacheScope"), R"("private")");
  w.upstream("b").behave("initialize");
  w.advance(60s);
  c.request("2", "server/discover");
  w.advance(5s);
  r = c.request("3", "server/discover");
  EXPECT_EQ(at(r->last(), "result", "ttlMs"), "30000") << r->last();
}

TEST(a_list_that_no_server_has, is_empty) {
  world w({.met = false, .prepare = [](fake_network& net) {
             for (const auto* id : {"a", "b"}) net.at(id)->capabilities = R"({"tools":{}})";
           }});
  stateless_client c(w);
  // Official clients list what was not declared, and end where that is 404.
  const auto r = c.request("1", "prompts/list");
  EXPECT_EQ(r->status, 200) << r->last();
  EXPECT_EQ(at(r->last(), "result", "prompts"), "[]") << r->last();
}

struct stateless_results : ::testing::Test {
  world w;
  stateless_client c{w};
  fake_upstream& a = w.upstream("a");
};

TEST_F(stateless_results, that_a_method_is_unknown_has_its_status) {
  a.next("tools/call", reply::error(R"({"code":-32601,"message":"m","data":1.0})"));
  const auto r = c.call("1", "a__x");
  EXPECT_EQ(r->status, 404);
  EXPECT_EQ(at(r->last(), "error"), R"({"code":-32601,"message":"m","data":1.0})");
  client s(w);
  s.initialize();
  a.next("tools/call", reply::error(R"({"code":-32601,"message":"m"})"));
  EXPECT_EQ(s.call("1", "a__x")->status, 200);
}

TEST_F(stateless_results, have_no_code_that_is_forbidden) {
  for (const auto* data :
       {"", R"(,"data":{})", R"(,"data":{"elicitations":[]})", R"(,"data":{"elicitations":7})"}) {
    a.next("tools/call", reply::error(R"({"code":-32042,"message":"m")" + std::string(data) + "}"));
    EXPECT_EQ(at(c.call("1", "a__x")->last(), "error", "code"), "-32603") << data;
  }
  a.next("completion/complete", reply::error(R"({"code":-32042,"message":"m"})"));
  a.prompts = {R"({"name":"p"})"};
  const auto r =
      c.request("2", "completion/complete",
                R"("ref":{"type":"ref/prompt","name":"a__p"},"argument":{"name":"n","value":""})");
  EXPECT_EQ(at(r->last(), "error", "code"), "-32603") << r->last();
}

TEST_F(stateless_results, are_no_tasks_that_nobody_can_ask_for) {
  for (const auto* task : {R"("task":{"ttl":1})", R"("t\u0061sk":{})"}) {
    a.next("tools/call", reply::result(R"({"content":[]})"));
    c.call("1", "a__x", std::string(R"(,"other":1.0,)") + task);
    const auto seen = a.last("tools/call");
    EXPECT_EQ(seen->param("task"), "") << seen->body;
    EXPECT_EQ(seen->param("other"), "1.0");
    EXPECT_EQ(seen->param("name"), R"("x")");
  }
}

TEST(a_client_that_leaves, while_its_call_waits_for_keys_has_cancelled_it) {
  auto o = guarded_world(guarded(a_and_b));
  o.prepare = [](fake_network& net) {
    net.at("idp")->always("GET", reply{.after = 9s, .status = 200, .body = published_keys()});
  };
  world w(std::move(o));
  stateless_client c(w);
  c.token = token_for("alice");
  const auto r = c.call("1", "a__x"), other = c.call("2", "a__x");
  w.vanish(r);
  w.advance(9s);
  EXPECT_TRUE(other->done());
  EXPECT_EQ(w.upstream("a").count("tools/call"), 1U) << "only the other's";
  EXPECT_EQ(w.audit("tools/call").size(), 2U);
}

}  // namespace
}  // namespace gate
