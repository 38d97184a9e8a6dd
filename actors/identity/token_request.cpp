#include "actors/identity/token_request.hpp"

#include "protocol/http/ascii.hpp"
#include "protocol/http/media.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/oauth/form.hpp"
#include "protocol/oauth/metadata.hpp"

namespace gate::identity {
namespace {

/// The next word of a list that is separated by blanks, taken off its front.
std::string_view next_word(std::string_view& list) {
  list.remove_prefix(std::min(list.find_first_not_of(' '), list.size()));
  const auto word = list.substr(0, list.find(' '));
  list.remove_prefix(word.size());
  return word;
}

bool has_word(std::string_view list, std::string_view wanted) {
  for (auto word = next_word(list); !word.empty(); word = next_word(list))
    if (word == wanted) return true;
  return false;
}

}  // namespace

boost::system::result<token_request, token_refusal> read_token_request(
    std::string_view body, std::string_view content_type, std::string_view authorization) {
  const auto bad = [](std::string what) {
    return token_refusal{token_denial::invalid_request, std::move(what)};
  };
  if (!http::is_media_type(content_type, "application/x-www-form-urlencoded"))
    return bad("Content-Type must be application/x-www-form-urlencoded");
  auto form = oauth::read_form(body);
  if (!form) return bad(form.error().what);
  const auto grant = oauth::field(*form, "grant_type");
  if (grant.empty()) return bad("grant_type is missing");
  if (grant != oauth::jwt_bearer_grant)
    return token_refusal{token_denial::unsupported_grant_type,
                         "the only grant is " + std::string(oauth::jwt_bearer_grant)};
  token_request out;
  out.assertion = oauth::field(*form, "assertion");
  if (out.assertion.empty()) return bad("assertion is missing");
  out.client_id = oauth::field(*form, "client_id");
  out.scope = oauth::field(*form, "scope");
  if (authorization.empty()) return out;
  auto basic = oauth::basic_client(authorization);
  if (!basic) return token_refusal{token_denial::invalid_client, basic.error().what};
  if (!out.client_id.empty() && out.client_id != *basic)
    return token_refusal{token_denial::invalid_client, "two different client ids"};
  out.client_id = std::move(*basic);
  return out;
}

bool grant_scope(std::string_view requested, std::string_view asserted, std::string& granted) {
  granted = requested.empty() ? asserted : requested;
  for (auto word = next_word(requested); !word.empty(); word = next_word(requested))
    if (!has_word(asserted, word)) return false;
  return true;
}

std::string token_body(std::string_view access_token, std::chrono::seconds lifetime,
                       std::string_view scope) {
  std::string out = R"({"access_token":)" + json::quoted(access_token) +
                    R"(,"token_type":"Bearer","expires_in":)" + std::to_string(lifetime.count());
  if (!scope.empty()) out += R"(,"scope":)" + json::quoted(scope);
  return out + '}';
}

}  // namespace gate::identity
