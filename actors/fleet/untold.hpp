#pragma once
/// What the store is to be told, each part until it has said that it has heard it: an answer that
/// does not come, or is a refusal, leaves the part for the next time. Pure; part of SHARED LIMITER,
/// SHARED BUDGET and ONCE LEDGER.
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>

namespace gate::fleet {

template <class Part>
class untold {
 public:
  void add(Part p) { open_.push_back(std::move(p)); }
  /// Another beginning: what was to be told before is not any more, whatever comes of it.
  void clear() {
    open_.clear();
    asked_.clear();
  }
  bool empty() const { return open_.empty(); }
  /// The next part is asked under this number; there must be one.
  const Part& next(std::uint64_t number) {
    auto& out = asked_[number] = std::move(open_.front());
    open_.pop_front();
    return out;
  }
  /// The answer to this number. False: that was none of these.
  bool told(std::uint64_t number, bool heard) {
    auto node = asked_.extract(number);
    if (!node) return false;
    if (!heard) open_.push_back(std::move(node.mapped()));
    return true;
  }

 private:
  std::deque<Part> open_;
  std::unordered_map<std::uint64_t, Part> asked_;
};

}  // namespace gate::fleet
