#pragma once
/// What clients cost that take their time: bytes, and for how long they are kept. When there is too
/// much of it, those go that cost most, not whoever comes next. Pure; used by the server.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

namespace gate::http {

/// Kept for one client.
struct burden {
  std::size_t bytes = 0;
  std::chrono::steady_clock::duration time{};

  /// The time is known to the second: bytes that have just come cost something, too.
  double weight() const {
    using seconds = std::chrono::duration<double>;
    return static_cast<double>(bytes) * (seconds(time) + seconds{1}).count();
  }
};

/// Those that cost most, as many as it takes to be rid of `excess` bytes; the heaviest first.
template <class Who>
std::vector<Who> heaviest(std::vector<std::pair<burden, Who>> all, std::size_t excess) {
  std::ranges::sort(
      all, [](const auto& a, const auto& b) { return a.first.weight() > b.first.weight(); });
  std::vector<Who> out;
  for (auto& [what, who] : all) {
    if (excess == 0) break;
    excess -= std::min(excess, what.bytes);
    out.push_back(std::move(who));
  }
  return out;
}

}  // namespace gate::http
