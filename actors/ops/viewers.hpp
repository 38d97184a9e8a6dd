#pragma once
/// Who may see what of the gateway itself (docs/introspection.md, Viewers). Pure; asked by ROUTER
/// once a request of a viewer.
#include <algorithm>

#include "actors/messages/audit.hpp"
#include "actors/who/caller.hpp"
#include "config/snapshot/snapshot.hpp"

namespace gate::ops {

/// An operator sees everything but secrets: everybody where nobody has to say who they are, else
/// the members of `server.introspection.groups`.
inline bool is_operator(const config::snapshot& s, const identity::access& who) {
  const auto* principal = who.who();
  if (!principal) return true;
  const auto& groups = s.doc.server.introspection.groups;
  return groups && std::ranges::any_of(*groups, [&](const auto& g) {
           return std::ranges::find(principal->groups, g) != principal->groups.end();
         });
}

/// May this viewer see the federation at all?
inline bool may_view(const config::snapshot& s, const identity::access& who) {
  return !s.doc.server.introspection.groups || is_operator(s, who);
}

/// Which events this viewer may see.
inline event_filter events_for(const config::snapshot& s, const identity::access& who) {
  if (is_operator(s, who)) return {true, {}, {}};
  return {false, who.who()->issuer, who.who()->subject};
}

}  // namespace gate::ops
