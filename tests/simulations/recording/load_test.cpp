// Recordings in files: whole ones, damaged ones, huge ones, and those that are being written.
#include "simulations/recording/load.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "tests/simulations/recording/lines.hpp"

namespace gate::recording {
namespace {

using namespace testing;

class recording_file : public ::testing::Test {
 protected:
  ~recording_file() override { std::filesystem::remove_all(folder_); }

  const std::string& write(std::string_view text) {
    std::ofstream(path_, std::ios::binary | std::ios::app) << text;
    return path_;
  }
  /// The events of a file, or why it can not be used.
  result<loaded> read(const loading& how = {}) {
    listener to;
    to.event = [this](event&& e) { events_.push_back(std::move(e)); };
    return load(path_, to, how);
  }
  std::string problem() {
    const auto r = read();
    return r ? std::string() : r.error().what;
  }

  std::string folder_ = [] {
    auto name = std::filesystem::temp_directory_path() / "gate-load-XXXXXX";
    std::string text = name;
    return std::string(::mkdtemp(text.data()));
  }();
  std::string path_ = folder_ + "/r.jsonl";
  std::vector<event> events_;
};

const std::string whole_file = std::string(first_line) + '\n' + post(1, 1, "{}") + '\n' +
                               answered(2, 1, 200, "{}") + "\n{\"end\":\"shutdown\"}\n";

TEST_F(recording_file, whole) {
  write(whole_file);
  const auto r = read();
  ASSERT_TRUE(r) << r.error().what;
  EXPECT_EQ(r->ending, ending::shutdown);
  EXPECT_EQ(r->lines, 4u);
  EXPECT_EQ(r->first.units, 2u);
  EXPECT_TRUE(r->notes.empty());
  EXPECT_EQ(events_.size(), 2u);
}

/// As replays read it: each event where it stays.
std::size_t kept_events(const std::string& path) {
  std::vector<std::unique_ptr<event>> kept;
  listener to;
  to.place = [&]() -> event& { return *kept.emplace_back(std::make_unique<event>()); };
  const auto r = load(path, to);
  EXPECT_TRUE(r);
  return kept.size() - (r && r->spare_place ? 1 : 0);
}

TEST_F(recording_file, keeps_all_events_wherever_whoever_wrote_it_was_killed) {
  const auto events =
      std::string(first_line) + '\n' + post(1, 1, "{}") + '\n' + answered(2, 1, 200, "{}");
  const auto path = write(events);
  EXPECT_EQ(kept_events(path), 2U) << "behind the last event";
  write("\n");
  EXPECT_EQ(kept_events(path), 2U) << "behind its line feed";
  write(R"({"t":3,"u")");
  EXPECT_EQ(kept_events(path), 2U) << "in the next line";
  std::filesystem::resize_file(path, events.size());
  write("\n{\"end\":\"shutdown\"}\n");
  EXPECT_EQ(kept_events(path), 2U) << "whole";
  std::filesystem::resize_file(path, std::string(first_line).size() + 1);
  EXPECT_EQ(kept_events(path), 0U);
}

/// Lines are parsed many at a time: they are judged one by one all the same.
TEST_F(recording_file, of_many_pieces_is_read_in_its_order) {
  constexpr std::size_t count = 6000;
  const std::string filler(500, 'x');
  std::string text(first_line);
  for (std::size_t n = 1; n <= count; ++n)
    text += '\n' + post(n, n, n % 1000 == 0 ? std::string(2'000'000, 'y') : filler);
  const auto path = write(text + "\n{\"end\":\"shutdown\"}\n");
  std::deque<event> kept;
  listener to;
  to.place = [&]() -> event& { return kept.emplace_back(); };
  const auto r = load(path, to);
  ASSERT_TRUE(r) << r.error().what;
  EXPECT_EQ(r->lines, count + 2);
  EXPECT_EQ(r->ending, ending::shutdown);
  ASSERT_TRUE(r->spare_place);
  kept.pop_back();
  ASSERT_EQ(kept.size(), count);
  for (std::size_t n = 1; n <= count; ++n) ASSERT_EQ(kept[n - 1].number, n);
  EXPECT_EQ(kept[999].body->size(), 2'000'000U);

  std::filesystem::remove(path_);
  write(text + '\n' + post(1, 7, "again") + "\nno line\n");
  const auto bad = load(path, to);
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().what.find("line 6002: begins request 7"), std::string::npos)
      << bad.error().what;
}

/// A place is made for each line before any is judged: not for a million that are none.
TEST_F(recording_file, of_nothing_but_line_feeds_not_much_is_kept_before_it_is_refused) {
  const auto path = write(std::string(first_line) + std::string(1'000'000, '\n'));
  std::deque<event> kept;
  listener to;
  to.place = [&]() -> event& { return kept.emplace_back(); };
  const auto bad = load(path, to);
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().what.find("line 2: is empty"), std::string::npos) << bad.error().what;
  EXPECT_LE(kept.size(), 5000U);
}

TEST_F(recording_file, cut_off_at_each_byte_is_usable_or_says_why) {
  const auto end_of_first = whole_file.find('\n');
  for (std::size_t cut = 0; cut < whole_file.size(); ++cut) {
    std::filesystem::remove(path_);
    write(whole_file.substr(0, cut));
    events_.clear();
    const auto r = read();
    if (cut < end_of_first) {
      ASSERT_FALSE(r) << cut;
      EXPECT_NE(r.error().what.find(cut == 0 ? "is empty" : "line 1: "), std::string::npos);
      continue;
    }
    ASSERT_TRUE(r) << cut << ": " << r.error().what;
    const auto lines =
        std::count(whole_file.begin(), whole_file.begin() + std::ptrdiff_t(cut), '\n');
    EXPECT_GE(r->lines, std::uint64_t(lines));
    EXPECT_EQ(r->notes.empty(), cut + 1 == whole_file.size()) << cut;
  }
}

TEST_F(recording_file, damaged) {
  EXPECT_NE(problem().find("can not be opened"), std::string::npos);
  write(whole_file + "x\n");
  EXPECT_EQ(problem(), path_ +
                           ": line 5: stands behind the last line of the recording, which says "
                           "that it ends");
  std::filesystem::remove(path_);
  write(std::string(first_line) + "\n\n" + post(1, 1, "{}") + '\n');
  EXPECT_EQ(problem(), path_ + ": line 2: is empty; delete it");
  std::filesystem::remove(path_);
  // A line that is whole and wrong is not what a crash leaves.
  write(std::string(first_line) + '\n' + answered(1, 1, 200, "{}"));
  EXPECT_NE(problem().find("line 2: `answer` is of request 1"), std::string::npos);
  std::filesystem::remove(path_);
  write(std::string(4096, '\0'));
  EXPECT_NE(problem().find("line 1: is not the first line of a recording"), std::string::npos);
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_NE(problem().find("is a directory"), std::string::npos);
}

TEST_F(recording_file, a_line_of_ten_gigabytes_is_told_after_192_mib) {
  write("{\"gate_recording\":1,\"config\":{\"x\":\"");
  std::filesystem::resize_file(path_, 10'000'000'000);  // sparse: zeros, no line feed
  EXPECT_NE(problem().find("line 1: is longer than 192 MiB"), std::string::npos);
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  EXPECT_LT(used.ru_maxrss, 1'000'000) << "KiB";
}

TEST_F(recording_file, is_followed_while_it_is_written) {
  write(whole_file.substr(0, whole_file.find('\n') + 20));
  std::size_t waits = 0;
  listener to;
  to.event = [this](event&& e) { events_.push_back(std::move(e)); };
  to.caught_up = [&] {
    if (waits++ == 0) write(whole_file.substr(whole_file.find('\n') + 20));
  };
  const auto r = load(path_, to, {true, nullptr});
  ASSERT_TRUE(r) << r.error().what;
  EXPECT_EQ(waits, 1u);
  EXPECT_EQ(events_.size(), 2u);
  EXPECT_EQ(r->ending, ending::shutdown);
}

TEST_F(recording_file, is_not_followed_when_it_becomes_shorter) {
  const auto part = whole_file.substr(0, whole_file.find("{\"end\""));
  write(part);
  listener to;
  to.caught_up = [&] { ASSERT_EQ(::truncate(path_.c_str(), 40), 0); };
  const auto r = load(path_, to, {true, nullptr});
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().what.find("has become shorter"), std::string::npos) << r.error().what;
}

TEST_F(recording_file, is_followed_until_somebody_stops_it) {
  write(whole_file.substr(0, whole_file.find("{\"end\"")));
  std::atomic<bool> stop{false};
  listener to;
  to.caught_up = [&stop] { stop = true; };
  const auto r = load(path_, to, {true, &stop});
  ASSERT_TRUE(r) << r.error().what;
  EXPECT_EQ(r->ending, ending::none);
}

}  // namespace
}  // namespace gate::recording
