#include "transport/clock.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace gate {

wall_clock system_wall_clock() {
  return [] { return std::chrono::system_clock::now(); };
}

random_source system_random() {
  return [](std::span<std::uint8_t> out) {
    constexpr std::size_t most = 256;  // that the kernel gives at once
    while (!out.empty()) {
      const auto piece = out.first(std::min(out.size(), most));
      if (::getentropy(piece.data(), piece.size()) != 0) std::abort();
      out = out.subspan(piece.size());
    }
  };
}

}  // namespace gate
