#include "actors/webhooks/api_actor.hpp"

#include <utility>

#include "protocol/limits.hpp"
#include "protocol/webhook/openapi.hpp"
#include "protocol/webhook/views.hpp"
#include "transport/log.hpp"

namespace gate::hooks {
namespace {

using webhook::error_code;
using webhook::operation;

constexpr std::string_view stopping_now = "gate-hooks is stopping";

}  // namespace

api_actor::api_actor(caf::actor_config& cfg, caf::execution_unit* unit, api_parts parts)
    : pinned(cfg, unit),
      parts_(std::move(parts)),
      rules_(std::move(parts_.front)),
      calls_(parts_.calling, parts_.first_pause, parts_.random),
      description_(webhook::openapi_document(GATE_VERSION)) {
  set_down_handler([this](const caf::down_msg& m) { gone(m); });
}

api_actor::behavior_type api_actor::make_behavior() {
  send(parts_.ingress, serve{caf::actor_cast<arrivals_handle>(this)});
  if (parts_.ledger) monitor(parts_.ledger);
  if (parts_.dispatch) monitor(parts_.dispatch);
  if (parts_.trials) monitor(parts_.trials);
  return {
      [this](arrival& m) { take(std::move(m.from), false); },
      [this](const body_read& m) {
        if (auto it = reading_.extract(m.number)) take(std::move(it.mapped()), true);
      },
      [this](const client_gone& m) { leave(m.number); },
      [this](const ledger_told& m) {
        if (auto it = asked_.extract(m.number)) it.mapped()(m.what);
      },
      [this](const tried& m) {
        if (auto it = trials_.extract(m.number))
          respond(*it.mapped(), {200, webhook::test_view(m.how)});
      },
      [this](const attempt_told& m) {
        for (auto& [number, r] : retries_)
          if (r.followed_as == m.number) return go_on_retry(number, r.core.on_attempt(m));
      },
      [this](use_parts& m) { use(m); },
      [this](end_api) { stop(); },
      [this](const retry_over& m) {
        const auto it = retries_.find(m.number);
        if (it == retries_.end()) return;
        respond(*it->second.from, it->second.core.give_up());
        end_retry(m.number);
      },
      [this](const look_over& m) {
        if (m.round == look_.round && !look_.waiting.empty()) end_look(nullptr);
      },
      [this](drain_over) { send(parts_.ingress, cut{}); },
  };
}

void api_actor::on_exit() {
  reading_.clear();
  asked_.clear();
  trials_.clear();
  retries_.clear();
  look_.waiting.clear();
  parts_.ingress = nullptr;
  parts_.ledger = nullptr;
  parts_.dispatch = nullptr;
  parts_.trials = nullptr;
}

wall_time api_actor::wall() const {
  return std::chrono::floor<std::chrono::milliseconds>(parts_.wall());
}

// --- requests ------------------------------------------------------------------------------------

void api_actor::take(exchange_ptr from, bool again) {
  auto j = rules_.judge(from->request(), again, clock().now());
  switch (j.what) {
    case judged::kind::refused:
      return respond(*from, j.no);
    case judged::kind::body:
      return read_body(std::move(from));
    case judged::kind::call:
      break;
  }
  if (!j.who) return serve_open(std::move(from), *j.row);
  if (!stopping_) return begin(std::move(from), j);
  auto no = away(stopping_now);
  no.close = true;
  respond(*from, no);
}

void api_actor::read_body(exchange_ptr from) {
  const auto number = from->number();
  if (from->read_body(rules_.asks_for_token())) reading_[number] = std::move(from);
}

void api_actor::begin(exchange_ptr from, const judged& j) {
  api_call call{j.row->id, j.who->organization, j.id};
  auto first = calls_.question(call, from->request(), wall());
  if (!first) return respond(*from, refused(first.error()));
  if (call.what == operation::retry_dead_letters)
    return begin_retry(std::move(from), call, std::move(*first));
  ask(std::move(*first), [this, from = std::move(from), call](const ledger::answer& said) {
    go_on(from, call, said);
  });
}

void api_actor::go_on(const exchange_ptr& from, const api_call& call, const ledger::answer& said) {
  for (const auto& m : calls_.due_after(call, said, wall())) tell_due(m);
  if (const auto* a = std::get_if<ledger::accepted>(&said); a && parts_.accepted)
    for (std::size_t i = 0; i < a->events.size() && i < call.events.size(); ++i)
      if (!a->events[i].repeated) parts_.accepted(call.events[i]);
  if (const auto* w = std::get_if<webhook::webhook>(&said);
      w && call.what == operation::test_webhook)
    return try_it(from, *w);
  if (std::holds_alternative<ledger::requeued>(said))
    return ask(ledger::read_delivery{call.organization, call.id},
               [this, from, call](const ledger::answer& found) {
                 respond(*from, answer_of(call, found, wall()));
               });
  respond(*from, answer_of(call, said, wall()));
}

void api_actor::serve_open(exchange_ptr from, const webhook::route& row) {
  switch (row.id) {
    case operation::health:
      return serve_health(std::move(from));
    case operation::metrics:
      return respond(*from, {200, *parts_.metrics->exposed(clock().now()), {}, http::metrics_type});
    case operation::openapi:
      return respond(*from, {200, description_});
    default:
      break;
  }
  if (parts_.page) return respond(*from, parts_.page(from->request()));
  respond(*from, refused(plain(error_code::not_found, "there is no page here")));
}

/// What LEDGER was asked for goes on without it.
void api_actor::leave(std::uint64_t number) {
  reading_.erase(number);
  const auto is_it = [number](const exchange_ptr& e) { return e->number() == number; };
  std::erase_if(look_.waiting, is_it);
  std::erase_if(trials_, [&](const auto& t) { return is_it(t.second); });
  for (const auto& [n, r] : retries_)
    if (is_it(r.from)) return end_retry(n);
}

void api_actor::ask(ledger::request what, then next) {
  using ledger::refusal;
  if (!parts_.ledger) return next(refusal{refusal::reason::unavailable, {}});
  if (asked_.size() >= limits::hooks_calls) return next(refusal{refusal::reason::busy, {}});
  const auto number = next_++;
  asked_.emplace(number, std::move(next));
  send(parts_.ledger, ask_ledger{number, std::move(what), caf::actor_cast<ledger_asker>(this)});
}

void api_actor::tell_due(const due_told& m) {
  if (parts_.dispatch) return send(parts_.dispatch, m);
  const auto known = told_later_.find(m.webhook);
  if (known != told_later_.end())
    known->second.at = std::min(known->second.at, m.at);
  else if (told_later_.size() < limits::hooks_told_later)
    told_later_.emplace(m.webhook, m);
}

void api_actor::try_it(exchange_ptr from, const webhook::webhook& w) {
  if (!parts_.trials) return respond(*from, away("test calls can not be made at the moment"));
  if (trials_.size() >= limits::hooks_calls)
    return respond(*from, busy("too many test calls are being made"));
  const auto number = next_++;
  trials_[number] = std::move(from);
  send(parts_.trials,
       try_webhook{number, w, calls_.trial_of(w, wall()), caf::actor_cast<trial_asker>(this)});
}

// --- others come and go --------------------------------------------------------------------------

void api_actor::use(use_parts& m) {
  if (m.ledger && m.ledger != parts_.ledger) {
    lose_ledger();
    parts_.ledger = std::move(m.ledger);
    monitor(parts_.ledger);
  }
  if (m.trials && m.trials != parts_.trials) {
    for (auto& [number, from] : std::exchange(trials_, {}))
      respond(*from, away("the test call was interrupted"));
    parts_.trials = std::move(m.trials);
    monitor(parts_.trials);
  }
  if (m.dispatch && m.dispatch != parts_.dispatch) {
    parts_.dispatch = std::move(m.dispatch);
    monitor(parts_.dispatch);
    for (const auto& [id, due] : std::exchange(told_later_, {})) tell_due(due);
    for (auto& [number, r] : retries_)
      if (r.followed_as != 0) follow(r);
  }
}

void api_actor::gone(const caf::down_msg& m) {
  if (m.source == parts_.ledger) {
    parts_.ledger = nullptr;
    lose_ledger();
  } else if (m.source == parts_.trials) {
    parts_.trials = nullptr;
    for (auto& [number, from] : std::exchange(trials_, {}))
      respond(*from, away("the test call was interrupted"));
  } else if (m.source == parts_.dispatch) {
    parts_.dispatch = nullptr;
  }
}

/// It is unknown whether what it was asked for has happened.
void api_actor::lose_ledger() {
  using ledger::refusal;
  for (auto& [number, next] : std::exchange(asked_, {}))
    next(refusal{refusal::reason::unavailable, {}});
}

void api_actor::stop() {
  if (std::exchange(stopping_, true)) return;
  request(parts_.ingress, caf::infinite, drain{})
      .then([this](const drained&) { quit(); }, [this](const caf::error&) { quit(); });
  auto no = away(stopping_now);
  no.close = true;
  for (auto& [number, from] : std::exchange(reading_, {})) respond(*from, no);
  if (!look_.waiting.empty()) end_look(nullptr);
  while (!retries_.empty()) {
    auto& [number, r] = *retries_.begin();
    respond(*r.from, r.core.give_up());
    end_retry(number);
  }
  delayed_send(this, limits::drain, drain_over{});
}

}  // namespace gate::hooks
