#include "simulations/replay/races.hpp"

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
  std::map<std::size_t, std::vector<std::size_t>> out;
  for (const auto& [what, all] : shown)
    for (const auto won : all) {
      if (of.visits[won].was.status != 200) continue;
      for (const auto lost : all) {
        const auto& other = of.visits[lost];
        const bool overlap = !other.was.over || other.over_at >= of.request_of(of.visits[won]).at;
        if (lost < won && overlap && other.was.status != 200) out[won].push_back(lost);
      }
    }
  return out;
}

}  // namespace gate::replay
