#pragma once
/// What of a client's capabilities makes servers show it other lists: real servers offer more tools
/// to more capable clients. A handful of bits, so that clients which are alike share lists, and
/// their number is bounded.
#include <cstdint>
#include <string>
#include <string_view>

namespace gate::mcp {

/// Bits: sampling, elicitation by form, elicitation by URL, roots, MCP Apps, sampling as a task,
/// elicitation as a task, sampling with tools (which is nothing without the first).
using capability_profile = std::uint8_t;
inline constexpr std::size_t capability_profiles = 256;

/// Those that are about tasks.
inline constexpr capability_profile task_capabilities = 32 | 64;

/// The profile of the capabilities (raw object) that a client declared in `initialize`.
capability_profile read_profile(std::string_view raw_capabilities);

/// Capabilities of exactly this profile, raw: what a root session declares. `tells_roots`: whether
/// the server is told of roots that have changed.
std::string profile_capabilities(capability_profile p, bool tells_roots = true);

}  // namespace gate::mcp
