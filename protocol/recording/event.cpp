#include "protocol/recording/event.hpp"

#include <algorithm>

namespace gate::recording {
namespace {

char lowered_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

}  // namespace

std::string_view event::header_of(std::string_view name) const {
  for (const auto& h : headers)
    if (std::ranges::equal(h.name, name, {}, lowered_letter, lowered_letter)) return h.value;
  return {};
}

}  // namespace gate::recording
