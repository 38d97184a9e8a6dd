#pragma once
/// Clients that do not take what is sent to them. While there are any a child is not heard: nothing
/// is lost, and nothing piles up. Part of SESSION.
#include <utility>
#include <vector>

#include "protocol/limits.hpp"
#include "transport/interfaces.hpp"

namespace gate::shim {

inline bool is_slow(const exchange_ptr& e) {
  return e && e->alive() && e->queued() > limits::stream_queue_bytes;
}

/// Those who have their last answer, or another stream in the place of theirs, and yet much to
/// take.
class leaving_readers {
 public:
  void add(exchange_ptr from) {
    if (is_slow(from)) all_.push_back(std::move(from));
  }
  /// How many still have.
  std::size_t count() {
    std::erase_if(all_, [](const exchange_ptr& e) { return !is_slow(e); });
    return all_.size();
  }

 private:
  std::vector<exchange_ptr> all_;
};

}  // namespace gate::shim
