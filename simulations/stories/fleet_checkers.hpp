#pragma once
/// What must hold in every story of a fleet, whatever its seed: each checker reads the evidence and
/// says what is wrong, in sentences. Exact where nobody decided alone; else with what docs/fleet.md
/// says may happen while the store is away. None asks the gateways or the store. Pure, so that
/// falsified evidence shows whether they see.
#include <string>
#include <vector>

#include "simulations/stories/fleet_evidence.hpp"

namespace gate::fleet_churn {

using complaints = std::vector<std::string>;

/// Of all checkers.
complaints judge(const scenario& s, const evidence& e);

// fleet_checkers.cpp: requests, sessions, what is left
/// Every request ends exactly once, or its client or its instance is gone; with its own answer.
void check_endings(const evidence& e, complaints& out);
/// Every request leaves its audit event at its instance, and none leaves two.
void check_audit(const evidence& e, complaints& out);
/// No call is made twice; those that nothing was in the way of are answered.
void check_calls(const scenario& s, const evidence& e, complaints& out);
/// A session is answered for its owner only, at every instance, until it ends.
void check_sessions(const scenario& s, const evidence& e, complaints& out);
/// When all is well again, everything works at every instance.
void check_recovery(const scenario& s, const evidence& e, complaints& out);
/// When all have gone, nothing is left: here, at the servers, and in the store.
void check_departure(const evidence& e, complaints& out);

// fleet_oracles.cpp: what the fleet counts together
/// Limits of an upstream, of everybody and of principals.
void check_limits(const scenario& s, const evidence& e, complaints& out);
void check_budget(const scenario& s, const evidence& e, complaints& out);
/// One probe over the fleet while a circuit is open.
void check_lease(const scenario& s, const evidence& e, complaints& out);
/// An assertion is taken once.
void check_assertions(const evidence& e, complaints& out);
/// A task is its owner's.
void check_tasks(const evidence& e, complaints& out);
/// Who comes back for the stream of a call hears on it what it has missed, once and in order.
void check_resumed(const evidence& e, complaints& out);

// fleet_checkers_rights.cpp: what belongs to whom
/// What one tenant has is neither shown to another, nor asked in its name.
void check_tenants(const evidence& e, complaints& out);
/// A credential is shown to its own upstream, in the name of its own principal; no token stands
/// anywhere else.
void check_credentials(const evidence& e, complaints& out);

std::string_view word_of(request::kind what);
/// How it is called in complaints.
std::string name_of(const request& r);

}  // namespace gate::fleet_churn
