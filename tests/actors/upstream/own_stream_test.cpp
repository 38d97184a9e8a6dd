#include "actors/upstream/own_stream.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"

namespace gate::upstream {
namespace {

using namespace std::chrono_literals;
using step = own_stream::next::step;
constexpr own_stream::time_point midday{12h};

fetched status(int code) {
  fetched f;
  f.status = code;
  return f;
}
fetched over(std::optional<std::uint32_t> retry_ms = {}) {
  auto f = status(200);
  f.media = media::events;
  f.retry_ms = retry_ms;
  return f;
}
fetched failed(fetch_end how) {
  fetched f;
  f.end = how;
  return f;
}
void hear(own_stream& s, std::string id) {
  sse::event e{{}, {}, std::move(id), true};
  s.place().received(e);
}

struct an_own_stream : ::testing::Test {
  an_own_stream() { it.begin(1, midday); }
  own_stream::next end(const fetched& f, own_stream::time_point at = midday) {
    it.closed();
    return it.ended(f, at);
  }
  own_stream it;
};

TEST_F(an_own_stream, is_not_opened_again_where_there_is_none) {
  EXPECT_EQ(end(status(405)).what, step::never);
  EXPECT_EQ(end(status(404)).what, step::never) << "a server that knows only POST";
  EXPECT_EQ(end(status(200)).what, step::never) << "some page";
}

TEST_F(an_own_stream, that_worked_and_is_not_known_any_more_says_that_the_session_is_lost) {
  it.opened();
  EXPECT_EQ(end(status(404)).what, step::lost);
  it.in_new_session();
  it.begin(2, midday);
  EXPECT_EQ(end(status(404)).what, step::never) << "that was another session's";
}

TEST_F(an_own_stream, that_is_refused_with_an_id_is_asked_for_without) {
  hear(it, "e1");
  EXPECT_EQ(end(status(400)).what, step::at_once);
  EXPECT_FALSE(it.place().known());
  EXPECT_TRUE(it.missed_something());
  it.begin(2, midday);
  EXPECT_EQ(end(status(400)).what, step::later) << "that was not why";
}

TEST_F(an_own_stream, waits_longer_each_time_that_it_was_good_for_nothing) {
  auto last = own_stream::time_point::duration{0};
  for (const auto& f :
       {over(), status(500), failed(fetch_end::broken), failed(fetch_end::connect_failed)}) {
    const auto next = end(f);
    ASSERT_EQ(next.what, step::later);
    EXPECT_GT(next.at - midday, last);
    last = next.at - midday;
    it.begin(2, midday);
  }
  for (int i = 0; i < 20; ++i) last = it.after_failure(midday) - midday;
  EXPECT_EQ(last, limits::stream_pause_most);
}

TEST_F(an_own_stream, waits_a_moment_if_it_was_good) {
  it.after_failure(midday);
  it.after_failure(midday);
  const auto later = midday + limits::stream_good;
  EXPECT_EQ(end(over(), later).at, later + limits::stream_pause);
}

TEST_F(an_own_stream, waits_as_the_server_says_if_that_is_longer) {
  EXPECT_EQ(end(over(20'000)).at, midday + 20s);
  it.begin(2, midday);
  EXPECT_GE(end(over(1)).at, midday + limits::stream_pause);
}

TEST_F(an_own_stream, has_one_timer_at_a_time) {
  EXPECT_TRUE(it.wait_until(midday + 1s));
  EXPECT_FALSE(it.wait_until(midday + 9s)) << "one is set";
  EXPECT_EQ(it.due(), midday + 9s) << "the latest word counts";
  it.rung();
  EXPECT_TRUE(it.wait_until(midday + 9s));
}

TEST_F(an_own_stream, knows_its_fetch) {
  EXPECT_EQ(it.id(), 1u);
  it.closed();
  EXPECT_EQ(it.id(), 0u);
  EXPECT_FALSE(it.worked());
}

TEST_F(an_own_stream, is_replaced_once_the_next_is_acknowledged) {
  EXPECT_TRUE(it.change(midday, 1min));
  EXPECT_EQ(it.before(), 1U);
  it.begin(2, midday);
  EXPECT_FALSE(it.change(midday + 1s, 1min)) << "one at a time";
  EXPECT_TRUE(it.lacks());
  EXPECT_TRUE(it.acknowledged()) << "and then the other change";
  EXPECT_EQ(it.before(), 0U);
  EXPECT_FALSE(it.lacks());
}

TEST_F(an_own_stream, does_not_wait_for_ever_for_an_acknowledgement) {
  EXPECT_TRUE(it.change(midday, 1min));
  it.begin(2, midday);
  EXPECT_FALSE(it.change(midday + 1min - 1ms, 1min));
  EXPECT_TRUE(it.change(midday + 1min, 1min));
  EXPECT_EQ(it.before(), 2U);
}

TEST_F(an_own_stream, goes_on_if_the_next_comes_to_nothing) {
  EXPECT_TRUE(it.change(midday, 1min));
  it.begin(2, midday);
  it.fall_back();
  EXPECT_EQ(it.id(), 1U);
  EXPECT_EQ(it.before(), 0U);
  EXPECT_TRUE(it.lacks());
}

TEST_F(an_own_stream, is_settled_when_it_is_open_or_not_to_be_had) {
  EXPECT_FALSE(it.settled()) << "it was asked for";
  it.opened();
  EXPECT_TRUE(it.settled());
  end(over(), noon + 1h);
  EXPECT_FALSE(it.settled()) << "it was good, and is about to come again";
  for (const auto& f : {status(405), status(500), over(), failed(fetch_end::connect_failed)}) {
    it.begin(2, noon);
    EXPECT_FALSE(it.settled());
    end(f);
    EXPECT_TRUE(it.settled()) << f.status;
  }
  it.in_new_session();
  EXPECT_FALSE(it.settled());
  it.after_failure(noon);
  EXPECT_TRUE(it.settled());
}

TEST_F(an_own_stream, gets_another_credential_once_until_it_is_open) {
  EXPECT_TRUE(it.renew_credential());
  EXPECT_FALSE(it.renew_credential());
  it.opened();
  EXPECT_TRUE(it.renew_credential());
}

}  // namespace
}  // namespace gate::upstream
