#include "actors/webhooks/trials_actor.hpp"

#include <utility>

#include "protocol/limits/webhooks.hpp"

namespace gate::hooks {
namespace {

/// What a receiver is told of a delivery that there is none of.
constexpr std::string_view no_delivery = "test";

}  // namespace

trials_actor::trials_actor(caf::actor_config& cfg, caf::execution_unit* unit,
                           std::shared_ptr<const delivering_parts> parts)
    : pinned(cfg, unit), parts_(std::move(parts)) {}

trials_actor::behavior_type trials_actor::make_behavior() {
  return {
      [this](const try_webhook& m) { begin(m); },
      [this](const fetched& m) { end(m.id, outcome_of(m, wall())); },
      [this](const streamed& m) { give_up(m.id, endless()); },
      [this](const trial_over& m) { give_up(m.id, late(parts_->sending.answer)); },
  };
}

void trials_actor::on_exit() {
  running_.clear();
  parts_.reset();
}

wall_time trials_actor::wall() const {
  return std::chrono::floor<std::chrono::milliseconds>(parts_->wall());
}

void trials_actor::begin(const try_webhook& m) {
  using webhook::ending;
  const auto no = [&](ending end, std::string_view why) {
    send(m.asker, tried{m.number, webhook::of_failure(end, why)});
  };
  if (running_.size() >= limits::webhook_trials)
    return no(ending::refused, "too many test calls run; try again in a moment");
  auto to = destination_of(m.what, parts_->sending);
  if (!to) return no(ending::forbidden, to.error().what);
  const auto id = ++last_;
  running_[id] = {m.number, m.asker};
  send(parts_->egress,
       start_fetch{attempt_fetch(id, std::move(*to), m.what, m.event, no_delivery, 1, wall()),
                   caf::actor_cast<fetch_client>(this)});
  delayed_send(this, parts_->sending.answer, trial_over{id});
}

void trials_actor::give_up(std::uint64_t id, webhook::outcome how) {
  if (!running_.contains(id)) return;
  send(parts_->egress, abandon_fetch{id, caf::actor_cast<fetch_client>(this)});
  end(id, std::move(how));
}

void trials_actor::end(std::uint64_t id, webhook::outcome how) {
  const auto it = running_.extract(id);
  if (!it) return;
  parts_->tally->attempts[how.end].add();
  send(it.mapped().asker, tried{it.mapped().number, std::move(how)});
}

}  // namespace gate::hooks
