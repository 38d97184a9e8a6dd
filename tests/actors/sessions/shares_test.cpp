#include "actors/sessions/shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace gate::sessions {
namespace {

constexpr std::size_t places = 3, each = 2;
constexpr std::string_view owners[] = {"a", "b", "c"};

/// The same rules, said once more and without a thought for time.
struct model {
  struct one {
    std::uint64_t session;
    std::string_view owner;
    int used;
    bool busy = false;
  };
  std::vector<one> all;
  std::map<std::string_view, int> heard;
  int time = 0;

  std::size_t count(std::string_view owner) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(all, [&](const one& x) { return x.owner == owner; }));
  }
  one* first(std::string_view owner) {
    one* out = nullptr;
    for (auto& x : all)
      if (x.owner == owner && (!out || x.used < out->used)) out = &x;
    return out;
  }
  one* longest_idle(std::string_view owner) {
    for (auto n = count(owner); n > 0; --n) {
      auto* x = first(owner);
      if (!x->busy) return x;
      x->used = ++time;
    }
    return nullptr;
  }
  std::optional<std::uint64_t> in_the_way(std::string_view owner) {
    if (count(owner) >= each) {
      const auto* x = longest_idle(owner);
      return x ? std::optional(x->session) : std::nullopt;
    }
    if (all.size() < places) return {};
    std::vector<std::string_view> by_rank(std::begin(owners), std::end(owners));
    std::ranges::stable_sort(by_rank, [&](auto l, auto r) {
      return count(l) != count(r) ? count(l) > count(r) : heard[l] < heard[r];
    });
    for (const auto o : by_rank)
      if (const auto* x = longest_idle(o)) return x->session;
    return {};
  }
};

constexpr int choices = 4 * 3;

/// Every owner enters, is heard of, leaves, and is busy, as `choose` says.
template <class Choose>
void tell(int steps, Choose choose) {
  shares table(places, each);
  model m;
  std::map<std::uint64_t, std::unique_ptr<shares::place>> held;
  std::uint64_t next = 1;
  const auto idle = [&](const shares::place& p) {
    return !std::ranges::find(m.all, p.session, &model::one::session)->busy;
  };
  const auto leave = [&](std::uint64_t session) {
    const auto it = std::ranges::find(m.all, session, &model::one::session);
    m.heard[it->owner] = ++m.time;
    m.all.erase(it);
    table.leave(*held.at(session));
    held.erase(session);
  };
  const auto enter = [&](std::string_view owner) {
    const auto expected = m.in_the_way(owner);
    const auto* found = table.in_the_way(owner, idle);
    ASSERT_EQ(found ? std::optional(found->session) : std::nullopt, expected);
    if (found) leave(found->session);
    const bool room = m.all.size() < places && m.count(owner) < each;
    ASSERT_EQ(table.room_for(owner), room);
    if (!room) return;
    auto& p = held[next] = std::make_unique<shares::place>();
    p->session = next;
    table.enter(*p, owner);
    m.all.push_back({next++, owner, ++m.time});
    m.heard[owner] = m.time;
  };
  for (int i = 0; i < steps; ++i) {
    const auto choice = choose();
    const auto owner = owners[choice % 3];
    auto* first = m.first(owner);
    if (choice / 3 == 0) {
      enter(owner);
    } else if (choice / 3 == 1 && first) {
      table.used(*held.at(first->session));
      first->used = m.heard[owner] = ++m.time;
    } else if (choice / 3 == 2 && first) {
      leave(first->session);
    } else if (first) {
      first->busy = !first->busy;
    }
    ASSERT_EQ(table.taken(), m.all.size());
    for (const auto o : owners) ASSERT_EQ(table.count(o), m.count(o));
  }
}

TEST(shares, agree_with_their_rules_in_every_order_of_five_events) {
  for (int story = 0; story < choices * choices * choices * choices * choices; ++story) {
    auto rest = story;
    tell(5, [&] { return std::exchange(rest, rest / choices) % choices; });
    ASSERT_FALSE(HasFatalFailure()) << "story " << story;
  }
}

TEST(shares, agree_with_their_rules_in_long_stories) {
  std::mt19937 random(1);
  for (int story = 0; story < 3000; ++story) {
    tell(60, [&] { return static_cast<int>(random() % choices); });
    ASSERT_FALSE(HasFatalFailure()) << "story " << story;
  }
}

TEST(shares, who_uses_all_its_places_does_not_stand_before_those_who_do_not) {
  shares table(110, 100);
  std::vector<std::unique_ptr<shares::place>> held;
  for (std::uint64_t n = 1; n <= 110; ++n) {
    held.push_back(std::make_unique<shares::place>());
    held.back()->session = n;
    table.enter(*held.back(), n <= 100 ? "busy" : "idle");
  }
  const auto idle = [](const shares::place& p) { return p.session > 100; };
  const auto* found = table.in_the_way("new", idle);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->session, 101U);
}

TEST(shares, look_at_so_many_busy_places_only_and_go_on_behind_them) {
  shares table(1000, 100);
  ASSERT_LT(limits::session_looks, 100U);
  std::vector<std::unique_ptr<shares::place>> held;
  for (std::uint64_t n = 1; n <= 100; ++n) {
    held.push_back(std::make_unique<shares::place>());
    held.back()->session = n;
    table.enter(*held.back(), "a");
  }
  std::size_t looks = 0;
  const auto last_is_idle = [&](const shares::place& p) {
    ++looks;
    return p.session == 100;
  };
  EXPECT_EQ(table.in_the_way("a", last_is_idle), nullptr);
  EXPECT_EQ(looks, limits::session_looks);
  const auto* found = table.in_the_way("a", last_is_idle);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->session, 100U);
  EXPECT_EQ(table.in_the_way("b", last_is_idle), nullptr) << "there is room";
}

}  // namespace
}  // namespace gate::sessions
