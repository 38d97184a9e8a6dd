#pragma once
/// The receivers of a story of `gate-hooks`, and what can be wrong with them. What they got and
/// said is written into the evidence.
#include <cstdint>
#include <functional>
#include <string>

#include "simulations/stories/hooks_evidence.hpp"
#include "simulations/world/hooks_service.hpp"

namespace gate::hook_churn {

std::string host_named(std::size_t n);

class receivers {
 public:
  receivers(sim::hooks_service& world, evidence& e) : world_(world), evidence_(e) {}

  /// All are well from now on.
  void heal();
  void sicken(std::size_t host, std::uint32_t sickness);
  void cure(std::size_t host);
  /// This one says 200, and is known to have said 500.
  void lie(std::size_t host);

 private:
  using manner = std::function<sim::reply(const sim::sight&)>;
  /// `noted`: what the evidence says that it said; 0: what it says.
  void behave(std::size_t host, manner how, int noted = 0);

  sim::hooks_service& world_;
  evidence& evidence_;
};

}  // namespace gate::hook_churn
