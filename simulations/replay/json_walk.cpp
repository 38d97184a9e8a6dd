#include "simulations/replay/json_walk.hpp"

#include <algorithm>

#include "protocol/json/scan.hpp"

namespace gate::replay {
namespace {

/// Text was read before: what is in its strings is not looked at.
constexpr json::limits as_it_is{json::deepest, false};

/// A raw key, as it stands.
std::string quoted_key(std::string_view raw) {
  return '"' + std::string(raw) + '"';
}

void contrast_at(std::string& path, std::string_view member, std::string_view one,
                 std::string_view other, const std::function<void(const json_pair&)>& f) {
  if (one == other) return;
  const bool nested = !one.empty() && !other.empty() && one.front() == other.front() &&
                      (one.front() == '{' || one.front() == '[');
  if (!nested) return f({path, member, one, other});
  const auto ours = members_of(one), theirs = members_of(other);
  const bool object = one.front() == '{';
  const auto size = path.size();
  const auto into = [&](std::size_t i, std::string_view key, std::string_view a,
                        std::string_view b) {
    path += '/';
    path += object ? std::string(key) : std::to_string(i);
    contrast_at(path, object ? key : member, a, b, f);
    path.resize(size);
  };
  if (!object) {
    for (std::size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i)
      into(i, {}, i < ours.size() ? ours[i].second : std::string_view{},
           i < theirs.size() ? theirs[i].second : std::string_view{});
    return;
  }
  if (member == minted_keys_of && ours.size() == theirs.size()) {
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const auto one_key = quoted_key(ours[i].first), other_key = quoted_key(theirs[i].first);
      if (one_key != other_key) f({path, minted_key, one_key, other_key});
      into(0, ours[i].first, ours[i].second, theirs[i].second);
    }
    return;
  }
  const auto find = [](const std::vector<json_member>& in, std::string_view key) {
    for (const auto& m : in)
      if (m.first == key) return m.second;
    return std::string_view{};
  };
  for (const auto& [key, value] : ours) into(0, key, value, find(theirs, key));
  for (const auto& [key, value] : theirs)
    if (find(ours, key).empty()) into(0, key, {}, value);
}

void rewrite_at(std::string& out, std::string& path, std::string_view member, std::string_view raw,
                const leaf_writer& f) {
  if (raw.empty() || (raw.front() != '{' && raw.front() != '[')) {
    const auto by = f(path, member, raw);
    out += by ? std::string_view(*by) : raw;
    return;
  }
  const bool object = raw.front() == '{';
  const auto size = path.size();
  std::size_t i = 0;
  const char* copied = raw.data();
  for (const auto& [key, value] : members_of(raw)) {
    if (const auto by = object && member == given_keys_of ? f(path, minted_key, quoted_key(key))
                                                          : std::nullopt) {
      out.append(copied, key.data() - 1).append(*by);
      copied = key.data() + key.size() + 1;
    }
    out.append(copied, value.data());
    path += '/';
    path += object ? std::string(key) : std::to_string(i++);
    rewrite_at(out, path, object ? key : member, value, f);
    path.resize(size);
    copied = value.data() + value.size();
  }
  out.append(copied, raw.data() + raw.size());
}

}  // namespace

std::vector<json_member> members_of(std::string_view raw) {
  std::vector<json_member> out;
  json::cursor c(raw, as_it_is);
  if (c.peek() == '{')
    json::members(
        c, [&](std::string_view key, json::cursor& at) { out.emplace_back(key, at.value(1)); });
  else if (c.peek() == '[')
    json::elements(c, [&](json::cursor& at) { out.emplace_back(std::string_view{}, at.value(1)); });
  return out;
}

void contrast_json(std::string_view one, std::string_view other,
                   const std::function<void(const json_pair&)>& f) {
  std::string path;
  json::cursor a(one, as_it_is), b(other, as_it_is);
  a.peek();
  b.peek();
  contrast_at(path, {}, a.value(), b.value(), f);
}

bool is_leaf(std::string_view raw) {
  return !raw.starts_with('{') && !raw.starts_with('[');
}

bool may_have(std::string_view text, std::string_view name) {
  return text.find(name) != text.npos || text.find("\\u") != text.npos;
}

void patched::put(std::string_view part, std::string_view by) {
  if (part.data() != nullptr && part != by) parts_.emplace_back(part, by);
}

std::string patched::text() {
  std::ranges::sort(parts_, std::less<>{}, [](const auto& p) { return p.first.data(); });
  std::string out;
  out.reserve(text_.size() + 16);
  const char* copied = text_.data();
  for (const auto& [part, by] : parts_) {
    out.append(copied, part.data()).append(by);
    copied = part.data() + part.size();
  }
  return out.append(copied, text_.data() + text_.size());
}

std::string rewrite_json(std::string_view text, const leaf_writer& f) {
  if (json::validate(text, as_it_is) != json::fault::none) return std::string(text);
  std::string out, path;
  json::cursor c(text, as_it_is);
  c.peek();
  rewrite_at(out, path, {}, c.value(), f);
  return out;
}

}  // namespace gate::replay
