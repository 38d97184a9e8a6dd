#pragma once
/// The request methods that are let in (RFC 9110 §9.1, RFC 5789): those of MCP, OPTIONS, and PATCH,
/// which `gate-hooks` alone knows.
#include <cstdint>

namespace gate {

enum class verb : std::uint8_t { get, post, del, options, patch };

}  // namespace gate
