#pragma once
/// What is secret by its place, whatever it says. Names are compared without regard to case.
#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "protocol/http/ascii.hpp"

namespace gate::recording {

/// Headers, in both directions; those of a session lead to it as long as the gateway runs.
inline constexpr std::array<std::string_view, 11> secret_headers{
    "authorization",  "proxy-authorization",
    "cookie",         "set-cookie",
    "mcp-session-id", "x-api-key",
    "api-key",        "x-auth-token",
    "x-access-token", "x-amz-security-token",
    "x-goog-api-key"};

/// Fields of what is sent to a token endpoint, and members of its answer (RFC 6749, 7523, 8693).
inline constexpr std::array<std::string_view, 14> secret_fields{
    "access_token",     "refresh_token",
    "id_token",         "client_secret",
    "assertion",        "password",
    "client_assertion", "subject_token",
    "actor_token",      "code",
    "code_verifier",    "token",
    "device_code",      "registration_access_token"};

/// Parameters of URLs.
inline constexpr std::array<std::string_view, 20> secret_parameters{
    "access_token", "refresh_token", "id_token", "client_secret", "assertion",
    "password",     "code",          "token",    "key",           "api_key",
    "apikey",       "api-key",       "auth",     "secret",        "sig",
    "signature",    "sas",           "session",  "session_id",    "sessionid"};

inline bool among(std::span<const std::string_view> all, std::string_view name) {
  return std::ranges::any_of(all, [name](auto one) { return http::same_text(one, name); });
}

}  // namespace gate::recording
