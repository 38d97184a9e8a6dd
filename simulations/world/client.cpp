#include "simulations/world/client.hpp"

#include "protocol/jsonrpc/message.hpp"
#include "simulations/world/complaint.hpp"

namespace gate::sim {

client& client::initialize(std::string_view wanted) {
  auto r = request("0", "initialize",
                   R"({"protocolVersion":")" + std::string(wanted) + R"(","capabilities":)" +
                       capabilities + R"(,"clientInfo":{"name":"test","version":"1"}})");
  if (r->status != 200) complain("initialize: " + r->body);
  session = r->header("mcp-session-id");
  if (session.empty()) complain("initialize gave no session");
  version = wanted;
  auto ready = notify("notifications/initialized");
  if (ready->status != 202) complain("notifications/initialized: " + ready->body);
  return *this;
}

receipt_ptr client::send(verb method, std::string body) {
  std::vector<std::string> lines{"Host: " + host, "Accept: " + accept};
  if (method == verb::post) {
    lines.push_back("Content-Type: " + content_type);
    lines.push_back("Content-Length: " + std::to_string(body.size()));
  }
  if (!token.empty()) lines.push_back("Authorization: Bearer " + token);
  if (!session.empty()) lines.push_back("Mcp-Session-Id: " + session);
  if (!version.empty()) lines.push_back("MCP-Protocol-Version: " + version);
  lines.insert(lines.end(), more_headers.begin(), more_headers.end());
  auto r = make_request(method, path, lines, std::move(body));
  r.body_follows = header_first;
  return world_->arrive(std::move(r), unit_, peer);
}

receipt_ptr client::request(std::string_view raw_id, std::string_view method,
                            std::string_view params) {
  return post(jsonrpc::request(raw_id, method, params));
}

receipt_ptr client::notify(std::string_view method, std::string_view params) {
  return post(jsonrpc::request({}, method, params));
}

receipt_ptr client::call(std::string_view raw_id, std::string_view name,
                         std::string_view more_params) {
  std::string params = R"({"name":")" + std::string(name) + '"';
  if (!more_params.empty()) params.append(",").append(more_params);
  return request(raw_id, "tools/call", params + '}');
}

receipt_ptr client::list(std::string_view raw_id, std::string_view cursor) {
  return request(raw_id, "tools/list",
                 cursor.empty() ? std::string{} : R"({"cursor":)" + std::string(cursor) + '}');
}

receipt_ptr client::cancel(std::string_view raw_id) {
  return notify("notifications/cancelled", R"({"requestId":)" + std::string(raw_id) + '}');
}

std::string unavailable(std::string_view id, std::string_view upstream, std::string_view why) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) +
         R"(,"error":{"code":-32041,"message":"upstream \")" + std::string(upstream) +
         R"(\" unavailable ()" + std::string(why) +
         R"_()","data":{"gate":{"reason":"upstream_down","upstream":")_" + std::string(upstream) +
         R"("}}}})";
}

}  // namespace gate::sim
