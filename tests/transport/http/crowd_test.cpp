#include "transport/http/crowd.hpp"

#include <gtest/gtest.h>

#include <array>

namespace gate::http {
namespace {

using std::chrono::seconds;
using line = crowd<int>::line;

TEST(crowd, who_never_was_accepted_goes_first_and_the_oldest_of_them) {
  crowd<int> c;
  std::array<int, 3> who{};
  crowd<int>::time_point t;
  auto a = c.join(who[0], t), b = c.join(who[1], t), d = c.join(who[2], t);
  EXPECT_EQ(c.yields(t), &who[0]);
  c.move(a, line::idle, t);
  EXPECT_EQ(c.yields(t), &who[1]);
  c.move(b, line::busy, t);  // its first request is being answered
  EXPECT_EQ(c.yields(t), &who[2]);
  c.move(b, line::newcomers, t);  // and was refused
  EXPECT_EQ(c.yields(t), &who[2]);
  c.leave(d);
  EXPECT_EQ(c.yields(t), &who[1]);
  EXPECT_EQ(c.size(), 2U);
}

TEST(crowd, of_the_others_who_was_idle_for_some_time) {
  crowd<int> c;
  std::array<int, 2> who{};
  crowd<int>::time_point t;
  auto a = c.join(who[0], t), b = c.join(who[1], t);
  c.move(a, line::idle, t);
  c.move(b, line::idle, t + seconds{1});
  EXPECT_EQ(c.yields(t + seconds{1}), nullptr) << "it may be about to ask again";
  EXPECT_EQ(c.yields(t + limits::idle_yields), &who[0]);
  c.move(a, line::busy, t + seconds{2});
  EXPECT_EQ(c.yields(t + limits::idle_yields), nullptr);
  EXPECT_EQ(c.yields(t + seconds{1} + limits::idle_yields), &who[1]);
  c.move(b, line::busy, t + seconds{2});
  EXPECT_EQ(c.yields(t + seconds{100}), nullptr) << "who is at work never goes";
  std::size_t n = 0;
  c.for_each([&](int&) { ++n; });
  EXPECT_EQ(n, 2U);
}

}  // namespace
}  // namespace gate::http
