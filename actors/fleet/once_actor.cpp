#include "actors/fleet/once_actor.hpp"

#include <algorithm>

#include "actors/fleet/scope_names.hpp"
#include "actors/fleet/stage_question.hpp"
#include "transport/log.hpp"

namespace gate::fleet {
namespace {

/// Nobody's words stand in the store in clear.
std::string key_of(const sha256& digest, std::string_view text) {
  return "gate:{once:" + hex(digest(text)) + "}";
}

used_once told(once_ledger::answer what) {
  switch (what) {
    case once_ledger::answer::first:
      return {used_once::answer::first};
    case once_ledger::answer::known:
      return {used_once::answer::known};
    case once_ledger::answer::full:
      break;
  }
  return {used_once::answer::full};
}

used_once busy(const guards::sliding_window& window, std::int64_t per_minute,
               once_ledger::time_point at) {
  return {used_once::answer::busy, window.retry_after(per_minute, at)};
}

}  // namespace

once_actor::once_actor(caf::actor_config& cfg, caf::execution_unit* unit, store_handle store)
    : pinned(cfg, unit), store_(std::move(store)) {}

once_actor::behavior_type once_actor::make_behavior() {
  if (store_) send(store_, watch_store{caf::actor_cast<store_watcher>(this)});
  return {
      [this](const store_told& m) { on_told(m); },
      [this](const store_turned& m) {
        if (!m.here) return;
        alone_ = false;
        if (m.anew) owe_all();
        tell_window();
        pay_debts();
      },
      [this](const use_once& m) { return use(m); },
  };
}

void once_actor::on_exit() {
  for (auto& [id, a] : asked_)
    if (a.who) a.who->deliver(caf::make_error(caf::sec::request_receiver_down));
  asked_.clear();
  store_ = nullptr;
}

caf::result<used_once> once_actor::use(const use_once& m) {
  const auto now = clock().now();
  if (!store_) return told(ledger_.use(m.key, now + m.ttl, now));
  request a{key_of(digest_, m.key), now + m.ttl, {}};
  if (ledger_.knows(a.key, now)) return used_once{used_once::answer::known};
  auto promise = make_response_promise<used_once>();
  a.who = promise;
  a.per_minute = m.per_minute;
  if (a.per_minute > 0)
    ask_for_room(std::move(a));
  else
    ask(std::move(a));
  return promise;
}

void once_actor::ask_for_room(request a) {
  auto what = ask_for_token(next_++, a.per_minute);
  a.of_window = true;
  asked_.emplace(what.id, std::move(a));
  send(store_, ask_store{std::move(what), caf::actor_cast<store_asker>(this)});
}

void once_actor::on_room(request a, const store_told& m) {
  a.of_window = false;
  const auto read = m.outcome == store_outcome::ok && m.reply ? read_stage(m.reply->root(), 1, 0)
                                                              : std::optional<stage_told>{};
  if (read) {
    const auto& told = read->windows;
    tell_window();  // if an earlier attempt was in vain
    lead_ = told.at - clock().now();
    window_ = told.each.front();
    if (told.refused_by) {
      a.who->deliver(busy(window_, a.per_minute, told.at));
      return;
    }
    a.counted_at = told.at;
    return ask(std::move(a));
  }
  const auto there = clock().now() + lead_;
  if (!window_.has_room(a.per_minute, there)) {
    a.who->deliver(busy(window_, a.per_minute, there));
    return;
  }
  window_.take(there);
  ask(std::move(a));
}

void once_actor::give_back(const request& a) {
  if (!a.counted_at) return;
  send(store_,
       ask_store{ask_to_give_back(next_++, *a.counted_at), caf::actor_cast<store_asker>(this)});
}

void once_actor::ask(request a) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(a.until - clock().now());
  const auto ttl = std::max<std::chrono::milliseconds::rep>(left.count(), 1);
  store_request what;
  what.id = next_++;
  what.op = store_op::once;
  what.words = {"SET", a.key, "1", "NX", "PX", std::to_string(ttl)};
  asked_.emplace(what.id, std::move(a));
  send(store_, ask_store{std::move(what), caf::actor_cast<store_asker>(this)});
}

void once_actor::on_told(const store_told& m) {
  if (tokens_.told(m.id, m.outcome == store_outcome::ok)) return;
  auto node = asked_.extract(m.id);
  if (!node) return;
  auto a = std::move(node.mapped());
  if (a.of_window) return on_room(std::move(a), m);
  if (a.who) return answer(std::move(a), m);
  --paying_;
  // What the store could not be told is told when it returns again.
  if (m.outcome != store_outcome::ok) return debts_.push_front(std::move(a));
  pay_debts();
}

void once_actor::answer(request a, const store_told& m) {
  const auto now = clock().now();
  if (m.outcome != store_outcome::ok || !m.reply) {
    a.who->deliver(decide(a));
    return;
  }
  const bool first = m.reply->root().is_text("OK");
  // One and the same may have been asked for twice before the store answered: it has let one pass.
  ledger_.use(a.key, a.until, now);
  if (!first) give_back(a);
  a.who->deliver(used_once{first ? used_once::answer::first : used_once::answer::known});
  pay_debts();
}

used_once once_actor::decide(const request& a) {
  if (!std::exchange(alone_, true))
    log::warn(
        "The shared store does not answer: whether an assertion was used is decided by this "
        "instance alone.");
  const auto answer = ledger_.use(a.key, a.until, clock().now());
  if (answer == once_ledger::answer::first) debts_.push_back({a.key, a.until, {}});
  return told(answer);
}

void once_actor::owe_all() {
  debts_.clear();
  ledger_.for_each([this](const std::string& key, time_point until) {
    debts_.push_back({key, until, {}});
  });
  tokens_.clear();
  if (!window_.idle(clock().now() + lead_)) tokens_.add(window_of_tokens(window_));
}

void once_actor::tell_window() {
  while (!tokens_.empty()) {
    const auto id = next_++;
    const auto& tokens = tokens_.next(id);
    send(store_, ask_store{ask_for_at_least(id, {&tokens, 1}), caf::actor_cast<store_asker>(this)});
  }
}

void once_actor::pay_debts() {
  const auto now = clock().now();
  while (!debts_.empty() && paying_ < limits::store_debts_at_once) {
    auto next = std::move(debts_.front());
    debts_.pop_front();
    if (next.until <= now) continue;  // nobody would take it any more
    ++paying_;
    ask(std::move(next));
  }
}

}  // namespace gate::fleet
