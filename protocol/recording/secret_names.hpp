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

/// Between hyphens or underscores of a header's name: `X-Forwarded-Access-Token`, `X_API_KEY`,
/// `Ocp-Apim-Subscription-Key`.
inline constexpr std::array<std::string_view, 14> secret_words{
    "authorization", "token",     "accesstoken", "secret",      "password", "cookie", "jwt",
    "assertion",     "signature", "credential",  "credentials", "apikey",   "key",    "passwd"};

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

/// Is one of those words in it?
inline bool has_secret_word(std::string_view name) {
  const auto ends_so = [](std::string_view word) {
    return std::ranges::any_of(secret_endings, [word](std::string_view end) {
      return word.size() >= end.size() &&
             http::same_text(word.substr(word.size() - end.size()), end);
    });
  };
  for (;;) {
    const auto hyphen = name.find_first_of("-_");
    const auto word = name.substr(0, hyphen);
    if (among(secret_words, word) || ends_so(word)) return true;
    if (hyphen == std::string_view::npos) return false;
    name.remove_prefix(hyphen + 1);
  }
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

/// Of a document, beside the fields above: a header that is sent somewhere. (Its own members are
/// written otherwise: `bearerSecretRef`.)
inline bool is_header_of_document(std::string_view name) {
  const bool as_headers_are = name.find_first_of("-_") != std::string_view::npos ||
                              (!name.empty() && name.front() >= 'A' && name.front() <= 'Z');
  return among(secret_headers, name) || (as_headers_are && is_secret_header(name));
}

}  // namespace gate::recording
