// Stage 6 by itself: what passes, what waits, what is refused, whoever leaves or crashes meanwhile.
#include "actors/upstream/guard_queue.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"

namespace gate::upstream {
namespace {

using namespace std::chrono_literals;
using station = request_guards::station;

struct fake_guards final : request_guards {
  bool has(station whom) const override { return whom == station::budget ? budget : breaker; }
  void want_admission(std::uint64_t number, rate_scopes_ptr scopes, allowances_ptr costs) override {
    admissions.push_back({number, std::move(scopes), std::move(costs)});
  }
  void want_lease(std::uint64_t number, std::chrono::milliseconds longest) override {
    leases.emplace_back(number, longest);
  }
  breaker_state circuit() const override { return state; }

  struct admission {
    std::uint64_t number;
    rate_scopes_ptr scopes;
    allowances_ptr costs;
  };
  bool budget = true, breaker = true;
  breaker_state state = breaker_state::closed;
  std::vector<admission> admissions;
  std::vector<std::pair<std::uint64_t, std::chrono::milliseconds>> leases;
};

struct fake_doors final : guard_queue::doors {
  void pass_on(invoke& m) override { note("call " + std::to_string(m.call) + with(m)); }
  void pass_on(fetch_list& m) override { note("list " + std::to_string(m.fill) + with(m)); }
  void refuse(const invoke& m, guard_queue::refusal_ptr why) override {
    note("no call " + std::to_string(m.call) + (why ? " " + why->message : ""));
  }
  void refuse(const fetch_list& m, guard_queue::refusal_ptr why) override {
    note("no list " + std::to_string(m.fill) + (why ? " " + why->message : ""));
  }
  void count(upstream_outcome how) override { counted.push_back(how); }
  void end_session(std::uint64_t client, close_session how) override {
    note("end " + std::to_string(client) + (how.finish_first ? " after all" : ""));
  }
  void emptied() override { ++times_empty; }

  template <class Request>
  static std::string with(const Request& m) {
    return std::string(m.prepaid ? " prepaid" : "") + (m.lease ? " leased" : "");
  }
  void note(std::string what) { said.push_back(std::move(what)); }
  std::vector<std::string> take() { return std::exchange(said, {}); }

  std::vector<std::string> said;
  std::vector<upstream_outcome> counted;
  int times_empty = 0;
};

struct paid final : prepaid {
  charged take() override { return {}; }
};
struct leased final : lease {
  void end(verdict) override {}
};

using words = std::vector<std::string>;

struct queue_of_requests : ::testing::Test {
  queue_of_requests() { about.config.id = "a"; }

  void call(std::uint64_t number, std::int64_t per_minute = 5, std::uint64_t client = 1) {
    invoke m;
    m.call = number;
    m.client = client;
    m.per_minute = per_minute;
    m.costs = std::make_shared<const std::vector<allowance>>();
    it.enter(m);
  }
  void list(std::uint64_t number, std::int64_t per_minute = 5, std::uint64_t client = 0) {
    fetch_list m;
    m.fill = number;
    m.client = client;
    m.per_minute = per_minute;
    if (client) m.profile = std::make_shared<const client_profile>();
    it.enter(m);
  }
  void admit(std::uint64_t number, bool yes) {
    it.on_admitted({.number = number, .yes = yes, .retry_after = 7s},
                   yes ? std::make_shared<paid>() : nullptr);
  }
  void lend(std::uint64_t number, std::uint64_t lease) {
    it.on_lease({number, lease},
                lease && lease != lease_told::not_leased ? std::make_shared<leased>() : nullptr);
  }

  facts about;
  fake_guards guards;
  fake_doors doors;
  guard_queue it{about, guards, doors};
};

TEST_F(queue_of_requests, asks_nobody_without_a_limit_while_the_circuit_is_closed) {
  call(1, 0);
  list(2, 0);
  EXPECT_EQ(doors.take(), (words{"call 1", "list 2"}));
  EXPECT_TRUE(guards.admissions.empty() && guards.leases.empty() && it.empty());
}

TEST_F(queue_of_requests, asks_budget_for_its_own_limit) {
  call(1, 5);
  list(2, 5);
  call(3, 6);
  ASSERT_EQ(guards.admissions.size(), 3U);
  EXPECT_EQ(guards.admissions[0].scopes, guards.admissions[1].scopes) << "one object serves all";
  EXPECT_EQ(guards.admissions[0].scopes->front().per_minute, 5);
  EXPECT_EQ(guards.admissions[2].scopes->front().per_minute, 6) << "from after a reload";
  EXPECT_TRUE(guards.admissions[0].costs);
  EXPECT_EQ(doors.take(), words{});
  admit(guards.admissions[1].number, true);
  admit(guards.admissions[0].number, false);
  EXPECT_EQ(doors.said.size(), 2U);
  EXPECT_EQ(doors.said[0], "list 2 prepaid");
  EXPECT_TRUE(doors.said[1].starts_with("no call 1 ")) << doors.said[1];
  EXPECT_NE(doors.said[1].find("\"a\""), std::string::npos) << doors.said[1];
  EXPECT_EQ(doors.counted, std::vector{upstream_outcome::rate_limited});
  EXPECT_EQ(doors.times_empty, 0);
  admit(guards.admissions[2].number, true);
  EXPECT_EQ(doors.times_empty, 1);
}

TEST_F(queue_of_requests, does_not_charge_ahead_what_the_circuit_may_refuse) {
  for (const auto state : {breaker_state::half_open, breaker_state::open}) {
    guards.state = state;
    call(1);
    EXPECT_FALSE(guards.admissions.back().costs);
  }
}

TEST_F(queue_of_requests, refuses_while_the_circuit_is_open) {
  guards.state = breaker_state::open;
  call(1, 0);
  list(2, 0);
  ASSERT_EQ(doors.said.size(), 2U);
  EXPECT_TRUE(doors.said[0].starts_with("no call 1 ")) << doors.said[0];
  EXPECT_TRUE(doors.said[1].starts_with("no list 2 ")) << doors.said[1];
  EXPECT_EQ(doors.counted.size(), 2U);
  EXPECT_EQ(doors.counted[0], upstream_outcome::circuit_open);
}

TEST_F(queue_of_requests, lets_one_probe_a_half_open_circuit) {
  guards.state = breaker_state::half_open;
  call(1, 0);
  call(2, 0);
  call(3, 0);
  ASSERT_EQ(guards.leases.size(), 3U);
  lend(guards.leases[0].first, 42);
  lend(guards.leases[1].first, 0);
  lend(guards.leases[2].first, lease_told::not_leased);
  ASSERT_EQ(doors.said.size(), 3U);
  EXPECT_EQ(doors.said[0], "call 1 leased");
  EXPECT_TRUE(doors.said[1].starts_with("no call 2 ")) << doors.said[1];
  EXPECT_EQ(doors.said[2], "call 3") << "it has closed meanwhile";
}

TEST_F(queue_of_requests, goes_from_budget_to_breaker) {
  call(1);
  guards.state = breaker_state::half_open;
  admit(guards.admissions[0].number, true);
  EXPECT_EQ(doors.take(), words{});
  ASSERT_EQ(guards.leases.size(), 1U);
  lend(guards.leases[0].first, 42);
  EXPECT_EQ(doors.take(), (words{"call 1 prepaid leased"}));
}

TEST_F(queue_of_requests, takes_a_guard_that_crashed_to_have_agreed) {
  call(1);
  guards.state = breaker_state::half_open;
  call(2, 0);
  guards.budget = false;
  guards.state = breaker_state::closed;
  it.nobody_at(station::budget);
  EXPECT_EQ(doors.take(), (words{"call 1"}));
  guards.breaker = false;
  it.nobody_at(station::breaker);
  EXPECT_EQ(doors.take(), (words{"call 2"}));
  guards.state = breaker_state::half_open;
  call(3);
  EXPECT_EQ(doors.take(), (words{"call 3"})) << "there is nobody to ask";
}

TEST_F(queue_of_requests, forgets_what_is_cancelled) {
  call(1);
  list(1);
  it.cancel({.call = 1, .reason = {}});
  admit(guards.admissions[0].number, true);
  EXPECT_EQ(doors.take(), words{}) << "a late answer finds nobody";
  admit(guards.admissions[1].number, true);
  EXPECT_EQ(doors.take(), (words{"list 1 prepaid"})) << "that is the number of a fill";
}

TEST_F(queue_of_requests, drops_what_waits_with_its_client) {
  call(1, 5, 1);
  list(2, 5, 1);
  call(3, 5, 2);
  it.client_left({.client = 1});
  EXPECT_EQ(doors.take(), (words{"end 1"}));
  for (const auto& a : guards.admissions) admit(a.number, true);
  EXPECT_EQ(doors.take(), (words{"call 3 prepaid"}));
}

TEST_F(queue_of_requests, ends_a_session_behind_what_waits_for_it) {
  call(1, 5, 1);
  it.client_left({.client = 1, .finish_first = true});
  EXPECT_EQ(doors.take(), words{});
  admit(guards.admissions[0].number, true);
  EXPECT_EQ(doors.take(), (words{"call 1 prepaid", "end 1 after all"}));
}

TEST_F(queue_of_requests, keeps_a_session_that_is_wanted_again) {
  call(1, 5, 1);
  it.client_left({.client = 1, .finish_first = true});
  it.client_back(1);
  admit(guards.admissions[0].number, true);
  EXPECT_EQ(doors.take(), (words{"call 1 prepaid"}));
}

TEST_F(queue_of_requests, has_a_bound) {
  for (std::size_t n = 0; n < limits::upstream_parked; ++n) call(n);
  EXPECT_EQ(doors.take(), words{});
  call(limits::upstream_parked);
  EXPECT_EQ(doors.take(), (words{"no call " + std::to_string(limits::upstream_parked)}));
  EXPECT_TRUE(doors.counted.empty()) << "no guard has refused it";
}

TEST_F(queue_of_requests, refuses_all_that_waits) {
  call(1);
  list(2);
  it.refuse_all();
  EXPECT_EQ(doors.take(), (words{"no call 1", "no list 2"}));
  EXPECT_TRUE(it.empty());
}

}  // namespace
}  // namespace gate::upstream
