// Lists that instances of a fleet have together. The units of one world are as good as instances:
// each has lists, UPSTREAMs and a door to the store of its own.
#include <algorithm>
#include <memory>

#include "actors/fleet/shared_lists.hpp"
#include "simulations/world/shared_scripts.hpp"
#include "tests/actors/gateway/lists/lists_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr std::string_view one_upstream =
    R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"MORE},
                     {"id":"b","url":"http://b.test/mcp","namespace":"b"}]})";

std::string upstreams_where(std::string_view more) {
  auto out = std::string(one_upstream);
  return out.replace(out.find("MORE"), 4, more);
}
std::string named(std::string_view name) {
  return R"({"name":")" + std::string(name) + R"("})";
}

struct lists_of_a_fleet : ::testing::Test {
  std::shared_ptr<fake_store> store = std::make_shared<fake_store>();
  std::unique_ptr<world> w;
  std::vector<client> c;

  void start(std::string_view more = {}) {
    teach_scripts(*store, 1'795'000'000'000ms);
    w = std::make_unique<world>(
        world_options{.config = upstreams_where(more), .units = 2, .store = store});
    a().tools = {named("1")};
    w->upstream("b").tools = {named("2")};
    for (std::size_t n = 0; n < 2; ++n) c.emplace_back(*w, n).initialize();
  }
  fake_upstream& a() { return w->upstream("a"); }
  std::size_t fetches() { return a().count("tools/list"); }
  /// As a replica does that serves one instance only.
  void announce_to(std::size_t unit) {
    for (const auto& s : a().under_way("GET"))
      if (s->unit == unit) a().push(s, std::string(changed));
    w->settle();
  }
  bool asked_for_lists() const {
    return std::ranges::any_of(
        store->seen(), [](const auto& line) { return line.find("gate:{cache:a}") != line.npos; });
  }
};

TEST_F(lists_of_a_fleet, are_fetched_once) {
  start();
  EXPECT_EQ(tools(c[0].list("1")), both);
  EXPECT_EQ(tools(c[1].list("1")), both);
  EXPECT_EQ(fetches(), 1U);
  EXPECT_EQ(a().count("initialize"), 2U) << "changes are heard by a session of one's own";
  EXPECT_EQ(at(w->audit("tools/list")[0], "upstreamCalls"), "2");
  EXPECT_EQ(at(w->audit("tools/list")[1], "upstreamCalls"), "0");
}

TEST_F(lists_of_a_fleet, have_all_their_pages) {
  start();
  a().tools.clear();
  for (int i = 0; i < 25; ++i) a().tools.push_back(named(std::to_string(i)));
  a().page_size = 10;
  const auto whole = tools(c[0].list("1"));
  EXPECT_EQ(fetches(), 3U);
  EXPECT_EQ(tools(c[1].list("1")), whole);
  EXPECT_EQ(fetches(), 3U);
}

TEST_F(lists_of_a_fleet, are_no_older_than_they_may_be) {
  start(R"(,"cacheTtlMs":30000)");
  c[0].list("1");
  w->advance(20s);
  c[1].list("1");
  EXPECT_EQ(fetches(), 1U);
  w->advance(10s);
  c[1].list("2");
  EXPECT_EQ(fetches(), 2U) << "thirty seconds behind the first fetch, not behind the look";
  c[0].list("2");
  EXPECT_EQ(fetches(), 2U) << "and that one is for all";
}

TEST_F(lists_of_a_fleet, that_changed_are_nobodys_any_more) {
  start();
  c[0].list("1");
  const auto stream = c[0].get();
  w->settle();
  a().tools = {named("new")};
  a().announce(changed);
  w->advance(10ms);
  EXPECT_NE(tools(c[1].list("1")).find("a__new"), std::string::npos)
      << "though this one has heard of nothing";
  EXPECT_EQ(fetches(), 2U);
  EXPECT_NE(tools(c[0].list("2")).find("a__new"), std::string::npos);
  EXPECT_EQ(fetches(), 2U);
  w->advance(1s);
  EXPECT_EQ(stream->events(), std::vector<std::string>{changed}) << "told once";
}

TEST_F(lists_of_a_fleet, that_changed_are_told_by_those_that_have_not_heard_it_themselves) {
  start();
  c[0].list("1");
  c[1].list("1");
  const auto here = c[0].get(), there = c[1].get();
  w->settle();
  a().tools = {named("new")};
  announce_to(0);
  w->advance(1s);
  EXPECT_EQ(here->events(), std::vector<std::string>{changed});
  EXPECT_EQ(there->events(), std::vector<std::string>{changed});
  EXPECT_NE(tools(c[1].list("2")).find("a__new"), std::string::npos);
  w->advance(5s);
  EXPECT_EQ(there->events().size(), 1U) << "told once";
}

TEST_F(lists_of_a_fleet, that_changed_are_told_once_by_all_that_have_heard_it) {
  start();
  c[0].list("1");
  c[1].list("1");
  const auto here = c[0].get(), there = c[1].get();
  w->settle();
  ASSERT_EQ(a().under_way("GET").size(), 2U);
  a().tools = {named("new")};
  a().announce(changed);
  w->advance(5s);
  EXPECT_EQ(here->events(), std::vector<std::string>{changed});
  EXPECT_EQ(there->events(), std::vector<std::string>{changed});
}

TEST_F(lists_of_a_fleet, that_may_have_changed_while_the_store_was_away_are_looked_at) {
  start();
  c[0].list("1");
  c[1].list("1");
  const auto here = c[0].get(), there = c[1].get();
  store->cut_off(1);
  w->settle();
  a().tools = {named("new")};
  announce_to(0);
  w->advance(1s);
  EXPECT_TRUE(there->events().empty());
  store->let_in(1);
  w->advance(1s);
  EXPECT_EQ(there->events(), std::vector<std::string>{changed});
}

TEST_F(lists_of_a_fleet, that_changed_while_the_store_was_out_of_reach_are_told_when_it_returns) {
  start();
  c[0].list("1");
  c[1].list("1");
  const auto there = c[1].get();
  store->cut_off(0);
  w->settle();
  a().tools = {named("new")};
  announce_to(0);
  w->advance(1s);
  EXPECT_TRUE(there->events().empty());
  store->let_in(0);
  w->advance(1s);
  EXPECT_EQ(there->events(), std::vector<std::string>{changed});
}

TEST_F(lists_of_a_fleet, that_changed_while_the_store_refused_are_told_with_the_next_question) {
  start();
  c[0].list("1");
  c[1].list("1");
  const auto there = c[1].get();
  w->settle();
  store->refuse("-OOM command not allowed");
  a().tools = {named("new")};
  announce_to(0);
  w->advance(1s);
  EXPECT_TRUE(there->events().empty());
  store->refuse({});
  c[0].list("2");
  w->advance(1min);
  c[0].list("3");
  w->advance(1s);
  EXPECT_EQ(there->events(), std::vector<std::string>{changed});
}

TEST_F(lists_of_a_fleet, that_change_while_they_are_fetched_are_not_kept) {
  start();
  c[0].list("1");
  const auto stream = c[0].get();
  w->advance(31s);
  a().always("tools/list", reply::result(R"({"tools":[{"name":"old"}]})", 1s));
  c[0].list("2");
  w->advance(500ms);
  a().announce(changed);
  w->settle();
  a().behave("tools/list");
  a().tools = {named("new")};
  w->advance(1s);
  EXPECT_NE(tools(c[1].list("1")).find("a__new"), std::string::npos);
}

TEST_F(lists_of_a_fleet, are_waited_for_while_another_one_fetches) {
  start();
  a().always("tools/list", reply::result(R"({"tools":[{"name":"1"}]})", 1s));
  const auto first = c[0].list("1"), second = c[1].list("1");
  w->advance(1s);
  EXPECT_EQ(tools(first), both);
  w->advance(limits::store_list_look);
  EXPECT_EQ(tools(second), both);
  EXPECT_EQ(fetches(), 1U);
}

TEST_F(lists_of_a_fleet, are_not_waited_for_long) {
  start();
  a().next("tools/list", reply::silence());
  c[0].list("1");
  const auto second = c[1].list("1");
  w->advance(limits::store_list_wait - 1ms);
  EXPECT_FALSE(second->done());
  w->advance(limits::store_list_look);
  EXPECT_EQ(tools(second), both);
}

TEST_F(lists_of_a_fleet, that_failed_are_not_waited_for) {
  start();
  a().next("tools/list", reply::error(R"({"code":-32603,"message":"no"})"));
  c[0].list("1");
  EXPECT_EQ(tools(c[1].list("1")), both);
  EXPECT_EQ(fetches(), 2U);
}

TEST_F(lists_of_a_fleet, are_each_ones_own_while_the_store_is_away) {
  start();
  store->go();
  w->settle();
  for (auto& one : c) EXPECT_EQ(tools(one.list("1")), both);
  EXPECT_EQ(fetches(), 2U);
}

TEST_F(lists_of_a_fleet, wait_for_a_silent_store_half_a_second) {
  start();
  store->fall_silent();
  const auto r = c[0].list("1");
  w->advance(499ms);
  EXPECT_FALSE(r->done());
  w->advance(1ms);
  EXPECT_EQ(tools(r), both);
}

TEST_F(lists_of_a_fleet, are_fetched_where_the_store_has_nonsense) {
  start();
  const auto pages = [](std::vector<std::string> all) {
    return fleet::written({std::move(all)}).value();
  };
  const std::string empty = R"({"tools":[]})";
  const std::vector<std::string> nonsense{"",
                                          "0 0 1\n9\nx",
                                          pages({"null"}),
                                          pages({"{}"}),
                                          pages({R"({"tools":[],"nextCursor":"1"})"}),
                                          pages({empty, empty})};
  for (const auto& text : nonsense) {
    store->teach(fleet::look_script(), [&](auto&&...) {
      return "*3\r\n$4\r\nkept\r\n:1\r\n$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
    });
    w->advance(31s);
    const auto before = fetches();
    c[0].list("1");
    EXPECT_EQ(tools(c[0].list("2")), both) << text;
    EXPECT_EQ(fetches(), before + 1) << text;
  }
}

TEST_F(lists_of_a_fleet, of_several_mebibytes_are_each_ones_own) {
  start();
  a().tools.clear();
  for (int i = 0; i < 5; ++i)
    a().tools.push_back(R"({"name":")" + std::to_string(i) + R"(","description":")" +
                        std::string(1024 * 1024, 'x') + R"("})");
  for (auto& one : c) EXPECT_NE(tools(one.list("1")).find("a__4"), std::string::npos);
  EXPECT_EQ(fetches(), 2U);
}

TEST_F(lists_of_a_fleet, that_are_not_cached_are_not_shared) {
  start(R"(,"cacheTtlMs":-1)");
  for (auto& one : c) EXPECT_EQ(tools(one.list("1")), both);
  EXPECT_EQ(fetches(), 2U);
  EXPECT_FALSE(asked_for_lists());
}

TEST_F(lists_of_a_fleet, of_one_client_are_not_shared) {
  start(R"(,"listsPerClient":true)");
  for (auto& one : c) EXPECT_EQ(tools(one.list("1")), both);
  EXPECT_EQ(fetches(), 2U);
  EXPECT_FALSE(asked_for_lists());
}

TEST_F(lists_of_a_fleet, of_clients_that_can_do_more_are_others) {
  start();
  c[0].list("1");
  client able(*w, 1);
  able.capabilities = R"({"sampling":{}})";
  able.initialize();
  EXPECT_EQ(tools(able.list("1")), both);
  EXPECT_EQ(fetches(), 2U);
}

TEST_F(lists_of_a_fleet, that_are_there_cost_no_limit) {
  start(R"(,"rateLimit":{"requestsPerMinute":1})");
  for (auto& one : c) EXPECT_EQ(tools(one.list("1")), both);
  EXPECT_EQ(fetches(), 1U);
}

TEST_F(lists_of_a_fleet, are_asked_for_once_more_when_a_limit_stops_who_would_fetch) {
  start(R"(,"rateLimit":{"requestsPerMinute":1})");
  c[0].call("1", "a__x");
  c[0].list("2");
  EXPECT_EQ(fetches(), 0U);
  const auto r = c[1].list("1");
  EXPECT_TRUE(r->done()) << "nobody fetches, so nobody waits";
}

}  // namespace
}  // namespace gate
