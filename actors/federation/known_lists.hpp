#pragma once
/// Whose a resource is, as far as lists that are there say: for explanations, for whose sake nobody
/// is asked and nothing is made or kept. Pure; part of ROUTER.
#include <optional>
#include <string_view>
#include <vector>

#include "actors/federation/list_sources.hpp"
#include "protocol/mcp/list_kinds.hpp"

namespace gate::federation {

struct known_owner {
  std::optional<std::size_t> upstream;  ///< its number
  /// Places within the snapshot's upstreams, ascending, of those that the view reaches: of their
  /// lists nothing is known, and what they list would come before what is known.
  std::vector<std::size_t> unknown;
};

/// `of`: lists of this kind, as several kinds of clients have been shown them; what is in any is
/// known.
known_owner find_known_owner(const config::snapshot& s, const config::policy_view& by,
                             mcp::list_kind kind, const std::vector<list_sources*>& of,
                             std::string_view uri);

}  // namespace gate::federation
