#include "protocol/mcp/stateless/listen.hpp"

#include <array>

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

struct wanted_list {
  std::string_view name;  ///< in the filter
  bool listen_filter::*wanted;
  list_kind kind;
};
constexpr std::array wanted_lists{
    wanted_list{"toolsListChanged", &listen_filter::tools, list_kind::tools},
    wanted_list{"promptsListChanged", &listen_filter::prompts, list_kind::prompts},
    wanted_list{"resourcesListChanged", &listen_filter::resources, list_kind::resources},
};

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
  for (const auto& r : wanted_lists) {
    const auto value = json::member(raw, r.name);
    if (!value.empty() && value != "true" && value != "false")
      return wrong_member(r.name, "must be a boolean");
    out.*r.wanted = value == "true";
  }
  if (const auto value = json::member(raw, uris_name); !value.empty()) {
    auto uris = read_uris(value);
    if (!uris) return uris.error();
    out.uris = std::move(*uris);
  }
  return out;
}

void restrict_to(listen_filter& filter, server_features features) {
  for (const auto& r : wanted_lists)
    if (!features.has(row(r.kind).needs)) filter.*r.wanted = false;
  if (!features.has(feature::subscriptions)) filter.uris.clear();
}

bool wants(const listen_filter& filter, std::string_view method) {
  if (method == names::resource_updated) return !filter.uris.empty();
  for (const auto& r : wanted_lists)
    if (filter.*r.wanted && method == change_notice(r.kind)) return true;
  return false;
}

std::string acknowledgement(const listen_filter& honoured, std::string_view raw_id) {
  std::string params = R"({"notifications":{)";
  const auto add = [&](std::string_view name) -> std::string& {
    if (params.back() != '{') params += ',';
    return params.append("\"").append(name).append("\":");
  };
  for (const auto& r : wanted_lists)
    if (honoured.*r.wanted) add(r.name) += "true";
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
