#include "transport/http/destination.hpp"

#include "protocol/mcp/session_id.hpp"
#include "protocol/mcp/stateless/headers.hpp"
#include "protocol/mcp/stateless/request_state.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate::http {

std::optional<std::uint8_t> destination(const http_request& request, const task_units* tasks,
                                        std::size_t units) {
  const auto& head = *request.head;
  if (!mcp::is_stateless_version(head.version_named)) {
    const auto unit = mcp::unit_of(head.session_id);
    if (!unit) return {};
    return static_cast<std::uint8_t>(*unit % units);
  }
  auto unit = mcp::stateless::unit_named_in(request.body);
  if (!unit && tasks)
    if (const auto id = mcp::stateless::task_named_in(request.headers())) unit = tasks->find(*id);
  return unit && *unit < units ? unit : std::nullopt;
}

}  // namespace gate::http
