#include "simulations/world/stateless_client.hpp"

#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/stateless/envelope.hpp"

namespace gate::sim {

namespace keys = mcp::stateless::keys;

receipt_ptr stateless_client::request(std::string_view raw_id, std::string_view method,
                                      std::string_view more) {
  std::string params = "{";
  if (!more.empty()) params.append(more).append(",");
  params += R"("_meta":{)";
  const auto member = [&](std::string_view key, std::string_view raw) {
    params.append(params.back() == '{' ? "\"" : ",\"").append(key).append("\":").append(raw);
  };
  member(keys::version, '"' + named_version + '"');
  member(keys::capabilities, capabilities);
  params.append(more_meta).append("}}");
  std::vector<std::string> lines{"Mcp-Method: " + std::string(method)};
  for (const auto name : {"name", "uri", "taskId"}) {
    std::string value;
    if (method != "completion/complete" && json::unquote(json::member(params, name), value))
      lines.push_back("Mcp-Name: " + value);
  }
  return post(jsonrpc::request(raw_id, method, params), lines);
}

receipt_ptr stateless_client::call(std::string_view raw_id, std::string_view name,
                                   std::string_view more) {
  return request(raw_id, "tools/call",
                 R"("name":")" + std::string(name) + R"(","arguments":{})" + std::string(more));
}

receipt_ptr stateless_client::post(std::string body, const std::vector<std::string>& more) {
  return send(verb::post, std::move(body), more);
}

receipt_ptr stateless_client::send(verb method, std::string body,
                                   const std::vector<std::string>& more) {
  std::vector<std::string> lines{"Host: localhost"};
  if (!accept.empty()) lines.push_back("Accept: " + accept);
  if (method == verb::post) {
    lines.push_back("Content-Type: " + content_type);
    lines.push_back("Content-Length: " + std::to_string(body.size()));
  }
  if (!token.empty()) lines.push_back("Authorization: Bearer " + token);
  if (!version.empty()) lines.push_back("MCP-Protocol-Version: " + version);
  lines.insert(lines.end(), more.begin(), more.end());
  lines.insert(lines.end(), more_headers.begin(), more_headers.end());
  return world_->arrive(make_request(method, "/mcp", lines, std::move(body)), unit_, peer);
}

}  // namespace gate::sim
