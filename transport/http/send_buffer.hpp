#pragma once
/// What waits until the kernel takes it, of one client's connection. What was taken is let go of on
/// the way: behind a reader that always stays a little behind, the end never comes. Pure.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "protocol/limits.hpp"

namespace gate::http {

class send_buffer {
 public:
  bool empty() const { return from_ == bytes_.size(); }
  std::size_t size() const { return bytes_.size() - from_; }
  std::string_view rest() const { return std::string_view(bytes_).substr(from_); }
  void append(std::string_view more) { bytes_.append(more); }

  /// The first `n` bytes of the rest were taken.
  void sent(std::size_t n) {
    from_ += n;
    if (empty()) {
      from_ = 0;
      if (bytes_.capacity() > kept)
        std::string().swap(bytes_);
      else
        bytes_.clear();
    } else if (from_ >= kept && from_ >= bytes_.size() / 2) {
      // No more is copied than was sent since the last time.
      bytes_ = bytes_.substr(from_);
      from_ = 0;
    }
  }
  void clear() {
    std::string().swap(bytes_);
    from_ = 0;
  }

  /// The memory of it, as far as it is more than every connection has.
  std::size_t held() const { return bytes_.capacity() > kept ? bytes_.capacity() : 0; }

 private:
  /// Kept while nothing waits: small answers find it there.
  static constexpr std::size_t kept = 16 * 1024;

  std::string bytes_;
  std::size_t from_ = 0;
};

/// What a client must take within `limits::write_stall`, of so much that waits: a byte now and then
/// would make us keep all of it for as long as the client likes.
constexpr std::size_t least_taken(std::size_t waiting) {
  constexpr auto always =
      std::chrono::seconds{limits::write_stall}.count() * limits::write_stall_bytes;
  return std::max<std::size_t>(always, waiting / limits::write_stall_share);
}

}  // namespace gate::http
