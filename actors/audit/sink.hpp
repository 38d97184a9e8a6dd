#pragma once
/// How the lines of one sink leave the process: handed in by whoever assembles it.
#include <functional>
#include <string_view>

#include "protocol/audit/lost_lines.hpp"

namespace gate::audits {

struct sink {
  /// Takes one line, LF included; returns which lines are lost.
  std::function<lost_lines(std::string_view line)> write;
  std::function<void()> flush{};
  std::function<void()> reopen{};
};

}  // namespace gate::audits
