#include "simulations/stories/shim_canaries.hpp"

#include <array>

namespace gate::shim_churn {
namespace {

constexpr std::array shim_plants{
    planted{canary::drops_answer, "drops_answer", "answers: ", "a request is thrown away"},
    planted{canary::crosses_marks, "crosses_marks",
            "marks: ", "a child answers with what belongs to the call before"},
    planted{canary::mixes_up, "mixes_up", "marks: child",
            "what one session said is written to another one's child"},
    planted{canary::eats_a_line, "eats_a_line",
            "prompt: ", "children do not hear every eighth call"},
    planted{canary::dawdles, "dawdles", "prompt: ", "answers come 3 s late"},
    planted{canary::keeps_child, "keeps_child", "departure: child", "no child can be killed"},
    planted{canary::wide_ceiling, "wide_ceiling", "ceiling: at",
            "five sessions more are let in than there may be"},
    planted{canary::wrong_refusal, "wrong_refusal", "ceiling: initialize",
            "a client is refused though there is room"},
    planted{canary::kills_early, "kills_early",
            "teardown: ", "a child is killed before it had its time"},
    planted{canary::keeps_actor, "keeps_actor", "departure: ", "somebody outlives the shim"},
    planted{canary::loses_session, "loses_session",
            "sessions: ", "sessions end though nothing has happened to them"},
    planted{canary::tells_session, "tells_session", "secrets: ", "the log has the id of a session"},
};

}  // namespace

std::span<const planted> canaries() {
  return shim_plants;
}

bool suits(const scenario& s, const planted& p) {
  return p.what != canary::wrong_refusal || s.max_sessions > 1;
}

}  // namespace gate::shim_churn
