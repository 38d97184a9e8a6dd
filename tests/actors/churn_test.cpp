// Chaos, then healing: thousands of stories, each made by its seed. GATE_CHURN_FIRST and
// GATE_CHURN_SEEDS choose which; a story that fails names its seed, and is told again with its
// trace and, with GATE_CHURN_SHORTEN=1, without the operations that it does not need.
#include <cstdio>
#include <cstdlib>
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <sanitizer/common_interface_defs.h>
#endif

#include "simulations/stories/checkers.hpp"
#include "simulations/stories/story.hpp"

namespace gate::churn {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// For whoever looks at what a sanitizer said: it ends the process.
std::uint64_t seed_at_hand = 0;
[[maybe_unused]] void name_the_seed() {
  std::fprintf(stderr, "It died in the story of seed %llu: GATE_CHURN_FIRST=%llu\n",
               static_cast<unsigned long long>(seed_at_hand),
               static_cast<unsigned long long>(seed_at_hand));
}

complaints tell(const scenario& s) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  __sanitizer_set_death_callback(name_the_seed);
#endif
  seed_at_hand = s.seed;
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
std::string_view subject(const complaints& all) {
  return all.empty() ? std::string_view{}
                     : std::string_view(all.front()).substr(0, all.front().find(' '));
}

/// Without the operations that the complaint does not need.
scenario shortened(scenario s) {
  const auto why = std::string(subject(tell(s)));
  bool shorter = true;
  while (shorter) {
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
                    "Run it alone: GATE_CHURN_FIRST=" + std::to_string(s.seed) +
                    " GATE_CHURN_SEEDS=1 actors_tests --gtest_filter=churn.many_seeds\n";
  if (number_from("GATE_CHURN_SHORTEN", 0)) s = shortened(std::move(s));
  story again(s, false);
  again.tell();
  const auto same = judge(s, again.found());
  return out + "Told again (" + std::to_string(s.operations.size()) + " operations):\n" +
         joined(same) + again.trace();
}

TEST(churn, many_seeds) {
  const auto first = number_from("GATE_CHURN_FIRST", 1);
  const auto count = number_from("GATE_CHURN_SEEDS", 100);
  const auto most = number_from("GATE_CHURN_FAILURES", 1);
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

TEST(churn, a_seed_tells_the_same_story_twice) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
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
