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
  bool asked = false;  ///< false: its probe has not set out yet
};

/// What BREAKER and BALANCER said last of an upstream, and what was open with it then.
struct vital_signs {
  breaker_state breaker = breaker_state::closed;
  std::vector<bool> endpoints{};  ///< in rotation? Empty: there is one, or nobody has told
  /// Sessions of all units, as `gate_upstream_sessions`.
  std::int64_t root_sessions = 0, bridged_sessions = 0;
};

/// What one round of probes found out, whole: what viewers are told is of one. All is by number of
/// the upstream.
struct report {
  config::snapshot_ptr snapshot;
  std::vector<finding> found;
  std::vector<vital_signs> signs;
};

/// In words: `closed`, `half-open`, `open`.
std::string_view name_of(breaker_state s);

/// The report's body (decisions, `/health`). Details that outsiders should not see (URL, owner,
/// labels, error text) are left out unless `details`.
/// `store`: is the shared store there? Nothing: there is none. It makes nobody unhealthy: without
/// it this instance decides by itself.
std::string health_body(const report& r, std::optional<bool> store, bool details);
/// Is any upstream reachable?
bool is_serving(const config::snapshot& s, const std::vector<finding>& found);

/// What the process knows beside upstreams.
struct process_facts {
  std::optional<bool> store;
  std::optional<discovery_state> discovery;
  std::int64_t clients = 0, bridged = 0;  ///< open sessions
  std::chrono::system_clock::time_point now;
};
/// What a viewer sees of upstreams: the same for all who see the same ones, and nearly all of the
/// text. The report may be of a later or an earlier snapshot than the viewer's: what that does not
/// show is left out.
struct upstreams_seen {
  std::string_view status;  ///< as in `/health`
  std::int64_t fixed = 0, discovered = 0;
  std::string list;  ///< an array
};
upstreams_seen see_upstreams(const report& r, const ask_federation& q,
                             std::chrono::system_clock::time_point now);
std::string federation_body(const config::snapshot& s, const process_facts& about,
                            const ask_federation& q, const upstreams_seen& seen);

}  // namespace gate::ops
