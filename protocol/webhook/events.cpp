#include "protocol/webhook/events.hpp"

#include <algorithm>

namespace gate::webhook {

std::optional<event_type> event_named(std::string_view name) noexcept {
  const auto* at = std::ranges::find(event_names, name);
  if (at == event_names.end()) return {};
  return static_cast<event_type>(at - event_names.begin());
}

std::optional<event_mask> mask_of(std::string_view name) noexcept {
  if (name == any_event) return every_event;
  const auto type = event_named(name);
  if (!type) return {};
  return mask_of(*type);
}

std::vector<std::string_view> names_of(event_mask events) {
  if ((events & every_event) == every_event) return {any_event};
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < event_names.size(); ++i)
    if (wants(events, static_cast<event_type>(i))) out.push_back(event_names[i]);
  return out;
}

}  // namespace gate::webhook
