#pragma once
/// The names of what can happen, as callers write them and receivers read them; and which of them a
/// webhook wants.
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "protocol/webhook/records.hpp"

namespace gate::webhook {

/// In the order of `event_type`.
inline constexpr std::array<std::string_view, 5> event_names{
    "deploy.success", "deploy.failed", "activation.error", "rollback.success", "usage.threshold"};

/// In place of a name: whatever happens.
inline constexpr std::string_view any_event = "*";
inline constexpr event_mask every_event = (1U << event_names.size()) - 1;

constexpr std::string_view name_of(event_type t) noexcept {
  return event_names[static_cast<std::size_t>(t)];
}
/// Nothing: there is no such event. Names are compared byte for byte.
std::optional<event_type> event_named(std::string_view name) noexcept;

constexpr event_mask mask_of(event_type t) noexcept {
  return static_cast<event_mask>(1U << static_cast<unsigned>(t));
}
/// Of an event's name or `*`; nothing: it is neither.
std::optional<event_mask> mask_of(std::string_view name) noexcept;
constexpr bool wants(event_mask events, event_type t) noexcept {
  return (events & mask_of(t)) != 0;
}
/// In the order of `event_type`; `*` alone if it is all of them.
std::vector<std::string_view> names_of(event_mask events);

}  // namespace gate::webhook
