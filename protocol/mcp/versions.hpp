#pragma once
/// Protocol revisions, of both generations: with sessions (the `initialize` handshake), and without
/// (every request carries what a session would know).
#include <array>
#include <cstdint>
#include <string_view>

namespace gate::mcp {

/// Oldest first.
inline constexpr std::array<std::string_view, 4> session_versions{"2024-11-05", "2025-03-26",
                                                                  "2025-06-18", "2025-11-25"};
inline constexpr std::string_view latest_session_version = session_versions.back();
/// The generation of MCP that a client or a server speaks.
enum class era : std::uint8_t { session, stateless };
constexpr era other(era e) {
  return e == era::session ? era::stateless : era::session;
}
/// Revisions from this one on have no sessions: every request carries its version and the client's
/// capabilities itself.
inline constexpr std::string_view first_stateless_version = "2026-07-28";
/// Those of them that are spoken here, oldest first.
inline constexpr std::array<std::string_view, 1> stateless_versions{first_stateless_version};
/// The only revision with JSON-RPC batches.
inline constexpr std::string_view batch_version = "2025-03-26";

/// Since this revision, streams begin with an event without content; older clients take an empty
/// one for a broken one.
constexpr bool knows_priming(std::string_view session_version) {
  return session_version >= "2025-11-25";
}

constexpr bool is_session_version(std::string_view v) {
  for (auto known : session_versions)
    if (known == v) return true;
  return false;
}

/// Is it a revision, known or not, of the generation without sessions? (Revisions are dates.)
constexpr bool is_stateless_version(std::string_view v) {
  return v.size() == first_stateless_version.size() && v >= first_stateless_version;
}

/// Is it one that is spoken here?
constexpr bool speaks_stateless(std::string_view v) {
  for (auto known : stateless_versions)
    if (known == v) return true;
  return false;
}

/// The answer to a client that asked for `requested`: the same if we know it, else our latest.
constexpr std::string_view negotiate(std::string_view requested) {
  for (auto known : session_versions)
    if (known == requested) return known;
  return latest_session_version;
}

}  // namespace gate::mcp
