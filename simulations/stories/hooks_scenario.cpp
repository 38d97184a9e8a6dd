#include "simulations/stories/hooks_scenario.hpp"

#include <array>

#include "simulations/stories/setup.hpp"

namespace gate::hook_churn {
namespace {

using churn::dice;
using churn::habit;
using churn::some_time;
using stories::setting;
using stories::unit;

/// In the order of `act`: how often each happens.
constexpr std::array hook_habits{
    habit{act::create, "create", 6, "an organization makes a webhook"},
    habit{act::change, "change", 3, "a webhook wants other events"},
    habit{act::enable, "enable", 3, "a webhook is switched on"},
    habit{act::disable, "disable", 2, "a webhook is switched off"},
    habit{act::remove, "remove", 1, "a webhook is deleted"},
    habit{act::rotate, "rotate", 2, "a webhook gets another secret"},
    habit{act::post, "post", 30, "an event is posted"},
    habit{act::batch, "batch", 8, "up to 30 events are posted together"},
    habit{act::again, "again", 4, "an event is posted again under its key"},
    habit{act::trial, "trial", 3, "a webhook is tried"},
    habit{act::retry, "retry", 3, "all dead letters of a webhook are tried again"},
    habit{act::retry_one, "retry_one", 3, "a delivery is tried again"},
    habit{act::look, "look", 3, "an organization asks for a list"},
    habit{act::health, "health", 2, "somebody asks for /health"},
    habit{act::vanish, "vanish", 2, "a request under way loses its connection"},
    habit{act::sicken, "sicken", 9, "a receiver becomes sick, with one of `faults`"},
    habit{act::cure, "cure", 4, "a receiver is well again"},
    habit{act::storage, "storage", 4, "the storage refuses, stalls or is slow"},
    habit{act::mend, "mend", 5, "the storage is well again"},
    habit{act::crash, "crash", 5, "an actor crashes"},
    habit{act::kill, "kill", 2, "the process is killed, and started again"},
    habit{act::restart, "restart", 1, "the process is ended, and started again"},
    habit{act::hang_up, "hang_up", 1, "SIGHUP"},
    habit{act::jump, "jump", 2, "the wall clock is set"},
    habit{act::wait, "wait", 20, "time passes"},
    habit{act::steps, "steps", 12, "up to 25 messages are handled"},
    habit{act::settle, "settle", 5, "all messages are handled"},
    habit{act::rush, "rush", 12, "everybody posts events, up to 60 times"},
};
static_assert(churn::in_order(hook_habits, act::rush));

constexpr setting ailment(std::string_view name, std::string_view about) {
  return {"faults", name, unit::weight, 1, 0, stories::most_weight, about};
}

/// In the order of `knob`; behind them the sicknesses in their order (hooks_receivers.cpp).
constexpr std::array hook_settings{
    setting{"operations", "least", unit::count, 35, 1, 2'000, "operations of a story"},
    setting{"operations", "more", unit::count, 40, 0, 2'000, "at most so many more"},
    setting{"healing", "withinMs", unit::milliseconds, 240'000, 60'000, 3'600'000,
            "after so long everything must work again"},
    setting{"percent", "calm", unit::percent, 30, 0, 100,
            "nothing is done to storage, process and clock: all is exact"},
    ailment("failing", "deliveries are answered 500"),
    ailment("rejecting", "deliveries are answered 404"),
    ailment("gone", "deliveries are answered 410"),
    ailment("throttling", "deliveries are answered 429, to be made again up to 40 s later"),
    ailment("away", "deliveries are answered 503, to be made again up to 40 s later"),
    ailment("slow", "deliveries are answered after 3 s"),
    ailment("late", "deliveries are answered when nobody waits any more"),
    ailment("silent", "deliveries are never answered"),
    ailment("cut", "connections break in deliveries"),
    ailment("refused", "nobody can connect"),
    ailment("timedOut", "nobody can connect, which takes its time"),
    ailment("garbage", "deliveries are answered with what is no HTTP"),
    ailment("redirecting", "deliveries are redirected elsewhere"),
    ailment("flapping", "every other delivery is answered 500"),
};
constexpr auto all_hook_settings = churn::with_habits(hook_habits, hook_settings);
static_assert(all_hook_settings.size() == hook_habits.size() + knobs + sicknesses);

std::uint32_t turned(const stories::tuning& t, knob k) {
  return t[hook_habits.size() + static_cast<std::size_t>(k)];
}

bool disturbs(act what) {
  switch (what) {
    case act::storage:
    case act::crash:
    case act::kill:
    case act::restart:
    case act::jump:
      return true;
    default:
      return false;
  }
}

operation draw(dice& d, const stories::tuning& t) {
  const auto what = static_cast<act>(churn::draw(d, t.rows(0, hook_habits.size())));
  operation o{what, d.below(1'000'000), d.below(1'000'000)};
  if (o.what == act::sicken) {
    const auto faults = t.rows(hook_habits.size() + knobs, sicknesses);
    o.b = static_cast<std::uint32_t>(stories::weighed(faults, o.b % stories::sum_of(faults)));
  }
  if (o.what == act::wait) o.a = some_time(d, 2'000, {4'000, 12'000}, {30'000, 90'000});
  if (o.what == act::restart) o.a = d.below(12'000);
  if (o.what == act::steps) o.a = 1 + d.below(25);
  return o;
}

}  // namespace

std::string to_string(const operation& o) {
  return std::string(hook_habits[static_cast<std::size_t>(o.what)].name) + '(' +
         std::to_string(o.a) + ", " + std::to_string(o.b) + ')';
}

std::span<const stories::setting> settings() {
  return all_hook_settings;
}

scenario make_scenario(std::uint64_t seed, const stories::tuning& t) {
  dice d(seed);
  scenario s;
  s.seed = seed;
  s.calm = d.below(100) < turned(t, knob::calm);
  s.heals_within = std::chrono::milliseconds(turned(t, knob::heals_within));
  for (std::uint32_t i = 0; i < 3; ++i)
    s.operations.push_back({act::create, i, d.below(1'000'000)});
  auto left = turned(t, knob::least_operations) + d.below(turned(t, knob::more_operations) + 1);
  for (; left > 0; --left) {
    const auto o = draw(d, t);
    if (!s.calm || !disturbs(o.what)) s.operations.push_back(o);
  }
  return s;
}

std::string setup_of(const scenario& s) {
  return stories::setup_text().add_if(s.calm, "storage, process and clock are left alone").take();
}

/// (What is done to it are operations.)
std::vector<scenario> simpler_ones(const scenario&) {
  return {};
}

}  // namespace gate::hook_churn
