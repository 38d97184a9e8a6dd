#include "config/options/nearest.hpp"

#include <gtest/gtest.h>

#include <array>

namespace gate::config {
namespace {

TEST(nearest, is_what_was_meant) {
  const std::array<std::string_view, 4> known{"id", "url", "urls", "namespace"};
  EXPECT_EQ(nearest("nmaespace", known), "namespace");
  EXPECT_EQ(nearest("Namespace", known), "namespace");
  EXPECT_EQ(nearest("nspace", known), "namespace");
  EXPECT_EQ(nearest("uri", known), "url");
  EXPECT_EQ(nearest("uurls", known), "urls");
  EXPECT_EQ(nearest("x", known), "");
  EXPECT_EQ(nearest("xy", known), "");
  EXPECT_EQ(nearest("completelyOther", known), "");
  EXPECT_EQ(nearest("id", {}), "");
}

}  // namespace
}  // namespace gate::config
