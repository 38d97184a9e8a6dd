#pragma once
/// The token that a request presents, here or elsewhere: `Authorization: Bearer <token>` (RFC 6750
/// §2.1).
#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "protocol/http/request_gate.hpp"

namespace gate::http {

struct bearer {
  std::string_view token;  ///< of the last such header; empty: none of this scheme
  bool twice = false;      ///< there are two: whoever reads the other one sees somebody else
};

/// Can this be sent as such a token? A line break would let it become further headers.
inline bool can_be_bearer(std::string_view secret) noexcept {
  return !secret.empty() &&
         std::ranges::all_of(secret, [](char c) { return c > 0x20 && c < 0x7f; });
}

inline bearer read_bearer(std::span<const header> headers) noexcept {
  constexpr std::string_view scheme = "bearer ";
  bearer out;
  bool seen = false;
  for (const auto& h : headers) {
    if (!same_name(h.name, "authorization")) continue;
    out.twice |= std::exchange(seen, true);
    auto value = h.value;
    if (!same_name(value.substr(0, scheme.size()), scheme)) continue;
    value.remove_prefix(scheme.size());
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    out.token = value;
  }
  return out;
}

}  // namespace gate::http
