#include "simulations/recording/large_heap.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace gate::recording {
namespace {

constexpr std::size_t page = 2 * 1024 * 1024;
constexpr std::size_t least = 4 * page, most = std::size_t{1} << 30;
/// What is larger is no part of the heap.
constexpr int mapped_from = 16 * 1024 * 1024;
/// How much the heap grows at a time when all that was expected is used.
constexpr int step = 16 * 1024 * 1024;

char* heap_end() {
  return static_cast<char*>(::sbrk(0));
}

}  // namespace

void expect_heap(std::size_t bytes) {
  bytes = std::min(bytes, most);
  if (bytes < least) return;
  ::mallopt(M_MMAP_THRESHOLD, mapped_from);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  ::mallopt(M_TOP_PAD, static_cast<int>(bytes));
  const auto before = heap_end();
  // More than it has left at its end: it grows, by what was expected as well.
  void* volatile grown = std::malloc(::mallinfo2().keepcost + page);
  std::free(grown);
  ::mallopt(M_TOP_PAD, step);
  const auto end = heap_end();
  if (end < before + bytes) return;  // there is no such heap, or no room
  char* const from = before + (page - reinterpret_cast<std::uintptr_t>(before) % page);
  // (Advice that is not taken changes nothing.)
  static_cast<void>(::madvise(from, static_cast<std::size_t>(end - from), MADV_HUGEPAGE));
}

std::size_t file_bytes(const char* path) {
  struct stat about {};
  return ::stat(path, &about) == 0 && S_ISREG(about.st_mode)
             ? static_cast<std::size_t>(about.st_size)
             : 0;
}

}  // namespace gate::recording
