// Upstreams whose lists come late, again, or not at all: who waits for them, who looks for them,
// and who is told when they come.
#include "tests/actors/gateway/lists/lists_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

using events = std::vector<std::string>;

constexpr std::string_view three = R"({"upstreams":[
  {"id":"c","url":"http://c.test/mcp","namespace":"c"},
  {"id":"a","url":"http://a.test/mcp","namespace":"a"},
  {"id":"b","url":"http://b.test/mcp","namespace":"b"}]})";

/// As of a host behind which nothing answers.
reply black_hole() {
  auto out = reply::failure(fetch_end::connect_timeout, true);
  out.after = 5s;
  return out;
}
reply refused_connection() {
  return reply::failure(fetch_end::connect_failed, true);
}

struct late_lists : ::testing::Test {
  world w;
  client c{w}, d{w};
  fake_upstream& a = w.upstream("a");
  fake_upstream& b = w.upstream("b");
  receipt_ptr mine, theirs;

  late_lists() {
    a.tools = {R"({"name":"1"})"};
    b.tools = {R"({"name":"2"})"};
    c.initialize();
    d.initialize();
    mine = c.get();
    theirs = d.get();
  }
};

// --- newcomers -----------------------------------------------------------------------------------

TEST_F(late_lists, of_a_newcomer_are_told_to_all_also_if_somebody_waited_for_them) {
  c.list("1");
  d.list("1");
  auto& newcomer = w.add_host("c");
  newcomer.tools = {R"({"name":"3"})"};
  newcomer.next("tools/list", reply::result(R"({"tools":[{"name":"3"}]})", 3s));
  ASSERT_TRUE(w.reload(three).get().problems.empty());
  auto waited = d.list("2");
  EXPECT_FALSE(waited->done());
  w.advance(5s);
  EXPECT_NE(tools(waited).find("c__3"), std::string::npos);
  EXPECT_EQ(mine->events(), events{changed});
}

TEST_F(late_lists, of_a_newcomer_that_is_away_are_told_when_it_comes) {
  c.list("1");
  auto& newcomer = w.add_host("c");
  newcomer.tools = {R"({"name":"3"})"};
  newcomer.always("initialize", refused_connection());
  ASSERT_TRUE(w.reload(three).get().problems.empty());
  auto partial = c.list("2");
  EXPECT_EQ(tools(partial), both);
  EXPECT_EQ(failed(partial), R"(["c"])");
  w.advance(2s);
  EXPECT_TRUE(mine->events().empty()) << "what it saw still holds";
  newcomer.behave("initialize");
  w.advance(31s);
  EXPECT_EQ(mine->events(), events{changed});
  EXPECT_NE(tools(c.list("3")).find("c__3"), std::string::npos);
}

TEST(late_list, of_a_newcomer_that_hangs_holds_back_no_news_for_long) {
  world w({.config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"}]})"});
  client c(w);
  c.initialize();
  c.list("1");
  auto mine = c.get();
  w.add_host("n").always("initialize", reply::silence());
  ASSERT_TRUE(w.reload(R"({"upstreams":[{"id":"n","url":"http://n.test/mcp","namespace":"n"}]})")
                  .get()
                  .problems.empty());
  w.advance(9s);
  EXPECT_TRUE(mine->events().empty()) << "it may list what it likes";
  w.advance(2s);
  EXPECT_EQ(mine->events(), events{changed});
}

// --- who was away --------------------------------------------------------------------------------

TEST(late_lists_of_one, that_was_away_are_told_when_it_comes) {
  for (const std::string looked_after : {"", R"(,"healthCheck":{"intervalMs":10000})"}) {
    SCOPED_TRACE(looked_after);
    world w({.config = R"({"upstreams":[{"id":"b","url":"http://b.test/mcp","namespace":"b"},
                            {"id":"a","url":"http://a.test/mcp","namespace":"a")" +
                       looked_after + "}]}"});
    auto& a = w.upstream("a");
    a.tools = {R"({"name":"1"})"};
    w.upstream("b").tools = {R"({"name":"2"})"};
    client c(w);
    c.initialize();
    auto mine = c.get();
    a.always("initialize", refused_connection());
    EXPECT_EQ(failed(c.list("1")), R"(["a"])");
    w.advance(10s);
    EXPECT_TRUE(mine->events().empty());
    a.behave("initialize");
    w.advance(16s);
    EXPECT_EQ(mine->events(), events{changed});
    const auto whole = c.list("2");
    EXPECT_EQ(failed(whole), "");
    EXPECT_NE(tools(whole).find("a__1"), std::string::npos);
    w.advance(1min);
    EXPECT_EQ(mine->events().size(), 1U);
  }
}

TEST(late_lists_with_a_price, cost_nothing_while_nobody_asks_and_are_told_when_they_come) {
  for (const std::string price :
       {R"(,"rateLimit":{"requestsPerMinute":2})", R"(,"budget":{"upstreamCalls":2})"}) {
    SCOPED_TRACE(price);
    world w({.config = R"({"upstreams":[{"id":"b","url":"http://b.test/mcp","namespace":"b"},
                            {"id":"a","url":"http://a.test/mcp","namespace":"a")" +
                       price + "}]}"});
    auto& a = w.upstream("a");
    client c(w);
    a.always("initialize", refused_connection());
    c.initialize();
    auto mine = c.get();
    EXPECT_EQ(failed(c.list("1")), R"(["a"])");
    w.advance(10min);
    EXPECT_TRUE(mine->events().empty());
    a.behave("initialize");
    w.advance(31s);
    EXPECT_EQ(mine->events(), events{changed});
    EXPECT_EQ(a.count("tools/list"), 0U) << "nobody has asked for it";
    EXPECT_EQ(failed(c.list("2")), R"(["a"])") << "who failed is not waited for";
    w.advance(1s);
    EXPECT_EQ(mine->events().size(), 2U);
    EXPECT_EQ(failed(c.list("3")), "");
    EXPECT_NE(at(c.call("4", "a__echo")->last(), "result"), "") << "all of it is left";
    EXPECT_EQ(at(c.call("5", "a__echo")->last(), "result"), "");
  }
}

TEST(late_lists_with_a_price, that_come_but_fail_are_not_asked_for_on_nobodys_behalf) {
  world w({.config = R"({"upstreams":[{"id":"b","url":"http://b.test/mcp","namespace":"b"},
                          {"id":"a","url":"http://a.test/mcp","namespace":"a",
                           "budget":{"upstreamCalls":5}}]})"});
  auto& a = w.upstream("a");
  client c(w);
  a.always("tools/list", reply::error(R"({"code":-32603,"message":"never"})"));
  c.initialize();
  auto mine = c.get();
  EXPECT_EQ(failed(c.list("1")), R"(["a"])");
  w.advance(10min);
  EXPECT_EQ(a.count("tools/list"), 1U);
  EXPECT_EQ(mine->events(), events{changed}) << "it answers pings; but nobody has asked since";
}

/// `a` is counted, and one client's session there hears that its tools have changed.
struct own_lists_with_a_price : ::testing::Test {
  world w{{.config = R"({"upstreams":[{"id":"b","url":"http://b.test/mcp","namespace":"b"},
                           {"id":"a","url":"http://a.test/mcp","namespace":"a",
                            "budget":{"upstreamCalls":50}}]})"}};
  client c{w}, d{w};
  fake_upstream& a = w.upstream("a");
  receipt_ptr mine, theirs;
  std::string special;

  own_lists_with_a_price() {
    c.initialize();
    mine = c.get();
    c.list("1");
    c.call("2", "a__x");
    special = a.last("tools/call")->session;
  }
  void change_its_own() {
    for (const auto& s : a.under_way("GET"))
      if (s->session == special) fake_upstream::push(s, changed);
    w.settle();
  }
};

TEST_F(own_lists_with_a_price, are_not_compared_on_nobodys_behalf) {
  d.initialize();
  theirs = d.get();
  d.list("1");
  const auto asked = a.count("tools/list");
  change_its_own();
  w.advance(5s);
  EXPECT_EQ(a.count("tools/list"), asked);
  EXPECT_FALSE(mine->events().empty());
  EXPECT_EQ(theirs->events(), events{changed}) << "whether theirs is another one is not known";
  w.advance(1min);
  EXPECT_EQ(a.count("tools/list"), asked);
  EXPECT_EQ(theirs->events().size(), 1U);
  d.list("2");
  EXPECT_EQ(a.count("tools/list"), asked + 1);
}

TEST_F(own_lists_with_a_price, are_no_news_to_others_when_they_come) {
  change_its_own();
  w.advance(3s);
  a.always("tools/list", [this](const sight& s) {
    return s.session == special ? reply::error(R"({"code":-32603,"message":"not yet"})")
                                : reply::result(R"({"tools":[{"name":"1"}]})");
  });
  EXPECT_EQ(failed(c.list("3")), R"(["a"])");
  d.initialize();
  EXPECT_EQ(failed(d.list("1")), "");
  theirs = d.get();
  const auto before = mine->events().size();
  w.advance(3s);
  EXPECT_EQ(mine->events().size(), before + 1);
  EXPECT_TRUE(theirs->events().empty());
  d.call("2", "a__x");
  w.advance(3s);
  EXPECT_EQ(mine->events().size(), before + 1) << "nor does another's handshake say anything";
  EXPECT_TRUE(theirs->events().empty());
}

TEST_F(late_lists, that_failed_once_are_told_when_they_come) {
  a.next("tools/list", reply::error(R"({"code":-32603,"message":"not yet"})"));
  EXPECT_EQ(failed(c.list("1")), R"(["a"])");
  w.advance(3s);
  EXPECT_EQ(mine->events(), events{changed});
  EXPECT_EQ(tools(c.list("2")), both);
}

TEST_F(late_lists, of_nobody_are_told_when_the_first_one_comes) {
  for (auto* up : {&a, &b}) up->always("initialize", refused_connection());
  EXPECT_EQ(at(c.list("1")->body, "error", "code"), "-32041");
  w.advance(10s);
  EXPECT_TRUE(mine->events().empty()) << "it failed once more, which is no change";
  for (auto* up : {&a, &b}) up->behave("initialize");
  w.advance(31s);
  ASSERT_FALSE(mine->events().empty());
  EXPECT_EQ(mine->events()[0], changed);
  EXPECT_EQ(tools(c.list("2")), both);
}

TEST_F(late_lists, are_looked_for_less_and_less_often) {
  a.always("initialize", refused_connection());
  c.list("1");
  w.advance(60s);
  const auto tries = a.count("initialize");
  EXPECT_GE(tries, 5U);
  EXPECT_LE(tries, 8U);
  w.advance(60s);
  EXPECT_LE(a.count("initialize"), tries + 3);
}

TEST_F(late_lists, are_looked_for_only_while_somebody_lacks_them) {
  a.always("initialize", refused_connection());
  c.list("1");
  c.end();
  d.end();
  const auto tries = a.count("initialize");
  w.advance(10min);
  EXPECT_EQ(a.count("initialize"), tries);
}

TEST_F(late_lists, are_not_looked_for_where_nobody_asked) {
  a.always("initialize", refused_connection());
  b.always("initialize", refused_connection());
  w.advance(1min);
  EXPECT_EQ(a.count("initialize"), 0U);
}

// --- who hangs -----------------------------------------------------------------------------------

TEST_F(late_lists, that_time_out_stall_one_list_and_no_other) {
  a.always("initialize", black_hole());
  auto first = c.list("1");
  EXPECT_FALSE(first->done());
  w.advance(5s);
  EXPECT_EQ(failed(first), R"(["a"])");
  for (int i = 2; i < 20; ++i) {
    w.advance(7s);
    auto r = c.list(std::to_string(i));
    ASSERT_TRUE(r->done()) << i;
    EXPECT_EQ(failed(r), R"(["a"])");
  }
  a.behave("initialize");
  w.advance(70s);  // its circuit is open
  EXPECT_EQ(mine->events(), events{changed});
  EXPECT_EQ(tools(c.list("99")), both);
}

TEST_F(late_lists, are_waited_for_again_once_they_have_come) {
  a.next("tools/list", reply::error(R"({"code":-32603,"message":"not yet"})"));
  c.list("1");
  w.advance(3s);
  a.always("tools/list", reply::result(R"({"tools":[{"name":"x"}]})", 2s));
  a.announce(changed);
  w.settle();
  auto r = c.list("2");
  EXPECT_FALSE(r->done());
  w.advance(2s);
  EXPECT_EQ(tools(r), R"([{"name":"a__x"},{"name":"b__2"}])");
}

TEST(late_list, of_the_only_upstream_is_waited_for) {
  world w({.config = std::string(one_upstream)});
  auto& a = w.upstream("a");
  client c(w);
  c.initialize();
  a.always("initialize", refused_connection());
  EXPECT_EQ(at(c.list("1")->body, "error", "code"), "-32041");
  c.end();
  w.advance(1min);
  a.behave("initialize");
  client d(w);
  d.initialize();
  EXPECT_NE(tools(d.list("2")), "") << "there is nothing else to be served";
}

TEST(late_list, that_misses_the_deadline_is_in_the_log_and_told_when_it_comes) {
  world w({.config = std::string(one_upstream)});
  auto& a = w.upstream("a");
  client c(w);
  c.initialize();
  auto stream = c.get();
  a.sessions = false;
  a.next("initialize", reply::silence());
  auto r = c.list("1");
  w.advance(10s);
  EXPECT_EQ(at(r->last(), "error", "message"), R"("all upstreams unavailable: a")");
  EXPECT_EQ(w.logged("has not listed what it offers within 10 s"), 1U);
  c.list("2");
  w.advance(10s);
  EXPECT_EQ(w.logged("has not listed what it offers within 10 s"), 1U);
  fake_upstream::answer(
      a.last("initialize"),
      {.body = R"({"jsonrpc":"2.0","id":$id,"result":{"protocolVersion":"2025-06-18",)"
               R"("capabilities":{"tools":{}}}})"});
  w.advance(1s);
  EXPECT_EQ(stream->events(), events{changed});
  EXPECT_NE(tools(c.list("3")), "");
}

// --- who has nothing for the caller --------------------------------------------------------------

TEST(late_list, of_one_that_has_nothing_for_the_caller_is_not_waited_for) {
  world w({.config = R"({"upstreams":[
      {"id":"a","url":"http://a.test/mcp","namespace":"a"},
      {"id":"b","url":"http://b.test/mcp","namespace":"b"}],
    "policy":{"rules":[{"id":"r","allow":[
      {"server":"b","methods":["tools/call","resources/read"]}]}]}})"});
  auto &a = w.upstream("a"), &b = w.upstream("b");
  client c(w);
  c.initialize();
  for (const auto* method : {"tools/list", "resources/list", "resources/templates/list"})
    a.always(method, reply::silence());
  b.resources = {R"({"uri":"x://1"})"};
  for (const auto* method : {"tools/list", "resources/list", "resources/templates/list"}) {
    auto r = c.request("1", method);
    EXPECT_TRUE(r->done()) << method;
    EXPECT_EQ(failed(r), "") << method;
  }
  auto read = c.request("2", "resources/read", R"({"uri":"x://unknown"})");
  EXPECT_FALSE(read->done()) << "whose it is must be known before it is denied";
}

}  // namespace
}  // namespace gate
