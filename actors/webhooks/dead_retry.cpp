#include "actors/webhooks/dead_retry.hpp"

#include <utility>

#include "protocol/limits/hooks_api.hpp"
#include "protocol/webhook/ids.hpp"
#include "protocol/webhook/views.hpp"

namespace gate::hooks {
namespace {

using webhook::error_code;

dead_retry::step refuse_retry(api_answer why) {
  dead_retry::step out;
  out.over = std::move(why);
  return out;
}

}  // namespace

dead_retry::dead_retry(std::string organization, std::string id)
    : organization_(std::move(organization)),
      id_(std::move(id)),
      of_one_(webhook::is_id(webhook::id_kind::delivery, id_)) {}

dead_retry::step dead_retry::on_answer(const ledger::answer& said, wall_time now) {
  if (const auto* no = std::get_if<ledger::refusal>(&said)) return refuse_retry(refused(*no));
  if (state_ == state::looking) {
    if (const auto* d = std::get_if<ledger::whole_delivery>(&said)) return found(*d);
    if (const auto* w = std::get_if<webhook::webhook>(&said)) return found(*w, now);
  }
  if (state_ == state::requeuing)
    if (const auto* r = std::get_if<ledger::requeued>(&said)) return more(*r, now);
  return refuse_retry(
      refused(plain(error_code::internal, "the store said what nobody has asked for")));
}

dead_retry::step dead_retry::found(const ledger::whole_delivery& d) {
  if (d.delivery.status != webhook::state::dead)
    return refuse_retry(
        refused(plain(error_code::conflict, "this delivery is not in the dead-letter queue",
                      "POST /deliveries/{id}/retry makes others due")));
  step out;
  out.ask = ledger::read_webhook{organization_, d.delivery.webhook};
  return out;
}

dead_retry::step dead_retry::found(const webhook::webhook& w, wall_time now) {
  if (w.why_not != webhook::disabled::no)
    return refuse_retry(
        refused(plain(error_code::conflict, "the webhook is disabled", "enable it first")));
  webhook_ = w.id;
  state_ = state::requeuing;
  auto out = requeue(now);
  out.follow = true;
  return out;
}

dead_retry::step dead_retry::requeue(wall_time now) const {
  step out;
  if (of_one_)
    out.ask = ledger::retry_delivery{organization_, id_, now};
  else
    out.ask = ledger::retry_dead{organization_, webhook_, now};
  return out;
}

/// False: it was requeued before, and has failed again.
bool dead_retry::add(const std::string& id) {
  if (known_.contains(id)) return false;
  ++requeued_;
  if (known_.size() == limits::hooks_retry_followed) return true;
  const auto early = early_.find(id);
  known_[id] = early != early_.end();
  if (early != early_.end())
    count(early->second);
  else
    ++open_;
  return true;
}

dead_retry::step dead_retry::more(const ledger::requeued& r, wall_time now) {
  bool all_new = true;
  for (const auto& id : r.deliveries) all_new &= add(id);
  early_.clear();
  step out;
  if (r.more && all_new) {
    out = requeue(now);
  } else {
    state_ = state::awaiting;
    out = over_if_all_ended();
  }
  if (!r.deliveries.empty()) out.due = due_told{webhook_, organization_, now};
  return out;
}

dead_retry::step dead_retry::on_attempt(const attempt_told& m) {
  const auto at = known_.find(m.delivery);
  if (at == known_.end()) {
    if (state_ == state::requeuing && early_.size() < limits::hooks_retry_early)
      early_[m.delivery] = m.status;
    return {};
  }
  if (at->second) return {};  // it was requeued by somebody else since
  at->second = true;
  --open_;
  count(m.status);
  return state_ == state::awaiting ? over_if_all_ended() : step{};
}

void dead_retry::count(webhook::state how) {
  ++(how == webhook::state::succeeded ? succeeded_ : failed_);
}

/// More than `limits::hooks_retry_followed` do not all end while somebody waits.
dead_retry::step dead_retry::over_if_all_ended() const {
  step out;
  if (open_ == 0) out.over = give_up();
  return out;
}

api_answer dead_retry::give_up() const {
  return {200, webhook::view(webhook::retried{requeued_, succeeded_, failed_})};
}

}  // namespace gate::hooks
