#include "actors/sessions/renewals.hpp"

#include <gtest/gtest.h>

namespace gate::sessions {
namespace {

using namespace std::chrono_literals;
using pairs = std::vector<renewals::pair>;

struct some_renewals : ::testing::Test {
  renewals r;
  renewals::time_point t{1h};
  const renewals::pair one{1, 0}, two{2, 0};

  /// Dies as soon as it is made, for so long; looked at once a second. How often it was made.
  int deaths(std::chrono::seconds time) {
    int made = 0;
    for (const auto end = t + time; t < end; t += 1s)
      for (const auto& who : r.due(t)) {
        ++made;
        r.lost(who, t);
      }
    return made;
  }
};

TEST_F(some_renewals, are_due_at_once_and_once) {
  r.lost(one, t);
  r.lost(one, t);
  r.lost(two, t);
  EXPECT_EQ(r.due(t), (pairs{one, two}));
  EXPECT_EQ(r.due(t), pairs{});
}

TEST_F(some_renewals, come_ever_later_for_what_dies_of_them) {
  r.lost(one, t);
  // 0, 1, 3, 7, 15, 31 and then every 30 seconds or so.
  const int first = deaths(60s);
  EXPECT_LE(first, 6);
  EXPECT_GE(first, 5);
  const int later = deaths(600s);
  EXPECT_GE(later, 19);
  EXPECT_LE(later, 20);
}

TEST_F(some_renewals, do_not_hold_up_others) {
  r.lost(one, t);
  deaths(100s);
  r.lost(two, t);
  EXPECT_EQ(r.due(t), pairs{two});
}

TEST_F(some_renewals, forget_what_lives_well) {
  r.lost(one, t);
  deaths(100s);
  t += 60s;
  EXPECT_EQ(r.due(t), pairs{one});
  t += limits::renewal_most + limits::renewal_good;
  EXPECT_EQ(r.due(t), pairs{});
  EXPECT_TRUE(r.empty());
  r.lost(one, t);
  EXPECT_EQ(r.due(t), pairs{one});
}

}  // namespace
}  // namespace gate::sessions
