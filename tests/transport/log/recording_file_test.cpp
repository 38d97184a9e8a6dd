#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "transport/recording.hpp"

namespace gate {
namespace {

class recording_files : public ::testing::Test {
 public:
  recording_files() {
    char name[] = "/tmp/gate-recording-XXXXXX";
    folder = ::mkdtemp(name);
    path = folder + "/r.jsonl";
  }
  ~recording_files() override { std::filesystem::remove_all(folder); }
  std::string text() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string folder, path;
};

TEST_F(recording_files, lines_in_their_order_and_a_last_one) {
  auto made = recording_file::make(path, "first\n", 1 << 20);
  ASSERT_TRUE(made);
  struct stat s {};
  ASSERT_EQ(::stat(path.c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0600u);
  std::string all = "first\n";
  for (int i = 0; i < 1000; ++i) {
    const auto line = std::to_string(i) + "\n";
    (*made)->write(line);
    all += line;
  }
  EXPECT_FALSE((*made)->over());
  (*made)->end(recording::ending::shutdown);
  EXPECT_EQ(text(), all + "{\"end\":\"shutdown\"}\n");
  (*made)->write("late\n");
  (*made)->end(recording::ending::shutdown);
  EXPECT_EQ(text(), all + "{\"end\":\"shutdown\"}\n");
}

TEST_F(recording_files, one_that_exists_or_can_not_be_is_an_error) {
  std::ofstream(path) << "mine";
  const auto made = recording_file::make(path, "first\n", 1 << 20);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().what, "it exists already; name a file that does not");
  EXPECT_EQ(text(), "mine");
  const auto nowhere = recording_file::make(folder + "/none/r", "first\n", 1 << 20);
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().what, "it can not be made: No such file or directory");
}

/// Files may have so many bytes as long as this lives.
class small_files {
 public:
  explicit small_files(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~small_files() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  small_files(const small_files&) = delete;
  small_files& operator=(const small_files&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = SIG_DFL;
};

TEST_F(recording_files, one_that_has_no_room_for_its_first_line_is_not_left_behind) {
  const small_files few(3);
  const auto made = recording_file::make(path, "first\n", 1 << 20);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().what, "it can not be written: File too large");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(recording_files, its_limit_is_kept) {
  const std::string line(99, 'x');
  auto made = recording_file::make(path, "first\n", 1000);
  for (int i = 0; i < 20; ++i) (*made)->write(line + "\n");
  EXPECT_TRUE((*made)->over());
  (*made)->end(recording::ending::shutdown);
  EXPECT_LE(text().size(), 1000u);
  EXPECT_GT(text().size(), 800u);
  EXPECT_TRUE(text().ends_with("x\n{\"end\":\"limit\"}\n"));
}

TEST_F(recording_files, a_full_queue_is_a_gap) {
  const std::string line(600, 'x');
  auto made = recording_file::make(path, "first\n", 1 << 20, 1000);
  (*made)->write(line + "\n");
  (*made)->write(line + "\n");  // what waits is gathered for longer than this takes, mostly
  (*made)->write(std::string(1001, 'y'));
  EXPECT_TRUE((*made)->over());
  (*made)->end(recording::ending::shutdown);
  EXPECT_TRUE(text().ends_with("x\n{\"end\":\"gap\"}\n"));
  EXPECT_EQ(text().find('y'), std::string::npos);
}

TEST_F(recording_files, giving_up_waits_for_nobody) {
  auto made = recording_file::make(path, "first\n", 1 << 20);
  (*made)->give_up();
  EXPECT_TRUE((*made)->over());
  made->reset();
  EXPECT_EQ(text(), "first\n{\"end\":\"gap\"}\n");
}

TEST_F(recording_files, whole_lines_of_several_threads) {
  auto made = recording_file::make(path, "", 1 << 20);
  std::vector<std::thread> all;
  for (int i = 0; i < 3; ++i)
    all.emplace_back([&, i] {
      for (int n = 0; n < 500; ++n)
        (*made)->write(std::string(20, static_cast<char>('a' + i)) + "\n");
    });
  for (auto& t : all) t.join();
  (*made)->end(recording::ending::none);
  std::ifstream in(path);
  std::size_t lines = 0;
  for (std::string line; std::getline(in, line); ++lines)
    EXPECT_EQ(line, std::string(20, line.empty() ? ' ' : line.front()));
  EXPECT_EQ(lines, 1500u);
}

TEST(secret_registers, keep_each_once_in_order) {
  secret_register r;
  r.add("a");
  r.add("b");
  r.add("a");
  EXPECT_EQ(r.size(), 2u);
  EXPECT_EQ(r.from(0), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(r.from(1), (std::vector<std::string>{"b"}));
  EXPECT_TRUE(r.from(2).empty());
}

}  // namespace
}  // namespace gate
