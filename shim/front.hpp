#pragma once
/// What a request is, before any session is asked: refused, an endpoint beside MCP, the beginning
/// of a session, or something for the session that it names. Pure; SHIM asks it first.
#include <string>
#include <string_view>

#include "protocol/http/allowlist.hpp"
#include "protocol/mcp/http_rules.hpp"
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
  enum class route : std::uint8_t {
    refuse,
    health,
    metrics,
    body,
    open,
    session
  } what = route::refuse;
  mcp::http_refusal no{};  ///< with `refuse`
};

/// `body`: so far nothing is wrong with it; its body is to be read, and it judged again. `open`: a
/// POST with `initialize` and no session; its body is one valid message. `session`: the
/// request names one, which may or may not exist.
verdict judge(const http_request& r, const front_rules& rules);

/// Answers with the refusal, on the MCP path as a JSON-RPC error, elsewhere as `{"error"}`.
/// `raw_id` may be empty.
void refuse(exchange& to, const mcp::http_refusal& no, std::string_view raw_id = {});
void refuse(exchange& to, mcp::http_rule broken);

/// Everybody is told so while the shim stops.
inline constexpr std::string_view stopping = "the shim is stopping";

}  // namespace gate::shim
