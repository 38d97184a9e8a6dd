#pragma once
/// Lines for a SINK that crashed, until its successor runs: bounded in lines and in bytes; the
/// oldest are dropped to make room. Pure; AUDIT keeps one for each sink.
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::audits {

class held_lines {
 public:
  using line = std::shared_ptr<const std::string>;

  explicit held_lines(std::size_t most = limits::audit_queue,
                      std::size_t most_bytes = limits::audit_queue_bytes)
      : most_(most), most_bytes_(most_bytes) {}

  /// Returns how many lines were dropped; this one as well, if it alone exceeds the bound.
  std::size_t keep(line text) {
    bytes_ += text->size();
    lines_.push_back(std::move(text));
    std::size_t dropped = 0;
    for (; lines_.size() > most_ || bytes_ > most_bytes_; ++dropped) {
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
  std::size_t most_, most_bytes_;
  std::size_t bytes_ = 0;
  std::deque<line> lines_;
};

}  // namespace gate::audits
