#pragma once
/// The process's surroundings: environment, files and signals. At boot, when the configuration is
/// read again, and for secrets at their use.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/result.hpp"

namespace gate {

inline constexpr int standard_output = 1;

/// Nothing if the variable is unset or empty.
std::optional<std::string> environment_variable(std::string_view name);
/// Nothing if it is unset: to pass it on as it is, also an empty one.
std::optional<std::string> whole_environment_variable(std::string_view name);

/// Nobody of the same user, root aside, can look into this process from now on: its environment and
/// its memory, by /proc or as a debugger. Nor is its core dumped. Forked processes keep it until
/// they execute a program.
void forbid_inspection();

/// Lets the process open as many files and sockets as the system allows it; how many that are.
std::size_t raise_descriptor_limit();
/// How many it may open as it is.
std::size_t descriptor_limit();

/// The whole file; at most `limits::document_bytes`. Errors name the path and the system's reason.
result<std::string> read_file(const std::string& path);
/// The same of a regular file only: what is none (a pipe, a device) could keep the reader waiting.
result<std::string> read_regular_file(const std::string& path);

/// SIGHUP does nothing. Before and after there is somebody to take it, it must not end the process.
void ignore_hangup();
/// SIGPIPE does nothing: a reader of our output that has gone is an error of writing.
void ignore_broken_pipes();

/// The start is over. Program text that only it ran, most of all there is, need not stay in memory,
/// nor what the loader has read to link the program: both are unmapped page by page, and come back
/// from the page cache where they are wanted after all. Free memory goes back to the system as
/// well.
void settle_down();

/// What tells one state of a file from another: also when another file took its place.
struct file_stamp {
  std::int64_t modified_ns = 0;
  std::uint64_t device = 0, inode = 0, bytes = 0;
  bool operator==(const file_stamp&) const = default;
};
/// Of the file that the path leads to at the moment.
result<file_stamp> stamp_of(const std::string& path);

/// Threads that are started while this lives leave the process's signals to its other threads.
class without_signals {
 public:
  without_signals();
  ~without_signals();
  without_signals(const without_signals&) = delete;
  without_signals& operator=(const without_signals&) = delete;

 private:
  struct state;
  std::unique_ptr<state> before_;
};

}  // namespace gate
