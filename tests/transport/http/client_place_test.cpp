#include "transport/http/client_place.hpp"

#include <gtest/gtest.h>

#include <array>

#include "transport/http/connection.hpp"

namespace gate::http {
namespace {

using std::chrono::seconds;

struct client_places : ::testing::Test {
  /// Only the address of a connection counts here.
  connection& who(std::size_t i) { return reinterpret_cast<connection&>(nobody[i]); }

  client_room room{.clients = {}, .bodies = body_room(1000), .now = {}};
  std::array<std::max_align_t, 2> nobody{};
};

TEST_F(client_places, what_one_holds_is_given_back_once) {
  client_place p(room, who(0));
  EXPECT_EQ(room.clients.size(), 1U);
  EXPECT_TRUE(p.hold_waiting(300));
  EXPECT_TRUE(p.hold_waiting(400));
  EXPECT_FALSE(p.hold_waiting(100));
  p.hold_body(600);
  EXPECT_EQ(room.waiting, 100U);
  EXPECT_GT(room.bodies.excess(false), 0U) << "half of the room is for strangers";
  EXPECT_TRUE(p.leave());
  EXPECT_EQ(room.clients.size(), 0U);
  EXPECT_EQ(room.waiting, 0U);
  EXPECT_EQ(room.bodies.excess(false), 0U);
  EXPECT_FALSE(p.leave());
}

TEST_F(client_places, what_a_stranger_holds_is_its_own_when_it_is_known) {
  client_place p(room, who(0));
  p.hold_body(600);
  room.now += seconds{5};
  p.know();
  EXPECT_TRUE(p.known());
  EXPECT_EQ(room.bodies.excess(false), 0U);
  EXPECT_EQ(p.of_body().bytes, 600U);
  EXPECT_EQ(p.of_body().time, seconds{5}) << "it is as old as it was";
  p.know();
  EXPECT_EQ(room.bodies.excess(true), 0U);
  p.hold_body(1100);
  EXPECT_EQ(room.bodies.excess(true), 225U);
  EXPECT_TRUE(p.leave());
}

TEST_F(client_places, time_counts_from_when_it_falls_behind) {
  client_place p(room, who(0));
  p.hold_waiting(100);
  room.now += seconds{5};
  EXPECT_EQ(p.of_waiting().time, seconds{0});
  p.falls_behind();
  room.now += seconds{7};
  EXPECT_EQ(p.of_waiting().time, seconds{7});
  p.catches_up();
  EXPECT_EQ(p.of_waiting().time, seconds{0});
  EXPECT_TRUE(p.leave());
}

TEST_F(client_places, are_due_after_a_time_and_a_sweep) {
  client_place p(room, who(0));
  EXPECT_FALSE(p.due());
  p.due_after(seconds{10});
  room.now += seconds{10};
  EXPECT_FALSE(p.due());
  room.now += seconds{1};
  EXPECT_TRUE(p.due());
  p.never_due();
  EXPECT_FALSE(p.due());
  EXPECT_TRUE(p.leave());
}

TEST_F(client_places, strangers_yield_first) {
  client_place a(room, who(0)), b(room, who(1));
  a.stand(client_place::line::busy);
  EXPECT_EQ(room.clients.yields(room.now), &who(1));
  EXPECT_TRUE(a.leave());
  EXPECT_TRUE(b.leave());
}

}  // namespace
}  // namespace gate::http
