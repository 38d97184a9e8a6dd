#pragma once
/// How the benchmarks of single functions take time: many short rounds, whose median counts, so
/// that a moment in which the machine does something else spoils a round and not the result.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace gate::bench {

template <class F>
double nanoseconds(F&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  return took.count();
}

inline double median(std::vector<double> all) {
  std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
  return all[all.size() / 2];
}

template <class F>
double median_of(std::size_t rounds, F&& work) {
  std::vector<double> all;
  for (std::size_t i = 0; i < rounds; ++i) all.push_back(nanoseconds(work));
  return median(std::move(all));
}

/// What is not done right needs no measuring.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "bench: %s\n", what);
  std::exit(1);
}

}  // namespace gate::bench
