#pragma once
/// The characters of a raw JSON string; of what is none, nothing. Pure.
#include <string>
#include <string_view>

#include "protocol/json/scan.hpp"

namespace gate::up {

inline std::string text_of(std::string_view raw) {
  std::string out;
  return json::unquote(raw, out) ? out : std::string{};
}

}  // namespace gate::up
