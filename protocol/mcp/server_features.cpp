#include "protocol/mcp/server_features.hpp"

#include "protocol/json/scan.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate::mcp {
namespace {

/// The first revision that declares `completions`, and the only one with tasks in its core.
constexpr std::string_view completions_since = "2025-03-26";
constexpr std::string_view tasks_in = "2025-11-25";

}  // namespace

server_features read_features(std::string_view raw, std::string_view version) {
  server_features out;
  const auto tasks = json::member(raw, "tasks");
  const auto tools = json::member(json::member(tasks, "requests"), "tools");
  const auto add = [&](bool there, feature f) {
    if (there) out.add(f);
  };
  const auto is_object = [](std::string_view value) { return value.starts_with('{'); };
  const auto resources = json::member(raw, "resources");
  add(is_object(json::member(raw, "tools")), feature::tools);
  add(is_object(json::member(raw, "prompts")), feature::prompts);
  add(is_object(resources), feature::resources);
  add(json::member(resources, "subscribe") == "true", feature::subscriptions);
  add(is_object(json::member(raw, "logging")), feature::logging);
  add(is_object(json::member(raw, "completions")) || version < completions_since,
      feature::completions);
  if (version != tasks_in) return out;
  add(is_object(json::member(tools, "call")), feature::task_calls);
  add(is_object(json::member(tasks, "list")), feature::task_lists);
  add(is_object(json::member(tasks, "cancel")), feature::task_cancels);
  return out;
}

std::string declare(server_features f, std::string_view version) {
  std::string out = "{";
  const auto add = [&out](bool wanted, std::string_view member) {
    if (!wanted) return;
    if (out.back() != '{') out += ',';
    out += member;
  };
  add(f.has(feature::completions), R"("completions":{})");
  add(f.has(feature::logging), R"("logging":{})");
  add(f.has(feature::prompts), R"("prompts":{"listChanged":true})");
  if (f.has(feature::subscriptions))
    add(f.has(feature::resources), R"("resources":{"listChanged":true,"subscribe":true})");
  else
    add(f.has(feature::resources), R"("resources":{"listChanged":true})");
  if (version == tasks_in && f.has(feature::task_calls)) {
    add(true, R"("tasks":{)");
    add(f.has(feature::task_lists), R"("list":{})");
    add(f.has(feature::task_cancels), R"("cancel":{})");
    add(true, R"("requests":{"tools":{"call":{}}}})");
  }
  add(f.has(feature::tools), R"("tools":{"listChanged":true})");
  return out + "}";
}

}  // namespace gate::mcp
