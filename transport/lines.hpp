#pragma once
/// Whole lines to a file descriptor or a file, from any thread, without ever blocking the caller: a
/// thread of its own does the writing. Bounded in lines and in bytes: when what takes them can not
/// keep up, the oldest lines that are not yet written are dropped and counted.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "protocol/audit/lost_lines.hpp"
#include "protocol/base/result.hpp"

namespace gate {

/// How much may wait.
struct line_bounds {
  std::size_t lines = 0;
  std::size_t bytes = 0;
};

class line_thread;

/// To a descriptor, which is not ours: when its reader is gone, all lines are lost.
class line_writer {
 public:
  line_writer(int fd, line_bounds most);
  /// Waits, bounded, for what is queued to be written.
  ~line_writer();
  line_writer(const line_writer&) = delete;
  line_writer& operator=(const line_writer&) = delete;

  /// `line` includes its LF. Returns which were dropped to make room, or this one, which alone
  /// exceeds the bound; and which could not be written meanwhile.
  lost_lines write(std::string_view line);
  /// Blocks until everything is written, at most `limits::lines_flush`.
  void flush();
  /// Does not: `done` is called by the writer's thread when what is queued by now is written, or is
  /// lost. It must not throw, nor use this.
  void flush(std::function<void()> done);

 private:
  std::unique_ptr<line_thread> thread_;
};

/// To a file that is appended to, made with mode 0600. When it has `max_bytes` it becomes
/// `PATH.1`, in whose place there may have been one, and the next one is begun. Lines that can not
/// be written (the disk is full) are lost, whole; those that follow are tried again. Whoever moves
/// it away has it begun anew by `reopen`; one that was removed is begun anew at the next line.
class line_file {
 public:
  /// The error says what is wrong, without the path. `max_bytes`: at least 1.
  static result<std::unique_ptr<line_file>> open(std::string path, std::uint64_t max_bytes,
                                                 line_bounds most);
  ~line_file();
  line_file(const line_file&) = delete;
  line_file& operator=(const line_file&) = delete;

  lost_lines write(std::string_view line);
  void flush();
  void flush(std::function<void()> done);
  /// What is written from now on goes to the file that has its name then.
  void reopen();

 private:
  explicit line_file(std::unique_ptr<line_thread> thread);
  std::unique_ptr<line_thread> thread_;
};

}  // namespace gate
