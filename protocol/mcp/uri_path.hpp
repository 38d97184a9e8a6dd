#pragma once
/// URIs that servers may read as another one than they spell (RFC 3986 §6.2).
#include <string_view>

namespace gate::mcp {

/// Has it dot segments, escaped dots, slashes, backslashes or NULs, a backslash or a control
/// character? A server that normalises it reads something else than a pattern was compared with.
bool has_two_readings(std::string_view uri) noexcept;

/// What name patterns of policy are compared with: the URI itself; or, if it has two readings,
/// something that only a pattern for everything matches.
inline std::string_view judged_uri(std::string_view uri) noexcept {
  constexpr std::string_view anything("\0", 1);
  return has_two_readings(uri) ? anything : uri;
}

}  // namespace gate::mcp
