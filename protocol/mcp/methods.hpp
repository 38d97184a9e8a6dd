#pragma once
/// One row a method: which generations know it, where it goes, what policy is asked before, what it
/// does to subscriptions and tasks. A method without a row is answered -32601 (requests) or
/// accepted and ignored (notifications).
#include <array>
#include <cstdint>
#include <string_view>

#include "protocol/mcp/list_kinds.hpp"
#include "protocol/mcp/method_names.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate::mcp {

enum class routing : std::uint8_t {
  local,      ///< answered by the gateway itself
  listens,    ///< the answer is a stream of notifications
  fan_out,    ///< a list: all upstreams, merged and paged
  named,      ///< `params.name` selects one upstream by its prefix
  owned,      ///< `params.uri` selects the upstream that lists it
  completes,  ///< `params.ref` is a prompt's name or a resource's URI
  task,       ///< `params.taskId` selects the upstream that runs it
  notice,     ///< a client's notification
};

/// How policy judges an invocation.
enum class judging : std::uint8_t {
  never,      ///< no upstream is invoked, or a list shows what its reader may invoke
  itself,     ///< by its own name: what grants may list
  completed,  ///< as the call that the item invites which it completes
  begun,      ///< as what it ends; the caller's own is not judged
  owner,      ///< not by its name: a task is its owner's
};

/// What it does to its client's subscriptions.
enum class subscribing : std::uint8_t { nothing, begins, ends };

/// What it does about the task that it names.
enum class task_step : std::uint8_t {
  none,   ///< it names none
  asks,   ///< something
  ends,   ///< its answer says that it is over
  awaits  ///< the same; and it may wait for that
};

/// The generations that know it.
enum class eras : std::uint8_t { both, session, stateless };
constexpr bool within(eras all, era one) {
  return all == eras::both || (all == eras::session) == (one == era::session);
}

struct method {
  std::string_view name;
  mcp::routing routing;
  mcp::eras eras = mcp::eras::both;
  mcp::judging judging = mcp::judging::never;
  list_kind list = list_kind::none;
  /// Left out of the audit trail (decisions: ping and notifications/initialized).
  bool unaudited = false;
  mcp::subscribing subscribing = mcp::subscribing::nothing;
  task_step task = task_step::none;
  /// Its result may name resources that no list has.
  bool names_resources = false;
};

inline constexpr std::array methods{
    // clang-format off
    method{.name = names::initialize,                    .routing = routing::local,      .eras = eras::session},
    method{.name = names::ping,                          .routing = routing::local,      .eras = eras::session,    .unaudited = true},
    method{.name = names::discover,                      .routing = routing::local,      .eras = eras::stateless},
    method{.name = names::listen,                        .routing = routing::listens,    .eras = eras::stateless},
    method{.name = method_of(list_kind::tools),          .routing = routing::fan_out,                              .list = list_kind::tools},
    method{.name = names::call_tool,                     .routing = routing::named,                                .judging = judging::itself, .names_resources = true},
    method{.name = method_of(list_kind::prompts),        .routing = routing::fan_out,                              .list = list_kind::prompts},
    method{.name = names::get_prompt,                    .routing = routing::named,                                .judging = judging::itself, .names_resources = true},
    method{.name = method_of(list_kind::resources),      .routing = routing::fan_out,                              .list = list_kind::resources},
    method{.name = method_of(list_kind::templates),      .routing = routing::fan_out,                              .list = list_kind::templates},
    method{.name = names::read_resource,                 .routing = routing::owned,                                .judging = judging::itself},
    method{.name = names::subscribe,                     .routing = routing::owned,      .eras = eras::session,    .judging = judging::itself, .subscribing = subscribing::begins},
    method{.name = names::unsubscribe,                   .routing = routing::owned,      .eras = eras::session,    .judging = judging::begun, .subscribing = subscribing::ends},
    method{.name = names::complete,                      .routing = routing::completes,                            .judging = judging::completed},
    method{.name = names::set_level,                     .routing = routing::local,      .eras = eras::session},
    method{.name = method_of(list_kind::tasks),          .routing = routing::fan_out,    .eras = eras::session,    .list = list_kind::tasks},
    method{.name = names::get_task,                      .routing = routing::task,                               .judging = judging::owner, .task = task_step::asks, .names_resources = true},
    method{.name = names::task_result,                   .routing = routing::task,       .eras = eras::session,    .judging = judging::owner, .task = task_step::awaits, .names_resources = true},
    method{.name = names::cancel_task,                   .routing = routing::task,                               .judging = judging::owner, .task = task_step::ends},
    method{.name = names::update_task,                   .routing = routing::task,                               .judging = judging::owner, .task = task_step::asks},
    method{.name = names::initialized,                   .routing = routing::notice,     .eras = eras::session,    .unaudited = true},
    method{.name = names::cancelled,                     .routing = routing::notice,     .eras = eras::session},
    method{.name = names::progress,                      .routing = routing::notice,     .eras = eras::session},
    method{.name = names::roots_changed,                 .routing = routing::notice,     .eras = eras::session},
    // clang-format on
};

constexpr const method* find_method(std::string_view name) {
  for (const auto& m : methods)
    if (m.name == name) return &m;
  return nullptr;
}

/// The same, if this generation knows it.
constexpr const method* find_method(std::string_view name, era of) {
  const auto* m = find_method(name);
  return m && within(m->eras, of) ? m : nullptr;
}

/// The same of a name, without a look at rows that do nothing of the kind.
constexpr subscribing subscribing_of(std::string_view name) {
  for (const auto& m : methods)
    if (m.subscribing != subscribing::nothing && m.name == name) return m.subscribing;
  return subscribing::nothing;
}
constexpr task_step task_step_of(std::string_view name) {
  for (const auto& m : methods)
    if (m.task != task_step::none && m.name == name) return m.task;
  return task_step::none;
}

/// What `completion/complete` may refer to: an item of that list.
struct reference {
  std::string_view type;  ///< of `params.ref`
  list_kind of;
};
inline constexpr std::array references{reference{"ref/prompt", list_kind::prompts},
                                       reference{"ref/resource", list_kind::resources}};

/// The method that policy judges, of an invocation that names a resource's URI, or else a name.
constexpr std::string_view judged_as(const method& m, bool by_uri) {
  switch (m.judging) {
    case judging::completed:
      for (const auto& r : references)
        if (owns_uris(r.of) == by_uri) return row(r.of).invites;
      break;
    case judging::begun:
      return names::subscribe;
    case judging::never:
    case judging::itself:
    case judging::owner:
      break;
  }
  return m.name;
}

namespace detail {
// No pointers here: with sanitizers an address is not known to be none when it is compiled.
consteval bool method_is(std::string_view name, auto&& as_wanted) {
  for (const auto& m : methods)
    if (m.name == name) return as_wanted(m);
  return false;
}
consteval bool methods_fit_lists() {
  for (const auto& l : lists) {
    if (!method_is(l.method, [&](const method& m) {
          return m.list == l.kind && m.routing == routing::fan_out;
        }))
      return false;
    if (!l.invites.empty() &&
        !method_is(l.invites, [](const method& m) { return m.judging == judging::itself; }))
      return false;
  }
  return true;
}
}  // namespace detail
static_assert(detail::methods_fit_lists(), "a list needs a method, and so does what items invite");

}  // namespace gate::mcp
