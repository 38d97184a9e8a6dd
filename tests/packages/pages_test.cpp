// What is packaged of manual pages and completions is what the tables of options and fields make.
#include "tests/packages/pages.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "tests/support/generated.hpp"

namespace gate::packages {
namespace {

void expect_current(const std::vector<made_file>& files) {
  const char* update = std::getenv("GATE_UPDATE_GOLDEN");
  for (const auto& f : files) {
    if (update && *update) std::ofstream(source_path(f.path), std::ios::binary) << f.text;
    EXPECT_EQ(testing::read_page(f.path), f.text)
        << f.path << " is not what the tables make; run this test with GATE_UPDATE_GOLDEN=1";
  }
}

TEST(packages, manual_pages_are_current) {
  expect_current(manual_pages());
}

TEST(packages, completions_are_current) {
  expect_current(completions());
}

}  // namespace
}  // namespace gate::packages
