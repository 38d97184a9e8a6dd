#include "protocol/mcp/stateless/listen.hpp"

#include "protocol/json/scan.hpp"
#include "protocol/jsonrpc/message.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/implementation.hpp"
#include "protocol/mcp/list_kinds.hpp"
#include "protocol/mcp/stateless/envelope.hpp"
#include "protocol/mcp/stateless/results.hpp"

namespace gate::mcp::stateless {
namespace {

constexpr std::string_view uris_name = "resourceSubscriptions";

problem wrong_member(std::string_view member, std::string_view what) {
  return problem{"params.notifications." + std::string(member) + " " + std::string(what)};
}

result<std::vector<std::string>> read_uris(std::string_view raw) {
  std::vector<std::string> out;
  json::cursor c(raw, {json::deepest, false});
  if (c.peek() != '[') return wrong_member(uris_name, "must be an array");
  bool wrong = false;
  json::elements(c, [&](json::cursor& at) {
    const auto value = at.value(1);
    std::string uri;
    if (value.size() > limits::uri_bytes || out.size() >= limits::session_subscriptions ||
        !json::unquote(value, uri) || uri.empty())
      return void(wrong = true);
    out.push_back(std::move(uri));
  });
  if (wrong || !c.ok())
    return wrong_member(
        uris_name, "must be at most " + std::to_string(limits::session_subscriptions) +
                       " URIs of at most " + std::to_string(limits::uri_bytes) + " bytes each");
  return out;
}

}  // namespace

result<listen_filter> read_filter(std::string_view raw) {
  if (!raw.starts_with('{')) return problem{"params.notifications must be an object"};
  listen_filter out;
  for (const auto& l : lists) {
    if (l.asked_by.empty()) continue;
    const auto value = json::member(raw, l.asked_by);
    if (!value.empty() && value != "true" && value != "false")
      return wrong_member(l.asked_by, "must be a boolean");
    if (value == "true") out.lists.add(l.needs);
  }
  if (const auto value = json::member(raw, uris_name); !value.empty()) {
    auto uris = read_uris(value);
    if (!uris) return uris.error();
    out.uris = std::move(*uris);
  }
  return out;
}

void restrict_to(listen_filter& filter, server_features features) {
  filter.lists &= features;
  if (!features.has(feature::subscriptions)) filter.uris.clear();
}

bool wants(const listen_filter& filter, std::string_view method) {
  if (method == names::resource_updated) return !filter.uris.empty();
  for (const auto& l : lists)
    if (filter.lists.has(l.needs) && method == l.change_notice) return true;
  return false;
}

std::string acknowledgement(const listen_filter& honoured, std::string_view raw_id) {
  std::string params = R"({"notifications":{)";
  const auto add = [&](std::string_view name) -> std::string& {
    if (params.back() != '{') params += ',';
    return params.append("\"").append(name).append("\":");
  };
  for (const auto& l : lists)
    if (!l.asked_by.empty() && honoured.lists.has(l.needs)) add(l.asked_by) += "true";
  if (!honoured.uris.empty()) {
    add(uris_name) += '[';
    for (const auto& uri : honoured.uris) {
      if (params.back() != '[') params += ',';
      json::append_quoted(params, uri);
    }
    params += ']';
  }
  return of_subscription(jsonrpc::request({}, names::acknowledged, params + "}}"), raw_id);
}

std::string conclusion(std::string_view raw_id) {
  return jsonrpc::result_head(raw_id) + R"({"resultType":"complete","_meta":{")" +
         std::string(keys::subscription) + R"(":)" + std::string(raw_id) + R"(,")" +
         std::string(keys::server) + R"(":)" + std::string(server_info) + "}}}";
}

}  // namespace gate::mcp::stateless
