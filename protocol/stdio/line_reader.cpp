#include "protocol/stdio/line_reader.hpp"

#include <algorithm>

namespace gate::stdio {

void line_reader::take(std::string_view part) {
  if (overflown_) return;
  // One byte more than the bound is kept: it may be the CR of the line break.
  const auto room = most_ + 1 - line_.size();
  line_.append(part.substr(0, room));
  if (part.size() > room || (line_.size() > most_ && line_.back() != '\r')) {
    overflown_ = true;
    if (what_ == beyond::drop) std::string().swap(line_);
  }
}

/// Is what was taken a line to be told? Removes the CR of its line break.
bool line_reader::complete() {
  if (overflown_) {
    ++too_long_;
    if (what_ == beyond::drop) return false;
    line_.resize(std::min(line_.size(), most_));
    return !line_.empty();
  }
  if (!line_.empty() && line_.back() == '\r') line_.pop_back();
  return !line_.empty();
}

void line_reader::restart() {
  line_.clear();
  overflown_ = false;
}

std::string to_line(std::string_view message) {
  std::string line;
  line.reserve(message.size() + 1);
  line = message;
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  line += '\n';
  return line;
}

}  // namespace gate::stdio
