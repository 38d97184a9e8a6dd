#pragma once
/// Client session ids: 128 random bits in hexadecimal, then the unit (I/O thread) that owns the
/// session. Visible ASCII as MCP requires (2025-11-25 /basic/transports §Session Management).
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gate::mcp {

/// 32 hexadecimal digits of `random`, 2 of `unit`.
std::string make_session_id(const std::array<std::uint8_t, 16>& random, std::uint8_t unit);

/// The unit named by an id that has our form (34 lower-case hexadecimal digits), else nothing. Says
/// nothing about whether the session exists.
std::optional<std::uint8_t> unit_of(std::string_view id) noexcept;

}  // namespace gate::mcp
