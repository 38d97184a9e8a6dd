#include <algorithm>
#include <array>
#include <initializer_list>

#include "simulations/runs/plot_of.hpp"
#include "simulations/stories/canaries.hpp"
#include "simulations/stories/checkers.hpp"
#include "simulations/stories/fleet_canaries.hpp"
#include "simulations/stories/fleet_checkers.hpp"
#include "simulations/stories/fleet_story.hpp"
#include "simulations/stories/hooks_canaries.hpp"
#include "simulations/stories/hooks_checkers.hpp"
#include "simulations/stories/hooks_story.hpp"
#include "simulations/stories/shim_canaries.hpp"
#include "simulations/stories/shim_checkers.hpp"
#include "simulations/stories/shim_story.hpp"
#include "simulations/stories/story.hpp"

namespace gate::runs {
namespace {

template <class Act>
bool is_one_of(Act what, std::initializer_list<Act> all) {
  return std::ranges::find(all, what) != all.end();
}

/// What is named alike in the namespaces of all kinds; `judge` and `suits` are found by what they
/// are of.
template <class Scenario, class Story>
struct told_by {
  using scenario = Scenario;
  using story = Story;
};

struct of_a_gateway : told_by<churn::scenario, churn::story> {
  static constexpr std::string_view name = "gateway";
  static constexpr std::string_view about =
      "one gateway, visitors, and upstreams with everything that can be wrong with them";
  static scenario make(std::uint64_t seed, const stories::tuning& t) {
    return churn::make_scenario(seed, t);
  }
  static auto canaries() { return churn::canaries(); }
  static auto settings() { return churn::settings(); }
  static std::size_t calls_in(const churn::request& r) {
    return r.what == churn::request::kind::call ? 1 : 0;
  }
  static bool is_fault(const churn::operation& o) {
    using churn::act;
    return is_one_of(o.what, {act::vanish, act::sicken, act::forget, act::replica_down, act::crash,
                              act::bad_reload, act::registry, act::jump});
  }
};

struct of_a_fleet : told_by<fleet_churn::scenario, fleet_churn::story> {
  static constexpr std::string_view name = "fleet";
  static constexpr std::string_view about =
      "three gateways, the store that they share, and all that can happen to it";
  static scenario make(std::uint64_t seed, const stories::tuning& t) {
    return fleet_churn::make_scenario(seed, t);
  }
  static auto canaries() { return fleet_churn::canaries(); }
  static auto settings() { return fleet_churn::settings(); }
  static std::size_t calls_in(const fleet_churn::request& r) {
    using what = fleet_churn::request::kind;
    const bool one = r.what == what::call || r.what == what::task || r.what == what::resume ||
                     r.what == what::steal || r.what == what::later;
    return one ? 1 : 0;
  }
  static bool is_fault(const fleet_churn::operation& o) {
    using fleet_churn::act;
    return is_one_of(o.what, {act::trouble, act::store_goes, act::restart, act::kill, act::sicken});
  }
};

struct of_hooks : told_by<hook_churn::scenario, hook_churn::story> {
  static constexpr std::string_view name = "hooks";
  static constexpr std::string_view about =
      "gate-hooks, its storage, and receivers with everything that can be wrong with them";
  static scenario make(std::uint64_t seed, const stories::tuning& t) {
    return hook_churn::make_scenario(seed, t);
  }
  static auto canaries() { return hook_churn::canaries(); }
  static auto settings() { return hook_churn::settings(); }
  /// Events that are posted: what makes it work.
  static std::size_t calls_in(const hook_churn::request& r) {
    return r.what == hook_churn::request::kind::post ? r.data.size() : 0;
  }
  static bool is_fault(const hook_churn::operation& o) {
    using hook_churn::act;
    return is_one_of(o.what, {act::vanish, act::sicken, act::storage, act::crash, act::kill,
                              act::restart, act::jump});
  }
};

struct of_the_shim : told_by<shim_churn::scenario, shim_churn::story> {
  static constexpr std::string_view name = "shim";
  static constexpr std::string_view about =
      "gate-stdio, its clients, and children with everything that can be wrong with them";
  static scenario make(std::uint64_t seed, const stories::tuning& t) {
    return shim_churn::make_scenario(seed, t);
  }
  static auto canaries() { return shim_churn::canaries(); }
  static auto settings() { return shim_churn::settings(); }
  static std::size_t calls_in(const shim_churn::request& r) {
    return r.what == shim_churn::request::kind::call ? 1 : 0;
  }
  static bool is_fault(const shim_churn::operation& o) {
    using shim_churn::act;
    const bool asks = is_one_of(o.what, {act::call, act::burst});
    return is_one_of(o.what, {act::vanish, act::stray, act::crash}) ||
           (asks && shim_churn::deed_named(o.b) != "answer");
  }
};

}  // namespace

std::span<const kind* const> kinds() {
  static const kind_of<of_a_gateway> gateway;
  static const kind_of<of_a_fleet> fleet;
  static const kind_of<of_hooks> hooks;
  static const kind_of<of_the_shim> shim;
  static const std::array<const kind*, 4> all{&gateway, &fleet, &hooks, &shim};
  return all;
}

const kind* find_kind(std::string_view name) {
  for (const auto* k : kinds())
    if (k->name() == name) return k;
  return nullptr;
}

const plant* find_plant(const kind& of, std::string_view name) {
  for (const auto& p : of.plants())
    if (p.name == name) return &p;
  return nullptr;
}

}  // namespace gate::runs
