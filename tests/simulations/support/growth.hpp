#pragma once
/// How much longer something takes with four times as much to do: about four times, if it looks at
/// each once; sixteen, if it looks at all for each. By the processor time of this process, the
/// least of some rounds, so that it does not matter what else the machine does.
#include <algorithm>
#include <cstddef>
#include <ctime>

namespace gate::sim::testing {

/// `make(n)` prepares n of them, which is not counted; what it returns is called once.
template <class F>
double growth(std::size_t n, F make) {
  const auto least = [&](std::size_t size) {
    double out = 0;
    for (int round = 0; round < 3; ++round) {
      auto work = make(size);
      const auto began = std::clock();
      work();
      const auto took = static_cast<double>(std::clock() - began);
      out = round == 0 ? took : std::min(out, took);
    }
    return out;
  };
  const auto one = least(n);
  return least(4 * n) / std::max(one, 1.0);
}

/// Between the two.
inline constexpr double most_growth = 9;

}  // namespace gate::sim::testing
