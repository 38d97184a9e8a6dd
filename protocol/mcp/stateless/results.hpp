#pragma once
/// What the gateway adds to what it passes on to clients of the stateless generation (MCP
/// 2026-07-28 /basic, Results; /server/utilities/caching; /basic/patterns/subscriptions). Payloads
/// of others stay byte for byte: members are put in front of theirs. Pure; stages 7 and 8 of the
/// pipeline.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/jsonrpc/watched_keys.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate::mcp::stateless {

/// How long a result holds, and for whom.
struct cache_hint {
  std::chrono::milliseconds ttl{0};
  bool shared = false;  ///< with everybody: nothing of it depends on who asks
};

/// A result in two pieces: `lead`, then `rest`, which is a view into what was given.
struct completed {
  std::string lead;
  std::string_view rest;
};

/// Completes the result (raw object, or its beginning: then `beside` holds the members behind it,
/// as
/// `,"a":1}`) with what this generation asks of every result; and with `hint`, if it may be cached.
/// What the result has by itself is left alone. Nothing: by its `resultType` it is no complete
/// result, or it is no object; nobody may take it for one. `noted`: of the raw result, if whoever
/// read it has noted its members; with `beside`, whether it has `_meta`.
std::optional<completed> complete(std::string_view raw_result, std::string_view beside,
                                  const cache_hint* hint,
                                  const jsonrpc::result_members& noted = {});

/// Is a result of this `resultType` (raw; empty: it has none) complete, so that clients which know
/// no other kind can have it?
bool is_complete(std::string_view raw_type);

/// The code of an error about capabilities that the client's request does not declare.
inline constexpr std::string_view lacks_capability = "-32021";
/// That of a method that the server does not know; HTTP 404 in this generation.
inline constexpr std::string_view method_not_found = "-32601";

/// An error of a server for a client, each of its generation: codes that the client's does not
/// know, or that are between us and the server. Returns the error object as it is to be sent;
/// empty: as it is.
std::string translate_error(std::string_view raw_error, era from, era to);

/// A notification as it goes out on the stream of the request `raw_id`: the same, and the
/// subscription that it belongs to in `params._meta`.
std::string of_subscription(std::string_view notification, std::string_view raw_id);
/// The other way round: a notification of a server's stream without the subscription, which is
/// ours.
std::string of_no_subscription(std::string_view notification);

}  // namespace gate::mcp::stateless
