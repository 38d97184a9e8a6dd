#pragma once
/// Who calls, and what that caller may see: what stage 2 finds out and the later stages go by.
/// Immutable and shared by all calls of the same token.
#include <functional>
#include <memory>
#include <string>

#include "actors/messages/guards.hpp"
#include "config/policy/policy.hpp"
#include "protocol/oauth/principal.hpp"

namespace gate::identity {

/// A verified caller with the token that proved it. The token is a secret: it goes to an upstream
/// whose credential comes from the caller, or to a token endpoint, and nowhere else.
struct caller {
  oauth::principal who;
  std::string token;
};
using caller_ptr = std::shared_ptr<const caller>;

/// What a caller is under one snapshot.
struct access {
  caller_ptr caller;             ///< null: anonymous
  std::string tenant;            ///< id; empty: none
  std::size_t tenant_at = 0;     ///< with a tenant: its place in the snapshot's document
  config::view_ptr view;         ///< never null behind stage 2
  std::uint64_t generation = 0;  ///< of the snapshot
  rate_scopes_ptr counted_in;    ///< what stage 3 counts its requests in

  const oauth::principal* who() const { return caller ? &caller->who : nullptr; }
  /// `principal::key`; 0 for anonymous callers.
  std::uint64_t key() const { return caller ? caller->who.key : 0; }
  /// Whose tasks the caller's are: a principal who changes the tenant leaves them there. The same
  /// number at all instances of a fleet.
  std::uint64_t task_owner() const {
    return tenant.empty() ? key() : key() ^ oauth::principal_key("tenant", tenant);
  }
};
using access_ptr = std::shared_ptr<const access>;

}  // namespace gate::identity
