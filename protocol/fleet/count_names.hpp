#pragma once
/// How the records of limits and budgets are called in the shared store: by scopes, no secret among
/// them. Keys of one operation have one hash tag (docs/decisions/0028).
#include <string_view>

namespace gate::fleet {

/// Windows of stage 3, and of tokens: with the scope behind it.
inline constexpr std::string_view window_names = "gate:{rl}:";
/// Those of upstreams, which stage 6 asks for together with budgets.
inline constexpr std::string_view upstream_window_names = "gate:{budget}:rl:";
/// Budgets: with scope, period and its begin behind it.
inline constexpr std::string_view budget_names = "gate:{budget}:";
/// What was added to budgets: with a name that nobody else draws.
inline constexpr std::string_view added_names = "gate:{budget}:added:";

/// Is this the record of a limit or of a budget?
constexpr bool names_a_count(std::string_view key) {
  return key.starts_with(window_names) ||
         (key.starts_with(budget_names) && !key.starts_with(added_names));
}

}  // namespace gate::fleet
