#pragma once
/// The one difference between our scanner and Boost.JSON that random texts run into: lone
/// surrogates.
#include <cstdlib>
#include <string>
#include <string_view>

namespace gate::json {

/// Does the text contain an escaped surrogate without its partner?
inline bool has_lone_surrogate(std::string_view text) {
  auto code = [&](std::size_t at) -> unsigned {
    if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return 0;
    return static_cast<unsigned>(
        std::strtoul(std::string(text.substr(at + 2, 4)).c_str(), nullptr, 16));
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') continue;
    unsigned first = code(i);
    if (first >= 0xDC00 && first <= 0xDFFF) return true;
    if (first >= 0xD800 && first <= 0xDBFF) {
      unsigned second = code(i + 6);
      if (second < 0xDC00 || second > 0xDFFF) return true;
      i += 6;
    }
    ++i;
  }
  return false;
}

}  // namespace gate::json
