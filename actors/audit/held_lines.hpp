#pragma once
/// Lines for a SINK that crashed, until its successor runs: bounded in lines and in bytes; the
/// oldest are dropped to make room. Pure; AUDIT keeps one for each sink.
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::audits {

/// Those of a SINK that writes lines; others bring their own.
struct held_bounds {
  std::size_t lines = limits::audit_queue;
  std::size_t bytes = limits::audit_queue_bytes;
};

class held_lines {
 public:
  using line = std::shared_ptr<const std::string>;

  explicit held_lines(held_bounds most = {}) : most_(most) {}

  /// Returns how many lines were dropped; this one as well, if it alone exceeds the bound.
  std::size_t keep(line text) {
    bytes_ += text->size();
    lines_.push_back(std::move(text));
    std::size_t dropped = 0;
    for (; lines_.size() > most_.lines || bytes_ > most_.bytes; ++dropped) {
      bytes_ -= lines_.front()->size();
      lines_.pop_front();
    }
    return dropped;
  }
  /// All of them, oldest first.
  std::deque<line> take_all() {
    bytes_ = 0;
    return std::exchange(lines_, {});
  }

 private:
  held_bounds most_;
  std::size_t bytes_ = 0;
  std::deque<line> lines_;
};

}  // namespace gate::audits
