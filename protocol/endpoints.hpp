#pragma once
/// The HTTP endpoints beside the MCP path: a row each. All of them stand behind stage 1 (Host and
/// Origin) and leave by stage 9; what serves them is a function of its own
/// (actors/router/endpoints.cpp, by the row's `id`). gate-stdio has the first two. `/healthz` has
/// been removed on purpose: 404.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/audit/event.hpp"
#include "protocol/http/verbs.hpp"
#include "protocol/mcp/http_rules.hpp"
#include "protocol/oauth/metadata.hpp"

namespace gate {

enum class endpoint : std::uint8_t {
  health,
  metrics,
  resource_metadata,
  server_metadata,
  key_set,
  token,
  authorization,
  auth_hint,
  federation,
  activity,
  explain,
  console,
};

/// What of the configuration makes an endpoint be there.
enum class offered : std::uint8_t {
  always,
  with_auth,           ///< `auth.mode` is `required`
  with_ema,            ///< and there is `auth.ema`
  with_introspection,  ///< `server.introspection.enabled`
  with_console,        ///< `server.console.enabled`
};

struct endpoint_row {
  endpoint id;
  std::string_view path;
  bool tree;  ///< also what is below the path, as far as that is published
  http::verbs verbs;
  gate::offered offered;
  std::string_view audited_as;  ///< its name in the audit trail; empty: it leaves no event
  bool oauth_errors;  ///< refusals have the form of RFC 6749 §5.2, else `{"error":"…"}`
  std::string_view meaning;
};

inline constexpr std::array endpoints{
    // clang-format off
    endpoint_row{endpoint::health,            "/health",                     false, {verb::get},  offered::always,    {},            false, "JSON health report: 200, or 503 when no upstream is reachable"},
    endpoint_row{endpoint::metrics,           "/metrics",                    false, {verb::get},  offered::always,    {},            false, "metrics in the text exposition format"},
    endpoint_row{endpoint::resource_metadata, oauth::resource_metadata_path, true,  {verb::get},  offered::with_auth, {},            false, "which issuers' tokens are good here (RFC 9728)"},
    endpoint_row{endpoint::server_metadata,   oauth::server_metadata_path,   false, {verb::get},  offered::with_ema,  {},            false, "where the token endpoint is (RFC 8414)"},
    endpoint_row{endpoint::key_set,           oauth::key_set_path,           false, {verb::get},  offered::with_ema,  {},            false, "the keys that its tokens are signed with"},
    endpoint_row{endpoint::token,             oauth::token_path,             false, {verb::post}, offered::with_ema,  audit::token_endpoint, true,  "an identity assertion for an access token"},
    endpoint_row{endpoint::authorization,     oauth::authorization_path,     false, {verb::get},  offered::with_ema,  {},            false, "says that there is no such grant"},
    endpoint_row{endpoint::auth_hint,         "/api/auth-hint",              false, {verb::get},  offered::with_introspection, {},   false, "how to sign in"},
    endpoint_row{endpoint::federation,        "/api/federation",             false, {verb::get},  offered::with_introspection, {},   false, "the gateway, its upstreams and the viewer's own governance (behind stages 1 to 3)"},
    endpoint_row{endpoint::activity,          "/api/activity",               false, {verb::get},  offered::with_introspection, {},   false, "the latest audit events that the viewer may see, also as a stream (behind stages 1 to 3)"},
    endpoint_row{endpoint::explain,           "/api/explain",                false, {verb::get},  offered::with_introspection, {},   false, "what would become of a request of the viewer (stages 1 to 6, nothing is charged)"},
    endpoint_row{endpoint::console,           "/console",                    true,  {verb::get},  offered::with_console, {},         false, "the read-only page for operators, and its files"},
    // clang-format on
};

constexpr const endpoint_row& row(endpoint e) {
  return endpoints[static_cast<std::size_t>(e)];
}
static_assert([] {
  for (std::size_t i = 0; i < endpoints.size(); ++i)
    if (endpoints[i].id != static_cast<endpoint>(i)) return false;
  return endpoints.size() == static_cast<std::size_t>(endpoint::console) + 1;
}());

/// The row of a path; null: there is none.
constexpr const endpoint_row* find_endpoint(std::string_view path) {
  for (const auto& e : endpoints) {
    if (!path.starts_with(e.path)) continue;
    const auto rest = path.substr(e.path.size());
    if (rest.empty() || (e.tree && rest.starts_with('/'))) return &e;
  }
  return nullptr;
}

/// 404. `mcp_path`: where MCP is; empty: not told.
inline mcp::http_refusal no_endpoint(std::string_view mcp_path) {
  std::string message = "no such endpoint";
  if (!mcp_path.empty()) message.append(": MCP is at ").append(mcp_path);
  return {reason::not_found, std::move(message)};
}
/// 405, with what the endpoint knows.
inline mcp::http_refusal wrong_verb(const endpoint_row& e) {
  return {reason::method_not_allowed, e.verbs.hint(), e.verbs.allow()};
}

}  // namespace gate
