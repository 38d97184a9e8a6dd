#include "transport/lines.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

namespace gate {
namespace {

/// A pipe whose reading end is the test's.
class pipe_ends {
 public:
  pipe_ends() {
    if (::pipe2(fds_, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  }
  ~pipe_ends() {
    close_reader();
    close_writer();
  }
  int writer() const { return fds_[1]; }
  int capacity() const { return ::fcntl(fds_[1], F_GETPIPE_SZ); }
  void close_reader() { close(fds_[0]); }
  void close_writer() { close(fds_[1]); }

  /// Until nothing more fits in. The bytes are blanks.
  std::size_t fill() {
    ::fcntl(fds_[1], F_SETFL, O_NONBLOCK);
    std::size_t n = 0;
    for (const char blank = ' '; ::write(fds_[1], &blank, 1) == 1;) ++n;
    ::fcntl(fds_[1], F_SETFL, 0);
    return n;
  }
  /// What comes until `n` bytes are there, or the end.
  std::string read(std::size_t n) {
    std::string out;
    char buffer[65536];
    while (out.size() < n) {
      const auto got = ::read(fds_[0], buffer, std::min(sizeof buffer, n - out.size()));
      if (got <= 0) break;
      out.append(buffer, static_cast<std::size_t>(got));
    }
    return out;
  }

 private:
  static void close(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
  int fds_[2] = {-1, -1};
};

std::string numbered(int i) {
  auto digits = std::to_string(i);
  return std::string(8 - digits.size(), '0') + digits + "\n";
}
constexpr std::size_t line_bytes = 9;

std::vector<int> numbers(const std::string& text) {
  std::vector<int> out;
  for (std::size_t at = 0; at + line_bytes <= text.size(); at += line_bytes)
    out.push_back(std::stoi(text.substr(at, line_bytes)));
  return out;
}

TEST(line_writer, lines_arrive_whole_and_in_order) {
  pipe_ends p;
  line_writer out(p.writer(), {100'000, 1'000'000'000});
  constexpr int count = 20'000;
  std::thread writer([&out] {
    for (int i = 0; i < count; ++i) EXPECT_EQ(out.write(numbered(i)).all(), 0u);
  });
  const auto got = numbers(p.read(count * line_bytes));
  writer.join();
  ASSERT_EQ(got.size(), static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)], i);
}

TEST(line_writer, flush_returns_when_everything_is_written) {
  pipe_ends p;
  line_writer out(p.writer(), {100, 1'000'000'000});
  out.flush();  // nothing to do
  for (int i = 0; i < 10; ++i) {
    out.write(numbered(i));
    out.flush();
    // It is in the pipe already: reading can not block.
    EXPECT_EQ(p.read(line_bytes), numbered(i));
  }
}

TEST(line_writer, its_end_writes_what_is_left) {
  pipe_ends p;
  {
    line_writer out(p.writer(), {100, 1'000'000'000});
    for (int i = 0; i < 50; ++i) out.write(numbered(i));
  }
  p.close_writer();
  EXPECT_EQ(numbers(p.read(1'000'000)).size(), 50u);
}

TEST(line_writer, many_threads_write_whole_lines) {
  pipe_ends p;
  line_writer out(p.writer(), {100'000, 1'000'000'000});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&out, t] {
      for (int i = 0; i < 500; ++i) out.write(numbered(t * 500 + i));
    });
  auto got = numbers(p.read(2000 * line_bytes));
  for (auto& t : threads) t.join();
  std::ranges::sort(got);
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(got.at(static_cast<std::size_t>(i)), i);
}

TEST(line_writer, the_oldest_lines_make_room_and_are_counted) {
  pipe_ends p;
  const auto full = p.fill();
  constexpr std::size_t most = 10;
  constexpr int count = 200'000;
  line_writer out(p.writer(), {most, 1'000'000'000});
  std::size_t dropped = 0;
  for (int i = 0; i < count; ++i) dropped += out.write(numbered(i)).overflow;
  EXPECT_GT(dropped, 0u);
  p.read(full);
  const auto left = static_cast<std::size_t>(count) - dropped;
  const auto got = numbers(p.read(left * line_bytes));
  ASSERT_EQ(got.size(), left);
  EXPECT_TRUE(std::ranges::is_sorted(got));
  ASSERT_GE(got.size(), most);
  for (std::size_t i = 0; i < most; ++i)
    EXPECT_EQ(got[got.size() - most + i], count - static_cast<int>(most - i)) << "the newest stay";
}

TEST(line_writer, a_stuck_reader_costs_no_more_than_so_many_bytes) {
  pipe_ends p;
  const auto full = p.fill();
  constexpr std::size_t most = 1'000'000;
  line_writer out(p.writer(), {1'000'000, most});
  std::size_t dropped = 0, written = 0;
  const auto line = std::string(99'999, 'x') + '\n';
  for (int i = 0; i < 1000; ++i, ++written) dropped += out.write(line).overflow;
  EXPECT_EQ(out.write(std::string(most, 'y') + '\n').overflow, 1U) << "this one alone is too much";
  // Ten wait, and what the writer had taken before it was stuck.
  EXPECT_GE(dropped, written - 10 - 4);
  EXPECT_LE(dropped, written - 10);
  p.read(full);
  const auto left = p.read((written - dropped) * line.size());
  EXPECT_EQ(left.size(), (written - dropped) * line.size());
}

TEST(line_writer, a_reader_that_is_gone) {
  pipe_ends p;
  line_writer out(p.writer(), {10, 1'000'000'000});
  p.close_reader();
  out.write("nobody reads this\n");
  out.flush();
  EXPECT_EQ(out.write("nor this\n").failed, 2u) << "both are counted as dropped";
  EXPECT_EQ(out.write("nor that\n").failed, 1u);
}

TEST(line_writer, a_reader_that_is_stuck_does_not_hold_up_the_end) {
  pipe_ends p;
  p.fill();
  {
    line_writer out(p.writer(), {1'000'000, 1'000'000'000});
    for (int i = 0; i < 100'000; ++i) out.write(numbered(i));
  }
  SUCCEED() << "the destructor returned";
}

}  // namespace
}  // namespace gate
