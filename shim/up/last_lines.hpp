#pragma once
/// The last lines of what a program said, for whoever asks why it is not there. Bounded
/// (limits::program_last_lines).
#include <deque>
#include <string>

#include "protocol/limits/client_files.hpp"

namespace gate::up {

class last_lines {
 public:
  void add(std::string line) {
    if (kept_.size() == limits::program_last_lines) kept_.pop_front();
    kept_.push_back(std::move(line));
  }
  const std::deque<std::string>& all() const { return kept_; }
  void clear() { kept_.clear(); }

 private:
  std::deque<std::string> kept_;
};

}  // namespace gate::up
