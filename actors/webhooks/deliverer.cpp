#include "actors/webhooks/deliverer.hpp"

#include <algorithm>
#include <utility>

namespace gate::hooks {

using webhook::ending;

verdict verdict_on(ending how) noexcept {
  switch (how) {
    case ending::success:
    case ending::gone:
    case ending::redirect:
    case ending::rejected:
      return verdict::success;
    case ending::forbidden:  // it was not asked
      return verdict::neutral;
    case ending::throttled:
    case ending::timeout:
    case ending::unresolved:
    case ending::refused:
    case ending::tls:
    case ending::cut:
    case ending::malformed:
      break;
  }
  return verdict::failure;
}

deliverer::deliverer(deliverer_door& door, std::string webhook, deliverer_rules rules)
    : door_(door),
      webhook_(std::move(webhook)),
      rules_(std::move(rules)),
      breaker_(rules_.breaker, rules_.lease, 1) {}

void deliverer::due(wall_time at, moment now) {
  due_ = due_ ? std::min(*due_, at) : at;
  go_on(now);
}

void deliverer::go_on(moment now) {
  breaker_.pass(now.steady);
  if (again_ && *again_ <= now.steady) {
    again_.reset();
    note_again(now);
  }
  begin(now);
  claim_more(now);
}

void deliverer::begin(moment now) {
  while (!waiting_.empty() && !stopped_ && running_.size() < rules_.in_flight) {
    // Somebody else may have it before this attempt would have ended.
    if (waiting_.front().until < now.wall + rules_.answer) {
      waiting_.pop_front();
      door_.give_places(1);
      continue;
    }
    const auto lease = breaker_.lease(now.steady);
    if (lease == 0) return;
    begin_one(lease, now);
  }
}

void deliverer::begin_one(std::uint64_t breaker_lease, moment now) {
  const auto number = ++last_;
  auto& r = running_[number];
  r.what = std::move(waiting_.front());
  waiting_.pop_front();
  r.since = now.wall;
  r.breaker_lease = breaker_lease == lease_told::not_leased ? 0 : breaker_lease;
  const auto& one = r.what.what;
  door_.send(number, {by_, one.delivery, one.event, one.delivery.attempts + 1});
}

/// While the receiver may not be there: one in all.
std::size_t deliverer::room() const {
  const bool alone = breaker_.state() != breaker_state::closed;
  const auto most = alone ? 1 : rules_.held;
  const auto have = running_.size() + waiting_.size();
  return have < most ? most - have : 0;
}

void deliverer::claim_more(moment now) {
  if (stopped_ || asking_ || again_ || !due_ || *due_ > now.wall) return;
  if (breaker_.state() == breaker_state::open) return;
  // Not one by one, if there are many.
  if (waiting_.size() > rules_.in_flight / 2) return;
  const auto most = room();
  if (most == 0) return;
  asking_ = true;
  door_.claim(most);
}

void deliverer::granted(std::size_t places, moment now) {
  if (stopped_) {
    asking_ = false;
    return door_.give_places(places);
  }
  asked_ = places;
  lease_ = door_.new_lease();
  taken_until_ = now.wall + rules_.lease;
  door_.take({webhook_, places, now.wall, lease_, *taken_until_});
}

void deliverer::taken(ledger::answer said, moment now) {
  asking_ = false;
  const auto places = std::exchange(asked_, 0);
  if (const auto* no = std::get_if<ledger::refusal>(&said)) {
    door_.give_places(places);
    if (no->why == ledger::refusal::reason::not_found)
      due_.reset();  // it was deleted
    else
      again_ = now.steady + rules_.pause;
    return;
  }
  auto& got = std::get<ledger::taken>(said);
  if (got.deliveries.size() < places) door_.give_places(places - got.deliveries.size());
  by_ = std::move(got.webhook);
  due_ = got.next;
  for (auto& one : got.deliveries) waiting_.push_back({std::move(one), lease_, *taken_until_});
  if (stopped_) {
    drop_waiting();
    return return_leases(now);
  }
  go_on(now);
}

void deliverer::ended(std::uint64_t attempt, const webhook::outcome& how, std::string answer,
                      moment now) {
  const auto it = running_.find(attempt);
  if (it == running_.end() || it->second.end) return;
  auto& r = it->second;
  breaker_.ended(verdict_on(how.end), r.breaker_lease, now.steady);
  if (breaker_.state() == breaker_state::open) leave_alone(now);
  const auto& d = r.what.what.delivery;
  // Out of the queue of dead letters there is one attempt.
  const auto made = d.finished ? rules_.schedule.attempts() : d.attempts + 1;
  const auto then = webhook::after_attempt(how, made, now.wall, rules_.schedule, door_.chance(),
                                           by_.failing_since);
  // The wall clock may have been set back meanwhile.
  const auto took = std::max(now.wall - r.since, std::chrono::milliseconds{0});
  r.end = ledger::note_attempt{.delivery = d.id,
                               .lease = r.what.lease,
                               .what = {r.since, took, how.code, how.error},
                               .status = then.status,
                               .next = then.next_attempt,
                               .answer = std::move(answer),
                               .now = now.wall};
  door_.note(attempt, *r.end);
  if (then.disable != webhook::disabled::no) close(then.disable, now);
}

/// What waits here is due again when it is enabled.
void deliverer::close(webhook::disabled why, moment now) {
  due_.reset();
  drop_waiting();
  door_.disable({webhook_, why, now.wall});
  return_leases(now);
}

/// Others have a use for the places of what waits here meanwhile.
void deliverer::leave_alone(moment now) {
  if (waiting_.empty()) return;
  due_ = due_ ? std::min(*due_, now.wall) : now.wall;
  drop_waiting();
  return_leases(now);
}

void deliverer::drop_waiting() {
  for (const auto& h : waiting_)
    if (returned_.empty() || returned_.back() != h.lease) returned_.push_back(h.lease);
  if (!waiting_.empty()) door_.give_places(waiting_.size());
  waiting_.clear();
}

/// A lease is given back as a whole: not while an attempt of it runs.
void deliverer::return_leases(moment now) {
  std::erase_if(returned_, [&](const std::string& lease) {
    const bool runs =
        std::ranges::any_of(running_, [&](const auto& r) { return r.second.what.lease == lease; });
    if (!runs) door_.give_back({lease, now.wall});
    return !runs;
  });
}

std::optional<deliverer::told> deliverer::noted(std::uint64_t attempt, const ledger::answer& said,
                                                moment now) {
  const auto it = running_.find(attempt);
  if (it == running_.end() || !it->second.end) return {};
  const auto* no = std::get_if<ledger::refusal>(&said);
  const bool later = no != nullptr && (no->why == ledger::refusal::reason::busy ||
                                       no->why == ledger::refusal::reason::unavailable);
  if (later) {
    again_ = now.steady + rules_.pause;
    return {};
  }
  // Or its lease was lost: then it is another one's.
  if (const auto* yes = std::get_if<ledger::noted>(&said)) by_.failing_since = yes->failing_since;
  const auto end = std::move(*it->second.end);
  running_.erase(it);
  door_.give_places(1);
  if (end.next && no == nullptr && !stopped_) due_ = due_ ? std::min(*due_, *end.next) : end.next;
  return_leases(now);
  go_on(now);
  if (no != nullptr) return {};
  return told{end.delivery, end.status};
}

void deliverer::ledger_lost(moment now) {
  if (asked_ > 0) {
    asking_ = false;
    door_.give_places(std::exchange(asked_, 0));
  }
  again_ = now.steady + rules_.pause;
}

void deliverer::note_again(moment now) {
  for (auto& [number, r] : running_) {
    if (!r.end) continue;
    r.end->now = now.wall;
    door_.note(number, *r.end);
  }
}

void deliverer::stop(moment now) {
  stopped_ = true;
  due_.reset();
  drop_waiting();
  return_leases(now);
}

void deliverer::give_up(moment now) {
  stop(now);
  for (const auto& [number, r] : running_)
    if (std::ranges::find(returned_, r.what.lease) == returned_.end())
      returned_.push_back(r.what.lease);
  if (!running_.empty()) door_.give_places(running_.size());
  running_.clear();
  return_leases(now);
}

std::optional<std::chrono::steady_clock::time_point> deliverer::next(moment now) const {
  auto out = again_;
  const auto sooner = [&out](auto at) { out = out ? std::min(*out, at) : at; };
  if (stopped_) return out;
  if (const auto at = breaker_.next(); at && (due_ || !waiting_.empty())) sooner(*at);
  // What is due already waits for something else than time.
  if (due_ && *due_ > now.wall) sooner(now.steady + (*due_ - now.wall));
  return out;
}

}  // namespace gate::hooks
