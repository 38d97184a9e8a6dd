#pragma once
/// What a child says that is no message: it is dropped and counted, and the log says so, but not
/// more often than it can be read. Part of SESSION.
#include <chrono>
#include <string>
#include <string_view>

#include "shim/tally.hpp"
#include "transport/process/complaints.hpp"

namespace gate::shim {

class dropped_lines {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// `session`: its name in the log.
  dropped_lines(std::string session, tally_ptr tally)
      : session_(std::move(session)), tally_(std::move(tally)) {}

  void add(std::string_view why, std::string_view line, time_point now);
  /// So many that were longer than a message may be.
  void add_too_long(std::size_t count, time_point now);
  /// No more will come: what the log has not said is summed up.
  void conclude();

 private:
  std::string session_;
  tally_ptr tally_;
  process::complaints told_;
};

}  // namespace gate::shim
