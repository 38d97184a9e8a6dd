#pragma once
/// How the value of a command-line option is read; for the command lines of all our programs. A
/// sentence fragment says what was expected.
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gate::config {

/// What is wrong with a value; nothing: it is good.
using option_failure = std::optional<std::string>;

/// Reads `text` as a whole number within the bounds.
template <class T>
option_failure read_number(std::string_view text, T least, T most, T& to) {
  T value{};
  auto end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end || value < least || value > most) {
    return "expected a number from " + std::to_string(least) + " to " + std::to_string(most);
  }
  to = value;
  return std::nullopt;
}

/// Reads `text` as one of the words.
template <class E, std::size_t N>
option_failure read_word(std::string_view text,
                         const std::array<std::pair<std::string_view, E>, N>& words, E& to) {
  std::string names;
  for (const auto& [name, value] : words) {
    if (name == text) {
      to = value;
      return std::nullopt;
    }
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return "expected one of " + names;
}

}  // namespace gate::config
