#pragma once
/// How the lines of one sink leave the process: handed in by whoever assembles it.
#include <functional>
#include <string_view>

namespace gate::audits {

struct sink {
  /// Takes one line, LF included; returns how many lines had to be dropped.
  std::function<std::size_t(std::string_view line)> write;
  std::function<void()> flush;
};

}  // namespace gate::audits
