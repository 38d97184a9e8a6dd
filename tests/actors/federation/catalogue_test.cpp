#include "actors/federation/catalogue.hpp"

#include <gtest/gtest.h>

#include "config/validate.hpp"

namespace gate::federation {
namespace {

using namespace std::chrono_literals;

struct a_catalogue : ::testing::Test {
  static std::shared_ptr<const config::snapshot> snapshot() {
    auto parsed = config::load(R"({"routing":{"pageSize":2},
      "upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"},
                   {"id":"b","url":"http://b.test/mcp","namespace":"b"}]})");
    for (const auto& p : parsed.problems) ADD_FAILURE() << config::to_line(p);
    return config::compile(std::move(parsed.doc));
  }
  void fill(std::size_t upstream, const std::vector<std::string>& names,
            const mcp::shared_rest& rest = {}) {
    auto all = std::make_shared<mcp::item_list>();
    for (const auto& n : names) all->push_back({n, '"' + n + '"'});
    auto& cache = it.sources().cache();
    cache.invalidate(upstream);
    std::vector<wanted> want;
    it.prepare(view, t, want);
    while (cache.filled(upstream, cache.fill_of(upstream), all, t, 30s, rest) ==
           list_cache::taken::again) {
    }
  }
  std::string text(std::uint64_t offset) {
    auto p = it.list(view).at(offset);
    return p ? *p->head + (p->next ? ">" + std::to_string(*p->next) : "") : "none";
  }

  std::shared_ptr<const config::snapshot> document = snapshot();
  config::view_ptr view = document->policy.make_view(nullptr, nullptr, 1);
  catalogue it{mcp::list_kind::tools, document};
  time_point t{1h};
};

TEST_F(a_catalogue, merges_in_configuration_order_whoever_comes_first) {
  fill(1, {"b__1"});
  fill(0, {"a__2", "a__1"});
  EXPECT_EQ(text(0), R"({"tools":["a__2","a__1"]>2)");
  EXPECT_EQ(text(2), R"({"tools":["b__1"])");
  EXPECT_EQ(text(3), "none");
  EXPECT_EQ(it.list(view).at(0)->head, it.list(view).at(0)->head) << "made once";
}

TEST_F(a_catalogue, holds_as_long_as_its_upstreams_say_now_and_is_not_made_anew_for_that) {
  fill(1, {"b__1"});
  const auto refresh = [&](std::chrono::milliseconds holds) {
    auto& cache = it.sources().cache();
    t += 30s;
    std::vector<wanted> want;
    it.prepare(view, t, want);
    cache.filled(
        0, cache.fill_of(0),
        std::make_shared<mcp::item_list>(mcp::item_list{{"a__1", R"("a__1")"}}), t, 30s,
        std::make_shared<const mcp::list_rest>(mcp::list_rest{"", false, {}, {holds, true}}));
  };
  refresh(9s);
  const auto head = it.list(view).at(0)->head;
  EXPECT_EQ(it.list(view).beside().caching().ttl, 9s);
  EXPECT_EQ(it.take_changed_views().size(), 0U);
  refresh(4s);
  EXPECT_FALSE(it.moved()) << "nobody has to be compared with anything";
  EXPECT_EQ(it.list(view).at(0)->head, head);
  EXPECT_EQ(it.list(view).beside().caching().ttl, 4s);
  EXPECT_FALSE(it.list(view).beside().caching().everybodys) << "the other one does not say so";
}

TEST_F(a_catalogue, gives_a_name_to_the_first_that_has_it) {
  fill(0, {"x", "x", "y"});
  fill(1, {"y", "z"});
  EXPECT_EQ(text(0), R"({"tools":["x","y"]>2)");
  EXPECT_EQ(text(2), R"({"tools":["z"])");
}

TEST_F(a_catalogue, of_nothing_is_one_empty_page) {
  fill(0, {});
  fill(1, {});
  EXPECT_EQ(text(0), R"({"tools":[])");
  EXPECT_EQ(text(1), "none");
  EXPECT_FALSE(it.list(view).all_missing());
}

TEST_F(a_catalogue, names_those_that_are_missing) {
  EXPECT_TRUE(it.list(view).all_missing());
  fill(1, {"b__1"});
  EXPECT_EQ(it.list(view).missing(), std::vector<std::string>{"a"});
  EXPECT_FALSE(it.list(view).all_missing());
  fill(0, {"a__1"});
  EXPECT_TRUE(it.list(view).missing().empty());
}

TEST_F(a_catalogue, has_another_digest_when_anything_changes) {
  fill(0, {"a__1"});
  const auto one = it.list(view).digest();
  fill(0, {"a__1"});
  EXPECT_EQ(it.list(view).digest(), one);
  fill(0, {"a__2"});
  EXPECT_NE(it.list(view).digest(), one);
}

TEST_F(a_catalogue, knows_when_what_it_gave_out_no_longer_holds) {
  fill(0, {"a__1"});
  fill(1, {});
  EXPECT_FALSE(it.differs_from_served()) << "nobody has seen anything";
  text(0);
  EXPECT_TRUE(it.served());
  fill(0, {"a__1"});
  EXPECT_FALSE(it.differs_from_served());
  fill(0, {"a__2"});
  EXPECT_TRUE(it.differs_from_served());
  it.forget_served(0);
  EXPECT_FALSE(it.differs_from_served());
}

TEST_F(a_catalogue, owes_news_to_whoever_was_served_before_somebody_else) {
  fill(0, {"a__1"});
  fill(1, {});
  text(0);
  fill(1, {"b__1"});
  text(0);
  EXPECT_TRUE(it.differs_from_served()) << "only one of the two has it";
  EXPECT_EQ(it.take_changed_views().size(), 1U);
  EXPECT_FALSE(it.differs_from_served());
}

TEST_F(a_catalogue, an_error_is_something_that_was_served) {
  it.list(view).note_served();
  EXPECT_FALSE(it.differs_from_served());
  fill(0, {});
  EXPECT_FALSE(it.differs_from_served()) << "the other's is on its way";
  fill(1, {});
  EXPECT_TRUE(it.differs_from_served()) << "an empty list is another answer";
}

TEST_F(a_catalogue, forgets_what_was_served_of_those_who_see_something_of_the_upstream) {
  const config::text_list only_a{"a"};
  const auto other = document->policy.make_view(nullptr, &only_a, 2);
  fill(0, {"a__1"});
  fill(1, {"b__1"});
  text(0);
  it.list(other).at(0);
  it.forget_served(1);
  EXPECT_TRUE(it.served());
  fill(0, {"a__2"});
  EXPECT_EQ(it.take_changed_views(), std::vector<std::uint64_t>{2});
  text(0);
  it.list(other).at(0);
  it.forget_served(0);
  EXPECT_FALSE(it.served());
}

TEST_F(a_catalogue, names_those_that_are_spared_and_does_not_ask_them) {
  fill(0, {"a__1"});
  fill(1, {"b__1"});
  text(0);
  it.sources().cache().invalidate(0);
  it.sources().cache().invalidate(1);
  std::vector<wanted> want;
  const auto spared = it.ask_unknown(t, want, [](std::size_t i) { return i == 1; });
  EXPECT_EQ(spared, std::set<std::size_t>{1});
  ASSERT_EQ(want.size(), 1U);
  EXPECT_EQ(want[0].upstream, 0U);
}

TEST_F(a_catalogue, knows_what_another_view_makes_another_list) {
  const config::text_list only_a{"a"};
  const auto other = document->policy.make_view(nullptr, &only_a, 2);
  fill(0, {"a__1"});
  fill(1, {"b__1"});
  EXPECT_TRUE(it.pass_on(*view, other)) << "what was served is not known";
  text(0);
  EXPECT_TRUE(it.pass_on(*view, other));
  fill(1, {});
  text(0);
  it.take_changed_views();
  text(0);
  EXPECT_FALSE(it.pass_on(*view, other));
  fill(0, {"a__2"});
  EXPECT_EQ(it.take_changed_views().size(), 2U) << "it counts as served";
}

TEST_F(a_catalogue, asks_for_what_was_invalidated_before_it_compares) {
  const auto nobody = [](std::size_t) { return false; };
  fill(0, {"a__1"});
  fill(1, {"b__1"});
  text(0);
  it.sources().cache().invalidate(0);
  EXPECT_TRUE(it.take_changed_views().empty()) << "it may be what it was";
  std::vector<wanted> want;
  it.ask_unknown(t, want, nobody);
  ASSERT_EQ(want.size(), 1U);
  EXPECT_EQ(want[0].upstream, 0U);
  it.ask_unknown(t, want, nobody);
  EXPECT_EQ(want.size(), 1U) << "once";
  it.sources().cache().failed(0, want[0].fill, "", t);
  EXPECT_EQ(it.take_changed_views().size(), 1U) << "now it is known";
  it.ask_unknown(t + 10s, want, nobody);
  EXPECT_EQ(want.size(), 1U);
}

TEST_F(a_catalogue, compares_only_when_something_came) {
  fill(0, {"a__1"});
  fill(1, {});
  text(0);
  EXPECT_TRUE(it.moved());
  EXPECT_TRUE(it.take_changed_views().empty());
  EXPECT_FALSE(it.moved());
  std::vector<wanted> want;
  it.prepare(view, t + 31s, want);
  ASSERT_EQ(want.size(), 2U);
  auto same = std::make_shared<mcp::item_list>(1, mcp::list_item{"a__1", "\"a__1\""});
  it.sources().cache().filled(0, it.sources().cache().fill_of(0), same, t + 31s, 30s);
  EXPECT_FALSE(it.moved()) << "it is as it was";
  EXPECT_EQ(it.list(view).at(0)->head, it.list(view).at(0)->head);
}

TEST_F(a_catalogue, takes_from_the_shared_one_what_is_not_its_own) {
  fill(0, {"a__1"});
  fill(1, {"b__1"});
  catalogue mine(mcp::list_kind::tools, document, &it);
  std::vector<wanted> want;
  EXPECT_TRUE(mine.prepare(view, t, want));
  EXPECT_TRUE(want.empty());
  EXPECT_TRUE(mine.sources().own(1));
  EXPECT_FALSE(mine.sources().own(1));
  EXPECT_FALSE(mine.prepare(view, t, want));
  ASSERT_EQ(want.size(), 1U);
  EXPECT_EQ(want[0].upstream, 1U);
  EXPECT_FALSE(want[0].shared);
  auto own = std::make_shared<mcp::item_list>(1, mcp::list_item{"b__2", "\"b__2\""});
  mine.sources().cache().filled(1, want[0].fill, own, t, 30s);
  EXPECT_EQ(*mine.list(view).at(0)->head, R"({"tools":["a__1","b__2"])");
  EXPECT_EQ(text(0), R"({"tools":["a__1","b__1"])");
  mine.sources().share(1);
  EXPECT_EQ(*mine.list(view).at(0)->head, R"({"tools":["a__1","b__1"])");
}

TEST_F(a_catalogue, of_a_client_keeps_the_lists_that_come_over_its_session) {
  auto parsed = config::load(R"({"upstreams":[
    {"id":"a","url":"http://a.test/mcp","namespace":"a"},
    {"id":"b","url":"http://b.test/mcp","namespace":"b","listsPerClient":true}]})");
  document = config::compile(std::move(parsed.doc));
  view = document->policy.make_view(nullptr, nullptr, 1);
  catalogue shared(mcp::list_kind::tools, document, nullptr, true);
  catalogue callers(mcp::list_kind::tools, document, &shared);
  catalogue clients(mcp::list_kind::tools, document, &shared, false, nullptr, true);
  EXPECT_TRUE(shared.sources().keeps(0) && shared.sources().keeps(1));
  EXPECT_FALSE(callers.sources().keeps(0) || callers.sources().keeps(1));
  EXPECT_FALSE(clients.sources().keeps(0));
  EXPECT_TRUE(clients.sources().keeps(1));
}

TEST_F(a_catalogue, looks_at_the_cache_again_when_the_first_entry_expires) {
  fill(0, {"a__1"});
  fill(1, {"b__1"});
  std::vector<wanted> want;
  EXPECT_TRUE(it.prepare(view, t, want));
  EXPECT_TRUE(want.empty());
  EXPECT_TRUE(it.prepare(view, t + 30s, want)) << "stale serves";
  EXPECT_EQ(want.size(), 2U);
}

TEST_F(a_catalogue, knows_who_owns_a_name_and_whose_template_a_uri_fits) {
  fill(0, {"x", "t://{id}"});
  fill(1, {"x", "y", "u://{id}"});
  EXPECT_EQ(it.list(view).owner("x"), 0U);
  EXPECT_EQ(it.list(view).owner("y"), 1U);
  EXPECT_FALSE(it.list(view).owner("z"));
  EXPECT_EQ(it.list(view).owner_by_template("t://1"), 0U);
  EXPECT_EQ(it.list(view).owner_by_template("u://1"), 1U);
  EXPECT_FALSE(it.list(view).owner_by_template("v://1"));
}

TEST_F(a_catalogue, templates_without_number_do_not_hide_those_of_others) {
  std::vector<std::string> hostile;
  for (int i = 0; i < 3000; ++i)
    hostile.push_back("t://" + std::string(500, '-') + "{+a}x{+b}" + std::to_string(i));
  for (auto& h : hostile) h.insert(4, "{+c}");
  fill(0, hostile);
  fill(1, {"t://{+any}"});
  EXPECT_EQ(it.list(view).owner_by_template("t://" + std::string(8000, 'x')), 1U);
}

}  // namespace
}  // namespace gate::federation
