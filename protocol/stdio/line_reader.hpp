#pragma once
/// Lines out of bytes, as MCP over standard input and output frames its messages: each ends with
/// LF, and a CR before that belongs to the line break. Nothing else is touched. Bounded: of a line
/// that grows beyond the bound either nothing is told, or its beginning. Pure; a CHILD has one for
/// each of its child's two outputs.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace gate::stdio {

enum class beyond : std::uint8_t {
  drop,  ///< a line beyond the bound is counted, and not told
  cut,   ///< its first `most` bytes are told as if they were the line; that it was cut is counted
};

class line_reader {
 public:
  /// `most`: bytes of a line, without its line break.
  explicit line_reader(std::size_t most, beyond what = beyond::drop) : most_(most), what_(what) {}

  /// Calls `f(std::string)` for each line that `bytes` complete, in order. Empty lines are none.
  template <class F>
  void feed(std::string_view bytes, F&& f) {
    for (;;) {
      const auto end = bytes.find('\n');
      take(bytes.substr(0, end));
      if (end == bytes.npos) return;
      bytes.remove_prefix(end + 1);
      if (complete()) f(std::exchange(line_, {}));
      restart();
    }
  }
  /// Nothing more comes: what has no line break yet is a line all the same.
  template <class F>
  void finish(F&& f) {
    if (complete()) f(std::exchange(line_, {}));
    restart();
  }

  /// Lines beyond the bound, since this was asked last.
  std::size_t take_too_long() { return std::exchange(too_long_, 0); }
  /// Bytes that are kept of a line that has not ended.
  std::size_t held() const { return line_.size(); }

 private:
  void take(std::string_view part);
  bool complete();
  void restart();

  std::size_t most_;
  beyond what_;
  std::string line_;
  bool overflown_ = false;
  std::size_t too_long_ = 0;
};

/// A message as one line of standard input, LF included: line breaks between its tokens become
/// blanks (valid JSON has them nowhere else), all other bytes stay.
std::string to_line(std::string_view message);

}  // namespace gate::stdio
