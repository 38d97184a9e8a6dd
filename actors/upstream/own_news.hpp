#pragma once
/// Has a client's session been told of changed lists that nobody else was told of? Then the server
/// keeps something in it that would end with it. A server that tells all its sessions alike tells
/// the root session in the same moment. Pure; time is a parameter; part of UPSTREAM SESSION.
#include <chrono>
#include <optional>

#include "protocol/limits.hpp"

namespace gate::upstream {

class own_news {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// A change was announced in the session; a root session last heard of one at `root`.
  void heard(time_point now, time_point root) {
    settle(root);
    latest_ = now;
  }
  /// Is something kept for this client alone?
  bool any(time_point root) {
    settle(root);
    return own_;
  }

 private:
  void settle(time_point root) {
    if (!latest_) return;
    const auto apart = root > *latest_ ? root - *latest_ : *latest_ - root;
    own_ |= apart > limits::list_changed_most;
    latest_.reset();
  }

  std::optional<time_point> latest_;  ///< that is not explained yet
  bool own_ = false;
};

}  // namespace gate::upstream
