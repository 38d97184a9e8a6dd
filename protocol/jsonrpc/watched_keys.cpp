#include "protocol/jsonrpc/watched_keys.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "protocol/json/scan.hpp"

namespace gate::jsonrpc {
namespace {

using likeness = watched::likeness;

constexpr std::string_view kelvin = "\xE2\x84\xAA";  // U+212A, folds to k
constexpr std::string_view long_s = "\xC5\xBF";      // U+017F, folds to s

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

/// Takes a character off `text` and folds it, if it folds to ASCII; else its first byte is taken.
char take_folded(std::string_view& text) noexcept {
  for (auto [special, letter] : {std::pair{kelvin, 'k'}, std::pair{long_s, 's'}})
    if (text.starts_with(special)) {
      text.remove_prefix(special.size());
      return letter;
    }
  const char c = lower(text.front());
  text.remove_prefix(1);
  return c;
}

bool alike(std::string_view key, std::string_view name) noexcept {
  if (key.size() < name.size() || key.size() > name.size() * kelvin.size()) return false;
  for (const char c : name)
    if (key.empty() || take_folded(key) != lower(c)) return false;
  return key.empty();
}

template <class Word>
bool differ(const char* a, const char* b) noexcept {
  Word x = 0, y = 0;
  std::memcpy(&x, a, sizeof x);
  std::memcpy(&y, b, sizeof y);
  return x != y;
}

/// `==`, without a call: keys are short. The last word may overlap the one before it.
bool same(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  const char* x = a.data();
  const char* y = b.data();
  const auto size = a.size();
  if (size >= 8) {
    for (std::size_t i = 0; i + 8 < size; i += 8)
      if (differ<std::uint64_t>(x + i, y + i)) return false;
    return !differ<std::uint64_t>(x + size - 8, y + size - 8);
  }
  if (size >= 4)
    return !differ<std::uint32_t>(x, y) && !differ<std::uint32_t>(x + size - 4, y + size - 4);
  for (std::size_t i = 0; i < size; ++i)
    if (x[i] != y[i]) return false;
  return true;
}

watched look_up_same(std::string_view key, std::span<const std::string_view> names) noexcept {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (same(names[i], key)) return {likeness::same, i};
  return {};
}

watched look_up_alike(std::string_view key, std::span<const std::string_view> names) noexcept {
  const auto it = std::ranges::find_if(names, [&](auto name) { return alike(key, name); });
  if (it == names.end()) return {};
  return {likeness::alike, static_cast<std::size_t>(it - names.begin())};
}

}  // namespace

std::size_t find_same(std::string_view raw_key, std::span<const std::string_view> names) noexcept {
  if (const auto it = look_up_same(raw_key, names); it.how != likeness::none) return it.place;
  if (raw_key.find('\\') == raw_key.npos) return names.size();
  const auto it =
      std::ranges::find_if(names, [&](auto name) { return json::same_key(raw_key, name); });
  return static_cast<std::size_t>(it - names.begin());
}

watched look_up(std::string_view raw_key, std::span<const std::string_view> names) {
  // No name has an escape in it: most keys are found at once.
  if (const auto same = look_up_same(raw_key, names); same.how != likeness::none) return same;
  if (raw_key.find('\\') == raw_key.npos) return look_up_alike(raw_key, names);
  std::string quoted, key;
  quoted.append("\"").append(raw_key) += '"';
  // What is no string is no key: the scanner has said so, or will.
  if (!json::unquote(quoted, key)) return {};
  if (key.find('\0') != key.npos) return {likeness::nul, 0};
  const auto same = look_up_same(key, names);
  return same.how != likeness::none ? same : look_up_alike(key, names);
}

}  // namespace gate::jsonrpc
