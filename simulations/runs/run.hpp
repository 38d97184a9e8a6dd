#pragma once
/// A run: the stories of many seeds, told in several processes, and what came of them. How it goes
/// on is told to who runs it, who prints.
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simulations/runs/kind.hpp"
#include "simulations/runs/verdict.hpp"

namespace gate::runs {

struct run_plan {
  const kind* of = nullptr;
  stories::tuning how{{}};
  std::string planted;  ///< empty: nothing
  std::uint64_t from = 1, seeds = 1;
  std::size_t jobs = 1;
  bool digest = false;
  std::uint64_t most_failures = 1;
};

struct run_summary {
  std::uint64_t stories = 0, requests = 0, calls = 0, faults = 0;
  std::uint64_t failures = 0;         ///< stories with complaints
  std::chrono::milliseconds took{0};  ///< virtual time, all together
  std::chrono::microseconds cpu{0};   ///< that the stories cost, all together
  std::chrono::milliseconds elapsed{0};
  bool interrupted = false;
  std::uint64_t looked_at = 0;  ///< seeds, those included in which the plant would not be wrong
  run_digest digest{};
  std::optional<verdict> first;  ///< violation; of a planted fault: the one that found it
  bool plant_found = false;

  double calls_a_second_and_core() const;
  double requests_a_second_and_core() const;
};

struct run_listener {
  std::function<void(const verdict&)> violation;
  /// Every now and then; false: enough.
  std::function<bool(const run_summary&)> progress;
};

run_summary run_stories(const run_plan& p, const run_listener& to);

/// Tells one story in this process.
verdict tell_seed(const run_plan& p, std::uint64_t seed);
/// The complaints of a story that is told in a process of its own.
std::vector<std::string> complaints_apart(const plot& p);

}  // namespace gate::runs
