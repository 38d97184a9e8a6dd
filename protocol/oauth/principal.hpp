#pragma once
/// Who is calling, as a verified token says. Immutable once made; nothing in it is secret (the
/// token itself is not kept here).
#include <openssl/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gate::oauth {

struct principal {
  std::string issuer;
  std::string subject;  ///< never empty
  std::vector<std::string> groups;
  /// All claims of the token: one JSON object, raw, none of whose members occurs twice.
  std::string claims;
  std::chrono::system_clock::time_point expires;  ///< `exp`, without leeway
  /// Short name of (issuer, subject): the first eight bytes of a SHA-256 over both, never 0.
  std::uint64_t key = 0;
  /// The public key that its token is signed with; null: nobody asked.
  std::shared_ptr<EVP_PKEY> signed_by{};

  /// The same party, whatever else its tokens say.
  bool same_as(const principal& other) const {
    return key == other.key && issuer == other.issuer && subject == other.subject;
  }
};
using principal_ptr = std::shared_ptr<const principal>;

/// `principal::key`. The two parts can not run into each other.
std::uint64_t principal_key(std::string_view issuer, std::string_view subject);

}  // namespace gate::oauth
