#pragma once
/// The lines that a child has said and that have yet to be heard, in order. Part of SESSION.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace gate::shim {

class said_lines {
 public:
  void add(std::vector<std::string> lines) {
    if (lines_.empty())
      lines_ = std::move(lines);
    else
      std::ranges::move(lines, std::back_inserter(lines_));
  }
  bool any() const { return next_ < lines_.size(); }
  /// Only while there are any.
  std::string take() { return std::move(lines_[next_++]); }
  /// They come next, each like a line of its own.
  void put_next(std::vector<std::string> lines) {
    lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(next_),
                  std::move_iterator(lines.begin()), std::move_iterator(lines.end()));
  }
  /// All were heard. A burst of short lines is large: its memory goes, too.
  void clear() {
    std::vector<std::string>().swap(lines_);
    next_ = 0;
  }

 private:
  std::vector<std::string> lines_;
  std::size_t next_ = 0;
};

}  // namespace gate::shim
