#pragma once
/// What an invocation of an upstream is charged to: the budgets of the upstream, of the caller's
/// tenant, and of the server, as far as the configuration has them. Pure; asked by ROUTER.
#include "actors/guards/messages.hpp"
#include "actors/identity/caller.hpp"
#include "config/snapshot/snapshot.hpp"

namespace gate::guards {

/// Null if there is no budget. `who` null: on nobody's behalf; else what the caller is under this
/// snapshot.
allowances_ptr allowances(const config::snapshot& s, const config::compiled_upstream& u,
                          const identity::access* who);

/// The rate limits of stage 3, in their order: everybody's, the tenant's, the principal's.
std::vector<rate_scope> rate_scopes(const config::snapshot& s, const identity::access& who);

}  // namespace gate::guards
