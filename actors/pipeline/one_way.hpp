#pragma once
/// Part of stage 7: what clients send that is one-way. A stream is opened, a session ended, a
/// notification passed on, a request of an upstream answered, a batch taken apart. Nothing of it is
/// owed a JSON-RPC answer; stage 9 acknowledges it.
#include <optional>

#include "actors/pipeline/desk.hpp"

namespace gate::pipeline {

/// GET: the client's own stream, or one that it comes back for (MCP 2025-11-25 /basic/transports).
std::optional<refused> open_stream(fact<stage::guard>& c, desk& d);
/// `subscriptions/listen` (MCP 2026-07-28 /basic/patterns/subscriptions): the answer is a stream,
/// and a session of its own stands for it at the upstreams. Refused: there are too many.
std::optional<refused> begin_listening(fact<stage::guard>& c, const federation_abilities& can,
                                       desk& d);
/// A client without a session cancels by leaving: if it has left while its request waited for
/// something, the request ends here.
bool withdrawn(call& c, desk& d);
/// DELETE.
void end_session(call& c, desk& d);
/// A notification of the client.
void pass_notification(call& c, desk& d);
/// What the client answers to a request of an upstream. It is audited by what was asked.
void pass_reply(call& c, desk& d);
/// Each element goes through all stages by itself.
void take_apart(call& c, desk& d);

}  // namespace gate::pipeline
