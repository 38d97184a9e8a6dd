#include "protocol/webhook/states.hpp"

#include <algorithm>

namespace gate::webhook {

std::optional<state> state_named(std::string_view name) noexcept {
  const auto* at = std::ranges::find(state_names, name);
  if (at == state_names.end()) return {};
  return static_cast<state>(at - state_names.begin());
}

std::string_view name_of(disabled why) noexcept {
  switch (why) {
    case disabled::manual:
      return "manual";
    case disabled::gone:
      return "gone";
    case disabled::failing:
      return "failing";
    case disabled::no:
      break;
  }
  return {};
}

}  // namespace gate::webhook
