#include "actors/router/call_table.hpp"

namespace gate::routing {

using namespace pipeline;

void call_table::note_parked(call& c) {
  c.stream.last_write = c.ticket.notes().began;
  if (c.session) {
    c.session->add_call(c.message.id, c.number);
    const bool subscribes = c.method && c.method->subscribing == mcp::subscribing::begins;
    if (subscribes && !c.session->subscriptions.contains(c.uri))
      c.session->subscribing.emplace(c.number, c.uri.size());
  }
  if (c.route == route::upstream) ++load_[c.upstream->index];
}

void call_table::note_taken(const call& c) {
  if (c.route == route::upstream) --load_[c.upstream->index];
}

call_ptr call_table::end(std::uint64_t number) {
  auto c = parked_.end(number);
  if (c) note_taken(*c);
  return c;
}

}  // namespace gate::routing
