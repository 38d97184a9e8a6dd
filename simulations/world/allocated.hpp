#pragma once
/// What this process has allocated, with a sanitizer or without. Asked between stories, to see
/// whether something of them is kept, and in one of which somebody wants a page.
#include <cstddef>

namespace gate::sim {

std::size_t allocated_bytes();

}  // namespace gate::sim
