#pragma once
/// What is secret by its place, whatever it says. Names are compared without regard to case.
#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "protocol/http/ascii.hpp"

namespace gate::recording {

/// Headers, in both directions; those of a session lead to it as long as the gateway runs. Others
/// are known by a word in their names.
inline constexpr std::array<std::string_view, 13> secret_headers{
    "authorization",  "proxy-authorization",
    "cookie",         "set-cookie",
    "mcp-session-id", "x-api-key",
    "api-key",        "x-auth-token",
    "x-access-token", "x-amz-security-token",
    "x-goog-api-key", "x-amzn-oidc-data",
    "x-client-cert"};

/// Words of a header's or parameter's name: `X-Forwarded-Access-Token`, `X_API_KEY`,
/// `Ocp-Apim-Subscription-Key`, `accessKey`.
inline constexpr std::array<std::string_view, 16> secret_words{
    "authorization", "token",     "accesstoken", "secret",     "password",    "cookie",
    "jwt",           "assertion", "signature",   "credential", "credentials", "apikey",
    "key",           "passwd",    "pass",        "pwd"};

/// Of such a word: `X-AuthToken`, `ClientSecret`.
inline constexpr std::array<std::string_view, 4> secret_endings{"token", "secret", "apikey",
                                                                "password"};

/// Fields of what is sent to a token endpoint, and members of its answer (RFC 6749, 7523, 8693).
inline constexpr std::array<std::string_view, 14> secret_fields{
    "access_token",     "refresh_token",
    "id_token",         "client_secret",
    "assertion",        "password",
    "client_assertion", "subject_token",
    "actor_token",      "code",
    "code_verifier",    "token",
    "device_code",      "registration_access_token"};

/// Parameters of URLs. Others are known by a word in their names, as headers are.
inline constexpr std::array<std::string_view, 21> secret_parameters{
    "access_token", "refresh_token", "id_token", "client_secret", "assertion", "password",
    "code",         "token",         "key",      "api_key",       "apikey",    "api-key",
    "auth",         "secret",        "sig",      "signature",     "sas",       "session",
    "session_id",   "sessionid",     "bearer"};

inline bool among(std::span<const std::string_view> all, std::string_view name) {
  return std::ranges::any_of(all, [name](auto one) { return http::same_text(one, name); });
}

/// Of `Mcp-Param-Region`, the name of an argument; of others nothing.
inline std::string_view argument_of(std::string_view header) {
  constexpr std::string_view begin = "mcp-param-";
  return http::same_text(header.substr(0, begin.size()), begin) ? header.substr(begin.size())
                                                                : std::string_view{};
}

/// The first word of a name: up to a hyphen, an underscore, or where lower case meets upper case.
inline std::string_view first_word(std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto is = [&name](std::size_t at, char from, char to) {
      return name[at] >= from && name[at] <= to;
    };
    const bool hump = i > 0 && is(i, 'A', 'Z') && !is(i - 1, 'A', 'Z');
    if (name[i] == '-' || name[i] == '_' || hump) return name.substr(0, i);
  }
  return name;
}

/// Is one of those words in it?
inline bool has_secret_word(std::string_view name) {
  const auto ends_so = [](std::string_view word) {
    return std::ranges::any_of(secret_endings, [word](std::string_view end) {
      return word.size() >= end.size() &&
             http::same_text(word.substr(word.size() - end.size()), end);
    });
  };
  while (!name.empty()) {
    const auto word = first_word(name);
    if (among(secret_words, word) || ends_so(word)) return true;
    name.remove_prefix(word.size());
    if (!name.empty() && (name.front() == '-' || name.front() == '_')) name.remove_prefix(1);
  }
  return false;
}

/// (What stands in an argument's header stands in the argument, too, under a name that is none.)
inline bool is_secret_header(std::string_view name) {
  return among(secret_headers, name) || (argument_of(name).empty() && has_secret_word(name));
}

inline bool is_secret_field(std::string_view name) {
  return among(secret_fields, name);
}

inline bool is_secret_parameter(std::string_view name) {
  return among(secret_parameters, name) || has_secret_word(name);
}

}  // namespace gate::recording
