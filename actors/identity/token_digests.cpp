#include "actors/identity/token_digests.hpp"

#include <cstdint>

namespace gate::identity {

sha256_digest token_digests::of(std::string_view token, const http::head_ptr& head) {
  // By others no request is ever recognised.
  if (head->length.empty()) return sha256_(token);
  // Not by its address alone: that may be another's, once it is gone.
  const auto is_it = [&](const known& k) {
    return !k.head.owner_before(head) && !head.owner_before(k.head);
  };
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U;
  const auto hash = reinterpret_cast<std::uintptr_t>(head.get()) * odd >> 48U;
  if (const auto* k = known_.find(hash, is_it)) return k->digest;
  return known_.keep(hash, {head, sha256_(token)}, is_it).digest;
}

}  // namespace gate::identity
