#include "protocol/mcp/stateless/task_shapes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <unordered_set>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/stateless/envelope.hpp"

namespace gate::mcp::stateless {
namespace {

using namespace std::string_view_literals;

constexpr std::array extension{tasks_extension};
constexpr std::array task_member{"task"sv};
/// What the extension has in a task, and the session generation has not.
constexpr std::array only_extension{"resultType"sv, "inputRequests"sv, "result"sv, "error"sv};
constexpr auto related_task = "io.modelcontextprotocol/related-task"sv;

struct renaming {
  std::string_view session, stateless;
};
constexpr std::array renamings{renaming{"ttl", "ttlMs"},
                               renaming{"pollInterval", "pollIntervalMs"}};

constexpr std::array statuses{"working"sv, "input_required"sv, "completed"sv, "failed"sv,
                              "cancelled"sv};

void add(std::string& object, std::string_view key, std::string_view value) {
  object.append(object.size() > 1 ? ",\"" : "\"").append(key).append("\":").append(value);
}

/// The object's members, but for those of these names, behind what is there already.
void copy(std::string& to, std::string_view raw, std::span<const std::string_view> but,
          std::string_view renaming::*from, std::string_view renaming::*as) {
  each_member(raw, [&](std::string_view key, std::string_view value) {
    for (const auto name : but)
      if (json::same_key(key, name)) return;
    for (const auto& r : renamings)
      if (json::same_key(key, r.*from)) return add(to, r.*as, value);
    add(to, key, value);
  });
}

/// As stage 4 takes them of clients.
bool is_id(std::string_view raw) {
  return raw.starts_with('"') && raw.size() > 2 && raw.size() <= limits::name_bytes;
}

std::optional<task_status> status_of(std::string_view raw) {
  for (std::size_t i = 0; i < statuses.size(); ++i)
    if (json::says(raw, statuses[i])) return static_cast<task_status>(i);
  return {};
}

/// A number of milliseconds, within the bounds of what a server may have us do.
std::chrono::milliseconds read_pause(std::string_view raw) {
  double ms = 0;
  const auto* end = raw.data() + raw.size();
  const auto read = std::from_chars(raw.data(), end, ms);
  using limits::task_poll_most, limits::task_poll_least;
  if (raw.empty() || read.ec != std::errc{} || read.ptr != end) return limits::task_poll;
  const auto most = static_cast<double>(std::chrono::milliseconds(task_poll_most).count());
  return std::max(std::chrono::milliseconds(task_poll_least),
                  std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(ms, 0.0, most))));
}

/// The object with this member in its own member `name`, or in one that it gets.
std::string put_into(std::string_view object, std::string_view name, std::string_view member) {
  const auto inner = json::member(object, name);
  if (!inner.starts_with('{'))
    return put_first(object, '"' + std::string(name) + R"(":{)" + std::string(member) + "}");
  const auto at = static_cast<std::size_t>(inner.data() - object.data());
  return std::string(object.substr(0, at))
      .append(put_first(inner, member))
      .append(object.substr(at + inner.size()));
}

}  // namespace

bool declares_tasks(std::string_view raw) {
  return json::member(json::member(raw, "extensions"), tasks_extension).starts_with('{');
}

std::string with_tasks(std::string_view raw) {
  return put_into(without_tasks(raw), "extensions", '"' + std::string(tasks_extension) + R"(":{})");
}

std::string without_tasks(std::string_view raw) {
  const auto all = json::member(raw, "extensions");
  if (json::member(all, tasks_extension).empty()) return std::string(raw);
  const auto at = static_cast<std::size_t>(all.data() - raw.data());
  return std::string(raw.substr(0, at))
      .append(leave_out(all, extension))
      .append(raw.substr(at + all.size()));
}

told_task read_task(std::string_view raw) {
  told_task out;
  each_member(raw, [&](std::string_view key, std::string_view value) {
    const auto is = [&](std::string_view name) { return json::same_key(key, name); };
    if (is("taskId") && is_id(value))
      out.id = value;
    else if (is("status"))
      out.status = status_of(value).value_or(task_status::working);
    else if (is("result"))
      out.result = value;
    else if (is("error"))
      out.error = value;
    else if (is("inputRequests"))
      out.requests = value;
    else if (is("pollIntervalMs") || is("pollInterval"))
      out.poll = read_pause(value);
  });
  return out;
}

std::string_view created_task(std::string_view raw_result) {
  const auto task = json::member(raw_result, task_member[0]);
  return read_task(task).id.empty() ? std::string_view{} : task;
}

bool is_task(std::string_view raw_result) {
  return json::says(json::member(raw_result, "resultType"), "task");
}

std::string for_sessions(std::string_view raw_task) {
  const auto task = read_task(raw_task);
  if (task.status != task_status::completed || !is_failure(task.result)) {
    std::string out = "{";
    copy(out, raw_task, only_extension, &renaming::stateless, &renaming::session);
    return out += '}';
  }
  static constexpr std::array but{"resultType"sv, "inputRequests"sv, "result"sv, "error"sv,
                                  "status"sv};
  std::string out = R"({"status":"failed")";
  copy(out, raw_task, but, &renaming::stateless, &renaming::session);
  return out += '}';
}

std::string created_for_sessions(std::string_view raw_result) {
  static constexpr std::array but{"resultType"sv, "inputRequests"sv, "result"sv, "error"sv,
                                  "_meta"sv};
  std::string task = "{";
  copy(task, raw_result, but, &renaming::stateless, &renaming::session);
  std::string out = "{";
  add(out, task_member[0], task += '}');
  if (const auto meta = json::member(raw_result, "_meta"); !meta.empty()) add(out, "_meta", meta);
  return out += '}';
}

std::string result_for_sessions(std::string_view raw_result, std::string_view raw_id) {
  static constexpr std::array kind{"resultType"sv};
  const auto own = json::member(raw_result, kind[0]).empty() ? std::string(raw_result)
                                                             : leave_out(raw_result, kind);
  return with_related_task(own, raw_id);
}

std::string with_related_task(std::string_view raw, std::string_view raw_id) {
  if (!json::member(json::member(raw, "_meta"), related_task).empty()) return std::string(raw);
  return put_into(raw, "_meta",
                  '"' + std::string(related_task) + R"(":{"taskId":)" + std::string(raw_id) + "}");
}

std::string for_stateless(std::string_view raw_task, std::string_view members,
                          std::string_view status) {
  std::string out = R"({"resultType":"complete")";
  if (!status.empty()) add(out, "status", json::quoted(status));
  if (!members.empty()) out.append(",").append(members);
  static constexpr std::array but{"resultType"sv, "inputRequests"sv, "result"sv, "error"sv,
                                  "status"sv};
  copy(out, raw_task, std::span(but).first(status.empty() ? but.size() - 1 : but.size()),
       &renaming::session, &renaming::stateless);
  return out += '}';
}

std::string created_for_stateless(std::string_view raw_result) {
  static constexpr std::array beside{"task"sv, "resultType"sv};
  std::string out = R"({"resultType":"task")";
  copy(out, json::member(raw_result, task_member[0]), only_extension, &renaming::session,
       &renaming::stateless);
  // What stands beside the task, where the task itself says nothing of that name.
  const auto plain = [](std::string_view key) {
    return json::canonical('"' + std::string(key) + '"');
  };
  std::unordered_set<std::string> told;
  each_member(json::member(raw_result, task_member[0]),
              [&](std::string_view key, auto) { told.insert(plain(key)); });
  each_member(raw_result, [&](std::string_view key, std::string_view value) {
    for (const auto name : beside)
      if (json::same_key(key, name)) return;
    if (!told.contains(plain(key))) add(out, key, value);
  });
  return out += '}';
}

std::string ended_task(std::string_view raw_id, bool failed, std::string_view time,
                       std::chrono::milliseconds ttl) {
  std::string out = "{";
  add(out, "taskId", raw_id);
  add(out, "status", failed ? R"("failed")" : R"("completed")");
  add(out, "createdAt", json::quoted(time));
  add(out, "lastUpdatedAt", json::quoted(time));
  add(out, "ttl", std::to_string(ttl.count()));
  return out += '}';
}

bool is_failure(std::string_view raw_result) {
  return json::member(raw_result, "isError") == "true";
}

}  // namespace gate::mcp::stateless
