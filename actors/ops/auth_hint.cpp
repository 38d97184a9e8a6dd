#include "actors/ops/auth_hint.hpp"

#include <algorithm>

#include "protocol/json/scan.hpp"

namespace gate::ops {

std::string console_issuer(const config::document& d) {
  if (!d.server.console.oauth) return {};
  if (d.server.console.oauth->issuer) return *d.server.console.oauth->issuer;
  const auto direct =
      std::ranges::find(d.auth.issuers, config::issuer_mode::direct, &config::issuer::mode);
  return direct == d.auth.issuers.end() ? std::string{} : direct->url;
}

std::string auth_hint(const config::document& d) {
  const bool required = d.auth.mode == config::auth_mode::required;
  std::string out = required ? R"({"authRequired":true)" : R"({"authRequired":false)";
  json::append_quoted(out += R"(,"mcpPath":)", d.server.mcp_path);
  if (!required) return out + '}';
  if (d.auth.resource) json::append_quoted(out += R"(,"resource":)", *d.auth.resource);
  if (const auto& oauth = d.server.console.oauth) {
    json::append_quoted(out += R"(,"oauth":{"issuer":)", console_issuer(d));
    json::append_quoted(out += R"(,"clientId":)", oauth->client_id);
    if (oauth->scopes) {
      out += R"(,"scopes":[)";
      for (const auto& s : *oauth->scopes) {
        if (!out.ends_with('[')) out += ',';
        json::append_quoted(out, s);
      }
      out += ']';
    }
    out += '}';
  }
  return out + '}';
}

}  // namespace gate::ops
