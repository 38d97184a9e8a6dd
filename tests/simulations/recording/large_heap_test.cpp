#include "simulations/recording/large_heap.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace gate::recording {
namespace {

std::size_t resident_bytes() {
  std::ifstream in("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  in >> all >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// (A sanitizer's allocator has no such heap: with it this shows only that nothing is taken before
/// it is used.)
TEST(large_heap, what_is_expected_is_used_only_when_it_is) {
  const auto before = resident_bytes();
  expect_heap(std::size_t{256} << 20);
  EXPECT_LT(resident_bytes(), before + (std::size_t{16} << 20));
  const auto* end = ::sbrk(0);
  constexpr std::size_t count = 20'000;
  std::vector<std::unique_ptr<std::string>> kept;
  kept.reserve(count);
  for (std::size_t i = 0; i < count; ++i) kept.push_back(std::make_unique<std::string>(3000, 'x'));
  EXPECT_EQ(::sbrk(0), end) << "60 MB of it, piece by piece, and it does not grow";
  EXPECT_EQ(kept.back()->size(), 3000U);
}

TEST(large_heap, too_much_and_too_little_are_no_harm) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, ~std::size_t{0}}) {
    expect_heap(bytes);
    EXPECT_EQ(std::string(100'000, 'x').size(), 100'000U);
  }
}

TEST(large_heap, sizes_of_files) {
  const auto path =
      std::filesystem::temp_directory_path() / ("gate-heap-" + std::to_string(::getpid()));
  std::ofstream(path) << "12345";
  EXPECT_EQ(file_bytes(path.c_str()), 5U);
  std::filesystem::remove(path);
  EXPECT_EQ(file_bytes(path.c_str()), 0U);
  EXPECT_EQ(file_bytes("/"), 0U);
}

}  // namespace
}  // namespace gate::recording
