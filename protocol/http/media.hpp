#pragma once
/// Media types in Content-Type and Accept, as far as MCP cares (RFC 9110 §8.3.1, §12.5.1).
#include <span>
#include <string_view>

#include "protocol/http/request_gate.hpp"

namespace gate::http {

inline constexpr std::string_view json_type = "application/json";
inline constexpr std::string_view events_type = "text/event-stream";
/// The text exposition format of metrics.
inline constexpr std::string_view metrics_type = "text/plain; version=0.0.4; charset=utf-8";

/// Is the media type (parameters such as charset ignored, case-insensitive) exactly `type`?
bool is_media_type(std::string_view content_type, std::string_view type) noexcept;

/// Does an Accept value admit `type` ("application/json")? `*/*` and `application/*` count; an
/// entry with `q=0` does not. An empty value (no header) admits everything.
bool accepts(std::string_view accept, std::string_view type) noexcept;

/// Of all Accept headers together: they are one list (RFC 9110 §5.3). Without any, everything.
bool accepts(std::span<const header> headers, std::string_view type) noexcept;

}  // namespace gate::http
