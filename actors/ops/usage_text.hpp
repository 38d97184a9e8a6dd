#pragma once
/// Limits and budgets, and how much of them is used, as viewers are told (docs/introspection.md,
/// usage). Pure.
#include <chrono>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "actors/messages.hpp"

namespace gate::ops {

using wall_time = std::chrono::system_clock::time_point;

/// Some usage as text, by whose it is. What nobody could be asked about counts as not used.
class usage_text {
 public:
  /// `upstreams` false: those of upstreams are not looked for, which may be thousands.
  usage_text(const usage& u, wall_time now, bool upstreams = true);

  /// Append entries, with a comma before each but one that follows `[`: all; or those of these
  /// scopes, each of which has a limit and a budget at most.
  void append_limits(std::string& out) const;
  void append_limits(std::string& out, std::initializer_list<scope_key> of) const;
  void append_budgets(std::string& out) const;
  void append_budgets(std::string& out, std::initializer_list<scope_key> of) const;

 private:
  struct place {
    std::size_t limit = none, budget = none;
    static constexpr std::size_t none = ~std::size_t{0};
  };
  void append_limit(std::string& out, std::size_t i) const;
  void append_budget(std::string& out, std::size_t i) const;
  static std::string key(const scope_key& k);

  const usage& u_;
  wall_time now_;
  std::unordered_map<std::string, place> places_;
};

/// `2026-11-25T09:30:00.000Z`, as a JSON string.
void append_time(std::string& out, wall_time t);

}  // namespace gate::ops
