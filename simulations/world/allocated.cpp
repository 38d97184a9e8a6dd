#include "simulations/world/allocated.hpp"

#include <malloc.h>

#include <cstddef>
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// Of sanitizer/allocator_interface.h, which GCC does not bring along.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#endif

namespace gate::sim {

std::size_t allocated_bytes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return __sanitizer_get_current_allocated_bytes();
#else
  const auto all = ::mallinfo2();
  return all.uordblks + all.hblkhd;
#endif
}

}  // namespace gate::sim
