#include "simulations/stories/scenario.hpp"

#include <algorithm>
#include <array>

#include "simulations/stories/habits.hpp"
#include "simulations/stories/setup.hpp"

namespace gate::churn {
namespace {

/// In the order of `act`: how often each happens.
constexpr std::array habits{
    habit{act::come, "come", 6, "a visitor initializes"},
    habit{act::call, "call", 30, "a visitor calls a tool"},
    habit{act::burst, "burst", 5, "a visitor calls a tool several times at once"},
    habit{act::list, "list", 6, "a visitor asks for a list"},
    habit{act::read, "read", 3, "a visitor reads a resource"},
    habit{act::subscribe, "subscribe", 3, "a visitor subscribes to a resource, or no longer"},
    habit{act::level, "level", 1, "a visitor sets its log level"},
    habit{act::ping, "ping", 2, "a visitor pings"},
    habit{act::cancel, "cancel", 4, "a visitor cancels a call of its own"},
    habit{act::vanish, "vanish", 2, "a request under way loses its connection"},
    habit{act::listen, "listen", 4, "a visitor opens its stream"},
    habit{act::leave, "leave", 3, "a visitor ends its session"},
    habit{act::health, "health", 3, "somebody asks for /health"},
    habit{act::metrics, "metrics", 1, "somebody asks for /metrics"},
    habit{act::sicken, "sicken", 8, "an upstream becomes sick, with one of `faults`"},
    habit{act::cure, "cure", 3, "an upstream is well again"},
    habit{act::forget, "forget", 2, "an upstream forgets its sessions"},
    habit{act::announce, "announce", 3, "an upstream says up to 29 things on its streams"},
    habit{act::replica_down, "replica_down", 5, "a replica of trio dies"},
    habit{act::replica_up, "replica_up", 4, "a replica of trio comes back"},
    habit{act::crash, "crash", 6, "an actor crashes"},
    habit{act::reload, "reload", 5, "the document changes by the embedding program"},
    habit{act::hang_up, "hang_up", 2, "the document changes by SIGHUP"},
    habit{act::bad_reload, "bad_reload", 2, "a document that must be refused"},
    habit{act::registry, "registry", 4, "the source of discovery answers something else"},
    habit{act::jump, "jump", 2, "the wall clock shows another minute of its hour"},
    habit{act::wait, "wait", 14, "time passes"},
    habit{act::steps, "steps", 12, "up to 25 messages are handled"},
    habit{act::settle, "settle", 4, "all messages are handled"},
    habit{act::rush, "rush", 12, "all visitors call tools, up to 120 times"},
};

static_assert(in_order(habits, act::rush));

using stories::setting;
using stories::unit;

constexpr setting percent(std::string_view name, std::uint32_t otherwise, std::string_view about) {
  return {"percent", name, unit::percent, otherwise, 0, 100, about};
}
constexpr setting fault(std::string_view name, std::string_view about) {
  return {"faults", name, unit::weight, 1, 0, stories::most_weight, about};
}

/// In the order of `knob`; behind them the sicknesses in their order (fleet.cpp).
constexpr std::array others{
    setting{"operations", "least", unit::count, 27, 1, 2'000, "operations of a story"},
    setting{"operations", "more", unit::count, 30, 0, 2'000, "at most so many more"},
    setting{"healing", "withinMs", unit::milliseconds, 45'000, 5'000, 600'000,
            "after so long everything must work again (where there are limits, 125 s at least)"},
    percent("twoUnits", 33, "the gateway has two units"),
    percent("trio", 75, "an upstream with three replicas"),
    percent("ill", 33, "a second upstream that can be sick"),
    percent("lim", 33, "an upstream with a rate limit"),
    percent("pen", 33, "an upstream with a budget"),
    percent("steady", 50, "of trio, one replica always lives"),
    percent("discovery", 33, "a source of further upstreams"),
    percent("limitOfAll", 12, "everybody's requests are limited"),
    percent("abrupt", 10, "it ends in the middle, by a drain: nothing is healed"),
    setting{"percent", "stateless", unit::percent, 10, 0, 100,
            "calls that come without a session, by MCP 2026-07-28 (% of them)"},
    percent("modern", 25, "an upstream that speaks MCP 2026-07-28 only"),
    percent("guarded", 40, "a policy that hides some tools of everybody"),
    fault("silent", "calls are never answered"),
    fault("garbage", "calls are answered with nonsense, or with the answer to another"),
    fault("slow", "calls take as long as they may, or longer"),
    fault("talkative", "calls are answered behind fifty notices, some two times, some not at all"),
    fault("endless", "streams of calls do not end"),
    fault("broken", "connections break in calls"),
    fault("lost", "calls are answered 404"),
    fault("refusing", "calls are answered with an error"),
    fault("asking", "within calls, the client is asked"),
    fault("unauthorized", "calls are answered 401"),
    fault("oversized", "answers of calls are larger than may be"),
    fault("notHttp", "calls are answered with what is no HTTP"),
    fault("redirected", "calls are redirected elsewhere"),
    fault("overloaded", "calls are not sent, as too many wait"),
    fault("allSilent", "nothing is ever answered"),
    fault("allRefused", "nobody can connect"),
    fault("allTimedOut", "nobody can connect, which takes its time"),
    fault("allFailing", "everything is answered 500"),
    fault("allGarbage", "everything is answered with nonsense"),
    fault("allBroken", "all connections break"),
};
constexpr auto all_settings = with_habits(habits, others);
static_assert(all_settings.size() == habits.size() + knobs + sicknesses);

/// The row of a knob.
std::uint32_t turned(const stories::tuning& t, knob k) {
  return t[habits.size() + static_cast<std::size_t>(k)];
}

operation draw(dice& d, const stories::tuning& t) {
  const auto what = static_cast<act>(draw(d, t.rows(0, habits.size())));
  operation o{what, d.below(1'000'000), d.below(1'000'000)};
  if (o.what == act::sicken) {
    const auto faults = t.rows(habits.size() + knobs, sicknesses);
    o.b = static_cast<std::uint32_t>(stories::weighed(faults, o.b % stories::sum_of(faults)));
  }
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

std::span<const stories::setting> settings() {
  return all_settings;
}

scenario make_scenario(std::uint64_t seed) {
  static const stories::tuning usual(all_settings);
  return make_scenario(seed, usual);
}

scenario make_scenario(std::uint64_t seed, const stories::tuning& t) {
  dice d(seed);
  const auto happens = [&](knob k) { return d.below(100) < turned(t, k); };
  scenario s;
  s.seed = seed;
  s.heals_within = std::chrono::milliseconds(turned(t, knob::heals_within));
  s.units = happens(knob::two_units) ? 2 : 1;
  s.upstreams = {"good", "sick"};
  if (happens(knob::trio)) s.upstreams.emplace_back("trio");
  if (happens(knob::ill)) s.upstreams.emplace_back("ill");
  if (happens(knob::lim)) s.upstreams.emplace_back("lim");
  if (happens(knob::pen)) s.upstreams.emplace_back("pen");
  for (auto i = s.upstreams.size() - 1; i > 0; --i)
    std::swap(s.upstreams[i], s.upstreams[d.below(static_cast<std::uint32_t>(i + 1))]);
  s.steady = happens(knob::steady);
  s.discovery = happens(knob::discovery);
  if (happens(knob::limit_of_all)) s.requests_per_minute = 10 + d.below(30);
  s.abrupt = happens(knob::abrupt);
  s.stateless = turned(t, knob::stateless);
  for (std::uint32_t i = 0; i < 3; ++i) s.operations.push_back({act::come, i, 0});
  auto left = turned(t, knob::least_operations) + d.below(turned(t, knob::more_operations) + 1);
  for (; left > 0; --left) s.operations.push_back(draw(d, t));
  // (Behind all that was drawn before there were these, so that old seeds tell what they told.)
  if (happens(knob::modern)) s.upstreams.emplace_back("new");
  s.guarded = happens(knob::guarded);
  return s;
}

std::string setup_of(const scenario& s) {
  std::string upstreams = "upstreams";
  for (const auto& id : s.upstreams) upstreams += ' ' + id;
  return stories::setup_text()
      .add(upstreams)
      .add_if(s.units > 1, std::to_string(s.units) + " units")
      .add_if(s.has("trio") && s.steady, "one replica always lives")
      .add_if(s.discovery, "a source of discovery")
      .add_if(s.requests_per_minute != 0,
              std::to_string(s.requests_per_minute) + " requests a minute")
      .add_if(s.stateless != 0, std::to_string(s.stateless) + " % of calls without a session")
      .add_if(s.guarded, "a policy hides tools")
      .add_if(s.abrupt, "it ends in the middle")
      .take();
}

std::vector<scenario> simpler_ones(const scenario& s) {
  auto out = stories::simpler_than(s)
                 .with(&scenario::units, std::size_t{1})
                 .with(&scenario::discovery, false)
                 .with(&scenario::requests_per_minute, std::int64_t{0})
                 .with(&scenario::stateless, std::uint32_t{0})
                 .with(&scenario::guarded, false)
                 .take();
  for (const auto& id : s.upstreams) {
    if (id == "good" || id == "sick") continue;
    out.push_back(s);
    std::erase(out.back().upstreams, id);
  }
  return out;
}

}  // namespace gate::churn
