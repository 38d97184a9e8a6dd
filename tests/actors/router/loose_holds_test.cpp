#include "actors/router/loose_holds.hpp"

#include <algorithm>
#include <span>

#include "protocol/limits.hpp"
#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

struct some_loose_holds : sim::router_stage {
  fleet_line line{doors, fleet_settings{std::string(limits::fleet_secret_bytes, 's')},
                  [](std::span<std::uint8_t> out) { std::ranges::fill(out, std::uint8_t{1}); },
                  fleet_line::callbacks{[] {}, [](const auto&, const auto&) {}}};
  bool held = false, sought = false;
  loose_holds all{it.shared(), line, [this](const auto&) { return held; },
                  [this](const auto&) { return sought; }};
  std::size_t settled = 0;

  void leave(const std::string& key) {
    all.leave(key, fleet::release_session(0, key, line.name(), std::chrono::seconds{5}),
              [this](const store_told&) { ++settled; }, {});
  }
  /// Those that are to be released, of all that was asked.
  std::vector<std::string> released() const {
    std::vector<std::string> out;
    for (const auto& one : doors.asked)
      if (one.script) out.push_back(one.keys.at(0));
    return out;
  }
};

TEST_F(some_loose_holds, that_are_departures_are_not_given_up_for_looks) {
  leave("left");
  for (std::size_t n = 0; n < 2 * limits::sessions_unknown; ++n)
    all.forget("looked at " + std::to_string(n));
  line.on_turned(true);
  all.tell();
  EXPECT_EQ(released(), std::vector<std::string>{"left"});
}

TEST_F(some_loose_holds, of_a_full_house_are_looks_no_more) {
  for (std::size_t n = 0; n < limits::sessions_unknown; ++n) leave(std::to_string(n));
  all.forget("looked at");
  leave("last");
  line.on_turned(true);
  for (std::size_t n = 0; n < limits::sessions_unknown; n += limits::store_debts_at_once)
    all.tell();
  EXPECT_EQ(doors.asked.size(), limits::sessions_unknown);
  EXPECT_EQ(released().size(), limits::sessions_unknown) << "none was only looked at";
  EXPECT_EQ(released().front(), "1") << "the oldest is given up";
  EXPECT_EQ(released().back(), "last");
}

TEST_F(some_loose_holds, wait_while_their_session_is_looked_for) {
  line.on_turned(true);
  leave("left");
  sought = true;
  all.tell();
  EXPECT_TRUE(released().empty());
  sought = false;
  all.tell();
  EXPECT_EQ(released().size(), 1U) << "it was not found";
  leave("found");
  held = true;
  all.tell();
  held = false;
  all.tell();
  EXPECT_EQ(released().size(), 1U) << "it was held in between";
}

}  // namespace
}  // namespace gate::routing
