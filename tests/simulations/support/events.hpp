#pragma once
/// Events of recordings, made for tests.
#include <cstdint>

#include "protocol/recording/event.hpp"

namespace gate::sim::testing {

/// At so many µs, of the request or fetch of this number.
inline recording::event event_at(recording::kind what, std::uint64_t at, std::uint64_t number = 0,
                                 std::uint64_t unit = 0) {
  recording::event e;
  e.what = what;
  e.at = at;
  e.number = number;
  e.unit = unit;
  return e;
}

}  // namespace gate::sim::testing
