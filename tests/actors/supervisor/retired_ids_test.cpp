#include "actors/supervisor/retired_ids.hpp"

#include <gtest/gtest.h>

namespace gate::supervisor {
namespace {

TEST(retired_ids, the_first_to_leave_is_forgotten_first) {
  retired_ids ids(2);
  EXPECT_EQ(ids.left("a"), std::nullopt);
  EXPECT_EQ(ids.left("b"), std::nullopt);
  EXPECT_EQ(ids.left("c"), "a");
  EXPECT_EQ(ids.left("d"), "b");
  EXPECT_EQ(ids.size(), 2U);
}

TEST(retired_ids, who_is_back_is_not_forgotten) {
  retired_ids ids(2);
  ids.left("a");
  ids.left("b");
  ids.back("a");
  ids.back("never seen");
  EXPECT_EQ(ids.left("c"), std::nullopt);
  EXPECT_EQ(ids.left("d"), "b");
}

TEST(retired_ids, who_leaves_again_is_the_last) {
  retired_ids ids(2);
  ids.left("a");
  ids.left("b");
  EXPECT_EQ(ids.left("a"), std::nullopt);
  EXPECT_EQ(ids.left("c"), "b");
  EXPECT_EQ(ids.left("d"), "a");
}

TEST(retired_ids, there_may_be_none) {
  retired_ids ids(0);
  EXPECT_EQ(ids.left("a"), "a");
  EXPECT_EQ(ids.size(), 0U);
}

}  // namespace
}  // namespace gate::supervisor
