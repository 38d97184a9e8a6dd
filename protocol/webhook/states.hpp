#pragma once
/// The words for where a delivery stands, and for why a webhook is disabled.
#include <array>
#include <optional>
#include <string_view>

#include "protocol/webhook/records.hpp"

namespace gate::webhook {

/// In the order of `state`.
inline constexpr std::array<std::string_view, 5> state_names{"pending", "delivering", "succeeded",
                                                             "failed", "dead"};
constexpr std::string_view name_of(state s) noexcept {
  return state_names[static_cast<std::size_t>(s)];
}
/// Nothing: there is no such state.
std::optional<state> state_named(std::string_view name) noexcept;

/// `manual`, `gone`, `failing`; empty for `disabled::no`.
std::string_view name_of(disabled why) noexcept;

}  // namespace gate::webhook
