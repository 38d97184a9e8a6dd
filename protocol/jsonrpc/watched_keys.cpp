#include "protocol/jsonrpc/watched_keys.hpp"

#include <algorithm>
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

watched look_up_plain(std::string_view key, std::span<const std::string_view> names) noexcept {
  const auto place = [&](auto found) { return static_cast<std::size_t>(found - names.begin()); };
  if (const auto it = std::ranges::find(names, key); it != names.end())
    return {likeness::same, place(it)};
  const auto it = std::ranges::find_if(names, [&](auto name) { return alike(key, name); });
  if (it != names.end()) return {likeness::alike, place(it)};
  return {};
}

}  // namespace

watched look_up(std::string_view raw_key, std::span<const std::string_view> names) {
  if (raw_key.find('\\') == raw_key.npos) return look_up_plain(raw_key, names);
  std::string quoted, key;
  quoted.append("\"").append(raw_key) += '"';
  // What is no string is no key: the scanner has said so, or will.
  if (!json::unquote(quoted, key)) return {};
  if (key.find('\0') != key.npos) return {likeness::nul, 0};
  return look_up_plain(key, names);
}

}  // namespace gate::jsonrpc
