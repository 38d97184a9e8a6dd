#include "actors/router/abilities_memo.hpp"

#include <gtest/gtest.h>

namespace gate {
namespace {

using namespace std::chrono_literals;

pipeline::federation_abilities with(std::string text) {
  return {{}, std::make_shared<const std::string>(std::move(text))};
}

TEST(abilities_memo, is_kept_for_each_kind_of_caller_until_its_time) {
  abilities_memo m;
  const abilities_memo::time_point t{1h};
  m.keep({1, 1}, with("one"), t + 1s);
  m.keep({1, 2}, with("two"), abilities_memo::time_point::max());
  ASSERT_TRUE(m.find({1, 1}, t));
  EXPECT_EQ(*m.find({1, 1}, t)->instructions, "one");
  EXPECT_FALSE(m.find({1, 1}, t + 1s));
  EXPECT_EQ(*m.find({1, 2}, t + 1h)->instructions, "two");
  EXPECT_FALSE(m.find({2, 2}, t)) << "of another configuration";
  m.forget();
  EXPECT_FALSE(m.find({1, 2}, t));
}

TEST(abilities_memo, is_bounded) {
  abilities_memo m;
  for (std::uint64_t view = 0; view <= limits::told_abilities; ++view)
    m.keep({1, view}, with("x"), abilities_memo::time_point::max());
  std::size_t kept = 0;
  for (std::uint64_t view = 0; view <= limits::told_abilities; ++view)
    kept += m.find({1, view}, {}) != nullptr;
  EXPECT_LE(kept, limits::told_abilities);
  EXPECT_TRUE(m.find({1, limits::told_abilities}, {}));
}

}  // namespace
}  // namespace gate
