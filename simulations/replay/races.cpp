#include "simulations/replay/races.hpp"

#include <algorithm>
#include <string>

#include "protocol/json/scan.hpp"

namespace gate::replay {
namespace {

/// The assertion that it shows, by its stand-in; empty: none.
std::string assertion_of(const recording::event& e) {
  if (!e.body || e.body->find("assertion=") == std::string::npos) return {};
  return std::string(json::member(e.token, "secret"));
}

}  // namespace

std::map<std::size_t, std::vector<std::size_t>> lost_races(const tape& of) {
  std::map<std::string, std::vector<std::size_t>> shown;
  for (std::size_t v = 0; v < of.visits.size(); ++v)
    if (const auto what = assertion_of(of.request_of(of.visits[v])); !what.empty())
      shown[what].push_back(v);
  const auto at = [&of](std::size_t v) { return of.request_of(of.visits[v]).at; };
  std::map<std::size_t, std::vector<std::size_t>> out;
  for (const auto& [what, all] : shown) {
    auto won = nothing;  // the earliest of those that come behind
    for (auto i = all.rbegin(); i != all.rend(); ++i) {
      const auto v = *i;
      const auto& one = of.visits[v];
      if (one.was.status == 200) {
        if (won == nothing || at(v) <= at(won)) won = v;
      } else if (won != nothing && (!one.was.over || one.over_at >= at(won))) {
        out[won].push_back(v);
      }
    }
  }
  for (auto& [won, lost] : out) std::ranges::reverse(lost);
  return out;
}

}  // namespace gate::replay
