// Audit lines to a file: rotated, moved away, removed, on a full disk.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>

#include "transport/lines.hpp"

namespace gate {
namespace {

namespace fs = std::filesystem;

struct a_line_file : ::testing::Test {
  a_line_file() {
    auto name = (fs::temp_directory_path() / "line_file_XXXXXX").string();
    folder = ::mkdtemp(name.data());
    path = folder / "audit.jsonl";
  }
  ~a_line_file() override { fs::remove_all(folder); }

  std::unique_ptr<line_file> open(std::uint64_t max_bytes = 1 << 20) {
    auto r = line_file::open(path.string(), max_bytes, {1000, 1'000'000});
    EXPECT_TRUE(r) << r.error().what;
    return std::move(*r);
  }
  static std::string text(const fs::path& of) {
    std::ostringstream out;
    out << std::ifstream(of).rdbuf();
    return out.str();
  }
  /// Written when this returns.
  static void put(line_file& to, const std::string& line) {
    EXPECT_EQ(to.write(line).all(), 0U);
    to.flush();
  }

  fs::path folder, path;
};

TEST_F(a_line_file, is_appended_to_and_its_owners_alone) {
  put(*open(), "one\n");
  put(*open(), "two\n");
  EXPECT_EQ(text(path), "one\ntwo\n");
  struct stat s {};
  ASSERT_EQ(::stat(path.c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0600U);
}

TEST_F(a_line_file, that_is_full_becomes_the_predecessor) {
  const auto out = open(10);
  for (const auto* line : {"1234\n", "5678\n", "abcd\n", "efgh\n", "ijkl\n"}) put(*out, line);
  EXPECT_EQ(text(path), "ijkl\n");
  EXPECT_EQ(text(path.string() + ".1"), "abcd\nefgh\n");
  EXPECT_FALSE(fs::exists(path.string() + ".2"));
}

TEST_F(a_line_file, takes_a_line_that_is_longer_than_it_may_be) {
  const auto out = open(10);
  put(*out, "a line of its own\n");
  put(*out, "x\n");
  EXPECT_EQ(text(path), "x\n");
  EXPECT_EQ(text(path.string() + ".1"), "a line of its own\n");
}

TEST_F(a_line_file, that_was_moved_away_is_written_until_it_is_begun_anew) {
  const auto out = open();
  put(*out, "one\n");
  fs::rename(path, folder / "away");
  put(*out, "two\n");
  EXPECT_EQ(text(folder / "away"), "one\ntwo\n");
  out->reopen();
  // Whatever is written after it goes to the new one.
  put(*out, "three\n");
  EXPECT_EQ(text(folder / "away"), "one\ntwo\n");
  EXPECT_EQ(text(path), "three\n");
}

TEST_F(a_line_file, that_was_removed_or_shortened_is_gone_on_with) {
  const auto out = open();
  put(*out, "one\n");
  fs::remove(path);
  put(*out, "two\n");
  EXPECT_EQ(text(path), "two\n");
  fs::resize_file(path, 0);
  put(*out, "three\n");
  EXPECT_EQ(text(path), "three\n");
}

TEST_F(a_line_file, that_others_moved_away_is_not_rotated_in_their_place) {
  const auto out = open(10);
  put(*out, "12345678\n");
  fs::rename(path, folder / "away");
  put(*out, "next\n");
  EXPECT_EQ(text(path), "next\n");
  EXPECT_FALSE(fs::exists(path.string() + ".1"));
  put(*out, "abcdef\n");
  EXPECT_EQ(text(path.string() + ".1"), "next\n");
  // They have put another one in its place.
  fs::rename(path, folder / "away");
  std::ofstream(path) << "new\n";
  put(*out, "1234\n");
  EXPECT_EQ(text(path), "new\n1234\n");
  EXPECT_EQ(text(path.string() + ".1"), "next\n");
}

TEST_F(a_line_file, whose_next_one_can_not_be_made_is_tried_again) {
  const auto out = open(10);
  put(*out, "12345678\n");
  fs::rename(path, path.string() + ".1");
  fs::create_directory(path);  // nobody can write to that
  EXPECT_EQ(out->write("lost\n").all(), 0U);
  out->flush();
  fs::remove(path);
  EXPECT_EQ(out->write("there\n").failed, 1U);
  out->flush();
  EXPECT_EQ(text(path), "there\n");
}

TEST_F(a_line_file, that_ends_within_a_line_is_gone_on_with_in_a_new_one) {
  std::ofstream(path) << "half of a li";
  put(*open(), "whole\n");
  EXPECT_EQ(text(path), "half of a li\nwhole\n");
}

TEST_F(a_line_file, says_when_what_was_queued_is_written) {
  const auto out = open();
  out->write("one\n");
  std::promise<std::string> seen;
  out->flush([&] { seen.set_value(text(path)); });
  EXPECT_EQ(seen.get_future().get(), "one\n");
  bool at_once = false;
  out->flush([&] { at_once = true; });
  EXPECT_TRUE(at_once) << "nothing is queued";
}

TEST_F(a_line_file, that_can_not_be_opened_says_why) {
  EXPECT_EQ(line_file::open((folder / "no" / "such").string(), 1, {1, 1}).error().what,
            "it can not be opened: No such file or directory");
  EXPECT_EQ(line_file::open(folder.string(), 1, {1, 1}).error().what,
            "it can not be opened: Is a directory");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(line_file::open(path.string(), 1, {1, 1})) << "nobody reads it: no waiting";
}

TEST_F(a_line_file, on_a_full_disk_loses_whole_lines_and_counts_them) {
  auto full = line_file::open("/dev/full", 1 << 20, {1000, 1'000'000});
  ASSERT_TRUE(full);
  EXPECT_EQ((*full)->write("one\n").all(), 0U) << "nobody waits for it";
  (*full)->flush();
  const auto lost = (*full)->write("two\n");
  EXPECT_EQ(lost.failed, 1U);
  EXPECT_EQ(lost.overflow, 0U);
  (*full)->flush();
  EXPECT_EQ((*full)->write("three\n").failed, 1U) << "each is tried";
}

TEST_F(a_line_file, has_room_for_so_much_that_waits) {
  auto r = line_file::open(path.string(), 1 << 20, {10, 100});
  ASSERT_TRUE(r);
  EXPECT_EQ((*r)->write(std::string(100, 'x') + "\n").overflow, 1U);
}

}  // namespace
}  // namespace gate
