#include "protocol/oauth/metadata.hpp"

#include "protocol/json/scan.hpp"

namespace gate::oauth {
namespace {

constexpr std::string_view assertion_profile = "urn:ietf:params:oauth:grant-profile:id-jag";

/// For a quoted string of a header (RFC 6750 §3): what it can not hold becomes a blank.
void append_parameter(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += "=\"";
  for (char c : value) out += c < 0x20 || c > 0x7E || c == '"' || c == '\\' ? ' ' : c;
  out += '"';
}

}  // namespace

std::string resource_metadata(const resource_facts& f) {
  std::string out = R"({"resource":)";
  json::append_quoted(out, f.resource);
  if (!f.authorization_servers.empty()) {  // RFC 9728 §3.2: a list without elements is left out
    out += R"(,"authorization_servers":[)";
    for (const auto& server : f.authorization_servers) {
      if (&server != &f.authorization_servers.front()) out += ',';
      json::append_quoted(out, server);
    }
    out += ']';
  }
  out += R"(,"bearer_methods_supported":["header"])";
  if (f.enterprise_managed) {
    out += R"(,"extensions":{)";
    json::append_quoted(out, enterprise_extension);
    out += ":{}}";
  }
  return out + '}';
}

std::string resource_metadata_url(std::string_view base, const http::url& resource) {
  std::string_view rest = resource.target;
  // RFC 9728 §3.1: the slash behind the host goes if nothing or only a query follows it.
  if (rest == "/" || rest.starts_with("/?")) rest.remove_prefix(1);
  return std::string(base) + std::string(resource_metadata_path) + std::string(rest);
}

std::string server_metadata(std::string_view issuer) {
  const auto at = [issuer](std::string_view path) {
    return json::quoted(std::string(issuer) + std::string(path));
  };
  // No grant uses the authorization endpoint, so there are no response types; RFC 8414 would let it
  // be left out, but official clients refuse metadata without it. Clients are not registered here:
  // what proves that one may ask is the assertion. One that was given a secret may send it all the
  // same.
  return R"({"issuer":)" + at("") + R"(,"authorization_endpoint":)" + at(authorization_path) +
         R"(,"token_endpoint":)" + at(token_path) + R"(,"jwks_uri":)" + at(key_set_path) +
         R"(,"response_types_supported":[],"grant_types_supported":[)" +
         json::quoted(jwt_bearer_grant) + R"(],"authorization_grant_profiles_supported":[)" +
         json::quoted(assertion_profile) + R"(],"token_endpoint_auth_methods_supported":)" +
         R"(["none","client_secret_basic","client_secret_post"]})";
}

std::string challenge(std::string_view metadata_url, std::string_view error,
                      std::string_view description) {
  std::string out = "WWW-Authenticate: Bearer ";
  append_parameter(out, "resource_metadata", metadata_url);
  if (!error.empty()) append_parameter(out += ", ", "error", error);
  if (!error.empty() && !description.empty())
    append_parameter(out += ", ", "error_description", description);
  return out + "\r\n";
}

std::string error_body(std::string_view error, std::string_view description) {
  std::string out = R"({"error":)";
  json::append_quoted(out, error);
  if (!description.empty()) {
    out += R"(,"error_description":)";
    json::append_quoted(out, description);
  }
  return out + '}';
}

}  // namespace gate::oauth
