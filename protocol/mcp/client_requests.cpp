#include "protocol/mcp/client_requests.hpp"

#include <string>

#include "protocol/json/scan.hpp"
#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/method_names.hpp"
#include "protocol/mcp/methods.hpp"

namespace gate::mcp {
namespace {

bool declares(std::string_view object, std::string_view key) {
  return json::member(object, key).starts_with('{');
}

int unless(bool declared, int code = jsonrpc::method_not_found) {
  return declared ? 0 : code;
}

int refuses_sampling(std::string_view sampling, std::string_view params) {
  if (!sampling.starts_with('{')) return jsonrpc::method_not_found;
  const auto uses = [&](std::string_view key) { return !json::member(params, key).empty(); };
  const bool tools = uses("tools") || uses("toolChoice");
  return unless(!tools || declares(sampling, "tools"), jsonrpc::invalid_params);
}

int refuses_elicitation(std::string_view elicitation, std::string_view params) {
  if (!elicitation.starts_with('{')) return jsonrpc::method_not_found;
  std::string mode = "form";
  const auto raw = json::member(params, "mode");
  if (!raw.empty() && !json::unquote(raw, mode)) return jsonrpc::invalid_params;
  const bool url = declares(elicitation, "url");
  // Before there were modes an empty object meant forms, and it still does.
  const bool form = declares(elicitation, "form") || !url;
  return unless((mode == "url" && url) || (mode == "form" && form), jsonrpc::invalid_params);
}

}  // namespace

int refuses_request(std::string_view raw, std::string_view method, std::string_view raw_params) {
  if (method == names::create_message)
    return refuses_sampling(json::member(raw, "sampling"), raw_params);
  if (method == names::elicit)
    return refuses_elicitation(json::member(raw, "elicitation"), raw_params);
  if (method == names::list_roots) return unless(declares(raw, "roots"));
  if (!method.starts_with("tasks/"))
    return unless(method == names::ping || find_method(method) == nullptr);
  const auto tasks = json::member(raw, "tasks");
  if (method == names::list_tasks) return unless(declares(tasks, "list"));
  if (method == names::cancel_task) return unless(declares(tasks, "cancel"));
  return unless(tasks.starts_with('{'));
}

}  // namespace gate::mcp
