#pragma once
/// LARGE HEAP: a replay keeps all that it reads until it ends, some five times the size of the
/// file, in a million pieces. To get that from the system page by page is a sixth of what it takes;
/// so it is told at the beginning, and the part of the thread that plays comes in large pages where
/// the system has such.
#include <cstddef>

namespace gate::recording {

/// So much memory is going to be used. It is only set aside, and bounded: nothing is wrong if more
/// is needed, or less, or if there is not so much.
void expect_heap(std::size_t bytes);

/// The size of a file; 0: nobody knows.
std::size_t file_bytes(const char* path);

}  // namespace gate::recording
