#include "actors/guards/rate_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace gate::guards {
namespace {

using namespace std::chrono_literals;

rate_scope limit_of_all(std::int64_t limit) {
  return {{}, limit};
}
rate_scope limit_of_tenant(std::string name, std::int64_t limit) {
  return {{scope::tenant, std::move(name)}, limit};
}
rate_scope principal(std::uint64_t number, std::int64_t limit) {
  return {{scope::principal, {}, number}, limit};
}
rate_scope limit_of_upstream(std::string name, std::int64_t limit) {
  return {{scope::upstream, std::move(name)}, limit};
}

struct a_rate_table : ::testing::Test {
  rate_table::answer ask(std::vector<rate_scope> scopes) { return it.admit(scopes, t); }
  int admitted(int tries, const std::vector<rate_scope>& scopes) {
    int out = 0;
    for (int i = 0; i < tries; ++i) out += it.admit(scopes, t).yes;
    return out;
  }
  rate_table it{100};
  rate_table::time_point t{1h};
};

TEST_F(a_rate_table, lets_in_what_has_no_scope) {
  EXPECT_EQ(admitted(100, {}), 100);
  EXPECT_EQ(it.size(), 0U);
}

TEST_F(a_rate_table, keeps_kinds_names_and_numbers_apart) {
  for (const auto& s : {limit_of_all(1), limit_of_tenant("a", 1), limit_of_tenant("b", 1),
                        limit_of_upstream("a", 1), principal(1, 1), principal(2, 1)})
    EXPECT_EQ(admitted(3, {s}), 1);
  EXPECT_EQ(it.size(), 6U);
}

TEST_F(a_rate_table, takes_a_scope_that_is_named_twice_for_two) {
  const std::vector twice{principal(1, 5), principal(1, 5)};
  EXPECT_EQ(admitted(9, twice), 3);
  EXPECT_EQ(it.size(), 1U);
  t += 120s;
  ask({});
  EXPECT_EQ(it.size(), 0U);
}

TEST_F(a_rate_table, charges_all_scopes_or_none) {
  EXPECT_EQ(admitted(10, {limit_of_all(5), limit_of_tenant("a", 3), principal(1, 2)}), 2);
  EXPECT_EQ(admitted(10, {limit_of_all(5), limit_of_tenant("a", 3), principal(2, 2)}), 1)
      << "the tenant's";
  EXPECT_EQ(admitted(10, {limit_of_all(5), limit_of_tenant("b", 3), principal(2, 2)}), 1)
      << "what was refused was not charged to the principal";
  EXPECT_EQ(admitted(10, {limit_of_all(5), limit_of_tenant("b", 3), principal(3, 2)}), 1)
      << "the server's";
  EXPECT_EQ(admitted(10, {limit_of_tenant("c", 3), limit_of_all(5)}), 0);
  EXPECT_EQ(admitted(10, {limit_of_tenant("c", 3)}), 3) << "of which nothing was charged";
}

TEST_F(a_rate_table, keeps_no_window_of_whom_it_refuses) {
  EXPECT_EQ(admitted(1, {limit_of_all(1)}), 1);
  const auto before = it.size();
  EXPECT_EQ(admitted(10, {principal(1, 5), limit_of_all(1)}), 0);
  EXPECT_EQ(it.size(), before);
}

TEST_F(a_rate_table, tells_of_the_first_scope_without_room) {
  EXPECT_EQ(admitted(4, {limit_of_tenant("a", 4)}), 4);
  t += 30s;
  EXPECT_EQ(admitted(2, {principal(1, 2)}), 2);
  auto no = ask({limit_of_all(9), limit_of_tenant("a", 4), principal(1, 2)});
  EXPECT_FALSE(no.yes);
  EXPECT_EQ(no.refused_by, 1U);
  EXPECT_EQ(no.retry_after, 45s) << "30 s of this minute, and 4 fade to 3";
  no = ask({limit_of_all(9), principal(1, 2), limit_of_tenant("a", 4)});
  EXPECT_EQ(no.refused_by, 1U);
  EXPECT_EQ(no.retry_after, 60s) << "30 s of this minute, and 2 fade to 1";
}

TEST_F(a_rate_table, takes_each_limit_as_the_question_has_it) {
  EXPECT_EQ(admitted(5, {limit_of_tenant("a", 3)}), 3);
  EXPECT_EQ(admitted(5, {limit_of_tenant("a", 5)}), 2);
  EXPECT_EQ(admitted(5, {limit_of_tenant("a", 4)}), 0);
}

TEST_F(a_rate_table, forgets_what_counts_no_more_a_little_with_every_question) {
  for (std::uint64_t i = 0; i < 100; ++i) ask({principal(i, 5)});
  EXPECT_EQ(it.size(), 100U);
  t += 119s;
  ask({limit_of_all(1000)});
  EXPECT_EQ(it.size(), 101U) << "nothing is idle yet";
  t += 1s;
  for (int i = 0; i < 10; ++i) ask({limit_of_all(1000)});
  EXPECT_EQ(it.size(), 81U) << "two with each";
  for (int i = 0; i < 40; ++i) ask({limit_of_all(1000)});
  EXPECT_EQ(it.size(), 1U);
}

TEST_F(a_rate_table, forgets_nothing_that_still_counts) {
  for (int minute = 0; minute < 10; ++minute, t += 1min)
    EXPECT_EQ(admitted(100, {limit_of_tenant("a", 10), principal(7, 10)}), minute % 2 == 0 ? 10 : 0)
        << "at its end a minute counts whole, and a minute later no more";
}

TEST_F(a_rate_table, forgets_the_oldest_and_not_the_one_at_hand) {
  ask({limit_of_tenant("a", 5)});
  ask({limit_of_tenant("b", 5)});
  t += 119s;
  ask({limit_of_tenant("a", 5)});
  t += 1s;
  EXPECT_EQ(admitted(9, {limit_of_tenant("a", 5)}), 4) << "of which one came a second ago";
  EXPECT_EQ(it.size(), 1U) << "b";
}

TEST_F(a_rate_table, that_is_full_lets_others_in_uncounted_and_tells_once) {
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_FALSE(ask({principal(i, 1)}).overflows);
  EXPECT_TRUE(ask({principal(500, 1)}).overflows);
  for (int i = 0; i < 10; ++i) {
    const auto a = ask({principal(500, 1)});
    EXPECT_TRUE(a.yes);
    EXPECT_FALSE(a.overflows) << "has been told";
  }
  EXPECT_EQ(admitted(5, {principal(0, 1)}), 0) << "who is counted goes on being counted";
  EXPECT_EQ(admitted(5, {limit_of_all(3), limit_of_tenant("new", 9), principal(501, 1)}), 3)
      << "whom the configuration names is always counted";
}

TEST_F(a_rate_table, that_was_full_tells_again_when_a_tenth_had_been_free) {
  for (std::uint64_t i = 0; i < 100; ++i) ask({principal(i, 1)});
  EXPECT_TRUE(ask({principal(500, 1)}).overflows);
  t += 120s;
  // Each question frees two and takes one, so the table is never far from full for a while.
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_FALSE(ask({principal(600 + i, 1)}).overflows);
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_FALSE(ask({}).overflows);
  EXPECT_LT(it.size(), 90U);
  for (std::uint64_t i = 0; it.size() < 100; ++i) ask({principal(700 + i, 1)});
  EXPECT_TRUE(ask({principal(900, 1)}).overflows);
}

TEST(the_hash_of_scopes, parts_them) {
  std::set<std::size_t> seen;
  std::size_t all = 0;
  const auto add = [&](const scope_key& k) {
    seen.insert(scope_hash{}(k));
    ++all;
  };
  add({});
  for (std::uint64_t i = 1; i <= 10'000; ++i) {
    add({scope::principal, {}, i});
    add({scope::principal, {}, i << 32});
    add({scope::tenant, "t" + std::to_string(i)});
    add({scope::upstream, "t" + std::to_string(i)});
  }
  EXPECT_EQ(seen.size(), all);
}

/// Windows that are never forgotten, in the plainest of containers.
TEST(a_rate_table_among_many, answers_as_if_it_forgot_nothing) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 dice(seed);
    const auto draw = [&dice](std::uint64_t most) { return dice() % (most + 1); };
    rate_table it(1000);
    std::map<std::string, sliding_window> model;
    rate_table::time_point t{1h};
    for (int i = 0; i < 3000; ++i) {
      t += std::chrono::milliseconds{draw(20) == 0 ? draw(90'000) : draw(300)};
      std::vector<rate_scope> scopes;
      if (draw(1) != 0) scopes.push_back(limit_of_all(60));
      if (draw(1) != 0) scopes.push_back(limit_of_tenant(std::string(1, char('a' + draw(3))), 20));
      if (draw(1) != 0) scopes.push_back(principal(draw(30), 1 + static_cast<int>(draw(4))));
      const auto window_of = [&model](const scope_key& k) -> sliding_window& {
        return model[std::to_string(int(k.what)) + k.name + '/' + std::to_string(k.number)];
      };
      rate_table::answer expected;
      for (std::size_t s = 0; s < scopes.size() && expected.yes; ++s) {
        const auto& w = window_of(scopes[s].key);
        if (w.has_room(scopes[s].per_minute, t)) continue;
        expected = {false, s, w.retry_after(scopes[s].per_minute, t), false};
      }
      if (expected.yes)
        for (const auto& s : scopes) window_of(s.key).take(t);
      const auto looked = it.look(scopes, t);
      const auto a = it.admit(scopes, t);
      ASSERT_EQ(looked.yes, a.yes);
      ASSERT_EQ(looked.refused_by, a.refused_by);
      ASSERT_EQ(a.yes, expected.yes) << "seed " << seed << ", step " << i;
      ASSERT_EQ(a.refused_by, expected.refused_by);
      ASSERT_EQ(a.retry_after, expected.retry_after);
      ASSERT_FALSE(a.overflows);
    }
    EXPECT_LT(it.size(), model.size());
  }
}

}  // namespace
}  // namespace gate::guards
