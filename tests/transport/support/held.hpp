#pragma once
/// How much memory the process holds, for tests of what something costs.
#include <malloc.h>

#include <cstddef>

/// There in builds with a sanitizer.
extern "C" [[gnu::weak]] std::size_t __sanitizer_get_current_allocated_bytes();

namespace gate::testing {

/// Bytes that are allocated: what was freed does not count, however long it is kept for a check.
inline std::size_t held() {
  if (__sanitizer_get_current_allocated_bytes) return __sanitizer_get_current_allocated_bytes();
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace gate::testing
