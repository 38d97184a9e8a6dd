#pragma once
/// Header lines of responses, each ending in CRLF.
#include <chrono>
#include <string>
#include <string_view>

namespace gate::http {

inline constexpr std::string_view no_store = "Cache-Control: no-store\r\n";

/// RFC 9110 §10.2.3.
inline std::string retry_after(std::chrono::seconds wait) {
  return "Retry-After: " + std::to_string(wait.count()) + "\r\n";
}
/// A place may be free any moment.
inline constexpr std::string_view retry_soon = "Retry-After: 1\r\n";
/// Something has to end first: sessions of others, or this process.
inline constexpr std::string_view retry_later = "Retry-After: 5\r\n";

}  // namespace gate::http
