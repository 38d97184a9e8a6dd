#pragma once
/// What scopes are called in keys of the shared store: the same on all instances, and of a caller
/// no more than the first bytes of a digest. Pure.
#include <cstdint>
#include <span>
#include <string>

#include "actors/messages/guards.hpp"

namespace gate::fleet {

/// `server`, `tenant:ID`, `upstream:ID`, `principal:0123456789abcdef`.
std::string scope_name(const scope_key& key);
/// Two lower-case digits a byte.
std::string hex(std::span<const std::uint8_t> bytes);
/// Sixteen of them.
std::string hex(std::uint64_t n);

}  // namespace gate::fleet
