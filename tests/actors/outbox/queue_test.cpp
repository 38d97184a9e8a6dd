#include "actors/outbox/queue.hpp"

#include <gtest/gtest.h>

#include <random>

namespace gate::outbox {
namespace {

using namespace std::chrono_literals;

constexpr bounds small{5, 100, 3, 100ms, 4, 500ms};

struct an_outbox : ::testing::Test {
  queue q{small};
  time_point now{1h};

  std::size_t put(const std::string& text, std::size_t count = 1) {
    return q.put(std::make_shared<const std::string>(text), now, count);
  }
  /// What is to be delivered now.
  std::string begin() {
    std::string out;
    for (const auto& it : q.begin(now)) out += *it;
    return out;
  }
  void pass(std::chrono::milliseconds t) { now += t; }
};

TEST_F(an_outbox, gathers_until_the_first_has_waited) {
  EXPECT_EQ(q.due(), queue::never);
  put("a");
  EXPECT_EQ(q.due(), now + 100ms);
  EXPECT_EQ(begin(), "");
  pass(60ms);
  put("b");
  pass(40ms);
  EXPECT_EQ(begin(), "ab");
  EXPECT_EQ(begin(), "") << "one at a time";
  EXPECT_EQ(q.due(), queue::never);
  put("c");
  pass(1h);
  EXPECT_EQ(begin(), "");
  q.taken();
  EXPECT_EQ(begin(), "c");
  q.taken();
  EXPECT_EQ(q.size(), 0U);
}

TEST_F(an_outbox, does_not_wait_when_a_batch_is_full) {
  for (const auto* it : {"a", "b", "c", "d"}) put(it);
  EXPECT_LE(q.due(), now);
  EXPECT_EQ(begin(), "abc");
  q.taken();
  EXPECT_EQ(begin(), "") << "the next one is not";
  pass(100ms);
  EXPECT_EQ(begin(), "d");
}

TEST_F(an_outbox, counts_what_an_item_holds) {
  EXPECT_EQ(put("a", 2), 0U);
  EXPECT_EQ(q.size(), 2U);
  EXPECT_EQ(put("b", 2), 0U);
  EXPECT_LE(q.due(), now) << "three are a batch";
  EXPECT_EQ(begin(), "a") << "and four are more";
  EXPECT_EQ(put("c", 2), 2U) << "five are the most: what waits makes room";
  EXPECT_EQ(q.size(), 4U);
  EXPECT_EQ(put("d", 4), 4U) << "for these there is none";
  EXPECT_EQ(q.refused(), 2U);
  EXPECT_EQ(put("e", 3), 0U);
  pass(100ms);
  EXPECT_EQ(begin(), "c");
  q.taken();
  EXPECT_EQ(begin(), "e");
  EXPECT_EQ(q.give_up(), 3U);
  EXPECT_EQ(q.size(), 0U);
  EXPECT_EQ(put("f", 4), 0U) << "more than a batch may have goes alone";
  EXPECT_EQ(begin(), "f");
}

TEST_F(an_outbox, tries_the_same_again_with_growing_pauses) {
  put("a");
  pass(100ms);
  for (const auto pause : {500ms, 1000ms, 2000ms}) {
    EXPECT_EQ(begin(), "a");
    EXPECT_EQ(q.failed(now, 0.5), 0U);
    EXPECT_EQ(q.due(), now + pause);
    put("b");
    pass(pause - 1ms);
    EXPECT_EQ(begin(), "");
    pass(1ms);
  }
  EXPECT_EQ(begin(), "a") << "what came meanwhile is of the next one";
  EXPECT_EQ(q.failed(now, 0.5), 1U) << "four attempts";
  EXPECT_EQ(begin(), "bbb");
  q.taken();
}

TEST_F(an_outbox, waits_at_least_as_long_as_it_is_told_to) {
  put("a");
  pass(100ms);
  begin();
  q.failed(now, 0.5, 3s);
  EXPECT_EQ(q.due(), now + 3s);
  pass(3s);
  begin();
  q.failed(now, 0.5, 1ms);
  EXPECT_EQ(q.due(), now + 1s) << "its own pause is longer";
}

TEST_F(an_outbox, gives_up_what_is_refused_and_goes_on) {
  for (const auto* it : {"a", "b", "c", "d"}) put(it);
  begin();
  EXPECT_EQ(q.refused(), 3U);
  EXPECT_EQ(q.size(), 1U);
  pass(100ms);
  EXPECT_EQ(begin(), "d");
  q.failed(now, 0.5);
  pass(500ms);
  begin();
  EXPECT_EQ(q.refused(), 1U) << "in whichever attempt";
  EXPECT_EQ(q.due(), queue::never);
}

TEST_F(an_outbox, spreads_its_pauses) {
  put("a");
  pass(100ms);
  begin();
  q.failed(now, 0);
  EXPECT_EQ(q.due(), now + 250ms);
  pass(250ms);
  begin();
  q.failed(now, 1);
  EXPECT_EQ(q.due(), now + 1500ms);
}

TEST_F(an_outbox, counts_attempts_of_each_batch) {
  put("a");
  pass(100ms);
  begin();
  q.failed(now, 0);
  pass(1s);
  begin();
  q.taken();
  put("b");
  pass(100ms);
  for (int attempt = 1; attempt < 4; ++attempt) {
    EXPECT_EQ(begin(), "b");
    EXPECT_EQ(q.failed(now, 0), 0U) << attempt;
    pass(10s);
  }
}

TEST_F(an_outbox, is_bounded_and_the_oldest_that_waits_makes_room) {
  for (const auto* it : {"a", "b", "c", "d", "e"}) EXPECT_EQ(put(it), 0U);
  EXPECT_EQ(put("f"), 1U);
  EXPECT_EQ(q.size(), 5U);
  EXPECT_EQ(begin(), "bcd");
  EXPECT_EQ(put("g"), 1U) << "e, since what is under way stays";
  q.taken();
  pass(100ms);
  EXPECT_EQ(begin(), "fg");
}

TEST_F(an_outbox, has_room_for_so_many_bytes) {
  EXPECT_EQ(put(std::string(101, 'x')), 1U) << "alone too much";
  EXPECT_EQ(put(std::string(60, 'x')), 0U);
  EXPECT_EQ(put(std::string(30, 'y')), 0U);
  EXPECT_EQ(put(std::string(20, 'z')), 1U);
  pass(100ms);
  EXPECT_EQ(begin(), std::string(30, 'y') + std::string(20, 'z'));
  EXPECT_EQ(put(std::string(60, 'x')), 1U) << "nothing waits that could make room";
  q.taken();
  EXPECT_EQ(put(std::string(100, 'x')), 0U);
}

TEST_F(an_outbox, hurries_and_gives_up) {
  put("a");
  q.hurry();
  EXPECT_EQ(begin(), "a");
  put("b");
  EXPECT_EQ(q.give_up(), 2U);
  EXPECT_EQ(q.size(), 0U);
  EXPECT_FALSE(q.under_way());
  EXPECT_EQ(put(std::string(100, 'x')), 0U) << "its bytes are forgotten";
}

TEST_F(an_outbox, loses_nothing_that_it_does_not_count) {
  std::mt19937 dice(7);
  std::size_t came = 0, lost = 0, left = 0;
  for (int step = 0; step < 20'000; ++step) {
    switch (dice() % 4) {
      case 0:
      case 1:
        ++came;
        lost += put(std::string(dice() % 120, 'x'));
        break;
      case 2:
        pass(std::chrono::milliseconds(dice() % 2000));
        q.begin(now);
        break;
      default:
        if (!q.under_way()) break;
        if (const auto before = q.size(); dice() % 2) {
          q.taken();
          left += before - q.size();
        } else {
          lost += q.failed(now, 0.5);
        }
    }
    ASSERT_LE(q.size(), small.items);
    ASSERT_EQ(came, lost + left + q.size());
  }
  EXPECT_GT(left, 0U);
  EXPECT_GT(lost, 0U);
}

}  // namespace
}  // namespace gate::outbox
