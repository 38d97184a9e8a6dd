// What only the start ran is let go of (transport/process/settling.cpp).
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

#include "transport/process.hpp"

namespace gate {
namespace {

constexpr std::string_view text = " r-xp ", constants = " r--p ";

bool is_of_a_file(std::string_view line, std::string_view kind) {
  return line.find(kind) != line.npos && line.find(" /") != line.npos;
}

/// Bytes of files that are mapped so and in memory, by /proc/PID/smaps.
std::size_t in_memory(std::string_view kind) {
  std::ifstream smaps("/proc/self/smaps");
  std::size_t sum = 0;
  bool counts = false;
  for (std::string line; std::getline(smaps, line);) {
    if (line.starts_with("Size:")) continue;
    if (line.find('-') < line.find(' ')) counts = is_of_a_file(line, kind);
    if (counts && line.starts_with("Rss:")) sum += std::stoul(line.substr(4)) * 1024;
  }
  return sum;
}

/// As if all of it had been used. (The sanitizers neither watch nor shadow all that is mapped: they
/// are not to see it.)
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] void touch(std::string_view kind) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::size_t at = 0;
    const auto begin = std::stoul(line, &at, 16),
               end = std::stoul(line.substr(at + 1), nullptr, 16);
    if (!is_of_a_file(line, kind)) continue;
    for (auto p = begin; p < end; p += 4096)
      static_cast<void>(*reinterpret_cast<volatile char*>(p));
  }
}

TEST(settling_down, lets_go_of_what_only_the_start_used) {
  for (const auto kind : {text, constants}) {
    touch(kind);
    const auto before = in_memory(kind);
    settle_down();
    const auto after = in_memory(kind);
    EXPECT_GT(before, 0u) << kind;
    EXPECT_LT(after, before) << kind;
  }
  settle_down();  // and what runs on runs on
}

/// A function of a page of its own that nobody calls.
[[gnu::aligned(4096), gnu::noinline, gnu::used]] void never_called() {
  asm volatile(".fill 4096, 1, 0x90");
}

TEST(settling_down, is_for_those_too_whom_nobody_may_look_into) {
  const auto child = ::fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    // (Where that user is none, as in some containers, root looks into itself.)
    if (::getuid() == 0) static_cast<void>(::setuid(nobody) == 0);
    forbid_inspection();
    touch(text);
    const auto before = in_memory(text);
    settle_down();
    ::_exit(before > 0 && in_memory(text) < before ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(settling_down, leaves_breakpoints_alone) {
  // As a debugger does it: past the flags of the mapping, and by another's leave to trace us.
  const auto child = ::fork();
  if (child == 0) {
    auto* const place = reinterpret_cast<unsigned char*>(&never_called) + 64;
    std::FILE* memory = std::fopen("/proc/self/mem", "r+b");
    const unsigned char trap = 0xCC;
    if (!memory || std::fseek(memory, reinterpret_cast<long>(place), SEEK_SET) != 0 ||
        std::fwrite(&trap, 1, 1, memory) != 1 || std::fclose(memory) != 0)
      ::_exit(2);
    if (*static_cast<volatile unsigned char*>(place) != trap) ::_exit(3);
    settle_down();
    ::_exit(*static_cast<volatile unsigned char*>(place) == trap ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace gate
