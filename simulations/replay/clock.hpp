#pragma once
/// When a recording began. Pure.
#include <chrono>
#include <string_view>

namespace gate::replay {

/// RFC 3339 in UTC with up to six decimals, as recordings have it; the epoch if it is none.
std::chrono::system_clock::time_point started_at(std::string_view text);

}  // namespace gate::replay
