#include "protocol/mcp/capability_profile.hpp"

#include <array>

#include "protocol/json/scan.hpp"

namespace gate::mcp {
namespace {

enum : capability_profile {
  sampling = 1,
  form = 2,
  url = 4,
  roots = 8,
  apps = 16,
  sampling_tasks = 32,
  elicitation_tasks = 64,
  sampling_tools = 128
};
static_assert(task_capabilities == (sampling_tasks | elicitation_tasks));

/// SEP-1865: what a client declares that shows MCP Apps.
constexpr std::string_view apps_extension = "io.modelcontextprotocol/ui";
constexpr std::string_view apps_value =
    R"({"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}})";

}  // namespace

capability_profile read_profile(std::string_view raw) {
  const auto has = [](std::string_view object, std::string_view key) {
    return json::member(object, key).starts_with('{');
  };
  static constexpr std::array<std::string_view, 5> names{"sampling", "roots", "elicitation",
                                                         "extensions", "tasks"};
  const auto found = json::pick(raw, names);
  capability_profile p = 0;
  if (found[0].starts_with('{')) p |= has(found[0], "tools") ? sampling | sampling_tools : sampling;
  if (found[1].starts_with('{')) p |= roots;
  if (const auto elicitation = found[2]; elicitation.starts_with('{')) {
    if (has(elicitation, "url")) p |= url;
    // Before 2025-11-25 there was nothing but forms to declare: an empty object means these.
    if (has(elicitation, "form") || !(p & url)) p |= form;
  }
  if (has(found[3], apps_extension)) p |= apps;
  if (found[4].empty()) return p;
  const auto tasks = json::member(found[4], "requests");
  if (has(json::member(tasks, "sampling"), "createMessage")) p |= sampling_tasks;
  if (has(json::member(tasks, "elicitation"), "create")) p |= elicitation_tasks;
  return p;
}

std::string profile_capabilities(capability_profile p, bool tells_roots) {
  std::string out = "{";
  const auto add = [&](std::string_view member) {
    if (out.size() > 1) out += ',';
    out += member;
  };
  if (p & sampling) add(p & sampling_tools ? R"("sampling":{"tools":{}})" : R"("sampling":{})");
  if ((p & form) && (p & url))
    add(R"("elicitation":{"form":{},"url":{}})");
  else if (p & form)
    add(R"("elicitation":{})");
  else if (p & url)
    add(R"("elicitation":{"url":{}})");
  if (p & roots) add(tells_roots ? R"("roots":{"listChanged":true})" : R"("roots":{})");
  if (p & apps) add(R"("extensions":)" + std::string(apps_value));
  if (p & (sampling_tasks | elicitation_tasks)) {
    std::string requests;
    if (p & sampling_tasks) requests = R"("sampling":{"createMessage":{}})";
    if (p & elicitation_tasks)
      requests += std::string(requests.empty() ? "" : ",") + R"("elicitation":{"create":{}})";
    add(R"("tasks":{"list":{},"cancel":{},"requests":{)" + requests + "}}");
  }
  return out + "}";
}

}  // namespace gate::mcp
