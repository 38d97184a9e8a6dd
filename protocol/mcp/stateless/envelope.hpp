#pragma once
/// What a request of the stateless generation says of itself, in `params._meta` (MCP 2026-07-28
/// /basic, `_meta`): there is no session that would know it. Pure; stage 4 of the pipeline asks.
#include <span>
#include <string>
#include <string_view>

#include "protocol/base/result.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/mcp/capability_profile.hpp"
#include "protocol/mcp/progress.hpp"

namespace gate::mcp::stateless {

namespace keys {
inline constexpr std::string_view version = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view capabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view client = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view log_level = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view server = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view subscription = "io.modelcontextprotocol/subscriptionId";
}  // namespace keys

/// What `_meta` (raw object, or empty) holds of an envelope. One walk finds all that is asked of
/// it.
struct envelope_members {
  explicit envelope_members(std::string_view raw_meta);
  /// Does it name a revision? Then its request is of this generation, whatever its headers say, or
  /// means to be.
  bool name_version() const { return !version.empty(); }

  std::string_view version, capabilities, client, log_level;  ///< raw; empty: it is not there
  std::string_view twice;  ///< a key that is there twice; empty: none
  bool alone = true;       ///< `_meta` holds nothing else
};

/// Views into the request.
struct envelope {
  std::string version;            ///< the revision that it names, whether known here or not
  std::string_view capabilities;  ///< raw object
  std::string_view log_level;     ///< raw string, a level; empty: no log is wanted
};

/// What a client declared in `initialize` (raw object) as it is declared in an envelope: everything
/// but `tasks`, which in this generation is another thing (task_shapes.hpp), whatever its name.
std::string lasting_capabilities(std::string_view raw_capabilities);

/// The profile of those that servers with sessions are told, so that they may ask by them: all but
/// tasks.
capability_profile asked_by(std::string_view raw_capabilities);

/// Reads the envelope. Refused, with a sentence that names the key: one that is required and not
/// there, one of the wrong type, one that is there twice, a log level that does not exist.
result<envelope> read_envelope(const envelope_members& of);

/// The `_meta` of a request of ours: the envelope, then the members of `rest` (raw object).
/// `capabilities`: raw object; `raw_level`: the log that is wanted, or empty.
std::string write_meta(std::string_view capabilities, std::string_view raw_level,
                       std::string_view rest = "{}");

/// What of `_meta` (raw object) goes on to another server: all but the envelope, byte for byte, but
/// with `ours` in the place of `token`, the value of one of its members; empty: of none. (A server
/// that has a session could take the envelope for a request of the other generation.)
std::string without_envelope(std::string_view raw_meta, std::string_view token,
                             std::string_view ours);

/// A request in pieces: `head`, the params `first` + `second`, `}`. Their `_meta` is `by` (raw
/// object). `meta`: the one that they have, a part of `first` or `second`; empty: they have none.
request_pieces with_meta(std::string head, std::string_view first, std::string_view second,
                         std::string_view meta, std::string_view by);

/// `f(raw key, raw value)` for each member of an object (raw); none if it is no object.
template <class F>
void each_member(std::string_view object, F&& f) {
  json::cursor c(object, {json::deepest, false});
  if (c.peek() != '{') return;
  json::members(c, [&](std::string_view key, json::cursor& at) {
    at.peek();
    const auto value = at.value(1);
    f(key, value);
  });
}
/// An object (raw) without the members of these names.
std::string leave_out(std::string_view object, std::span<const std::string_view> names);
/// An object (raw) with these members in front of its own.
std::string put_first(std::string_view object, std::string_view members);

}  // namespace gate::mcp::stateless
