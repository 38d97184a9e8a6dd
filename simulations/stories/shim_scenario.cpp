#include "simulations/stories/shim_scenario.hpp"

#include <array>

#include "simulations/stories/setup.hpp"

namespace gate::shim_churn {
namespace {

using churn::dice;
using churn::habit;
using churn::some_time;
using stories::setting;
using stories::unit;

/// In the order of `act`: how often each happens.
constexpr std::array shim_habits{
    habit{act::come, "come", 9, "a client initializes"},
    habit{act::call, "call", 34, "a client calls a tool"},
    habit{act::burst, "burst", 5, "a client calls a tool several times at once"},
    habit{act::ping, "ping", 2, "a client pings"},
    habit{act::cancel, "cancel", 4, "a client cancels a call of its own"},
    habit{act::vanish, "vanish", 4, "a request under way loses its connection"},
    habit{act::listen, "listen", 5, "a client opens its stream"},
    habit{act::leave, "leave", 5, "a client ends its session"},
    habit{act::stray, "stray", 2, "somebody names a session that there is not"},
    habit{act::health, "health", 3, "somebody asks for /health"},
    habit{act::crash, "crash", 1, "a SESSION crashes"},
    habit{act::wait, "wait", 20, "time passes"},
    habit{act::steps, "steps", 12, "up to 25 messages are handled"},
    habit{act::settle, "settle", 5, "all messages are handled"},
};
static_assert(churn::in_order(shim_habits, act::settle));

constexpr setting deed(std::string_view name, std::uint32_t weight, std::string_view about) {
  return {"faults", name, unit::weight, weight, 0, stories::most_weight, about};
}

/// In the order of `knob`; behind them what children do with calls.
constexpr std::array shim_settings{
    setting{"operations", "least", unit::count, 40, 1, 2'000, "operations of a story"},
    setting{"operations", "more", unit::count, 40, 0, 2'000, "at most so many more"},
    setting{"operations", "sessions", unit::count, 6, 1, 64,
            "so many sessions there may be at most, at a time"},
    setting{"percent", "decent", unit::percent, 30, 0, 100,
            "children start at once, and end when their input does"},
    deed("answer", 14, "calls are answered, within 8 s"),
    deed("silent", 1, "calls are never answered"),
    deed("dies", 2, "children end in calls"),
    deed("garbage", 2, "calls are answered behind lines that are no messages"),
    deed("broken", 1, "calls are answered with what is no JSON"),
    deed("huge", 1, "calls are answered behind a line that is too long"),
    deed("talks", 3, "calls are answered behind their progress"),
    deed("shouts", 2, "calls are answered behind what belongs to no call"),
    deed("asks", 2, "within calls, the client is asked"),
    deed("twice", 1, "calls are answered two times"),
    deed("stranger", 1, "calls are answered behind an answer that nobody waits for"),
    deed("closes", 1, "children close their output in calls"),
    deed("deaf", 1, "children close their input in calls"),
};
constexpr auto all_shim_settings = churn::with_habits(shim_habits, shim_settings);
static_assert(all_shim_settings.size() == shim_habits.size() + knobs + deeds);

std::uint32_t turned(const stories::tuning& t, knob k) {
  return t[shim_habits.size() + static_cast<std::size_t>(k)];
}

operation draw(dice& d, const stories::tuning& t) {
  const auto what = static_cast<act>(churn::draw(d, t.rows(0, shim_habits.size())));
  operation o{what, d.below(1'000'000), d.below(1'000'000)};
  if (o.what == act::call || o.what == act::burst) {
    const auto all = t.rows(shim_habits.size() + knobs, deeds);
    o.b = static_cast<std::uint32_t>(stories::weighed(all, o.b % stories::sum_of(all)));
  }
  if (o.what == act::wait) o.a = some_time(d, 1'000, {2'000, 8'000}, {20'000, 60'000});
  if (o.what == act::steps) o.a = 1 + d.below(25);
  return o;
}

}  // namespace

std::string to_string(const operation& o) {
  return std::string(shim_habits[static_cast<std::size_t>(o.what)].name) + '(' +
         std::to_string(o.a) + ", " + std::to_string(o.b) + ')';
}

std::string_view deed_named(std::uint32_t n) {
  return shim_settings[knobs + n % deeds].name;
}

std::span<const stories::setting> settings() {
  return all_shim_settings;
}

scenario make_scenario(std::uint64_t seed, const stories::tuning& t) {
  dice d(seed);
  scenario s;
  s.seed = seed;
  s.max_sessions = 1 + d.below(turned(t, knob::most_sessions));
  s.decent = d.below(100) < turned(t, knob::decent);
  for (std::uint32_t i = 0; i < 2; ++i) s.operations.push_back({act::come, i, 0});
  auto left = turned(t, knob::least_operations) + d.below(turned(t, knob::more_operations) + 1);
  for (; left > 0; --left) s.operations.push_back(draw(d, t));
  return s;
}

std::string setup_of(const scenario& s) {
  return stories::setup_text()
      .add(std::to_string(s.max_sessions) + " session(s) at a time")
      .add(s.decent ? "children end when their input does" : "children end in manners of their own")
      .take();
}

std::vector<scenario> simpler_ones(const scenario& s) {
  return stories::simpler_than(s)
      .with(&scenario::decent, true)
      .with(&scenario::max_sessions, std::size_t{1})
      .take();
}

}  // namespace gate::shim_churn
