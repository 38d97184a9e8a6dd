#include "actors/federation/known_lists.hpp"

#include <algorithm>

#include "actors/federation/view_list.hpp"

namespace gate::federation {
namespace {

bool lists(const mcp::item_list& items, mcp::list_kind kind, std::string_view uri) {
  if (mcp::row(kind).by == mcp::keyed::by_template) {
    template_match matches(uri);
    return std::ranges::any_of(items, [&](const auto& item) { return matches(item.key); });
  }
  return std::ranges::any_of(items, [&](const auto& item) { return item.key == uri; });
}

}  // namespace

known_owner find_known_owner(const config::snapshot& s, const config::policy_view& by,
                             mcp::list_kind kind, const std::vector<list_sources*>& of,
                             std::string_view uri) {
  known_owner out;
  for (const auto& u : s.upstreams) {
    if (!is_listed(kind, u, by)) continue;
    bool known = false;
    for (auto* sources : of) {
      const auto* listed = sources->listed(u.index);
      if (!listed) continue;
      known = true;
      if (!lists(*listed->items, kind, uri)) continue;
      out.upstream = u.index;
      return out;
    }
    if (!known && by.reaches(u.index)) out.unknown.push_back(u.id);
  }
  return out;
}

}  // namespace gate::federation
