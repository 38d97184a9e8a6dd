// ROUTER: bodies that are read once their header has passed stages 1 and 2.
#include "actors/router/router.hpp"

namespace gate {

using namespace pipeline;

void router::await_body(call_ptr c) {
  const auto from = c->from;
  const bool known = c->access() && c->access()->caller;
  bodies_.add(from->number(), park(std::move(c)), now());
  if (!from->read_body(known))
    give_up_on_body(from->number(), "nobody waits for an answer any more");
}

/// How long its client took to send it is no concern of ours.
call_ptr router::take_from_body(std::uint64_t exchange) {
  const auto wait = bodies_.take(exchange);
  if (!wait) return nullptr;
  auto c = take_call(wait->call);
  if (c) c->ticket.notes().began += now() - wait->since;
  return c;
}

void router::on_body_read(std::uint64_t exchange) {
  auto c = take_from_body(exchange);
  if (!c) return;
  renew(*c);
  // Who calls is known behind stage 2, and nowhere else: the token endpoint has no such stage.
  if (c->access())
    return mcp_stages::resume_after<authenticate_step>(
        authenticate_step::resume_with_body(std::move(c), *this), *this);
  if (c->request().flaw != http::defect::none)
    return exit_stage::refuse(flawed(std::move(c)), *this);
  redeem_assertion(std::move(c));
}

void router::give_up_on_body(std::uint64_t exchange, std::string why) {
  if (auto c = take_from_body(exchange))
    c->ticket.spend({audit::outcome::error, std::move(why), {}});
}

}  // namespace gate
