#include "transport/http/body_room.hpp"

#include <gtest/gtest.h>

namespace gate::http {
namespace {

constexpr bool known = true, unknown = false;

TEST(body_room, half_of_it_is_for_those_who_were_never_accepted) {
  body_room r(1600);
  r.change(unknown, 0, 800);
  EXPECT_EQ(r.excess(unknown), 0U);
  r.change(unknown, 0, 1);
  EXPECT_EQ(r.excess(unknown), 101U) << "an eighth is free again";
  EXPECT_EQ(r.excess(known), 0U);
  r.change(unknown, 801, 700);
  EXPECT_EQ(r.excess(unknown), 0U);
}

TEST(body_room, the_others_fill_it_and_make_way_for_them) {
  body_room r(1600);
  r.change(known, 0, 1600);
  EXPECT_EQ(r.excess(known), 0U);
  r.change(unknown, 0, 1);
  EXPECT_EQ(r.excess(unknown), 0U);
  EXPECT_EQ(r.excess(known), 201U);
  r.change(known, 1600, 0);
  r.change(unknown, 1, 0);
  EXPECT_EQ(r.excess(known), 0U);
}

}  // namespace
}  // namespace gate::http
