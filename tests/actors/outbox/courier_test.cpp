#include "actors/outbox/courier.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace gate::outbox {
namespace {

using namespace std::chrono_literals;

/// An actor that does what it is told, and has all the time of the world.
struct a_courier : ::testing::Test, courier_door {
  void start(fetch_ptr what) override { under_way = what->id; }
  void abandon(std::uint64_t) override { under_way = 0; }
  void wake(time_point at) override { timers.insert(at); }
  time_point now() const override { return time; }
  void fails(std::string_view) override {}
  void works(std::size_t) override {}

  /// Lets time pass; each delivery is taken after 5 ms.
  void pass(std::chrono::milliseconds total) {
    for (const auto end = time + total; time < end; time += 1ms) {
      while (!timers.empty() && *timers.begin() <= time) {
        const auto at = *timers.begin();
        timers.erase(timers.begin());
        it.on_time(at);
      }
      if (under_way && ++age >= 5) {
        fetched f;
        f.id = std::exchange(under_way, 0);
        f.status = 200;
        age = 0;
        it.on_fetched(f);
      }
      if (time.time_since_epoch() % 2ms == 0ms) it.put(std::make_shared<const std::string>("x\n"));
      most = std::max(most, timers.size());
    }
  }

  time_point time{1h};
  std::multiset<time_point> timers;
  std::size_t most = 0;
  std::uint64_t under_way = 0;
  int age = 0;
  courier it{*this,
             {{std::make_shared<destination>(), std::make_shared<const std::string>()},
              {1024, 1 << 20, 100, 100ms, 4, 500ms},
              10s,
              [](const queue::batch&) { return std::string(); },
              [](std::span<std::uint8_t> out) { std::ranges::fill(out, 0); },
              {},
              {}}};
};

TEST_F(a_courier, has_no_more_timers_in_an_hour_than_in_a_minute) {
  pass(60s);
  const auto in_a_minute = most;
  EXPECT_LE(in_a_minute, 150U);
  pass(10min);
  EXPECT_EQ(most, in_a_minute);
}

}  // namespace
}  // namespace gate::outbox
