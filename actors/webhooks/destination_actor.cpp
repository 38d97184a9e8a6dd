#include "actors/webhooks/destination_actor.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "protocol/limits/webhooks.hpp"
#include "protocol/trace/ids.hpp"
#include "transport/log.hpp"

namespace gate::hooks {

destination_actor::destination_actor(caf::actor_config& cfg, caf::execution_unit* unit,
                                     destination_parts parts)
    : pinned(cfg, unit),
      parts_(std::move(parts)),
      deliverer_(*this, parts_.webhook, parts_.common->rules) {}

destination_actor::behavior_type destination_actor::make_behavior() {
  monitor(parts_.dispatch);
  set_down_handler([this](const caf::down_msg&) { quit(); });
  deliverer_.due(parts_.due, now());
  settle();
  return {
      [this](const due_told& m) {
        ++told_;
        deliverer_.due(m.at, now());
        settle();
      },
      [this](const places_granted& m) {
        deliverer_.granted(m.n, now());
        settle();
      },
      [this](const be_followed& m) { parts_.followed = m.on; },
      [this](use_ledger& m) {
        parts_.ledger = std::move(m.now);
        asked_.clear();
        deliverer_.ledger_lost(now());
        settle();
      },
      [this](end_destination) { quit(); },
      [this](stop_delivering) {
        stopping_ = true;
        deliverer_.stop(now());
        settle();
      },
      [this](give_up_delivering) {
        stopping_ = true;
        for (const auto& [attempt, since] : std::exchange(since_, {}))
          pinned::send(parts_.common->egress,
                       abandon_fetch{attempt, caf::actor_cast<fetch_client>(this)});
        deadlines_.clear();
        deliverer_.give_up(now());
        // What LEDGER was told before it ends, it does; a dead one answers nobody.
        asked_.clear();
        settle();
      },
      [this](ledger_told& m) {
        told(m);
        settle();
      },
      [this](const fetched& m) {
        end_attempt(m.id, outcome_of(m, now().wall), kept_of(m));
        settle();
      },
      [this](const streamed& m) {
        if (!since_.contains(m.id)) return;
        pinned::send(parts_.common->egress,
                     abandon_fetch{m.id, caf::actor_cast<fetch_client>(this)});
        end_attempt(m.id, endless(), {});
        settle();
      },
      [this](const destination_tick& m) {
        if (armed_ != m.at) return;
        armed_.reset();
        on_time();
        settle();
      },
  };
}

void destination_actor::on_exit() {
  parts_.dispatch = nullptr;
  parts_.ledger = nullptr;
  parts_.common.reset();
}

moment destination_actor::now() const {
  return {std::chrono::floor<std::chrono::milliseconds>(parts_.common->wall()),
          const_cast<destination_actor*>(this)->clock().now()};
}

// --- DISPATCH ------------------------------------------------------------------------------------

void destination_actor::claim(std::size_t wanted) {
  pinned::send(parts_.dispatch, claim_places{parts_.number, wanted});
}

void destination_actor::give_places(std::size_t n) {
  pinned::send(parts_.dispatch, hooks::give_places{parts_.number, n});
}

/// It rests for a while before it says so: most webhooks have something again soon.
void destination_actor::settle() {
  if (!parts_.common) return;  // it has quit
  say_left_alone();
  if (stopping_) {
    if (deliverer_.in_flight() > 0 || !asked_.empty()) return arm();
    pinned::send(parts_.dispatch, destination_over{parts_.number});
    return quit();
  }
  const auto at = now();
  if (!deliverer_.rests() || (deliverer_.due() && *deliverer_.due() <= at.wall)) {
    rests_since_.reset();
  } else if (!rests_since_) {
    rests_since_ = at.steady;
  } else if (at.steady - *rests_since_ >= limits::webhook_rest) {
    pinned::send(parts_.dispatch, destination_rests{parts_.number, told_, deliverer_.due()});
    rests_since_ = at.steady;  // unless it was told of something meanwhile, that is its end
  }
  arm();
}

void destination_actor::say_left_alone() {
  if (deliverer_.left_alone() == left_alone_) return;
  left_alone_ = !left_alone_;
  if (left_alone_)
    log::warn("A receiver fails and is left alone for a while; its deliveries wait.",
              {{"webhook", parts_.webhook}});
  else
    log::info("A receiver takes deliveries again.", {{"webhook", parts_.webhook}});
}

// --- LEDGER --------------------------------------------------------------------------------------

void destination_actor::ask(question about, ledger::request what) {
  const auto number = ++last_question_;
  asked_.emplace(number, about);
  pinned::send(parts_.ledger,
               ask_ledger{number, std::move(what), caf::actor_cast<ledger_asker>(this)});
}

void destination_actor::take(ledger::take_due what) {
  ask({question::about::deliveries}, std::move(what));
}

void destination_actor::note(std::uint64_t attempt, ledger::note_attempt what) {
  ask({question::about::attempt, attempt}, std::move(what));
}

void destination_actor::disable(ledger::disable_webhook what) {
  log::warn(what.why == webhook::disabled::gone
                ? "A webhook is disabled: its receiver wants no more of it (410)."
                : "A webhook is disabled: nothing but failures for days.",
            {{"webhook", parts_.webhook}});
  ask({}, std::move(what));
}

void destination_actor::give_back(ledger::give_back what) {
  ask({}, std::move(what));
}

void destination_actor::told(ledger_told& m) {
  const auto it = asked_.find(m.number);
  if (it == asked_.end()) return;  // the LEDGER before has answered after all
  const auto about = it->second;
  asked_.erase(it);
  switch (about.what) {
    case question::about::deliveries:
      return deliverer_.taken(std::move(m.what), now());
    case question::about::attempt:
      return noted(about.attempt, m.what);
    case question::about::other:
      break;
  }
  // A webhook that could not be disabled is when it fails again, and what could not be given back
  // is due when its lease is over.
  if (const auto* no = std::get_if<ledger::refusal>(&m.what))
    log::warn("The ledger could not take note of something.",
              {{"webhook", parts_.webhook}, {"why", no->what}});
}

void destination_actor::noted(std::uint64_t attempt, const ledger::answer& said) {
  const auto what = deliverer_.noted(attempt, said, now());
  if (what && parts_.followed)
    pinned::send(parts_.dispatch, attempt_noted{parts_.number, what->delivery, what->status});
}

// --- EGRESS --------------------------------------------------------------------------------------

void destination_actor::send(std::uint64_t attempt, const attempt_to_make& what) {
  const auto at = now();
  since_.emplace(attempt, at.steady);
  deadlines_.push_back({at.steady + parts_.common->sending.answer, attempt});
  if (auto wrong = change_url(what.by)) {
    fetched f;
    f.id = attempt;
    f.end = fetch_end::connect_failed;
    f.obstacle = obstacle::forbidden;
    f.why = std::move(wrong->what);
    return pinned::send(this, std::move(f));  // as EGRESS would, later
  }
  pinned::send(parts_.common->egress,
               start_fetch{attempt_fetch(attempt, to_, what.by, what.event, what.delivery.id,
                                         what.number, at.wall),
                           caf::actor_cast<fetch_client>(this)});
}

/// To where its URL leads now, or why that may not be called.
std::optional<problem> destination_actor::change_url(const webhook::webhook& by) {
  if (to_ && url_ == by.url) return {};
  auto to = destination_of(by, parts_.common->sending);
  if (!to) return to.error();
  to_ = std::move(*to);
  url_ = by.url;
  return {};
}

void destination_actor::end_attempt(std::uint64_t attempt, const webhook::outcome& how,
                                    std::string answer) {
  const auto it = since_.find(attempt);
  if (it == since_.end()) return;
  const auto at = now();
  const auto& tally = *parts_.common->tally;
  tally.attempts[how.end].add();
  tally.duration.observe(std::chrono::duration<double>(at.steady - it->second).count());
  since_.erase(it);
  deliverer_.ended(attempt, how, std::move(answer), at);
}

// --- time ----------------------------------------------------------------------------------------

void destination_actor::on_time() {
  const auto at = now();
  while (!deadlines_.empty() && deadlines_.front().at <= at.steady) {
    const auto attempt = deadlines_.front().attempt;
    deadlines_.pop_front();
    if (!since_.contains(attempt)) continue;
    pinned::send(parts_.common->egress,
                 abandon_fetch{attempt, caf::actor_cast<fetch_client>(this)});
    end_attempt(attempt, late(parts_.common->sending.answer), {});
  }
  deliverer_.go_on(at);
}

/// At most one tick is under way that means something: the earliest.
void destination_actor::arm() {
  const auto at = now();
  auto next = deliverer_.next(at);
  const auto sooner = [&next](time_point t) { next = next ? std::min(*next, t) : t; };
  while (!deadlines_.empty() && !since_.contains(deadlines_.front().attempt))
    deadlines_.pop_front();
  if (!deadlines_.empty()) sooner(deadlines_.front().at);
  if (rests_since_) sooner(*rests_since_ + limits::webhook_rest);
  if (!next || (armed_ && *armed_ <= *next)) return;
  armed_ = next;
  delayed_send(this, std::max<std::chrono::nanoseconds>(*next - at.steady, {}),
               destination_tick{*next});
}

std::string destination_actor::new_lease() {
  std::array<std::uint8_t, 16> bytes{};
  parts_.common->random(bytes);
  return trace::hex(bytes);
}

std::uint32_t destination_actor::chance() {
  std::array<std::uint8_t, sizeof(std::uint32_t)> bytes{};
  parts_.common->random(bytes);
  std::uint32_t out = 0;
  std::memcpy(&out, bytes.data(), sizeof out);
  return out;
}

}  // namespace gate::hooks
