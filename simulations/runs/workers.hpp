#pragma once
/// Stories are told in processes of their own, several at once: a story that ends its process is a
/// complaint like others. Who uses this has no threads and no actors of its own yet, as the
/// processes are forked.
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "simulations/runs/verdict.hpp"

namespace gate::runs {

/// No honest story computes for so long: one that does never ends.
inline constexpr std::chrono::seconds longest_story{180};
/// So many seeds for each process may be ahead of the one that is waited for.
inline constexpr std::uint64_t seeds_ahead = 64;

class workers {
 public:
  /// In each of them, `tell` tells a story.
  using teller = std::function<verdict(std::uint64_t seed)>;

  workers(std::size_t jobs, teller tell);
  ~workers();
  workers(const workers&) = delete;
  workers& operator=(const workers&) = delete;

  struct listener {
    std::function<bool(const verdict&)> take;  ///< in the order of seeds; false: enough
    /// Every now and then, with what is known so far; false: enough.
    std::function<bool()> tick;
  };
  void tell_all(std::uint64_t first, std::uint64_t count, const listener& to);

 private:
  struct worker {
    pid_t pid = -1;
    int orders = -1, results = -1;
    std::string arrived;  ///< bytes of a verdict that is not all there yet
    bool busy = false;
    std::uint64_t seed = 0;
    std::chrono::steady_clock::time_point since{};
  };

  void start(worker& w);
  void stop(worker& w);
  [[noreturn]] void work(int orders, int results);
  void give(worker& w, std::uint64_t seed);
  void hear(worker& w);
  void buried(worker& w);
  void end_those_that_hang();

  teller tell_;
  std::vector<worker> workers_;
  std::map<std::uint64_t, verdict> done_;  ///< whose turn to be taken has not come
};

/// In a process of its own.
verdict tell_apart(const std::function<verdict()>& tell);

}  // namespace gate::runs
