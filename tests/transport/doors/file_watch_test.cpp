#include "transport/doors/file_watch.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gate::doors {
namespace {

/// Each letter is a state of the file, a dot that it can not be seen; the first is what was read.
/// Answers: `-` nothing, `!` read it, `?` gone.
std::string told(std::string_view seen) {
  const auto stamp = [](char c) -> std::optional<file_stamp> {
    if (c == '.') return {};
    return file_stamp{c, 1, 2, 3};
  };
  file_watch w(stamp(seen.front()));
  std::string out;
  for (const char c : seen.substr(1)) {
    const auto news = w.look(stamp(c));
    out += news == file_watch::news::none ? '-' : news == file_watch::news::gone ? '?' : '!';
  }
  return out;
}

TEST(file_watch, by_cases) {
  EXPECT_EQ(told("aaaa"), "---");
  EXPECT_EQ(told("abbb"), "-!-") << "it must be still for one look";
  EXPECT_EQ(told("abcdd"), "---!") << "somebody is writing";
  EXPECT_EQ(told("abaaa"), "----") << "back to what is running";
  EXPECT_EQ(told("abbaa"), "-!-!") << "back to what was running";
  EXPECT_EQ(told("a..."), "?--") << "told once";
  EXPECT_EQ(told("a..aaa"), "?--!-")
      << "comes back as it was: read, it may be a copy of an old one";
  EXPECT_EQ(told("a.bb."), "?-!?");
  EXPECT_EQ(told("ab.bb"), "-?-!") << "what was seen before it went counts no more";
  EXPECT_EQ(told(".aa"), "-!") << "it could not be seen when it was read";
}

TEST(file_watch, each_part_of_a_stamp_counts) {
  const file_stamp known{1, 2, 3, 4};
  for (const auto& other : {file_stamp{9, 2, 3, 4}, file_stamp{1, 9, 3, 4}, file_stamp{1, 2, 9, 4},
                            file_stamp{1, 2, 3, 9}}) {
    file_watch w(known);
    w.look(other);
    EXPECT_EQ(w.look(other), file_watch::news::changed);
  }
}

}  // namespace
}  // namespace gate::doors
