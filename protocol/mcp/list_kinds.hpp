#pragma once
/// One row a kind of list that servers have: how it is asked for, read and written, what tells that
/// it changed, which servers have it, and what an item of it invites, which is what policy is asked
/// before it is shown.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/mcp/list.hpp"
#include "protocol/mcp/method_names.hpp"
#include "protocol/mcp/server_features.hpp"

namespace gate::mcp {

/// Cursors carry the number.
enum class list_kind : std::uint8_t { tools, prompts, resources, templates, tasks, none = 255 };

/// What identifies an item.
enum class keyed : std::uint8_t {
  by_name,      ///< within its server: the federation's has the namespace before it
  by_uri,       ///< everywhere: whoever lists it first owns it
  by_template,  ///< the same, for every URI that it describes
  by_id,        ///< of its owner
};

struct list_row {
  list_kind kind;
  std::string_view method;
  list_shape shape;
  keyed by;
  /// Tells that the list changed; empty: nothing does.
  std::string_view change_notice;
  /// What a server declares that has it.
  feature needs;
  /// The call that an item invites: it is shown to whoever may do that. Empty: policy has no say.
  std::string_view invites;
  /// A server may have what `needs` says without knowing `method`: then the list is empty.
  bool optional = false;
  /// The member of the filter of `subscriptions/listen` that asks for its notice; empty: none does,
  /// or that of another list with the same notice.
  std::string_view asked_by{};
};

inline constexpr std::array lists{
    // clang-format off
    list_row{list_kind::tools,     "tools/list",               {"tools", "name", true},                     keyed::by_name,     "notifications/tools/list_changed",     feature::tools,      names::call_tool, false, "toolsListChanged"},
    list_row{list_kind::prompts,   "prompts/list",             {"prompts", "name", true},                   keyed::by_name,     "notifications/prompts/list_changed",   feature::prompts,    names::get_prompt, false, "promptsListChanged"},
    list_row{list_kind::resources, "resources/list",           {"resources", "uri", false},                 keyed::by_uri,      "notifications/resources/list_changed", feature::resources,  names::read_resource, false, "resourcesListChanged"},
    list_row{list_kind::templates, "resources/templates/list", {"resourceTemplates", "uriTemplate", false}, keyed::by_template, "notifications/resources/list_changed", feature::resources,  names::read_resource, true},
    list_row{list_kind::tasks,     names::list_tasks,          {"tasks", "taskId", false},                  keyed::by_id,       "",                                     feature::task_lists, ""},
    // clang-format on
};
inline constexpr std::size_t list_kinds = lists.size();
/// All but the last are the federation's, and kept; tasks are the caller's, and asked for anew.
inline constexpr std::size_t kept_list_kinds = list_kinds - 1;

constexpr const list_row& row(list_kind k) {
  return lists[static_cast<std::size_t>(k)];
}
constexpr const list_shape& shape(list_kind k) {
  return row(k).shape;
}
constexpr std::string_view method_of(list_kind k) {
  return row(k).method;
}
constexpr std::string_view change_notice(list_kind k) {
  return row(k).change_notice;
}
/// Does it say whose a URI is?
constexpr bool owns_uris(list_kind k) {
  return row(k).by == keyed::by_uri || row(k).by == keyed::by_template;
}

namespace detail {
consteval bool lists_in_order() {
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const auto& l = lists[i];
    if (l.kind != static_cast<list_kind>(i)) return false;
    if (l.shape.prefixed != (l.by == keyed::by_name)) return false;
    if (l.change_notice.empty() != (i >= kept_list_kinds)) return false;
  }
  return true;
}
}  // namespace detail
static_assert(detail::lists_in_order());

}  // namespace gate::mcp
