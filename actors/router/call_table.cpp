#include "actors/router/call_table.hpp"

namespace gate::routing {

using namespace pipeline;

void call_table::note_parked(call& c) {
  c.stream.last_write = c.ticket.notes().began;
  if (c.session) {
    // Without a session the id is its client's, who is one of many.
    const bool stateless = c.era == mcp::era::stateless;
    c.session->add_call(stateless ? std::string_view{} : c.message.id, c.number);
    if (stateless) stateless_[c.from->number()] = c.number;
    const bool subscribes = c.method && c.method->subscribing == mcp::subscribing::begins;
    if (subscribes && !c.session->subscriptions.contains(c.uri))
      c.session->subscribing.emplace(c.number, c.uri.size());
  }
  if (c.route == route::upstream) ++load_[c.upstream->index];
}

void call_table::note_taken(const call& c) {
  if (c.route == route::upstream) --load_[c.upstream->index];
  if (c.era == mcp::era::stateless) stateless_.erase(c.from->number());
}

call_ptr call_table::end(std::uint64_t number) {
  auto c = parked_.end(number);
  if (c) note_taken(*c);
  return c;
}

}  // namespace gate::routing
