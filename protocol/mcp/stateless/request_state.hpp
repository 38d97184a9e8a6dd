#pragma once
/// The `requestState` of a call that waits at a server with a session for what its client is asked
/// (MCP 2026-07-28 /basic/patterns/mrtr): opaque to clients, encrypted and authenticated by
/// AES-256-GCM, and bound to what it was handed out for. It names a call, and the instance of a
/// fleet that holds it; that each is good for one attempt is seen to by whoever holds it. Pure.
///
///   in clear   the unit that holds the call, authenticated; the nonce
///   sealed     the rest of `request_state`
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/sha256.hpp"

namespace gate::mcp::stateless {

/// The name of an instance of a fleet.
using instance_name = std::array<std::uint8_t, 16>;

struct request_state {
  std::uint8_t unit = 0;
  instance_name instance{};   ///< which holds the call; zero: of no fleet
  std::uint64_t call = 0;     ///< the name of the call that waits
  std::uint32_t round = 0;    ///< the how many-th state of that call it is
  sha256_digest binding{};    ///< of whose call it is, and what it is about
  std::uint64_t expires = 0;  ///< milliseconds of the process's monotonic clock
  bool operator==(const request_state&) const = default;
};

/// Of one process (what an earlier one has sealed opens no more), or of a fleet.
using state_key = std::array<std::uint8_t, 32>;
/// Never the same twice with one key: random.
using state_nonce = std::array<std::uint8_t, 12>;

/// base64url text of `request_state_text` characters.
std::string seal(const request_state& s, const state_key& key, const state_nonce& nonce);
/// Nothing if the text is not one that was sealed with this key, to the last bit.
std::optional<request_state> open(std::string_view text, const state_key& key);

inline constexpr std::size_t request_state_text = 132;
/// The unit that a text of this form names; says nothing about whether it opens.
std::optional<std::uint8_t> unit_of_state(std::string_view text);
/// The same of a JSON text: of the first member `requestState`, however deep, whose value has the
/// form. For connections, which do not parse what they carry.
std::optional<std::uint8_t> unit_named_in(std::string_view body);

}  // namespace gate::mcp::stateless
