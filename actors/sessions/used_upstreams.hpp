#pragma once
/// The upstreams that one client session has to do with: those where it may have a bridged session.
/// What concerns the session is said to these only, so that a session costs what it uses, however
/// many upstreams there are. Pure; part of a client session.
#include <algorithm>
#include <cstdint>
#include <vector>

namespace gate::sessions {

class used_upstreams {
 public:
  /// `index` is the upstream's number; there are at most `limits::upstreams` at a time. A number
  /// that has passed to another upstream since costs it a message that means nothing to it.
  void add(std::size_t index) {
    const auto n = static_cast<std::uint32_t>(index);
    const auto at = std::ranges::lower_bound(numbers_, n);
    if (at == numbers_.end() || *at != n) numbers_.insert(at, n);
  }
  bool contains(std::size_t index) const {
    return std::ranges::binary_search(numbers_, static_cast<std::uint32_t>(index));
  }
  auto begin() const { return numbers_.begin(); }
  auto end() const { return numbers_.end(); }

 private:
  std::vector<std::uint32_t> numbers_;  ///< in order
};

}  // namespace gate::sessions
