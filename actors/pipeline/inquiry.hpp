#pragma once
/// What a viewer asks of the gateway itself (docs/introspection.md), as part of its call. Such a
/// request passes stages 1 to 3 as MCP's do. There it is answered; what is to be explained goes on,
/// through stages 4 to 6, as the request that it is about would, and is answered where that would
/// cost something or be refused. Plain data.
#include <string>
#include <vector>

#include "protocol/endpoints.hpp"
#include "protocol/introspection/queries.hpp"

namespace gate::pipeline {

struct inquiry {
  endpoint what = endpoint::federation;
  introspection::activity_query activity{};
  bool live = false;  ///< of activity: it wants a stream
  introspection::explain_query about{};
  std::string request{};   ///< what is explained, as a client would send it
  bool explained = false;  ///< its own stages are behind it: what is refused now is that request
  /// Ids of upstreams that may list what is asked for before whoever is known to; nobody knows
  /// without asking them.
  std::vector<std::string> unknown{};
};

}  // namespace gate::pipeline
