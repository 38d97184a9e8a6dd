#include "transport/clock.hpp"

#include <openssl/rand.h>

#include <cstdlib>

namespace gate {

wall_clock system_wall_clock() {
  return [] { return std::chrono::system_clock::now(); };
}

random_source system_random() {
  return [](std::span<std::uint8_t> out) {
    if (RAND_bytes(out.data(), static_cast<int>(out.size())) != 1) std::abort();
  };
}

}  // namespace gate
