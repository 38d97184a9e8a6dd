#pragma once
/// The request methods that MCP uses (RFC 9110 §9.1).
#include <cstdint>

namespace gate {

enum class verb : std::uint8_t { get, post, del, options };

}  // namespace gate
