#pragma once
/// What a request is, before any session is asked: refused, an endpoint beside MCP, the beginning
/// of a session, or something for the session that it names. Pure; SHIM asks it first.
#include <string>
#include <string_view>

#include "protocol/http/allowlist.hpp"
#include "protocol/refusals.hpp"
#include "transport/interfaces.hpp"

namespace gate::shim {

inline constexpr std::string_view mcp_path = "/mcp";

struct front_rules {
  http::allowlist hosts;
  /// The listener can be reached from elsewhere, under names that we do not know: any Host may be
  /// named, and an Origin must be that same host.
  bool any_host = false;
  std::string token;  ///< that callers of MCP must present; empty: none
};

struct verdict {
  enum class course : std::uint8_t {
    refuse,
    health,
    metrics,
    body,
    open,
    session
  } what = course::refuse;
  // Of a refusal:
  reason why = reason::not_found;
  std::string message{};
  std::string headers{};  ///< further lines, each ending in CRLF
};

/// `body`: so far nothing is wrong with it; its body is to be read, and it judged again. `open`: a
/// POST with `initialize` and no session; its body is one valid message. `session`: the
/// request names one, which may or may not exist.
verdict judge(const http_request& r, const front_rules& rules);

/// Answers with the refusal, on the MCP path as a JSON-RPC error, elsewhere as `{"error"}`.
/// `raw_id` may be empty.
void refuse(exchange& to, reason why, std::string_view message, std::string_view headers = {},
            std::string_view raw_id = {});
/// The refusal as a JSON-RPC message, for streams.
std::string refusal_message(reason why, std::string_view message, std::string_view raw_id);

}  // namespace gate::shim
