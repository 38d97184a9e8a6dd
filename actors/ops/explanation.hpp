#pragma once
/// What `/api/explain` answers (docs/introspection.md): what would become of a request, as stages 4
/// to 6 have found. What they have refused is told in their words; what is left, the guards of the
/// upstream, is read off from how much is used, in the order in which they are asked. Pure.
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "actors/messages.hpp"
#include "protocol/audit/event.hpp"

namespace gate::ops {

struct explanation {
  std::string_view method, name;
  std::string_view upstream{};  ///< empty: none
  audit::decision decision = audit::decision::none;
  std::string_view rule{};  ///< empty: none
  std::string_view tenant{};
  /// Of stage 3, which has let this very question in, and of stage 6.
  usage requests{};
  usage calls{};
  std::optional<breaker_state> breaker{};
  /// Ids of upstreams: whether it would go there can not be said without asking them.
  std::span<const std::string> unknown{};
  /// Of a stage; nothing: it got as far as the guards.
  std::optional<refusal> refused{};
};

/// What the guards would say now: the upstream's limit, its circuit, then budgets; nothing: it
/// would be sent.
std::optional<refusal> guards_verdict(const explanation& e);
std::string explanation_body(const explanation& e, std::chrono::system_clock::time_point now);

}  // namespace gate::ops
