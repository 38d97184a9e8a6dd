#include "actors/fleet/once.hpp"

#include <algorithm>

#include "actors/fleet/scope_names.hpp"
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

}  // namespace

once::once(caf::actor_config& cfg, caf::execution_unit* unit, store_actor store)
    : pinned(cfg, unit), store_(std::move(store)) {}

once::behavior_type once::make_behavior() {
  if (store_) send(store_, watch_store{caf::actor_cast<store_watcher>(this)});
  return {
      [this](const store_told& m) { on_told(m); },
      [this](const store_turned& m) {
        if (!m.here) return;
        alone_ = false;
        pay_debts();
      },
      [this](const use_once& m) { return use(m); },
  };
}

void once::on_exit() {
  for (auto& [id, a] : asked_)
    if (a.who) a.who->deliver(caf::make_error(caf::sec::request_receiver_down));
  asked_.clear();
  store_ = nullptr;
}

caf::result<used_once> once::use(const use_once& m) {
  const auto now = clock().now();
  if (!store_) return told(ledger_.use(m.key, now + m.ttl, now));
  asked a{key_of(digest_, m.key), now + m.ttl, {}};
  if (ledger_.knows(a.key, now)) return used_once{used_once::answer::known};
  auto promise = make_response_promise<used_once>();
  a.who = promise;
  ask(std::move(a));
  return promise;
}

void once::ask(asked a) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(a.until - clock().now());
  const auto ttl = std::max<std::chrono::milliseconds::rep>(left.count(), 1);
  store_request what;
  what.id = next_++;
  what.op = store_op::once;
  what.words = {"SET", a.key, "1", "NX", "PX", std::to_string(ttl)};
  asked_.emplace(what.id, std::move(a));
  send(store_, ask_store{std::move(what), caf::actor_cast<store_asker>(this)});
}

void once::on_told(const store_told& m) {
  auto node = asked_.extract(m.id);
  if (!node) return;
  auto a = std::move(node.mapped());
  if (a.who) return answer(std::move(a), m);
  --paying_;
  // What the store could not be told is told when it returns again.
  if (m.outcome != store_outcome::ok) return debts_.push_front(std::move(a));
  pay_debts();
}

void once::answer(asked a, const store_told& m) {
  const auto now = clock().now();
  if (m.outcome != store_outcome::ok || !m.reply) {
    a.who->deliver(decide(a));
    return;
  }
  const bool first = m.reply->root().is_text("OK");
  // One and the same may have been asked for twice before the store answered: it has let one pass.
  ledger_.use(a.key, a.until, now);
  a.who->deliver(used_once{first ? used_once::answer::first : used_once::answer::known});
  pay_debts();
}

used_once once::decide(const asked& a) {
  if (!std::exchange(alone_, true))
    log::warn(
        "The shared store does not answer: whether an assertion was used is decided by this "
        "instance alone.");
  const auto answer = ledger_.use(a.key, a.until, clock().now());
  if (answer == once_ledger::answer::first) debts_.push_back({a.key, a.until, {}});
  return told(answer);
}

void once::pay_debts() {
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
