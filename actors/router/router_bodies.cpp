// ROUTER: bodies that are read once their header has passed stages 1 and 2.
#include "actors/router/router.hpp"

namespace gate {

using namespace pipeline;

void router::await_body(fact<stage::host> c) {
  const auto from = c->from;
  const bool known = c->access() && c->access()->caller;
  bodies_.add(from->number(), put_aside(std::move(c), partner::body), now());
  if (!from->read_body(known))
    give_up_on_body(from->number(), "nobody waits for an answer any more");
}

/// The number of the call; 0 if nobody waits. How long its client took to send it is no concern of
/// ours.
std::uint64_t router::take_from_body(std::uint64_t exchange) {
  const auto wait = bodies_.take(exchange);
  if (!wait) return 0;
  if (auto* c = calls_.find(wait->call)) c->ticket.notes().began += now() - wait->since;
  return wait->call;
}

void router::on_body_read(std::uint64_t exchange) {
  auto c = take_call<stage::host>(take_from_body(exchange));
  if (!c) return;
  renew(**c);
  // Who calls is known behind stage 2, and nowhere else: the token endpoint has no such stage.
  if ((*c)->access()) return mcp_stages::run(std::move(*c), *this);
  if ((*c)->request().flaw != http::defect::none)
    return exit_stage::refuse(flawed(std::move(*c)), *this);
  redeem_assertion(std::move(*c));
}

void router::give_up_on_body(std::uint64_t exchange, std::string why) {
  if (auto c = end_call(take_from_body(exchange)))
    exit_stage::close(*c, {audit::outcome::error, std::move(why), {}});
}

}  // namespace gate
