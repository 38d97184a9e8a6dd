#include "protocol/oauth/object.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::oauth {
namespace {

constexpr json::limits bounds{limits::json_depth, true};

/// A raw key with its quotes, which stand around it in the text.
std::string_view with_quotes(std::string_view key) {
  return {key.data() - 1, key.size() + 2};
}

bool occurs_twice(const std::vector<std::pair<std::string_view, std::string_view>>& members) {
  std::vector<std::string_view> names;
  names.reserve(members.size());
  std::deque<std::string> spelled;  // keys without their escapes
  for (const auto& [key, value] : members) {
    auto name = key;
    if (key.find('\\') != key.npos && json::unquote(with_quotes(key), spelled.emplace_back()))
      name = spelled.back();
    names.push_back(name);
  }
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) != names.end();
}

}  // namespace

result<object> object::read(std::string_view text) {
  json::cursor c(text, bounds);
  if (c.peek() != '{') return problem{"is not an object"};
  object o;
  o.members_.reserve(16);
  json::members(c, [&o](std::string_view key, json::cursor& at) {
    o.members_.emplace_back(key, at.value(1));
  });
  c.finish();
  if (!c.ok()) return problem{"is malformed: " + std::string(json::describe(c.error()))};
  if (occurs_twice(o.members_)) return problem{"has a member twice"};
  return o;
}

std::string_view object::get(std::string_view name) const noexcept {
  for (const auto& [key, value] : members_)
    if (json::same_key(key, name)) return value;
  return {};
}

std::optional<std::string> text_of(std::string_view raw) {
  constexpr std::string_view replacement = "\xEF\xBF\xBD";  // what a lone surrogate becomes
  std::string out;
  if (!json::unquote(raw, out)) return {};
  if (raw.find('\\') != raw.npos && out.find(replacement) != out.npos) return {};
  return out;
}

bool read_text(const object& from, std::string_view name, std::string& to) {
  const auto raw = from.get(name);
  if (raw.empty()) return true;
  auto text = text_of(raw);
  if (text) to = std::move(*text);
  return text.has_value();
}

std::optional<std::vector<std::string>> texts_of(std::string_view raw, std::size_t most) {
  std::vector<std::string> out;
  json::cursor c(raw, bounds);
  json::elements(c, [&](json::cursor& at) {
    auto text = text_of(at.value(1));
    if (!text || out.size() == most) return at.fail(json::fault::stopped);
    out.push_back(std::move(*text));
  });
  c.finish();
  if (!c.ok()) return {};
  return out;
}

std::optional<double> number_of(std::string_view raw) {
  // JSON's numbers are a part of what from_chars reads, which also knows "inf" and "nan".
  if (raw.empty() || json::validate(raw) != json::fault::none) return {};
  if (raw.front() != '-' && (raw.front() < '0' || raw.front() > '9')) return {};
  double value = 0;
  const auto end = raw.data() + raw.size();
  const auto [at, error] = std::from_chars(raw.data(), end, value);
  if (error != std::errc{} || at != end || !std::isfinite(value)) return {};
  return value;
}

}  // namespace gate::oauth
