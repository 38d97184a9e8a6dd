#include "protocol/sse/replay.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "protocol/limits.hpp"

namespace gate::sse {
namespace {

using namespace std::chrono_literals;

constexpr replay::time_point start{std::chrono::hours(1000)};

struct replays : ::testing::Test {
  replay r{std::make_shared<replay_pool>()};

  std::string after(replay::position p, replay::state expected) {
    std::string out;
    EXPECT_EQ(r.after(p, [&](std::string_view text) { out += text; }), expected);
    return out;
  }
};

TEST_F(replays, events_carry_ids_of_their_stream) {
  const auto a = r.open(), b = r.open();
  EXPECT_EQ(r.prime(a), "id: 1-1\nretry: 1000\ndata: \n\n");
  EXPECT_EQ(*r.add(b, "{}", start), "event: message\nid: 2-2\ndata: {}\n\n");
  EXPECT_EQ(*r.add(a, "[]", start), "event: message\nid: 1-3\ndata: []\n\n");
  EXPECT_EQ(*r.add(replay::own_stream, "7", start), "event: message\nid: 0-4\ndata: 7\n\n");
}

TEST_F(replays, repeat_what_came_after_and_only_of_that_stream) {
  const auto a = r.open(), b = r.open();
  r.prime(a);
  const std::string one = *r.add(a, "1", start);
  r.add(b, "x", start);
  const std::string two = *r.add(a, "2", start);
  EXPECT_EQ(after({a, 1}, replay::state::open), one + two);
  EXPECT_EQ(after({a, 2}, replay::state::open), two);
  EXPECT_EQ(after({a, 4}, replay::state::open), "");
  r.end(a);
  EXPECT_EQ(after({a, 2}, replay::state::ended), two) << "also the second time";
  r.forget(a);
  EXPECT_EQ(after({a, 2}, replay::state::lost), "");
  EXPECT_NE(after({b, 0}, replay::state::open), "");
}

TEST_F(replays, can_be_numbered_apart_from_what_was_said_elsewhere) {
  r.number_from(1000);
  const auto a = r.open();
  EXPECT_EQ(*r.add(a, "{}", start), "event: message\nid: 1000-1000\ndata: {}\n\n");
  r.add(replay::own_stream, "1", start);
  EXPECT_EQ(after({0, 17}, replay::state::lost), "") << "nobody knows what was missed";
  EXPECT_NE(after({0, 1000}, replay::state::open), "");
  EXPECT_EQ(after({1, 3}, replay::state::lost), "") << "a call that ran elsewhere";
}

TEST_F(replays, the_sessions_own_stream_begins_anew) {
  r.add(replay::own_stream, "1", start);
  r.add(replay::own_stream, "2", start);
  r.forget(replay::own_stream);
  r.prime(replay::own_stream);
  r.add(replay::own_stream, "3", start);
  EXPECT_EQ(after({0, 1}, replay::state::lost), "");
  EXPECT_NE(after({0, 2}, replay::state::open), "") << "nothing is missing";
  EXPECT_NE(after({0, 3}, replay::state::open), "");
}

TEST_F(replays, know_only_what_was_said) {
  r.add(1, "x", start);
  EXPECT_EQ(after({2, 1}, replay::state::lost), "");
  EXPECT_EQ(after({1, 7}, replay::state::lost), "") << "an id of the future";
}

TEST_F(replays, read_only_their_own_ids) {
  EXPECT_EQ(replay::read("0-17"), (replay::position{0, 17}));
  EXPECT_EQ(replay::read("12-3"), (replay::position{12, 3}));
  for (auto text : {"", "-", "1", "1-", "-1", "1-2-3", "a-1", "1-a", " 1-2", "1-2 ", "+1-2",
                    "99999999999999999999-1", "1-99999999999999999999"})
    EXPECT_FALSE(replay::read(text)) << text;
}

TEST_F(replays, are_bounded_in_bytes_and_tell_of_the_gap) {
  const std::string big(300'000, 'x');
  for (int i = 0; i < 4; ++i) r.add(replay::own_stream, big, start);
  EXPECT_LE(r.bytes(), limits::replay_bytes);
  EXPECT_EQ(after({0, 0}, replay::state::lost), "");
  EXPECT_NE(after({0, 1}, replay::state::open), "") << "the first is gone; who has it may go on";
  r.add(2, std::string(limits::replay_bytes, 'x'), start);
  EXPECT_EQ(after({2, 4}, replay::state::lost), "") << "too large to be kept";
  EXPECT_NE(after({0, 1}, replay::state::open), "");
}

TEST_F(replays, of_a_call_begin_where_they_can) {
  const std::string big(600'000, 'x');
  r.add(1, big, start);
  r.add(1, big, start);
  const std::string answer = *r.add(1, "answer", start);
  r.end(1);
  EXPECT_NE(after({1, 0}, replay::state::ended).find(answer), std::string::npos);
}

TEST_F(replays, know_a_bounded_number_of_streams) {
  const auto running = r.open();
  r.add(running, "x", start);
  for (std::size_t i = 0; i < 2 * limits::replay_streams; ++i) {
    const auto s = r.open();
    r.prime(s);
    r.end(s);
  }
  EXPECT_EQ(after({2, 2}, replay::state::lost), "");
  EXPECT_NE(after({running, 0}, replay::state::open), "") << "one that goes on is not forgotten";
}

TEST_F(replays, are_bounded_in_number) {
  for (std::size_t i = 0; i < limits::replay_events + 1; ++i) r.add(replay::own_stream, "x", start);
  EXPECT_EQ(after({0, 0}, replay::state::lost), "");
  EXPECT_NE(after({0, 1}, replay::state::open), "");
}

TEST_F(replays, forget_with_time) {
  r.add(1, "old", start);
  r.end(1);
  r.add(2, "old", start);
  r.add(2, "new", start + 1min);
  r.forget_before(start + 30s);
  EXPECT_EQ(after({1, 0}, replay::state::lost), "");
  EXPECT_NE(after({2, 0}, replay::state::open), "");
  EXPECT_NE(after({2, 2}, replay::state::open), "");
}

struct replays_together : ::testing::Test {
  static constexpr std::size_t most = 100'000;
  std::shared_ptr<replay_pool> pool = std::make_shared<replay_pool>(most);

  static bool lost(const replay& r, replay::position p) {
    return r.after(p, [](std::string_view) {}) == replay::state::lost;
  }
};

TEST_F(replays_together, give_back_what_they_held) {
  {
    replay r{pool};
    r.add(1, std::string(500, 'x'), start);
    EXPECT_EQ(pool->bytes(), r.bytes());
    EXPECT_GT(pool->bytes(), 500U);
  }
  EXPECT_EQ(pool->bytes(), 0U);
}

TEST_F(replays_together, lose_first_what_the_largest_keeps) {
  replay greedy{pool}, modest{pool}, late{pool};
  modest.add(replay::own_stream, std::string(1000, 'm'), start);
  for (int i = 0; i < 300; ++i) {
    greedy.add(replay::own_stream, std::string(1000, 'g'), start);
    EXPECT_LE(pool->bytes(), most);
  }
  EXPECT_FALSE(lost(modest, {0, 0})) << "what the others keep is not touched";
  EXPECT_TRUE(lost(greedy, {0, 0}));
  EXPECT_FALSE(lost(greedy, {0, 295})) << "its latest are kept";
  for (int i = 0; i < 20; ++i) late.add(replay::own_stream, std::string(1000, 'l'), start);
  EXPECT_FALSE(lost(late, {0, 0})) << "who comes late gets a share";
  EXPECT_FALSE(lost(modest, {0, 0}));
  EXPECT_LE(pool->bytes(), most);
}

TEST_F(replays_together, share_alike_when_all_want_much) {
  std::vector<std::unique_ptr<replay>> all;
  for (int i = 0; i < 4; ++i) all.push_back(std::make_unique<replay>(pool));
  for (int round = 0; round < 100; ++round)
    for (auto& r : all) r->add(replay::own_stream, std::string(1000, 'x'), start);
  for (auto& r : all) {
    EXPECT_GE(r->bytes(), most / 4 - 10'000);
    EXPECT_LE(r->bytes(), most / 4 + 10'000);
  }
}

TEST_F(replays_together, forget_with_time) {
  replay a{pool}, b{pool};
  a.add(1, "old", start);
  a.end(1);
  b.add(2, "new", start + 1min);
  pool->forget_before(start + 30s);
  EXPECT_TRUE(a.empty());
  EXPECT_FALSE(b.empty());
}

}  // namespace
}  // namespace gate::sse
