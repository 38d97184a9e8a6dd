#pragma once
/// Part of stage 4: what a request of the stateless generation has to be, in the order in which it
/// is told what it is not (MCP 2026-07-28 /basic/transports/streamable-http and /basic/versioning).
#include <optional>

#include "actors/pipeline/desk.hpp"
#include "protocol/mcp/stateless/known_envelopes.hpp"

namespace gate::pipeline {

/// What the audit trail calls it: the method's row of the client's generation, if it has one.
void note_method(call& c);

/// The body is read, and it or its header names a revision without sessions. Passed: the method has
/// a row, the envelope is good (`read`: what its `_meta` holds), `session` stands for the caller at
/// upstreams that have sessions. Messages that are no requests pass as they are, but for answers:
/// nobody asks.
std::optional<refused> climb_ladder(fact<stage::rate_limit>& c,
                                    mcp::stateless::known_envelopes::reading read, desk& d);

/// `subscriptions/listen`: what is wanted.
std::optional<refused> read_listening(fact<stage::rate_limit>& c);

}  // namespace gate::pipeline
