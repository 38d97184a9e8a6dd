#include "protocol/mcp/server_features.hpp"

#include <utility>

#include "protocol/json/scan.hpp"
#include "protocol/mcp/stateless/task_shapes.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate::mcp {
namespace {

/// The first revision that declares `completions`, and the only one with tasks in its core.
constexpr std::string_view completions_since = "2025-03-26";
constexpr std::string_view tasks_in = "2025-11-25";
/// Between the others, as their names stand.
constexpr std::string_view tasks_name = "tasks", extensions_name = "extensions";

class declaration {
 public:
  void add(std::string_view member) {
    if (text_.back() != '{') text_ += ',';
    text_ += member;
  }
  void add(const capability& c, server_features all) {
    std::string member = '"' + std::string(c.name) + R"(":{)";
    if (c.lists) member += R"("listChanged":true)";
    if (c.what == feature::resources && all.has(feature::subscriptions))
      member += R"(,"subscribe":true)";
    add(member + '}');
  }
  void add_extension() {
    add('"' + std::string(extensions_name) + R"(":{")" + std::string(stateless::tasks_extension) +
        R"(":{}})");
  }
  void add_tasks(server_features all) {
    add(R"("tasks":{)");
    if (all.has(feature::task_lists)) add(R"("list":{})");
    if (all.has(feature::task_cancels)) add(R"("cancel":{})");
    add(R"("requests":{"tools":{"call":{}}}})");
  }
  std::string end() && { return std::move(text_) + '}'; }

 private:
  std::string text_ = "{";
};

}  // namespace

server_features read_features(std::string_view raw, std::string_view version) {
  server_features out;
  const auto add = [&](bool there, feature f) {
    if (there) out.add(f);
  };
  const auto is_object = [](std::string_view value) { return value.starts_with('{'); };
  for (const auto& c : capabilities) add(is_object(json::member(raw, c.name)), c.what);
  add(json::member(json::member(raw, "resources"), "subscribe") == "true", feature::subscriptions);
  add(version < completions_since, feature::completions);
  if (is_stateless_version(version) && stateless::declares_tasks(raw)) {
    out.add(feature::task_calls);
    out.add(feature::task_cancels);
  }
  if (version != tasks_in) return out;
  const auto tasks = json::member(raw, tasks_name);
  const auto tools = json::member(json::member(tasks, "requests"), "tools");
  add(is_object(json::member(tools, "call")), feature::task_calls);
  add(is_object(json::member(tasks, "list")), feature::task_lists);
  add(is_object(json::member(tasks, "cancel")), feature::task_cancels);
  return out;
}

std::string declare(server_features f, std::string_view version) {
  declaration out;
  bool tasks = version == tasks_in && f.has(feature::task_calls);
  bool extension = is_stateless_version(version) && f.has(feature::task_calls);
  for (const auto& c : capabilities) {
    if (c.name > tasks_name && std::exchange(tasks, false)) out.add_tasks(f);
    if (c.name > extensions_name && std::exchange(extension, false)) out.add_extension();
    if (f.has(c.what)) out.add(c, f);
  }
  return std::move(out).end();
}

}  // namespace gate::mcp
