#pragma once
/// What a caller is told when a guard says no. Pure; for whoever asked the guard.
#include <chrono>
#include <functional>
#include <memory>
#include <string_view>

#include "actors/messages/guards.hpp"
#include "actors/who/caller.hpp"
#include "config/snapshot/snapshot.hpp"
#include "protocol/refusals.hpp"

namespace gate::guards {

/// `upstream "ID" rate limit exceeded; retry in 37s`
refusal rate_limited(std::string_view upstream, std::chrono::seconds retry_after);
/// `upstream "ID" unavailable (circuit open)`
refusal circuit_open(std::string_view upstream);
/// `upstream "ID" budget exhausted (100/100); resets 2026-12-01T00:00:00Z`; instead of the
/// upstream: `tenant "T"` or `server`, whichever scope refused.
refusal budget_exhausted(const charged& no);

/// A guard's refusal of one upstream, by its number; null: there is none.
using refusals_by_upstream = std::function<std::shared_ptr<const refusal>(std::size_t)>;
/// The answer to a list that no upstream gave since each was refused before it was asked: the first
/// refusal in configuration order. Null if some upstream failed for another reason; if several are
/// refused and the first is down, since then all are to be named; or if a refusal speaks of a
/// tenant that is not `who`'s: one caller's fetch serves many.
std::shared_ptr<const refusal> refused_by_all(const config::snapshot& s,
                                              const identity::access& who,
                                              const refusals_by_upstream& by);

}  // namespace gate::guards
