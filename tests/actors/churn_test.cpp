// Chaos, then healing: thousands of stories, each made by its seed. GATE_CHURN_FIRST and
// GATE_CHURN_SEEDS choose which; a story that fails names its seed, and is told again with its
// trace and, with GATE_CHURN_SHORTEN=1, without the operations that it does not need.
#include <gtest/gtest.h>

#include "simulations/stories/checkers.hpp"
#include "simulations/stories/story.hpp"
#include "tests/support/many_stories.hpp"

namespace gate::churn {
namespace {

struct stories_at_hand {
  using scenario = churn::scenario;
  using story = churn::story;
  static constexpr std::string_view test = "churn", variables = "GATE_CHURN";
  static scenario make(std::uint64_t seed) { return make_scenario(seed); }
  static complaints judge(const scenario& s, const evidence& e) { return churn::judge(s, e); }
};
using stories = testing::many_stories<stories_at_hand>;

TEST(churn, many_seeds) {
  stories::tell_many(100);
}

TEST(churn, a_seed_tells_the_same_story_twice) {
  stories::tell_twice(6);
}

// --- the checkers see ----------------------------------------------------------------------------

struct bird {
  canary what;
  std::string_view name;
  std::string_view complaint;  ///< how one of the complaints must begin
  std::string_view needs;      ///< an upstream without which there is nothing to see
};

void PrintTo(const bird& b, std::ostream* out) {
  *out << b.name;
}

class churn_canary : public ::testing::TestWithParam<bird> {};

/// Within a few seeds the complaint comes, where without the canary there is none.
TEST_P(churn_canary, is_seen) {
  const auto& b = GetParam();
  int told = 0;
  for (std::uint64_t seed = 1; told < 12; ++seed) {
    auto s = make_scenario(seed);
    if (!s.has(b.needs) || s.abrupt || s.requests_per_minute) continue;
    s.bird = b.what;
    ++told;
    story it(s, false);
    it.tell();
    auto found = it.found();
    if (b.what == canary::loses_audit && !found.audit.empty()) found.audit.pop_back();
    for (const auto& c : judge(s, found))
      if (c.starts_with(b.complaint)) return;
  }
  ADD_FAILURE() << "nobody complained: " << b.complaint;
}

INSTANTIATE_TEST_SUITE_P(
    all, churn_canary,
    ::testing::Values(bird{canary::answers_twice, "answers_twice", "answers: ", "good"},
                      bird{canary::drops_answer, "drops_answer", "answers: ", "good"},
                      bird{canary::loses_audit, "loses_audit", "audit: ", "good"},
                      bird{canary::slow_good, "slow_good", "healthy: ", "good"},
                      bird{canary::failing_good, "failing_good", "healthy: ", "good"},
                      bird{canary::wrong_answer, "wrong_answer", "healthy: ", "good"},
                      bird{canary::swapped_replicas, "swapped_replicas", "sessions: ", "trio"},
                      bird{canary::stays_sick, "stays_sick", "recovery: ", "sick"},
                      bird{canary::keeps_session, "keeps_session", "departure: ", "good"},
                      bird{canary::wide_limit, "wide_limit", "limits: lim", "lim"},
                      bird{canary::wide_budget, "wide_budget", "limits: pen", "pen"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gate::churn
