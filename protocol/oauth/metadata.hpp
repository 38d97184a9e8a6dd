#pragma once
/// What the gateway publishes about itself as a protected resource (RFC 9728) and authorization
/// server (RFC 8414), and how it challenges clients (RFC 6750 §3). All texts are made once.
#include <string>
#include <string_view>
#include <vector>

#include "protocol/http/url.hpp"

namespace gate::oauth {

inline constexpr std::string_view resource_metadata_path = "/.well-known/oauth-protected-resource";
inline constexpr std::string_view server_metadata_path = "/.well-known/oauth-authorization-server";
inline constexpr std::string_view key_set_path = "/.well-known/jwks.json";
inline constexpr std::string_view token_path = "/oauth/token";
/// Named in the metadata, because clients in use do not read one without it; it grants nothing.
inline constexpr std::string_view authorization_path = "/oauth/authorize";
inline constexpr std::string_view enterprise_extension =
    "io.modelcontextprotocol/enterprise-managed-authorization";
inline constexpr std::string_view jwt_bearer_grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";

struct resource_facts {
  std::string_view resource;
  std::vector<std::string> authorization_servers;
  bool enterprise_managed = false;
};
std::string resource_metadata(const resource_facts& f);
/// Where clients look for it: the path inserted before the resource's own, at `base` (scheme and
/// authority, no slash at its end).
std::string resource_metadata_url(std::string_view base, const http::url& resource);

/// `issuer` has no slash at its end; the endpoints are at its well-known places.
std::string server_metadata(std::string_view issuer);

/// `WWW-Authenticate: Bearer resource_metadata="…"[, error="…", error_description="…"]` CRLF.
/// `error` empty: no token was presented.
std::string challenge(std::string_view metadata_url, std::string_view error = {},
                      std::string_view description = {});

/// RFC 6749 §5.2: `{"error":…,"error_description":…}`.
std::string error_body(std::string_view error, std::string_view description);

}  // namespace gate::oauth
