#pragma once
/// The gateway as an MCP client: what it says in `initialize`, what it makes of the answer, and how
/// it recognises that a server has forgotten the session. Pure. (MCP 2025-11-25 /basic/lifecycle,
/// /basic/transports.)
#include <string>
#include <string_view>

#include "protocol/base/result.hpp"
#include "protocol/mcp/list_kinds.hpp"
#include "protocol/mcp/server_features.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate::upstream {

/// Params of `initialize`, with the capabilities (raw object) of the client that the session stands
/// for. Never carries `_meta`: a real server takes it for stateless traffic.
std::string initialize_params(std::string_view capabilities);

struct handshake {
  std::string version;
  mcp::era era = mcp::era::session;
  mcp::server_features features;  ///< it is not asked for what it did not declare
  std::string instructions;       ///< raw JSON string; empty if there is none, or too much of it
  bool offers(mcp::list_kind k) const { return features.has(mcp::row(k).needs); }
};

/// Refused: no or unknown protocolVersion, capabilities that are no object.
result<handshake> read_initialize_result(std::string_view raw_result);

/// The answer to `server/discover` (MCP 2026-07-28 /server/discover), as far as it goes to agree on
/// one of the revisions that we speak without sessions. Refused: it is none, or names none of
/// these.
result<handshake> read_discover_result(std::string_view raw_result);

/// Does an error (raw object; or empty) of this status prove that a server does not speak that
/// generation (any more)? What says nothing about it does not: refusals of credentials, failures of
/// the server, errors that only that generation knows.
bool is_other_era(int status, std::string_view raw_error);

/// A request of this generation was answered so: does another server, of the other one, answer in
/// the place of that which was agreed with? `body` is whatever it said.
bool speaks_another(mcp::era agreed, int status, std::string_view body);

/// 404, or 400 whose text speaks of the session (server-everything answers so).
bool is_lost_session(int status, std::string_view body);

/// Visible ASCII, at most `limits::session_id_bytes`: anything else must not get into our header
/// lines.
bool is_session_id(std::string_view id);

}  // namespace gate::upstream
