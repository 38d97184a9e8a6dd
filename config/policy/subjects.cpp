#include "config/policy/subjects.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "protocol/json/scan.hpp"

namespace gate::config {
namespace {

/// So few comparisons are cheaper than a set.
constexpr std::size_t few = 64;
/// Powers of ten beyond this are no quantity of anything; so far from the ends of the type that
/// counting digits can not overflow it.
constexpr std::int64_t most_power = 1'000'000'000;

/// Of `5`, `+5`, `-5`.
std::optional<std::int64_t> power_of_ten(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t out = 0;
  const auto* end = text.data() + text.size();
  if (std::from_chars(text.data(), end, out).ec != std::errc{}) return std::nullopt;
  if (out > most_power || out < -most_power) return std::nullopt;
  return out;
}

/// A JSON number as sign, digits without zeros at either end, and the power of ten of the last
/// digit: `-1.50e2` is `-15e1`. Empty if the power is out of bounds; such a number equals none.
std::string decimal(std::string_view raw) {
  std::string out;
  if (raw.starts_with('-')) {
    out = '-';
    raw.remove_prefix(1);
  }
  const auto sign = out.size();
  const auto e = raw.find_first_of("eE");
  const auto exponent =
      e == raw.npos ? std::optional<std::int64_t>(0) : power_of_ten(raw.substr(e + 1));
  raw = raw.substr(0, e);
  const auto point = raw.find('.');
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (i == point || (raw[i] == '0' && out.size() == sign)) continue;
    out += raw[i];
  }
  if (out.size() == sign) return "0";  // whatever its sign and power
  if (!exponent) return {};
  auto power = *exponent;
  if (point != raw.npos) power -= static_cast<std::int64_t>(raw.size() - point - 1);
  const auto last = out.find_last_not_of('0');
  power += static_cast<std::int64_t>(out.size() - last - 1);
  out.resize(last + 1);
  return out + 'e' + std::to_string(power);
}

/// The letter in front keeps the types apart.
std::string number_word(std::string_view raw) {
  auto digits = decimal(raw);
  return digits.empty() ? digits : 'n' + digits;
}

/// Empty if it has none.
std::string scalar_word(std::string_view raw) {
  if (raw.empty()) return {};
  switch (raw.front()) {
    case '"': {
      std::string text;
      return json::unquote(raw, text) ? 's' + text : std::string();
    }
    case 't':
      return "b1";
    case 'f':
      return "b0";
    case 'n':
    case '[':
    case '{':
      return {};
    default:
      return number_word(raw);
  }
}

json::cursor reader(std::string_view text) {
  // Bounds of text that is only read in passing, as with json::member.
  return {text, {.depth = json::deepest, .utf8 = false}};
}

}  // namespace

std::string word_of(const claim_value& v) {
  if (const auto* text = std::get_if<std::string>(&v)) return 's' + *text;
  if (const auto* yes = std::get_if<bool>(&v)) return *yes ? "b1" : "b0";
  if (const auto* n = std::get_if<std::int64_t>(&v)) return number_word(std::to_string(*n));
  std::array<char, 32> shortest{};
  const auto end = std::to_chars(shortest.begin(), shortest.end(), std::get<double>(v)).ptr;
  return number_word({shortest.data(), static_cast<std::size_t>(end - shortest.data())});
}

std::vector<std::string> words_of(std::string_view raw) {
  std::vector<std::string> out;
  auto add = [&out](std::string_view scalar) {
    if (auto word = scalar_word(scalar); !word.empty()) out.push_back(std::move(word));
  };
  auto c = reader(raw);
  if (c.peek() != '[') {
    add(c.value());
  } else {
    json::elements(c, [&](json::cursor& inner) { add(inner.value(1)); });
  }
  c.finish();
  if (!c.ok()) out.clear();
  return out;
}

const std::vector<caller::claim>& caller::claims() {
  if (claims_read_) return claims_;
  claims_read_ = true;
  auto c = reader(who_.claims);
  json::members(c, [this](std::string_view name, json::cursor& inner) {
    const auto raw = inner.value(1);
    if (name.find('\\') != name.npos) {
      // The quotes are where the name is.
      auto& resolved = names_.emplace_back();
      if (!json::unquote({name.data() - 1, name.size() + 2}, resolved)) return;
      name = resolved;
    }
    claims_.push_back({name, raw});
  });
  c.finish();
  if (!c.ok()) claims_.clear();
  std::ranges::sort(claims_, {}, &claim::name);
  return claims_;
}

bool caller::has_claim(const std::string& name, const claim_value& v) {
  auto known = words_.find(name);
  if (known == words_.end()) {
    const auto& all = claims();
    const auto at = std::ranges::lower_bound(all, std::string_view(name), {}, &claim::name);
    std::vector<std::string> found;
    if (at != all.end() && at->name == name) found = words_of(at->raw);
    known = words_.emplace(name, std::unordered_set<std::string>(found.begin(), found.end())).first;
  }
  return known->second.contains(word_of(v));
}

bool caller::in_groups(const text_list& groups) {
  const auto& own = who_.groups;
  if (own.size() * groups.size() <= few) {
    return std::ranges::find_first_of(groups, own) != groups.end();
  }
  if (groups_.empty()) groups_.insert(own.begin(), own.end());
  return std::ranges::any_of(groups, [this](const auto& g) { return groups_.contains(g); });
}

bool caller::meant_by(const subjects& s) {
  const bool only_gates = s.subs.empty() && s.groups.empty();
  if (only_gates && s.issuers.empty() && s.claims.empty()) return false;
  if (!s.issuers.empty() && std::ranges::find(s.issuers, who_.issuer) == s.issuers.end()) {
    return false;
  }
  for (const auto& [name, value] : s.claims) {
    if (!has_claim(name, value)) return false;
  }
  if (only_gates) return true;
  return std::ranges::find(s.subs, who_.subject) != s.subs.end() || in_groups(s.groups);
}

bool means(const subjects& s, const oauth::principal* who) {
  return who != nullptr && caller(*who).meant_by(s);
}

}  // namespace gate::config
