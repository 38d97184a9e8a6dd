#pragma once
/// Tasks of one generation as clients of the other read them. In the session generation they are
/// part of its core (MCP 2025-11-25 /basic/utilities/tasks); in the stateless one they are the
/// extension `io.modelcontextprotocol/tasks` (SEP-2663). Values stay byte for byte; members are
/// renamed, left out, put in front. Pure.
///
///                            session generation             stateless generation
///   a call has become one    {"task":{...}}                 {"resultType":"task",...}
///   of how it is told        the task                       {"resultType":"complete",...}
///   how long it is kept      ttl                            ttlMs
///   how often to ask         pollInterval                   pollIntervalMs
///   its result               what `tasks/result` waits for  `result`, once it is completed
///   its error                the same                       `error`, once it has failed
///   a result with isError    failed                         completed
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/limits.hpp"

namespace gate::mcp::stateless {

inline constexpr std::string_view tasks_extension = "io.modelcontextprotocol/tasks";

/// Do these capabilities (raw object, of a client or a server) name the extension?
bool declares_tasks(std::string_view raw_capabilities);
/// The capabilities (raw object) of a client with the extension, or without.
std::string with_tasks(std::string_view raw_capabilities);
std::string without_tasks(std::string_view raw_capabilities);
/// The members of `data` of the error -32021 that says that it is missing.
inline constexpr std::string_view tasks_required =
    R"("requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}})";

enum class task_status : std::uint8_t { working, input_required, completed, failed, cancelled };
constexpr bool has_ended(task_status s) {
  return s != task_status::working && s != task_status::input_required;
}

/// A task as either generation tells it; views into the raw object that was read.
struct told_task {
  std::string_view id;                                 ///< raw string; empty: it is no task
  task_status status = task_status::working;           ///< also if it is a word that nobody knows
  std::string_view result, error, requests;            ///< of the extension, raw; or empty
  std::chrono::milliseconds poll = limits::task_poll;  ///< how often to ask, within bounds of ours
};
/// Reads a task (raw object): the answer to `tasks/get`, or what has become of a call in the
/// extension.
told_task read_task(std::string_view raw);
/// Of what has become of a call in the session generation; empty: it is no task.
std::string_view created_task(std::string_view raw_result);

/// Has the call (raw result) become a task of the extension?
bool is_task(std::string_view raw_result);

/// A task of the extension (raw), for clients of the session generation.
std::string for_sessions(std::string_view raw_task);
/// … as the result of the call that has become it.
std::string created_for_sessions(std::string_view raw_result);
/// The result (raw) of such a task, which says whose it is.
std::string result_for_sessions(std::string_view raw_result, std::string_view raw_id);
/// Params or a result (raw object) that say which task they are about, as in that generation all
/// have to that are about one.
std::string with_related_task(std::string_view raw, std::string_view raw_id);

/// A task of the session generation (raw), as the answer to `tasks/get`; with these members besides
/// (`"result":{...}`), or none, and with another status, unless that is empty.
std::string for_stateless(std::string_view raw_task, std::string_view members,
                          std::string_view status);
/// … as the result (raw, with `task`) of the call that has become it.
std::string created_for_stateless(std::string_view raw_result);

/// A task that was over when it began, for clients of the session generation: its call was answered
/// at once. `time`: RFC 3339; `ttl`: how long its result is kept.
std::string ended_task(std::string_view raw_id, bool failed, std::string_view time,
                       std::chrono::milliseconds ttl);
/// Does the result of a tool (raw) say that it went wrong?
bool is_failure(std::string_view raw_result);

}  // namespace gate::mcp::stateless
