#include "simulations/stories/fleet_canaries.hpp"

#include <array>

namespace gate::fleet_churn {
namespace {

constexpr std::array rows{
    planted{canary::refuses_nobody, "refuses_nobody", "limits: lim",
            "the store lets in what a limit has no room for"},
    planted{canary::charges_nobody, "charges_nobody", "budget: pen",
            "the store lets in what a budget has no room for"},
    planted{canary::leases_to_all, "leases_to_all",
            "lease: ", "the store lets everybody probe an open circuit"},
    planted{canary::forgets_used, "forgets_used",
            "assertions: ", "the store forgets which assertions were used"},
    planted{canary::forgets_sessions, "forgets_sessions",
            "sessions: ", "the store forgets sessions"},
    planted{canary::adopts_foreign, "adopts_foreign", "sessions: steal",
            "whoever has the id of a session is taken for its owner"},
    planted{canary::tells_of_tasks, "tells_of_tasks",
            "tasks: ", "whoever asks for a task is taken for its owner"},
    planted{canary::loses_audit, "loses_audit", "audit: ", "an audit line is lost"},
    planted{canary::calls_twice, "calls_twice", "calls: ", "a call is made twice"},
    planted{canary::keeps_record, "keeps_record", "departure: the store",
            "the record of a session stays in the store"},
    planted{canary::loses_streams, "loses_streams",
            "streams: ", "who comes back for a stream is told nothing on it"},
    planted{canary::repeats_streams, "repeats_streams",
            "streams: ", "who comes back for a stream is told again what it has heard"},
    planted{canary::open_tenants, "open_tenants",
            "tenants: ", "a tenant has the upstream of another one"},
    planted{canary::shares_credential, "shares_credential",
            "credentials: ", "an upstream is shown the credential of another caller"},
    planted{canary::drops_answer, "drops_answer", "endings: ", "a request is thrown away"},
};

}  // namespace

std::span<const planted> canaries() {
  return rows;
}

bool suits(const scenario& s, const planted&) {
  return s.calm && s.requests_per_minute == 0 && s.per_principal == 0;
}

}  // namespace gate::fleet_churn
