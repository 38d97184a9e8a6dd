#pragma once
/// What is said about who somebody is: keys of issuers, the token endpoint, credentials for
/// upstreams. Who says and takes it is in actors/interfaces.hpp.
#include <caf/allowed_unsafe_message_type.hpp>
#include <chrono>
#include <cstdint>
#include <string>

#include "protocol/audit/event.hpp"
#include "protocol/oauth/key_set.hpp"
#include "protocol/refusals.hpp"

namespace gate {

// --- keys of issuers -----------------------------------------------------------------------------

/// What KEY SET knows, after every fetch, and when it is asked in vain.
struct keys_told {
  std::size_t source = 0;
  bool settled = false;     ///< no fetch is under way: waiting for more is in vain
  bool news = false;        ///< `keys` is what holds now; else nothing is known
  oauth::key_set_ptr keys;  ///< null: what was known is too old to be trusted
  /// Asking before this is in vain.
  std::chrono::steady_clock::time_point again_at;
};
/// A token names a key that is not known here.
struct want_keys {};

// --- the token endpoint --------------------------------------------------------------------------

/// A request to the token endpoint.
struct redeem {
  std::uint64_t call = 0;
  std::string body, content_type, authorization;
  std::string peer{};  ///< the client's address, as `exchange::peer` says it
};
/// Its answer.
struct redeemed {
  std::uint64_t call = 0;
  int status = 500;
  std::string headers;  ///< further header lines, each ending in CRLF
  std::string body;
  audit::outcome outcome = audit::outcome::error;
  std::string error;  ///< for the audit trail; empty: none
  gate::rejection rejection = gate::rejection::none;
  std::string subject, issuer;  ///< whose assertion it was, once that is proven
};

/// Remember `key` for `ttl` unless it is known already.
struct use_once {
  std::string key;
  std::chrono::milliseconds ttl{0};
  /// So many keys are remembered for the first time within a minute, at all instances of a fleet
  /// together; 0: any number. (Whoever asks counts those of one instance.)
  std::int64_t per_minute = 0;
};
struct used_once {
  enum class answer : std::uint8_t {
    first,  ///< it was not known
    known,
    full,  ///< there is no room to remember it: nothing is known of it
    busy,  ///< so many came within a minute that it was not looked for
  } what = answer::full;
  std::chrono::seconds retry_after{0};  ///< with `busy`: at least 1
};

// --- credentials for upstreams -------------------------------------------------------------------

/// What to attach to requests.
struct credential_told {
  bool ok = false;
  std::string line;  ///< header line with its CRLF
  /// Ask anew from then on.
  std::chrono::steady_clock::time_point until;
};
/// The upstream did not take it.
struct credential_refused {
  std::uint64_t principal = 0;
  std::string line;
};

}  // namespace gate

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::keys_told)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::want_keys)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::redeemed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::use_once)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::used_once)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::credential_told)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::credential_refused)
