#include "simulations/stories/scenario.hpp"

#include <algorithm>
#include <array>

#include "simulations/stories/habits.hpp"

namespace gate::churn {
namespace {

/// In the order of `act`: how often each happens.
constexpr std::array habits{
    habit{act::come, "come", 6},
    habit{act::call, "call", 30},
    habit{act::burst, "burst", 5},
    habit{act::list, "list", 6},
    habit{act::read, "read", 3},
    habit{act::subscribe, "subscribe", 3},
    habit{act::level, "level", 1},
    habit{act::ping, "ping", 2},
    habit{act::cancel, "cancel", 4},
    habit{act::vanish, "vanish", 2},
    habit{act::listen, "listen", 4},
    habit{act::leave, "leave", 3},
    habit{act::health, "health", 3},
    habit{act::metrics, "metrics", 1},
    habit{act::sicken, "sicken", 8},
    habit{act::cure, "cure", 3},
    habit{act::forget, "forget", 2},
    habit{act::announce, "announce", 3},
    habit{act::replica_down, "replica_down", 5},
    habit{act::replica_up, "replica_up", 4},
    habit{act::crash, "crash", 6},
    habit{act::reload, "reload", 5},
    habit{act::hang_up, "hang_up", 2},
    habit{act::bad_reload, "bad_reload", 2},
    habit{act::registry, "registry", 4},
    habit{act::wait, "wait", 14},
    habit{act::steps, "steps", 12},
    habit{act::settle, "settle", 4},
};

static_assert(in_order(habits, act::settle));

operation draw(dice& d) {
  operation o{draw(d, habits), d.below(1'000'000), d.below(1'000'000)};
  if (o.what == act::wait) o.a = some_time(d, 400, {1'000, 2'500}, {5'000, 10'000});
  if (o.what == act::steps) o.a = 1 + d.below(25);
  return o;
}

}  // namespace

std::string to_string(const operation& o) {
  return std::string(habits[static_cast<std::size_t>(o.what)].name) + '(' + std::to_string(o.a) +
         ", " + std::to_string(o.b) + ')';
}

bool scenario::has(std::string_view upstream) const {
  return std::ranges::find(upstreams, upstream) != upstreams.end();
}

scenario make_scenario(std::uint64_t seed) {
  dice d(seed);
  scenario s;
  s.seed = seed;
  s.units = d.one_in(3) ? 2 : 1;
  s.upstreams = {"good", "sick"};
  if (!d.one_in(4)) s.upstreams.emplace_back("trio");
  if (d.one_in(3)) s.upstreams.emplace_back("ill");
  if (d.one_in(3)) s.upstreams.emplace_back("lim");
  if (d.one_in(3) || s.upstreams.size() < 3) s.upstreams.emplace_back("pen");
  for (auto i = s.upstreams.size() - 1; i > 0; --i)
    std::swap(s.upstreams[i], s.upstreams[d.below(static_cast<std::uint32_t>(i + 1))]);
  s.steady = d.one_in(2);
  s.discovery = d.one_in(3);
  if (d.one_in(8)) s.requests_per_minute = 10 + d.below(30);
  s.abrupt = d.one_in(10);
  for (std::uint32_t i = 0; i < 3; ++i) s.operations.push_back({act::come, i, 0});
  for (auto left = 27 + d.below(31); left > 0; --left) s.operations.push_back(draw(d));
  return s;
}

}  // namespace gate::churn
