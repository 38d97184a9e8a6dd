#pragma once
/// What is said of lines that can not be read, and numbers as lines have them: for parse.cpp and
/// parse_preamble.cpp.
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/base/result.hpp"
#include "protocol/json/scan.hpp"

namespace gate::recording {

inline problem wrong(std::string what) {
  return {std::move(what)};
}

inline problem wrong_member(std::string_view name, std::string_view why) {
  return wrong("has a `" + std::string(name) + "` that " + std::string(why));
}

inline std::optional<std::uint64_t> number_of(std::string_view raw) {
  std::uint64_t n = 0;
  if (raw.empty() || (raw.size() > 1 && raw[0] == '0')) return {};
  const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), n);
  if (error != std::errc{} || end != raw.data() + raw.size()) return {};
  return n;
}

inline constexpr std::string_view no_number = "is not a whole number from 0";
inline constexpr std::string_view no_text = "is not a string in UTF-8";

inline std::string sentence_of(const json::cursor& c) {
  return "is not JSON: " + std::string(json::describe(c.error())) + " (near byte " +
         std::to_string(c.offset()) + ")";
}

}  // namespace gate::recording
