#pragma once
/// What servers may ask of clients, by the names that the protocol gives it (MCP 2025-11-25): for
/// whoever keeps such a name, as the audit trail does, without keeping what a server wrote.
#include <array>
#include <string_view>

#include "protocol/audit/event.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/mcp/method_names.hpp"

namespace gate::mcp {

inline constexpr std::array<std::string_view, 8> server_request_methods{
    names::ping,     names::create_message, names::elicit,     names::list_roots,
    names::get_task, names::task_result,    names::list_tasks, names::cancel_task};
/// Anything else.
inline constexpr std::string_view other_question = audit::response;

/// `raw` is the JSON string of a request's `method`, quotes included.
inline std::string_view server_request_method(std::string_view raw) noexcept {
  if (raw.size() < 2) return other_question;
  for (const auto name : server_request_methods)
    if (json::same_key(raw.substr(1, raw.size() - 2), name)) return name;
  return other_question;
}

}  // namespace gate::mcp
