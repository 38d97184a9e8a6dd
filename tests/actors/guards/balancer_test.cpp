#include "actors/guards/balancer.hpp"

#include <gtest/gtest.h>

namespace gate::guards {
namespace {

using namespace std::chrono_literals;
using change = balancer::change;
using list = std::vector<std::size_t>;

constexpr balancer::time_point start{std::chrono::hours(1000)};

TEST(balancer, takes_turns) {
  balancer b(3, 30s, 0ms);
  list picked;
  for (int n = 0; n < 6; ++n) picked.push_back(b.pick({}));
  EXPECT_EQ(picked, (list{0, 1, 2, 0, 1, 2}));
}

TEST(balancer, leaves_out_what_was_tried) {
  balancer b(3, 30s, 0ms);
  EXPECT_EQ(b.pick({0}), 1U);
  EXPECT_EQ(b.pick({0, 1}), 2U);
  EXPECT_EQ(b.pick({0, 1, 2}), 0U) << "all in vain: once more";
}

// state, event -> change, state
TEST(balancer, transitions) {
  enum class event { failed, probe_failed, probe_succeeded, rested };
  struct row {
    bool ejected;
    event what;
    change expected;
    bool healthy;
  };
  for (const auto& r : {
           row{false, event::failed, change::ejected, false},
           row{false, event::probe_failed, change::ejected, false},
           row{false, event::probe_succeeded, change::none, true},
           row{false, event::rested, change::none, true},
           row{true, event::failed, change::none, false},
           row{true, event::probe_failed, change::none, false},
           row{true, event::probe_succeeded, change::restored, true},
           row{true, event::rested, change::restored, true},
       }) {
    SCOPED_TRACE(static_cast<int>(r.what) + 10 * r.ejected);
    balancer b(2, 30s, 0ms);
    if (r.ejected) b.failed(1, start);
    auto got = change::none;
    switch (r.what) {
      case event::failed:
        got = b.failed(1, start + 1s);
        break;
      case event::probe_failed:
        got = b.probed(1, false, start + 1s);
        break;
      case event::probe_succeeded:
        got = b.probed(1, true, start + 1s);
        break;
      case event::rested:
        EXPECT_TRUE(b.pass(start + 30s - 1ms).empty());
        if (!b.pass(start + 30s).empty()) got = change::restored;
        break;
    }
    EXPECT_EQ(got, r.expected);
    EXPECT_EQ(b.healthy(), (std::vector<bool>{true, r.healthy}));
    EXPECT_EQ(b.next().has_value(), !r.healthy);
  }
}

TEST(balancer, a_failure_begins_the_rest_anew) {
  balancer b(2, 30s, 0ms);
  b.failed(0, start);
  b.failed(0, start + 20s);
  EXPECT_EQ(b.next(), start + 50s);
  EXPECT_TRUE(b.pass(start + 49s).empty());
  EXPECT_EQ(b.pass(start + 50s), list{0});
}

TEST(balancer, rests_long_after_a_probe_that_failed) {
  balancer b(2, 30s, 120s);
  b.probed(0, false, start);
  EXPECT_EQ(b.next(), start + 120s);
  b.failed(0, start + 10s);
  EXPECT_EQ(b.next(), start + 120s) << "a session's failure does not shorten it";
  b.failed(1, start);
  EXPECT_EQ(b.next(), start + 30s) << "one that only sessions found has the usual rest";
  balancer often(1, 30s, 1s);
  often.probed(0, false, start);
  EXPECT_EQ(often.next(), start + 30s);
}

TEST(balancer, picks_only_what_is_in_rotation) {
  balancer b(3, 30s, 0ms);
  b.failed(1, start);
  EXPECT_EQ((list{b.pick({}), b.pick({}), b.pick({})}), (list{0, 2, 0}));
  EXPECT_EQ(b.pick({0, 2}), 1U) << "better than one that was tried";
}

TEST(balancer, all_ejected_are_tried_all_the_same) {
  balancer b(3, 30s, 0ms);
  b.failed(1, start);
  b.failed(2, start + 1s);
  b.failed(0, start + 2s);
  EXPECT_EQ(b.pick({}), 1U) << "the one that failed first";
  EXPECT_EQ(b.pick({1}), 2U);
  b.failed(1, start + 3s);
  EXPECT_EQ(b.pick({}), 2U);
  EXPECT_EQ(b.pick({0, 1, 2}), 2U);
}

}  // namespace
}  // namespace gate::guards
