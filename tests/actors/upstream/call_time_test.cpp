#include "actors/upstream/call_time.hpp"

#include <gtest/gtest.h>

namespace gate::upstream {
namespace {

using namespace std::chrono_literals;

constexpr call_time::time_point start{std::chrono::hours(1000)};

call_time begun(call_time::milliseconds silence = 10s, call_time::milliseconds most = 30s) {
  call_time t;
  t.begin(start, silence, most);
  return t;
}

TEST(call_time, is_silence_up_to_a_most) {
  auto t = begun();
  EXPECT_EQ(t.deadline, start + 10s);
  t.said(start + 9s);
  EXPECT_EQ(t.deadline, start + 19s);
  t.said(start + 9s);
  EXPECT_EQ(t.deadline, start + 19s);
  t.said(start + 19s);
  t.said(start + 25s);
  EXPECT_EQ(t.deadline, start + 30s);
  t.said(start + 29s);
  EXPECT_EQ(t.deadline, start + 30s);
}

TEST(call_time, a_most_below_the_silence_is_the_silence) {
  auto t = begun(10s, 5s);
  EXPECT_EQ(t.deadline, start + 10s);
  t.said(start + 5s);
  EXPECT_EQ(t.deadline, start + 10s);
}

TEST(call_time, stands_while_the_client_is_asked) {
  auto t = begun();
  t.said(start + 8s);
  t.ask(start + 10s);
  EXPECT_EQ(t.deadline, start + 10s + limits::question);
  t.ask(start + 20s);
  EXPECT_EQ(t.deadline, start + 20s + limits::question);
  t.said(start + 25s);
  EXPECT_EQ(t.deadline, start + 20s + limits::question) << "it is the client's turn";
  t.answered(start + 110s);
  EXPECT_EQ(t.deadline, start + 120s);
  t.said(start + 119s);
  t.said(start + 128s);
  EXPECT_EQ(t.deadline, start + 130s) << "30 s in all, and 100 s with the client";
}

TEST(call_time, a_most_beyond_a_question_holds) {
  auto t = begun(20min, 20min);
  t.ask(start);
  EXPECT_EQ(t.deadline, start + 20min);
}

}  // namespace
}  // namespace gate::upstream
