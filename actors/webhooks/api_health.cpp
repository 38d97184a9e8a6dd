// API: /health. One look at the store, for all who ask meanwhile and for a second more.
#include <utility>

#include "actors/webhooks/api_actor.hpp"
#include "protocol/limits.hpp"
#include "protocol/webhook/states.hpp"
#include "protocol/webhook/writer.hpp"
#include "transport/log.hpp"

namespace gate::hooks {
namespace {

std::string health_text(const std::optional<ledger::counts>& found, bool loopback) {
  std::string out;
  webhook::object_writer w(out);
  w.text("status", found ? "ok" : "down");
  w.text("version", GATE_VERSION);
  w.text("store", found ? "ok" : "down");
  if (found) {
    w.number("webhooks", found->webhooks);
    webhook::object_writer by_state(w.key("deliveries"));
    for (std::size_t i = 0; i < webhook::state_names.size(); ++i)
      by_state.number(webhook::state_names[i], found->deliveries[i]);
    by_state.end();
    w.moment("oldest_due_at", found->oldest_due);
  }
  if (loopback) w.flag("dev_loopback", true);
  w.end();
  return out;
}

void answer_health(exchange& to, const std::optional<ledger::counts>& found, bool loopback) {
  to.respond({found ? 200 : 503, http::json_type, {}, false}, {health_text(found, loopback)});
}

}  // namespace

void api_actor::serve_health(exchange_ptr from) {
  const auto now = clock().now();
  if (stopping_) return answer_health(*from, {}, parts_.calling.loopback);
  if (look_.waiting.empty() && look_.since && now - *look_.since < limits::health_reuse)
    return answer_health(*from, look_.found, parts_.calling.loopback);
  look_.waiting.push_back(std::move(from));
  if (look_.waiting.size() > 1) return;
  delayed_send(this, limits::hooks_health_wait, look_over{++look_.round});
  if (std::exchange(look_.asking, true)) return;
  ask(ledger::count_all{}, [this](const ledger::answer& said) {
    look_.asking = false;
    end_look(std::get_if<ledger::counts>(&said));
  });
}

/// Null: LEDGER did not answer in time, or is not well.
void api_actor::end_look(const ledger::counts* found) {
  if (stopping_)
    found = nullptr;
  else if (!found && (!look_.since || look_.found))
    log::warn("The store does not answer.");
  else if (found && look_.since && !look_.found)
    log::info("The store answers again.");
  look_.found = found ? std::optional(*found) : std::nullopt;
  look_.since = clock().now();
  for (auto& from : std::exchange(look_.waiting, {}))
    answer_health(*from, look_.found, parts_.calling.loopback);
}

}  // namespace gate::hooks
