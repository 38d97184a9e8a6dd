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
    planted{canary::drops_answer, "drops_answer", "endings: ", "a request is thrown away"},
};

}  // namespace

std::span<const planted> canaries() {
  return rows;
}

bool suits(const scenario& s, const planted&) {
  return s.calm && s.requests_per_minute == 0 && s.per_principal == 0;
}

evidence bent(evidence found, canary what) {
  if (what == canary::loses_audit)
    for (auto& l : found.lives)
      if (!l.killed && !l.audit.empty()) l.audit.pop_back();
  if (what == canary::loses_streams)
    for (auto& r : found.requests)
      if (r.what == request::kind::resume) {
        r.receipt = std::make_shared<sim::receipt>(*r.receipt);
        r.receipt->stream.clear();
      }
  auto& seen = found.seen["good"];
  if (what == canary::calls_twice)
    for (const auto& s : seen)
      if (s->method == "tools/call") {
        seen.push_back(s);
        break;
      }
  return found;
}

}  // namespace gate::fleet_churn
