#pragma once
/// What HEALTH reports of upstreams: `/health`, and `/api/federation` as one viewer may see it
/// (docs/introspection.md). Pure.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/messages.hpp"

namespace gate::ops {

/// What one probe found out; `answered` false: nothing yet.
struct finding {
  bool answered = false;
  bool unprobed = false;  ///< its credential comes from callers: nobody can ask it
  probed result;
};

/// What BREAKER and BALANCER said last of an upstream.
struct vital_signs {
  breaker_state breaker = breaker_state::closed;
  std::vector<bool> endpoints;  ///< in rotation? Empty: there is one, or nobody has told
};

/// In words: `closed`, `half-open`, `open`.
std::string_view name_of(breaker_state s);

/// The report's body (decisions, `/health`). Details that outsiders should not see (URL, owner,
/// labels, error text) are left out unless `details`.
/// `found` and `signs` are by number of the upstream. `store`: is the shared store there? Nothing:
/// there is none. It makes nobody unhealthy: without it this instance decides by itself.
std::string health_body(const config::snapshot& s, const std::vector<finding>& found,
                        const std::vector<vital_signs>& signs, std::optional<bool> store,
                        bool details);
/// Is any upstream reachable?
bool is_serving(const config::snapshot& s, const std::vector<finding>& found);

/// What the process knows beside upstreams.
struct process_facts {
  std::optional<bool> store;
  std::optional<discovery_state> discovery;
  std::int64_t clients = 0, bridged = 0;  ///< open sessions
  std::chrono::system_clock::time_point now;
};
/// `s` may be a later or an earlier snapshot than the viewer's: what that does not show is left
/// out.
std::string federation_body(const config::snapshot& s, const std::vector<finding>& found,
                            const std::vector<vital_signs>& signs, const process_facts& about,
                            const ask_federation& q);

}  // namespace gate::ops
