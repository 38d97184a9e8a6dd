#pragma once
/// How the lines of one sink leave the process: handed in by whoever assembles it.
#include <functional>
#include <string_view>

#include "protocol/audit/lost_lines.hpp"

namespace gate::audits {

struct sink {
  /// Takes one line, LF included; returns which lines are lost.
  std::function<lost_lines(std::string_view line)> write;
  /// `done` is called when what was written before has left, by any thread, or never. Empty: it has
  /// left as soon as it is written.
  std::function<void(std::function<void()> done)> flush{};
  /// What the lines go to may have been moved away. Any thread.
  std::function<void()> reopen{};
};

}  // namespace gate::audits
