// A fleet in chaos, then healing: hundreds of stories, each made by its seed. GATE_FLEET_FIRST and
// GATE_FLEET_SEEDS choose which; a story that fails names its seed, and is told again with its
// trace and, with GATE_FLEET_SHORTEN=1, without the operations that it does not need.
#include <gtest/gtest.h>

#include "simulations/stories/fleet_checkers.hpp"
#include "simulations/stories/fleet_story.hpp"
#include "tests/support/many_stories.hpp"

namespace gate::fleet_churn {
namespace {

struct stories_at_hand {
  using scenario = fleet_churn::scenario;
  using story = fleet_churn::story;
  static constexpr std::string_view test = "fleet_churn", variables = "GATE_FLEET";
  static scenario make(std::uint64_t seed) { return make_scenario(seed); }
  static complaints judge(const scenario& s, const evidence& e) { return fleet_churn::judge(s, e); }
};
using stories = testing::many_stories<stories_at_hand>;

TEST(fleet_churn, many_seeds) {
  stories::tell_many(20);
}

TEST(fleet_churn, a_seed_tells_the_same_story_twice) {
  stories::tell_twice(3);
}

// --- the checkers see ----------------------------------------------------------------------------

struct bird {
  canary what;
  std::string_view name;
  std::string_view complaint;  ///< how one of the complaints must begin
};

void PrintTo(const bird& b, std::ostream* out) {
  *out << b.name;
}

class fleet_canary : public ::testing::TestWithParam<bird> {};

/// What a story without the evidence's last audit line, or with a call that was made twice, says.
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

/// Within a few seeds the complaint comes, where without the canary there is none.
TEST_P(fleet_canary, is_seen) {
  const auto& b = GetParam();
  int told = 0;
  for (std::uint64_t seed = 1; told < 8; ++seed) {
    auto s = make_scenario(seed);
    if (!s.calm || s.requests_per_minute || s.per_principal) continue;
    s.bird = b.what;
    ++told;
    story it(s, false);
    it.tell();
    for (const auto& c : judge(s, bent(it.found(), b.what)))
      if (c.starts_with(b.complaint)) return;
  }
  ADD_FAILURE() << "nobody complained: " << b.complaint;
}

INSTANTIATE_TEST_SUITE_P(
    all, fleet_canary,
    ::testing::Values(bird{canary::refuses_nobody, "refuses_nobody", "limits: lim"},
                      bird{canary::charges_nobody, "charges_nobody", "budget: pen"},
                      bird{canary::leases_to_all, "leases_to_all", "lease: "},
                      bird{canary::forgets_used, "forgets_used", "assertions: "},
                      bird{canary::forgets_sessions, "forgets_sessions", "sessions: "},
                      bird{canary::adopts_foreign, "adopts_foreign", "sessions: steal"},
                      bird{canary::tells_of_tasks, "tells_of_tasks", "tasks: "},
                      bird{canary::loses_audit, "loses_audit", "audit: "},
                      bird{canary::calls_twice, "calls_twice", "calls: "},
                      bird{canary::keeps_record, "keeps_record", "departure: the store"},
                      bird{canary::loses_streams, "loses_streams", "streams: "},
                      bird{canary::drops_answer, "drops_answer", "endings: "}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gate::fleet_churn
