#pragma once
/// Stories of one kind, each made by its seed: telling many, explaining one that fails, and leaving
/// out of it what the failure does not need. A `Kind` has `scenario`, `story`, `make(seed)`,
/// `judge(scenario, evidence)`, `test` (the name of its test suite) and `variables` (what those
/// that choose begin with: PREFIX_FIRST, _SEEDS, _FAILURES, _SHORTEN).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace gate::testing {

template <class Kind>
class many_stories {
 public:
  using scenario = typename Kind::scenario;
  using story = typename Kind::story;
  using complaints = std::vector<std::string>;

  static std::uint64_t number_from(std::string_view name, std::uint64_t otherwise) {
    const char* text = std::getenv((std::string(Kind::variables) + std::string(name)).c_str());
    return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
  }

  static complaints tell(const scenario& s) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    __sanitizer_set_death_callback(name_the_seed);
#endif
    seed_at_hand = s.seed;
    story it(s, false);
    it.tell();
    return Kind::judge(s, it.found());
  }

  /// `few`: so many, if nobody says otherwise.
  static void tell_many(std::uint64_t few) {
    const auto first = number_from("_FIRST", 1);
    const auto count = number_from("_SEEDS", few);
    const auto most = number_from("_FAILURES", 1);
    std::uint64_t failures = 0;
    for (auto seed = first; seed < first + count && failures < most; ++seed) {
      const auto s = Kind::make(seed);
      const bool failed_before = ::testing::Test::HasFailure();
      const auto why = tell(s);
      if (why.empty() && (failed_before || !::testing::Test::HasFailure())) continue;
      ++failures;
      ADD_FAILURE() << explain(s, why);
    }
  }

  static void tell_twice(std::uint64_t seeds) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const auto once = [&] {
        story it(Kind::make(seed), true);
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

 private:
  static std::string joined(const complaints& all) {
    std::string out;
    for (const auto& c : all) out += c + '\n';
    return out;
  }
  /// The checker that complained first: a shorter story must fail in the same way.
  static std::string subject(const complaints& all) {
    return all.empty() ? std::string{} : all.front().substr(0, all.front().find(' '));
  }

  /// Without the operations that the complaint does not need.
  static scenario shortened(scenario s) {
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

  static std::string explain(scenario s, const complaints& why) {
    const std::string variables(Kind::variables);
    std::string out = "seed " + std::to_string(s.seed) + ":\n" + joined(why) +
                      "Run it alone: " + variables + "_FIRST=" + std::to_string(s.seed) + ' ' +
                      variables + "_SEEDS=1 churn_tests --gtest_filter=" + std::string(Kind::test) +
                      ".many_seeds\n";
    if (number_from("_SHORTEN", 0)) s = shortened(std::move(s));
    story again(s, false);
    again.tell();
    const auto same = Kind::judge(s, again.found());
    return out + "Told again (" + std::to_string(s.operations.size()) + " operations):\n" +
           joined(same) + again.trace();
  }

  /// For whoever looks at what a sanitizer said: it ends the process.
  static inline std::uint64_t seed_at_hand = 0;
  [[maybe_unused]] static void name_the_seed() {
    std::fprintf(stderr, "It died in the story of seed %llu: %s_FIRST=%llu\n",
                 static_cast<unsigned long long>(seed_at_hand), Kind::variables.data(),
                 static_cast<unsigned long long>(seed_at_hand));
  }
};

}  // namespace gate::testing
