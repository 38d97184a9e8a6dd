#pragma once
/// What a recording is written with: the file, behind a thread of its own that never lets a caller
/// wait, and the secrets that were read while it runs, which every thread has to know of. Any
/// thread may use both.
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.hpp"
#include "protocol/limits/recordings.hpp"
#include "protocol/recording/event.hpp"

namespace gate {

class recording_file {
 public:
  /// Makes the file, which must not exist, with mode 0600, and writes its first line. The error
  /// says what is wrong, without the path. The recording has at most `max_bytes`.
  static result<std::shared_ptr<recording_file>> make(
      const std::string& path, std::string_view first, std::uint64_t max_bytes,
      std::size_t queue_bytes = limits::recording_queue_bytes);
  /// As `end(none)`.
  virtual ~recording_file() = default;

  /// A whole line. If there is no room for it, the recording ends.
  virtual void write(std::string_view line) = 0;
  /// Nothing more is written, whatever the reason is: a line costs nothing any more.
  virtual bool over() const noexcept = 0;
  /// It ends as if there were no room; does not wait.
  virtual void give_up() = 0;
  /// Waits until all is written, or can not be; `how` is the last line, `none`: there is none.
  virtual void end(recording::ending how) = 0;
};

/// Secrets, in the order in which they came. Each is kept once; there are as many as documents
/// name.
class secret_register {
 public:
  secret_register();
  ~secret_register();
  void add(std::string_view secret);
  /// How many there are. Cheap.
  std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }
  /// Those from the nth on.
  std::vector<std::string> from(std::size_t n) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
  std::atomic<std::size_t> size_{0};
};

}  // namespace gate
