#pragma once
/// What a caller is told when a guard says no. Pure; for whoever asked the guard.
#include <chrono>
#include <string_view>

#include "actors/guards/messages.hpp"
#include "protocol/refusals.hpp"

namespace gate::guards {

/// `upstream "ID" rate limit exceeded; retry in 37s`
refusal rate_limited(std::string_view upstream, std::chrono::seconds retry_after);
/// `upstream "ID" unavailable (circuit open)`
refusal circuit_open(std::string_view upstream);
/// `upstream "ID" budget exhausted (100/100); resets 2026-12-01T00:00:00Z`; instead of the
/// upstream: `tenant "T"` or `server`, whichever scope refused.
refusal budget_exhausted(const charged& no);

}  // namespace gate::guards
