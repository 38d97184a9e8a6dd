#include "actors/federation/list_sources.hpp"

#include <gtest/gtest.h>

#include "config/validate.hpp"

namespace gate::federation {
namespace {

using namespace std::chrono_literals;

struct sources_of_lists : ::testing::Test {
  static list_sources::snapshot_ptr snapshot(std::string_view upstreams) {
    auto parsed = config::load(R"({"upstreams":[)" + std::string(upstreams) + "]}");
    for (const auto& p : parsed.problems) ADD_FAILURE() << config::to_line(p);
    return config::compile(std::move(parsed.doc));
  }
  static constexpr std::string_view two =
      R"({"id":"a","url":"http://a.test/mcp","namespace":"a"},
         {"id":"b","url":"http://b.test/mcp","namespace":"b","listsPerClient":true})";

  /// The list of upstream `i`, where it is kept.
  void fill(list_sources& at, std::size_t i) {
    auto& cache = at.cache_of(i);
    std::vector<wanted> want;
    at.ask(*document->at(i), t, want);
    ASSERT_EQ(want.size(), 1U);
    auto one = std::make_shared<mcp::item_list>(1, mcp::list_item{"x", R"("x")"});
    cache.filled(i, want[0].fill, one, t, 30s);
  }

  list_sources::snapshot_ptr document = snapshot(two);
  list_sources shared{document, {}, nullptr};
  list_sources callers{document, {.shared = &shared}, nullptr};
  list_sources clients{document, {.shared = &shared, .clients = true}, nullptr};
  time_point t{1h};
};

TEST_F(sources_of_lists, are_the_shared_ones_but_for_what_is_own) {
  for (const std::size_t i : {0, 1}) {
    EXPECT_TRUE(shared.keeps(i)) << i;
    EXPECT_FALSE(callers.keeps(i)) << i;
    EXPECT_EQ(&callers.cache_of(i), &shared.cache()) << i;
    EXPECT_EQ(clients.keeps(i), i == 1) << "listsPerClient: " << i;
  }
  EXPECT_FALSE(callers.owns_any());
  EXPECT_TRUE(callers.own(0));
  EXPECT_FALSE(callers.own(0)) << "it was before";
  EXPECT_TRUE(callers.owns_any() && callers.keeps(0) && !callers.keeps(1));
  callers.share(0);
  EXPECT_FALSE(callers.owns_any() || callers.keeps(0));
}

TEST_F(sources_of_lists, that_depend_on_callers_are_not_asked_for_everybody) {
  const list_sources everybodys(document, {.everybodys = true}, nullptr);
  config::compiled_upstream u;
  EXPECT_TRUE(everybodys.asks(u));
  u.per_caller = true;
  EXPECT_FALSE(everybodys.asks(u));
  EXPECT_TRUE(callers.asks(u));
}

TEST_F(sources_of_lists, say_for_whose_cache_a_fetch_is) {
  std::vector<wanted> want;
  clients.ask(*document->at(0), t, want);
  clients.ask(*document->at(1), t, want);
  ASSERT_EQ(want.size(), 2U);
  EXPECT_TRUE(want[0].upstream == 0 && want[0].shared);
  EXPECT_TRUE(want[1].upstream == 1 && !want[1].shared);
  EXPECT_TRUE(clients.awaits(0) && clients.awaits(1));
  EXPECT_TRUE(shared.awaits(0) && !shared.awaits(1));
  EXPECT_FALSE(clients.awaits(7)) << "there is no such upstream";
}

TEST_F(sources_of_lists, count_changes_of_both) {
  const auto version = callers.version(), doubts = callers.doubts();
  fill(shared, 0);
  EXPECT_GT(callers.version(), version);
  EXPECT_GT(callers.doubts(), doubts);
  const auto then = callers.version();
  callers.own(1);
  fill(callers, 1);
  EXPECT_GT(callers.version(), then);
  EXPECT_EQ(shared.version(), then) << "which is no concern of others";
}

TEST_F(sources_of_lists, know_what_was_listed) {
  EXPECT_EQ(callers.listed(0), nullptr);
  fill(shared, 0);
  ASSERT_TRUE(callers.listed(0));
  EXPECT_EQ(callers.listed(0)->items->size(), 1U);
  EXPECT_EQ(callers.listed(9), nullptr);
  std::vector<wanted> want;
  EXPECT_TRUE(callers.prepare_one(0, t, want)) << "it is there";
  EXPECT_FALSE(callers.prepare_one(1, t, want));
  EXPECT_EQ(want.size(), 1U);
  EXPECT_TRUE(callers.prepare_one(9, t, want)) << "nothing to wait for";
}

TEST_F(sources_of_lists, give_up_on_both) {
  std::vector<wanted> want;
  clients.ask(*document->at(0), t, want);
  clients.ask(*document->at(1), t, want);
  EXPECT_TRUE(clients.give_up_waiting(t - 1s).empty());
  auto late = clients.give_up_waiting(t);
  std::ranges::sort(late);
  EXPECT_EQ(late, (std::vector<std::size_t>{0, 1}));
  EXPECT_FALSE(clients.awaits(0) || clients.awaits(1));
}

TEST_F(sources_of_lists, forget_upstreams_that_are_gone) {
  fill(shared, 0);
  callers.own(1);
  fill(callers, 1);
  const auto one = snapshot(R"({"id":"a","url":"http://a.test/mcp","namespace":"a"})");
  shared.adopt(one);
  callers.adopt(one);
  EXPECT_TRUE(callers.listed(0)) << "it stays";
  EXPECT_EQ(callers.listed(1), nullptr);
  EXPECT_FALSE(callers.owns_any());
  EXPECT_EQ(callers.cache().size(), 0U);
}

}  // namespace
}  // namespace gate::federation
