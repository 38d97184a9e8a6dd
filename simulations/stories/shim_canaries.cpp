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
};

/// A child's life is shared: what is changed is a copy.
void kill_early(evidence& e) {
  for (auto& c : e.children) {
    if (c->started == time_point{} || c->orphaned) continue;
    c = std::make_shared<sim::child_life>(*c);
    c->terminated = c->killed = c->input_closed;
    return;
  }
}

void mix_up(evidence& e) {
  for (auto& c : e.children) {
    if (c->heard.size() < 3) continue;
    c = std::make_shared<sim::child_life>(*c);
    c->heard.push_back(mark_of(nobody, 0));
    return;
  }
}

void refuse(evidence& e) {
  for (auto& r : e.requests) {
    if (r.what != request::kind::initialize) continue;
    r.receipt = std::make_shared<sim::receipt>(*r.receipt);
    r.receipt->status = 503;
    r.receipt->body = "too many sessions";
  }
}

}  // namespace

std::span<const planted> canaries() {
  return shim_plants;
}

evidence bent(evidence found, canary what) {
  if (what == canary::kills_early) kill_early(found);
  if (what == canary::mixes_up) mix_up(found);
  if (what == canary::wrong_refusal) refuse(found);
  return found;
}

}  // namespace gate::shim_churn
