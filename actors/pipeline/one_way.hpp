#pragma once
/// Part of stage 7: what clients send that is one-way. A stream is opened, a session ended, a
/// notification passed on, a request of an upstream answered, a batch taken apart. Nothing of it is
/// owed a JSON-RPC answer; stage 9 acknowledges it.
#include <optional>

#include "actors/pipeline/desk.hpp"

namespace gate::pipeline {

/// GET: the client's own stream, or one that it comes back for (MCP 2025-11-25 /basic/transports).
std::optional<refused> open_stream(fact<stage::guard>& c, desk& d);
/// Why that is refused.
enum class stream_end : std::uint8_t {
  unknown,  ///< no call has such a stream, or not any more
  over,     ///< it has ended, and its client has all of it
  unsaid,   ///< another instance may have it, and has not said so
};
/// It has waited for other instances of the fleet, and none has that stream.
void end_seeking(call_ptr c, stream_end why, desk& d);
/// One has: what it says goes there.
exchange_ptr begin_following(call_ptr c);
/// `subscriptions/listen` (MCP 2026-07-28 /basic/patterns/subscriptions): the answer is a stream,
/// and a session of its own stands for it at the upstreams. Refused: there are too many.
std::optional<refused> begin_listening(fact<stage::guard>& c, const federation_abilities& can,
                                       desk& d);
/// A client without a session cancels by leaving: if it has left while its request waited for
/// something, the request ends here.
bool cancelled_by_client(call& c, desk& d);
/// DELETE.
void end_session(fact<stage::guard> c, desk& d);
/// A notification of the client.
void pass_notification(fact<stage::guard> c, desk& d);
/// What the client answers to a request of an upstream. It is audited by what was asked.
void pass_reply(fact<stage::guard> c, desk& d);
/// What became of something that the client said and that is about nothing here.
enum class handing : std::uint8_t {
  nobody,  ///< no other instance holds its session
  taken,   ///< others have been told
  gone,    ///< those that do are not there: nobody listens
  lost,    ///< the store did not take it
};
/// The end of the call that said it, which has waited for that. An answer that nobody gets is
/// refused; a cancellation or progress only if the store did not take it, since nothing goes on
/// where nobody is. (Of an element of a batch nobody could tell what an error is about.)
void end_handed(call_ptr c, handing how, desk& d);
/// The same of DELETE: does the fleet know it?
void end_farewell(call_ptr c, bool known, desk& d);
/// Each element goes through all stages by itself.
void take_apart(call& c, desk& d);

}  // namespace gate::pipeline
