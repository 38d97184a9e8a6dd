#pragma once
/// The levels of log messages (RFC 5424, as MCP has it): what `logging/setLevel` sets for a
/// session, and the envelope of the stateless generation for one request.
#include <array>
#include <cstddef>
#include <string_view>

#include "protocol/json/scan.hpp"

namespace gate::mcp {

/// From the most verbose one on.
inline constexpr std::array<std::string_view, 8> log_levels{
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"};
/// For whoever named another one.
inline constexpr std::string_view log_levels_told =
    "must be one of debug, info, notice, warning, error, critical, alert, emergency";

/// The place of a level (raw JSON) in `log_levels`; their number, if it is none of them.
inline std::size_t severity(std::string_view raw_level) {
  if (raw_level.empty()) return log_levels.size();
  std::size_t i = 0;
  while (i < log_levels.size() && !json::says(raw_level, log_levels[i])) ++i;
  return i;
}

}  // namespace gate::mcp
