#include "protocol/recording/event.hpp"

#include "protocol/http/request_gate.hpp"

namespace gate::recording {

std::string_view event::header_of(std::string_view name) const {
  for (const auto& h : headers)
    if (http::same_name(h.name, name)) return h.value;
  return {};
}

}  // namespace gate::recording
