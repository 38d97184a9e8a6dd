#pragma once
/// How calls that have waited go on.
#include "actors/pipeline/pipeline.hpp"
#include "actors/router/unit.hpp"

namespace gate::routing {

/// For calls that have not been routed: they may as well have come a moment later.
inline void renew(pipeline::call& c, unit& u, identity::gatekeeper& keeper) {
  if (c.snapshot == u.snapshot) return;
  c.snapshot = u.snapshot;
  if (auto& access = c.ticket.notes().access) access = keeper.under(access, u.snapshot);
}

/// By stage 4, which waited for lists or TASKS.
void go_on_routing(unit& u, std::uint64_t number);
/// By stage 7, which waited for a list.
void go_on_with_list(unit& u, std::uint64_t number, pipeline::list_outcome outcome);
/// By stage 7, which waited for what is known of a tool.
void go_on_asking(unit& u, std::uint64_t number);
/// By stage 4, which waited for STORE: the session that the call names was looked for.
void go_on_seeking(unit& u, std::uint64_t number);
/// By stage 7, which waited for STORE: the session that it has opened is the fleet's.
void go_on_opening(unit& u, std::uint64_t number);
/// By stage 3: RATE LIMITER has spoken, or need not.
void go_on_admitted(unit& u, const admitted& m);

/// Its client may try again in a second.
void refuse_without(unit& u, std::uint64_t number, pipeline::partner whom);

/// Somebody whom the call waits for is gone: what the table of partners says becomes of it.
template <pipeline::partner Whom>
void do_without(unit& u, std::uint64_t number) {
  using pipeline::loss;
  constexpr auto rule = pipeline::row(Whom).without;
  static_assert(rule == loss::admitted || rule == loss::refused, "it matters which of them died");
  if constexpr (rule == loss::admitted)
    go_on_admitted(u, {number, true});
  else
    refuse_without(u, number, Whom);
}

/// The same, of all calls that wait for it.
template <pipeline::partner Whom>
void lose(unit& u) {
  for (const auto number : u.calls.waiting_for(Whom)) do_without<Whom>(u, number);
}

}  // namespace gate::routing
