#include "actors/webhooks/upkeep_actor.hpp"

#include <algorithm>
#include <utility>

#include "protocol/limits/webhooks.hpp"
#include "transport/log.hpp"

namespace gate::hooks {

upkeep_actor::upkeep_actor(caf::actor_config& cfg, caf::execution_unit* unit, upkeep_parts parts)
    : pinned(cfg, unit),
      parts_(std::move(parts)),
      queue_(*parts_.metrics, metric::hooks_queue),
      oldest_(parts_.metrics->get(metric::hooks_oldest_pending)),
      webhooks_(parts_.metrics->get(metric::hooks_webhooks)) {}

upkeep_actor::behavior_type upkeep_actor::make_behavior() {
  clean_at_ = clock().now() + limits::webhook_cleaning;
  send(this, upkeep_tick{});
  return {
      [this](use_ledger& m) {
        parts_.ledger = std::move(m.now);
        question_ = 0;
      },
      [this](const ledger_told& m) { told(m); },
      [this](upkeep_tick) {
        delayed_send(this, limits::webhook_counting, upkeep_tick{});
        if (question_ == 0) go_on();
      },
  };
}

void upkeep_actor::on_exit() {
  parts_.ledger = nullptr;
}

wall_time upkeep_actor::wall() const {
  return std::chrono::floor<std::chrono::milliseconds>(parts_.wall());
}

void upkeep_actor::ask(ledger::request what) {
  question_ = ++last_question_;
  send(parts_.ledger, ask_ledger{question_, std::move(what), caf::actor_cast<ledger_asker>(this)});
}

void upkeep_actor::go_on() {
  if (clock().now() < clean_at_) return ask(ledger::count_all{});
  const auto now = wall();
  ask(ledger::clean{now - parts_.succeeded_kept, now - parts_.dead_kept});
}

void upkeep_actor::told(const ledger_told& m) {
  if (m.number != question_) return;
  question_ = 0;
  if (const auto* c = std::get_if<ledger::counts>(&m.what)) return count(*c);
  if (const auto* done = std::get_if<ledger::cleaned>(&m.what)) {
    removed_ += done->deliveries;
    if (done->more) return go_on();
    if (const auto n = std::exchange(removed_, 0); n > 0)
      log::info("Deliveries that were kept long enough are removed.",
                {{"deliveries", std::to_string(n)}});
  } else if (const auto* no = std::get_if<ledger::refusal>(&m.what)) {
    log::warn("The ledger could not be counted or cleaned up; it is tried again.",
              {{"why", no->what}});
  }
  clean_at_ = clock().now() + limits::webhook_cleaning;
}

void upkeep_actor::count(const ledger::counts& c) {
  for (std::size_t i = 0; i < c.deliveries.size(); ++i)
    queue_[static_cast<webhook::state>(i)].set(static_cast<double>(c.deliveries[i]));
  webhooks_.set(static_cast<double>(c.webhooks));
  const auto late = c.oldest_due ? wall() - *c.oldest_due : std::chrono::milliseconds{0};
  oldest_.set(std::max(std::chrono::duration<double>(late).count(), 0.0));
}

}  // namespace gate::hooks
