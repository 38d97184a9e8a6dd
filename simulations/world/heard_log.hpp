#pragma once
/// What the log says while this lives, all instances together. The log is the process's: one at a
/// time.
#include <string>
#include <string_view>
#include <vector>

namespace gate::sim {

class heard_log {
 public:
  heard_log();
  ~heard_log();
  heard_log(const heard_log&) = delete;
  heard_log& operator=(const heard_log&) = delete;

  static const std::vector<std::string>& log();
  /// How many lines of the log contain this.
  static std::size_t logged(std::string_view part);
};

}  // namespace gate::sim
