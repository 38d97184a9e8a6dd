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
  for (std::size_t place = 0; place < s.upstreams.size(); ++place) {
    const auto& u = s.upstreams[place];
    if (!is_listed(kind, u, by)) continue;
    bool known = false;
    for (auto* sources : of) {
      // After a reload a number may mean another one there.
      const auto* there = sources->snapshot().at(u.index);
      const auto* listed = there && there->id == u.id ? sources->listed(u.index) : nullptr;
      if (!listed) continue;
      known = true;
      if (!lists(*listed->items, kind, uri)) continue;
      out.upstream = u.index;
      return out;
    }
    if (!known && by.reaches(u.index)) out.unknown.push_back(place);
  }
  return out;
}

}  // namespace gate::federation
