#pragma once
/// Stories of one kind as tests: telling many, explaining one that fails (simulations/runs makes,
/// judges and shortens them). The environment chooses which: PREFIX_FIRST, _SEEDS, _FAILURES,
/// _SHORTEN.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "simulations/runs/kind.hpp"
#include "simulations/runs/memory_watch.hpp"
#include "simulations/runs/shorten.hpp"
#include "simulations/world/allocated.hpp"
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace gate::testing {

class many_stories {
 public:
  using complaints = std::vector<std::string>;

  /// `test` is the name of the test suite, `variables` how those that choose begin.
  many_stories(std::string_view kind, std::string_view test, std::string_view variables)
      : kind_(*runs::find_kind(kind)), test_(test), variables_(variables) {}

  /// `few`: so many, if nobody says otherwise.
  void tell_many(std::uint64_t few) const {
    const auto first = number_from("_FIRST", 1);
    const auto count = number_from("_SEEDS", few);
    const auto most = number_from("_FAILURES", 1);
    std::uint64_t failures = 0;
    for (auto seed = first; seed < first + count && failures < most; ++seed) {
      auto story = make(seed);
      const bool failed_before = ::testing::Test::HasFailure();
      const auto why = tell(*story);
      if (why.empty() && (failed_before || !::testing::Test::HasFailure())) continue;
      ++failures;
      ADD_FAILURE() << explain(std::move(story), why);
    }
  }

  void tell_twice(std::uint64_t seeds) const {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const auto once = [&] { return make(seed)->tell(runs::detail::turns).trace; };
      const auto one = once(), two = once();
      EXPECT_GT(one.size(), 1000U);
      ASSERT_TRUE(one == two) << "seed " << seed << " differs at "
                              << std::ranges::mismatch(one, two).in1 - one.begin() << " of "
                              << one.size();
    }
  }

  /// Within so many stories for which it would be wrong, the plant is seen.
  void expect_seen(const runs::plant& p, int stories) const {
    const stories::tuning usual(kind_.settings());
    // What grows is seen behind the first ones.
    runs::memory_watch memory;
    if (p.complaint.starts_with("memory: "))
      stories += static_cast<int>(runs::memory_watch::first_stories);
    for (std::uint64_t seed = 1; stories > 0; ++seed) {
      const auto story = kind_.make(seed, usual, p.name);
      if (!story) continue;
      --stories;
      auto all = tell(*story);
      if (auto grown = memory.look(sim::allocated_bytes())) all.push_back(std::move(*grown));
      for (const auto& c : all)
        if (c.starts_with(p.complaint)) return;
    }
    ADD_FAILURE() << "nobody complained: " << p.complaint;
  }

 private:
  std::uint64_t number_from(std::string_view name, std::uint64_t otherwise) const {
    const char* text = std::getenv((variables_ + std::string(name)).c_str());
    return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
  }

  runs::plot_ptr make(std::uint64_t seed) const {
    return kind_.make(seed, stories::tuning(kind_.settings()), {});
  }

  complaints tell(const runs::plot& story) const {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    __sanitizer_set_death_callback(name_the_seed);
#endif
    seed_at_hand = story.seed();
    variables_at_hand = variables_;
    return story.tell(runs::detail::none).complaints;
  }

  static std::string joined(const complaints& all) {
    std::string out;
    for (const auto& c : all) out += c + '\n';
    return out;
  }

  std::string explain(runs::plot_ptr story, const complaints& why) const {
    std::string out = "seed " + std::to_string(story->seed()) + ":\n" + joined(why) +
                      "Run it alone: " + variables_ + "_FIRST=" + std::to_string(story->seed()) +
                      ' ' + variables_ + "_SEEDS=1 churn_tests --gtest_filter=" + test_ +
                      ".many_seeds\n";
    if (number_from("_SHORTEN", 0))
      story = runs::shorten(std::move(story), [this](const auto& s) { return tell(s); });
    const auto again = story->tell(runs::detail::events);
    return out + "Told again (" + std::to_string(story->length()) + " operations):\n" +
           joined(again.complaints) + again.trace;
  }

  /// For whoever looks at what a sanitizer said: it ends the process.
  static inline std::uint64_t seed_at_hand = 0;
  static inline std::string variables_at_hand;
  [[maybe_unused]] static void name_the_seed() {
    std::fprintf(stderr, "It died in the story of seed %llu: %s_FIRST=%llu\n",
                 static_cast<unsigned long long>(seed_at_hand), variables_at_hand.c_str(),
                 static_cast<unsigned long long>(seed_at_hand));
  }

  const runs::kind& kind_;
  std::string test_, variables_;
};

}  // namespace gate::testing
