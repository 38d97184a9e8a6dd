#pragma once
/// Whose signatures count: the issuers of the configuration, where their keys are, and who the
/// gateway is itself as an authorization server. Made at boot (the section `auth` can not change
/// while the process runs), shared by all units, immutable.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/document.hpp"
#include "protocol/http/url.hpp"
#include "protocol/oauth/signer.hpp"

namespace gate::identity {

/// Where keys are fetched from: a KEY SET actor each.
struct key_source {
  std::string issuer;
  http::url url;
};

/// An issuer whose tokens are presented directly.
struct trusted_issuer {
  std::string issuer;
  std::string groups_claim;
  /// Index into `sources`; nothing: the gateway's own, whose keys are at hand.
  std::optional<std::size_t> source;
};

/// Texts of the well-known endpoints.
struct publications {
  std::vector<std::string> resource_metadata_paths;
  std::string resource_metadata;
  std::string server_metadata;  ///< empty: no token endpoint
  std::string key_set;
  std::string metadata_url;  ///< for challenges
};

struct authority {
  bool required = false;
  std::string resource;
  std::vector<key_source> sources;
  std::vector<trusted_issuer> issuers;
  publications published;
  // The token endpoint.
  std::optional<config::ema> ema;
  std::size_t idp_source = 0;
  std::string idp_groups_claim;
  std::string own_issuer;
  std::shared_ptr<const oauth::signer> signer;  ///< with `ema`
};
using authority_ptr = std::shared_ptr<const authority>;

/// `signing_key` is the PEM text that `auth.ema.signingKeyRef` names; ignored without `ema`. The
/// error is for the operator and quotes no secret.
result<authority_ptr> make_authority(const config::document& doc,
                                     const std::optional<std::string>& signing_key);

}  // namespace gate::identity
