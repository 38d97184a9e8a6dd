#pragma once
/// What is known of a story that was told in a process of its own, and how that comes through a
/// pipe. Both ends are the same program. Pure.
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/sha256.hpp"

namespace gate::runs {

struct verdict {
  std::uint64_t seed = 0;
  bool told = true;  ///< false: in this story there is nothing for which the plant would be wrong
  std::vector<std::string> complaints;
  sha256_digest digest{};  ///< of its trace, if that was asked for
  std::uint64_t requests = 0, calls = 0, faults = 0;
  std::chrono::milliseconds took{0};  ///< virtual time
  std::chrono::microseconds cpu{0};   ///< that it cost
};

/// With its length in front.
std::string to_frame(const verdict& v);
/// Takes the first frame off the front; nothing: it is not all there yet.
std::optional<verdict> take_frame(std::string& bytes);

/// In small hexadecimal digits.
std::string hex(const sha256_digest& d);

/// The digest of a run: folded from those of its stories, in the order of their seeds, so that it
/// does not matter who told which.
class run_digest {
 public:
  void add(const sha256_digest& story);
  const sha256_digest& value() const { return value_; }

 private:
  sha256 digest_;
  sha256_digest value_{};
};

}  // namespace gate::runs
