#pragma once
/// One row a method of the session generation: where it goes and what may gate it. A method without
/// a row is answered -32601 (requests) or accepted and ignored (notifications).
#include <array>
#include <cstdint>
#include <string_view>

#include "protocol/mcp/list.hpp"

namespace gate::mcp {

enum class routing : std::uint8_t {
  local,      ///< answered by the gateway itself
  fan_out,    ///< a list: all upstreams, merged and paged
  named,      ///< `params.name` selects one upstream by its prefix
  owned,      ///< `params.uri` selects the upstream that lists it
  completes,  ///< `params.ref` is a prompt's name or a resource's URI
  task,       ///< `params.taskId` selects the upstream that runs it
  notice,     ///< a client's notification
};

enum class list_kind : std::uint8_t { tools, prompts, resources, templates, tasks, none = 255 };
inline constexpr std::size_t list_kinds = 5;
/// All but the last are the federation's, and kept; tasks are the caller's, and asked for anew.
inline constexpr std::size_t kept_list_kinds = 4;

struct method {
  std::string_view name;
  mcp::routing routing;
  /// Does policy judge the invocation?
  bool gated;
  list_kind list = list_kind::none;
  /// Left out of the audit trail (decisions: ping and notifications/initialized).
  bool unaudited = false;
};

inline constexpr std::array methods{
    // clang-format off
    method{"initialize",                routing::local,     false},
    method{"ping",                      routing::local,     false, list_kind::none, true},
    method{"tools/list",                routing::fan_out,   false, list_kind::tools},
    method{"tools/call",                routing::named,     true},
    method{"prompts/list",              routing::fan_out,   false, list_kind::prompts},
    method{"prompts/get",               routing::named,     true},
    method{"resources/list",            routing::fan_out,   false, list_kind::resources},
    method{"resources/templates/list",  routing::fan_out,   false, list_kind::templates},
    method{"resources/read",            routing::owned,     true},
    method{"resources/subscribe",       routing::owned,     true},
    method{"resources/unsubscribe",     routing::owned,     true},
    method{"completion/complete",       routing::completes, true},
    method{"logging/setLevel",          routing::local,     false},
    method{"tasks/list",                routing::fan_out,   false, list_kind::tasks},
    method{"tasks/get",                 routing::task,      true},
    method{"tasks/result",              routing::task,      true},
    method{"tasks/cancel",              routing::task,      true},
    method{"tasks/update",              routing::task,      true},
    method{"notifications/initialized", routing::notice,    false, list_kind::none, true},
    method{"notifications/cancelled",   routing::notice,    false},
    method{"notifications/progress",    routing::notice,    false},
    method{"notifications/roots/list_changed", routing::notice, false},
    // clang-format on
};

constexpr const method* find_method(std::string_view name) {
  for (const auto& m : methods)
    if (m.name == name) return &m;
  return nullptr;
}

/// How each list kind is read and written.
inline constexpr std::array<list_shape, list_kinds> list_shapes{
    {{"tools", "name", true},
     {"prompts", "name", true},
     {"resources", "uri", false},
     {"resourceTemplates", "uriTemplate", false},
     {"tasks", "taskId", false}}};
inline constexpr std::array<std::string_view, list_kinds> list_methods{
    "tools/list", "prompts/list", "resources/list", "resources/templates/list", "tasks/list"};
/// What tells that a list changed. Resources and their templates share one.
inline constexpr std::array<std::string_view, kept_list_kinds> change_notices{
    "notifications/tools/list_changed", "notifications/prompts/list_changed",
    "notifications/resources/list_changed", "notifications/resources/list_changed"};

constexpr const list_shape& shape(list_kind k) {
  return list_shapes[static_cast<std::size_t>(k)];
}
constexpr std::string_view method_of(list_kind k) {
  return list_methods[static_cast<std::size_t>(k)];
}
constexpr std::string_view change_notice(list_kind k) {
  return change_notices[static_cast<std::size_t>(k)];
}

}  // namespace gate::mcp
