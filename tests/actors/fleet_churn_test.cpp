// A fleet in chaos, then healing: hundreds of stories, each made by its seed. GATE_FLEET_FIRST and
// GATE_FLEET_SEEDS choose which; a story that fails names its seed, and is told again with its
// trace and, with GATE_FLEET_SHORTEN=1, without the operations that it does not need.
#include <gtest/gtest.h>

#include <cstdlib>

#include "simulations/stories/fleet_checkers.hpp"
#include "simulations/stories/fleet_story.hpp"

namespace gate::fleet_churn {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

complaints tell(const scenario& s) {
  story it(s, false);
  it.tell();
  return judge(s, it.found());
}

std::string joined(const complaints& all) {
  std::string out;
  for (const auto& c : all) out += c + '\n';
  return out;
}

/// The checker that complained first: a shorter story must fail in the same way.
std::string subject(const complaints& all) {
  return all.empty() ? std::string{} : all.front().substr(0, all.front().find(' '));
}

/// Without the operations that the complaint does not need.
scenario shortened(scenario s) {
  const auto why = subject(tell(s));
  for (bool shorter = true; shorter;) {
    shorter = false;
    for (std::size_t size = std::max<std::size_t>(1, s.operations.size() / 4); size; size /= 2) {
      for (std::size_t i = 0; i + size <= s.operations.size();) {
        auto without = s;
        const auto from = without.operations.begin() + static_cast<std::ptrdiff_t>(i);
        without.operations.erase(from, from + static_cast<std::ptrdiff_t>(size));
        if (subject(tell(without)) == why) {
          s = std::move(without);
          shorter = true;
        } else {
          i += size;
        }
      }
    }
  }
  return s;
}

std::string explain(scenario s, const complaints& why) {
  std::string out = "seed " + std::to_string(s.seed) + ":\n" + joined(why) +
                    "Run it alone: GATE_FLEET_FIRST=" + std::to_string(s.seed) +
                    " GATE_FLEET_SEEDS=1 actors_tests --gtest_filter=fleet_churn.many_seeds\n";
  if (number_from("GATE_FLEET_SHORTEN", 0)) s = shortened(std::move(s));
  story again(s, false);
  again.tell();
  const auto same = judge(s, again.found());
  return out + "Told again (" + std::to_string(s.operations.size()) + " operations):\n" +
         joined(same) + again.trace();
}

TEST(fleet_churn, many_seeds) {
  const auto first = number_from("GATE_FLEET_FIRST", 1);
  const auto count = number_from("GATE_FLEET_SEEDS", 20);
  const auto most = number_from("GATE_FLEET_FAILURES", 1);
  std::uint64_t failures = 0;
  for (auto seed = first; seed < first + count && failures < most; ++seed) {
    const auto s = make_scenario(seed);
    const bool failed_before = HasFailure();
    const auto why = tell(s);
    if (why.empty() && (failed_before || !HasFailure())) continue;
    ++failures;
    ADD_FAILURE() << explain(s, why);
  }
}

TEST(fleet_churn, a_seed_tells_the_same_story_twice) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto once = [&] {
      story it(make_scenario(seed), true);
      it.tell();
      return it.trace();
    };
    const auto one = once(), two = once();
    EXPECT_GT(one.size(), 1000U);
    ASSERT_TRUE(one == two) << "seed " << seed << " differs at "
                            << std::ranges::mismatch(one, two).in1 - one.begin() << " of "
                            << one.size();
  }
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
                      bird{canary::drops_answer, "drops_answer", "endings: "}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gate::fleet_churn
