#include "actors/router/body_queue.hpp"

#include "actors/pipeline/stage9_audit.hpp"

namespace gate::routing {

using namespace pipeline;

void body_queue::wait(fact<stage::host> c) {
  const auto from = c->from;
  const bool known = c->access() && c->access()->caller;
  c->body_asked = unit_.now();
  unit_.calls.put_aside(std::move(c), {partner::body, from->number()});
  if (!from->read_body(known)) give_up(from->number(), "nobody waits for an answer any more");
}

/// The number of the call; 0 if nobody waits. How long its client took to send it is no concern of
/// ours.
std::uint64_t body_queue::number_of(std::uint64_t exchange) {
  const auto waiting = unit_.calls.waiting_for(partner::body, exchange);
  if (waiting.empty()) return 0;
  auto& c = *unit_.calls.find(waiting.front());
  c.ticket.notes().began += unit_.now() - c.body_asked;
  return c.number;
}

std::optional<fact<stage::host>> body_queue::take(std::uint64_t exchange) {
  return unit_.calls.take<stage::host>(number_of(exchange));
}

void body_queue::give_up(std::uint64_t exchange, std::string why) {
  if (auto c = unit_.calls.end(number_of(exchange)))
    exit_stage::close(*c, {audit::outcome::error, std::move(why), {}});
}

std::vector<call_ptr> body_queue::end_all() {
  std::vector<call_ptr> out;
  for (const auto number : unit_.calls.waiting_for(partner::body))
    if (auto c = unit_.calls.end(number_of(unit_.calls.find(number)->from->number())))
      out.push_back(std::move(c));
  return out;
}

}  // namespace gate::routing
