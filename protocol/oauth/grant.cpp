#include "protocol/oauth/grant.hpp"

#include <algorithm>

#include "protocol/http/ascii.hpp"
#include "protocol/limits.hpp"
#include "protocol/oauth/form.hpp"
#include "protocol/oauth/object.hpp"

namespace gate::oauth {
namespace {

using std::chrono::seconds;

constexpr std::string_view token_exchange_grant = "urn:ietf:params:oauth:grant-type:token-exchange";
constexpr std::string_view jwt_assertion_type =
    "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
constexpr std::string_view access_token_type = "urn:ietf:params:oauth:token-type:access_token";

void append_scopes(std::string& body, const std::vector<std::string>& scopes) {
  std::string all;
  for (const auto& s : scopes) all += (all.empty() ? "" : " ") + s;
  if (!all.empty()) append_field(body, "scope", all);
}

/// Says who asks, in the header or the body (RFC 6749 §2.3.1), and what the body is.
void identify(token_request& r, const client_identity& c) {
  r.headers =
      "Content-Type: application/x-www-form-urlencoded\r\n"
      "Accept: application/json\r\n";
  if (!c.assertion.empty()) {  // RFC 7521 §4.2
    append_field(r.body, "client_id", c.id);
    append_field(r.body, "client_assertion_type", jwt_assertion_type);
    append_field(r.body, "client_assertion", c.assertion);
    return;
  }
  if (c.basic) {
    r.headers += "Authorization: " + basic_credentials(c.id, c.secret) + "\r\n";
    return;
  }
  append_field(r.body, "client_id", c.id);
  if (!c.secret.empty()) append_field(r.body, "client_secret", c.secret);
}

/// RFC 6750 §2.1, what an Authorization header line can carry: letters, digits and some marks, then
/// perhaps equal signs.
bool is_b64token(std::string_view token) {
  const auto plain = token.substr(0, token.find_last_not_of('=') + 1);
  return !plain.empty() && std::ranges::all_of(plain, [](char c) {
    const char low = http::lower(c);
    return (low >= 'a' && low <= 'z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~+/").find(c) != std::string_view::npos;
  });
}

/// An `error` that looks like one of the registered codes. Anything else could be whatever the
/// server wants to get into our logs, even what we sent it.
bool is_error_code(std::string_view code) {
  return !code.empty() && code.size() <= limits::error_code_bytes &&
         std::ranges::all_of(code, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

problem refused(int status, std::string_view body) {
  auto what = "the token endpoint answered with status " + std::to_string(status);
  const auto answer = object::read(body);
  const auto code = answer ? text_of(answer->get("error")) : std::nullopt;
  if (code && is_error_code(*code)) what += " (" + *code + ")";
  return {what};
}

/// Nothing if it is no lifetime. A string of digits is against RFC 6749, and common.
std::optional<seconds> lifetime_of(std::string_view raw) {
  const auto digits = text_of(raw);
  if (digits && !http::all_digits(*digits)) return {};
  // As a number without its leading zeros, which JSON does not have.
  const auto first = digits ? std::min(digits->find_first_not_of('0'), digits->size() - 1) : 0;
  const auto value = number_of(digits ? std::string_view(*digits).substr(first) : raw);
  if (!value || *value < 0) return {};
  return seconds(static_cast<std::int64_t>(
      std::min(*value, static_cast<double>(limits::token_life_most.count()))));
}

}  // namespace

token_request client_credentials_request(const client_identity& c, const grant_terms& t) {
  token_request r;
  append_field(r.body, "grant_type", "client_credentials");
  append_scopes(r.body, t.scopes);
  if (!t.resource.empty()) append_field(r.body, "resource", t.resource);
  identify(r, c);
  return r;
}

token_request token_exchange_request(const client_identity& c, const grant_terms& t) {
  token_request r;
  append_field(r.body, "grant_type", token_exchange_grant);
  append_field(r.body, "subject_token", t.subject_token);
  append_field(r.body, "subject_token_type", access_token_type);
  append_field(r.body, "requested_token_type", access_token_type);
  if (!t.audience.empty()) append_field(r.body, "audience", t.audience);
  append_scopes(r.body, t.scopes);
  identify(r, c);
  return r;
}

result<access_token> read_token_response(int status, std::string_view body) {
  if (status != 200) return refused(status, body);
  const auto answer = object::read(body);
  if (!answer) return problem{"the token endpoint's answer " + answer.error().what};
  auto token = text_of(answer->get("access_token"));
  const auto type = text_of(answer->get("token_type"));
  if (!token || !type) return problem{"the token endpoint's answer holds no token"};
  if (!http::same_text(*type, "Bearer"))
    return problem{"the token endpoint's token is not a Bearer token"};
  if (!is_b64token(*token)) return problem{"the token endpoint's token does not fit a header line"};
  access_token out{std::move(*token), {}};
  if (answer->has("expires_in")) {
    out.lifetime = lifetime_of(answer->get("expires_in"));
    if (!out.lifetime) return problem{"the token endpoint's expires_in is not a lifetime"};
  }
  return out;
}

}  // namespace gate::oauth
