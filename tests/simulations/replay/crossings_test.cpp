#include "simulations/replay/crossings.hpp"

#include <gtest/gtest.h>

#include "tests/simulations/support/events.hpp"
#include "tests/simulations/support/growth.hpp"

namespace gate::replay {
namespace {

using recording::event;
using recording::kind;
using sim::testing::event_at;

/// A replay in which visit 0 is answered by the turn that begins with event `by`.
std::vector<crossing> found(event_list events, std::size_t by) {
  const auto tape = order({}, std::move(events), {});
  bool answered = false;
  crossings c(tape, [&](std::size_t v) { return v == 0 && answered; });
  for (std::size_t i = 0; i < tape.events.size(); ++i) {
    c.begin(i, i + 1);
    answered = answered || i == by;
    c.end(i, i + 1);
  }
  return c.found();
}

TEST(replay_crossings, a_word_before_a_takeover_may_have_come_to_router_behind_it) {
  const auto all = found(
      {event_at(kind::request, 1, 1), event_at(kind::fetch, 2, 5), event_at(kind::fetched, 10, 5),
       event_at(kind::adopted, 20), event_at(kind::answer, 30, 1)},
      2);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].adopted, 3U);
  EXPECT_EQ(all[0].words, std::vector<std::size_t>{2});
  EXPECT_EQ(all[0].visits, std::vector<std::size_t>{0});
}

TEST(replay_crossings, nothing_crosses_what_was_answered_as_it_was_recorded) {
  // The answer stands before the takeover.
  EXPECT_TRUE(found({event_at(kind::request, 1, 1), event_at(kind::fetch, 2, 5),
                     event_at(kind::fetched, 10, 5), event_at(kind::answer, 15, 1),
                     event_at(kind::adopted, 20)},
                    2)
                  .empty());
  // The replay answers it behind the takeover, too.
  EXPECT_TRUE(found({event_at(kind::request, 1, 1), event_at(kind::fetch, 2, 5),
                     event_at(kind::fetched, 10, 5), event_at(kind::adopted, 20),
                     event_at(kind::answer, 30, 1)},
                    3)
                  .empty());
  // It is no word of a server that answers it.
  EXPECT_TRUE(found({event_at(kind::request, 1, 1), event_at(kind::adopted, 20),
                     event_at(kind::answer, 30, 1)},
                    0)
                  .empty());
  // Long before; at another unit.
  EXPECT_TRUE(found({event_at(kind::request, 1, 1), event_at(kind::fetch, 2, 5),
                     event_at(kind::fetched, 10, 5), event_at(kind::adopted, 900'000),
                     event_at(kind::answer, 900'001, 1)},
                    2)
                  .empty());
  EXPECT_TRUE(found({event_at(kind::request, 1, 1), event_at(kind::fetch, 2, 5),
                     event_at(kind::fetched, 10, 5), event_at(kind::adopted, 20, 0, 1),
                     event_at(kind::answer, 30, 1)},
                    2)
                  .empty());
}

TEST(replay_crossings, news_of_servers_may_have_crossed_unseen) {
  const auto asks = [](std::uint64_t at, std::uint64_t number, std::string_view method) {
    auto e = event_at(kind::fetch, at, number);
    e.body = R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) + "\"}";
    return e;
  };
  const auto all = unseen_crossings(
      order({},
            {asks(1, 1, "tools/list"), asks(2, 2, "tools/call"), asks(3, 3, "initialize"),
             event_at(kind::fetched, 20'000, 1), event_at(kind::fetched, 20'001, 2),
             event_at(kind::fetched, 20'002, 3), event_at(kind::adopted, 20'010),
             event_at(kind::adopted, 20'011, 0, 1), event_at(kind::adopted, 90'000)},
            {}));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].adopted, 6U);
  EXPECT_EQ(all[0].words, (std::vector<std::size_t>{3, 5}));
}

TEST(replay_crossings, a_recording_that_has_all_at_one_moment_takes_time_by_its_length) {
  const auto made_up = [](std::size_t n) {
    event_list out;
    auto asks = event_at(kind::fetch, 1, 1);
    asks.body = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
    out.push_back(asks);
    for (std::size_t i = 0; i < n; ++i) {
      out.push_back(event_at(kind::request, 1, i));
      out.push_back(event_at(kind::streamed, 1, 1));
      out.push_back(event_at(kind::adopted, 1));
    }
    for (std::size_t i = 0; i < n; ++i) out.push_back(event_at(kind::answer, 1, i));
    return order({}, std::move(out), {});
  };
  // Far enough that what is bounded is reached.
  const auto grown = sim::testing::growth(2'000, [&](std::size_t n) {
    return [tape = made_up(n)] {
      unseen_crossings(tape);
      crossings c(tape, [](std::size_t) { return false; });
      for (std::size_t i = 0; i < tape.events.size(); ++i) {
        c.begin(i, i + 1);
        c.end(i, i + 1);
      }
    };
  });
  EXPECT_LT(grown, sim::testing::most_growth);
}

TEST(replay_crossings, a_takeover_that_made_it_worse_is_left_where_it_was) {
  const std::vector<crossing> all{{10, {4, 5}, {0, 1}}, {20, {14}, {2}}, {30, {24}, {3}}};
  const std::set<std::size_t> before{0, 1}, after{2};
  const auto late = worth_telling_late(
      all, [&](std::size_t v) { return before.contains(v); },
      [&](std::size_t v) { return after.contains(v); });
  // That of visit 3 made no difference to it: it may make one elsewhere.
  EXPECT_EQ(late, (late_words{{4, 10}, {5, 10}, {24, 30}}));
}

}  // namespace
}  // namespace gate::replay
