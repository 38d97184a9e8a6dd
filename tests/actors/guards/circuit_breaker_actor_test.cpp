#include "actors/guards/circuit_breaker_actor.hpp"

#include <random>

#include "actors/guards/breaker_news.hpp"
#include "tests/actors/guards/guard_stage.hpp"

namespace gate::guards {
namespace {

using namespace std::chrono_literals;
using enum breaker_state;
using enum verdict;

struct told_change {
  breaker_state state;
  bool clean;
  bool operator==(const told_change&) const = default;
};
using changes = std::vector<told_change>;
constexpr told_change is_clean{closed, true}, is_dirty{closed, false}, is_open{open, false},
    is_half_open{half_open, false};

struct the_breaker : testing::guard_test {
  using ear = testing::ear<breaker_listener, breaker_told>;

  breaker_handle spawn_it() {
    return system().spawn<circuit_breaker_actor>(
        breaker_parts{.index = 4,
                      .id = "notes",
                      .settings = {.failure_threshold = 3, .half_open_after = 30s},
                      .request = 10s,
                      .state = numbers.get(metric::upstream_breaker_state, {"notes"}),
                      .transitions = {numbers, metric::breaker_transitions, "notes"}});
  }
  the_breaker() {
    tell(it, listen_to_breaker{listener.handle});
    EXPECT_EQ(heard(), changes{is_clean}) << "whoever begins to listen is told what is";
  }
  void end(verdict how, std::uint64_t lease = 0) { tell(it, request_ended{how, lease}); }
  void fail(int times) {
    while (times-- > 0) end(failure);
  }
  std::uint64_t lease() {
    tell(it, want_lease{++number, asker.handle});
    EXPECT_EQ(asker.last().number, number);
    return asker.last().lease;
  }
  changes heard(ear& by) {
    changes out;
    for (const auto& m : by.take()) {
      EXPECT_EQ(m.upstream, 4U);
      out.push_back({m.state, m.clean});
    }
    return out;
  }
  changes heard() { return heard(listener); }
  void be_half_open() {
    fail(3);
    advance(30s);
    heard();
  }
  std::string gauge() {
    const auto text = numbers.expose();
    const std::string name = "gate_upstream_breaker_state{upstream=\"notes\"} ";
    const auto at = text.find(name);
    return at == text.npos ? "" : text.substr(at + name.size(), 1);
  }

  metrics numbers;
  breaker_handle it = spawn_it();
  ear listener{system()};
  testing::ear<lease_user, lease_told> asker{system()};
  std::uint64_t number = 0;
};

TEST_F(the_breaker, tells_each_change_once) {
  EXPECT_EQ(gauge(), "0");
  end(success);
  end(neutral);
  EXPECT_EQ(heard(), changes{}) << "nothing has changed";
  fail(2);
  EXPECT_EQ(heard(), changes{is_dirty});
  end(success);
  end(success);
  EXPECT_EQ(heard(), changes{is_clean});
  fail(3);
  EXPECT_EQ(heard(), (changes{is_dirty, is_open}));
  EXPECT_EQ(gauge(), "2");
  fail(10);
  end(success);
  EXPECT_EQ(heard(), changes{});
  advance(30s);
  EXPECT_EQ(heard(), changes{is_half_open});
  EXPECT_EQ(gauge(), "1");
  const auto mine = lease();
  EXPECT_EQ(heard(), changes{}) << "a lease is nobody else's business";
  end(success, mine);
  EXPECT_EQ(heard(), changes{is_clean});
  EXPECT_EQ(gauge(), "0");
}

TEST_F(the_breaker, is_half_open_by_itself_and_in_time) {
  fail(3);
  heard();
  advance(30s - 1ms);
  EXPECT_EQ(lease(), 0U);
  EXPECT_EQ(heard(), changes{});
  advance(1ms);
  EXPECT_EQ(heard(), changes{is_half_open});
  advance(24h);
  EXPECT_EQ(heard(), changes{}) << "until somebody comes";
}

TEST_F(the_breaker, opens_again_when_the_probe_fails) {
  be_half_open();
  advance(5s);
  const auto mine = lease();
  EXPECT_EQ(lease(), 0U);
  advance(3s);
  end(failure, mine);
  EXPECT_EQ(heard(), changes{is_open});
  advance(7s);
  EXPECT_EQ(heard(), changes{}) << "the timer of the lease is stale";
  advance(23s);
  EXPECT_EQ(heard(), changes{is_half_open}) << "30 s after it opened";
}

TEST_F(the_breaker, opens_again_when_the_probe_is_lost) {
  be_half_open();
  const auto lost = lease();
  advance(10s - 1ms);
  EXPECT_EQ(heard(), changes{});
  advance(1ms);
  EXPECT_EQ(heard(), changes{is_open});
  end(success, lost);
  EXPECT_EQ(heard(), changes{}) << "it is late";
  advance(30s);
  EXPECT_EQ(heard(), changes{is_half_open});
  const auto next = lease();
  end(failure, lost);
  EXPECT_EQ(heard(), changes{});
  end(success, next);
  EXPECT_EQ(heard(), changes{is_clean});
  end(failure, lost);
  EXPECT_EQ(heard(), changes{}) << "not even counted";
}

TEST_F(the_breaker, lends_again_what_a_patient_probe_holds) {
  be_half_open();
  tell(it, want_lease{++number, asker.handle, 600s});
  EXPECT_NE(asker.last().lease, 0U);
  EXPECT_EQ(lease(), 0U);
  advance(600s);
  EXPECT_EQ(heard(), changes{}) << "half open all the time";
  end(success, lease());
  EXPECT_EQ(heard(), changes{is_clean});
}

TEST_F(the_breaker, takes_a_lease_back_that_told_nothing) {
  be_half_open();
  const auto first = lease();
  advance(9s);
  end(neutral, first);
  EXPECT_EQ(heard(), changes{});
  const auto second = lease();
  EXPECT_NE(second, 0U);
  EXPECT_NE(second, first);
  advance(1s);
  EXPECT_EQ(heard(), changes{}) << "the first lease's timer does not end the second";
  advance(9s);
  EXPECT_EQ(heard(), changes{is_open});
}

TEST_F(the_breaker, ignores_results_without_the_lease_while_it_is_not_closed) {
  for (const auto how : {success, failure, neutral}) {
    fail(3);
    heard();
    end(how);
    end(how, lease_told::not_leased);
    advance(30s);
    EXPECT_EQ(heard(), changes{is_half_open});
    end(how);
    end(how, lease_told::not_leased);
    end(how, 1);
    const auto mine = lease();
    end(how);
    EXPECT_EQ(heard(), changes{});
    end(success, mine);
    EXPECT_EQ(heard(), changes{is_clean});
  }
}

TEST_F(the_breaker, tells_who_wants_a_lease_that_none_is_needed) {
  EXPECT_EQ(lease(), lease_told::not_leased);
  end(failure, lease_told::not_leased);
  EXPECT_EQ(heard(), changes{is_dirty});
}

TEST_F(the_breaker, tells_all_who_listen_and_each_once) {
  ear second{system()};
  tell(it, listen_to_breaker{second.handle});
  tell(it, listen_to_breaker{second.handle});
  EXPECT_EQ(heard(second), (changes{is_clean, is_clean})) << "what is, to each question";
  end(failure);
  EXPECT_EQ(heard(second), changes{is_dirty});
  EXPECT_EQ(heard(), changes{is_dirty});
  tell(it, listen_to_breaker{});
  end(success);
  EXPECT_EQ(heard(second), changes{is_clean});
}

TEST_F(the_breaker, tells_a_late_listener_what_is) {
  fail(3);
  ear late{system()};
  tell(it, listen_to_breaker{late.handle});
  EXPECT_EQ(heard(late), changes{is_open});
}

TEST_F(the_breaker, forgets_listeners_that_are_gone) {
  const auto address = listener.handle.address();
  crash(listener.handle);
  listener.handle = nullptr;
  EXPECT_EQ(caf::actor_cast<caf::strong_actor_ptr>(address), nullptr) << "nobody holds it";
  fail(3);
  EXPECT_EQ(gauge(), "2");
}

TEST_F(the_breaker, that_ends_leaves_nothing_at_those_who_listen) {
  // What observes somebody is remembered there until that one ends; HEALTH never does.
  const auto references_after = [this](bool listened_to) {
    auto ending = spawn_it();
    if (listened_to) tell(ending, listen_to_breaker{listener.handle});
    const caf::weak_actor_ptr left(caf::actor_cast<caf::strong_actor_ptr>(ending).get());
    crash(ending);
    ending = nullptr;
    EXPECT_EQ(left.get()->strong_refs.load(), 0U);
    return left.get()->weak_refs.load();
  };
  EXPECT_EQ(references_after(true), references_after(false));
}

TEST_F(the_breaker, is_half_open_when_somebody_was_reached) {
  fail(3);
  heard();
  tell(it, upstream_reached{});
  EXPECT_EQ(heard(), changes{is_half_open});
  EXPECT_EQ(gauge(), "1");
  tell(it, upstream_reached{});
  EXPECT_EQ(heard(), changes{});
  end(success, lease());
  EXPECT_EQ(heard(), changes{is_clean});
}

TEST_F(the_breaker, logs_each_transition_once) {
  fail(2);
  EXPECT_EQ(lines().size(), 0U);
  fail(5);
  EXPECT_EQ(logged("its calls are refused until it is tried again"), 1U);
  EXPECT_NE(lines().back().find("notes"), std::string::npos);
  EXPECT_NE(lines().back().find("failures=3"), std::string::npos) << lines().back();
  EXPECT_NE(lines().back().find("30000"), std::string::npos) << lines().back();
  advance(30s);
  EXPECT_EQ(logged("half open"), 1U);
  end(failure, lease());
  EXPECT_EQ(logged("the probe failed"), 1U);
  advance(30s);
  lease();
  advance(10s);
  EXPECT_EQ(logged("nothing was heard of the probe"), 1U);
  advance(30s);
  end(success, lease());
  EXPECT_EQ(logged("closed again"), 1U);
  EXPECT_EQ(lines().size(), 7U);
  for (const auto& line : lines()) EXPECT_NE(line.find("notes"), std::string::npos) << line;
}

TEST_F(the_breaker, that_is_restarted_begins_closed_and_gives_no_number_again) {
  be_half_open();
  const auto old = lease();
  EXPECT_NE(old, 0U);
  crash(it);
  advance(100ms);
  it = spawn_it();
  settle();
  EXPECT_EQ(gauge(), "0");
  tell(it, listen_to_breaker{listener.handle});
  EXPECT_EQ(heard(), changes{is_clean});
  be_half_open();
  const auto mine = lease();
  EXPECT_GT(mine, old);
  end(success, old);
  EXPECT_EQ(heard(), changes{}) << "the result belongs to a lease from before the restart";
  end(success, mine);
  EXPECT_EQ(heard(), changes{is_clean});
}

TEST_F(the_breaker, that_ends_leaves_no_timer_behind_that_matters) {
  fail(3);
  crash(it);
  heard();
  advance(24h);
  EXPECT_EQ(heard(), changes{});
}

/// The actor beside its core, in any order of questions: what is told is what the core knows.
TEST_F(the_breaker, tells_what_its_core_knows_in_any_weather) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::mt19937_64 dice(seed);
    crash(it);
    it = spawn_it();
    tell(it, listen_to_breaker{listener.handle});
    breaker core({.failure_threshold = 3, .half_open_after = 30s}, 10s,
                 static_cast<std::uint64_t>(now().time_since_epoch().count()));
    told_change known{core.state(), core.clean()};
    heard();
    std::uint64_t mine = 0;
    for (int i = 0; i < 300; ++i) {
      changes expected;
      const auto look = [&] {
        if (const told_change is{core.state(), core.clean()}; is != known)
          expected.push_back(known = is);
      };
      const auto how = std::array{success, failure, failure, neutral}[dice() % 4];
      switch (dice() % 4) {
        case 0: {
          const auto wanted = core.lease(now());
          EXPECT_EQ(lease(), wanted);
          if (wanted != 0) mine = wanted;
          look();
          break;
        }
        case 1: {
          // To the end of the pause or beyond: one change at most comes by itself in that time.
          const auto pause = std::chrono::seconds{dice() % 10};
          if (core.next() && *core.next() <= now() + pause) {
            core.pass(*core.next());
            look();
          }
          advance(pause);
          break;
        }
        default:
          core.ended(how, mine, now());
          end(how, mine);
          if (dice() % 2 == 0) mine = 0;
          look();
      }
      ASSERT_EQ(heard(), expected) << "seed " << seed << ", step " << i;
      if (i % 20 != 0) continue;  // the exposition is slow to make
      ASSERT_EQ(gauge(), std::to_string(static_cast<int>(known.state)));
    }
  }
}

TEST_F(the_breaker, counts_its_changes) {
  const auto count = [&](std::string_view to) {
    return numbers.get(metric::breaker_transitions, {"notes", to}).now();
  };
  be_half_open();
  end(failure, lease());
  EXPECT_EQ(count("open"), 2);
  EXPECT_EQ(count("half-open"), 1);
  EXPECT_EQ(count("closed"), 0) << "as it was from the start";
  advance(30s);
  end(success, lease());
  EXPECT_EQ(count("closed"), 1);
}

}  // namespace
}  // namespace gate::guards
