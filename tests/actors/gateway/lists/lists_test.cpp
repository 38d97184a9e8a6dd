// tools/list through the whole gateway: merging, waiting, caching, changing.
#include "tests/actors/gateway/lists/lists_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

std::string tool(std::string_view name) {
  return R"({"name":")" + std::string(name) + R"("})";
}

struct lists : ::testing::Test {
  world w;
  client c{w};
  fake_upstream& a = w.upstream("a");
  fake_upstream& b = w.upstream("b");

  lists() {
    a.tools = {tool("1")};
    b.tools = {tool("2")};
    c.initialize();
  }
};

TEST_F(lists, are_merged_in_configuration_order_whoever_answers_first) {
  a.always("tools/list", reply::result(R"({"tools":[{"name":"1"}]})", 3s));
  auto r = c.list("1");
  w.advance(3s);
  EXPECT_EQ(tools(r), both);
  EXPECT_EQ(at(w.audit("tools/list")[0], "upstreamCalls"), "2");
}

TEST_F(lists, are_fetched_once_for_many_and_kept) {
  a.always("tools/list", reply::result(R"({"tools":[{"name":"1"}]})", 1s));
  std::vector<receipt_ptr> all;
  for (int i = 0; i < 20; ++i) all.push_back(c.list(std::to_string(i)));
  w.advance(1s);
  for (auto& r : all) EXPECT_EQ(tools(r), both);
  EXPECT_EQ(tools(c.list("99")), both);
  EXPECT_EQ(a.count("tools/list"), 1U);
  EXPECT_EQ(b.count("tools/list"), 1U);
  EXPECT_EQ(a.count("initialize"), 1U) << "over the root session";
}

TEST_F(lists, drain_all_pages_of_an_upstream) {
  a.tools.clear();
  for (int i = 0; i < 25; ++i) a.tools.push_back(tool(std::to_string(i)));
  a.page_size = 10;
  auto r = c.list("1");
  EXPECT_EQ(a.count("tools/list"), 3U);
  EXPECT_NE(tools(r).find("a__24"), std::string::npos);
}

TEST_F(lists, have_one_deadline_and_say_who_missed_it) {
  a.always("tools/list", reply::silence());
  auto r = c.list("1");
  w.advance(9'999ms);
  EXPECT_FALSE(r->done());
  w.advance(1ms);
  EXPECT_EQ(tools(r), R"([{"name":"b__2"}])");
  EXPECT_EQ(failed(r), R"(["a"])");
}

TEST_F(lists, are_delayed_once_by_one_that_hangs) {
  a.always("tools/list", reply::silence());
  c.list("1");
  w.advance(10s);
  for (int i = 0; i < 200; ++i) {
    auto r = c.list("n" + std::to_string(i));
    ASSERT_TRUE(c.list("\"" + std::to_string(i) + "\"")->done()) << i;
    w.advance(1s);
  }
}

TEST_F(lists, tell_clients_when_the_late_one_comes) {
  a.next("tools/list", reply::result(R"({"tools":[{"name":"1"}]})", 20s));
  auto stream = c.get();
  auto r = c.list("1");
  w.advance(10s);
  EXPECT_EQ(failed(r), R"(["a"])");
  EXPECT_TRUE(stream->events().empty());
  w.advance(11s);
  EXPECT_EQ(stream->events(), std::vector<std::string>{changed});
  EXPECT_EQ(tools(c.list("2")), both);
  EXPECT_EQ(a.count("tools/list"), 1U);
}

TEST_F(lists, without_one_that_fails_come_at_once) {
  a.always("tools/list", reply::error(R"({"code":-32603,"message":"no"})"));
  auto r = c.list("1");
  EXPECT_EQ(tools(r), R"([{"name":"b__2"}])");
  EXPECT_EQ(failed(r), R"(["a"])");
  c.list("2");
  EXPECT_EQ(a.count("tools/list"), 1U) << "a failure is remembered for a second";
  a.behave("tools/list");
  w.advance(1s);
  EXPECT_EQ(tools(c.list("3")), both);
}

TEST_F(lists, of_nobody_are_an_error) {
  a.always("initialize", reply::failure(fetch_end::connect_failed, true));
  b.always("tools/list", reply::http(500));
  auto r = c.list("1");
  EXPECT_EQ(at(r->body, "error", "code"), "-32041");
  EXPECT_EQ(at(r->body, "error", "message"), R"("all upstreams unavailable: a, b")");
  EXPECT_EQ(at(w.audit("tools/list")[0], "outcome"), R"("upstream_down")");
}

TEST_F(lists, that_expired_are_served_while_they_are_refreshed) {
  c.list("1");
  w.advance(30s);
  a.tools.push_back(tool("new"));
  a.always("tools/list", reply::silence());
  auto r = c.list("2");
  EXPECT_EQ(tools(r), both);
  EXPECT_EQ(failed(r), "");
  fake_upstream::answer(a.last("tools/list"), reply::result(R"({"tools":[{"name":"new"}]})"));
  w.settle();
  EXPECT_EQ(tools(c.list("3")), R"([{"name":"a__new"},{"name":"b__2"}])");
}

TEST_F(lists, of_a_dead_upstream_are_not_served_for_ever) {
  c.list("1");
  auto stream = c.get();
  a.always("tools/list", reply::failure(fetch_end::connect_failed, true));
  w.advance(30s);
  c.list("2");
  auto r = c.list("3");
  EXPECT_EQ(tools(r), R"([{"name":"b__2"}])");
  EXPECT_EQ(failed(r), R"(["a"])");
  w.advance(100ms);
  EXPECT_EQ(stream->events(), std::vector<std::string>{changed});
}

TEST_F(lists, that_changed_are_forgotten_before_the_clients_are_told) {
  client quiet(w), listening(w);
  listening.initialize();
  auto stream = listening.get();
  c.list("1");
  a.tools = {tool("x")};
  a.announce(changed);
  a.announce(changed);
  w.settle();
  EXPECT_TRUE(stream->events().empty()) << "gathered for a moment";
  EXPECT_EQ(tools(c.list("2")), R"([{"name":"a__x"},{"name":"b__2"}])");
  w.advance(100ms);
  EXPECT_EQ(stream->events(), std::vector<std::string>{changed});
  w.advance(1min);
  EXPECT_EQ(stream->events().size(), 1U) << "the refetch is no second change";
  EXPECT_EQ(b.count("tools/list"), 1U);
}

TEST_F(lists, wait_for_the_new_one_when_it_changes_under_the_fetch) {
  a.next("tools/list", reply::silence());
  auto r = c.list("1");
  a.announce(changed);
  w.settle();
  EXPECT_EQ(a.count("tools/list"), 1U);
  fake_upstream::answer(a.last("tools/list"), reply::result(R"({"tools":[{"name":"old"}]})"));
  w.settle();
  EXPECT_EQ(tools(r), both);
  EXPECT_EQ(a.count("tools/list"), 2U);
}

TEST_F(lists, of_one_that_announces_a_change_with_every_fetch_arrive) {
  a.always("tools/list", [&](const sight&) {
    a.announce(changed);
    return reply::result(R"({"tools":[{"name":"1"}]})");
  });
  c.list("0");
  const auto before = a.count("tools/list");
  EXPECT_EQ(tools(c.list("1")), both);
  EXPECT_LE(a.count("tools/list"), before + 2);
}

TEST_F(lists, are_read_page_by_page_with_sealed_cursors) {
  world paged({.config = R"({"routing":{"pageSize":2},"upstreams":[
    {"id":"a","url":"http://a.test/mcp"}]})"});
  client d(paged);
  d.initialize();
  auto& up = paged.upstream("a");
  up.tools = {tool("1"), tool("2"), tool("3")};
  auto one = d.list("1");
  const auto cursor = at(one->body, "result", "nextCursor");
  ASSERT_FALSE(cursor.empty()) << one->body;
  auto two = d.list("2", cursor);
  EXPECT_EQ(tools(two), R"([{"name":"3"}])");
  EXPECT_EQ(at(two->body, "result", "nextCursor"), "");
  for (const std::string& bad :
       {std::string("\"x\""), std::string("\"\\ud800\""), std::string("\"\""),
        cursor.substr(0, cursor.size() - 3) + "A\""}) {
    auto r = d.list("3", bad);
    EXPECT_EQ(at(r->body, "error", "code"), "-32602") << bad << r->body;
  }
  EXPECT_EQ(at(d.list("4", "7")->body, "error", "code"), "-32602");
  up.tools.push_back(tool("4"));
  up.announce(changed);
  paged.settle();
  EXPECT_EQ(at(d.list("5", cursor)->body, "error", "code"), "-32602") << "of another list";
}

TEST_F(lists, pass_the_only_upstreams_own_error_on) {
  world one({.config = std::string(one_upstream)});
  client d(one);
  d.initialize();
  one.upstream("a").always("tools/list", reply::error(R"({"code":-1,"message":"mine"})"));
  EXPECT_EQ(d.list("1")->body, R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"mine"}})");
}

TEST_F(lists, of_a_server_without_tools_are_empty_without_asking) {
  a.always("initialize",
           reply::result(R"({"protocolVersion":"2025-06-18","capabilities":{"prompts":{}}})"));
  EXPECT_EQ(tools(c.list("1")), R"([{"name":"b__2"}])");
  EXPECT_EQ(a.count("tools/list"), 0U);
}

TEST_F(lists, without_end_are_given_up) {
  a.always("tools/list", [n = 0](const sight&) mutable {
    return reply::result(R"({"tools":[],"nextCursor":")" + std::to_string(++n) + "\"}");
  });
  EXPECT_EQ(failed(c.list("1")), R"(["a"])");
  EXPECT_EQ(a.count("tools/list"), 1000U);
  a.always("tools/list", reply::result(R"({"tools":[],"nextCursor":"same"})"));
  w.advance(1s);
  EXPECT_EQ(failed(c.list("2")), R"(["a"])");
  EXPECT_EQ(a.count("tools/list"), 1002U);
}

TEST_F(lists, are_those_that_the_upstream_shows_to_such_a_client) {
  a.always("tools/list", [](const sight& s) {
    return reply::result(s.session == "a-session-2" ? R"({"tools":[{"name":"1"},{"name":"more"}]})"
                                                    : R"({"tools":[{"name":"1"}]})");
  });
  EXPECT_EQ(tools(c.list("1")), both);
  client able(w), alike(w);
  for (auto* x : {&able, &alike}) {
    auto r = x->request("0", "initialize",
                        R"({"protocolVersion":"2025-06-18","capabilities":{"sampling":{}}})");
    x->session = r->header("mcp-session-id");
  }
  EXPECT_EQ(tools(able.list("1")), R"([{"name":"a__1"},{"name":"a__more"},{"name":"b__2"}])");
  EXPECT_EQ(tools(alike.list("1")), R"([{"name":"a__1"},{"name":"a__more"},{"name":"b__2"}])");
  EXPECT_EQ(a.count("initialize"), 2U) << "clients that are alike share a root session";
  EXPECT_EQ(a.last("initialize")->param("capabilities"), R"({"sampling":{}})");
  EXPECT_EQ(tools(c.list("2")), both);
}

TEST_F(lists, with_items_without_a_name_are_logged_once_an_outage) {
  auto& a = w.upstream("a");
  a.tools = {R"({"name":"good"})", R"({"title":"nameless"})", R"({"name":7})"};
  a.capabilities = R"({"tools":{"listChanged":true}})";
  const auto fetch_again = [&] {
    a.announce(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
    w.advance(2s);
    const auto listed = c.list("1")->body;
    EXPECT_NE(listed.find("good"), listed.npos);
    EXPECT_EQ(listed.find("nameless"), listed.npos);
  };
  c.list("0");
  EXPECT_EQ(w.logged("items without a usable name"), 1U);
  EXPECT_EQ(w.logged("items=2"), 1U);
  for (int i = 0; i < 3; ++i) fetch_again();
  EXPECT_GE(a.count("tools/list"), 4U);
  EXPECT_EQ(w.logged("items without a usable name"), 1U);
}

}  // namespace
}  // namespace gate
