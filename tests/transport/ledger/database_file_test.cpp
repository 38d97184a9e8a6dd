// LEDGER's file: its rights, who else may open it, and what is no such file.
#include "transport/ledger/database_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "tests/transport/support/ledger_child.hpp"
#include "tests/transport/support/ledger_file.hpp"

namespace gate::ledger {
namespace {

using testing::at;
using testing::ledger_child;
using testing::ledger_file;

std::string bytes_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

struct database : ledger_file {
  std::string why() {
    const auto file = database_file::open(path(), at(0));
    return file ? "" : file.error().what;
  }
  /// Refused with these words, and the file is as it was.
  void expect_left_alone(const std::string& words) {
    const auto before = bytes_of_file(path());
    const auto said = why();
    EXPECT_NE(said.find(words), std::string::npos) << said;
    EXPECT_NE(said.find("nothing is written over"), std::string::npos) << said;
    EXPECT_EQ(bytes_of_file(path()), before);
  }
};

TEST_F(database, only_its_owner_reads_it) {
  make_webhook("hook_1");
  for (const auto* end : {"", "-wal", "-shm", ".lock"}) {
    struct stat is {};
    ASSERT_EQ(::stat((path() + end).c_str(), &is), 0) << end;
    EXPECT_EQ(is.st_mode & 0777, 0600U) << end;
  }
  close();
  ASSERT_EQ(::chmod(path().c_str(), 0644), 0);
  open();
  struct stat is {};
  ASSERT_EQ(::stat(path().c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 0777, 0600U);
}

TEST_F(database, each_commit_is_synced) {
  {
    sqlite::query q(db(), "PRAGMA synchronous");
    ASSERT_TRUE(q.row());
    EXPECT_EQ(q.number(0), 2);
  }
  sqlite::query q(db(), "PRAGMA journal_mode");
  ASSERT_TRUE(q.row());
  EXPECT_EQ(q.text(0), "wal");
}

TEST_F(database, a_second_one_is_refused_and_told_who_has_it) {
  const auto said = why();
  EXPECT_NE(said.find("is held by process " + std::to_string(::getpid())), std::string::npos)
      << said;
  make_webhook("hook_1");
  close();
  EXPECT_EQ(why(), "");
}

TEST_F(database, a_second_process_is_refused_by_whatever_name) {
  std::filesystem::create_symlink(path(), folder_.file("alias.db"));
  ledger_child other({"open", folder_.file("alias.db")});
  const auto said = other.line();
  EXPECT_NE(said.find("is held by process " + std::to_string(::getpid())), std::string::npos)
      << said;
  EXPECT_EQ(other.wait(), 1);
}

TEST_F(database, of_a_process_that_died_nothing_is_held) {
  close();
  ledger_child other({"hold", path()});
  EXPECT_EQ(other.line(), "open");
  EXPECT_NE(why(), "");
  other.kill();
  EXPECT_EQ(why(), "");
}

TEST_F(database, random_bytes_are_no_database) {
  close();
  std::string noise(8192, '\0');
  std::uint32_t x = 1;
  for (auto& c : noise) c = static_cast<char>((x = x * 1664525 + 1013904223) >> 24);
  write_file(path(), noise);
  expect_left_alone("is no SQLite database");
}

TEST_F(database, a_wrong_header_is_no_database) {
  close();
  auto bytes = bytes_of_file(path());
  bytes[3] = 'X';
  write_file(path(), bytes);
  expect_left_alone("is no SQLite database");
}

TEST_F(database, a_few_bytes_are_no_database) {
  close();
  write_file(path(), "SQLite");
  expect_left_alone("is no SQLite database");
}

TEST_F(database, what_was_cut_off_is_damaged) {
  make_webhook("hook_1");
  close();
  std::filesystem::resize_file(path(), std::filesystem::file_size(path()) - 8192);
  expect_left_alone("is damaged");
}

TEST_F(database, a_damaged_table_is_told_of_when_it_is_read) {
  make_webhook("hook_1");
  for (int i = 0; i < 100; ++i) accept("evt_" + std::to_string(i));
  std::int64_t page = 0;
  {
    sqlite::query q(db(), "SELECT rootpage FROM sqlite_schema WHERE name = 'webhooks'");
    ASSERT_TRUE(q.row());
    page = q.number(0);
  }
  close();
  auto bytes = bytes_of_file(path());
  std::fill_n(bytes.begin() + (page - 1) * 4096, 4096, '\x7f');
  write_file(path(), bytes);
  open();
  const auto said = std::get<refusal>(ask(read_webhook{"acme", "hook_1"}));
  EXPECT_EQ(said.why, refusal::reason::unavailable);
  EXPECT_NE(said.what.find("is damaged"), std::string::npos) << said.what;
  close();
  EXPECT_EQ(bytes_of_file(path()), bytes);
}

TEST_F(database, a_file_that_was_emptied_does_not_take_its_log_along) {
  close();
  write_file(path(), "");
  write_file(path() + "-wal", "what was committed last");
  expect_left_alone("is empty, but");
  EXPECT_EQ(bytes_of_file(path() + "-wal"), "what was committed last");
}

TEST_F(database, what_is_no_file_is_refused) {
  const auto folder = folder_.file("folder"), pipe = folder_.file("pipe");
  std::filesystem::create_directory(folder);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const auto& path : {folder, pipe}) {
    const auto file = database_file::open(path, at(0));
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().what, path + " is no regular file; give another one");
    EXPECT_FALSE(std::filesystem::exists(path + ".lock")) << path;
  }
  const auto none = database_file::open(folder_.file("no/such/hooks.db"), at(0));
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().what.find("check that its folder exists"), std::string::npos);
}

// Root may write anywhere, so it is somebody else who tries.
TEST_F(database, a_folder_that_can_not_be_written_is_told_of) {
  close();
  std::filesystem::permissions(folder_.path(), static_cast<std::filesystem::perms>(0555));
  ledger_child other({"open_as_nobody", path()});
  const auto said = other.line();
  EXPECT_NE(said.find("can not be opened for writing"), std::string::npos) << said;
  EXPECT_EQ(other.wait(), 1);
}

}  // namespace
}  // namespace gate::ledger
