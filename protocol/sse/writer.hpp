#pragma once
/// Server-sent events, the writing side (WHATWG HTML §9.2).
#include <cstdint>
#include <string>
#include <string_view>

namespace gate::sse {

/// Appends `event: message` with `data`, a JSON text. JSON may contain raw line breaks between its
/// tokens; each line becomes a `data:` line of its own, so that the reader gets the same bytes with
/// CR and CRLF turned to LF. `id` is left out when empty.
void append_event(std::string& out, std::string_view data, std::string_view id = {});

/// Appends an event that has an id and no content: a client notes where it can resume from, and
/// dispatches nothing; and how long it should wait before it does, in milliseconds. (MCP 2025-11-25
/// /basic/transports.)
void append_priming(std::string& out, std::string_view id, std::uint32_t retry_ms);

/// A keep-alive comment: `:\n\n`.
inline constexpr std::string_view keep_alive = ":\n\n";

}  // namespace gate::sse
