#include "actors/identity/sources.hpp"

#include <algorithm>

#include "protocol/oauth/metadata.hpp"

namespace gate::identity {
namespace {

std::string without_slash(std::string text) {
  while (text.ends_with('/')) text.pop_back();
  return text;
}

std::size_t source_of(authority& a, const std::string& issuer,
                      const std::optional<std::string>& key_set_url) {
  auto where =
      key_set_url ? *key_set_url : without_slash(issuer) + std::string(oauth::key_set_path);
  key_source s{issuer, http::parse_url(where).value()};
  auto it = std::ranges::find_if(a.sources, [&](const key_source& other) {
    return other.issuer == s.issuer && other.url.origin() == s.url.origin() &&
           other.url.target == s.url.target;
  });
  if (it == a.sources.end()) it = a.sources.insert(it, std::move(s));
  return static_cast<std::size_t>(it - a.sources.begin());
}

/// Where clients reach us: what the operator says, else where the resource is.
std::string base_of(const config::document& doc, const http::url& resource) {
  if (doc.server.public_url) return without_slash(*doc.server.public_url);
  return (resource.tls ? "https://" : "http://") + resource.authority();
}

void publish(authority& a, const config::document& doc, const http::url& resource,
             const std::string& base) {
  auto& p = a.published;
  oauth::resource_facts facts;
  facts.resource = a.resource;
  facts.enterprise_managed = a.ema.has_value();
  for (const auto& i : a.issuers) facts.authorization_servers.push_back(i.issuer);
  p.resource_metadata = oauth::resource_metadata(facts);
  p.metadata_url = oauth::resource_metadata_url(base, resource);
  const std::string root(oauth::resource_metadata_path);
  p.resource_metadata_paths = {root, root + doc.server.mcp_path};
  if (const auto path = resource.target.substr(0, resource.target.find('?')); path != "/")
    p.resource_metadata_paths.push_back(root + path);
  if (!a.signer) return;
  p.server_metadata = oauth::server_metadata(a.own_issuer);
  p.key_set = a.signer->published();
}

}  // namespace

result<authority_ptr> make_authority(const config::document& doc,
                                     const std::optional<std::string>& signing_key) {
  auto a = std::make_shared<authority>();
  a->required = doc.auth.mode == config::auth_mode::required;
  if (!a->required) return authority_ptr(std::move(a));
  a->resource = doc.auth.resource.value();
  const auto resource = http::parse_url(a->resource).value();
  const auto base = base_of(doc, resource);
  for (const auto& i : doc.auth.issuers)
    if (i.mode == config::issuer_mode::direct)
      a->issuers.push_back({i.url, i.groups_claim, source_of(*a, i.url, i.jwks_uri)});
  if (doc.auth.ema) {
    const auto& ema = doc.auth.ema.value();
    if (!signing_key)
      return problem{"/auth/ema/signingKeyRef: the environment variable " + ema.signing_key_ref +
                     " is not set: it must hold an ES256 private key (PKCS#8 PEM)"};
    auto signer = oauth::signer::from_pem(*signing_key);
    if (!signer)
      return problem{"/auth/ema/signingKeyRef: the environment variable " + ema.signing_key_ref +
                     " holds no usable key: " + signer.error().what};
    a->signer = std::make_shared<const oauth::signer>(std::move(*signer));
    a->ema = ema;
    a->own_issuer = base;
    const auto is_own = [&](const std::string& issuer) { return without_slash(issuer) == base; };
    if (is_own(ema.idp_issuer) ||
        std::ranges::any_of(doc.auth.issuers, is_own, &config::issuer::url))
      return problem{"/server/publicUrl: the gateway's own issuer would be \"" + base +
                     "\", which is the issuer of somebody else here: give the gateway a URL of its "
                     "own"};
    a->idp_source = source_of(*a, ema.idp_issuer, ema.idp_jwks_uri);
    a->idp_groups_claim = "groups";
    for (const auto& i : doc.auth.issuers)
      if (i.url == ema.idp_issuer) a->idp_groups_claim = i.groups_claim;
    a->issuers.push_back({a->own_issuer, "groups", {}});
  }
  publish(*a, doc, resource, base);
  return authority_ptr(std::move(a));
}

}  // namespace gate::identity
