#include "transport/http/answer_intake.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "protocol/limits.hpp"

namespace gate::http {
namespace {

using turn = answer_intake::turn;

const std::string json_answer =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
const std::string stream_head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

struct an_intake : ::testing::Test {
  explicit an_intake(answer_rates r = {}) : rates(r), it(rates) { it.begin(1024); }
  answer_rates rates;
  answer_intake it;
};

TEST_F(an_intake, takes_answers_in_one_piece) {
  for (int i = 0; i < 3; ++i) {  // the second is recognised by its header
    EXPECT_FALSE(it.started());
    EXPECT_EQ(it.take(json_answer), turn::done);
    EXPECT_EQ(*it.answer().take_body(), "{}");
    EXPECT_TRUE(it.reusable());
    it.end();
    EXPECT_FALSE(it.awaits() || it.started() || it.reusable());
    it.begin(1024);
  }
}

TEST_F(an_intake, takes_answers_cut_anywhere) {
  for (std::size_t cut = 1; cut < json_answer.size(); ++cut) {
    ASSERT_EQ(it.take(json_answer.substr(0, cut)), turn::more) << cut;
    ASSERT_EQ(it.take(json_answer.substr(cut)), turn::done) << cut;
    ASSERT_EQ(*it.answer().take_body(), "{}") << cut;
    ASSERT_TRUE(it.reusable()) << cut;
    it.begin(1024);
  }
}

TEST_F(an_intake, takes_what_follows_an_interim_answer) {
  EXPECT_EQ(it.take("HTTP/1.1 100 Continue\r\n\r\n" + json_answer), turn::done);
  EXPECT_EQ(it.answer().status(), 200);
}

TEST_F(an_intake, is_not_reusable_with_bytes_that_nobody_asked_for) {
  EXPECT_EQ(it.take(json_answer + "HTTP/1.1 200 OK\r\n"), turn::done);
  EXPECT_FALSE(it.reusable());
}

TEST_F(an_intake, does_not_wait_for_a_header_that_does_not_end) {
  const std::string line = "X: " + std::string(4000, 'x') + "\r\n";
  auto now = it.take("HTTP/1.1 200 OK\r\n");
  for (int i = 0; i < 100 && now == turn::more; ++i) now = it.take(line);
  const bool malformed = now == turn::done && it.answer().end() == fetch_end::malformed;
  EXPECT_TRUE(now == turn::endless || malformed);
}

TEST_F(an_intake, gives_way_to_others_between_events) {
  std::string many = stream_head;
  for (std::size_t i = 0; i < 10 * limits::stream_turn_events; ++i) many += "data: 1\n\n";
  auto now = it.take(many);
  EXPECT_EQ(now, turn::later);
  std::size_t events = 0;
  for (int i = 0; i < 100 && now == turn::later; ++i) {
    events += it.answer().take_events().size();
    while (!it.may_go_on()) std::this_thread::yield();
    now = it.take({});
  }
  events += it.answer().take_events().size();
  EXPECT_EQ(now, turn::more);
  EXPECT_EQ(events, 10 * limits::stream_turn_events);
}

struct a_paced_intake : an_intake {
  a_paced_intake() : an_intake({.events_per_second = 1e-6, .events_at_once = 5}) {}
};

TEST_F(a_paced_intake, keeps_what_came_too_early) {
  std::string many = stream_head;
  for (int i = 0; i < 1000; ++i) many += "data: 1\n\n";
  auto now = it.take(many);
  std::size_t events = it.answer().take_events().size();
  while (now == turn::later && it.may_go_on()) {
    now = it.take({});
    events += it.answer().take_events().size();
  }
  EXPECT_EQ(now, turn::later);
  EXPECT_FALSE(it.may_go_on());
  EXPECT_GT(it.go_on_at(), answer_intake::clock::now());
  EXPECT_GT(events, 0U);
  EXPECT_LT(events, 100U);
  EXPECT_FALSE(it.reusable());
}

}  // namespace
}  // namespace gate::http
