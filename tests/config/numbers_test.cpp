// The numbers of upstreams over many snapshots.
#include <algorithm>
#include <deque>
#include <random>
#include <set>

#include "config/snapshot/snapshot.hpp"
#include "tests/config/support.hpp"

namespace gate::config {
namespace {

using namespace testing;

upstream made(std::string id, std::string url = "http://x") {
  upstream u;
  u.space = u.id = std::move(id);
  u.url = std::move(url);
  return u;
}

document of_these(std::vector<upstream> upstreams) {
  document d;
  d.discovery.emplace().url = "https://r";
  d.upstreams = std::move(upstreams);
  return d;
}

std::size_t number(const snapshot_ptr& s, std::string_view id) {
  const auto* u = s->find(id);
  EXPECT_TRUE(u) << id;
  return u ? u->index : snapshot::none;
}

std::vector<std::string> order(const snapshot_ptr& s) {
  std::vector<std::string> out;
  for (const auto& u : s->upstreams) out.push_back(u.id);
  return out;
}

TEST(numbers, of_the_first_snapshot_are_places) {
  const auto s = compile(of_these({made("a"), made("b"), made("c")}));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(s->upstreams[i].index, i);
  EXPECT_EQ(s->slots, 3U);
  EXPECT_EQ(s->places, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(numbers, are_kept_by_what_stays_the_same) {
  compiler c;
  auto a = made("a");
  const auto before = c.compile(of_these({a, made("b")}));
  a.labels["tier"] = "gold";
  a.owner.emplace().team = "t";
  const auto after = c.compile(of_these({a, made("b")}));
  EXPECT_EQ(number(after, "a"), number(before, "a"));
  EXPECT_EQ(number(after, "b"), number(before, "b"));
  EXPECT_EQ(after->find("a")->labels.at("tier"), "gold");
  EXPECT_EQ(after->find("a")->owner->team, "t");
  EXPECT_EQ(after->generation, before->generation + 1);
  EXPECT_TRUE(before->find("a")->labels.empty()) << "calls in flight see what they began with";
}

/// Limits and the times of lists are no business of connections.
TEST(numbers, are_kept_by_what_has_other_limits) {
  const std::vector<std::pair<std::string, void (*)(upstream&)>> changes{
      {"rate limit", [](upstream& u) { u.rate_limit.emplace().requests_per_minute = 7; }},
      {"budget", [](upstream& u) { u.budget.emplace().upstream_calls = 7; }},
      {"cache", [](upstream& u) { u.cache_ttl = milliseconds(7); }},
      {"no cache", [](upstream& u) { u.cache_ttl = milliseconds(-1); }}};
  for (const auto& [what, change] : changes) {
    compiler c;
    const auto before = c.compile(of_these({made("a"), made("b")}));
    auto a = made("a");
    change(a);
    const auto after = c.compile(of_these({a, made("b")}));
    EXPECT_EQ(number(after, "a"), 0U) << what;
    const auto& is = *after->find("a");
    EXPECT_EQ(is.requests_per_minute, a.rate_limit ? 7 : 0) << what;
    EXPECT_EQ(is.budget.has_value(), a.budget.has_value()) << what;
    EXPECT_EQ(is.cache_ttl.has_value(), a.cache_ttl >= milliseconds::zero()) << what;
  }
}

/// Every other field shapes connections, or how they are judged.
TEST(numbers, are_new_after_any_other_change) {
  const std::vector<std::pair<std::string, void (*)(upstream&)>> changes{
      {"url", [](upstream& u) { u.url = "http://y"; }},
      {"urls", [](upstream& u) { u.urls = {*std::exchange(u.url, {})}; }},
      {"namespace", [](upstream& u) { u.space = "other"; }},
      {"no namespace", [](upstream& u) { u.space.reset(); }},
      {"protocol", [](upstream& u) { u.protocol = protocol_choice::automatic; }},
      {"auth",
       [](upstream& u) { u.auth = {auth_strategy::fixed, "S", {}, {}, {}, {}, {}, {}, {}, {}}; }},
      {"connect", [](upstream& u) { u.timeouts.connect += milliseconds(1); }},
      {"request", [](upstream& u) { u.timeouts.request += milliseconds(1); }},
      {"max request", [](upstream& u) { u.timeouts.max_request += milliseconds(1); }},
      {"stream idle", [](upstream& u) { u.timeouts.stream_idle += milliseconds(1); }},
      {"threshold", [](upstream& u) { ++u.circuit_breaker.failure_threshold; }},
      {"half open", [](upstream& u) { u.circuit_breaker.half_open_after += milliseconds(1); }},
      {"health check", [](upstream& u) { u.health_check.emplace(); }},
      {"response", [](upstream& u) { ++u.max_response_bytes; }}};
  for (const auto& [what, change] : changes) {
    compiler c;
    const auto before = c.compile(of_these({made("a"), made("b")}));
    auto a = made("a");
    change(a);
    const auto after = c.compile(of_these({a, made("b")}));
    EXPECT_EQ(number(after, "a"), 2U) << what;
    EXPECT_EQ(number(after, "b"), 1U) << what;
    EXPECT_EQ(after->slots, 3U) << what;
    EXPECT_EQ(after->at(0), nullptr) << what;
  }
}

TEST(numbers, outlast_a_change_of_order) {
  compiler c;
  const auto before = c.compile(of_these({made("a"), made("b"), made("c")}));
  const auto after = c.compile(of_these({made("c"), made("a"), made("b")}));
  EXPECT_EQ(order(after), (std::vector<std::string>{"c", "a", "b"}));
  for (const auto* id : {"a", "b", "c"}) {
    EXPECT_EQ(number(after, id), number(before, id)) << id;
    EXPECT_EQ(after->at(number(after, id)), after->find(id));
    EXPECT_EQ(after->find_namespace(id), after->find(id));
  }
  EXPECT_EQ(after->slots, 3U);
}

/// It is the same upstream, whoever names it.
TEST(numbers, outlast_a_move_between_the_documents) {
  compiler c;
  const auto before = c.compile(of_these({made("a"), made("b")}), 1);
  EXPECT_FALSE(before->find("a")->discovered);
  EXPECT_TRUE(before->find("b")->discovered);
  EXPECT_EQ(before->discovered_from, 1U);
  const auto after = c.compile(of_these({made("a"), made("b")}));
  EXPECT_FALSE(after->find("b")->discovered);
  EXPECT_EQ(after->discovered_from, 2U);
  EXPECT_EQ(number(after, "b"), number(before, "b"));
}

TEST(numbers, are_given_away_again_when_nobody_means_them) {
  compiler c;
  auto first = c.compile(of_these({made("a"), made("b")}));
  auto second = c.compile(of_these({made("b")}));
  auto third = c.compile(of_these({made("b"), made("new")}));
  EXPECT_EQ(number(third, "new"), 2U) << "a call of the first snapshot may still mean number 0";
  first = nullptr;
  auto fourth = c.compile(of_these({made("b"), made("new"), made("newer")}));
  EXPECT_EQ(number(fourth, "newer"), 0U);
  EXPECT_EQ(fourth->slots, 3U);
}

/// The snapshot that runs is the one before; nobody else need hold it.
TEST(numbers, of_the_latest_are_never_given_away) {
  compiler c;
  c.compile(of_these({made("a")}));
  EXPECT_EQ(number(c.compile(of_these({made("b")})), "b"), 1U);
  EXPECT_EQ(number(c.compile(of_these({made("c")})), "c"), 0U);
}

TEST(numbers, come_back_as_new_ones) {
  compiler c;
  const auto with = c.compile(of_these({made("a")}));
  const auto without = c.compile(of_these({}));
  EXPECT_EQ(without->slots, 0U);
  EXPECT_EQ(number(c.compile(of_these({made("a")})), "a"), 1U)
      << "what had it was retired and drains";
}

TEST(numbers, stay_few_over_thousands_of_changes) {
  compiler c;
  for (int i = 0; i < 5000; ++i) {
    const auto s = c.compile(of_these({made("a", "http://x" + std::to_string(i)), made("b")}));
    ASSERT_LE(s->slots, 3U) << i;
    ASSERT_EQ(s->generation, static_cast<std::uint64_t>(i) + 1);
  }
}

TEST(numbers, go_on_behind_a_snapshot_made_elsewhere) {
  compiler elsewhere;
  elsewhere.compile(of_these({made("x"), made("a")}));
  const auto running = elsewhere.compile(of_these({made("a")}));
  ASSERT_EQ(number(running, "a"), 1U);
  compiler c;
  c.follow(running);
  EXPECT_EQ(c.latest(), running);
  const auto next = c.compile(of_these({made("b"), made("a")}));
  EXPECT_EQ(next->generation, 3U);
  EXPECT_EQ(number(next, "a"), 1U);
  EXPECT_EQ(number(next, "b"), 0U);
}

/// A number that is free is nobody's: not even a caller who may do all can see it.
TEST(numbers, that_are_free_are_not_visible) {
  for (const bool open : {true, false}) {
    compiler c;
    auto with_policy = [&](std::vector<upstream> upstreams) {
      auto d = of_these(std::move(upstreams));
      if (!open) d.policy.emplace().rules = {{"r", {}, {{"*", {}, {}}}}};
      return c.compile(std::move(d));
    };
    const auto before = with_policy({made("a"), made("b")});
    const auto after = with_policy({made("a", "http://y"), made("b")});
    ASSERT_EQ(after->slots, 3U);
    const auto view = after->policy.make_view(nullptr, nullptr, 1);
    EXPECT_EQ(view->open(), open);
    EXPECT_FALSE(view->visible(0));
    EXPECT_FALSE(view->reaches(0));
    EXPECT_FALSE(view->judge(0, "tools/call", "x").allowed);
    for (const std::size_t u : {1U, 2U}) {
      EXPECT_TRUE(view->visible(u));
      EXPECT_TRUE(view->judge(u, "tools/call", "x").allowed);
    }
    EXPECT_FALSE(view->visible(3));
    const auto old = before->policy.make_view(nullptr, nullptr, 1);
    EXPECT_TRUE(old->visible(0));
    EXPECT_FALSE(old->visible(2));
  }
}

/// Grants follow the id to its new number.
TEST(numbers, are_what_policy_goes_by) {
  compiler c;
  auto with_policy = [&](std::string url) {
    auto d = of_these({made("a", std::move(url)), made("b")});
    d.policy.emplace().rules = {{"r", {}, {{"a", {}, {}}, {"not-known-yet", {}, {}}}}};
    return c.compile(std::move(d));
  };
  const auto before = with_policy("http://x");
  const auto after = with_policy("http://y");
  const text_list tenant{"a", "nobody"};
  const auto view = after->policy.make_view(nullptr, &tenant, 1);
  EXPECT_TRUE(view->reaches(2));
  EXPECT_FALSE(view->reaches(0));
  EXPECT_FALSE(view->visible(1)) << "not of the tenant";
}

// --- against a model -----------------------------------------------------------------------------

/// What must hold between a snapshot and everything that is alive beside it.
void check(const snapshot& s, const std::vector<upstream>& wanted,
           const std::deque<snapshot_ptr>& alive) {
  ASSERT_EQ(s.upstreams.size(), wanted.size());
  ASSERT_EQ(s.places.size(), s.slots);
  std::set<std::size_t> own;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto& u = s.upstreams[i];
    EXPECT_EQ(u.id, wanted[i].id) << "the order of the document";
    EXPECT_EQ(u.labels, wanted[i].labels);
    EXPECT_TRUE(own.insert(u.index).second) << "two have number " << u.index;
    EXPECT_EQ(s.at(u.index), &u);
    // Whoever else has the number is the same upstream, unchanged.
    for (const auto& other : alive) {
      const auto* there = other->at(u.index);
      if (!there) continue;
      EXPECT_EQ(there->id, u.id);
      EXPECT_TRUE(same_shape(other->doc.upstreams[other->places[u.index]], wanted[i]));
    }
  }
  for (std::size_t i = 0; i < s.slots; ++i) EXPECT_EQ(s.at(i) != nullptr, own.contains(i));
}

TEST(numbers, mean_one_upstream_at_a_time_whatever_happens) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::mt19937_64 dice(seed);
    const auto draw = [&](std::size_t n) { return static_cast<std::size_t>(dice() % n); };
    compiler c;
    std::vector<upstream> now;
    std::deque<snapshot_ptr> alive;
    std::size_t most_alive = 0, next_id = 0, next_url = 0;
    for (int step = 0; step < 150 && !HasFailure(); ++step) {
      for (auto edits = draw(4); edits > 0; --edits) {
        const auto what = draw(6);
        if (now.empty() || (what == 0 && now.size() < 12)) {
          // Ids come back, sometimes with the same shape.
          const auto id = "u" + std::to_string(draw(2) ? draw(6) : next_id++);
          if (std::ranges::find(now, id, &upstream::id) == now.end()) now.push_back(made(id));
        } else if (what == 1) {
          now.erase(now.begin() + static_cast<std::ptrdiff_t>(draw(now.size())));
        } else if (what == 2) {
          now[draw(now.size())].url = "http://x" + std::to_string(next_url++);
        } else if (what == 3) {
          now[draw(now.size())].labels["k"] = std::to_string(step);
        } else if (what == 4) {
          std::ranges::shuffle(now, dice);
        }
      }
      const auto before = c.latest();
      auto s = c.compile(of_these(now));
      check(*s, now, alive);
      // What was in the snapshot before, and is the same, keeps its number.
      for (const auto& u : now) {
        const auto* old = before ? before->find(u.id) : nullptr;
        if (!old) continue;
        const auto& shape = before->doc.upstreams[before->places[old->index]];
        EXPECT_EQ(same_shape(shape, u), old->index == s->find(u.id)->index) << u.id;
      }
      alive.push_back(std::move(s));
      while (alive.size() > 1 && draw(3) != 0) {
        alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(draw(alive.size() - 1)));
      }
      most_alive = std::max(most_alive, alive.size());
      EXPECT_LE(alive.back()->slots, (most_alive + 1) * 12) << "numbers leak";
    }
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace gate::config
