#pragma once
/// Part of stage 7: the gateway's answer to `initialize` (MCP 2025-11-25 /basic/lifecycle), and to
/// `server/discover`, which says the same to clients without a session (MCP 2026-07-28
/// /server/discover).
#include <optional>

#include "actors/pipeline/desk.hpp"
#include "actors/pipeline/fact.hpp"

namespace gate::pipeline {

/// Opens a session for the client: `c.session`. Refused: params that are not as they have to be,
/// too many sessions.
std::optional<refused> begin_session(fact<stage::guard>& c, desk& d);

/// For the model: what it is talking to, how names are made up, and what the servers say of
/// themselves (`own`: raw JSON strings by number of the upstream; empty: nothing). A raw JSON
/// string.
std::string instructions(const config::snapshot& s, const config::policy_view& view,
                         const std::vector<std::string>& own);

/// The answer, as soon as it is known what there is to declare.
void finish_initialize(call& c, const federation_abilities& can);
void finish_discover(call& c, const federation_abilities& can);

}  // namespace gate::pipeline
