#pragma once
/// What a request of the stateless generation says of itself, in `params._meta` (MCP 2026-07-28
/// /basic, `_meta`): there is no session that would know it. Pure; stage 4 of the pipeline asks.
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "protocol/base/result.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/capability_profile.hpp"

namespace gate::mcp::stateless {

namespace keys {
inline constexpr std::string_view version = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view capabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view client = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view log_level = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view server = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view subscription = "io.modelcontextprotocol/subscriptionId";
}  // namespace keys

/// Views into the request.
struct envelope {
  std::string version;            ///< the revision that it names, whether known here or not
  std::string_view capabilities;  ///< raw object
  std::string_view log_level;     ///< raw string, a level; empty: no log is wanted
};

/// What a client declared in `initialize` (raw object) as it is declared in an envelope: everything
/// but `tasks`, which in this generation is another thing.
std::string lasting_capabilities(std::string_view raw_capabilities);

/// The profile of those that servers with sessions are told, so that they may ask by them: all but
/// tasks.
capability_profile asked_by(std::string_view raw_capabilities);

/// Does `_meta` (raw object, or empty) name a revision? Then its request is of this generation,
/// whatever its headers say, or means to be.
bool names_version(std::string_view raw_meta);

/// Reads the envelope. Refused, with a sentence that names the key: one that is required and not
/// there, one of the wrong type, one that is there twice, a log level that does not exist.
result<envelope> read_envelope(std::string_view raw_meta);

/// The members of an envelope of ours: `"…/protocolVersion":"2026-07-28",…`. `capabilities`: raw
/// object; `raw_level`: the log that is wanted, or empty.
std::string write_envelope(std::string_view capabilities, std::string_view raw_level);
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
/// Params (raw object) with these members in `_meta`, in front of what it has.
std::string put_on_envelope(std::string_view params, std::string_view members);

/// The params without their envelope, for a server that has a session: it could take them for a
/// request of the other generation, and has no use for the rest. Whatever else `_meta` holds stays
/// byte for byte. The views of `m` into its params become views of the text that is returned.
std::shared_ptr<const std::string> take_off_envelope(jsonrpc::message& m);

}  // namespace gate::mcp::stateless
