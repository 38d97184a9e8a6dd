#include "actors/webhooks/dispatch_actor.hpp"

#include <algorithm>
#include <utility>

#include "protocol/limits.hpp"
#include "protocol/limits/ledger.hpp"
#include "transport/log.hpp"

namespace gate::hooks {

dispatch_actor::dispatch_actor(caf::actor_config& cfg, caf::execution_unit* unit,
                               dispatch_parts parts)
    : pinned(cfg, unit),
      parts_(std::move(parts)),
      places_(limits::webhook_held_in_all),
      all_leases_(parts_.alone) {
  set_down_handler([this](const caf::down_msg& m) { gone(m); });
}

dispatch_actor::behavior_type dispatch_actor::make_behavior() {
  scan();
  return {
      [this](const due_told& m) { told(m); },
      [this](const follow_webhook& m) { follow(m); },
      [this](const unfollow& m) {
        erase_followers([&](const follower& f) { return f.number == m.number && f.who == m.who; });
      },
      [this](const use_ledger& m) {
        parts_.ledger = m.now;
        question_ = 0;
        for (const auto& [number, r] : running_) send(r.who, m);
        scan();
      },
      [this](stop_delivering) { return stop(); },
      [this](ledger_told& m) { on_ledger(m); },
      [this](const claim_places& m) {
        const auto it = running_.find(m.destination);
        if (it == running_.end()) return;
        places_.claim(m.destination, it->second.organization, m.wanted);
        grant();
      },
      [this](const give_places& m) {
        places_.give(m.destination, m.n);
        grant();
      },
      [this](const destination_rests& m) { rests(m); },
      [this](const attempt_noted& m) { noted(m); },
      [this](const destination_over& m) {
        remove(m.destination);
        stop_if_over();
      },
      [this](const dispatch_tick& m) {
        if (m.number != tick_) return;
        armed_.reset();
        go_on();
      },
      [this](scan_time) {
        scan_armed_ = false;
        scan();
      },
      [this](patience_over) {
        for (const auto& [number, r] : running_) send(r.who, give_up_delivering{});
      },
  };
}

void dispatch_actor::on_exit() {
  running_.clear();
  followers_.clear();
  parts_.ledger = nullptr;
  parts_.common.reset();
  if (auto who = std::exchange(stopping_, std::nullopt)) who->deliver(delivering_stopped{});
}

wall_time dispatch_actor::wall() const {
  return std::chrono::floor<std::chrono::milliseconds>(parts_.common->wall());
}

// --- webhooks that have something due ------------------------------------------------------------

void dispatch_actor::told(const due_told& m) {
  if (stopping_) return;
  const auto number = due_.told(m.webhook, m.organization, m.at);
  if (number != 0)
    send(running_.at(number).who, m);
  else
    go_on();
}

void dispatch_actor::go_on() {
  if (stopping_) return;
  const auto now = wall();
  while (due_.running() < limits::webhook_destinations) {
    const auto b = due_.begin(now);
    if (!b) break;
    start(*b);
  }
  const auto next = due_.next();
  if (!next || *next <= now || (armed_ && *armed_ <= *next)) return;
  armed_ = next;
  // (The wall clock may be set: the scan looks again.)
  delayed_send(this, *next - now, dispatch_tick{++tick_});
}

void dispatch_actor::start(const due_table::beginning& b) {
  const auto who = spawn<destination_actor>(
      unit(),
      destination_parts{b.number, b.webhook, b.due, followers_.contains(b.webhook),
                        caf::actor_cast<destination_user>(this), parts_.ledger, parts_.common});
  monitor(who);
  by_actor_[who.id()] = b.number;
  running_[b.number] = {who, b.webhook, b.organization};
}

void dispatch_actor::rests(const destination_rests& m) {
  if (!due_.rests(m.destination, m.told, m.due)) return;
  const auto it = running_.find(m.destination);
  if (it == running_.end()) return;
  send(it->second.who, end_destination{});
  remove(m.destination);
  go_on();
}

void dispatch_actor::remove(std::uint64_t number) {
  places_.forget(number);
  const auto it = running_.find(number);
  if (it == running_.end()) return;
  demonitor(it->second.who.address());
  by_actor_.erase(it->second.who.id());
  running_.erase(it);
  grant();
}

void dispatch_actor::gone(const caf::down_msg& m) {
  if (known_followers_.erase(m.source.id()) > 0)
    erase_followers([&](const follower& f) { return f.who.id() == m.source.id(); });
  const auto it = by_actor_.find(m.source.id());
  if (it == by_actor_.end()) return;
  const auto number = it->second;
  log::error("What delivers for a webhook crashed; its deliveries are attempted again.",
             {{"webhook", running_.at(number).webhook}, {"why", caf::to_string(m.reason)}});
  due_.crashed(number, wall() + limits::restart_first);
  remove(number);
  go_on();
  stop_if_over();
}

void dispatch_actor::grant() {
  while (const auto g = places_.next()) send(running_.at(g->destination).who, places_granted{g->n});
}

// --- followers -----------------------------------------------------------------------------------

void dispatch_actor::follow(const follow_webhook& m) {
  auto& all = followers_[m.webhook];
  if (all.size() >= limits::webhook_followers) return;
  all.push_back({m.number, m.who});
  if (known_followers_.insert(m.who.id()).second) monitor(m.who);
  const auto number = due_.running(m.webhook);
  if (number != 0 && all.size() == 1) send(running_.at(number).who, be_followed{true});
}

template <class Meant>
void dispatch_actor::erase_followers(const Meant& meant) {
  for (auto it = followers_.begin(); it != followers_.end();) {
    std::erase_if(it->second, meant);
    if (!it->second.empty()) {
      ++it;
      continue;
    }
    const auto number = due_.running(it->first);
    if (number != 0) send(running_.at(number).who, be_followed{false});
    it = followers_.erase(it);
  }
}

void dispatch_actor::noted(const attempt_noted& m) {
  const auto it = running_.find(m.destination);
  if (it == running_.end()) return;
  const auto all = followers_.find(it->second.webhook);
  if (all == followers_.end()) return;
  for (const auto& f : all->second) send(f.who, attempt_told{f.number, m.delivery, m.status});
}

// --- the scan ----------------------------------------------------------------------------------

void dispatch_actor::ask(ledger::request what) {
  question_ = ++last_question_;
  send(parts_.ledger, ask_ledger{question_, std::move(what), caf::actor_cast<ledger_asker>(this)});
}

void dispatch_actor::scan() {
  if (question_ != 0 || stopping_) return;
  ask(ledger::release_leases{wall(), all_leases_});
}

void dispatch_actor::on_ledger(ledger_told& m) {
  if (m.number != question_) return;
  question_ = 0;
  if (const auto* r = std::get_if<ledger::released>(&m.what)) {
    if (r->more) return scan();
    all_leases_ = false;
    return ask(ledger::list_due{{}, limits::ledger_page});
  }
  if (const auto* page = std::get_if<ledger::due_page>(&m.what)) return next_page(*page);
  // It is said by whoever could not be served; here it is tried again.
  scan_later();
}

void dispatch_actor::scan_later() {
  if (std::exchange(scan_armed_, true)) return;
  delayed_send(this, limits::webhook_scan, scan_time{});
}

void dispatch_actor::next_page(const ledger::due_page& page) {
  const auto now = wall();
  for (const auto& one : page.webhooks)
    if (due_.running(one.webhook) == 0 || one.due <= now)
      told({one.webhook, one.organization, one.due});
  if (page.next) return ask(ledger::list_due{page.next, limits::ledger_page});
  scan_later();
  go_on();
}

// --- the end -------------------------------------------------------------------------------------

caf::result<delivering_stopped> dispatch_actor::stop() {
  if (stopping_) return caf::make_error(caf::sec::runtime_error, "it stops already");
  stopping_ = make_response_promise<delivering_stopped>();
  const auto promise = *stopping_;
  for (const auto& [number, r] : running_) send(r.who, stop_delivering{});
  delayed_send(this, limits::drain, patience_over{});
  stop_if_over();
  return promise;
}

void dispatch_actor::stop_if_over() {
  if (!stopping_ || !running_.empty()) return;
  if (auto who = std::exchange(stopping_, std::nullopt)) who->deliver(delivering_stopped{});
  quit();
}

}  // namespace gate::hooks
