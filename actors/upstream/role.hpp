#pragma once
/// What a session with an upstream is for; UPSTREAM says so when it makes one. Plain data.
#include <cstdint>
#include <optional>

#include "actors/messages.hpp"

namespace gate::upstream {

/// The calls of one client; or (`client` 0) as a root session the lists of clients of the profile
/// `as`, on behalf of one caller if the upstream tells them apart; or to find out whether one
/// endpoint works: a handshake, a goodbye, nothing else.
struct role {
  std::uint64_t client = 0;
  mcp::capability_profile as = 0;
  std::uint64_t principal = 0;
  std::optional<probe_endpoint> check{};
};

}  // namespace gate::upstream
