#pragma once
/// What whoever takes lines says of those that nobody will read.
#include <cstddef>

namespace gate {

/// How many, since the last time that this was told.
struct lost_lines {
  std::size_t overflow = 0;  ///< there was no room for them
  std::size_t failed = 0;    ///< they could not be written
  std::size_t all() const { return overflow + failed; }
};

}  // namespace gate
