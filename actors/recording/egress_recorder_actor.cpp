#include "actors/recording/egress_recorder_actor.hpp"

#include "transport/at_once.hpp"

namespace gate::recording {

egress_recorder_actor::egress_recorder_actor(caf::actor_config& cfg, caf::execution_unit* unit,
                                             egress_handle of, journal_ptr where)
    : pinned(cfg, unit), of_(std::move(of)), where_(std::move(where)) {
  set_down_handler([this](const caf::down_msg& m) { forget(m.source.id()); });
}

egress_recorder_actor::behavior_type egress_recorder_actor::make_behavior() {
  return {
      [this](const start_fetch& m) { start(m); },
      [this](const abandon_fetch& m) {
        const auto all = askers_.find(m.asker.id());
        if (all == askers_.end()) return;
        if (const auto node = all->second.extract(m.id); !node.empty()) abandon(node.mapped());
      },
      [this](fetched& m) { hand_over(told(m), std::move(m)); },
      [this](streamed& m) { hand_over(told(m), std::move(m)); },
  };
}

void egress_recorder_actor::enqueue(caf::mailbox_element_ptr x, caf::execution_unit* host) {
  if (taken_at_once<start_fetch>(*this, *x, [this](const start_fetch& m) { start(m); })) return;
  const auto pass = [&](auto& m) {
    const auto to = told(m);
    pass_on<std::remove_reference_t<decltype(m)>>(to, std::move(x));
  };
  if (taken_at_once<fetched>(*this, *x, pass) || taken_at_once<streamed>(*this, *x, pass)) return;
  pinned::enqueue(std::move(x), host);
}

void egress_recorder_actor::on_exit() {
  of_ = nullptr;
  open_.clear();
  askers_.clear();
}

void egress_recorder_actor::start(const start_fetch& m) {
  const auto number = ++last_;
  const auto [at, met] = askers_.try_emplace(m.asker.id());
  if (met) monitor(m.asker);
  at->second.insert_or_assign(m.what->id, number);
  const bool form = where_->start(*m.what, number);
  open_.emplace(number, asked_for{m.what->id, m.asker, form, m.what->method == verb::get});
  auto copy = std::allocate_shared<fetch>(recycling<fetch>(), *m.what);
  copy->id = number;
  hand_over(of_, start_fetch{std::move(copy),
                             caf::actor_cast<fetch_client>(caf::strong_actor_ptr{ctrl()})});
}

fetch_client egress_recorder_actor::told(fetched& m) {
  const auto node = open_.extract(m.id);
  if (node.empty()) return {};  // it was on its way when it was abandoned
  auto& a = node.mapped();
  where_->fetched(m, a.form, a.got);
  if (const auto all = askers_.find(a.asker.id()); all != askers_.end()) all->second.erase(a.id);
  m.id = a.id;
  return std::move(a.asker);
}

fetch_client egress_recorder_actor::told(streamed& m) {
  const auto at = open_.find(m.id);
  if (at == open_.end()) return {};
  where_->streamed(m);
  m.id = at->second.id;
  return at->second.asker;
}

void egress_recorder_actor::abandon(std::uint64_t number) {
  open_.erase(number);
  where_->happened(kind::abandoned, number);
  send(of_, abandon_fetch{number, caf::actor_cast<fetch_client>(caf::strong_actor_ptr{ctrl()})});
}

void egress_recorder_actor::forget(caf::actor_id who) {
  const auto node = askers_.extract(who);
  if (node.empty()) return;
  for (const auto& [id, number] : node.mapped()) abandon(number);
}

}  // namespace gate::recording
