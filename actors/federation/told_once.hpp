#pragma once
/// What the log has been told already and need not hear again before it is over. Bounded: what does
/// not fit is not told. Made by ROUTER. Pure.
#include <set>
#include <string>
#include <utility>

namespace gate::federation {

class told_once {
 public:
  explicit told_once(std::size_t most) : most_(most) {}
  /// Is it news?
  bool tell(std::string what) {
    return told_.size() < most_ && told_.insert(std::move(what)).second;
  }
  /// It is over; should it happen again, that is news.
  void forget(const std::string& what) {
    if (!told_.empty()) told_.erase(what);
  }

 private:
  std::size_t most_;
  std::set<std::string> told_;
};

}  // namespace gate::federation
