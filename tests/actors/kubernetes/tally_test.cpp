// For how long nothing has been known of a cluster. (What else is counted, REGISTRY's test asks.)
#include "actors/kubernetes/tally.hpp"

#include <gtest/gtest.h>

namespace gate::kubernetes {
namespace {

using namespace std::chrono_literals;

struct kubernetes_tally : ::testing::Test {
  metrics counted{metric::kubernetes_build_info};
  tally::time_point now{1h};
  tally it{counted, now};

  double out_of_touch() {
    it.age(now);
    return counted.now(metric::kubernetes_out_of_touch, {});
  }
  void takes(const step& s) { it.took(s, now); }
  static step trouble() {
    step s;
    s.trouble = "it is away";
    return s;
  }
  static step listed() {
    step s;
    s.all.emplace();
    return s;
  }
  static step watched() {
    step s;
    s.in_touch = true;
    return s;
  }
};

TEST_F(kubernetes_tally, from_the_start_until_a_list_is_complete) {
  now += 10s;
  EXPECT_EQ(out_of_touch(), 10);
  takes(trouble());
  EXPECT_EQ(out_of_touch(), 10) << "trouble makes it no younger";
  takes(listed());
  EXPECT_EQ(out_of_touch(), 0);
  now += 1s;
  EXPECT_EQ(out_of_touch(), 1);
}

TEST_F(kubernetes_tally, while_a_watch_tells_what_happens_it_is_now) {
  takes(watched());
  now += 1h;
  takes({});
  EXPECT_EQ(out_of_touch(), 0);
  takes(trouble());
  now += 5s;
  takes(trouble());
  now += 5s;
  EXPECT_EQ(out_of_touch(), 10) << "since it ended, not since it was last told";
  takes(watched());
  EXPECT_EQ(out_of_touch(), 0);
}

TEST_F(kubernetes_tally, lists_alone_are_as_old_as_they_are) {
  takes(watched());
  takes(trouble());
  for (int i = 0; i < 3; ++i) {
    now += 30s;
    EXPECT_EQ(out_of_touch(), 30);
    takes(listed());
    takes(trouble());
    EXPECT_EQ(out_of_touch(), 0);
  }
}

}  // namespace
}  // namespace gate::kubernetes
