#pragma once
/// Headers that must not say two things. Of two session ids, revisions or media types one peer
/// reads the first and another the last, so a request with two that differ is refused. (What HTTP
/// itself needs once, such as Host, is the strict gate's; lists, such as Accept, are joined.)
#include <array>
#include <span>
#include <string_view>

#include "protocol/http/request_gate.hpp"

namespace gate::http {

inline constexpr std::array<std::string_view, 3> said_once{"Mcp-Session-Id", "MCP-Protocol-Version",
                                                           "Content-Type"};

/// The first of `said_once` that occurs with two different values, or empty.
inline std::string_view contradiction(std::span<const header> headers) noexcept {
  for (const auto name : said_once) {
    const header* first = nullptr;
    for (const auto& h : headers) {
      if (h.name.size() != name.size() || !same_name(h.name, name)) continue;
      if (first && first->value != h.value) return name;
      if (!first) first = &h;
    }
  }
  return {};
}

}  // namespace gate::http
