#pragma once
/// How the value of a command-line option is read, and told in words. A sentence fragment says what
/// was expected.
#include <array>
#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gate::config {

/// What is wrong with a value; nothing: it is good.
using option_failure = std::optional<std::string>;

template <class T>
std::string number_text(T value) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

/// Reads `text` as a number within the bounds: a whole one, unless `T` has fractions.
template <class T>
option_failure read_number(std::string_view text, T least, T most, T& to) {
  T value{};
  const auto* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  // (Not a number is within no bounds.)
  if (error != std::errc{} || rest != end || !(value >= least && value <= most))
    return "expected a number from " + number_text(least) + " to " + number_text(most);
  to = value;
  return std::nullopt;
}

/// Words that stand for values.
template <class E, std::size_t N>
using word_table = std::array<std::pair<std::string_view, E>, N>;

/// Reads `text` as one of the words.
template <class E, std::size_t N>
option_failure read_word(std::string_view text, const word_table<E, N>& words, E& to) {
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

/// "a, b or c"
template <class E, std::size_t N>
std::string choice_of(const word_table<E, N>& words) {
  std::string out;
  for (std::size_t i = 0; i < N; ++i)
    out += (i == 0 ? "" : i + 1 == N ? " or " : ", ") + std::string(words[i].first);
  return out;
}

using word_list = std::vector<std::string_view>;

template <class E, std::size_t N>
word_list words_of(const word_table<E, N>& words) {
  word_list out;
  for (const auto& [name, value] : words) out.push_back(name);
  return out;
}

template <class E, std::size_t N>
std::string word_of(E value, const word_table<E, N>& words) {
  for (const auto& [name, meant] : words)
    if (meant == value) return std::string(name);
  return {};
}

}  // namespace gate::config
