// Lines that are parsed side by side say what they say one after the other.
#include "simulations/recording/lanes.hpp"

#include <deque>

#include "protocol/recording/parse.hpp"
#include "tests/simulations/recording/lines.hpp"

namespace gate::recording {
namespace {

using namespace testing;

/// Each the same but for its number; some are wrong, one is the last line.
std::vector<std::string> some_lines(std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(i % 97 == 50 ? R"({"t":1,"e":"?"})" : post(i, i, std::to_string(i)));
  if (count > 300) out[300] = R"({"end":"limit"})";
  return out;
}

void expect_as_one_by_one(lanes& by, std::size_t count) {
  const auto texts = some_lines(count);
  const std::vector<std::string_view> lines(texts.begin(), texts.end());
  std::deque<event> all(count), alone(count);
  std::vector<event*> places;
  places.reserve(count);
  for (auto& e : all) places.push_back(&e);
  const auto said = by.parse(lines, places);
  ASSERT_EQ(said.size(), count);
  header_memo memo;
  for (std::size_t i = 0; i < count; ++i) {
    const auto one = parse_line(lines[i], alone[i], memo);
    ASSERT_EQ(said[i].has_value(), one.has_value()) << i;
    if (!one)
      EXPECT_EQ(said[i].error().what, one.error().what);
    else
      EXPECT_EQ(*said[i], *one);
    EXPECT_EQ(all[i].number, alone[i].number);
    EXPECT_EQ(all[i].body, alone[i].body);
    EXPECT_EQ(all[i].headers, alone[i].headers);
  }
}

TEST(recording_lanes, say_what_one_thread_says) {
  lanes by;
  for (const std::size_t count : {0, 1, 63, 64, 127, 128, 129, 1000, 64}) {
    SCOPED_TRACE(count);
    expect_as_one_by_one(by, count);
  }
}

TEST(recording_lanes, one_is_enough) {
  lanes by(1);
  expect_as_one_by_one(by, 1000);
}

}  // namespace
}  // namespace gate::recording
