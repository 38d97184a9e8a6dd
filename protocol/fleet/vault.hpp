#pragma once
/// VAULT: seals what the instances of a fleet keep in their store, and what they say to each other
/// through it: encrypted and authenticated by AES-256-GCM. All instances have the same key; each
/// text has one of its own, derived from that and from what the text is about, so that a text which
/// is put elsewhere opens no more, and nonces need be unique among texts about the same only. Pure.
///
///   key of the fleet   HKDF-SHA-256 of a secret
///   key of a text      HMAC-SHA-256, by the key of the fleet, of what it is about
///   sealed             nonce (12 bytes), what was encrypted, tag (16 bytes)
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gate::fleet {

class vault {
 public:
  /// Never the same twice for texts about the same: random.
  using nonce = std::array<std::uint8_t, 12>;
  static constexpr std::size_t overhead = 12 + 16;

  explicit vault(std::string_view secret);

  std::string seal(std::string_view text, std::string_view about, const nonce& once) const;
  /// Nothing if it is not what was sealed with this key about this, to the last bit.
  std::optional<std::string> open(std::string_view sealed, std::string_view about) const;
  using key = std::array<std::uint8_t, 32>;
  /// For whoever seals texts about this in a way of its own.
  key key_of(std::string_view about) const;
  bool operator==(const vault&) const = default;

 private:
  key key_{};
};

}  // namespace gate::fleet
