#pragma once
/// The HTTP endpoints beside the MCP path, in one table. All of them stand behind stage 1 (Host and
/// Origin allowlist) and leave through stage 9. (The well-known documents about tokens are in
/// identity/sources.hpp: where they are depends on the configuration.) `/healthz` has been removed
/// on purpose: 404.
#include <array>
#include <cstdint>
#include <string_view>

#include "protocol/oauth/metadata.hpp"

namespace gate::ops {

enum class endpoint : std::uint8_t { health, metrics, token, authorization };

struct endpoint_row {
  std::string_view path;
  endpoint what;
  std::string_view meaning;
};

inline constexpr std::array endpoints{
    endpoint_row{"/health", endpoint::health,
                 "JSON health report: 200, or 503 when no upstream is reachable"},
    endpoint_row{"/metrics", endpoint::metrics, "metrics in the text exposition format"},
    endpoint_row{oauth::token_path, endpoint::token,
                 "POST: an identity assertion for an access token; with `auth.ema`"},
    endpoint_row{oauth::authorization_path, endpoint::authorization,
                 "says that there is no such grant; with `auth.ema`"},
};

constexpr const endpoint_row* find_endpoint(std::string_view path) {
  for (const auto& e : endpoints)
    if (e.path == path) return &e;
  return nullptr;
}

}  // namespace gate::ops
