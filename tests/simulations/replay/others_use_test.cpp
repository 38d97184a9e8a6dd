#include "simulations/replay/others_use.hpp"

#include <gtest/gtest.h>

#include "actors/fleet/shared_counters.hpp"
#include "actors/fleet/shared_windows.hpp"
#include "actors/fleet/stage_question.hpp"
#include "protocol/fleet/count_names.hpp"

namespace gate::replay {
namespace {

using recording::event;
using recording::kind;

constexpr std::int64_t minute = 29'000'000;
constexpr std::int64_t hour_end = 1'740'003'600;

event something(kind what, std::uint64_t at, std::uint64_t number, std::uint64_t unit = 0) {
  event e;
  e.what = what;
  e.at = at;
  e.number = number;
  e.unit = unit;
  return e;
}

/// A request, the question that it led to, and the answer.
class recorded_fleet {
 public:
  std::size_t request(std::uint64_t unit = 0) {
    events_.push_back(something(kind::request, ++t_, ++n_, unit));
    return events_.size() - 1;
  }
  std::uint64_t ask(std::string_view script, std::string rest, std::uint64_t unit = 0) {
    auto e = something(kind::asked, ++t_, ++n_, unit);
    e.op = "charge";
    e.words = "[\"" + resp::make_script(script)->digest + "\"," + std::move(rest) + "]";
    events_.push_back(std::move(e));
    return n_;
  }
  void tell(std::uint64_t number, std::string reply, std::uint64_t unit = 0) {
    auto e = something(kind::told, ++t_, number, unit);
    e.outcome = "ok";
    e.reply = std::move(reply);
    events_.push_back(std::move(e));
  }
  /// One asks the window `key` at this ms of the minute, and it fits.
  void window(const std::string& key, std::int64_t ms, std::int64_t current,
              std::int64_t previous = 0, std::int64_t fit = 1) {
    const auto n = ask(fleet::stage_script(), "\"" + key + R"(","1","1","20")");
    tell(n, "[" + std::string(fit ? "0," : "1,") + std::to_string(minute * 60'000 + ms) + "," +
                std::to_string(fit) + "," + std::to_string(minute) + "," + std::to_string(current) +
                "," + std::to_string(previous) + "]");
  }
  void budget(const std::string& key, std::int64_t ms, std::int64_t used, std::int64_t fit = 1) {
    const auto n = ask(fleet::stage_script(), "\"" + key + R"(","0","1","1740000000",")" +
                                                  std::to_string(hour_end) + R"(","100")");
    tell(n, "[" + std::string(fit ? "0," : "1,") + std::to_string(minute * 60'000 + ms) + "," +
                std::to_string(fit) + "," + std::to_string(used) + "]");
  }
  others found() const { return used_by_others(order({}, events_, recording::ending::shutdown)); }

 private:
  event_list events_;
  std::uint64_t t_ = 0, n_ = 0;
};

TEST(others_use, is_what_the_store_counted_beyond_our_own) {
  recorded_fleet f;
  const auto first = f.request();
  f.window("gate:{rl}:server", 1000, 4);
  f.request();
  f.window("gate:{rl}:server", 2000, 5);
  const auto third = f.request();
  f.window("gate:{rl}:server", 3000, 9);
  const auto& [used, clock] = f.found();
  ASSERT_EQ(used.size(), 2U);
  EXPECT_EQ(used[0].by, first);
  EXPECT_EQ(used[0].key, "gate:{rl}:server");
  EXPECT_EQ(used[0].minute, minute);
  EXPECT_EQ(used[0].sum, 3);
  EXPECT_EQ(used[1].by, third);
  EXPECT_EQ(used[1].sum, 3) << "9, of which 3 were ours and 3 known";
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->count(), minute * 60'000 + 999) << "a few µs later it was a second";
}

TEST(others_use, of_who_is_refused_all_is_others) {
  recorded_fleet f;
  f.request();
  f.window("gate:{rl}:server", 1000, 20, 7, 0);
  const auto used = f.found().used;
  ASSERT_EQ(used.size(), 2U);
  EXPECT_EQ(used[0].minute, minute - 1);
  EXPECT_EQ(used[0].sum, 7);
  EXPECT_EQ(used[1].minute, minute);
  EXPECT_EQ(used[1].sum, 20);
}

TEST(others_use, answers_count_in_the_order_in_which_the_store_gave_them) {
  recorded_fleet f;
  f.request(0);
  f.request(1);
  const auto one = f.ask(fleet::stage_script(), R"("gate:{rl}:server","1","1","20")", 0);
  const auto two = f.ask(fleet::stage_script(), R"("gate:{rl}:server","1","1","20")", 1);
  const auto said = [](int count) {
    return "[0," + std::to_string(minute * 60'000) + ",1," + std::to_string(minute) + "," +
           std::to_string(count) + ",0]";
  };
  f.tell(two, said(2), 1);
  f.tell(one, said(1), 0);
  EXPECT_TRUE(f.found().used.empty()) << "both are ours";
}

TEST(others_use, budgets_know_what_was_added_for_us) {
  recorded_fleet f;
  const auto first = f.request();
  f.budget("gate:{budget}:server:hour:1740000000", 1000, 11);
  // Five were charged while the store was away.
  const auto n = f.ask(fleet::add_script(), R"("secret:0a1b2c3d","gate:{budget}:server:hour:)"
                                            R"(1740000000","1740003600","5")");
  f.tell(n, "1");
  f.request();
  f.budget("gate:{budget}:server:hour:1740000000", 2000, 17);
  const auto used = f.found().used;
  ASSERT_EQ(used.size(), 1U);
  EXPECT_EQ(used[0].by, first);
  EXPECT_EQ(used[0].sum, 10);
  EXPECT_FALSE(used[0].minute);
  EXPECT_EQ(used[0].until, hour_end);
}

TEST(others_use, one_unit_asks_for_all) {
  recorded_fleet f;
  f.request(0);
  const auto second = f.request(1);
  f.window("gate:{rl}:server", 1000, 4);
  const auto used = f.found().used;
  ASSERT_EQ(used.size(), 1U);
  EXPECT_EQ(used[0].by, second);
}

TEST(others_use, what_is_given_back_was_ours) {
  recorded_fleet f;
  f.request();
  f.window("gate:{rl}:token", 1000, 1);
  f.tell(f.ask(fleet::give_back_script(), R"("gate:{rl}:token",")" + std::to_string(minute) + "\""),
         "1");
  f.request();
  f.window("gate:{rl}:token", 2000, 2);
  const auto used = f.found().used;
  ASSERT_EQ(used.size(), 1U);
  EXPECT_EQ(used[0].sum, 1);
}

TEST(others_use, a_store_without_its_data_begins_anew) {
  recorded_fleet f;
  f.request();
  f.window("gate:{rl}:server", 1000, 1);
  f.window("gate:{rl}:server", 1001, 2);
  f.window("gate:{rl}:server", 1002, 1);
  f.window("gate:{rl}:server", 1003, 4);
  const auto used = f.found().used;
  ASSERT_EQ(used.size(), 1U);
  EXPECT_EQ(used[0].sum, 2);
}

TEST(others_use, numbers_beyond_all_bounds_do_no_harm) {
  const std::string large = "9223372036854775807", small = "-9223372036854775808";
  recorded_fleet f;
  f.request();
  const auto budget = [&](const std::string& end, const std::string& reply) {
    f.tell(f.ask(fleet::stage_script(),
                 R"("gate:{budget}:server:hour:0","0","1","0",")" + end + R"(","1")"),
           reply);
  };
  for (int i = 0; i < 3; ++i) {
    budget(large, "[0,1," + large + "," + large + "]");
    budget(small, "[0,2," + large + ",0]");
    budget("1", "[0," + large + ",1,1]");
    f.tell(f.ask(fleet::add_script(),
                 R"("x","gate:{budget}:server:hour:0","0",")" + (i % 2 ? large : small) + "\""),
           "1");
    f.tell(f.ask(fleet::stage_script(), R"("gate:{rl}:server","1","1","20")"),
           "[0,3,1," + large + "," + large + "," + large + "]");
    f.tell(f.ask(fleet::give_back_script(), R"("gate:{rl}:server",")" + small + "\""), "1");
  }
  for (const auto& one : f.found().used) EXPECT_LE(one.until, 9'000'000'000);
}

TEST(others_use, names_of_limits_and_budgets_are_told_from_others) {
  for (const auto name : {"gate:{rl}:server", "gate:{rl}:token", "gate:{budget}:rl:upstream:a",
                          "gate:{budget}:tenant:north:day:1740000000"})
    EXPECT_TRUE(fleet::names_a_count(name)) << name;
  for (const auto name : {"gate:{budget}:added:0a1b", "gate:{circuit}:a", "gate:session:0a1b", ""})
    EXPECT_FALSE(fleet::names_a_count(name)) << name;
}

TEST(others_use, what_can_not_be_understood_says_nothing) {
  recorded_fleet f;
  f.request();
  f.window("secret:0a1b2c3d", 1000, 9);
  f.tell(f.ask(fleet::stage_script(), R"("gate:{rl}:server","2","1","20")"), "[0,1,1,1,9,0]");
  f.tell(f.ask(fleet::stage_script(), R"("gate:{rl}:server","1","x","20")"), "[0,1,1,1,9,0]");
  f.tell(f.ask(fleet::stage_script(), R"("1","1","20")"), "[0,1,1,1,9,0]");
  f.tell(f.ask(fleet::stage_script(), R"("gate:{rl}:server","1","1","20")"), R"({"error":"OOM"})");
  f.tell(f.ask(fleet::stage_script(), R"("gate:{rl}:server","1","1","20")"), "[0,1]");
  f.tell(f.ask(fleet::stage_script(), R"("gate:{budget}:server:hour:0","0","1","0","1","9")"),
         "[-1,99]");
  f.tell(99, "[0,1,1,1,9,0]");
  f.ask(fleet::add_script(), R"("1","2","3")");
  EXPECT_TRUE(f.found().used.empty());
}

}  // namespace
}  // namespace gate::replay
