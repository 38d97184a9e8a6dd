#pragma once
/// CALLERS: who calls `gate-hooks`, by the token that a request shows, and what that one may do.
/// Made by main of the configuration and the environment, asked for each request. Pure: secrets are
/// handed in. Another organization's webhooks, events and deliveries do not exist for anybody.
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.hpp"
#include "protocol/base/sha256.hpp"
#include "protocol/webhook/errors.hpp"

namespace gate::webhook {

/// As the configuration names it.
struct organization {
  std::string id;         ///< `[a-z0-9-]`, 1 to `limits::hooks_organization_bytes`
  std::string token_ref;  ///< the environment variable with its token
  bool admin = false;     ///< may change webhooks and deliveries
};

/// `{"organizations":[{"id","tokenRef","admin"?}]}`, 1 to `limits::hooks_organizations` of them,
/// with ids and tokens of their own. Strict: what is not known, is there twice or is of another
/// type is refused, by a JSON pointer to it.
checked<std::vector<organization>> read_organizations(std::string_view document);

struct caller {
  std::string organization;
  bool admin = false;
  std::size_t number = 0;  ///< of the organization, counted from 0
};

/// Not for several threads at once.
class callers {
 public:
  /// The secret of a name; nothing if there is none.
  using secrets = std::function<std::optional<std::string>(std::string_view)>;
  /// The organization of those who need not say who they are, and of the only token.
  static constexpr std::string_view only = "default";

  /// No token is asked for: everybody is `default`, and may do everything.
  callers();
  /// Refused, with a sentence that names the variable and never the token: a token that is not set,
  /// shorter or longer than `limits::hooks_token_least` and `_most`, no possible Bearer token, or
  /// the token of another organization as well. Blanks around tokens are not part of them.
  static result<callers> of(std::span<const organization> all, const secrets& from);

  bool asks_for_token() const noexcept { return !digests_.empty(); }
  std::size_t size() const noexcept { return all_.size(); }
  /// Null: nobody's token. Takes the same time wherever it differs from those that are good. If
  /// none is asked for, whatever is shown is everybody's.
  const caller* find(std::string_view token) const;

 private:
  sha256 digest_;
  std::vector<caller> all_;
  std::vector<sha256_digest> digests_;  ///< of their tokens, which are not kept
};

}  // namespace gate::webhook
