#include <array>

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

struct of_a_gateway {
  using scenario = churn::scenario;
  using story = churn::story;
  static constexpr std::string_view name = "gateway";
  static constexpr std::string_view about =
      "one gateway, visitors, and upstreams with everything that can be wrong with them";
  static constexpr auto no_bird = churn::canary::none;
  static scenario make(std::uint64_t seed, const stories::tuning& t) {
    return churn::make_scenario(seed, t);
  }
  static auto judge(const scenario& s, const churn::evidence& e) { return churn::judge(s, e); }
  static auto bent(const churn::evidence& e, churn::canary what) { return churn::bent(e, what); }
  static auto canaries() { return churn::canaries(); }
  static bool suits(const scenario& s, const churn::planted& p) { return churn::suits(s, p); }
  static auto settings() { return churn::settings(); }
  static bool is_call(const churn::request& r) { return r.what == churn::request::kind::call; }
};

struct of_a_fleet {
  using scenario = fleet_churn::scenario;
  using story = fleet_churn::story;
  static constexpr std::string_view name = "fleet";
  static constexpr std::string_view about =
      "three gateways, the store that they share, and all that can happen to it";
  static constexpr auto no_bird = fleet_churn::canary::none;
  static scenario make(std::uint64_t seed, const stories::tuning& t) {
    return fleet_churn::make_scenario(seed, t);
  }
  static auto judge(const scenario& s, const fleet_churn::evidence& e) {
    return fleet_churn::judge(s, e);
  }
  static auto bent(const fleet_churn::evidence& e, fleet_churn::canary what) {
    return fleet_churn::bent(e, what);
  }
  static auto canaries() { return fleet_churn::canaries(); }
  static bool suits(const scenario& s, const fleet_churn::planted& p) {
    return fleet_churn::suits(s, p);
  }
  static auto settings() { return fleet_churn::settings(); }
  static bool is_call(const fleet_churn::request& r) {
    using what = fleet_churn::request::kind;
    return r.what == what::call || r.what == what::task || r.what == what::resume ||
           r.what == what::steal || r.what == what::later;
  }
};

struct of_hooks {
  using scenario = hook_churn::scenario;
  using story = hook_churn::story;
  static constexpr std::string_view name = "hooks";
  static constexpr std::string_view about =
      "gate-hooks, its storage, and receivers with everything that can be wrong with them";
  static constexpr auto no_bird = hook_churn::canary::none;
  static scenario make(std::uint64_t seed, const stories::tuning& t) {
    return hook_churn::make_scenario(seed, t);
  }
  static auto judge(const scenario& s, const hook_churn::evidence& e) {
    return hook_churn::judge(s, e);
  }
  static auto bent(const hook_churn::evidence& e, hook_churn::canary what) {
    return hook_churn::bent(e, what);
  }
  static auto canaries() { return hook_churn::canaries(); }
  static bool suits(const scenario&, const hook_churn::planted&) { return true; }
  static auto settings() { return hook_churn::settings(); }
  /// What makes it work.
  static bool is_call(const hook_churn::request& r) {
    return r.what == hook_churn::request::kind::post;
  }
};

struct of_the_shim {
  using scenario = shim_churn::scenario;
  using story = shim_churn::story;
  static constexpr std::string_view name = "shim";
  static constexpr std::string_view about =
      "gate-stdio, its clients, and children with everything that can be wrong with them";
  static constexpr auto no_bird = shim_churn::canary::none;
  static scenario make(std::uint64_t seed, const stories::tuning& t) {
    return shim_churn::make_scenario(seed, t);
  }
  static auto judge(const scenario& s, const shim_churn::evidence& e) {
    return shim_churn::judge(s, e);
  }
  static auto bent(const shim_churn::evidence& e, shim_churn::canary what) {
    return shim_churn::bent(e, what);
  }
  static auto canaries() { return shim_churn::canaries(); }
  static bool suits(const scenario&, const shim_churn::planted&) { return true; }
  static auto settings() { return shim_churn::settings(); }
  static bool is_call(const shim_churn::request& r) {
    return r.what == shim_churn::request::kind::call;
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
