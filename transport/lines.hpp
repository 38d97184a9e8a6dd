#pragma once
/// Whole lines to a file descriptor, from any thread, without ever blocking the caller: a thread of
/// its own does the writing. Bounded in lines and in bytes: when the reader at the other end can
/// not keep up, the oldest lines that are not yet written are dropped and counted.
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace gate {

class line_writer {
 public:
  line_writer(int fd, std::size_t max_lines, std::size_t max_bytes);
  /// Waits, bounded, for what is queued to be written.
  ~line_writer();
  line_writer(const line_writer&) = delete;
  line_writer& operator=(const line_writer&) = delete;

  /// `line` includes its LF. Returns how many lines were dropped to make room; or that this one
  /// was, which alone exceeds the bound.
  std::size_t write(std::string_view line);
  /// Blocks until everything is written, at most `limits` of the caller's patience.
  void flush();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace gate
