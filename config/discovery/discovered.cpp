#include "config/discovery/discovered.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "config/discovery/containment.hpp"
#include "config/parse.hpp"
#include "config/validate.hpp"
#include "protocol/limits.hpp"

namespace gate::config {
namespace {

constexpr std::string_view list = "/upstreams/";

std::string prefixed(std::string_view prefix, std::string_view what) {
  return std::string(prefix) + std::string(what);
}

void add(std::vector<config_problem>& to, std::string pointer, std::string what) {
  if (to.size() < limits::config_problems) to.push_back({std::move(pointer), std::move(what)});
}

/// Which of the upstreams of `doc` has taken what another one wants. The places named are those of
/// the document where they stand.
void find_collisions(const document& doc, std::size_t from, std::vector<config_problem>& out) {
  const auto place = [&](std::size_t i) {
    return i < from ? prefixed(list, std::to_string(i)) + " of the configuration"
                    : prefixed(list, std::to_string(i - from)) + " of the discovery document";
  };
  const auto look = [&](std::string_view key, std::string_view noun, auto&& value_of) {
    std::unordered_map<std::string_view, std::size_t> taken;
    for (std::size_t i = 0; i < doc.upstreams.size(); ++i) {
      const std::string* value = value_of(doc.upstreams[i]);
      if (!value) continue;
      const auto [first, fresh] = taken.emplace(*value, i);
      if (fresh || i < from) continue;
      add(out, join_pointer(prefixed(list, std::to_string(i - from)), key),
          prefixed(in_discovery_document, noun) + " \"" + *value + "\" is taken by " +
              place(first->second));
    }
  };
  look("id", "the id", [](const upstream& u) { return &u.id; });
  look("namespace", "the namespace",
       [](const upstream& u) { return u.space ? &*u.space : nullptr; });
}

/// A problem of the merged document, told of the document that it stands in.
config_problem told(config_problem p, std::size_t from) {
  if (p.pointer.starts_with(list)) {
    const std::string_view rest = std::string_view(p.pointer).substr(list.size());
    std::size_t index = 0;
    const auto end = std::from_chars(rest.data(), rest.data() + rest.size(), index).ptr;
    if (index >= from) {
      auto pointer = prefixed(list, std::to_string(index - from));
      pointer.append(end, rest.data() + rest.size());
      return {std::move(pointer), prefixed(in_discovery_document, p.what)};
    }
  }
  return {std::move(p.pointer), prefixed(with_discovery_document, p.what)};
}

}  // namespace

discovered_part read_discovered(std::string_view text, const discovery_section& rules) {
  discovered_part out;
  auto read = parse_discovered(text);
  out.upstreams = std::move(read.doc.upstreams);
  out.problems = std::move(read.problems);
  // The bounds are judged of what was understood only.
  if (out.problems.empty()) out.problems = contain(out.upstreams, rules);
  for (auto& p : out.problems) p.what = prefixed(in_discovery_document, p.what);
  return out;
}

merged_document merge(document own, std::vector<upstream> discovered) {
  merged_document out;
  out.doc = std::move(own);
  out.discovered_from = out.doc.upstreams.size();
  const bool alone = discovered.empty();
  std::ranges::move(discovered, std::back_inserter(out.doc.upstreams));
  if (!alone) find_collisions(out.doc, out.discovered_from, out.problems);
  // The rules would tell the same again, with places that are in neither document.
  if (!out.problems.empty()) return out;
  for (auto& p : validate(out.doc)) {
    if (out.problems.size() == limits::config_problems) break;
    out.problems.push_back(alone ? std::move(p) : told(std::move(p), out.discovered_from));
  }
  return out;
}

}  // namespace gate::config
