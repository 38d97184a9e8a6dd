#include "simulations/stories/canaries.hpp"

#include <array>

namespace gate::churn {
namespace {

constexpr std::array rows{
    planted{canary::answers_twice, "answers_twice",
            "answers: ", "a request is answered before ROUTER answers it", "good"},
    planted{canary::drops_answer, "drops_answer", "answers: ", "a request is thrown away", "good"},
    planted{canary::loses_audit, "loses_audit", "audit: ", "an audit line is lost", "good"},
    planted{canary::slow_good, "slow_good",
            "healthy: ", "an upstream that is well takes 10 ms too long", "good"},
    planted{canary::failing_good, "failing_good",
            "healthy: ", "an upstream that is well fails once", "good"},
    planted{canary::wrong_answer, "wrong_answer",
            "healthy: ", "an upstream that is well answers another call", "good"},
    planted{canary::swapped_replicas, "swapped_replicas",
            "sessions: ", "two replicas change places, and see each other's sessions", "trio"},
    planted{canary::stays_sick, "stays_sick", "recovery: ", "one upstream never recovers", "sick"},
    planted{canary::keeps_session, "keeps_session",
            "departure: ", "a session is not ended within its time", "good"},
    planted{canary::wide_limit, "wide_limit", "limits: lim",
            "a rate limit lets ten times as much in", "lim"},
    planted{canary::wide_budget, "wide_budget", "limits: pen", "a budget is ten times as large",
            "pen"},
    planted{canary::shared_key, "shared_key",
            "secrets: ", "an upstream is shown the key of another one", "sick"},
    planted{canary::told_key, "told_key", "secrets: ", "a key stands in the log", "good"},
    planted{canary::crossed_marks, "crossed_marks",
            "marks: ", "a call is answered with what belongs to the call before", "good"},
    planted{canary::open_policy, "open_policy", "policy: ", "what policy denies is allowed",
            "good"},
    planted{canary::swapped_notices, "swapped_notices",
            "order: ", "two notices of a server change places", "sick"},
    planted{canary::wrong_revision, "wrong_revision",
            "revision: ", "an upstream of MCP 2026-07-28 is sent a session", "new"},
    planted{canary::keeps_memory, "keeps_memory", "memory: ", "each story leaves 2 MiB behind",
            "good"},
    planted{canary::hides_backlog, "hides_backlog",
            "readers: ", "nobody knows what clients have yet to read", "good"},
    planted{canary::cuts_drain, "cuts_drain",
            "drain: ", "what runs when the gateway is told to end is refused at once", "good"},
    planted{canary::respaced, "respaced", "marks: ", "the white space of an answer is changed",
            "good"},
};

}  // namespace

std::span<const planted> canaries() {
  return rows;
}

bool suits(const scenario& s, const planted& p) {
  if (p.what == canary::open_policy && !s.guarded) return false;
  if (p.what == canary::cuts_drain) return s.abrupt && s.requests_per_minute == 0;
  return s.has(p.needs) && !s.abrupt && s.requests_per_minute == 0;
}

}  // namespace gate::churn
