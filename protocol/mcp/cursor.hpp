#pragma once
/// List cursors: opaque to clients, sealed with HMAC-SHA-256 so that nobody forges an offset, and
/// bound to the list, the calling principal and the exact snapshot they were handed out for.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gate::mcp {

/// What a cursor says. `list` is a small number (see methods.hpp); `digest` identifies the filtered
/// snapshot; `principal` is a hash of (issuer, subject), 0 for anonymous callers.
struct cursor_content {
  std::uint8_t list = 0;
  std::uint64_t offset = 0;
  std::uint64_t digest = 0;
  std::uint64_t principal = 0;
  bool operator==(const cursor_content&) const = default;
};

using cursor_key = std::array<std::uint8_t, 32>;

/// base64url text, about 60 characters.
std::string seal(const cursor_content& content, const cursor_key& key);
/// Nothing if the text is not a cursor of ours: wrong length, alphabet or seal (compared in
/// constant time).
std::optional<cursor_content> open(std::string_view text, const cursor_key& key);

/// Extends a 64-bit FNV-1a digest by one item; `digest_start` begins a list.
inline constexpr std::uint64_t digest_start = 14695981039346656037ull;
std::uint64_t extend_digest(std::uint64_t digest, std::string_view item) noexcept;
/// The same by an item's own digest, made when it came.
constexpr std::uint64_t extend_digest(std::uint64_t digest, std::uint64_t item) noexcept {
  return (digest ^ item) * 1099511628211ull;
}

}  // namespace gate::mcp
