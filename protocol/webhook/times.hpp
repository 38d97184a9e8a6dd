#pragma once
/// Times as callers write them (RFC 3339). How they are written here: `audit::rfc3339`.
#include <optional>
#include <string_view>

#include "protocol/webhook/records.hpp"

namespace gate::webhook {

/// `2026-11-21T09:30:00Z`, with a fraction of any length (of which milliseconds count) and with an
/// offset in place of `Z`. Nothing: it is no such time, or none of the years 1970 to 2199, which
/// every clock here can tell. A leap second is the second after it.
std::optional<wall_time> read_time(std::string_view text) noexcept;

}  // namespace gate::webhook
