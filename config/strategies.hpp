#pragma once
/// One row a credential strategy: where what the gateway shows an upstream comes from, whom it
/// speaks for, which members of `auth` belong to it, and what a token endpoint is asked for. A
/// further one that asks a token endpoint is a row here, its request (as those of
/// protocol/oauth/grant.hpp), and what config/describe/upstreams.hpp says of its members.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/oauth/grant.hpp"

namespace gate::config {

enum class auth_strategy { none, fixed, passthrough, client_credentials, token_exchange };

/// Where the credential comes from.
enum class credential_source : std::uint8_t {
  nothing,         ///< there is none
  environment,     ///< a secret of the operator's
  caller,          ///< the caller's own token
  token_endpoint,  ///< CREDENTIALS asks an authorization server for a token
};

struct strategy_row {
  auth_strategy what;
  std::string_view name;  ///< in the document
  credential_source from;
  /// It acts for the caller: each has one of its own, and there is none without a verified subject.
  bool of_caller;
  /// Members of `auth` that must be given, and those that may; all others are refused. By key;
  /// empty: unused.
  std::array<std::string_view, 4> needs{};
  std::array<std::string_view, 2> takes{};
  oauth::grant* request = nullptr;  ///< with `token_endpoint`
};

inline constexpr std::array strategies{
    // clang-format off
    strategy_row{auth_strategy::none,               "none",               credential_source::nothing,        false},
    strategy_row{auth_strategy::fixed,              "static",             credential_source::environment,    false, {"secretRef"}, {"header", "scheme"}},
    strategy_row{auth_strategy::passthrough,        "passthrough",        credential_source::caller,         true},
    strategy_row{auth_strategy::client_credentials, "client-credentials", credential_source::token_endpoint, false, {"tokenEndpoint", "clientId", "clientAuth"}, {"scopes", "resource"}, oauth::client_credentials_request},
    strategy_row{auth_strategy::token_exchange,     "token-exchange",     credential_source::token_endpoint, true,  {"tokenEndpoint", "clientId", "clientAuth", "audience"}, {"scopes"}, oauth::token_exchange_request},
    // clang-format on
};

constexpr const strategy_row& row(auth_strategy s) {
  return strategies[static_cast<std::size_t>(s)];
}
/// Does it need an authorization server?
constexpr bool is_granted(auth_strategy s) {
  return row(s).from == credential_source::token_endpoint;
}

namespace detail {
consteval bool strategies_in_order() {
  for (std::size_t i = 0; i < strategies.size(); ++i)
    if (static_cast<std::size_t>(strategies[i].what) != i) return false;
  return true;
}
}  // namespace detail
static_assert(detail::strategies_in_order());

}  // namespace gate::config
