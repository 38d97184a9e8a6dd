#include "actors/federation/list_cache.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"

namespace gate::federation {
namespace {

using namespace std::chrono_literals;
using taken = list_cache::taken;

mcp::shared_items items(std::string name) {
  auto all = std::make_shared<mcp::item_list>();
  all->push_back({name, "{\"name\":\"" + name + "\"}"});
  return all;
}

struct a_list_cache : ::testing::Test {
  list_cache cache;
  time_point t{1h};
  std::optional<std::chrono::milliseconds> ttl{30s};

  list_cache::look ask() { return cache.ask(0, t, ttl); }
  bool anybody_waits() const { return cache.waits_for(0) || cache.waits_for(1); }
  taken fill(std::uint64_t number, const char* name) {
    return cache.filled(0, number, items(name), t, ttl);
  }
};

TEST_F(a_list_cache, fetches_what_it_has_not_once_for_all_that_ask) {
  const auto first = ask(), second = ask();
  EXPECT_TRUE(first.fetch && first.wait);
  EXPECT_FALSE(second.fetch);
  EXPECT_TRUE(second.wait);
  EXPECT_TRUE(anybody_waits());
  EXPECT_EQ(fill(first.fill, "x"), taken::yes);
  EXPECT_FALSE(anybody_waits());
  EXPECT_EQ(ask().items->front().key, "x");
}

TEST_F(a_list_cache, serves_the_old_list_while_the_new_one_comes) {
  fill(ask().fill, "old");
  t += 30s - 1ns;
  EXPECT_FALSE(ask().fetch);
  t += 1ns;
  const auto late = ask();
  EXPECT_TRUE(late.fetch && late.items && !late.wait);
  EXPECT_FALSE(ask().fetch);
  fill(late.fill, "new");
  EXPECT_EQ(ask().items->front().key, "new");
}

TEST_F(a_list_cache, keeps_what_it_has_for_another_time) {
  fill(ask().fill, "x");
  cache.keep_for(0, 30s, 10s);
  EXPECT_EQ(cache.fresh_until(0), t + 10s);
  cache.keep_for(0, 10s, 20s);
  EXPECT_EQ(cache.fresh_until(0), t + 20s);
  cache.keep_for(0, 20s, {});
  EXPECT_EQ(cache.fresh_until(0), time_point{});
  cache.keep_for(0, {}, 20s);
  EXPECT_EQ(cache.fresh_until(0), time_point{}) << "nobody knows how old it is";
  cache.keep_for(1, 20s, 30s);
  EXPECT_EQ(cache.fresh_until(1), time_point{}) << "there is nothing";
}

TEST_F(a_list_cache, remembers_who_refused_until_it_is_asked_for_again) {
  const auto no = std::make_shared<const refusal>();
  cache.failed(0, ask().fill, "", t, no);
  EXPECT_EQ(cache.refused(0), no);
  ask();
  EXPECT_EQ(cache.refused(0), no);
  t += limits::failed_fill;
  EXPECT_TRUE(ask().fetch);
  EXPECT_FALSE(cache.refused(0));
}

TEST_F(a_list_cache, drops_the_old_list_when_its_refresh_fails) {
  fill(ask().fill, "old");
  t += 30s;
  EXPECT_EQ(cache.failed(0, ask().fill, "", t), taken::yes);
  const auto look = ask();
  EXPECT_FALSE(look.items || look.fetch || look.wait);
}

TEST_F(a_list_cache, remembers_a_failure_for_a_second) {
  cache.failed(0, ask().fill, "no", t);
  EXPECT_EQ(cache.error(0), "no");
  t += limits::failed_fill - 1ns;
  EXPECT_FALSE(ask().fetch);
  t += 1ns;
  EXPECT_TRUE(ask().fetch);
  EXPECT_EQ(cache.error(1), "");
}

TEST_F(a_list_cache, keeps_nothing_without_a_ttl) {
  ttl.reset();
  fill(ask().fill, "x");
  EXPECT_NE(cache.items(0), nullptr) << "for those who waited";
  const auto next = ask();
  EXPECT_TRUE(next.fetch && next.wait && !next.items);
  EXPECT_EQ(cache.items(0), nullptr);
}

TEST_F(a_list_cache, never_serves_what_was_invalidated) {
  fill(ask().fill, "old");
  const auto before = cache.version();
  cache.invalidate(0);
  EXPECT_NE(cache.version(), before);
  const auto look = ask();
  EXPECT_TRUE(look.fetch && look.wait && !look.items);
}

TEST_F(a_list_cache, fetches_once_more_when_the_list_changed_under_the_fetch) {
  const auto first = ask();
  cache.invalidate(0);
  EXPECT_TRUE(anybody_waits());
  EXPECT_EQ(fill(first.fill, "maybe old"), taken::again);
  EXPECT_TRUE(anybody_waits());
  EXPECT_EQ(fill(first.fill, "?"), taken::unexpected);
  EXPECT_EQ(fill(cache.fill_of(0), "new"), taken::yes);
  EXPECT_EQ(ask().items->front().key, "new");
}

TEST_F(a_list_cache, an_upstream_that_changes_with_every_fetch_is_served_all_the_same) {
  const auto first = ask();
  cache.invalidate(0);
  fill(first.fill, "1");
  cache.invalidate(0);
  EXPECT_EQ(fill(cache.fill_of(0), "2"), taken::yes);
  EXPECT_FALSE(anybody_waits());
  const auto look = ask();
  EXPECT_EQ(look.items->front().key, "2");
  EXPECT_TRUE(look.fetch) << "stale from the start";
}

TEST_F(a_list_cache, one_that_hangs_is_waited_for_once_and_welcome_when_it_comes) {
  const auto first = ask();
  cache.give_up_waiting(t);
  EXPECT_FALSE(anybody_waits());
  EXPECT_FALSE(ask().wait);
  cache.failed(0, first.fill, "", t);
  t += 1min;
  const auto again = ask();
  EXPECT_TRUE(again.fetch);
  EXPECT_FALSE(again.wait) << "it is late until it delivers";
  fill(again.fill, "x");
  t += 30s;
  cache.invalidate(0);
  EXPECT_TRUE(ask().wait) << "it has delivered";
}

TEST_F(a_list_cache, a_suspect_is_served_while_it_is_looked_after) {
  fill(ask().fill, "old");
  cache.suspect(0);
  const auto look = ask();
  EXPECT_TRUE(look.items && look.fetch && !look.wait);
}

TEST_F(a_list_cache, knows_that_a_dead_upstream_owes_nothing) {
  const auto first = ask();
  cache.lost(0, t);
  EXPECT_FALSE(anybody_waits());
  EXPECT_EQ(fill(first.fill, "ghost"), taken::unexpected);
  cache.lost(1, t);
  EXPECT_TRUE(cache.ask(1, t, ttl).fetch);
}

TEST_F(a_list_cache, asks_once_more_for_what_is_wanted_of_a_dead_upstream) {
  const auto first = ask();
  ASSERT_TRUE(cache.lost(0, t, true));
  const auto again = cache.fill_of(0);
  EXPECT_NE(again, first.fill);
  EXPECT_TRUE(anybody_waits());
  EXPECT_EQ(fill(first.fill, "ghost"), taken::unexpected);
  EXPECT_FALSE(cache.lost(0, t, true)) << "but not a third time";
  EXPECT_FALSE(anybody_waits());
  EXPECT_FALSE(cache.lost(0, t, true)) << "nobody is being asked";
  t += 1min;
  const auto next = ask();
  EXPECT_TRUE(next.fetch);
  ASSERT_TRUE(cache.lost(0, t, true)) << "that is another fetch";
  EXPECT_EQ(fill(cache.fill_of(0), "x"), taken::yes);
}

TEST_F(a_list_cache, a_list_that_comes_as_it_was_changes_nothing) {
  fill(ask().fill, "x");
  const auto version = cache.version();
  const auto before = cache.items(0);
  t += 30s;
  fill(ask().fill, "x");
  EXPECT_EQ(cache.version(), version);
  EXPECT_EQ(cache.items(0), before);
  EXPECT_FALSE(ask().fetch) << "and is fresh again";
  t += 30s;
  fill(ask().fill, "y");
  EXPECT_NE(cache.version(), version);
  EXPECT_NE(cache.items(0), before);
}

TEST_F(a_list_cache, what_stands_beside_a_list_is_no_other_list_but_another_version) {
  const auto say = [&](const char* members) {
    const mcp::list_rest says{members, false, {}};
    auto rest = *members ? std::make_shared<const mcp::list_rest>(says) : mcp::shared_rest{};
    t += 30s;
    cache.filled(0, ask().fill, items("x"), t, ttl, std::move(rest));
    return cache.version();
  };
  const auto none = say("");
  EXPECT_EQ(cache.listed(0).rest, nullptr);
  const auto one = say(",1");
  EXPECT_NE(one, none);
  const auto before = cache.listed(0);
  EXPECT_EQ(before.rest->members, ",1");
  EXPECT_EQ(say(",1"), one);
  EXPECT_EQ(cache.listed(0).rest, before.rest);
  EXPECT_NE(say(",2"), one);
  EXPECT_EQ(cache.items(0), before.items);
  EXPECT_EQ(cache.listed(0).digests, before.digests);
  say("");
  EXPECT_EQ(cache.listed(0).rest, nullptr);
  say(",3");
  cache.invalidate(0);
  EXPECT_EQ(cache.listed(0).rest, nullptr);
}

TEST_F(a_list_cache, a_list_that_holds_less_long_is_the_same_version) {
  const auto fill_again = [&](std::chrono::milliseconds holds, const char* members) {
    auto rest =
        std::make_shared<const mcp::list_rest>(mcp::list_rest{members, false, {}, {holds, true}});
    t += 30s;
    cache.filled(0, ask().fill, items("x"), t, ttl, std::move(rest));
    return cache.version();
  };
  const auto version = fill_again(9s, "");
  const auto holds = cache.holds();
  EXPECT_EQ(fill_again(8s, ""), version);
  EXPECT_NE(cache.holds(), holds);
  EXPECT_EQ(cache.listed(0).rest->caching.ttl, 8s);
  EXPECT_NE(fill_again(8s, ",1"), version);
}

TEST_F(a_list_cache, lists_that_are_equal_are_kept_once) {
  list_cache pooled(std::make_shared<item_pool>());
  for (const std::size_t i : {0U, 1U})
    pooled.filled(i, pooled.ask(i, t, ttl).fill, items("x"), t, ttl);
  EXPECT_EQ(pooled.items(0), pooled.items(1));
}

TEST_F(a_list_cache, one_that_failed_is_not_waited_for_until_it_delivers) {
  cache.failed(0, ask().fill, "no", t);
  t += 1s;
  const auto again = ask();
  EXPECT_TRUE(again.fetch && again.hope);
  EXPECT_FALSE(again.wait || anybody_waits());
  EXPECT_TRUE(cache.hopes_for(0));
  fill(again.fill, "x");
  EXPECT_FALSE(cache.hopes_for(0));
  cache.invalidate(0);
  EXPECT_TRUE(ask().wait);
}

TEST_F(a_list_cache, one_that_a_guard_refused_is_waited_for) {
  cache.failed(0, ask().fill, "", t, std::make_shared<const refusal>());
  t += 1s;
  EXPECT_TRUE(ask().wait);
}

TEST_F(a_list_cache, one_that_failed_is_looked_for_less_and_less_often) {
  std::vector<std::chrono::seconds> pauses;
  EXPECT_TRUE(cache.take_due(t + 1h).empty());
  for (int i = 0; i < 8; ++i) {
    cache.failed(0, ask().fill, "", t);
    const auto failed = t;
    while (cache.take_due(t).empty()) t += 1s;
    pauses.push_back(std::chrono::duration_cast<std::chrono::seconds>(t - failed));
    EXPECT_TRUE(cache.take_due(t).empty()) << "once a failure";
  }
  EXPECT_EQ(pauses, (std::vector<std::chrono::seconds>{1s, 2s, 4s, 8s, 16s, 30s, 30s, 30s}));
  fill(ask().fill, "x");
  EXPECT_TRUE(cache.take_due(t + 1h).empty());
  t += 1h;
  cache.failed(0, ask().fill, "", t);
  EXPECT_EQ(cache.take_due(t + 1s), std::vector<std::size_t>{0}) << "it begins anew";
}

TEST_F(a_list_cache, says_until_when_all_is_fresh) {
  EXPECT_EQ(std::min(cache.fresh_until(0), cache.fresh_until(1)), time_point{});
  fill(ask().fill, "x");
  EXPECT_EQ(std::min(cache.fresh_until(0), cache.fresh_until(1)), time_point{})
      << "the other one is empty";
  cache.filled(1, cache.ask(1, t, 5s).fill, items("y"), t, 5s);
  EXPECT_EQ(std::min(cache.fresh_until(0), cache.fresh_until(1)), t + 5s);
}

TEST(list_caches, take_memory_only_for_what_is_kept_there) {
  list_cache c;
  for (std::size_t i = 0; i < 300; ++i) {
    c.suspect(i);
    c.lost(i, time_point{1h});
    c.keep_for(i, 1s, 2s);
    c.forget(i);
    EXPECT_EQ(c.filled(i, 1, nullptr, time_point{1h}, 1s), taken::unexpected);
    EXPECT_EQ(c.failed(i, 1, {}, time_point{1h}), taken::unexpected);
    EXPECT_FALSE(c.take_missed(i));
    EXPECT_TRUE(c.unknown(i));
  }
  EXPECT_EQ(c.size(), 0U);
  c.ask(7, time_point{1h}, 1s);
  EXPECT_EQ(c.size(), 1U);
}

TEST(list_caches, know_what_their_items_take) {
  list_cache c;
  const auto list = [&](std::size_t i, std::size_t length) {
    const auto look = c.ask(i, time_point{1h}, 1s);
    mcp::item_list items(1);
    items[0].raw = std::string(length, 'x');
    c.filled(i, look.fill, std::make_shared<const mcp::item_list>(std::move(items)), time_point{1h},
             0s);
  };
  list(0, 1000);
  const auto one = c.bytes();
  EXPECT_GE(one, 1000U);
  list(1, 1000);
  EXPECT_EQ(c.bytes(), 2 * one);
  list(1, 2000);
  EXPECT_EQ(c.bytes(), 2 * one + 1000);
  c.forget(0);
  c.invalidate(1);
  EXPECT_EQ(c.bytes(), 0U);
}

// --- missed --------------------------------------------------------------------------------------

struct missed : ::testing::Test {
  list_cache c;
  time_point t{1h};

  void fail(std::shared_ptr<const refusal> no = nullptr) {
    const auto look = c.ask(0, t, 1s);
    ASSERT_TRUE(look.fetch);
    c.failed(0, look.fill, {}, t, std::move(no));
  }
  /// When it is due again, in seconds.
  std::int64_t due() {
    for (int s = 1; s <= 1000; ++s)
      if (!c.take_due(t += 1s).empty()) return s;
    return -1;
  }
};

TEST_F(missed, is_announced_once_when_it_answers) {
  fail();
  EXPECT_FALSE(c.take_missed(0)) << "nobody has looked yet";
  EXPECT_EQ(due(), 1);
  c.miss(0, t);
  EXPECT_TRUE(c.take_missed(0));
  EXPECT_FALSE(c.take_missed(0));
  c.miss(0, t);
  c.put_off(0, t);
  EXPECT_FALSE(c.take_missed(0));
  c.miss(0, t);
  EXPECT_TRUE(c.ask(0, t, 1s).fetch);
  EXPECT_FALSE(c.take_missed(0)) << "somebody asks already";
}

TEST_F(missed, is_left_alone_for_longer_once_it_was_announced_in_vain) {
  fail();
  for (int i = 0; i < 10; ++i) {
    due();
    c.put_off(0, t);
  }
  EXPECT_EQ(due(), 30);
  c.announced(0);
  fail(std::make_shared<refusal>());
  EXPECT_EQ(due(), 30) << "what a limit refuses says nothing of the server";
  c.announced(0);
  fail();
  EXPECT_EQ(due(), 64) << "however long it was away before";
  for (int i = 0; i < 3; ++i) fail(), t += 1s;
  EXPECT_EQ(due(), 299);
  const auto look = c.ask(0, t, 1s);
  c.filled(0, look.fill, std::make_shared<mcp::item_list>(), t, 1s);
  t += 2s;
  for (int i = 0; i < 10; ++i) fail(), t += 1s;
  EXPECT_LE(due(), 30) << "it had delivered";
}

TEST_F(missed, stays_announced_while_a_limit_refuses_it) {
  fail();
  for (int i = 0; i < 10; ++i) {
    due();
    c.put_off(0, t);
  }
  c.announced(0);
  fail(std::make_shared<refusal>());
  t += 2s;
  fail();
  EXPECT_EQ(due(), 64) << "the server itself has failed whom it was announced to";
  for (int i = 0; i < 5; ++i) {
    fail(std::make_shared<refusal>());
    EXPECT_LE(due(), 64) << "what a limit refuses lengthens nothing";
    c.put_off(0, t, true);
    EXPECT_LE(due(), 64) << "nor that it still does";
  }
  fail();
  EXPECT_EQ(due(), 128);
}

TEST_F(missed, a_refusal_counts_as_long_as_pauses_are_usual) {
  for (const int pause : {1, 2, 4, 8, 16, 30, 30}) {
    fail(std::make_shared<refusal>());
    EXPECT_EQ(due(), pause);
  }
}

TEST_F(missed, is_not_due_before_a_limit_lets_it_through) {
  refusal no;
  no.retry_after_ms = 90'000;
  fail(std::make_shared<refusal>(no));
  EXPECT_EQ(due(), 90);
}

}  // namespace
}  // namespace gate::federation
