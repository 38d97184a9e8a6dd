#pragma once
/// What the fuzz targets share: an assertion that is on in every build, and input as text.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace gate::fuzz {

/// Ends the run, which libFuzzer reports with the input, unless `holds`.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Does `part` lie inside `whole`? Empty parts lie everywhere.
inline bool inside(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

/// Takes the first byte off `text`; 0 if there is none.
inline std::uint8_t take_byte(std::string_view& text) {
  if (text.empty()) return 0;
  auto byte = static_cast<std::uint8_t>(text.front());
  text.remove_prefix(1);
  return byte;
}

}  // namespace gate::fuzz
