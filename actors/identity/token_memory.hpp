#pragma once
/// The memory of verified tokens: by the SHA-256 of a token, who its caller is. Bounded: it has two
/// halves, and when the younger is full the older is forgotten, so what is used stays. Pure; part
/// of ROUTER.
#include <cstdint>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include "actors/who/caller.hpp"
#include "protocol/base/sha256.hpp"
#include "protocol/limits.hpp"

namespace gate::identity {

using digest = sha256_digest;

class token_memory {
 public:
  struct entry {
    access_ptr access;
    std::uint64_t generation = 0;  ///< of the snapshot that `access` is of
    std::size_t issuer = 0;
    /// When the token ends, the leeway included.
    std::chrono::system_clock::time_point until;
  };

  explicit token_memory(std::size_t most = limits::verified_tokens,
                        std::size_t most_bytes = limits::verified_token_bytes);

  /// Null if it is not known, or has expired. Holds until the next call.
  entry* find(const digest& d, std::chrono::system_clock::time_point now);
  void remember(const digest& d, entry e);
  /// This issuer's keys have changed.
  void forget_issuer(std::size_t issuer);
  std::size_t size() const { return young_.size() + old_.size(); }

 private:
  struct hash {
    std::size_t operator()(const digest& d) const noexcept {
      std::size_t out = 0;
      std::memcpy(&out, d.data(), sizeof out);
      return out;
    }
  };
  using half = std::unordered_map<digest, entry, hash>;

  std::size_t most_, most_bytes_;
  half young_, old_;
  std::size_t young_bytes_ = 0;  ///< about
};

}  // namespace gate::identity
