#pragma once
/// What an invocation of an upstream is charged to: the budgets of the upstream, of the caller's
/// tenant, and of the server, as far as the configuration has them; and which rate limits a
/// caller's requests are counted in. Pure; asked by ROUTER and its gatekeeper.
#include <unordered_map>

#include "actors/messages/guards.hpp"
#include "actors/who/caller.hpp"
#include "config/snapshot/snapshot.hpp"

namespace gate::guards {

/// Null if there is no budget. `who` null: on nobody's behalf; else what the caller is under this
/// snapshot.
allowances_ptr allowances(const config::snapshot& s, const config::compiled_upstream& u,
                          const identity::access* who);

/// The same, remembered for the snapshot that was asked about last: a call finds its price here.
/// There is one for an upstream, and one more for each tenant that has a budget and calls it; when
/// there are `limits::price_list` of them, it begins anew.
class price_list {
 public:
  using snapshot_ptr = std::shared_ptr<const config::snapshot>;
  allowances_ptr of(const snapshot_ptr& s, const config::compiled_upstream& u,
                    const identity::access* who);

 private:
  std::uint64_t generation_ = 0;
  std::unordered_map<std::uint64_t, allowances_ptr> known_;
};

/// The rate limits of stage 3, in their order: everybody's, the tenant's, the principal's. Null if
/// there are none.
rate_scopes_ptr rate_scopes(const config::snapshot& s, const identity::access& who);

/// What a viewer is told the use of, beside what its requests are counted in: the budgets of the
/// server and of the viewer's tenant, and the limits and budgets of the upstreams that it sees.
struct viewed {
  rate_scopes_ptr scopes;
  allowances_ptr costs;
};
viewed viewed_scopes(const config::snapshot& s, const identity::access& who, bool sees_all);
/// The same of one upstream's limit alone; null: it has none.
rate_scopes_ptr upstream_scopes(const config::compiled_upstream& u);

}  // namespace gate::guards
